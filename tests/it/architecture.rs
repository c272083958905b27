//! The shape of the crate, read off its own source: modules know only those below them, and Chinese stands in data.

mod circles;
mod relied;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The modules of the crate from the ground up: each may use those before it, none those after it.
const ORDER: [&str; 35] = [
    "zh",
    "text",
    "clock",
    "sorted",
    "store",
    "home",
    "frame",
    "audit",
    "ledger",
    "listen",
    "dial",
    "observe",
    "hub",
    "transport",
    "dispatch",
    "outcome",
    "outbox",
    "embedding",
    "language",
    "reader",
    "retrieval",
    "resolve",
    "ranker",
    "context",
    "dialogue",
    "job",
    "gist",
    "llm",
    "interpret",
    "service",
    "door",
    "config",
    "daemon",
    "cli",
    "main",
];

/// Arrows that still point up. Each of them is a debt: the list gets shorter, never longer.
const DEBTS: [(&str, &str); 0] = [];

/// What is about the script itself, not about words: numerals, readings, marks and full-width signs.
const SCRIPT: [&str; 3] = ["language/number.rs", "text/pinyin.rs", "text/script.rs"];

/// One source file without its tests: its path below `src` and what it is made of.
struct Source {
    path: String,
    tokens: Vec<TokenTree>,
    /// The same, groups closed.
    tree: TokenStream,
}

impl Source {
    /// The module of the crate that it belongs to.
    fn module(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }
}

/// Every source file below a folder of the crate.
fn files(root: &Path) -> Vec<PathBuf> {
    files_of(root, &["rs"])
}

/// Every file below a folder that ends in one of these ways.
fn files_of(root: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| endings.iter().any(|ending| extension == *ending)) {
                files.push(path);
            }
        }
    }
    files
}

/// Every file of the crate that is not a test.
fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let is_test = |path: &PathBuf| {
        path.file_stem().is_some_and(|name| name == "tests") || path.iter().any(|level| level == "tests")
    };
    let below = |path: &PathBuf| path.strip_prefix(&root).unwrap().to_owned();
    let files = files(&root).into_iter().filter(|path| !is_test(&below(path)));
    let sources: Vec<Source> = files.map(|path| source(&root, path)).collect();
    assert!(sources.len() > 100, "the source is somewhere else");
    sources
}

fn source(root: &Path, path: PathBuf) -> Source {
    let text = std::fs::read_to_string(&path).unwrap();
    let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let path = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
    let tree = code(tokens);
    Source { path, tokens: opened(tree.clone()), tree }
}

/// All tokens in their order, groups opened.
fn opened(tokens: TokenStream) -> Vec<TokenTree> {
    let mut all = Vec::new();
    for token in tokens {
        let inner = match &token {
            TokenTree::Group(group) => Some(group.stream()),
            _ => None,
        };
        all.push(token);
        all.extend(inner.into_iter().flat_map(opened));
    }
    all
}

/// Code without attributes (documentation is one) and without what is compiled for tests alone.
fn code(tokens: TokenStream) -> TokenStream {
    let mut code = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    let mut tests = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                if matches!(tokens.peek(), Some(TokenTree::Punct(inner)) if inner.as_char() == '!') {
                    tokens.next();
                }
                if let Some(TokenTree::Group(attribute)) = tokens.next() {
                    tests |= attribute.stream().to_string().replace(' ', "") == "cfg(test)";
                }
            }
            // An item ends with its body or with a semicolon.
            token if tests => {
                tests = match &token {
                    TokenTree::Group(group) => group.delimiter() != Delimiter::Brace,
                    TokenTree::Punct(mark) => mark.as_char() != ';',
                    _ => true,
                };
            }
            TokenTree::Group(group) => {
                code.push(TokenTree::Group(Group::new(group.delimiter(), self::code(group.stream()))));
            }
            token => code.push(token),
        }
    }
    code.into_iter().collect()
}

