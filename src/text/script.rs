//! The script itself: marks, widths and which characters are written Chinese. No words.

/// Marks that end a clause or stand around a part of one.
pub const MARKS: &str = ",.!?;:、。，！？；：…~\"'“”‘’()（）【】《》|/";

/// Marks between the parts of a description.
pub const BREAKS: [char; 7] = ['，', '。', ENUMERATION, '；', ',', '.', ';'];

/// The mark between things in a row.
pub const ENUMERATION: char = '、';

/// The mark of a pause.
pub const PAUSE: char = '，';

/// Marks at which a sentence is told on, as they are compared.
pub const PAUSES: &str = ",!?;:。";

/// Marks between a name and what is said of it.
pub const SEPARATES: &str = "()（）,，、/;；：:·。";

/// The marks of a question, of either width.
pub const ASKS: [char; 2] = ['?', '？'];

/// What separates names in a row.
pub const COMMAS: [char; 2] = [',', PAUSE];

/// What stands for a comma where it separates nothing: of a comma, the full-width form separates as well.
pub const NO_COMMA: char = '﹐';

/// Whether a character is written Chinese.
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

/// The full-width form of a mark or a letter of ASCII, which [`super::normalize`] takes back.
pub fn full_width(c: char) -> Option<char> {
    char::from_u32(c as u32 + 0xfee0).filter(|_| c.is_ascii_graphic())
}

/// One character as texts are compared.
pub fn folded(c: char) -> char {
    let c = narrow(c);
    c.to_lowercase().next().unwrap_or(c)
}

/// Full-width ASCII to half-width, and the dashes and tildes that input methods produce to one form.
pub(super) fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        '—' | '–' | '−' => '-',
        _ => c,
    }
}

/// Control characters, and what Unicode has for steering how others are shown: never part of what was said.
///
/// These are the general categories Cc and Cf, the variation selectors and the fillers without a shape
/// (`Default_Ignorable_Code_Point`).
pub fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
            | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | INVISIBLE_FIRST..=INVISIBLE_LAST
        )
}

/// The first of the tags and further variation selectors, a stretch in which nothing is visible.
pub const INVISIBLE_FIRST: char = '\u{e0000}';

/// The last of them.
pub const INVISIBLE_LAST: char = '\u{e0fff}';
