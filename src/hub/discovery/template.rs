//! Templates of publishers: text from outside that is run. Only what is listed here can be called, nothing of it grows
//! without bound, and what takes too many steps ends as an error.

use std::fmt;
use std::io;

use minijinja::value::{Kwargs, Serde, Value as Item, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, UndefinedBehavior, context, filters};
use serde_json::Value;

/// Longest template, in bytes.
const MAX_SOURCE: usize = 4 * 1024;
/// Most steps of one run.
const FUEL: u64 = 5_000;
/// Longest text that a template makes or is given, in bytes.
pub(super) const MAX_TEXT: usize = 64 * 1024;
/// Most variables that a template sets, and most texts that it joins in doing so: each can double what is there.
const MAX_SETS: usize = 8;
const MAX_JOINS: usize = 2;

/// What runs templates. It has no loader, no clock and no state.
pub(super) struct Templates(Environment<'static>);

impl fmt::Debug for Templates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Templates")
    }
}

/// Why a template made nothing: in words where it cannot be run, and not only this payload is none of its own.
#[derive(Debug, PartialEq)]
pub(super) struct Failed(pub(super) Option<String>);

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        use ErrorKind::{OutOfFuel, UnknownFilter, UnknownFunction, UnknownMethod, UnknownTest, WriteFailure};
        let lasting = [OutOfFuel, UnknownFilter, UnknownFunction, UnknownMethod, UnknownTest, WriteFailure];
        Self(lasting.contains(&error.kind()).then(|| match error.detail() {
            Some(detail) => format!("{}: {detail}", error.kind()),
            None => error.kind().to_string(),
        }))
    }
}

impl Templates {
    pub(super) fn new() -> Self {
        let mut env = Environment::empty();
        env.set_fuel(Some(FUEL));
        env.set_recursion_limit(64);
        env.set_undefined_behavior(UndefinedBehavior::Chainable);
        env.set_unknown_method_callback(method);
        env.add_filter("lower", filters::lower);
        env.add_filter("upper", filters::upper);
        env.add_filter("trim", filters::trim);
        env.add_filter("abs", filters::abs);
        env.add_filter("round", round);
        env.add_filter("default", filters::default);
        env.add_filter("d", filters::default);
        env.add_filter("length", filters::length);
        env.add_filter("count", filters::length);
        env.add_filter("first", filters::first);
        env.add_filter("last", filters::last);
        env.add_filter("min", filters::min);
        env.add_filter("max", filters::max);
        env.add_filter("bool", flag);
        env.add_filter("int", int);
        env.add_filter("float", float);
        env.add_filter("string", |value: Item| value.to_string());
        env.add_filter("replace", replace);
        env.add_filter("iif", iif);
        env.add_filter("multiply", |a: f64, b: f64| a * b);
        env.add_filter("add", |a: f64, b: f64| a + b);
        env.add_filter("is_defined", |value: Item| value);
        env.add_filter("from_json", from_json);
        env.add_filter("tojson", to_json);
        env.add_filter("to_json", to_json);
        env.add_function("int", int);
        env.add_function("float", float);
        env.add_function("iif", iif);
        env.add_function("min", |a: f64, b: f64| a.min(b));
        env.add_function("max", |a: f64, b: f64| a.max(b));
        env.add_test("defined", |value: &Item| !value.is_undefined());
        env.add_test("undefined", |value: &Item| value.is_undefined());
        env.add_test("none", |value: &Item| value.is_none());
        env.add_test("number", |value: &Item| value.is_number());
        env.add_test("string", |value: &Item| value.as_str().is_some());
        env.add_test("mapping", |value: &Item| value.kind() == ValueKind::Map);
        Self(env)
    }

    /// Why a template is not run; `None` when it can be.
    pub(super) fn refusal(&self, source: &str) -> Option<String> {
        excess(source).or_else(|| self.0.template_from_str(source).err().map(|error| error.kind().to_string()))
    }

    /// What a template makes of a payload.
    pub(super) fn of_payload(&self, source: &str, payload: &str, json: &Value) -> Result<String, Failed> {
        let value_json = if json.is_null() { Item::UNDEFINED } else { Item::from(Serde(json)) };
        self.run(source, context! { value => payload, value_json => value_json })
    }

    /// What a template makes of a value that is to be sent.
    pub(super) fn of_value(&self, source: &str, value: &Value) -> Result<String, Failed> {
        self.run(source, context! { value => Item::from(Serde(value)) })
    }

    /// What a template makes of several named values.
    pub(super) fn of_values(&self, source: &str, values: &Value) -> Result<String, Failed> {
        self.run(source, Item::from(Serde(values)))
    }