/// The modules of the crate that these tokens name: what stands behind `crate::`.
fn named(tokens: &[TokenTree]) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for window in tokens.windows(4) {
        let [TokenTree::Ident(first), TokenTree::Punct(a), TokenTree::Punct(b), next] = window else { continue };
        if first != "crate" || a.as_char() != ':' || b.as_char() != ':' {
            continue;
        }
        match next {
            TokenTree::Ident(module) => drop(named.insert(module.to_string())),
            TokenTree::Group(list) => {
                let list: Vec<TokenTree> = list.stream().into_iter().collect();
                let entries = list.split(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ','));
                named.extend(entries.filter_map(|entry| entry.first()).map(ToString::to_string));
            }
            _ => {}
        }
    }
    named
}

fn is_chinese(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ffef}')
}

/// Whether a literal of the source holds Chinese, written or as an escape (`\u{3002}`).
fn holds_chinese(literal: &str) -> bool {
    let escaped =
        literal.split("\\u{").skip(1).filter_map(|rest| u32::from_str_radix(rest.split_once('}')?.0, 16).ok());
    literal.chars().chain(escaped.filter_map(char::from_u32)).any(is_chinese)
}

#[test]
fn no_module_uses_one_that_stands_above_it() {
    let place = |module: &str| ORDER.iter().position(|known| *known == module);
    let mut up: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for source in sources().iter().filter(|source| source.path != "lib.rs") {
        let module = source.module();
        let own = place(module).unwrap_or_else(|| panic!("{module} has no place in the order of modules"));
        for other in named(&source.tokens) {
            // What is no module stands at the root of the crate: a macro, or nothing that this test knows.
            if place(&other).is_some_and(|other| other > own) {
                up.entry((module.to_owned(), other)).or_default().push(source.path.clone());
            }
        }
    }
    let debts: BTreeSet<(String, String)> = DEBTS.map(|(from, to)| (from.to_owned(), to.to_owned())).into();
    let new: Vec<_> = up.iter().filter(|(arrow, _)| !debts.contains(arrow)).collect();
    assert!(new.is_empty(), "the first of each pair stands below the second and must not use it: {new:#?}");
    let paid: Vec<_> = debts.iter().filter(|debt| !up.contains_key(debt)).collect();
    assert!(paid.is_empty(), "these are no debts any more: take them off the list: {paid:?}");
}

#[test]
fn chinese_stands_in_the_language_data_and_not_in_code() {
    for source in sources().into_iter().filter(|source| !SCRIPT.contains(&source.path.as_str())) {
        let literals = source.tokens.iter().filter(|token| matches!(token, TokenTree::Literal(_)));
        let literals = literals.map(ToString::to_string).filter(|text| holds_chinese(text));
        let literals: Vec<String> = literals.collect();
        assert!(literals.is_empty(), "{}: {}", source.path, literals.join(" "));
    }
}

/// Chinese data that is no part of the language: the texts of the console, which speaks two, and what evaluation and the demo say.
const SAID_ELSEWHERE: [&str; 3] = ["door/console", "cli/eval", "cli/demo"];

#[test]
fn chinese_data_stands_in_one_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in files_of(&root, &["yaml", "txt", "md", "json"]) {
        let below = path.strip_prefix(&root).unwrap();
        let elsewhere = below.starts_with("zh") || SAID_ELSEWHERE.iter().any(|folder| below.starts_with(folder));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(elsewhere || !text.chars().any(is_chinese), "{} belongs into src/zh", below.display());
    }
}

/// Names that the house no longer uses, because a standard term says the same.
const REPLACED: [(&str, &str); 7] = [
    ("Deed", "Action"),
    ("deed", "action"),
    ("is_deed", "is_action"),
    ("Silence", "Rejection"),
    ("Hearing", "SpeakerContext"),
    ("hearing", "speaker"),
    ("realize", "plan"),
];

#[test]
fn what_has_a_standard_term_is_called_by_it() {
    for source in sources() {
        for (old, new) in REPLACED {
            let stands = source.tokens.iter().any(|token| matches!(token, TokenTree::Ident(name) if name == old));
            let called = Path::new(&source.path).with_extension("").iter().any(|level| level == old);
            assert!(!stands && !called, "{}: {old} is called {new}", source.path);
        }
    }
}

