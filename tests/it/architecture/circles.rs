//! Files that depend on each other in a circle: a handful of them is one thing in several files, more is a knot.
//!
//! A file depends on another where it names something that stands there: an arrow. What is read are imports (`use`, `pub use`)
//! and paths in code that begin with `crate`, `self`, `super`, or with a module that is imported or declared; what is compiled
//! for tests alone is not read. An arrow goes to the file that defines what is named, however many files hand it on: who writes
//! `super::Clause` of a parent that says `pub use clause::Clause` depends on the clause and not on the parent. So what a file
//! only hands on is no arrow of its own, until it uses it itself; and neither `mod clause;` nor the import of a module is one,
//! for the paths through it are. Methods are no paths: who calls one has its type from somewhere.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use super::{Source, code, sources};

/// Files that may depend on each other in a circle at most: a handful.
const CIRCLE: usize = 5;

/// The folders that are looked at.
const FOLDERS: [&str; 6] = ["language/grammar", "resolve", "dialogue", "interpret", "service", "gist"];

/// Levels of a path.
type Path = Vec<String>;

/// What a file says of others.
#[derive(Default)]
struct File {
    /// Names that imports bring in, with what they stand for; `*` for all of a module.
    imported: Vec<(String, Path)>,
    /// Those that are handed on.
    exported: BTreeSet<String>,
    /// What it defines itself.
    defined: BTreeSet<String>,
    /// Paths in code.
    paths: BTreeSet<Path>,
    /// Names by themselves in code.
    names: BTreeSet<String>,
}

/// All files, by the path of their module.
type Files = BTreeMap<Path, File>;

fn is_mark(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == mark)
}

/// Whether `::` stands at a position.
fn joins(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(first)) if first.as_char() == ':' && first.spacing() == Spacing::Joint)
        && is_mark(tokens.get(at + 1), ':')
}

/// The path that begins at a position, and where it ends.
fn path(tokens: &[TokenTree], at: usize) -> (Path, usize) {
    let (mut path, mut at) = (vec![tokens[at].to_string()], at + 1);
    while joins(tokens, at)
        && let Some(TokenTree::Ident(level)) = tokens.get(at + 2)
    {
        path.push(level.to_string());
        at += 3;
    }
    (path, at)
}

/// What an import brings in: names and paths, groups opened.
fn imports(tokens: &[TokenTree], above: &[String]) -> Vec<(String, Path)> {
    let parts = tokens.split(|token| is_mark(Some(token), ','));
    let opened = parts.filter(|part| !part.is_empty()).flat_map(|part| {
        let (mut whole, mut at) = (above.to_vec(), 0);
        if matches!(part[0], TokenTree::Ident(_)) {
            let (levels, end) = path(part, 0);
            whole.extend(levels);
            at = if joins(part, end) { end + 2 } else { end };
        }
        match part.get(at) {
            Some(TokenTree::Group(group)) => imports(&group.stream().into_iter().collect::<Vec<_>>(), &whole),
            Some(TokenTree::Punct(all)) => vec![(all.to_string(), whole)],
            alias => {
                whole.pop_if(|level| !above.is_empty() && level == "self");
                let name = alias.and(part.get(at + 1)).map(ToString::to_string);
                vec![(name.unwrap_or_else(|| whole.last().cloned().unwrap_or_default()), whole)]
            }
        }
    });
    opened.collect()
}

