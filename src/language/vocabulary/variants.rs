//! How people say the names of a home: `筒灯1` is 一号筒灯 and 第一个筒灯, `阿强的风扇` is 阿强那个风扇, `左帘` is 左边那扇帘子.

use super::super::command::Type;
use super::super::lexicon::{Kind, Lexicon, Marks};
use super::super::meaning::kinds_of_name;
use crate::text::is_han;

/// Other ways to say a normalised name. Names that already are words of the language have none.
/// Of what is called after a room the room is left out: it is said as a place.
pub(super) fn variants(name: &str, lexicon: &Lexicon, is_room: &dyn Fn(&str) -> bool) -> Vec<String> {
    let of = &lexicon.marks.of;
    let mut found = numbered(name, lexicon);
    if let Some((owner, kind)) = owned(name, lexicon).filter(|(owner, _)| !is_room(owner)) {
        found.push(format!("{owner}{kind}"));
        found.push(format!("{owner}{of}{kind}"));
        // 外婆那盏 is no television.
        let lamp = lexicon.kinds_called(kind).any(|kind| lexicon.kinds[kind].kind == Type::Light);
        let counts_lamps =
            |pointer: &str| lexicon.marks.lamps.iter().any(|measure| pointer.ends_with(measure.as_str()));
        for pointer in lexicon.pointers.iter().filter(|pointer| lamp || !counts_lamps(pointer)) {
            found.push(format!("{owner}{pointer}{kind}"));
            // 要妈妈的那盏
            // 右边那个 is whatever is spoken of there.
            let side = lexicon.sides.iter().flatten().any(|side| *side == owner);
            if owner.chars().count() > 1 && pointer.chars().count() > 1 && !side {
                found.push(format!("{owner}{of}{pointer}"));
                found.push(format!("{owner}{pointer}"));
            }
        }
    }
    // 二格力那个, of what is called 二格力.
    let short = owned(name, lexicon).is_none() && name.chars().all(is_han) && (2..=4).contains(&name.chars().count());
    if short && lexicon.senses(name).is_empty() {
        let pointers = lexicon.pointers.iter().filter(|pointer| pointer.chars().count() > 1);
        found.extend(pointers.map(|pointer| format!("{name}{pointer}")));
    }
    for words in &lexicon.sides {
        let Some(rest) = words.iter().filter_map(|w| name.strip_prefix(w.as_str())).min_by_key(|r| r.len()) else {
            continue;
        };
        let rest = rest.strip_prefix(of.as_str()).unwrap_or(rest);
        if rest.is_empty() {
            continue;
        }
        for word in words {
            found.push(format!("{word}{rest}"));
            found.push(format!("{word}{of}{rest}"));
            for pointer in &lexicon.pointers {
                found.push(format!("{word}{pointer}{rest}"));
            }
        }
    }
    for words in &lexicon.ends {
        let rest = words.first().and_then(|w| name.strip_prefix(w.as_str()));
        let Some(rest) = rest.filter(|rest| !kinds_of_name(rest, lexicon).is_empty()) else { continue };
        for word in &words[1..] {
            found.push(format!("{word}{rest}"));
            found.push(format!("{word}{of}{rest}"));
            // 南边那个窗帘
            found.extend(lexicon.pointers.iter().map(|pointer| format!("{word}{pointer}{rest}")));
        }
    }
    // 鱼缸 of 老陈的鱼缸
    let rest = name.split_once(of.as_str()).map(|(_, rest)| rest);
    found.extend(rest.filter(|rest| rest.chars().count() > 1 && !is_room(rest)).map(str::to_owned));
    found.extend(latin(name, lexicon));
    found.extend(joined(name));
    found.extend(inner(name, lexicon));
    found.extend(shortened(name, lexicon).filter(|short| !is_room(short)));
    found.extend(nickname(name, lexicon).filter(|short| !is_room(short)));
    found.retain(|variant| variant != name && lexicon.senses(variant).is_empty());
    found
}