/// The texts with which a method is called and nothing else: `lexicon.verb("on")`.
fn called_with(tokens: &[TokenTree], method: &str) -> BTreeSet<String> {
    let calls = tokens.windows(3).filter_map(|window| match window {
        [TokenTree::Punct(dot), TokenTree::Ident(name), TokenTree::Group(arguments)]
            if dot.as_char() == '.' && name == method =>
        {
            arguments.stream().into_iter().next()
        }
        _ => None,
    });
    let texts = calls.filter(|token| matches!(token, TokenTree::Literal(_))).map(|literal| literal.to_string());
    texts.filter_map(|text| Some(text.strip_prefix('"')?.strip_suffix('"')?.to_owned())).collect()
}

#[test]
fn everything_that_is_said_has_a_wording() {
    let replies: BTreeMap<String, String> = zhiju::zh::REPLIES.shipped().unwrap();
    let mut said = 0;
    let speaks = ["resolve", "service", "dialogue", "interpret", "job"];
    for source in sources().into_iter().filter(|source| speaks.contains(&source.module())) {
        for key in ["say", "word"].into_iter().flat_map(|method| called_with(&source.tokens, method)) {
            assert!(replies.contains_key(&key), "{}: nothing is said for {key}", source.path);
            said += 1;
        }
    }
    assert!(said > 50, "the calls are written in another way: {said}");
}

#[test]
fn what_is_read_off_the_source_is_what_stands_there() {
    let text = r#"
        //! 文档
        #![allow(clippy::all)]
        use crate::{home::Home, text};
        /// 注释
        fn f() { crate::store::open("灯"); call!["关", 'x', "a"]; }
        #[cfg(test)] mod tests;
        #[cfg(test)] mod inner { use crate::cli; const A: &str = "开"; }
        fn g() -> char { '一' }
        const MARKS: &str = ",!\u{3002}";
        const PLAIN: &str = "\u{e9}\u{200b}";
    "#;
    let tokens = opened(code(text.parse().unwrap()));
    assert_eq!(named(&tokens), ["home", "store", "text"].map(str::to_owned).into());
    let literals = tokens.iter().filter(|token| matches!(token, TokenTree::Literal(_))).map(ToString::to_string);
    let literals: Vec<String> = literals.filter(|text| holds_chinese(text)).collect();
    assert_eq!(literals, [r#""灯""#, r#""关""#, "'一'", r#"",!\u{3002}""#]);
}

/// Whether there is a test of this path: `module::name`, of the crate or of this binary.
fn is_test(path: &str) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some((module, name)) = path.rsplit_once("::") else { return false };
    // `mod tests` stands in a file of its own or at the end of its module.
    let modules = [module, module.strip_suffix("::tests").unwrap_or(module)].map(|module| module.replace("::", "/"));
    let files = modules.iter().flat_map(|module| [format!("{module}.rs"), format!("{module}/mod.rs")]);
    let files = files.flat_map(|file| ["src", "tests/it"].map(|folder| root.join(folder).join(&file)));
    let texts = files.filter_map(|file| std::fs::read_to_string(file).ok());
    let is_marked =
        |before: &str| before.lines().rev().take(6).any(|line| line.contains("test]") || line.contains("test("));
    let mut found = texts.filter_map(|text| Some(is_marked(text.split_once(&format!("fn {name}("))?.0)));
    found.any(|marked| marked)
}

/// A threat table is worth as much as the tests that it names: each row names some, by their whole path or as a file or a
/// target of the Makefile, and all of them are there.
#[test]
fn every_row_of_the_threat_table_names_tests_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [document, targets] = ["SECURITY.md", "Makefile"].map(|file| std::fs::read_to_string(root.join(file)).unwrap());
    let rows: Vec<&str> = document.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() > 40, "the table is written in another way: {}", rows.len());
    let there = |named: &str| match named.strip_prefix("make ") {
        Some(target) => targets.contains(&format!("\n{target}:")),
        None if named.contains("::") => is_test(named),
        None => root.join(named).is_file(),
    };
    let wrong = rows.iter().filter_map(|row| {
        let tests = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap_or_default();
        let named: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        let missing: Vec<&str> = named.iter().filter(|named| !there(named)).copied().collect();
        (named.is_empty() || !missing.is_empty() || tests.contains('…'))
            .then(|| (row.chars().take(60).collect::<String>(), missing))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let gone =
        ["store::there_is_no_such_test", "nowhere::at_all", "make nothing", "store::audit_entry", "docs/nothing.md"];
    assert!(!gone.into_iter().any(there));
}
