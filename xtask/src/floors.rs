//! `cargo xtask floors`: shows the uses between the modules of a crate, and checks the order of the modules. Files must
//! not use each other in a circle.
//!
//! The table [`FLOORS`] has the modules of a crate. A module may use only modules that come before it in the table.

mod tables;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use self::tables::FLOORS;
use crate::modules::{Arrow, Graph, ModuleName, circles};
use crate::repository::{Files, files};

/// The crates of the algorithms.
pub(crate) const ALGORITHMS: [&str; 8] = [
    "gdf-expr",
    "gdf-engine",
    "gdf-compute",
    "gdf-relational",
    "gdf-strings",
    "gdf-nested",
    "gdf-decode",
    "gdf-detail",
];

/// Flags of `cargo xtask floors`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The crate whose modules are shown
    #[arg(default_value = "gdf-engine")]
    name: String,
    /// List every use by this module; with two modules, list the uses of the second module by the first module
    #[arg(long, num_args = 1..=2, value_name = "MODULE")]
    list: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let drawn = Floors::new(&files()?, &args.name);
    for ((from, to), arrows) in &drawn.arrows {
        let is_listed = args.list.first().is_some_and(|module| module == from)
            && args.list.get(1).is_none_or(|module| module == to);
        if args.list.is_empty() {
            println!("{from} -> {to} ({})", arrows.len());
        } else if is_listed {
            arrows.iter().for_each(|arrow| println!("{}: {}::{}", arrow.file, arrow.to.join("::"), arrow.item));
        }
    }
    drawn.unlisted().iter().for_each(|what| println!("{what}"));
    drawn.upward().iter().for_each(|(arrow, what)| println!("{}: {what}", arrow.file));
    drawn.circles().iter().for_each(|circle| println!("circle: {}", circle.join(", ")));
    for circle in file_circles(&files()?, &format!("crates/{}/src/", args.name)) {
        circle.iter().for_each(|(from, uses)| println!("circle of files: {from} {uses}"));
    }
    Ok(())
}

/// If a path is in the sources of one of the crates in [`ALGORITHMS`], returns the part of the path below the sources.
pub(crate) fn in_algorithms(path: &str) -> Option<&str> {
    let inside = |name: &str| path.strip_prefix("crates/")?.strip_prefix(name)?.strip_prefix("/src/");
    ALGORITHMS.into_iter().find_map(inside)
}

pub(crate) fn crates(files: &Files) -> BTreeSet<&str> {
    files.keys().filter_map(|path| path.strip_prefix("crates/")?.split_once("/src/").map(|(name, _)| name)).collect()
}

/// Returns the groups of files that use each other. An element of a group is a file, and a text with the names that the
/// file uses of another file.
pub(crate) fn file_circles(files: &Files, folder: &str) -> Vec<Vec<(String, String)>> {
    let arrows = Graph::new(files, folder).file_arrows();
    let of = |circle: BTreeSet<String>| {
        let inside = arrows.iter().filter(|((from, to), _)| circle.contains(from) && circle.contains(to));
        let uses = inside.map(|((from, to), names)| {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            (from.clone(), format!("uses {} of {to}", names.join(", ")))
        });
        uses.collect()
    };
    circles(&arrows.keys().cloned().collect()).into_iter().map(of).collect()
}

pub(crate) struct Floors {
    modules: Option<&'static [&'static str]>,
    /// The modules of the list that exist. If there is no list, the modules of the crate's root.
    entries: BTreeSet<ModuleName>,
    arrows: BTreeMap<(ModuleName, ModuleName), BTreeSet<Arrow>>,
}

impl Floors {
    /// Reads the modules of the crate `name` and the uses between them.
    pub(crate) fn new(files: &Files, name: &str) -> Self {
        let modules = FLOORS.iter().find(|(of, _)| *of == name).map(|(_, modules)| *modules);
        Self::with_list(files, name, modules)
    }

    fn with_list(files: &Files, name: &str, modules: Option<&'static [&'static str]>) -> Self {
        let graph = Graph::new(files, &format!("crates/{name}/src/"));
        let mut arrows: BTreeMap<(ModuleName, ModuleName), BTreeSet<Arrow>> = BTreeMap::new();
        for arrow in graph.arrows() {
            // A module that re-exports an item of its submodule does not use the submodule.
            let is_own = arrow.to.starts_with(&arrow.from);
            let (from, to) = (entry_of(&arrow.from, modules), entry_of(&arrow.to, modules));
            if from != to && !is_own && !from.is_empty() {
                arrows.entry((from, to)).or_default().insert(arrow);
            }
        }
        let entries = graph.modules().map(|module| entry_of(module, modules)).filter(|entry| !entry.is_empty());
        Self { modules, entries: entries.collect(), arrows }
    }

    /// Returns the modules that are missing in the list, and the entries of the list that are not modules.
    pub(crate) fn unlisted(&self) -> Vec<String> {
        let Some(modules) = self.modules else { return Vec::new() };
        let lacks = self.entries.iter().filter(|entry| !modules.contains(&entry.as_str()));
        let lacks = lacks.map(|entry| format!("FLOORS in xtask/src/floors/tables.rs lacks `{entry}`"));
        let gone = modules.iter().filter(|module| !self.entries.contains(**module));
        lacks
            .chain(
                gone.map(|module| {
                    format!("FLOORS in xtask/src/floors/tables.rs lists `{module}`, which does not exist")
                }),
            )
            .collect()
    }

    /// Returns the uses that the order does not allow: the used module comes after the module that uses it.
    pub(crate) fn upward(&self) -> Vec<(&Arrow, String)> {
        let Some(modules) = self.modules else { return Vec::new() };
        let floor = |module: &ModuleName| modules.iter().position(|known| known == module);
        let mut found = Vec::new();
        for ((from, to), arrows) in &self.arrows {
            if floor(from).zip(floor(to)).is_some_and(|(from, to)| to > from) {
                let what =
                    |arrow: &Arrow| format!("`{from}` uses `{}` of `{to}`, which is on a higher layer", arrow.item);
                found.extend(arrows.iter().map(|arrow| (arrow, what(arrow))));
            }
        }
        found
    }

    /// Returns the groups of modules that use each other.
    pub(crate) fn circles(&self) -> Vec<Vec<ModuleName>> {
        let arrows = self.arrows.keys().cloned().collect();
        circles(&arrows).into_iter().map(|circle| circle.into_iter().collect()).collect()
    }

    /// Returns three numbers: the modules, the uses between them, and the uses that the order does not allow.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        (self.entries.len(), self.arrows.len(), self.upward().len())
    }
}

/// Returns the innermost entry of the list that contains the module.
fn entry_of(module: &[String], modules: Option<&[&str]>) -> ModuleName {
    let mut prefixes = (1..=module.len()).rev().map(|length| module[..length].join("::"));
    let listed = modules.and_then(|modules| prefixes.clone().find(|prefix| modules.contains(&prefix.as_str())));
    listed.or_else(|| prefixes.next_back()).unwrap_or_default()
}
