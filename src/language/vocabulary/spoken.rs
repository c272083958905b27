//! Names of a home that are words of the language already: what tells what to do, how many or how much. Whatever is called so
//! would take the word from everybody who commands something else, so the word stays what it is. A device is called by its
//! other names and by what it is, a scene by the word alone or with the word for scenes behind it.

use super::super::lexicon::{Lexicon, Sense};
use super::super::number;
use crate::home::Home;
use crate::text::normalize;

/// Whether the language has another use for all of a normalised name of one thing: 打开, 26, 所有的灯.
pub(super) fn is_taken(name: &str, lexicon: &Lexicon) -> bool {
    tells_or_counts(name, lexicon) || is_quantified(name, lexicon)
}

/// The same of a name of several, which 所有筒灯 may be: whoever calls some of them so means those.
pub(super) fn tells_or_counts(name: &str, lexicon: &Lexicon) -> bool {
    let senses = lexicon.senses(name);
    let chars: Vec<char> = name.chars().collect();
    let counts = number::read(&chars).is_some_and(|(_, used)| used == chars.len());
    // What a verb leads to is said by the same word.
    let with_verbs = |sense: &Sense| commands(sense) || matches!(sense, Sense::Choice(_));
    let tells = senses.iter().any(commands) && senses.iter().all(with_verbs);
    counts || tells
}

/// Whether a normalised name is a number that a room may be called by.
pub(super) fn is_room_number(name: &str) -> bool {
    name.len() >= number::ROOM_DIGITS && name.bytes().all(|b| b.is_ascii_digit())
}

/// Every one of a kind, or everything: 所有的灯, 全部设备.
fn is_quantified(name: &str, lexicon: &Lexicon) -> bool {
    let has = |text: &str, test: fn(&Sense) -> bool| lexicon.senses(text).iter().any(test);
    let counted = |rest: &str| has(rest, |sense| matches!(sense, Sense::Kind(_) | Sense::Sort(_) | Sense::Everything));
    name.char_indices().skip(1).any(|(at, c)| {
        let (all, rest) = name.split_at(at);
        let of = has(&rest[..c.len_utf8()], |sense| *sense == Sense::Of);
        has(all, |sense| *sense == Sense::All) && (counted(rest) || of && counted(&rest[c.len_utf8()..]))
    })
}

/// Whether a sense is of how things are said, and names nothing that could be there.
fn commands(sense: &Sense) -> bool {
    use Sense::*;
    matches!(
        sense,
        Verb(_)
            | Set { .. }
            | SetBare
            | Link
            | Step { .. }
            | Degree { .. }
            | Make
            | Little
            | Lots
            | Unit(_)
            | Measure
            | All
            | Each
            | Of
            | Both
            | AnyOne
            | Some
            | Everything
            | Other
            | Reference
            | Also
            | Again
            | ExceptOpen
            | ExceptClose
            | ExceptAfter
            | Conjunction
            | Sequence
            | Correction
            | If
            | IfClose
            | Then
            | Else
            | Unless
            | Standing
            | And
            | Or
            | Compare(_)
            | Question(_)
            | Is
            | Exists
            | Already
            | AskFor
            | Polite
            | Not
            | Negation
            | Past
            | Report
            | Suppose
            | Future
            | TimeAfter
            | Particle
            | Disposal
            | State(_)
    )
}

/// A name of a home that is not a word there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken<'h> {
    /// Where the document has it: `devices`, `groups`, `scenes` or `rooms`.
    pub part: &'static str,
    /// Whose name it is; a room is known by its name.
    pub id: &'h str,
    /// The name.
    pub name: &'h str,
}

/// The names that are not words of this home, because they are words of the language.
pub fn taken_names<'h>(home: &'h Home, lexicon: &Lexicon) -> Vec<Taken<'h>> {
    let of = |part, id: &'h str, name: &'h str| Taken { part, id, name };
    let devices = home.devices.iter().flat_map(|d| d.names().map(move |name| of("devices", &d.id, name)));
    let groups =
        home.groups.iter().flat_map(|g| called(&g.name, &g.aliases).map(move |name| of("groups", &g.id, name)));
    let scenes =
        home.scenes.iter().flat_map(|s| called(&s.name, &s.aliases).map(move |name| of("scenes", &s.id, name)));
    let rooms = home.rooms.iter().flat_map(|r| called(&r.name, &r.aliases).map(move |name| of("rooms", &r.name, name)));
    let of_one = devices.chain(scenes).filter(|taken| is_taken(&normalize(taken.name), lexicon));
    // 202 is heard as the room where no unit follows.
    let numbered = |taken: &Taken| taken.part == "rooms" && is_room_number(&normalize(taken.name));
    let of_several = groups.chain(rooms).filter(|taken| tells_or_counts(&normalize(taken.name), lexicon));
    let of_several = of_several.filter(|taken| !numbered(taken));
    of_one.chain(of_several).collect()
}

/// All names of something that has one and aliases.
pub(super) fn called<'h>(name: &'h String, aliases: &'h [String]) -> impl Iterator<Item = &'h String> {
    std::iter::once(name).chain(aliases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_command_or_count_are_taken_and_names_of_things_are_not() {
        let lexicon = Lexicon::built_in().unwrap();
        for name in ["打开", "关闭", "调到", "26", "二十六", "所有的灯", "所有灯", "的", "和", "所有", "其他"]
        {
            assert!(is_taken(name, &lexicon), "{name}");
        }
        for name in ["空调", "灯", "吸顶灯", "老伙计", "一号插座", "灯2", "全屋净水器", "开关", "客厅的灯", "制冷", ""]
        {
            assert!(!is_taken(name, &lexicon), "{name}");
        }
        for name in
            ["客厅", "主卧", "天井", "楼上", "房间", "室内", "回家", "睡觉", "观影模式", "打烊", "三盏台灯", "监控"]
        {
            assert!(!is_taken(name, &lexicon), "{name}");
        }
    }

    #[test]
    fn no_group_and_no_room_of_the_homes_of_the_tests_loses_its_name() {
        let lexicon = Lexicon::built_in().unwrap();
        for folder in ["tests/homes", "tests/corpus/homes"] {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "json") {
                    let text = std::fs::read_to_string(&path).unwrap();
                    let (home, _) = crate::home::parse(&serde_json::from_str(&text).unwrap()).unwrap();
                    let taken = taken_names(&home, &lexicon)
                        .into_iter()
                        .filter(|taken| ["groups", "rooms"].contains(&taken.part));
                    assert_eq!(taken.collect::<Vec<_>>(), [], "{}", path.display());
                }
            }
        }
    }
}
