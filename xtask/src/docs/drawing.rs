//! The drawing of the crates by floors. A crate stands on the crates on which it depends, and its floor is one above the
//! highest of them. Dependencies that a crate also has through another dependency are left out.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};

use crate::manifests::dependencies;
use crate::repository::Files;

/// The prefix of the crates of images. The drawing has one name for them.
const IMAGES: &str = "gdf-kernels-";
const IMAGES_BUILD: &str = "gdf-kernels-build";

type Edges<'t> = BTreeMap<&'t str, BTreeSet<&'t str>>;

/// Draws the crates, the highest floor first.
pub(super) fn crates(files: &Files) -> Result<String> {
    let edges = edges(files);
    let floors: BTreeMap<&str, usize> = edges
        .keys()
        .map(|name| floor(&edges, name, &mut Vec::new()).map(|floor| (*name, floor)))
        .collect::<Result<_>>()?;
    let Some(top) = floors.values().max() else { bail!("the repository has no crate") };
    let width = edges.keys().map(|name| name.len()).max().unwrap_or_default();
    let mut drawn = String::from("```text\n");
    for level in (0..=*top).rev() {
        let on_floor = floors.iter().filter(|(_, floor)| **floor == level);
        for (at, (name, _)) in on_floor.enumerate() {
            let number = if at == 0 { level.to_string() } else { String::new() };
            let below = reduced(&edges, name).into_iter().collect::<Vec<_>>().join(", ");
            let arrow = if below.is_empty() { "" } else { "─►" };
            drawn += format!("{number:>2} │ {name:width$} {arrow} {below}").trim_end();
            drawn.push('\n');
        }
    }
    Ok(drawn + "```")
}

/// Returns each crate with the crates on which it depends.
fn edges(files: &Files) -> Edges<'_> {
    let manifests = files.iter().filter_map(|(path, text)| {
        let name = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
        Some((name, text))
    });
    let mut edges = Edges::new();
    let manifests: Vec<_> = manifests.collect();
    for (name, text) in &manifests {
        let below = dependencies(text).into_iter();
        let below = below.filter_map(|(_, below)| manifests.iter().map(|(name, _)| *name).find(|name| *name == below));
        edges.entry(shown(name)).or_default().extend(below.map(shown));
    }
    edges
}

fn shown(name: &str) -> &str {
    if name.starts_with(IMAGES) && name != IMAGES_BUILD { "gdf-kernels-*" } else { name }
}

fn floor<'t>(edges: &Edges<'t>, name: &'t str, above: &mut Vec<&'t str>) -> Result<usize> {
    if above.contains(&name) {
        bail!("crates depend on each other in a circle: {}", above.join(", "));
    }
    above.push(name);
    let mut height = 0;
    for below in edges.get(name).into_iter().flatten() {
        height = height.max(floor(edges, below, above)? + 1);
    }
    above.pop();
    Ok(height)
}

/// Returns the dependencies that the crate does not have through another one.
fn reduced<'t>(edges: &Edges<'t>, name: &str) -> BTreeSet<&'t str> {
    let direct = edges.get(name).cloned().unwrap_or_default();
    let through: BTreeSet<&str> = direct.iter().flat_map(|below| reach(edges, below)).collect();
    direct.difference(&through).copied().collect()
}

/// Returns all crates on which a crate depends.
fn reach<'t>(edges: &Edges<'t>, name: &str) -> BTreeSet<&'t str> {
    let below = edges.get(name).into_iter().flatten();
    below.flat_map(|below| reach(edges, below).into_iter().chain([*below])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn<const N: usize>(crates: [(&str, &str); N]) -> Result<String> {
        let files = crates.map(|(name, below)| {
            let lines: String = below.split(' ').map(|name| format!("{name}.workspace = true\n")).collect();
            (format!("crates/{name}/Cargo.toml"), format!("[dependencies]\n{lines}"))
        });
        super::crates(&files.into())
    }

    #[test]
    fn a_crate_is_one_floor_above_what_it_stands_on() {
        let expected = "```text\n \
                        2 │ c             ─► b\n \
                        1 │ b             ─► a, gdf-kernels-*\n \
                        0 │ a\n   \
                          │ gdf-kernels-*\n```";
        let crates = [("a", "serde"), ("b", "a gdf-kernels-sm90"), ("c", "a b"), ("gdf-kernels-sm90", "serde")];
        assert_eq!(drawn(crates).unwrap(), expected);
    }

    #[test]
    fn crates_in_a_circle_cannot_be_drawn() {
        assert!(drawn([("a", "b"), ("b", "a")]).is_err());
        assert!(drawn([]).is_err());
    }
}
