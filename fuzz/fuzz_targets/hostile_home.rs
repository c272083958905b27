//! Homes that call things like words of the language, like digits, like each other: the first lines name rooms, devices,
//! aliases and values, the last one is said. Whatever they are, the grammar ends.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use zhiju::home::parse;
use zhiju::language::grammar;
use zhiju::language::lexicon::Lexicon;
use zhiju::language::vocabulary::Vocabulary;

static LEXICON: LazyLock<Arc<Lexicon>> =
    LazyLock::new(|| Arc::new(Lexicon::built_in().expect("the built-in lexicon is whole")));

/// Names of a home are few here: what is looked for is an unlucky one, not many.
const NAMES: usize = 24;

fn home(names: &[&str]) -> Value {
    let name = |at: usize| names.get(at % names.len().max(1)).copied().unwrap_or("灯");
    let devices: Vec<Value> = (0..names.len())
        .map(|at| {
            let device = json!({"model": "m", "state": {"power": false, "mode": 0}});
            json!({"id": format!("d{at}"), "name": name(at), "local": name(at / 3), "aliases": [name(at + 1)], "device": device})
        })
        .collect();
    let values = json!([{"value": 0, "describe": name(2)}, {"value": 1, "describe": name(3)}]);
    let property = json!({
        "power": {"type": "bool", "range": [true, false], "describe": name(1)},
        "mode": {"type": "enum", "range": values, "describe": name(4)},
    });
    json!({
        "did": "home",
        "layout": [name(0), name(4)],
        "model": {"m": {"name": name(5), "describe": name(6), "property": property}},
        "devices": devices,
        "groups": [{"id": "g", "name": name(7), "members": ["d0", "d1"]}],
        "scenes": [{"id": "s", "name": name(8), "actions": [{"id": "d0", "state": {"power": true}}]}],
    })
}

fuzz_target!(|text: &str| {
    let mut names: Vec<&str> = text.lines().take(NAMES).collect();
    let Some(sentence) = names.pop() else { return };
    let Ok((home, _)) = parse(&home(&names)) else { return };
    let vocabulary = Vocabulary::new(Arc::clone(&LEXICON), Arc::new(home));
    let _ = grammar::parse(sentence, &vocabulary, &grammar::SpeakerContext::default());
});
