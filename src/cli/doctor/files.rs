//! Permissions, the store and the model.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Instant;

use super::Finding;
use crate::config::Config;
use crate::embedding::{Model, ModelError};
use crate::store::{Found, StoreError, inspect};

const PERMISSIONS: &str = "permissions";

/// Secrets that others can read, and files that others can change.
pub(super) fn permissions(config: &Config, file: Option<&Path>) -> Vec<Finding> {
    let mode = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.permissions().mode());
    let mut findings: Vec<Finding> =
        config.warnings.iter().map(|warning| Finding::remark(PERMISSIONS, warning.clone(), "see there")).collect();
    if mode(&config.store_dir) & 0o077 != 0 {
        let dir = config.store_dir.display();
        let found = format!("others than its owner can enter {dir}, which holds what was said at home");
        findings.push(Finding::remark(PERMISSIONS, found, format!("chmod 700 {dir}")));
    }
    if let Some(file) = file.filter(|file| mode(file) & 0o022 != 0) {
        let found = format!("others than its owner can change {}", file.display());
        findings.push(Finding::bad(PERMISSIONS, found, format!("chmod go-w {}", file.display())));
    }
    if findings.is_empty() {
        findings.push(Finding::good(PERMISSIONS, "secrets and store are for their owner alone"));
    }
    findings
}

/// Whether the store can be opened, or is open already.
pub(super) fn store(dir: &Path) -> Finding {
    const WHAT: &str = "store";
    let shown = dir.display();
    match inspect(dir) {
        Ok(Found::Nothing) => Finding::good(WHAT, format!("{shown} will be created at the first start")),
        Ok(Found::InUse) => Finding::good(WHAT, format!("{shown} is in use by a running daemon")),
        Ok(Found::Foreign) => Finding::remark(
            WHAT,
            format!("{shown} is another user's and was not opened"),
            "run doctor as the daemon's user to look inside: sudo -u zhiju zhiju doctor",
        ),
        Ok(Found::Whole { revision: 0 }) => Finding::good(WHAT, format!("{shown} is whole, without a home yet")),
        Ok(Found::Whole { revision }) => Finding::good(WHAT, format!("{shown} is whole, home of revision {revision}")),
        Err(error) => {
            let advice = match &error {
                StoreError::NewerSchema { .. } => "install the newer version again, or export and import the home",
                StoreError::Damaged { .. } => "the next start sets it aside and restores the home from its copy",
                _ => "the daemon's user must be able to read and write the folder",
            };
            Finding::bad(WHAT, error.to_string(), advice)
        }
    }
}

/// Whether the model is the one its manifest describes, and gives vectors.
pub(super) fn model(dir: Option<&Path>) -> Finding {
    const WHAT: &str = "model";
    let Some(dir) = dir else {
        return Finding::remark(WHAT, "none: understanding by words alone", "install one or set model.dir");
    };
    let started = Instant::now();
    match Model::load(dir) {
        Ok(model) => {
            let checksum: String = model.checksum()[..4].iter().map(|byte| format!("{byte:02x}")).collect();
            let ms = started.elapsed().as_millis();
            Finding::good(WHAT, format!("{} (checksum {checksum}…) loads in {ms} ms", dir.display()))
        }
        Err(error) => {
            let advice = match &error {
                ModelError::Checksum { .. } => "copy the model again: a file was changed or cut off",
                _ => "see models/README.md for what a model folder holds",
            };
            Finding::bad(WHAT, error.to_string(), advice)
        }
    }
}
