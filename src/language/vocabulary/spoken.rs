//! Names of a home that are words of the language already: what tells what to do, how many or how much. A device called so
//! would take the word from everybody who commands something else, so the word stays what it is, and the device is called by
//! its other names and by what it is.

use super::super::lexicon::{Lexicon, Sense};
use super::super::number;
use crate::home::Home;
use crate::text::normalize;

/// Whether the language has another use for all of a normalised name: 打开, 26, 所有的灯.
pub(super) fn is_taken(name: &str, lexicon: &Lexicon) -> bool {
    let senses = lexicon.senses(name);
    let chars: Vec<char> = name.chars().collect();
    let counts = number::read(&chars).is_some_and(|(_, used)| used == chars.len());
    // What a verb leads to is said by the same word.
    let with_verbs = |sense: &Sense| commands(sense) || matches!(sense, Sense::Choice(_));
    let tells = senses.iter().any(commands) && senses.iter().all(with_verbs);
    counts || tells || is_quantified(name, lexicon)
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

/// The names of devices that are not words of this home, each with the device's id.
pub fn taken_names<'h>(home: &'h Home, lexicon: &Lexicon) -> Vec<(&'h str, &'h str)> {
    let names = home.devices.iter().flat_map(|device| device.names().map(|name| (device.id.as_str(), name)));
    names.filter(|(_, name)| is_taken(&normalize(name), lexicon)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_command_or_count_are_taken_and_names_of_things_are_not() {
        let lexicon = Lexicon::built_in().unwrap();
        for name in ["打开", "关闭", "调到", "26", "二十六", "所有的灯", "所有灯", "的", "和", "所有"]
        {
            assert!(is_taken(name, &lexicon), "{name}");
        }
        for name in ["空调", "灯", "吸顶灯", "老伙计", "一号插座", "灯2", "全屋净水器", "开关", "客厅的灯", "制冷", ""]
        {
            assert!(!is_taken(name, &lexicon), "{name}");
        }
    }
}
