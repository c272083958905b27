//! A trace to give away: the names of a home replaced wherever they stand, each by the same word throughout.
//!
//! Names are found as they are compared ([`normalize`]): however they are spelled, spaced or interspersed with what cannot be
//! seen. What is left that cannot be seen, or would steer who reads it, is written out.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::Value;

use super::Explanation;
use crate::language::vocabulary::Vocabulary;
use crate::text::{is_invisible, normalize};

/// Names, and what stands in their place.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// By the first character of what is looked for: the longest first.
    by_first: HashMap<char, Vec<(Vec<char>, String)>>,
}

impl Names {
    /// The names and ids of a home, and of others who are named: satellites, clients, rooms that the home does not have.
    pub fn of(vocabulary: &Vocabulary, others: &[&str]) -> Self {
        let words = &vocabulary.lexicon.texts.share;
        let home = &vocabulary.home;
        let mut names = Self::default();
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut letter = |word: &str| {
            let count = counts.entry(word.to_owned()).or_default();
            *count += 1;
            format!("{word}{}", letters(*count))
        };
        for (at, device) in home.devices.iter().enumerate() {
            let kind = vocabulary.devices.get(at).and_then(|sense| sense.kinds.first());
            let word = kind.and_then(|kind| vocabulary.lexicon.kinds[*kind].words.first()).unwrap_or(&words.device);
            names.several(&letter(word), device.names());
            names.hide(&device.id, format!("dev-{}", at + 1));
        }
        for (at, room) in home.rooms.iter().enumerate() {
            names.several(&format!("{}{}", words.room, at + 1), [&room.name].into_iter().chain(&room.aliases));
        }
        for (at, floor) in vocabulary.floors.iter().enumerate() {
            names.hide(floor, format!("{}{}", words.floor, at + 1));
        }
        for (at, group) in home.groups.iter().enumerate() {
            names.several(&format!("{}{}", words.group, at + 1), [&group.name].into_iter().chain(&group.aliases));
            names.hide(&group.id, format!("group-{}", at + 1));
        }
        for (at, scene) in home.scenes.iter().enumerate() {
            names.several(&format!("{}{}", words.scene, at + 1), [&scene.name].into_iter().chain(&scene.aliases));
            names.hide(&scene.id, format!("scene-{}", at + 1));
        }
        for (at, other) in others.iter().enumerate() {
            names.hide(other, format!("{}{}", words.client, at + 1));
        }
        names.hide(&home.id, words.home.clone());
        for list in names.by_first.values_mut() {
            list.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        }
        names
    }

