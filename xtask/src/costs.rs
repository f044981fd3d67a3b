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

/// Flags of `cargo xtask costs`: none.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: Args) -> Result<()> {
    let folder = root().join(FOLDER);
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("could not read {}", folder.display()))? {
        let path = entry?.path();
        let capability = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        files.push((capability, fs::read_to_string(&path)?));
    }
    let page = page(files.iter().map(|(capability, text)| (capability.as_str(), text.as_str())))?;
    fs::write(root().join(PAGE), page).with_context(|| format!("could not write {PAGE}"))
}

/// Returns the text of the page.
pub(crate) fn page<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> Result<String> {
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
    Ok(INTRODUCTION.to_owned() + &most.iter().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_most_of_each() {
        let file = "header\nscan\tcuda\ta\t1/0/7/0\nscan\tcuda\tb\t0/0/0/0 2/1/3/8\nscan\tcpu\t*\t0/0/5/0\n";
        let page = page([("scan", file)]).unwrap();
        assert!(page.ends_with("|\n| `scan::scan` | 2 | 1 | 7 | 8 | 5 |\n"), "{page}");
        assert!(super::page([("scan", "header\nscan\n")]).is_err());
    }
}
