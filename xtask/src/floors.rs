//! `cargo xtask floors`: which rooms of a crate use which, from the top floor down.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::modules::{Arrow, Graph, Room, circles};
use crate::repository::files;

/// Flags of `cargo xtask floors`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The crate whose rooms are drawn
    #[arg(default_value = "gdf-detail")]
    name: String,
    /// Every import between these two rooms, or from one room
    #[arg(long, num_args = 1..=2, value_name = "ROOM")]
    list: Vec<String>,
    /// Modules whose submodules are rooms of their own
    #[arg(long, value_delimiter = ',', default_value = "engine")]
    open: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = format!("crates/{}/src/", args.name);
    let graph = Graph::new(&files()?, &folder);
    let room = |module: &[String]| room_of(module, &args.open);
    let mut between: BTreeMap<(Room, Room), BTreeSet<Arrow>> = BTreeMap::new();
    for arrow in graph.arrows() {
        let (from, to) = (room(&arrow.from), room(&arrow.to));
        if from != to && !from.is_empty() {
            between.entry((from, to)).or_default().insert(arrow);
        }
    }
    if let Some(from) = args.list.first() {
        let to = args.list.get(1);
        for ((a, b), arrows) in &between {
            if a == from && to.is_none_or(|to| to == b) {
                for arrow in arrows {
                    println!("{} -> {}::{}", arrow.file, arrow.to.join("::"), arrow.item);
                }
            }
        }
        return Ok(());
    }
    let arrows: BTreeSet<(Room, Room)> = between.keys().cloned().collect();
    for ((from, to), items) in &between {
        println!("{from} -> {to} ({})", items.len());
    }
    for circle in circles(&arrows) {
        println!("circle of {}: {}", circle.len(), circle.into_iter().collect::<Vec<_>>().join(", "));
    }
    Ok(())
}

fn room_of(module: &[String], open: &[String]) -> Room {
    let length = module.first().map_or(0, |first| if open.contains(first) { 2 } else { 1 });
    module[..length.min(module.len())].join("::")
}