    fn run(&self, source: &str, context: Item) -> Result<String, Failed> {
        if let Some(reason) = excess(source) {
            return Err(Failed(Some(reason)));
        }
        let mut out = Bounded(Vec::new());
        self.0.template_from_str(source)?.render_captured_to(context, &mut out)?;
        String::from_utf8(out.0).map(|text| text.trim().to_owned()).map_err(|_| Failed(None))
    }
}

/// What of a template is more than is run, before anybody reads it.
fn excess(source: &str) -> Option<String> {
    if source.len() > MAX_SOURCE {
        return Some(format!("{} bytes are more than {MAX_SOURCE}", source.len()));
    }
    let sets = || {
        let blocks = source.split("{%").skip(1);
        blocks.filter(|block| block.trim_start_matches('-').trim_start().starts_with("set"))
    };
    let joins = |set: &str| set.split("%}").next().unwrap_or(set).matches(['~', '+']).count();
    let too_much = sets().count() > MAX_SETS || sets().map(joins).sum::<usize>() > MAX_JOINS;
    too_much.then(|| "it sets too much".to_owned())
}

/// Takes as much as a state may be.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_TEXT {
            return Err(io::Error::other("a template makes too much"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn bad(what: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, what.to_owned())
}

fn number(value: &Item) -> Option<f64> {
    match value.as_str() {
        Some(text) => text.trim().parse().ok(),
        None => f64::try_from(value.clone()).ok().or_else(|| bool::try_from(value.clone()).ok().map(f64::from)),
    }
    .filter(|n: &f64| n.is_finite())
}

fn fallback(default: Option<Item>, options: &Kwargs) -> Result<Item, Error> {
    let named: Option<Item> = options.get("default")?;
    default.or(named).ok_or_else(|| bad("it is no number"))
}

fn int(value: Item, default: Option<Item>, options: Kwargs) -> Result<Item, Error> {
    match number(&value).filter(|n| n.abs() < 9e15) {
        Some(n) => Ok((n as i64).into()),
        None => fallback(default, &options),
    }
}

fn float(value: Item, default: Option<Item>, options: Kwargs) -> Result<Item, Error> {
    number(&value).map_or_else(|| fallback(default, &options), |n| Ok(n.into()))
}

fn round(value: Item, digits: Option<i32>, method: Option<String>) -> Result<Item, Error> {
    let (n, digits) = (number(&value).ok_or_else(|| bad("it is no number"))?, digits.unwrap_or(0).clamp(0, 9));
    let scale = 10f64.powi(digits);
    let n = match method.as_deref() {
        Some("floor") => (n * scale).floor(),
        Some("ceil") => (n * scale).ceil(),
        _ => (n * scale).round(),
    } / scale;
    Ok(if digits == 0 && n.abs() < 9e15 { (n as i64).into() } else { n.into() })
}

fn flag(value: Item) -> Result<bool, Error> {
    match value.to_string().to_lowercase().as_str() {
        "true" | "on" | "yes" | "1" | "enable" => Ok(true),
        "false" | "off" | "no" | "0" | "disable" => Ok(false),
        _ => Err(bad("it is neither true nor false")),
    }
}

fn iif(value: Item, then: Option<Item>, otherwise: Option<Item>) -> Item {
    if value.is_true() { then.unwrap_or(true.into()) } else { otherwise.unwrap_or(false.into()) }
}

fn replace(text: String, from: String, to: String) -> Result<String, Error> {
    let grown = text.len().saturating_add(text.matches(from.as_str()).count().saturating_mul(to.len()));
    if grown > MAX_TEXT { Err(bad("a text grows too long")) } else { Ok(text.replace(&from, &to)) }
}

fn from_json(text: &str) -> Result<Item, Error> {
    let value: Value = serde_json::from_str(text).map_err(|_| bad("it is no JSON"))?;
    Ok(Item::from(Serde(value)))
}

fn to_json(value: Item) -> Result<String, Error> {
    serde_json::to_string(&value).map_err(|_| bad("it cannot be written as JSON"))
}

fn parts<'a>(parts: impl Iterator<Item = &'a str>) -> Item {
    parts.take(1_000).map(Item::from).collect::<Vec<Item>>().into()
}

