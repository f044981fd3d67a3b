//! What every case costs, as measured: `costs/<capability>.tsv`, which only a command rewrites.
//!
//! Costs follow from how operations are tuned. They are not computed here a second time: a run compares what it measured
//! with the files for equality, and what a change costs is the diff of the files. The lines of `cuda` are those of an
//! H200. How many bytes are allocated is not among them, for scratch memory grows with a device's multiprocessors.

mod pattern;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use gdf_driver::Device;

use pattern::{matches, split, summarized};

/// What one call costs, with the inputs already on the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// Kernel launches.
    pub launches: u64,
    /// Times the host waits for the device.
    pub waits: u64,
    /// Allocations, of results and scratch.
    pub allocations: u64,
    /// Bytes copied to the host.
    pub device_to_host_bytes: u64,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost { launches, waits, allocations, device_to_host_bytes } = self;
        write!(
            f,
            "{launches} launches, {waits} waits, {allocations} allocations, {device_to_host_bytes} bytes to the host"
        )
    }
}

/// What a case of an entry has cost: the entry's name, the case's label.
pub type Measured = (&'static str, String, Cost);

/// Set to 1 to rewrite the committed files, or to a folder to write them there: `cargo xtask test --bless`.
pub const BLESS_VARIABLE: &str = "GDF_TEST_BLESS";

/// Where files are to be written; none where they are to be compared.
pub fn bless_folder() -> Option<PathBuf> {
    match env::var_os(BLESS_VARIABLE)? {
        folder if folder.is_empty() => None,
        folder if folder == "1" => Some(env!("CARGO_MANIFEST_DIR").into()),
        folder => Some(folder.into()),
    }
}

/// What to run where a difference is meant.
pub fn remedy(device: Device) -> String {
    let device = if device.is_cuda() { format!(" --device {device}") } else { String::new() };
    format!("if that is meant: cargo xtask test --bless{device}")
}

macro_rules! files {
    ($($capability:literal)*) => {
        /// The files of all capabilities, as this program was built.
        const FILES: &[(&str, &str)] =
            &[$(($capability, include_str!(concat!("../../costs/", $capability, ".tsv")))),*];
    };
}

files! {
    "binaryop"
    "concatenate"
    "contiguous_split"
    "copying"
    "datetime"
    "filling"
    "groupby"
    "hashing"
    "join"
    "labeling"
    "lists"
    "null_mask"
    "partitioning"
    "predicate"
    "quantiles"
    "reduction"
    "replace"
    "reshape"
    "rolling"
    "round"
    "scan"
    "search"
    "sorting"
    "stream_compaction"
    "strings"
    "transform"
    "unary"
    "validation"
}

const HEADER: &str = "function\tdevice\tcases\tlaunches\twaits\tallocations\tbytes_to_host";

type Line<'t> = ((Vec<&'t str>, String), Cost);

/// Patterns and costs by entry and kind of device.
static COMMITTED: LazyLock<BTreeMap<(String, &str), Vec<Line<'static>>>> = LazyLock::new(|| {
    let mut committed: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (capability, text) in FILES {
        for line in text.lines().skip(1) {
            let (function, device, pattern, cost) =
                parsed(line).unwrap_or_else(|| panic!("costs/{capability}.tsv: no line of seven fields: {line:?}"));
            committed.entry((format!("{capability}.{function}"), device)).or_default().push((split(pattern), cost));
        }
    }
    committed
});

fn parsed(line: &str) -> Option<(&str, &str, &str, Cost)> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [function, device, pattern, ref numbers @ ..] = fields[..] else { return None };
    let numbers: Vec<u64> = numbers.iter().map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let &[launches, waits, allocations, device_to_host_bytes] = &numbers[..] else { return None };
    Some((function, device, pattern, Cost { launches, waits, allocations, device_to_host_bytes }))
}

fn kind(device: Device) -> &'static str {
    if device.is_cuda() { "cuda" } else { "cpu" }
}

fn lines(entry: &str, device: Device) -> &'static [Line<'static>] {
    COMMITTED.get(&(entry.to_owned(), kind(device))).map_or(&[], Vec::as_slice)
}

/// Compares what a case cost with its line.
///
/// # Errors
/// - the committed cost, if there is one: it is another.
pub(crate) fn check(entry: &str, device: Device, label: &str, measured: Cost) -> Result<(), Option<Cost>> {
    let label = split(label);
    let own: BTreeSet<Cost> =
        lines(entry, device).iter().filter(|(pattern, _)| matches(pattern, &label)).map(|(_, cost)| *cost).collect();
    if own == BTreeSet::from([measured]) {
        return Ok(());
    }
    Err(own.into_iter().find(|cost| *cost != measured))
}

/// Lines of a capability that none of the cases, which are all that it has, is about.
///
/// # Errors
/// - there are some.
fn check_use(capability: &str, device: Device, measured: &[Measured]) -> Result<(), String> {
    let mut unused = Vec::new();
    for ((entry, _), lines) in
        COMMITTED.iter().filter(|((entry, of), _)| *of == kind(device) && entry.split('.').next() == Some(capability))
    {
        let labels: Vec<_> =
            measured.iter().filter(|(name, ..)| name == entry).map(|(_, label, _)| split(label)).collect();
        let is_unused = |line: &&Line<'_>| !labels.iter().any(|label| matches(&line.0, label));
        unused.extend(
            lines.iter().filter(is_unused).map(|((tokens, _), cost)| format!("{entry} {:?}: {cost}", tokens.join(" "))),
        );
    }
    match unused.as_slice() {
        [] => Ok(()),
        unused => Err(format!("costs without a case; {}\n  {}", remedy(device), unused.join("\n  "))),
    }
}

