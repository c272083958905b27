//! The binary: parses the command line, runs the command, maps its error to an exit code.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use zhiju::cli::{Cli, run};

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to be told when stderr is closed.
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::from(error.exit_code())
        }
    }
}