    /// Hides all names of one thing: the first by the word, the others by the word and a number.
    fn several<'a>(&mut self, word: &str, names: impl IntoIterator<Item = impl AsRef<str> + 'a>) {
        for (at, name) in names.into_iter().enumerate() {
            let word = if at == 0 { word.to_owned() } else { format!("{word}/{at}") };
            self.hide(name.as_ref(), word);
        }
    }

    /// What bears a name that is hidden already is called like the first that bears it.
    fn hide(&mut self, name: &str, word: String) {
        let name: Vec<char> = normalize(name).chars().filter(|c| !c.is_whitespace()).collect();
        let Some(first) = name.first() else { return };
        let list = self.by_first.entry(*first).or_default();
        if list.iter().all(|(known, _)| *known != name) {
            list.push((name, word));
        }
    }

    /// The name that begins at this place, as the number of its characters, and its word.
    fn at(&self, text: &[(char, usize)], place: usize) -> Option<(usize, &str)> {
        let is_word = |c: char| c.is_ascii_alphanumeric();
        let list = self.by_first.get(&text[place].0)?;
        let fits = |name: &Vec<char>| {
            let rest = &text[place..];
            let found = rest.len() >= name.len() && name.iter().zip(rest).all(|(a, (b, _))| a == b);
            // A Latin name is no part of a longer word.
            let before = place > 0 && is_word(name[0]) && touching(text, place - 1) && is_word(text[place - 1].0);
            let last = name.len() - 1;
            let end = place + last;
            let after =
                text.get(end + 1).is_some_and(|(next, _)| is_word(name[last]) && touching(text, end) && is_word(*next));
            found && !before && !after
        };
        let whole = list.iter().find(|(name, _)| fits(name)).map(|(name, word)| (name.len(), word.as_str()));
        whole.or_else(|| {
            // Of a long name a reply says the beginning ([`displayable`](crate::text::displayable)).
            let told = |name: &[char]| name.iter().zip(&text[place..]).take_while(|(a, (b, _))| *a == b).count();
            let cut = |length: usize| length >= 2 && text.get(place + length).is_some_and(|(next, _)| *next == '…');
            list.iter().map(|(name, word)| (told(name), word.as_str())).find(|(length, _)| cut(*length))
        })
    }

    /// The same of a reply, which may quote a part of a name that was not understood (`没听明白“月亮，甲”`).
    fn replaced_with_parts(&self, text: &str) -> String {
        let mut parts: Vec<String> = Vec::new();
        for part in text.split_inclusive(|c: char| !c.is_alphanumeric() && !c.is_ascii_punctuation()) {
            let bare = part.trim_end_matches(|c: char| !c.is_alphanumeric() && !c.is_ascii_punctuation());
            let sought: Vec<char> = normalize(bare).chars().filter(|c| !c.is_whitespace()).collect();
            let holds = |name: &Vec<char>| sought.len() >= 2 && name.windows(sought.len()).any(|w| *w == sought[..]);
            let word = self.by_first.values().flatten().filter(|(name, _)| holds(name)).map(|(_, word)| word).min();
            parts.push(word.map_or_else(|| part.to_owned(), |word| part.replacen(bare, word, 1)));
        }
        self.replaced(&parts.concat())
    }

    /// A text with every name replaced.
    pub fn replaced(&self, text: &str) -> String {
        // The characters that are compared, and where each stands.
        let mut compared: Vec<(char, usize)> = Vec::new();
        for (at, c) in text.char_indices() {
            let normal = normalize(c.encode_utf8(&mut [0; 4]));
            compared.extend(normal.chars().map(|normal| (normal, at)));
        }
        let (mut out, mut copied, mut place) = (String::new(), 0, 0);
        while place < compared.len() {
            let Some((length, word)) = self.at(&compared, place) else {
                place += 1;
                continue;
            };
            let from = compared[place].1;
            let last = compared[place + length - 1].1;
            let to = text[last..].chars().next().map_or(text.len(), |c| last + c.len_utf8());
            out.push_str(text.get(copied..from).unwrap_or_default());
            out.push_str(word);
            copied = to.max(copied);
            place += length;
        }
        out.push_str(&text[copied..]);
        out
    }
}

/// Whether the characters at a place and after it stand side by side in the text.
fn touching(text: &[(char, usize)], place: usize) -> bool {
    text.get(place + 1).is_some_and(|(_, next)| *next <= text[place].1 + text[place].0.len_utf8())
}

/// A, B, …, Z, AA, AB, …
fn letters(mut number: usize) -> String {
    let mut letters = Vec::new();
    while number > 0 {
        number -= 1;
        letters.push(char::from(b'A' + u8::try_from(number % 26).unwrap_or_default()));
        number /= 26;
    }
    letters.iter().rev().collect()
}

/// What may be given away of a trace: names replaced, and what cannot be seen written out. Lines stay lines.
pub fn shared(trace: &str, names: &Names) -> String {
    let mut out = String::with_capacity(trace.len());
    for line in trace.lines() {
        let reply = ["reply: ", "aloud: "].iter().any(|key| line.starts_with(key));
        let replaced = if reply { names.replaced_with_parts(line) } else { names.replaced(line) };
        for c in replaced.chars() {
            match c {
                c if is_invisible(c) || matches!(c, '\u{2028}' | '\u{2029}') => out.extend(c.escape_unicode()),
                c => out.push(c),
            }
        }
        out.push('\n');
    }
    out
}