/// `a1` for `a-1`: nobody says the mark between a letter and a number.
fn joined(name: &str) -> Option<String> {
    let chars: Vec<char> = name.chars().collect();
    let beside = |at: usize, test: fn(&char) -> bool| chars.get(at).is_some_and(test);
    let mark = |at: usize| {
        let letter = |at: usize| beside(at, char::is_ascii_alphabetic);
        let digit = |at: usize| beside(at, char::is_ascii_digit);
        let between = at > 0 && (letter(at - 1) && digit(at + 1) || digit(at - 1) && letter(at + 1));
        ['-', '_', ' '].contains(&chars[at]) && between
    };
    let marks: Vec<usize> = (0..chars.len()).filter(|at| mark(*at)).collect();
    let kept = chars.iter().enumerate().filter(|(at, _)| !marks.contains(at)).map(|(_, c)| *c);
    (!marks.is_empty()).then(|| kept.collect())
}

/// `dyson风扇` for `dyson fan`: the last word of a Latin name says what it is.
fn latin(name: &str, lexicon: &Lexicon) -> Vec<String> {
    let Some((brand, last)) = name.rsplit_once(' ').filter(|_| name.is_ascii()) else { return Vec::new() };
    let single = last.strip_suffix('s').unwrap_or(last);
    let hints = |k: &&Kind| k.hints.iter().chain(&k.words).any(|h| h == last || h == single);
    let kind = lexicon.kinds.iter().find(hints);
    let words = kind.into_iter().flat_map(|k| &k.words).filter(|w| w.chars().all(is_han)).take(3);
    words.map(|w| format!("{brand}{w}")).collect()
}

/// How else a value is said: a number at its end in words (`hdmi2`: hdmi二), a verb and its object apart (`煮粥`: 煮个粥).
pub(super) fn values(word: &str, lexicon: &Lexicon) -> Vec<String> {
    let mut found = Vec::new();
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
    if let Some(han) = word[stem.len()..].parse().ok().and_then(super::super::number::han).filter(|_| !stem.is_empty())
    {
        found.push(format!("{stem}{han}"));
        found.push(format!("{stem} {}", &word[stem.len()..]));
    }
    // 优盘 of what is called U盘.
    for group in lexicon.alike.iter().filter(|group| group.iter().any(|known| known == word)) {
        found.extend(group.iter().filter(|other| *other != word && other.chars().count() > 1).cloned());
    }
    let chars: Vec<char> = word.chars().collect();
    if let ([action, what], true) = (&chars[..], word.chars().all(is_han)) {
        found.extend(lexicon.between.iter().map(|between| format!("{action}{between}{what}")));
    }
    found
}

/// 香薰 of 大香薰机, where the language does not know what that is.
fn shortened(name: &str, lexicon: &Lexicon) -> Option<String> {
    if owned(name, lexicon).is_some() || !lexicon.senses(name).is_empty() || !name.chars().all(is_han) {
        return None;
    }
    let [before, after] = &lexicon.left_out;
    let end = after.iter().find_map(|w| name.strip_suffix(w.as_str())).unwrap_or(name);
    let bare = before.iter().find_map(|w| end.strip_prefix(w.as_str())).unwrap_or(end);
    (bare != name && bare.chars().count() >= 2).then(|| bare.to_owned())
}

/// 小白 of 管家小白: what somebody is called stands at the end, where that is no word and no thing.
fn nickname(name: &str, lexicon: &Lexicon) -> Option<String> {
    let chars: Vec<char> = name.chars().collect();
    let at = chars.len().checked_sub(2).filter(|at| *at >= 2 && chars.iter().copied().all(is_han))?;
    let short: String = chars[at..].iter().collect();
    let called = lexicon.left_out[0].iter().any(|w| short.starts_with(w.as_str()));
    (called && lexicon.senses(&short).is_empty() && kinds_of_name(&short, lexicon).is_empty()).then_some(short)
}

