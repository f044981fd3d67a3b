//! `cargo xtask floors`: which rooms of a crate use which, and whether any uses what is above it.
//!
//! A room is a module with all that is in it. [`FLOORS`] lists the rooms of a crate from the bottom up: each may use those
//! before it, and none behind it. A room may be a module within another one; what it is used for is then its own, not the
//! outer one's. Crates without a list have no circle of rooms, which are the modules of their root.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::modules::{Arrow, Graph, Room, circles};
use crate::repository::{Files, files};

/// The rooms of crates that have many, from the bottom up.
const FLOORS: [(&str, &[&str]); 1] = [("gdf-detail", DETAIL)];

const DETAIL: &[&str] = &[
    // what every algorithm stands on
    "rounding",
    "policy",
    "limits",
    "vouch",
    "device",
    "input",
    "layout",
    "cuda",
    "host",
    "null_count",
    "validation",
    "check",
    // engines
    "engine::elementwise",
    "engine::scan",
    "engine::reduce",
    "engine::row_hash",
    "engine::partition",
    "engine::rows",
    "engine::mask",
    "engine::keys",
    "engine::strings",
    "engine::regex",
    "engine::cast",
    "engine::sort",
    "engine::hash_table",
    "engine::windows",
    "engine::decoded",
    "engine::operand",
    // values and rows
    "null_mask",
    "copying::copy_if_else",
    "copying::shift",
    "copying::in_place",
    "copying::slice",
    "binaryop",
    "unary",
    "round",
    "datetime",
    "hashing",
    "filling",
    "transform::nans_to_nulls",
    "scan",
    "lists",
    "stream_compaction",
    "copying",
    "replace",
    "contiguous_split",
    "sorting",
    "search",
    "quantiles",
    "reduction",
    "concatenate",
    "filling::repeat",
    "reshape",
    "labeling",
    // tables
    "join",
    "search::contains",
    "replace::find_and_replace_all",
    "transform",
    "rolling",
    "quantiles::tdigest",
    "groupby",
    "reduction::histogram",
    "partitioning",
    // text
    "strings",
    "predicate",
];

/// Flags of `cargo xtask floors`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The crate whose rooms are drawn
    #[arg(default_value = "gdf-detail")]
    name: String,
    /// Every import from this room, or between these two
    #[arg(long, num_args = 1..=2, value_name = "ROOM")]
    list: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let house = House::new(&files()?, &args.name);
    for ((from, to), arrows) in &house.arrows {
        let is_listed =
            args.list.first().is_some_and(|room| room == from) && args.list.get(1).is_none_or(|room| room == to);
        if args.list.is_empty() {
            println!("{from} -> {to} ({})", arrows.len());
        } else if is_listed {
            arrows.iter().for_each(|arrow| println!("{}: {}::{}", arrow.file, arrow.to.join("::"), arrow.item));
        }
    }
    house.unlisted().iter().for_each(|what| println!("{what}"));
    house.upward().iter().for_each(|(arrow, what)| println!("{}: {what}", arrow.file));
    house.circles().iter().for_each(|circle| println!("circle: {}", circle.join(", ")));
    Ok(())
}

/// The rooms of a crate.
pub(crate) struct House {
    rooms: Option<&'static [&'static str]>,
    arrows: BTreeMap<(Room, Room), BTreeSet<Arrow>>,
}

impl House {
    /// Of the crate of that name, without its tests.
    pub(crate) fn new(files: &Files, name: &str) -> Self {
        let rooms = FLOORS.iter().find(|(of, _)| *of == name).map(|(_, rooms)| *rooms);
        Self::with_rooms(files, name, rooms)
    }

    fn with_rooms(files: &Files, name: &str, rooms: Option<&'static [&'static str]>) -> Self {
        let graph = Graph::new(files, &format!("crates/{name}/src/"));
        let mut arrows: BTreeMap<(Room, Room), BTreeSet<Arrow>> = BTreeMap::new();
        for arrow in graph.arrows() {
            // A module that hands on what is in it does not use it.
            let is_own = arrow.to.starts_with(&arrow.from);
            let (from, to) = (room_of(&arrow.from, rooms), room_of(&arrow.to, rooms));
            if from != to && !is_own && !from.is_empty() {
                arrows.entry((from, to)).or_default().insert(arrow);
            }
        }
        Self { rooms, arrows }
    }

    /// Rooms that the list lacks, and rooms in it that are not there.
    pub(crate) fn unlisted(&self) -> Vec<String> {
        let Some(rooms) = self.rooms else { return Vec::new() };
        let are_there: BTreeSet<&str> =
            self.arrows.keys().flat_map(|(from, to)| [from.as_str(), to.as_str()]).collect();
        let lacks = are_there.iter().filter(|room| !room.is_empty() && !rooms.contains(room));
        let lacks = lacks.map(|room| format!("FLOORS in xtask/src/floors.rs lacks the room `{room}`"));
        let gone = rooms.iter().filter(|room| !are_there.contains(*room));
        lacks
            .chain(gone.map(|room| format!("FLOORS in xtask/src/floors.rs has a room `{room}`, which is not there")))
            .collect()
    }

    /// Uses of what is above.
    pub(crate) fn upward(&self) -> Vec<(&Arrow, String)> {
        let Some(rooms) = self.rooms else { return Vec::new() };
        let floor = |room: &Room| rooms.iter().position(|known| known == room);
        let mut found = Vec::new();
        for ((from, to), arrows) in &self.arrows {
            let what = match (floor(from), floor(to)) {
                (Some(from), Some(to)) if to < from => continue,
                (Some(_), Some(_)) => "is above it",
                _ => continue,
            };
            found.extend(
                arrows.iter().map(|arrow| (arrow, format!("`{from}` uses `{}` of `{to}`: {what}", arrow.item))),
            );
        }
        found
    }

    /// Rooms of which each uses every other, by way of others perhaps.
    pub(crate) fn circles(&self) -> Vec<Vec<Room>> {
        let arrows = self.arrows.keys().cloned().collect();
        circles(&arrows).into_iter().map(|circle| circle.into_iter().collect()).collect()
    }

    /// Rooms, arrows between them, and the arrows that run up.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let rooms: BTreeSet<&Room> = self.arrows.keys().flat_map(|(from, to)| [from, to]).collect();
        (rooms.len(), self.arrows.len(), self.upward().len())
    }
}

/// The innermost room of the list that a module is in; without a list the module of the root.
fn room_of(module: &[String], rooms: Option<&[&str]>) -> Room {
    let prefixes = (1..=module.len()).rev().map(|length| module[..length].join("::"));
    let listed = rooms.and_then(|rooms| prefixes.clone().find(|prefix| rooms.contains(&prefix.as_str())));
    listed.or_else(|| prefixes.last()).unwrap_or_default()
}
