//! `cargo xtask costs`: writes the page of the guide with the highest cost of each function.
//!
//! The tests of the catalog measure the costs of the cases and write the files in `tests/costs`.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::repository::root;

pub(crate) const PAGE: &str = "docs/guide/costs.md";

/// The folder of the files with the costs, with one file per capability.
pub(crate) const FOLDER: &str = "tests/costs/";

/// The folder of the files with the bounds of bytes, with one file per capability that has some.
pub(crate) const BOUNDS: &str = "tests/bounds/";

const INTRODUCTION: &str = "# Costs

The most that a call costs, over all cases of the catalog: kernel launches, waits for the device, allocations of results and
scratch, and bytes copied to the host. Most calls cost less, and tables of more columns than a launch takes, some 16 to 32,
cost more. A few cases call a function twice, the first time with a map that is refused, and those of `join::hash_join` use one
table for all joins. What the cases of each shape class cost is in `tests/costs`, where a test compares it with what it has measured; on CUDA
that was an H200, and a device with fewer multiprocessors changes its strategy at fewer rows. The CPU neither launches nor
waits; its cases run as tasks of 64 rows on three threads, and a task may allocate. How often a function waits at most, whatever its inputs, is in its documentation.

This page is written by `cargo xtask costs`.

| function | launches | waits | allocations | bytes to the host | allocations on the CPU |
|---|---|---|---|---|---|
";

const BOUNDED: &str = "
## Bounds of memory

Some operations state an upper bound of the bytes that they allocate, before they start (`gdf::external::bounds`). The catalog measures the
peak of results and scratch in each of their cases, on whole and on sliced inputs, and fails where it exceeds the bound. The table has the smallest
quotient of bound and peak of all cases whose peak is at least 16 KiB; at 1 a bound would be exact. Bounds of joins assume that all pairs of rows match,
unless the keys of the right side are known to be distinct. Steps of
frames reserve a multiple of the bytes of their tables; `verbs_reserve_what_they_need` in `crates/gdf-frame/tests/limits.rs` compares each verb's reservation with its peak.

| function | smallest bound / peak on CUDA | on the CPU |
|---|---|---|
";

/// Flags of `cargo xtask costs`: none.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: Args) -> Result<()> {
    let (costs, bounds) = (files(FOLDER)?, files(BOUNDS)?);
    let page = page(named(&costs), named(&bounds))?;
    fs::write(root().join(PAGE), page).with_context(|| format!("could not write {PAGE}"))
}

/// Returns the capabilities and texts of the files in a folder.
fn files(folder: &str) -> Result<Vec<(String, String)>> {
    let folder = root().join(folder);
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("could not read {}", folder.display()))? {
        let path = entry?.path();
        let capability = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        files.push((capability, fs::read_to_string(&path)?));
    }
    Ok(files)
}

fn named(files: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    files.iter().map(|(capability, text)| (capability.as_str(), text.as_str()))
}

/// Returns the text of the page from the files of costs and the files of bounds.
pub(crate) fn page<'t>(
    files: impl IntoIterator<Item = (&'t str, &'t str)>,
    bounds: impl IntoIterator<Item = (&'t str, &'t str)>,
) -> Result<String> {
    // The first four numbers are the launches, waits, allocations and bytes on CUDA.
    let mut most: BTreeMap<String, [u64; 8]> = BTreeMap::new();
    for (capability, text) in files {
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [function, device, _, costs] = fields[..] else {
                bail!("{capability}.tsv: each line must have 4 fields, found: {line}")
            };
            let own = most.entry(format!("{capability}::{function}")).or_default();
            let first = if device == "cuda" { 0 } else { 4 };
            for cost in costs.split(' ') {
                let numbers = cost.split('/').map(str::parse::<u64>).collect::<Result<Vec<_>, _>>();
                let numbers = numbers.with_context(|| format!("{capability}: {line}"))?;
                for (most, number) in own[first..].iter_mut().zip(numbers) {
                    *most = number.max(*most);
                }
            }
        }
    }
    let line = |(function, [launches, waits, allocations, bytes, _, _, on_cpu, _]): (&String, &[u64; 8])| {
        format!("| `{function}` | {launches} | {waits} | {allocations} | {bytes} | {on_cpu} |\n")
    };
    Ok(INTRODUCTION.to_owned() + &most.iter().map(line).collect::<String>() + BOUNDED + &bounded(bounds)?)
}

/// Returns the lines of the table of bounds.
fn bounded<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> Result<String> {
    let mut ratios: BTreeMap<String, [&str; 2]> = BTreeMap::new();
    for (capability, text) in files {
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [function, device, ratio] = fields[..] else {
                bail!("{capability}.tsv: each line must have 3 fields, found: {line}")
            };
            let own = ratios.entry(format!("{capability}::{function}")).or_insert(["–"; 2]);
            own[usize::from(device != "cuda")] = ratio;
        }
    }
    Ok(ratios.iter().map(|(function, [cuda, cpu])| format!("| `{function}` | {cuda} | {cpu} |\n")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_most_of_each() {
        let file = "header\nscan\tcuda\ta\t1/0/7/0\nscan\tcuda\tb\t0/0/0/0 2/1/3/8\nscan\tcpu\t*\t0/0/5/0\n";
        let bounds = "header\nscan\tcpu\t1.5\nscan\tcuda\t2.0\nrank\tcpu\t3.0\n";
        let page = page([("scan", file)], [("scan", bounds)]).unwrap();
        assert!(page.contains("|\n| `scan::scan` | 2 | 1 | 7 | 8 | 5 |\n\n"), "{page}");
        assert!(page.ends_with("|\n| `scan::rank` | – | 3.0 |\n| `scan::scan` | 2.0 | 1.5 |\n"), "{page}");
        assert!(super::page([("scan", "header\nscan\n")], []).is_err());
        assert!(super::page([], [("scan", "header\nscan\n")]).is_err());
    }
}