/// What a name ends in, if that begins with the word for a part of a room: 灯串 of 露台灯串.
fn inner(name: &str, lexicon: &Lexicon) -> Option<String> {
    let words = lexicon.kinds.iter().filter(|k| k.part).flat_map(|k| &k.words);
    let starts = words.filter_map(|w| name.find(w.as_str()).filter(|at| *at > 0 && at + w.len() < name.len()));
    let end = &name[starts.max()?..];
    end.chars().all(is_han).then(|| end.to_owned())
}

/// The brand or nickname before the kind (`格力空调`: 格力), which people say alone. `None` where it is a word of the language.
pub(super) fn brand(name: &str, lexicon: &Lexicon) -> Option<String> {
    if let Some(brand) = lexicon.marks.brands.iter().find(|brand| name.starts_with(brand.as_str())) {
        return (name != brand).then(|| brand.clone());
    }
    let (owner, _) = owned(name, lexicon)?;
    let free = owner.chars().count() >= 2 && lexicon.senses(&owner).is_empty() && !name.contains(&lexicon.marks.of);
    let letters = owner.chars().all(|c| is_han(c) || c.is_ascii_alphanumeric());
    // 352 of 352净化器 is no number that people set something to; 12 may be.
    let number = owner.chars().all(|c| c.is_ascii_digit()) && owner.len() != 3;
    (free && letters && !number).then_some(owner)
}

/// `爸爸的灯` of 爸爸床头灯: whose it is, and the word for all of its kind.
pub(super) fn of_somebody(name: &str, lexicon: &Lexicon) -> Option<String> {
    let (owner, word) = owned(name, lexicon)?;
    let general = lexicon.kinds_called(word).find_map(|kind| lexicon.kinds[kind].words.first())?;
    let person = owner.chars().count() >= 2 && owner.chars().all(is_han);
    (person && general != word).then(|| format!("{owner}{}{general}", lexicon.marks.of))
}

/// `雯雯的`, `雯雯屋`, `雯雯那屋`: the room that is called after somebody (雯雯房), where the name is no word.
pub(super) fn rooms_of_owners(room: &str, lexicon: &Lexicon) -> Vec<String> {
    let ends = lexicon.any_room.iter().filter(|w| room.len() > w.len() && room.ends_with(w.as_str()));
    let Some(end) = ends.max_by_key(|w| w.len()) else { return Vec::new() };
    let of = lexicon.marks.of.as_str();
    let owner = &room[..room.len() - end.len()];
    let owner = owner.strip_suffix(of).unwrap_or(owner);
    if owner.chars().count() < 2 || !owner.chars().all(is_han) || !lexicon.senses(owner).is_empty() {
        return Vec::new();
    }
    let pointers = lexicon.pointers.iter().filter(|p| p.chars().count() == 1);
    let pointed = pointers.flat_map(|p| lexicon.any_room.iter().map(move |w| format!("{owner}{p}{w}")));
    let called = lexicon.marks.rooms_of.iter().map(|w| format!("{owner}{w}"));
    std::iter::once(format!("{owner}{of}")).chain(called).chain(pointed).collect()
}

/// What stands before the longest word for a kind at the end of a name, without 的, and that word.
fn owned<'a>(name: &'a str, lexicon: &Lexicon) -> Option<(String, &'a str)> {
    let mut ends = name.char_indices().skip(1).map(|(at, _)| at);
    let at = ends.find(|at| lexicon.kinds_called(&name[*at..]).next().is_some())?;
    let owner = name[..at].strip_suffix(lexicon.marks.of.as_str()).unwrap_or(&name[..at]);
    (!owner.is_empty() && owner.chars().count() <= 6).then(|| (owner.to_owned(), &name[at..]))
}

/// A number at the end or at the beginning of a name, in the ways that people count.
fn numbered(name: &str, lexicon: &Lexicon) -> Vec<String> {
    let trimmed = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = trimmed.trim_end_matches(lexicon.marks.number.as_str());
    let digits = &name[trimmed.len()..];
    let number = match digits.parse::<usize>() {
        Ok(number) if (1..=20).contains(&number) && !stem.is_empty() && stem.chars().any(is_han) => number,
        _ => return numbered_first(name, lexicon),
    };
    counted(stem, number, lexicon)
}

