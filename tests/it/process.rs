//! A daemon in a process of its own, and what it says on stderr.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use crate::common::within;
use crate::runner::zhiju;

/// `zhiju run` with a configuration file.
pub struct Process {
    child: Child,
    lines: mpsc::Receiver<String>,
}

/// The model of the source tree.
const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/mini-zh");

/// As [`configure`], with the model of the source tree.
pub fn configure_with_model(folder: &Path, yaml: &str) -> PathBuf {
    let path = folder.join("zhiju.yaml");
    let store = folder.join("store");
    let text = format!("{yaml}store: {{dir: {}}}\nmodel: {{dir: {MODEL}}}\n", store.display());
    std::fs::write(&path, text).unwrap();
    path
}

/// Writes `zhiju.yaml` into the folder: `yaml` and a store beside it, without a model.
pub fn configure(folder: &Path, yaml: &str) -> PathBuf {
    let path = folder.join("zhiju.yaml");
    std::fs::create_dir_all(folder.join("model")).unwrap();
    let mut text = yaml.to_owned();
    for dir in ["store", "model"] {
        writeln!(text, "{dir}: {{dir: {}}}", folder.join(dir).display()).unwrap();
    }
    std::fs::write(&path, text).unwrap();
    path
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    /// Starts the daemon on a configuration file.
    pub fn start(config: &Path) -> Self {
        let mut command = zhiju();
        command.args(["run", "--config"]).arg(config);
        Self::of(command)
    }

    /// Starts this command.
    pub fn of(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = child.stderr.take().unwrap();
        let (lines_tx, lines) = mpsc::channel(10_000);
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if lines_tx.try_send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines }
    }

    /// The next line that holds `text`.
    pub async fn says(&mut self, text: &str) -> String {
        let search = async {
            while let Some(line) = self.lines.recv().await {
                if line.contains(text) {
                    return line;
                }
            }
            panic!("the daemon ended without saying {text}");
        };
        within(text, search).await
    }

    /// What it has said and nobody has read yet.
    pub fn said(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.lines.try_recv().ok()).collect()
    }

    /// Resident memory in kB.
    pub fn resident_kb(&self) -> u64 {
        self.status_kb("VmRSS:")
    }

    /// The most that was ever resident, in kB, without what the kernel may let go of and read again: program and model.
    pub fn peak_kb(&self) -> u64 {
        self.status_kb("VmHWM:").saturating_sub(self.status_kb("RssFile:"))
    }

    fn status_kb(&self, key: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Waits for the end, and returns how it ended and what was not heard yet.
    pub async fn end(mut self) -> (ExitStatus, Vec<String>) {
        let rest = async {
            let mut rest = Vec::new();
            while let Some(line) = self.lines.recv().await {
                rest.push(line);
            }
            rest
        };
        let rest = within("the end of the daemon", rest).await;
        // Its stderr is closed: it is gone or going.
        let status = spawn_blocking(move || self.child.wait().unwrap());
        (within("the daemon's exit", status).await.unwrap(), rest)
    }
}
