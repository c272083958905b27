//! Files that depend on each other in a circle: a handful of them is one thing in several files, more is a knot.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Source, sources};

/// Files of these folders that may depend on each other in a circle at most: a handful.
const CIRCLE: usize = 5;

/// The paths of an import: groups opened, from the root of the crate.
fn opened(import: &str, base: &[String]) -> Vec<Vec<String>> {
    let (head, groups) = import.split_once('{').unwrap_or((import, ""));
    let tails = groups.strip_suffix('}').unwrap_or(groups);
    let mut depth = 0;
    let parts = tails.split(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let mut path = base.to_vec();
    for level in head.split("::").map(str::trim).filter(|level| !level.is_empty()) {
        match level {
            "crate" => path.clear(),
            "super" => drop(path.pop()),
            "self" => {}
            level => path.push(level.to_owned()),
        }
    }
    if groups.is_empty() { vec![path] } else { parts.flat_map(|part| opened(part.trim(), &path)).collect() }
}

/// What each file of a folder imports of the same folder, by modules.
fn imports(folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let module = |path: &str| path.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::");
    let found: Vec<Source> = sources().into_iter().filter(|source| source.path.starts_with(folder)).collect();
    let modules: BTreeSet<String> = found.iter().map(|source| module(&source.path)).collect();
    let of = |source: &Source| {
        let own = module(&source.path);
        let base: Vec<String> = own.split("::").map(str::to_owned).collect();
        let text = std::fs::read_to_string(root.join(&source.path)).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
        let uses = text.split(';').filter_map(|item| item.rsplit_once("use ")).map(|(_, import)| import);
        let uses = uses.filter(|import| ["crate", "super", "self"].iter().any(|first| import.starts_with(first)));
        let paths = uses.flat_map(|import| opened(&import.replace(char::is_whitespace, ""), &base));
        let named = paths.filter_map(|path| {
            (1..=path.len()).rev().map(|levels| path[..levels].join("::")).find(|path| modules.contains(path))
        });
        (own.clone(), named.filter(|other| *other != own).collect())
    };
    found.iter().map(of).collect()
}

#[test]
fn no_more_than_a_handful_of_files_stand_in_a_circle() {
    let levels = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
    let found = opened("super::{b::{c,d},e}", &levels("x::a"));
    assert_eq!(found, ["x::b::c", "x::b::d", "x::e"].map(levels));
    for folder in ["language/grammar", "resolve", "dialogue", "interpret", "service", "gist"] {
        let imports = imports(folder);
        let arrows: usize = imports.values().map(BTreeSet::len).sum();
        assert!(
            arrows > 40 || !["language/grammar", "resolve"].contains(&folder),
            "{folder} is written in another way"
        );
        let reached: BTreeMap<&String, BTreeSet<&String>> = imports
            .keys()
            .map(|from| {
                (from, {
                    let (mut seen, mut ahead) = (BTreeSet::new(), vec![from]);
                    while let Some(next) = ahead.pop() {
                        ahead.extend(imports[next].iter().filter(|to| imports.contains_key(*to) && seen.insert(*to)));
                    }
                    seen
                })
            })
            .collect();
        for (from, to) in &reached {
            let circle: Vec<_> = to.iter().filter(|other| reached[**other].contains(from)).collect();
            assert!(circle.len() <= CIRCLE, "{folder}: {circle:?}");
        }
    }
}
