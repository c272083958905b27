//! Colours for terminals, and columns that hold for Chinese text.

use std::io::IsTerminal;

/// Whether and how to colour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    colours: bool,
}

impl Style {
    /// Colours for a terminal, unless `NO_COLOR` asks for none; nothing for pipes and files.
    pub(super) fn of(stream: &impl IsTerminal) -> Self {
        Self { colours: stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub(super) fn green(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub(super) fn red(self, text: &str) -> String {
        self.paint("31", text)
    }

    pub(super) fn cyan(self, text: &str) -> String {
        self.paint("36", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colours { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Columns a text takes in a terminal: Chinese characters and full-width signs take two.
fn columns(text: &str) -> usize {
    text.chars()
        .map(|c| if ('\u{1100}'..'\u{20000}').contains(&c) && !('\u{2000}'..'\u{2e80}').contains(&c) { 2 } else { 1 })
        .sum()
}

/// `text` with spaces up to `width` columns.
pub(super) fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_takes_two_columns() {
        assert_eq!(pad("灯a", 5), "灯a  ");
        assert_eq!(pad("打开，好", 4), "打开，好");
        assert_eq!(columns("“→”"), 3);
    }

    #[test]
    fn what_is_no_terminal_gets_no_colour() {
        let file = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(Style::of(&file).green("好"), "好");
    }
}