/// Methods as Python's texts and mappings have them.
fn method(_: &mut State, value: &Item, name: &str, args: &[Item]) -> Result<Item, Error> {
    let unknown = || Error::new(ErrorKind::UnknownMethod, name.to_owned());
    let texts: Vec<&str> = args.iter().filter_map(Item::as_str).collect();
    match (value.as_str(), name, texts.as_slice()) {
        (Some(text), "lower", _) => Ok(text.to_lowercase().into()),
        (Some(text), "upper", _) => Ok(text.to_uppercase().into()),
        (Some(text), "strip", _) => Ok(text.trim().into()),
        (Some(text), "split", [by]) if !by.is_empty() => Ok(parts(text.split(by))),
        (Some(text), "split", []) => Ok(parts(text.split_whitespace())),
        (Some(text), "replace", [from, to]) => {
            replace(text.to_owned(), (*from).to_owned(), (*to).to_owned()).map(Item::from)
        }
        (Some(text), "startswith", [start]) => Ok(text.starts_with(start).into()),
        (Some(text), "endswith", [end]) => Ok(text.ends_with(end).into()),
        (None, "get", _) => {
            let key = args.first().ok_or_else(unknown)?;
            let found = value.get_item(key).unwrap_or(Item::UNDEFINED);
            let default = || args.get(1).cloned().unwrap_or(Item::from(()));
            Ok(if found.is_undefined() { default() } else { found })
        }
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn templates_as_publishers_write_them_are_run() {
        let templates = Templates::new();
        let json = json!({"a": {"t": 21.46}, "state": "ON", "list": [1, 2]});
        let text = json.to_string();
        for (source, wanted) in [
            ("{{ value_json.a.t }}", "21.46"),
            ("{{ value_json.a.t | round(1) }}", "21.5"),
            ("{{ value_json['state'] }}", "ON"),
            ("{% if value_json.state == 'ON' %}open{% else %}closed{% endif %}", "open"),
            ("{{ 'on' if value_json.state is defined else 'off' }}", "on"),
            ("{{ value_json.missing | default('none') }}", "none"),
            ("{{ value_json.missing.deeper }}", ""),
            ("{{ (value_json.a.t | float * 10) | int }}", "214"),
            ("{{ value_json.list[1] }}", "2"),
            ("{% set m = {'ON': 'heat'} %}{{ m[value_json.state] }}", "heat"),
            ("{{ {'ON': 1}.get(value_json.state, 2) }}", "1"),
            ("{{ value_json.state | lower }}", "on"),
            ("{{ value_json.state.lower() }}", "on"),
            ("{{ iif(value_json.a.t > 20, 'warm', 'cold') }}", "warm"),
            ("{{ value_json.x | int(5) }}{{ value_json.x | float(default=1.5) }}", "51.5"),
        ] {
            assert_eq!(templates.of_payload(source, &text, &json).as_deref(), Ok(wanted), "{source}");
        }
        assert_eq!(templates.of_payload("{{ value.split(',')[1] }}", "1,2", &Value::Null).as_deref(), Ok("2"));
        assert_eq!(templates.of_value("{\"v\": {{ value }}}", &json!(24)).as_deref(), Ok("{\"v\": 24}"));
    }

    #[test]
    fn what_never_ends_or_grows_without_bound_ends_as_nothing() {
        let templates = Templates::new();
        let long = "x".repeat(MAX_TEXT);
        let doubling = "{% set a = value ~ value %}".repeat(6) + "{{ a }}";
        for source in [
            "{% for a in [1,2,3,4,5,6,7,8,9] %}{% for b in value %}{% for c in value %}x{% endfor %}{% endfor %}{% endfor %}",
            "{{ value * 1000000000 }}",
            "{{ value ~ value ~ value }}",
            "{{ value | indent(99999999999) }}",
            "{{ value | replace('x', value) }}",
            "{{ range(1000000000) }}",
            "{{ value | center(99999999999) }}",
            "{% include 'x' %}",
            "{{ loop }}{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
            "{{ value_json | wat }}",
            "{{",
            doubling.as_str(),
        ] {
            assert!(templates.of_payload(source, &long, &Value::Null).is_err(), "{source:.60}");
        }
        assert!(templates.refusal(&"x".repeat(MAX_SOURCE + 1)).is_some());
    }

    #[test]
    fn a_template_that_asks_for_what_is_not_there_is_told_from_a_payload_that_does_not_fit() {
        let templates = Templates::new();
        let made = |source: &str| templates.of_payload(source, "x", &Value::Null);
        for (source, named) in [
            ("{{ value | wat }}", "wat"),
            ("{{ states('sun.sun') }}", "states"),
            ("{{ value.wat() }}", "wat"),
            ("{% for a in [1] * 9000 %}{{ a }}{% endfor %}", "fuel"),
        ] {
            let failed = made(source).unwrap_err();
            assert!(failed.0.as_ref().is_some_and(|reason| reason.contains(named)), "{source} {failed:?}");
        }
        assert_eq!(made("{{ value | float }}"), Err(Failed(None)));
    }
}
