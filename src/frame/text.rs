//! Text that leaves the daemon: nothing in it may steer a terminal, a log or the direction of writing.

/// `text` without control characters and without marks that reorder what is read.
///
/// Names of devices are untrusted and end up in replies; a line break becomes a space, because replies are spoken.
pub fn clean(text: &str) -> String {
    text.chars().filter_map(keep).collect()
}

fn keep(c: char) -> Option<char> {
    match c {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => Some(' '),
        c if c.is_control() || is_direction_mark(c) => None,
        c => Some(c),
    }
}

/// The marks, embeddings, overrides and isolates of Unicode's bidirectional algorithm (UAX #9).
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn control_characters_and_direction_marks_are_stripped() {
        assert_eq!(clean("正在\u{1b}[31m打开\u{202E}灯\u{2066}\u{200F}\0"), "正在[31m打开灯");
    }

    #[test]
    fn line_breaks_become_spaces() {
        assert_eq!(clean("第一行\r\n第二行\u{2028}三"), "第一行  第二行 三");
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        let text = "客厅 26℃，👨‍👩‍👧 家人的灯—亮度80%";
        assert_eq!(clean(text), text);
    }
}
