//! Ids of the lexicon that code relies on, however it asks for them: a lexicon without one of them is refused at the start, and
//! not at the sentence that needs it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use zhiju::language::lexicon::{Lexicon, RELIED};

use super::{Source, sources};

/// The parts of the crate that read the lexicon.
const READS: [&str; 11] = [
    "context",
    "dialogue",
    "gist",
    "interpret",
    "language",
    "outcome",
    "ranker",
    "reader",
    "resolve",
    "retrieval",
    "service",
];

/// What makes the lexicon of its data, and what names the ids.
const MAKES: [&str; 2] = ["language/compile", "language/lexicon.rs"];

/// Texts that are no ids where they stand, although there is an id like them: what a person's phone reports, a key of the
/// table of what was said, and one of the replies.
const OTHERS: [&str; 3] = ["away", "dry", "switch"];

/// One text of the source, and the sections of the lexicon that its statement speaks of.
type Asked = (String, BTreeSet<&'static str>);

/// The ids of each section that the lexicon that ships has, and those that are checked.
type Known = BTreeMap<&'static str, (BTreeSet<String>, &'static [&'static str])>;

/// The section that a name in code speaks of: `lexicon.verb(…)`, `lexicon.verbs[…].id`, `|choice| …`.
fn section(name: &str) -> Option<&'static str> {
    Some(match name {
        "kind" | "kinds" => "kind",
        "property" | "properties" => "property",
        "choice" | "choices" => "choice",
        "verb" | "verbs" => "verb",
        _ => return None,
    })
}

/// All texts of some code, statement by statement, but those that only say which reply is meant. The arms of a `match` speak
/// of what it looks at, and what stands in braces within a statement of what that speaks of.
fn asked(tokens: TokenStream, above: &BTreeSet<&'static str>, found: &mut Vec<Asked>) {
    let (mut texts, mut sections, mut blocks) = (Vec::new(), above.clone(), Vec::new());
    let mut statement = Vec::new();
    let mut end = |statement: &mut Vec<TokenTree>, found: &mut Vec<Asked>| {
        read(std::mem::take(statement), &mut texts, &mut sections, &mut blocks);
        found.extend(std::mem::take(&mut texts).into_iter().map(|text| (text, sections.clone())));
        for (block, within) in std::mem::take(&mut blocks) {
            asked(block, if within { &sections } else { above }, found);
        }
        sections.clone_from(above);
    };
    for token in tokens {
        let ends = matches!(&token, TokenTree::Punct(mark) if mark.as_char() == ';')
            || matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        statement.push(token);
        if ends {
            end(&mut statement, found);
        }
    }
    end(&mut statement, found);
}

/// What a statement holds: texts, sections, and blocks with whether they speak of the same.
fn read(
    tokens: Vec<TokenTree>,
    texts: &mut Vec<String>,
    sections: &mut BTreeSet<&'static str>,
    blocks: &mut Vec<(TokenStream, bool)>,
) {
    let is = |at: usize, name: &str| matches!(&tokens[at], TokenTree::Ident(ident) if ident == name);
    let looks = (0..tokens.len()).any(|at| is(at, "match"));
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name) => sections.extend(section(&name.to_string())),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                texts.extend(text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).map(str::to_owned));
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => blocks.push((group.stream(), looks)),
            // `say("key", …)`, `word("key")`.
            TokenTree::Group(_) if at > 0 && (is(at - 1, "say") || is(at - 1, "word")) => {}
            TokenTree::Group(group) => {
                let mut inner = Vec::new();
                read(group.stream().into_iter().collect(), texts, sections, &mut inner);
                blocks.extend(inner.into_iter().map(|(block, _)| (block, true)));
            }
            TokenTree::Punct(_) => {}
        }
    }
}

fn asked_of(source: &Source) -> Vec<Asked> {
    let mut found = Vec::new();
    asked(source.tree.clone(), &BTreeSet::new(), &mut found);
    found
}

fn known() -> Known {
    let lexicon = Lexicon::built_in().unwrap();
    [
        ("kind", lexicon.kinds.iter().map(|entry| entry.id.clone()).collect(), RELIED.kinds),
        ("property", lexicon.properties.iter().map(|entry| entry.id.clone()).collect(), RELIED.properties),
        ("choice", lexicon.choices.iter().map(|entry| entry.id.clone()).collect(), RELIED.choices),
        ("verb", lexicon.verbs.iter().map(|entry| entry.id.clone()).collect(), RELIED.verbs),
    ]
    .map(|(section, ids, relied)| (section, (ids, relied)))
    .into()
}

/// What is wrong with what one text of the source asks for, if anything is.
fn unchecked(known: &Known, (text, sections): &Asked) -> Option<String> {
    let having: Vec<_> = known.iter().filter(|(_, (ids, _))| ids.contains(text)).collect();
    let relies = |relied: &[&str]| relied.contains(&text.as_str());
    let named = having.iter().find(|(section, (_, relied))| sections.contains(*section) && !relies(relied));
    let nowhere = !having.is_empty() && !having.iter().any(|(_, (_, relied))| relies(relied));
    let at = named.or(having.first().filter(|_| nowhere))?;
    (!OTHERS.contains(&text.as_str())).then(|| format!("{} {text} is not checked", at.0))
}

#[test]
fn what_code_asks_for_by_its_id_is_checked_when_the_lexicon_is_loaded() {
    let makes = |source: &Source| MAKES.iter().any(|path| source.path.starts_with(path));
    let known = known();
    let sources = sources().into_iter().filter(|source| READS.contains(&source.module()) && !makes(source));
    let (mut written, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    for source in sources {
        for asked in asked_of(&source) {
            wrong.extend(unchecked(&known, &asked).map(|wrong| format!("{}: {wrong}", source.path)));
            written.insert(asked.0);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (section, (_, relied)) in known {
        for id in relied {
            assert!(written.contains(*id), "nothing asks for the {section} {id} any more");
        }
    }
}

#[test]
fn an_id_is_found_however_code_asks_for_it() {
    for code in [
        r#"let rinses = lexicon.verb("rinse");"#,
        r#"let rinses = lexicon.verbs[verb].id == "rinse";"#,
        r#"let works = |verb: usize| ["clean", "rinse"].contains(&lexicon.verbs[verb].id.as_str());"#,
        r#"let of = ["on", "rinse"].map(|id| lexicon.verb(id)); fn f() {}"#,
        r#"match self.lexicon.verbs[verb].id.as_str() { "rinse" => self.named(), _ => {} }"#,
        r#"lexicon.verb(if on { "on" } else { "rinse" }).map(f)"#,
        r#"let a = [("power", "on"), ("locked", "rinse")].map(|(p, verb)| (lexicon.property(p), lexicon.verb(verb)));"#,
    ] {
        let mut found = Vec::new();
        asked(code.parse().unwrap(), &BTreeSet::new(), &mut found);
        let of = found.into_iter().find(|(text, _)| text == "rinse");
        assert!(of.is_some_and(|(_, sections)| sections.contains("verb")), "{code}");
    }
    let wrong = |text: &str, sections: &[&'static str]| {
        unchecked(&known(), &(text.to_owned(), sections.iter().copied().collect()))
    };
    // Of two sections that have an id, the one that is asked.
    assert_eq!(wrong("stop", &["verb", "choice"]), None);
    assert!(wrong("feed", &["property"]).is_none() && wrong("no_id", &["verb"]).is_none());
    assert_eq!(wrong("humidity", &[]).as_deref(), Some("property humidity is not checked"));
}