/// `1号灯`, `二号灯`.
fn numbered_first(name: &str, lexicon: &Lexicon) -> Vec<String> {
    let Some((number, stem)) = name.split_once(&lexicon.marks.number) else { return Vec::new() };
    let read = |text: &str| {
        let chars: Vec<char> = text.chars().collect();
        super::super::number::read(&chars).filter(|(_, used)| *used == chars.len()).map(|(n, _)| n.value)
    };
    match read(number) {
        Some(n) if (1.0..=20.0).contains(&n) && n.fract() == 0.0 && !stem.is_empty() => {
            counted(stem, n as usize, lexicon)
        }
        _ => Vec::new(),
    }
}

fn counted(stem: &str, number: usize, lexicon: &Lexicon) -> Vec<String> {
    let Some(han) = super::super::number::han(number) else { return Vec::new() };
    let Marks { ordinal, number: one_of, .. } = &lexicon.marks;
    let mut found = Vec::new();
    // 所有床灯 of 一号床灯, 二号床灯
    if stem.chars().count() > 1 && !kinds_of_name(stem, lexicon).is_empty() {
        found.push(stem.to_owned());
    }
    for n in [number.to_string(), han] {
        found.push(format!("{stem}{n}"));
        found.push(format!("{stem}{n}{one_of}"));
        found.push(format!("{n}{one_of}{stem}"));
        found.push(format!("{ordinal}{n}{stem}"));
        for measure in lexicon.measures.iter().take(10) {
            found.push(format!("{ordinal}{n}{measure}{stem}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str, variant: &str) -> bool {
        variants(name, &Lexicon::built_in().unwrap(), &|_| false).iter().any(|v| v == variant)
    }

    #[test]
    fn numbers_sides_and_owners_are_said_in_many_ways() {
        for (name, variant) in [
            ("筒灯1", "一号筒灯"),
            ("筒灯1", "筒灯一"),
            ("筒灯1", "第一个筒灯"),
            ("筒灯12", "十二号筒灯"),
            ("2号灯", "灯二"),
            ("左帘子", "左边那扇帘子"),
            ("右床头灯", "右边的床头灯"),
            ("阿强的风扇", "阿强那个风扇"),
            ("外婆床头灯", "外婆的床头灯"),
        ] {
            assert!(said(name, variant), "{name}: {variant}");
        }
    }

    #[test]
    fn nobody_says_the_mark_between_a_letter_and_a_number() {
        assert!(said("a-1", "a1") && said("主灯b-12", "主灯b12") && said("c 3", "c3"));
        assert!(!said("1-2", "12") && !said("a-b", "ab"));
    }

    #[test]
    fn who_is_called_by_the_end_of_a_name_is_called_so_alone() {
        assert!(said("管家小白", "小白"));
        assert!(!said("客厅小灯", "小灯"));
        assert!(!said("主卧大床", "大床"));
    }

    #[test]
    fn a_room_that_is_called_after_somebody_is_theirs() {
        let lexicon = Lexicon::built_in().unwrap();
        let said = rooms_of_owners("阿强房", &lexicon);
        assert!(said.iter().any(|w| w == "阿强的") && said.iter().any(|w| w == "阿强那屋"));
        assert!(said.iter().any(|w| w == "阿强屋") && said.iter().any(|w| w == "阿强的房间"));
        assert!(rooms_of_owners("客房", &lexicon).is_empty());
        assert!(rooms_of_owners("客厅", &lexicon).is_empty());
    }

    #[test]
    fn a_brand_is_a_name_where_it_is_no_word() {
        let lexicon = Lexicon::built_in().unwrap();
        assert_eq!(brand("格力空调", &lexicon).as_deref(), Some("格力"));
        assert_eq!(brand("352净化器", &lexicon).as_deref(), Some("352"));
        assert_eq!(brand("12灯", &lexicon), None);
        assert_eq!(brand("客厅空调", &lexicon), None);
        assert_eq!(brand("阿强的风扇", &lexicon), None);
    }
}