impl File {
    fn read(&mut self, tokens: TokenStream, inner: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let word = |at: usize| match tokens.get(at) {
            Some(TokenTree::Ident(word)) => word.to_string(),
            _ => String::new(),
        };
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                // `pub(in crate::language)` says who may see it.
                TokenTree::Group(group)
                    if at > 1 && group.delimiter() == Delimiter::Parenthesis && word(at - 2) == "pub" => {}
                TokenTree::Group(group) => self.read(group.stream(), true),
                TokenTree::Ident(keyword) if keyword == "use" && !is_mark(tokens.get(at), '<') => {
                    let end = (at..tokens.len()).find(|end| is_mark(tokens.get(*end), ';')).unwrap_or(tokens.len());
                    let imports = imports(&tokens[at..end], &[]);
                    if at > 1 && (word(at - 2) == "pub" || at > 2 && word(at - 3) == "pub") {
                        self.exported.extend(imports.iter().map(|(name, _)| name.clone()));
                    }
                    self.imported.extend(imports);
                    at = end;
                }
                TokenTree::Ident(keyword) if keyword == "mod" => at += 1,
                TokenTree::Ident(name) => {
                    let is_tail = at > 2 && joins(&tokens, at - 3) || at > 1 && is_mark(tokens.get(at - 2), '.');
                    let (path, end) = path(&tokens, at - 1);
                    if !is_tail && path.len() > 1 {
                        self.paths.insert(path);
                    } else if at > 1
                        && ["fn", "struct", "enum", "type", "trait", "const", "static"].contains(&word(at - 2).as_str())
                    {
                        self.defined.extend((!inner).then(|| name.to_string()));
                    } else if !is_tail {
                        self.names.insert(name.to_string());
                    }
                    at = end;
                }
                _ => {}
            }
        }
    }

    fn stands_for(&self, name: &str) -> impl Iterator<Item = &Path> {
        self.imported.iter().filter(move |(imported, _)| imported == name).map(|(_, path)| path)
    }
}

/// The module of a file.
fn module(source: &Source) -> Path {
    let path = source.path.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

fn files(sources: &[Source]) -> Files {
    let read = |source: &Source| {
        let mut file = File::default();
        file.read(source.tree.clone(), false);
        (module(source), file)
    };
    sources.iter().map(read).collect()
}

/// Looks for the files that define what a path names.
struct Search<'f> {
    files: &'f Files,
    found: BTreeSet<Path>,
    /// Imports that were followed, each with its module: none is a second time, for what it brings may have its own name.
    followed: BTreeSet<(Path, &'f Path)>,
}

impl<'f> Search<'f> {
    fn of(files: &'f Files, from: &[String], path: &[String]) -> BTreeSet<Path> {
        let mut search = Self { files, found: BTreeSet::new(), followed: BTreeSet::new() };
        search.written(from, path);
        search.found
    }

    /// As a path is written in a module.
    fn written(&mut self, from: &[String], path: &[String]) {
        let Some((name, rest)) = path.split_first() else { return };
        let above = &from[..from.len().saturating_sub(1)];
        match name.as_str() {
            "crate" => self.below(&[], rest),
            "self" => self.below(from, rest),
            "super" if rest.first().is_some_and(|next| next == "super") => self.written(above, rest),
            "super" => self.below(above, rest),
            // Of another crate, or of the language.
            name if !is_known(self.files, from, name) => {}
            _ => self.below(from, path),
        }
    }

    /// As it goes on below a module.
    fn below(&mut self, module: &[String], path: &[String]) {
        let (files, Some((name, rest))) = (self.files, path.split_first()) else { return };
        let file = files.get(module);
        for import in file.into_iter().flat_map(|file| file.stands_for(name)) {
            if self.followed.insert((module.to_vec(), import)) {
                self.written(module, &[import, rest].concat());
            }
        }
        let inner = [module, std::slice::from_ref(name)].concat();
        if files.contains_key(&inner) {
            self.below(&inner, rest);
        }
        let own = file.is_some_and(|file| rest.is_empty() && file.defined.contains(name));
        if own || file.is_some() && !is_known(files, module, name) {
            self.found.insert(module.to_vec());
        }
    }
}

/// Whether a module imports or declares a name.
fn is_known(files: &Files, module: &[String], name: &str) -> bool {
    let imported = files.get(module).is_some_and(|file| file.stands_for(name).next().is_some());
    imported || files.contains_key(&[module, &[name.to_owned()]].concat())
}

/// What a file names of others.
fn named<'a>(files: &'a Files, own: &'a Path, file: &'a File) -> impl Iterator<Item = Path> + 'a {
    let handed_on = |name: &str| file.exported.contains(name) && !file.names.contains(name);
    let imported = file.imported.iter().filter(move |(name, _)| name != "*" && !handed_on(name));
    // Of `use super::*` what is used of it.
    let above = own[..own.len() - 1].to_vec();
    let all = file.stands_for("*").next().and_then(|_| files.get(&above));
    let words = file.names.iter().map(|name| vec![name.clone()]).chain(file.paths.iter().cloned());
    let is_of = move |of: &File, name: &str| of.defined.contains(name) || is_known(files, &above, name);
    let of_all = words.filter(move |path| all.is_some_and(|all| is_of(all, &path[0])));
    let of_all = of_all.map(|path| [vec!["super".to_owned()], path].concat());
    imported.map(|(_, path)| path.clone()).chain(file.paths.iter().cloned()).chain(of_all)
}