/// Rewrites the device's lines of a capability's file where [`BLESS_VARIABLE`] says so; else looks for lines without a
/// case. To be called with the costs of all of the capability's cases.
///
/// # Errors
/// - a line has no case; two cases of one label cost differently; or the file could not be written.
pub fn bless_or_check_use(
    capability: &str,
    device: Device,
    measured: &[Measured],
    narrowed: bool,
) -> Result<(), String> {
    let Some(folder) = bless_folder() else { return check_use(capability, device, measured) };
    let path = folder.join("costs").join(format!("{capability}.tsv"));
    let built = FILES.iter().find(|(name, _)| *name == capability).map_or("", |(_, text)| *text);
    let before = fs::read_to_string(&path).unwrap_or_else(|_| built.to_owned());
    write(&path, &blessed(&before, device, measured, narrowed)?)
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(path, text)).map_err(|error| format!("{}: {error}", path.display()))
}

/// The file with the device's lines made of what was measured, and the others as before; if `narrowed`, also those of functions
/// that were not measured.
fn blessed(before: &str, device: Device, measured: &[Measured], narrowed: bool) -> Result<String, String> {
    let mut entries: BTreeMap<&str, BTreeMap<String, Cost>> = BTreeMap::new();
    for (entry, label, cost) in measured {
        if label.contains(['\t', '\n', '|', '*']) {
            return Err(format!("{entry}: a label cannot be a pattern: {label:?}"));
        }
        let function = entry.split('.').next_back().unwrap_or(entry);
        if let Some(other) = entries.entry(function).or_default().insert(label.clone(), *cost)
            && other != *cost
        {
            return Err(format!("{entry}: two cases are called {label:?}: {other}; {cost}"));
        }
    }
    let is_kept = |line: &&str| {
        parsed(line).is_some_and(|(name, of, ..)| of != kind(device) || (narrowed && !entries.contains_key(name)))
    };
    let mut lines: BTreeSet<String> = before.lines().skip(1).filter(is_kept).map(str::to_owned).collect();
    for (function, costs) in &entries {
        for (pattern, cost) in summarized(costs) {
            let Cost { launches, waits, allocations, device_to_host_bytes } = cost;
            let cost = format!("{launches}\t{waits}\t{allocations}\t{device_to_host_bytes}");
            lines.insert(format!("{function}\t{}\t{pattern}\t{cost}", kind(device)));
        }
    }
    Ok([HEADER.to_owned()].into_iter().chain(lines).map(|line| line + "\n").collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(label: &str, launches: u64) -> Measured {
        ("scan.scan", label.to_owned(), Cost { launches, ..Cost::default() })
    }

    #[test]
    fn the_other_device_keeps_its_lines() {
        let cuda = blessed("", Device::Cuda(0), &[measured("a/0", 0), measured("a/1", 1)], false).unwrap();
        let both = blessed(&cuda, Device::Cpu, &[measured("a/0", 0), measured("a/1", 0)], false).unwrap();
        let lines = ["scan\tcpu\ta/*\t0\t0\t0\t0", "scan\tcuda\ta/0\t0\t0\t0\t0", "scan\tcuda\ta/1\t1\t0\t0\t0"];
        assert_eq!(both, format!("{HEADER}\n{}\n", lines.join("\n")));
        assert_eq!(blessed(&both, Device::Cpu, &[], false).unwrap(), cuda);
        assert_eq!(blessed(&both, Device::Cpu, &[], true).unwrap(), both);
    }

    #[test]
    fn cases_of_one_label_cost_the_same() {
        blessed("", Device::Cpu, &[measured("a", 1), measured("a", 1)], false).unwrap();
        let error = blessed("", Device::Cpu, &[measured("a", 1), measured("a", 2)], false).unwrap_err();
        assert!(error.contains("two cases are called"), "{error}");
        assert!(blessed("", Device::Cpu, &[measured("a|b", 1)], false).is_err());
    }

    #[test]
    fn committed_files_are_whole_and_of_the_catalog() {
        for (_, text) in FILES {
            assert_eq!(text.lines().next(), Some(HEADER));
            assert!(text.lines().skip(1).is_sorted());
        }
        let names: BTreeSet<&str> = crate::catalog::all().iter().map(|entry| entry.name).collect();
        for (entry, _) in COMMITTED.keys() {
            assert!(names.contains(entry.as_str()), "{entry}");
        }
    }

    #[test]
    fn a_case_without_a_line_is_distinguished_from_another_cost() {
        assert_eq!(check("scan.no such entry", Device::Cpu, "a", Cost::default()), Err(None));
        let other = Cost { allocations: 1 << 40, ..Cost::default() };
        let found = check("scan.scan", Device::Cpu, "Inclusive Sum of Int8/0/None/Exclude", other);
        assert_eq!(found, Err(Some(Cost::default())));
        let unused = check_use("scan", Device::Cpu, &[]).unwrap_err();
        assert!(unused.contains("costs without a case; if that is meant: cargo xtask test --bless"), "{unused}");
    }
}
