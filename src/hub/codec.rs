//! Values between a hub's devices and the home: what is on, per cent instead of 254ths, kelvin instead of mired, colours by name.

use serde_json::{Value, json};

use super::colour::{Colours, Space};

/// How a value is written on either side.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Codec {
    /// True or false, whatever the device writes for them.
    Flag { on: Value, off: Value },
    /// True or false of a device that is off in one of its modes.
    Mode { off: Value, on: Vec<Value> },
    /// A part of a range, in per cent.
    Percent { min: f64, max: f64 },
    /// A place between two ends, in per cent of the way; either end may be the larger number.
    Position { closed: f64, open: f64 },
    /// A colour temperature, in kelvin.
    Kelvin { min: f64, max: f64 },
    /// A number as it is.
    Number { integer: bool },
    /// One of these.
    Choice(Vec<Value>),
    /// A text.
    Text,
    /// A colour by its name; `hue` tells whether the device takes hue and saturation.
    Colour { hue: bool },
    /// A colour as a text, its parts with commas between.
    List(Space),
    /// A colour by the first letters of its parts.
    Parts(Space),
}

impl Codec {
    /// A value as it stands in a payload that is a text.
    pub(super) fn of_text(&self, text: &str) -> Option<Value> {
        match self {
            Self::Percent { .. } | Self::Position { .. } | Self::Kelvin { .. } | Self::Number { .. } => {
                text.trim().parse::<f64>().ok().filter(|n| n.is_finite()).map(Value::from)
            }
            Self::Colour { .. } | Self::Parts { .. } => serde_json::from_str(text).ok(),
            _ => Some(text.into()),
        }
    }

    /// What the home is told of a value of the device; `None` of what it never said it would send.
    pub(super) fn read(&self, value: &Value, colours: &Colours) -> Option<Value> {
        match self {
            Self::Flag { on, .. } if same(value, on) => Some(true.into()),
            Self::Flag { off, .. } if same(value, off) => Some(false.into()),
            Self::Flag { .. } => None,
            Self::Mode { off, on } => (value == off || on.contains(value)).then(|| (value != off).into()),
            Self::Percent { min, max } => {
                let share = (value.as_f64()? - min) / (max - min) * 100.0;
                Some(json!(share.round().clamp(0.0, 100.0) as i64))
            }
            Self::Position { closed, open } => {
                let share = (value.as_f64()? - closed) / (open - closed) * 100.0;
                Some(json!(share.round().clamp(0.0, 100.0) as i64))
            }
            Self::Kelvin { min, max } => {
                let mired = value.as_f64().filter(|m| (*min..=*max).contains(m))?;
                Some(json!((1e6 / mired).round() as i64))
            }
            Self::Number { integer: true } => Some(json!(value.as_f64().filter(|n| n.abs() < 9e15)?.round() as i64)),
            Self::Number { integer: false } => value.as_f64().map(Value::from),
            Self::Choice(values) => values.contains(value).then(|| value.clone()),
            Self::Text => value.is_string().then(|| value.clone()),
            Self::Colour { .. } | Self::Parts { .. } => colours.read(value).map(Value::from),
            Self::List(space) => {
                let parts = value.as_str()?.split(',').map(|part| part.trim().parse::<f64>().ok());
                let parts: Vec<f64> = parts.take(4).collect::<Option<_>>()?;
                let names = space.parts();
                let named: Value =
                    names.iter().zip(&parts).map(|(name, part)| ((*name).to_owned(), json!(part))).collect();
                (names.len() == parts.len()).then(|| colours.read(&named).map(Value::from))?
            }
        }
    }

    /// What the device is told. `last` is the mode that it was in last.
    pub(super) fn write(&self, value: &Value, last: Option<&Value>, colours: &Colours) -> Option<Value> {
        match self {
            Self::Flag { on, off } => Some(if value.as_bool()? { on.clone() } else { off.clone() }),
            Self::Mode { off, on } => match value.as_bool()? {
                true => last.filter(|mode| on.contains(mode)).or(on.first()).cloned(),
                false => Some(off.clone()),
            },
            Self::Percent { min, max } => {
                let share = value.as_f64().filter(|s| (0.0..=100.0).contains(s))?;
                let scaled = (min + share / 100.0 * (max - min)).round();
                // A lamp that is dimmed is not off.
                Some(whole(if share > 0.0 { scaled.max(1.0_f64.min(*max)) } else { scaled }))
            }
            Self::Position { closed, open } => {
                let share = value.as_f64().filter(|s| (0.0..=100.0).contains(s))?;
                Some(whole((closed + share / 100.0 * (open - closed)).round()))
            }
            Self::Kelvin { min, max } => {
                let kelvin = value.as_f64().filter(|k| *k > 0.0)?;
                Some(whole((1e6 / kelvin).round().clamp(*min, *max)))
            }
            Self::Number { .. } => value.as_f64().map(whole),
            Self::Choice(values) => values.contains(value).then(|| value.clone()),
            Self::Text => value.is_string().then(|| value.clone()),
            Self::Colour { hue } => colours.write(value.as_str()?, *hue),
            Self::List(space) => {
                let parts = colours.parts(value.as_str()?, *space)?;
                Some(parts.iter().map(f64::to_string).collect::<Vec<_>>().join(",").into())
            }
            Self::Parts(space) => {
                let number = |part| if *space == Space::Rgb { whole(part) } else { json!(part) };
                let parts = colours.parts(value.as_str()?, *space)?.into_iter().map(number);
                Some(space.parts().iter().map(|name| (*name).to_owned()).zip(parts).collect())
            }
        }
    }
}

/// A number without a fraction where it has none: converters take 21, not 21.0, for a whole number.
fn whole(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 { json!(number as i64) } else { json!(number) }
}

/// Whether two values are the same, texts without regard to case.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.eq_ignore_ascii_case(b),
        _ => a == b,
    }
}
