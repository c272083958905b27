//! Colours by name, for hubs whose lamps take hue and saturation or coordinates.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::zh::{Data, DataError, Problem};

/// Below this a colour is white, in per cent of saturation.
const PALE: f64 = 15.0;

/// The colours that people name.
#[derive(Debug, Deserialize)]
pub(super) struct Colours(Vec<Colour>);

/// How a lamp counts colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// Hue and saturation.
    Hue,
    /// Red, green and blue.
    Rgb,
    /// Coordinates (CIE 1931).
    Place,
}

impl Space {
    /// The first letters of its parts.
    pub(super) fn parts(self) -> &'static [&'static str] {
        match self {
            Self::Hue => &["h", "s"],
            Self::Rgb => &["r", "g", "b"],
            Self::Place => &["x", "y"],
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Colour {
    id: String,
    word: String,
    hue: f64,
    saturation: f64,
}

impl Colours {
    /// Those of a file. A colour that stands there twice would be one that cannot be told from the other.
    pub(super) fn of(data: &Data) -> Result<Self, DataError> {
        let colours: Self = data.read()?;
        let twice = (1..colours.0.len()).find(|at| colours.0[..*at].iter().any(|other| other.id == colours.0[*at].id));
        match twice {
            Some(at) => Err(data.fault(&format!("[{at}].id"), Problem::Twice(colours.0[at].id.clone()))),
            None => Ok(colours),
        }
    }

    /// The values of a property that is a colour, as a home document lists them.
    pub(super) fn range(&self) -> Value {
        self.0.iter().map(|c| json!({"value": c.id, "describe": c.word})).collect()
    }

    /// Hue in degrees and saturation in per cent of a colour.
    pub(super) fn hue(&self, id: &str) -> Option<(f64, f64)> {
        self.0.iter().find(|c| c.id == id).map(|c| (c.hue, c.saturation))
    }

    /// Red, green and blue of a colour, each up to 255.
    pub(super) fn rgb(&self, id: &str) -> Option<[u8; 3]> {
        let (hue, saturation) = self.hue(id)?;
        let (sector, share) = (hue / 60.0, saturation / 100.0);
        let part = |n: f64| {
            let k = (n + sector) % 6.0;
            let value = 1.0 - share * k.min(4.0 - k).clamp(0.0, 1.0);
            (value * 255.0).round() as u8
        };
        Some([part(5.0), part(3.0), part(1.0)])
    }

    /// The parts of a colour, in their order.
    pub(super) fn parts(&self, id: &str, space: Space) -> Option<Vec<f64>> {
        Some(match space {
            Space::Hue => self.hue(id).map(|(hue, saturation)| vec![hue, saturation])?,
            Space::Rgb => self.rgb(id)?.map(f64::from).into(),
            Space::Place => place_of(self.rgb(id)?.map(|part| f64::from(part) / 255.0)).into(),
        })
    }

    /// The name of a hue and saturation.
    pub(super) fn nearest(&self, hue: f64, saturation: f64) -> Option<&str> {
        if saturation < PALE {
            return self.0.iter().find(|c| c.saturation == 0.0).map(|c| c.id.as_str());
        }
        let away = |c: &&Colour| {
            let turn = (c.hue - hue).rem_euclid(360.0);
            turn.min(360.0 - turn) + (c.saturation - saturation).abs() / 4.0
        };
        let coloured = self.0.iter().filter(|c| c.saturation > 0.0);
        coloured.min_by(|a, b| away(a).total_cmp(&away(b))).map(|c| c.id.as_str())
    }

    /// The name of a colour as Zigbee2MQTT and Home Assistant's lamps tell it: hue and saturation, coordinates, or parts.
    pub(super) fn read(&self, value: &Value) -> Option<&str> {
        let number = |keys: &[&str]| keys.iter().find_map(|key| value.get(key)?.as_f64());
        let hue = number(&["hue", "h"]).zip(number(&["saturation", "s"]));
        let parts = || Some([number(&["r"])?, number(&["g"])?, number(&["b"])?]);
        let place = || number(&["x"]).zip(number(&["y"]));
        let (hue, saturation) = match hue {
            Some(hue) => hue,
            None => of_rgb(parts().or_else(|| place().and_then(of_place))?),
        };
        self.nearest(hue, saturation)
    }

    /// A colour as a Zigbee lamp takes it.
    pub(super) fn write(&self, id: &str, by_hue: bool) -> Option<Value> {
        if by_hue {
            let (hue, saturation) = self.hue(id)?;
            return Some(json!({"hue": hue as i64, "saturation": saturation as i64}));
        }
        let [r, g, b] = self.rgb(id)?;
        Some(json!({"r": r, "g": g, "b": b}))
    }
}

/// Hue and saturation of red, green and blue on any common scale.
pub(super) fn of_rgb([r, g, b]: [f64; 3]) -> (f64, f64) {
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let span = most - least;
    if most <= 0.0 || span <= 0.0 {
        return (0.0, 0.0);
    }
    let sector = match most {
        most if most == r => ((g - b) / span).rem_euclid(6.0),
        most if most == g => (b - r) / span + 2.0,
        _ => (r - g) / span + 4.0,
    };
    (sector * 60.0, span / most * 100.0)
}

/// Red, green and blue of coordinates (CIE 1931), each up to 1.
fn of_place((x, y): (f64, f64)) -> Option<[f64; 3]> {
    if !(0.0..=1.0).contains(&x) || !(0.0001..=1.0).contains(&y) {
        return None;
    }
    let (big_x, big_z) = (x / y, (1.0 - x - y) / y);
    let linear = [
        big_x * 3.2406 - 1.5372 - big_z * 0.4986,
        -big_x * 0.9689 + 1.8758 + big_z * 0.0415,
        big_x * 0.0557 - 0.2040 + big_z * 1.0570,
    ];
    let most = linear.into_iter().fold(f64::MIN, f64::max);
    let gamma = |c: f64| {
        let c = (c / most).max(0.0);
        if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
    };
    (most > 0.0).then(|| linear.map(gamma))
}

/// Coordinates (CIE 1931) of red, green and blue, each up to 1, to four digits.
fn place_of(rgb: [f64; 3]) -> [f64; 2] {
    let [r, g, b] = rgb.map(|c| if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) });
    let big_x = r * 0.4124 + g * 0.3576 + b * 0.1805;
    let big_y = r * 0.2126 + g * 0.7152 + b * 0.0722;
    let sum = big_x + big_y + r * 0.0193 + g * 0.1192 + b * 0.9505;
    [big_x, big_y].map(|part| (part / sum * 1e4).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_the_same_colour() {
        let colours = super::super::HubWords::default().colours;
        for colour in &colours.0 {
            for by_hue in [true, false] {
                let written = colours.write(&colour.id, by_hue).unwrap();
                assert_eq!(colours.read(&written), Some(colour.id.as_str()), "{written}");
            }
        }
        for colour in &colours.0 {
            let [x, y] = colours.parts(&colour.id, Space::Place).unwrap()[..] else { panic!("{}", colour.id) };
            assert_eq!(colours.read(&json!({"x": x, "y": y})), Some(colour.id.as_str()), "{x} {y}");
        }
        assert_eq!(colours.rgb("yellow"), Some([255, 234, 0]));
    }

    #[test]
    fn coordinates_have_names() {
        let colours = super::super::HubWords::default().colours;
        let at = |x: f64, y: f64| colours.read(&json!({"x": x, "y": y})).unwrap().to_owned();
        assert_eq!(
            [at(0.70, 0.298), at(0.17, 0.70), at(0.136, 0.04), at(0.3127, 0.329)],
            ["red", "green", "blue", "white"]
        );
        for strange in [json!({"x": 7, "y": 0}), json!({"x": 0, "y": 0}), json!({"x": "a"}), json!(3), json!({"r": 1})]
        {
            assert_eq!(colours.read(&strange), None, "{strange}");
        }
    }
}