/// Which file depends on which, below one folder.
fn arrows(files: &Files, folder: &[String]) -> BTreeMap<Path, BTreeSet<Path>> {
    let of = |(own, file): (&Path, &File)| {
        let mut found: BTreeSet<Path> =
            named(files, own, file).flat_map(|path| Search::of(files, own, &path)).collect();
        found.retain(|other| other != own && other.starts_with(folder));
        (own.clone(), found)
    };
    files.iter().filter(|(own, _)| own.starts_with(folder)).map(of).collect()
}

/// Files that depend on each other.
fn circles(arrows: &BTreeMap<Path, BTreeSet<Path>>) -> BTreeSet<BTreeSet<&Path>> {
    let mut reached: BTreeMap<&Path, BTreeSet<&Path>> = BTreeMap::new();
    for from in arrows.keys() {
        let (mut seen, mut ahead) = (BTreeSet::new(), vec![from]);
        while let Some(next) = ahead.pop() {
            ahead.extend(arrows[next].iter().filter(|to| seen.insert(*to)));
        }
        reached.insert(from, seen);
    }
    let circle = |from: &Path| reached[from].iter().copied().filter(|other| reached[*other].contains(from)).collect();
    arrows.keys().map(circle).filter(|circle: &BTreeSet<&Path>| !circle.is_empty()).collect()
}

#[test]
fn no_more_than_a_handful_of_files_stand_in_a_circle() {
    let files = files(&sources());
    for folder in FOLDERS {
        let below: Path = folder.split('/').map(str::to_owned).collect();
        let arrows = arrows(&files, &below);
        let seen: usize = arrows.values().map(BTreeSet::len).sum();
        assert!(seen >= arrows.len(), "{folder} is written in another way: {seen} arrows");
        let circles = circles(&arrows);
        let largest = circles.iter().max_by_key(|circle| circle.len());
        let within = |from: &&Path| {
            let circle = largest.into_iter().flatten();
            let to = circle.filter(|to| arrows[*from].contains(**to)).map(|to| to.join("::"));
            format!("{}: {}", from.join("::"), to.collect::<Vec<_>>().join(" "))
        };
        let size = largest.map_or(0, BTreeSet::len);
        let told: Vec<String> = largest.into_iter().flatten().map(within).collect();
        assert!(size <= CIRCLE, "{folder}: {size} files stand in a circle: {told:#?}");
    }
}

#[test]
fn what_depends_on_what_is_seen_however_it_is_written() {
    let source = |path: &str, text: &str| {
        let tree = code(text.parse().unwrap());
        Source { path: path.to_owned(), tokens: Vec::new(), tree }
    };
    let files = files(&[
        source("a/mod.rs", "mod b; mod c; mod d; mod e; pub use b::{X, h}; use c::g; pub fn f() { g() }"),
        source("a/b.rs", "pub struct X; pub fn h() { super::f() } pub(in crate::a::e) fn i() {}"),
        source(
            "a/c.rs",
            "#[cfg(test)] use super::d; pub use super::X as Y; pub fn g() { let _ = Y; } #[cfg(test)] mod tests { use super::super::e; fn t() { e::k() } }",
        ),
        source("a/d.rs", "use super::*; mod e { } fn j() { let of: X = c::g(); of.f() }"),
        source("a/e.rs", "use super::{b, d as other}; fn k() { match b::X { b => crate::a::h() } }"),
    ]);
    let levels = |path: &str| path.split("::").map(str::to_owned).collect::<Path>();
    let arrows = arrows(&files, &levels("a"));
    let to = |from: &str| arrows[&levels(from)].iter().map(|to| to.join("::")).collect::<Vec<_>>().join(" ");
    assert_eq!(["a", "a::b", "a::c", "a::d", "a::e"].map(to), ["a::c", "a", "a::b", "a::b a::c", "a::b"]);
    let circles = circles(&arrows);
    assert_eq!(circles.iter().map(BTreeSet::len).collect::<Vec<_>>(), [3]);
}
