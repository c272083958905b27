use super::super::lexicon::{OwnProperty, OwnWords, Sense};
use super::*;

/// What comes of a text that is laid over the lexicon.
fn own(text: &str) -> Result<Lexicon, DataError> {
    Lexicon::of(&Sources::text(&zh::LEXICON, text)?)
}

/// Why a text cannot be laid over the lexicon.
fn refused(text: &str) -> String {
    own(text).unwrap_err().to_string()
}

#[test]
fn the_lexicon_that_ships_is_valid() {
    let lexicon = Lexicon::built_in().unwrap();
    assert!(lexicon.senses("打开").iter().any(|s| matches!(s, Sense::Verb(_))));
    assert!(lexicon.senses("tv").iter().any(|s| matches!(s, Sense::Kind(_))));
    assert!(lexicon.sounding("kon'tiao").contains(&"空调".to_owned()));
}

#[test]
fn an_entry_that_points_nowhere_is_named_with_its_path() {
    let error = refused("kinds: {light: {number: brilliance}}");
    assert_eq!(error, "own lexicon.yaml: kinds.light.number: there is no property `brilliance`");
}

#[test]
fn another_version_is_refused() {
    assert!(refused("version: 2").starts_with("own lexicon.yaml: version: version 2 is not known"));
}

#[test]
fn what_leads_back_to_itself_is_named() {
    let error = refused("properties: {brightness: {like: volume}, volume: {like: brightness}}");
    assert!(error.contains("properties.") && error.contains("leads back to itself"), "{error}");
}

#[test]
fn an_id_that_code_relies_on_must_be_there() {
    let error = refused("kinds: !replace {light: {type: Light, words: [灯]}}");
    assert!(error.starts_with("own lexicon.yaml: kinds"), "{error}");
    let error = refused("sides: !replace {left: [左]}");
    assert_eq!(error, "own lexicon.yaml: sides: there must be a group `right`");
}

#[test]
fn no_id_that_code_relies_on_can_be_left_out() {
    use super::super::lexicon::RELIED;
    let shipped: serde_yaml::Mapping = zh::LEXICON.shipped().unwrap();
    let sections = [
        ("kinds", "kind", RELIED.kinds),
        ("properties", "property", RELIED.properties),
        ("choices", "choice", RELIED.choices),
        ("verbs", "verb", RELIED.verbs),
    ];
    for (section, what, relied) in sections {
        for id in relied {
            let mut entries = shipped[section].as_mapping().unwrap().clone();
            entries.remove(*id);
            let tag = serde_yaml::value::Tag::new("replace");
            let tagged = serde_yaml::value::TaggedValue { tag, value: entries.into() };
            let text = serde_yaml::to_string(&std::collections::BTreeMap::from([(section, tagged)])).unwrap();
            assert_eq!(refused(&text), format!("own lexicon.yaml: {section}: there must be a {what} `{id}`"));
        }
    }
}

#[test]
fn words_of_an_owner_join_those_that_ship() {
    let lexicon = own("kinds: {light: {words: [亮亮球]}}").unwrap();
    let light = lexicon.kind("light").unwrap();
    for word in ["亮亮球", "灯"] {
        assert!(lexicon.senses(word).contains(&Sense::Kind(light)), "{word}");
    }
}

#[test]
fn an_entry_that_is_tagged_replaces_the_one_that_ships() {
    let lexicon = own("kinds: {light: {words: !replace [亮亮球]}}").unwrap();
    let light = lexicon.kind("light").unwrap();
    assert_eq!(lexicon.kinds[light].words, ["亮亮球"]);
    assert!(!lexicon.senses("灯").contains(&Sense::Kind(light)));
}

#[test]
fn what_is_risky_has_no_purpose() {
    let sources = Sources::text(&zh::PURPOSES, "lock: [锁门]").unwrap();
    let error = Lexicon::of(&sources).unwrap_err().to_string();
    assert!(error.starts_with("own purposes.yaml: lock: "), "{error}");
    let sources = Sources::text(&zh::PURPOSES, "teleporter: [瞬移]").unwrap();
    let error = Lexicon::of(&sources).unwrap_err().to_string();
    assert_eq!(error, "own purposes.yaml: teleporter: there is no kind `teleporter`");
}

#[test]
fn every_word_is_as_long_as_is_looked_for_at_most() {
    let words = vec!["儿童安全保护锁".to_owned()];
    let own = OwnProperty { words, flag: true, kind: None, short: Some("安全锁".to_owned()) };
    let own = OwnWords { properties: vec![own], also: Vec::new() };
    for lexicon in [Lexicon::built_in().unwrap(), Lexicon::built_in().unwrap().with_words(own)] {
        for word in lexicon.senses.keys() {
            let first = word.chars().next().unwrap();
            assert!(word.chars().count() <= lexicon.longest_from(first), "{word}");
        }
    }
}
