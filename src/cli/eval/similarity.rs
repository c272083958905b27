//! `zhiju eval --actions`: how often the command that a colloquial phrase means comes first.

use std::path::{Path, PathBuf};

use crate::cli::{CliError, print};
use crate::embedding::Model;
use crate::embedding::actions::{Mode, Table, evaluate};

/// Prints the table of what words, vectors and both reach, and the closing lines for what ships: both, or words alone
/// without a model.
pub(super) fn run(file: &Path, model: Option<PathBuf>) -> Result<(), CliError> {
    let failed = |error: &dyn std::fmt::Display| CliError::Failed(error.to_string());
    let model = model.map(|dir| Model::load(&dir)).transpose().map_err(|error| failed(&error))?;
    let modes: &[(&str, Mode)] = match model {
        Some(_) => &[("words", Mode::Words), ("vectors", Mode::Vectors), ("ships", Mode::Full)],
        None => &[("ships", Mode::Words)],
    };
    let mut lines = vec![format!("{:<8} {:>8} {:>8} {:>8} {:>8}", "", "actions", "top3", "descr.", "top3")];
    let mut ships: Option<Table> = None;
    for (name, mode) in modes {
        let table = evaluate(file, model.as_ref(), *mode).map_err(|error| failed(&error))?;
        let [actions, descriptions] = [table.actions, table.descriptions];
        lines.push(format!(
            "{name:<8} {:>8.3} {:>8.3} {:>8.3} {:>8.3}",
            actions.top1, actions.top3, descriptions.top1, descriptions.top3
        ));
        ships = Some(table);
    }
    lines.extend(ships.map(|table| table.to_string()));
    print(&(lines.join("\n") + "\n"))
}
