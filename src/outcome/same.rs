//! Whether a device says what it was told.

use serde_json::Value;

use crate::home::{Domain, Property};

/// Part of a range, or of a value, by which devices round.
const ROUNDING: f64 = 0.01;

/// What thermometers round by.
const DEGREES: f64 = 0.5;

/// Slack for what cannot be written in binary.
const SLACK: f64 = 1e-9;

/// Whether `got` is `wanted`, as near as the device can tell.
pub(super) fn same(property: Option<&Property>, wanted: &Value, got: &Value) -> bool {
    match (wanted.as_f64(), got.as_f64()) {
        (Some(wanted), Some(got)) => (wanted - got).abs() <= tolerance(property, wanted) + SLACK,
        _ => wanted == got,
    }
}

/// Half a step, a hundredth of the range or of the value, half a degree. A neighbouring gear is another gear.
fn tolerance(property: Option<&Property>, wanted: f64) -> f64 {
    let Some(Property { domain: Domain::Number { min, max, step, .. }, unit, .. }) = property else { return 0.0 };
    let range = min.zip(*max).map_or(0.0, |(min, max)| (max - min) * ROUNDING);
    let rounded = range.max(wanted.abs() * ROUNDING).max(step / 2.0);
    if unit.as_deref().is_some_and(is_temperature) { DEGREES } else { rounded }
}

fn is_temperature(unit: &str) -> bool {
    matches!(unit.trim().trim_start_matches('\u{b0}'), "C" | "c" | "F" | "f" | "\u{2103}" | "\u{2109}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn number(min: f64, max: f64, step: f64, unit: &str) -> Property {
        let domain = Domain::Number { min: Some(min), max: Some(max), step, integer: false };
        let unit = Some(unit.to_owned()).filter(|unit| !unit.is_empty());
        Property { id: "p".into(), describe: String::new(), domain, unit, writable: true }
    }

    #[test]
    fn devices_round() {
        let is = |property: &Property, wanted: f64, got: f64| same(Some(property), &json!(wanted), &json!(got));
        let level = number(0.0, 100.0, 1.0, "%");
        assert!(is(&level, 50.0, 49.8) && is(&level, 50.0, 51.0) && !is(&level, 50.0, 52.0));
        let warmth = number(2700.0, 6500.0, 1.0, "K");
        assert!(is(&warmth, 6500.0, 6536.0) && !is(&warmth, 4000.0, 4100.0));
        let degrees = number(16.0, 30.0, 1.0, "C");
        assert!(is(&degrees, 25.0, 25.5) && is(&degrees, 25.0, 24.6) && !is(&degrees, 25.0, 24.0));
        let fine = number(16.0, 30.0, 0.1, "\u{2103}");
        assert!(is(&fine, 25.3, 25.6) && !is(&fine, 25.3, 26.0));
    }

    #[test]
    fn another_gear_is_not_the_same() {
        let gear = number(1.0, 3.0, 1.0, "");
        assert!(same(Some(&gear), &json!(2), &json!(2.0)));
        assert!(!same(Some(&gear), &json!(2), &json!(1)) && !same(Some(&gear), &json!(2), &json!(3)));
    }

    #[test]
    fn words_are_the_same_or_not() {
        assert!(same(None, &json!(true), &json!(true)) && !same(None, &json!(true), &json!("on")));
        assert!(same(None, &json!("cool"), &json!("cool")) && !same(None, &json!("cool"), &json!("heat")));
        assert!(!same(None, &json!(1), &json!("1")));
    }
}
