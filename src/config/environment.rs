//! What the configuration reads of the process it runs in: variables, the user, installed files.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where the state of an installed service lies.
const INSTALLED_STATE: &str = "/var/lib/zhiju";

/// Where an installed model lies.
const INSTALLED_MODEL: &str = "/usr/share/zhiju/models/mini-zh";

/// Where the model lies in the source tree, relative to its root.
const TREE_MODEL: &str = "models/mini-zh";

/// The process's surroundings, as a value so that tests can bring their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    /// Whether the state of an installed service is this user's: the service's own, or root.
    of_service: bool,
    executable: Option<PathBuf>,
}

impl Environment {
    /// The surroundings of this process. Variables that are not UTF-8 are read with replacement characters, which no
    /// check accepts silently.
    pub fn of_process() -> Self {
        let variables = std::env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
            .collect();
        let user = rustix::process::geteuid();
        let owned = std::fs::metadata(INSTALLED_STATE).is_ok_and(|folder| folder.uid() == user.as_raw());
        Self { variables, of_service: user.is_root() || owned, executable: std::env::current_exe().ok() }
    }

    /// Surroundings with only these variables, of a user who has nothing to do with an installed service.
    pub fn of_variables<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { variables, ..Self::default() }
    }

    /// A variable; an empty one counts as not set.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Every variable with its value, sorted by name.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The folder for what must survive a restart: systemd's, the installed service's or the user's. Who runs a command as
    /// the service's user means the service's.
    pub(super) fn state_dir(&self) -> PathBuf {
        if let Some(folders) = self.get("STATE_DIRECTORY") {
            // systemd joins several with a colon; the unit names ours first.
            return PathBuf::from(folders.split(':').next().unwrap_or(folders));
        }
        if self.of_service {
            return PathBuf::from(INSTALLED_STATE);
        }
        let state = self.get("XDG_STATE_HOME").map(PathBuf::from);
        let state = state.or_else(|| self.get("HOME").map(|home| Path::new(home).join(".local/state")));
        state.unwrap_or_else(|| PathBuf::from("/var/lib")).join("zhiju")
    }

    /// The installed model, else the one of the source tree the executable was built in.
    pub fn default_model(&self) -> Option<PathBuf> {
        let installed = PathBuf::from(INSTALLED_MODEL);
        let beside = self.executable.iter().flat_map(|path| path.ancestors().skip(1)).map(|dir| dir.join(TREE_MODEL));
        std::iter::once(installed).chain(beside).find(|dir| dir.join("config.json").is_file())
    }
}
