//! `zhiju hard`: the sentences that language models were asked about, to improve the grammar.

use clap::Args;

use super::home::{Place, open_store};
use super::{CliError, print};

/// Arguments of `hard`.
#[derive(Debug, Args)]
pub(super) struct HardArgs {
    /// Forget them once they are printed
    #[arg(long)]
    clear: bool,
    #[command(flatten)]
    place: Place,
}

/// Prints one JSON object a line: when, the sentence, the commands, and what each model answered.
pub(super) fn run(args: HardArgs) -> Result<(), CliError> {
    let store = open_store(args.place)?;
    let failed = |error: crate::store::StoreError| CliError::Failed(error.to_string());
    let rows = store.hard().map_err(failed)?;
    print(&rows.iter().map(|row| format!("{}\n", String::from_utf8_lossy(row))).collect::<String>())?;
    if args.clear { store.clear_hard().and_then(|()| store.commit()).map_err(failed) } else { Ok(()) }
}
