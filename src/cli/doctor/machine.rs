//! Processor, memory, disk and clock.

use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Finding;

/// What the daemon takes at most with the shipped model, and some room, in MiB.
const MEMORY_WANTED: u64 = 128;
/// Less than this and the machine will not hold it, in MiB.
const MEMORY_NEEDED: u64 = 64;
/// The database stays far below; logs and upgrades want room too, in MiB.
const DISK_WANTED: u64 = 256;
/// The least that the database can work with, in MiB.
const DISK_NEEDED: u64 = 16;
/// The first of 2026 in seconds since the Unix epoch: a clock before this version was never set.
const SENSIBLE_CLOCK: u64 = 1_767_225_600;

/// Which kernels the model's arithmetic will use.
pub(super) fn processor() -> Finding {
    let (kernels, fast) = kernels();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let found = format!("{}, {cores} cores, {kernels}", std::env::consts::ARCH);
    if fast {
        Finding::good("processor", found)
    } else {
        Finding::remark("processor", found, "vectors take longer here; see late_vectors in the metrics")
    }
}

#[cfg(target_arch = "x86_64")]
fn kernels() -> (&'static str, bool) {
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        ("AVX2 and FMA kernels", true)
    } else {
        ("kernels without AVX2", false)
    }
}

#[cfg(target_arch = "aarch64")]
fn kernels() -> (&'static str, bool) {
    if std::arch::is_aarch64_feature_detected!("neon") {
        ("NEON kernels", true)
    } else {
        ("kernels without NEON", false)
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn kernels() -> (&'static str, bool) {
    ("portable kernels", false)
}

/// Memory that is free for the daemon.
pub(super) fn memory() -> Finding {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let Some(mib) = available_mib(&text) else {
        return Finding::remark("memory", "unknown: /proc/meminfo does not tell", "");
    };
    let found = format!("{mib} MiB available");
    match mib {
        MEMORY_WANTED.. => Finding::good("memory", found),
        MEMORY_NEEDED.. => Finding::remark("memory", found, format!("the daemon may take up to {MEMORY_WANTED} MiB")),
        _ => Finding::bad("memory", found, format!("free at least {MEMORY_WANTED} MiB")),
    }
}

fn available_mib(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? / 1024)
}

/// Room on the disk of the store.
pub(super) fn disk(store: &Path) -> Finding {
    let existing = store.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("/"));
    // POSIX `df`: the standard library cannot ask, and any system has it.
    let output = Command::new("df").arg("-Pk").arg(existing).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let Some(mib) = free_mib(&text) else {
        return Finding::remark("disk", format!("unknown: `df -Pk {}` does not tell", existing.display()), "");
    };
    let found = format!("{mib} MiB free for {}", store.display());
    match mib {
        DISK_WANTED.. => Finding::good("disk", found),
        DISK_NEEDED.. => Finding::remark("disk", found, format!("make room: {DISK_WANTED} MiB are comfortable")),
        _ => Finding::bad("disk", found, "make room: what is said and reported cannot be kept"),
    }
}

/// The fourth column of the last line: available kilobytes.
fn free_mib(df: &str) -> Option<u64> {
    Some(df.lines().last()?.split_whitespace().nth(3)?.parse::<u64>().ok()? / 1024)
}

/// Whether the clock can be believed: certificates expire by it, and the audit trail is dated by it.
pub(super) fn clock() -> Finding {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    if now < SENSIBLE_CLOCK {
        let advice = "set the clock (timedatectl, ntpd): certificates expire by it, the audit trail is dated by it, and no job is done before";
        return Finding::bad("clock", format!("{now} seconds since 1970: it was never set"), advice);
    }
    if Path::new("/run/systemd/timesync/synchronized").exists() {
        return Finding::good("clock", "synchronised");
    }
    Finding::good("clock", "plausible; whether it is synchronised is not known here")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_tells_is_read() {
        assert_eq!(available_mib("MemTotal:  1 kB\nMemAvailable:  204800 kB\n"), Some(200));
        assert_eq!(available_mib("MemTotal: 1 kB\n"), None);
        let df = "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda 100 10 4096 10% /\n";
        assert_eq!(free_mib(df), Some(4));
        assert_eq!(free_mib(""), None);
    }
}
