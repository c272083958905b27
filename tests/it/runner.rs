//! How tests start the `zhiju` binary.

use std::process::{Command, Output};

/// A command that runs `zhiju`, under the emulator that `ZHIJU_TEST_RUNNER` names if it does; `ZHIJU_TEST_BINARY` names
/// another build of it.
///
/// No variable of the caller that would change the configuration is passed on.
pub fn zhiju() -> Command {
    let runner = std::env::var("ZHIJU_TEST_RUNNER").unwrap_or_default();
    let binary = std::env::var("ZHIJU_TEST_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_zhiju").to_owned());
    let mut words = runner.split_whitespace().chain([binary.as_str()]);
    let mut command = Command::new(words.next().unwrap());
    command.args(words);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ZHIJU_") {
            command.env_remove(name);
        }
    }
    command
}

/// Standard output as text.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Standard error as text.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}
