//! The graph of the uses between modules, and the cycles of the graph.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{self, Import, Source, Words};
use crate::repository::Files;

/// The path of a module below the root of the crate. The empty path is the root.
pub(crate) type ModuleName = String;

#[derive(Debug)]
pub(crate) struct Graph {
    modules: BTreeMap<Words, Module>,
}

#[derive(Debug)]
struct Module {
    file: String,
    source: Source,
}

/// A use of an item that another module defines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arrow {
    pub(crate) from: Words,
    pub(crate) to: Words,
    pub(crate) file: String,
    pub(crate) item: String,
}

/// The maximum number of re-exports through which a path is followed.
const DEPTH: usize = 8;

impl Graph {
    /// Reads the modules of a crate.
    pub(crate) fn new(files: &Files, folder: &str) -> Self {
        let mut modules = BTreeMap::new();
        let mut tests: Vec<Words> = Vec::new();
        for (path, text) in files {
            let Some(inside) = path.strip_prefix(folder).and_then(|path| path.strip_suffix(".rs")) else { continue };
            for source in source::read(module_of(inside), text) {
                tests.extend(source.tests.iter().cloned());
                modules.insert(source.module.clone(), Module { file: path.clone(), source });
            }
        }
        // With `#[path]`, the file of the module `a::tests` is `a_tests.rs`.
        let beside: Vec<Words> = tests.iter().filter_map(|test| beside(test)).collect();
        modules.retain(|module, _| !tests.iter().chain(&beside).any(|test| module.starts_with(test)));
        Self { modules }
    }

    pub(crate) fn modules(&self) -> impl Iterator<Item = &Words> {
        self.modules.keys()
    }

    pub(crate) fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for (from, module) in &self.modules {
            let imported = module.source.imports.iter().map(|import| &import.path);
            for path in imported.chain(&module.source.paths) {
                let Some((to, item)) = self.resolve(from, path, DEPTH) else { continue };
                if to != *from {
                    arrows.insert(Arrow { from: from.clone(), to, file: module.file.clone(), item });
                }
            }
        }
        arrows
    }

    /// Returns the uses between files. Each use comes with the names that the using file takes from the other file. A
    /// module may declare what its submodules need, and may also call the submodules. Therefore, uses of a module's own
    /// submodules are left out.
    pub(crate) fn file_arrows(&self) -> BTreeMap<(String, String), BTreeSet<String>> {
        let mut files: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
        for arrow in self.arrows().into_iter().filter(|arrow| !arrow.to.starts_with(&arrow.from)) {
            if let Some(target) = self.modules.get(&arrow.to).filter(|target| target.file != arrow.file) {
                files.entry((arrow.file, target.file.clone())).or_default().insert(arrow.item);
            }
        }
        files
    }

    /// Returns the module that defines an item, and the name of the item.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Option<(Words, String)> {
        let (first, rest) = path.split_first()?;
        let (start, rest) = match first.as_str() {
            "crate" => (Words::new(), rest),
            "self" => (from.to_vec(), rest),
            "super" => {
                let up = path.iter().take_while(|word| *word == "super").count();
                (from[..from.len().checked_sub(up)?].to_vec(), &path[up..])
            }
            // The first segment is a name of this module, either a submodule or an import.
            _ => {
                let module = self.modules.get(from)?;
                let is_known = self.modules.contains_key(&[from, std::slice::from_ref(first)].concat())
                    || module.source.imports.iter().any(|import| import.name == *first);
                (is_known.then(|| from.to_vec())?, path)
            }
        };
        self.descend(start, rest, depth)
    }

    fn descend(&self, mut at: Words, path: &[String], depth: usize) -> Option<(Words, String)> {
        for (index, word) in path.iter().enumerate() {
            let below = [&at[..], std::slice::from_ref(word)].concat();
            if self.modules.contains_key(&below) {
                at = below;
                continue;
            }
            return self.item(&at, word, &path[index + 1..], depth);
        }
        let name = at.last().cloned().unwrap_or_default();
        Some((at, name))
    }

    /// Returns the module that defines the item to which the name `word` refers in module `at`, and the name of the
    /// item.
    fn item(&self, at: &[String], word: &str, rest: &[String], depth: usize) -> Option<(Words, String)> {
        let source = &self.modules.get(at)?.source;
        if source.defines.iter().any(|name| name == word) || depth == 0 {
            return Some((at.to_vec(), word.to_owned()));
        }
        let named = |import: &&Import| import.name == word;
        if let Some(import) = source.imports.iter().find(named) {
            let through = [&import.path[..], rest].concat();
            return self.resolve(at, &through, depth - 1);
        }
        let globs = source.imports.iter().filter(|import| import.name == "*");
        let mut through = globs.map(|import| [&import.path[..], &[word.to_owned()], rest].concat());
        let found = through.find_map(|path| {
            let (module, name) = self.resolve(at, &path, depth - 1)?;
            let defines = &self.modules.get(&module)?.source.defines;
            defines.contains(&name).then_some((module, name))
        });
        Some(found.unwrap_or_else(|| (at.to_vec(), word.to_owned())))
    }
}