/// One account, as the console shows it, as text; names and all.
pub fn written(shown: &Value, reading: &Explanation) -> String {
    let word = |key: &str| match &shown[key] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut text = format!("zhiju {}\n", env!("CARGO_PKG_VERSION"));
    for key in ["door", "who", "room", "said", "dry", "intent", "parser", "hint", "reply", "aloud", "took", "error"] {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{key}: {}", word(key).replace(['\n', '\r'], " "));
    }
    let mut lines = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            let _ = writeln!(text, "{title}:");
            lines.iter().for_each(|line| _ = writeln!(text, "  {}", line.replace(['\n', '\r'], " ")));
        }
    };
    let list = |key: &str| shown[key].as_array().map_or(&[][..], Vec::as_slice);
    let plain = |key: &str| list(key).iter().map(|v| v.as_str().map_or(v.to_string(), str::to_owned)).collect();
    let words = reading.words.iter().map(|word| format!("{} [{}]", word.text, word.senses.join(", ")));
    lines("words", words.collect());
    lines("steps", reading.steps.clone());
    for key in ["commands", "candidates", "trace", "instructs", "outcomes", "jobs"] {
        lines(key, plain(key));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, LazyLock};

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::language::lexicon::Lexicon;

    static LEXICON: LazyLock<Arc<Lexicon>> = LazyLock::new(|| Arc::new(Lexicon::built_in().unwrap()));

    fn vocabulary(name: &str, alias: &str, room: &str) -> Vocabulary {
        let device = |id: &str, name: &str, aliases: &[&str]| json!({"id": id, "name": name, "aliases": aliases, "local": room, "commands": []});
        let document = json!({
            "did": "did-of-mine",
            "layout": [{"name": room, "floor": "三楼"}],
            "devices": [device("hub:宝宝的", name, &[alias]), device("kid", "宝宝台灯", &[])],
            "groups": [{"id": "g-宝", "name": "宝宝全部", "members": ["kid"]}],
            "scenes": [],
        });
        let (home, _) = crate::home::parse(&document).unwrap();
        Vocabulary::new(Arc::clone(&LEXICON), Arc::new(home))
    }

    #[test]
    fn names_are_replaced_by_the_same_word_wherever_they_stand() {
        let names = Names::of(&vocabulary("张三的 LED 灯", "三儿灯", "张三书房"), &["satellite-张三", "张三"]);
        let text = "said: 打开张三书房的张三的LED灯和宝宝台灯\nthen: 张三的ｌｅｄ灯, 三儿 灯; 张\u{202e}三的led灯 of satellite-张三\nids hub:宝宝的 kid kids g-宝 宝宝全部 三楼 did-of-mine";
        let given = shared(text, &names);
        for name in ["张三", "LED", "三儿", "宝宝", "三楼", "did-of-mine", "\u{202e}"] {
            assert!(!given.contains(name), "{name}\n{given}");
        }
        assert!(given.contains("kids"), "a part of a longer word is none of the names: {given}");
        let lamp = names.replaced("张三的LED灯");
        assert_eq!(given.matches(&lamp).count(), 4, "{lamp}\n{given}");
        assert_eq!(given.lines().count(), 3);
    }

    #[test]
    fn what_a_reply_quotes_of_a_name_is_replaced_too() {
        let names = Names::of(&vocabulary("月亮坨坨", "坨儿", "客厅"), &[]);
        let given = shared("said: 打开月亮\nreply: 没听明白“月亮”，可以换个说法吗？", &names);
        assert!(given.contains("没听明白“设备A”，可以换个说法吗？"), "{given}");
    }

    #[test]
    fn what_a_reply_says_of_a_long_name_is_replaced_too() {
        let names = Names::of(&vocabulary("爷爷从老家带来的那盏煤油灯改的台灯", "坨儿", "客厅"), &[]);
        let given = shared("reply: 确认要打开客厅爷爷从老家带来的那盏…吗？", &names);
        assert_eq!(given, "reply: 确认要打开房间1设备A…吗？\n");
    }

    #[test]
    fn what_cannot_be_seen_or_would_steer_the_reader_is_written_out() {
        let names = Names::of(&vocabulary("<script>alert(1)</script>", "灯", "客厅"), &[]);
        let given = shared("a\u{202e}b\u{7}c\u{200b}d\u{1b}[31m <b>x</b> <script>alert(1)</script>", &names);
        assert!(given.starts_with("a\\u{202e}b\\u{7}c\\u{200b}d\\u{1b}[31m <b>x</b> "), "{given}");
        assert!(!given.contains("script") && !given.chars().any(|c| c != '\n' && is_invisible(c)), "{given}");
    }

    #[test]
    fn the_words_are_there_and_letters_go_on_after_z() {
        let words = crate::zh::Texts::default().share;
        assert!(!words.device.is_empty() && !words.client.is_empty());
        assert_eq!([1, 26, 27, 702, 703].map(letters), ["A", "Z", "AA", "ZZ", "AAA"]);
    }

    proptest! {
        #[test]
        fn no_name_survives(name in "[啊波呲嘚鹅佛]{2,6}", alias in "[歌喝机科勒]{2,5}", room in "[摸呢哦坡七]{2,4}", text in "[a-z是把开，。 <>&\u{202e}]{0,20}") {
            let names = Names::of(&vocabulary(&name, &alias, &room), &["卫星一号"]);
            let whole = format!("{text}{name}{text}{alias}{room}{name} {text}卫星一号{alias}");
            let given = shared(&whole, &names);
            for name in [&name, &alias, &room, &"卫星一号".to_owned()] {
                prop_assert!(!given.contains(name.as_str()), "{}", given);
            }
        }
    }
}
