//! Findings as a table for people and as JSON for scripts.

use std::io;

use super::{Finding, Verdict};
use crate::cli::style::{Style, pad};

/// One line a finding, and below it what to do.
pub(super) fn table(findings: &[Finding]) -> String {
    let style = Style::of(&io::stdout());
    let width = findings.iter().map(|finding| finding.what.len()).max().unwrap_or_default();
    let mut text = String::new();
    for Finding { what, verdict, found, advice } in findings {
        let mark = match verdict {
            Verdict::Good => style.green("ok    "),
            Verdict::Remark => style.cyan("remark"),
            Verdict::Bad => style.red("BAD   "),
        };
        text += &format!("{mark}  {}  {found}\n", pad(what, width));
        if !advice.is_empty() {
            text += &format!("        {}  {}\n", pad("", width), style.bold(&format!("→ {advice}")));
        }
    }
    text
}

/// One array on one line.
pub(super) fn json(findings: &[Finding]) -> String {
    // Plain texts have no way to fail.
    let mut text = serde_json::to_string(findings).unwrap_or_default();
    text.push('\n');
    text
}