/// Returns the module of the file `a_tests.rs` for the module `a::tests`.
fn beside(test: &[String]) -> Option<Words> {
    let [outer @ .., name, last] = test else { return None };
    (last == "tests").then(|| [outer, &[format!("{name}_tests")]].concat())
}

/// Returns the module of a file.
fn module_of(inside: &str) -> Words {
    let inside = inside.strip_suffix("/mod").unwrap_or(inside);
    inside.split('/').filter(|part| *part != "lib" && *part != "main").map(str::to_owned).collect()
}

/// Returns the groups of modules in which each module uses every other module, directly or through other modules.
pub(crate) fn circles(arrows: &BTreeSet<(ModuleName, ModuleName)>) -> Vec<BTreeSet<ModuleName>> {
    let reach = |from: &ModuleName| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(module) = next.pop() {
            for (_, to) in arrows.iter().filter(|(from, to)| from == module && from != to) {
                if seen.insert(to) {
                    next.push(to);
                }
            }
        }
        seen
    };
    let modules: BTreeSet<&ModuleName> = arrows.iter().map(|(from, _)| from).collect();
    let reached: BTreeMap<&ModuleName, BTreeSet<&ModuleName>> =
        modules.iter().map(|module| (*module, reach(module))).collect();
    let mut groups = BTreeSet::new();
    for (module, far) in &reached {
        if far.contains(module) {
            let both = |other: &&&ModuleName| reached.get(**other).is_some_and(|back| back.contains(module));
            groups.insert(far.iter().filter(both).map(|other| (*other).clone()).collect::<BTreeSet<_>>());
        }
    }
    groups.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(files: &[(&str, &str)]) -> Vec<(String, String, String)> {
        let files = files.iter().map(|(path, text)| (format!("crates/x/src/{path}"), (*text).to_owned())).collect();
        let arrows = Graph::new(&files, "crates/x/src/").arrows();
        arrows.into_iter().map(|arrow| (arrow.from.join("::"), arrow.to.join("::"), arrow.item)).collect()
    }

    #[test]
    fn re_exports_lead_to_where_an_item_is() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use b::deep::Thing;"),
            ("a.rs", "use crate::b::Renamed; fn f(_: crate::Thing) { crate::b::all(); }"),
            ("b/mod.rs", "mod deep; pub use self::deep::Thing as Renamed; pub use deep::*;"),
            ("b/deep.rs", "pub struct Thing; pub fn all() {}"),
        ];
        let found = graph(&files);
        let to_deep = |from: &str, item: &str| {
            assert!(found.contains(&(from.to_owned(), "b::deep".to_owned(), item.to_owned())), "{found:?}");
        };
        to_deep("a", "Thing");
        to_deep("a", "all");
        to_deep("", "Thing");
    }

    #[test]
    fn files_use_the_files_that_define_items_but_not_their_parts() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use b::Thing;"),
            ("a.rs", "use crate::Thing; mod part; fn f() { part::g() }"),
            ("a/part.rs", "use super::f; use crate::b; fn g() { b::all() }"),
            ("b.rs", "pub struct Thing; pub fn all() {} mod inline { use super::all; }"),
        ];
        let files = files.map(|(path, text)| (format!("x/src/{path}"), text.to_owned())).into();
        let found = Graph::new(&files, "x/src/").file_arrows();
        let found: Vec<_> = found
            .iter()
            .map(|((from, to), names)| format!("{from} {to} {}", names.iter().cloned().collect::<Vec<_>>().join(" ")))
            .collect();
        assert_eq!(
            found,
            ["x/src/a.rs x/src/b.rs Thing", "x/src/a/part.rs x/src/a.rs f", "x/src/a/part.rs x/src/b.rs all b"]
        );
    }

    #[test]
    fn tests_beside_their_module_are_left_out() {
        let test = "#[cfg(test)]\n#[path = \"a_tests.rs\"]\nmod tests;";
        let uses = "use crate::b::all;";
        let files = [("lib.rs", "mod a; mod b;"), ("a.rs", test), ("a_tests.rs", uses), ("b.rs", "pub fn all() {}")];
        assert!(graph(&files).is_empty());
        let files = [("lib.rs", "mod a; mod a_tests; mod b;"), ("a_tests.rs", uses), ("b.rs", "pub fn all() {}")];
        assert_eq!(graph(&files).len(), 1);
    }

    #[test]
    fn circles_through_re_exports_are_seen() {
        let arrows = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")];
        let arrows = arrows.map(|(from, to)| (from.to_owned(), to.to_owned())).into();
        let found = circles(&arrows);
        assert_eq!(found, [["a", "b", "c"].map(str::to_owned).into()]);
    }
}
