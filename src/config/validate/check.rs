//! Reading single keys, whatever they are about.

use super::*;

impl Check<'_> {
    /// The password or key in a file: its first line, without the line's end.
    pub(in crate::config) fn secret(&mut self, key: &str, file: &str) -> String {
        let path = self.secret_file(file);
        let read = std::fs::metadata(&path).and_then(|metadata| {
            if metadata.len() > MAX_SECRET_BYTES {
                return Err(std::io::Error::other(format!("is larger than {MAX_SECRET_BYTES} bytes")));
            }
            std::fs::read_to_string(&path)
        });
        let shown = path.display();
        match read {
            Ok(text) => {
                self.warn_if_readable(key, &path);
                let secret = text.lines().next().unwrap_or_default().to_owned();
                if secret.is_empty() {
                    self.problem(key, format!("{shown} holds nothing in its first line"));
                }
                secret
            }
            Err(error) => {
                self.problem(key, format!("{shown}: {error}"));
                String::new()
            }
        }
    }

    /// The path of a secret: systemd's credentials first, if it was given any.
    pub(in crate::config) fn secret_file(&self, file: &str) -> PathBuf {
        match self.environment.get("CREDENTIALS_DIRECTORY") {
            Some(credentials) => Path::new(credentials).join(file),
            None => self.beside_file(file),
        }
    }

    pub(in crate::config) fn warn_if_readable(&mut self, key: &str, path: &Path) {
        if std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o004 != 0) {
            self.warnings.push(format!("{key}: everyone can read {}; chmod 600 it", path.display()));
        }
    }

    /// A path of the file, relative to the folder the file lies in.
    pub(in crate::config) fn beside_file(&self, path: &str) -> PathBuf {
        self.folder.map_or_else(|| PathBuf::from(path), |folder| folder.join(path))
    }

    /// A section, or an empty one; its unknown keys are problems.
    pub(in crate::config) fn section<T: Section>(&mut self, key: &str, leaf: Leaf<T>) -> T {
        let mut section = match leaf {
            Leaf::Wrong(_) => {
                self.problem(key, "must be a mapping");
                T::default()
            }
            other => self.take(key, other, T::default()),
        };
        self.unknown(key, section.take_unknown(), T::keys());
        section
    }

    /// Refuses keys that nobody knows.
    pub(super) fn unknown(&mut self, section: &str, unknown: BTreeMap<String, Value>, known: &[&str]) {
        for (key, value) in unknown {
            let path = if section.is_empty() { key } else { format!("{section}.{key}") };
            let text = format!("unknown key; known here: {}", known.join(", "));
            let inner = value.as_mapping().and_then(|inner| inner.keys().next()).and_then(Value::as_str);
            let from_inside = inner.map(|inner| format!("{path}.{inner}")).filter(|p| self.sources.contains_key(p));
            self.problem(&from_inside.unwrap_or(path), text);
        }
    }

    /// A value of its type, or the default; a value of another type is a problem.
    pub(in crate::config) fn take<T>(&mut self, key: &str, leaf: Leaf<T>, default: T) -> T {
        match leaf {
            Leaf::Absent => default,
            Leaf::Is(value) => value,
            Leaf::Wrong(why) => {
                self.problem(key, why);
                default
            }
        }
    }

    /// A text that is not empty.
    pub(in crate::config) fn text(&mut self, key: &str, leaf: Leaf<String>) -> Option<String> {
        let text = match leaf {
            Leaf::Absent => return None,
            Leaf::Is(text) => Some(text),
            Leaf::Wrong(_) => None,
        };
        let text = text.filter(|text| !text.is_empty() && !text.contains(char::is_control));
        if text.is_none() {
            self.problem(key, "must be a text, not empty, without control characters");
        }
        text
    }

    /// A whole number of a range.
    pub(in crate::config) fn number<T: TryFrom<i64>>(
        &mut self,
        key: &str,
        leaf: Leaf<i64>,
        default: T,
        range: RangeInclusive<i64>,
    ) -> T {
        let value = match leaf {
            Leaf::Absent => return default,
            Leaf::Is(value) if range.contains(&value) => T::try_from(value).ok(),
            _ => None,
        };
        value.unwrap_or_else(|| {
            self.problem(key, format!("must be between {} and {}", range.start(), range.end()));
            default
        })
    }

    /// A whole number of seconds of a range.
    pub(in crate::config) fn seconds(
        &mut self,
        key: &str,
        leaf: Leaf<i64>,
        default: Duration,
        range: RangeInclusive<i64>,
    ) -> Duration {
        Duration::from_secs(self.number(key, leaf, default.as_secs(), range))
    }

    /// A whole number of milliseconds of a range.
    pub(in crate::config) fn milliseconds(
        &mut self,
        key: &str,
        leaf: Leaf<i64>,
        default: Duration,
        range: RangeInclusive<i64>,
    ) -> Duration {
        let default = u64::try_from(default.as_millis()).unwrap_or(u64::MAX);
        Duration::from_millis(self.number(key, leaf, default, range))
    }

    /// Refuses what cannot stand in one level of an MQTT topic.
    pub(super) fn topic_level(&mut self, key: &str, level: &str) {
        if level.contains(['/', '+', '#', '$']) {
            self.problem(key, "must not contain / + # or $: it is a level of an MQTT topic");
        }
        self.name(key, level);
    }

    /// Refuses names that are empty, long or hold control characters.
    pub(in crate::config) fn name(&mut self, key: &str, name: &str) {
        if name.trim().is_empty() || name.chars().count() > MAX_NAME || name.contains(char::is_control) {
            self.problem(key, format!("must be a name of 1 to {MAX_NAME} characters without control characters"));
        }
    }

    /// How many problems there are so far.
    pub(in crate::config) fn problems(&self) -> usize {
        self.problems.len()
    }

    /// The folder that the file lies in, if there is a file.
    pub(in crate::config) fn folder(&self) -> Option<&Path> {
        self.folder
    }

    pub(in crate::config) fn problem(&mut self, key: &str, text: impl Into<String>) {
        let source = self.sources.get(key).cloned();
        self.problems.push(Problem { key: key.to_owned(), text: text.into(), source });
    }
}
