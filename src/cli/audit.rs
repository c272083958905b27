//! `zhiju audit`: what was asked and moved of risky devices.

use std::fmt::Write;

use clap::Args;
use serde_json::Value;

use super::home::StoreArgs;
use super::{CliError, print, stopped_store};
use crate::clock::Clock;
use crate::store::{StoreError, read_trail};

/// Arguments of `audit`.
#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    /// Only entries of the last while: 30m, 12h, 7d
    #[arg(long, value_name = "AGE", value_parser = age)]
    since: Option<u64>,
    /// One line of JSON an entry
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: StoreArgs,
}

/// Prints the trail, oldest entry first.
pub(super) fn run(args: AuditArgs) -> Result<(), CliError> {
    let config = args.place.config()?;
    let dir = &config.store_dir;
    let failed = |error: StoreError| CliError::Failed(error.to_string());
    let entries = match stopped_store(dir)? {
        Some(store) => store.audit().map_err(failed)?.into_iter().map(|(_, entry)| entry).collect(),
        // The daemon's copy of the trail says the same.
        None => read_trail(dir).map_err(failed)?,
    };
    let from = args.since.map_or(0, |age| Clock::of_machine().wall_ms().saturating_sub(age));
    let entries = entries.iter().filter_map(|entry| serde_json::from_slice::<Value>(entry).ok());
    let mut text = String::new();
    for entry in entries.filter(|entry| entry["ts"].as_u64().unwrap_or_default() >= from) {
        if args.json {
            let _ = writeln!(text, "{entry}");
        } else {
            text.push_str(&line(&entry));
        }
    }
    print(&text)
}

/// `2026-11-22 02:31:07 UTC moved lock-01 “打开大门” (satellite kitchen, page 1234): 正在打开大门锁。`
fn line(entry: &Value) -> String {
    let word = |key: &str| crate::text::displayable(entry[key].as_str().unwrap_or_default(), 200);
    let devices: Vec<&str> = entry["devices"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let from = match (entry["satellite"].as_str(), entry["client"].as_str()) {
        (Some(_), _) => format!("satellite {}, ", word("satellite")),
        (None, Some(_)) => format!("{} {}, ", word("door"), word("client")),
        (None, None) => entry["door"].as_str().map_or_else(String::new, |_| format!("{}, ", word("door"))),
    };
    format!(
        "{} {} {} “{}” ({from}page {}): {}\n",
        utc(entry["ts"].as_u64().unwrap_or_default()),
        word("step"),
        crate::text::displayable(&devices.join(" "), 200),
        word("question"),
        word("page_id"),
        word("reply"),
    )
}

/// Milliseconds since the Unix epoch as a date and a time of day, UTC.
fn utc(ms: u64) -> String {
    let (days, seconds) = (ms / 86_400_000, ms / 1_000 % 86_400);
    // Days since 0000-03-01, so that the leap day ends a year: 400 years have 146,097 days.
    let day = days + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (month, day) = (if shifted < 10 { shifted + 3 } else { shifted - 9 }, of_year - (153 * shifted + 2) / 5 + 1);
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// Reads `30m`, `12h`, `7d` as milliseconds.
fn age(text: &str) -> Result<u64, String> {
    let unit = match text.chars().last() {
        Some('s') => 1_000,
        Some('m') => 60_000,
        Some('h') => 3_600_000,
        Some('d') => 86_400_000,
        _ => return Err("a number and s, m, h or d".into()),
    };
    let number: u64 = text[..text.len() - 1].parse().map_err(|_| "a number and s, m, h or d".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "too long ago".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_date_and_a_time_of_day() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(951_782_400_000), "2000-02-29 00:00:00 UTC");
        assert_eq!(utc(1_795_312_867_000), "2026-11-22 02:01:07 UTC");
    }

    #[test]
    fn an_age_is_a_number_with_a_unit() {
        assert_eq!(age("30m"), Ok(1_800_000));
        assert_eq!(age("7d"), Ok(604_800_000));
        for wrong in ["", "12", "d", "-1h", "1.5h", "99999999999999999d"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }
}
