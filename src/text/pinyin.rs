//! Pinyin: what a speech recogniser heard, whatever characters it chose.

use ::pinyin::{ToPinyin, ToPinyinMulti};

/// Readings of one word that are kept at most; heteronyms multiply.
const MAX_READINGS: usize = 8;

/// The toneless readings of a text, syllables joined by `'`; characters without a reading stand for themselves.
/// At least one, at most eight.
pub fn readings(text: &str) -> Vec<String> {
    let syllables: Vec<Vec<String>> = text.chars().map(syllables).collect();
    combined(String::new(), syllables.iter(), |prefix: &String, syllable| {
        let separator = if prefix.is_empty() { "" } else { "'" };
        format!("{prefix}{separator}{syllable}")
    })
}

/// What becomes of `first` with one of the syllables of each character after the other, in whatever form; at most eight.
pub fn combined<'s, T>(
    first: T,
    characters: impl Iterator<Item = &'s Vec<String>>,
    next: impl Fn(&T, &str) -> T,
) -> Vec<T> {
    let mut all = vec![first];
    for syllables in characters {
        let longer = syllables.iter().flat_map(|syllable| all.iter().map(|prefix| next(prefix, syllable)));
        all = longer.take(MAX_READINGS).collect();
    }
    all
}

/// Particles are read in one way only: `的灯` does not sound like `地灯`.
const PARTICLES: [(char, &str); 6] =
    [('的', "de"), ('地', "di"), ('得', "de"), ('了', "le"), ('着', "zhe"), ('过', "guo")];

/// Characters that are really said in more than one way; the other readings of the rest are found in dictionaries only.
const HETERONYMS: &str =
    "调行乐长重都还降觉差数中应切露薄转处种教更间正背供分发色模给那哪这儿没强和系朝卷空落参便当几少结角载";

/// The toneless readings of one character, the usual one first; itself when it has none.
pub fn syllables(c: char) -> Vec<String> {
    if let Some((_, reading)) = PARTICLES.iter().find(|(particle, _)| *particle == c) {
        return vec![(*reading).to_owned()];
    }
    let mut syllables: Vec<String> = c.to_pinyin().map(|reading| reading.plain().to_owned()).into_iter().collect();
    for reading in c.to_pinyin_multi().into_iter().flatten().filter(|_| HETERONYMS.contains(c)) {
        let plain = reading.plain().to_owned();
        if !syllables.contains(&plain) {
            syllables.push(plain);
        }
    }
    if syllables.is_empty() {
        syllables.push(c.to_string());
    }
    syllables
}

/// A reading with the sounds folded together that dialects and recognisers confuse: zh/z, ch/c, sh/s, l/n, r/l, h/f,
/// and -ng/-n.
pub fn blur(reading: &str) -> String {
    reading.split('\'').map(blur_syllable).collect::<Vec<_>>().join("'")
}

fn blur_syllable(syllable: &str) -> String {
    // h and f before u: 灰 and 飞, 湖 and 福.
    let folded = match syllable.strip_prefix("hu") {
        Some("") => "fu".to_owned(),
        Some("i") => "fei".to_owned(),
        Some("n") => "fen".to_owned(),
        Some(rest) => format!("f{rest}"),
        None => syllable.to_owned(),
    };
    let (initial, rest) = match folded.as_str() {
        s if s.starts_with("zh") => ("z", &s[2..]),
        s if s.starts_with("ch") => ("c", &s[2..]),
        s if s.starts_with("sh") => ("s", &s[2..]),
        s if s.starts_with('n') && s.len() > 1 => ("l", &s[1..]),
        s if s.starts_with('r') => ("l", &s[1..]),
        s => ("", s),
    };
    let rest = if rest.len() > 2 && rest.ends_with("ng") { &rest[..rest.len() - 1] } else { rest };
    format!("{initial}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homophones_share_a_reading() {
        assert_eq!(readings("老火计")[0].split('\'').count(), 3);
        assert!(readings("老火计").iter().any(|r| readings("老伙计").contains(r)));
        assert!(readings("空条").iter().any(|r| readings("空调").contains(r)));
    }

    #[test]
    fn near_sounds_blur_together() {
        assert_eq!(blur("shi'zi"), blur("si'zhi"));
        assert_eq!(blur("deng"), blur("den"));
        assert_ne!(blur("deng"), blur("men"));
    }

    #[test]
    fn readings_are_bounded_whatever_the_text() {
        assert!(readings(&"行长乐".repeat(40)).len() <= MAX_READINGS);
        assert_eq!(readings(""), vec![String::new()]);
    }
}
