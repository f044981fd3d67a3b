//! The measured costs of every case. The files `costs/<capability>.tsv` of a catalog contain the costs. The files
//! change only if a command rewrites them.

mod bounds;
mod counts;
mod pattern;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use gdf_driver::Device;

use crate::catalog::Entry;
pub use bounds::Bytes;
use pattern::{class, matches, split, summarized};

/// The cost of a call. The inputs are on the device before the call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// The number of kernel launches.
    pub launches: u64,
    /// The number of times that the host waits for the device.
    pub waits: u64,
    /// The number of allocations for results and for scratch memory.
    pub allocations: u64,
    /// The number of bytes copied to the host.
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

/// The measured cost of a case: the name of the entry, the label of the case, and the cost.
pub type Measured = (&'static str, String, Cost);

type Costs = BTreeSet<Cost>;

/// The environment variable that makes tests write the files. The command `cargo xtask test --bless` sets the variable.
/// If the value is 1, the committed files are rewritten. Any other value names the folder to which the files are
/// written.
pub const BLESS_VARIABLE: &str = "GDF_TEST_BLESS";

/// Returns whether tests write the files. If tests do not write the files, they compare the files.
pub fn is_blessing() -> bool {
    bless_value().is_some()
}

fn bless_value() -> Option<OsString> {
    env::var_os(BLESS_VARIABLE).filter(|value| !value.is_empty())
}

/// Returns a message with the command that writes the measured costs to the files. A developer runs the command if the
/// difference is intended.
pub fn remedy(device: Device) -> String {
    let device = if device.is_cuda() { format!(" --device {device}") } else { String::new() };
    format!("if the change is intended: cargo xtask test --bless{device}")
}

const HEADER: &str = "function\tdevice\tcases\tcosts";

type Line = ((Vec<&'static str>, String), Costs);

/// The costs and counts of a catalog. The values are those that were committed when the program was built.
#[derive(Debug)]
pub struct Snapshots {
    folder: PathBuf,
    counts: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// The lines.
    lines: BTreeMap<(String, &'static str), Vec<Line>>,
}

impl Snapshots {
    /// Makes snapshots of a catalog. `counts` is the text of the file `counts.tsv` in `folder`. `costs` has the name
    /// and the text of each file in the folder `costs`. The folder has one file for each capability.
    ///
    /// # Panics
    /// - a line of a file is malformed.
    pub fn new(
        folder: impl Into<PathBuf>,
        counts: &'static str,
        costs: &'static [(&'static str, &'static str)],
    ) -> Snapshots {
        let mut lines: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (capability, text) in costs {
            for line in text.lines().skip(1) {
                let (function, device, pattern, costs) =
                    parsed(line).unwrap_or_else(|| panic!("costs/{capability}.tsv: malformed line: {line:?}"));
                lines.entry((format!("{capability}.{function}"), device)).or_default().push((split(pattern), costs));
            }
        }
        Snapshots { folder: folder.into(), counts, files: costs, lines }
    }

    /// Returns the folder to which files are written.
    fn bless_folder(&self) -> Option<PathBuf> {
        bless_value().map(|value| if value == "1" { self.folder.clone() } else { value.into() })
    }

    /// Compares the measured cost of a case with the line of its shape class.
    ///
    /// # Errors
    /// - the measured cost is not committed. The error has the committed costs of the class.
    pub(crate) fn check_cost(&self, entry: &str, device: Device, label: &str, measured: Cost) -> Result<(), Vec<Cost>> {
        let class = class(label);
        let class = split(&class);
        let lines = self.lines.get(&(entry.to_owned(), kind(device))).map_or(&[][..], Vec::as_slice);
        let own: BTreeSet<&Costs> =
            lines.iter().filter(|(pattern, _)| matches(pattern, &class)).map(|(_, costs)| costs).collect();
        if own.len() == 1 && own.iter().all(|costs| costs.contains(&measured)) {
            return Ok(());
        }
        Err(own.into_iter().flatten().copied().collect())
    }

    /// Checks that each committed cost of a capability is the cost of a case.
    ///
    /// # Errors
    /// - a committed cost is not the cost of a case.
    fn check_use(&self, capability: &str, device: Device, measured: &[Measured]) -> Result<(), String> {
        let mut unused = Vec::new();
        let of_capability =
            |(entry, of): &(String, &str)| *of == kind(device) && entry.split('.').next() == Some(capability);
        for ((entry, _), lines) in self.lines.iter().filter(|(key, _)| of_capability(key)) {
            let classes: Vec<_> = measured
                .iter()
                .filter(|(name, ..)| name == entry)
                .map(|(_, label, cost)| (class(label), *cost))
                .collect();
            let classes: Vec<_> = classes.iter().map(|(class, cost)| (split(class), *cost)).collect();
            for (pattern, costs) in lines {
                let found: Costs =
                    classes.iter().filter(|(class, _)| matches(pattern, class)).map(|(_, cost)| *cost).collect();
                let without = costs.iter().filter(|cost| !found.contains(cost));
                unused.extend(without.map(|cost| format!("{entry} {:?}: {cost}", pattern.0.join(" "))));
            }
        }
        match unused.as_slice() {
            [] => Ok(()),
            unused => {
                Err(format!("these costs do not belong to any case; {}\n  {}", remedy(device), unused.join("\n  ")))
            }
        }
    }

    /// Rewrites the lines of the device in the file of a capability if [`BLESS_VARIABLE`] is set. If the variable is
    /// not set, the function checks that each committed cost is the cost of a case. `measured` must have the costs of
    /// all cases of the capability.
    ///
    /// # Errors
    /// - a committed cost is not the cost of a case, a label cannot be a pattern, or the file cannot be written.
    pub fn bless_or_check_use(
        &self,
        capability: &str,
        device: Device,
        measured: &[Measured],
        narrowed: bool,
    ) -> Result<(), String> {
        let Some(folder) = self.bless_folder() else { return self.check_use(capability, device, measured) };
        let path = folder.join("costs").join(format!("{capability}.tsv"));
        let built = self.files.iter().find(|(name, _)| *name == capability).map_or("", |(_, text)| *text);
        let before = fs::read_to_string(&path).unwrap_or_else(|_| built.to_owned());
        write(&path, &blessed(&before, device, measured, narrowed)?)
    }

    /// Checks that the files are complete, and that `entries` contains every entry in the files.
    ///
    /// # Errors
    /// - a file has another header or unsorted lines.
    /// - `entries` does not contain an entry of a file, or an entry has no cases.
    pub fn check_files(&self, entries: &[Entry]) -> Result<(), String> {
        for (capability, text) in self.files {
            if text.lines().next() != Some(HEADER) || !text.lines().skip(1).is_sorted() {
                return Err(format!(
                    "the header of costs/{capability}.tsv is outdated, or the lines are unsorted; bless the file again"
                ));
            }
        }
        let is_known = |name: &str| entries.iter().any(|entry| entry.name == name);
        match self.lines.keys().find(|(name, _)| !is_known(name)) {
            Some((name, _)) => Err(format!("the files contain costs of {name}, but no entry has this name")),
            None => self.check_counted(),
        }
    }
}

fn parsed(line: &str) -> Option<(&str, &str, &str, Costs)> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [function, device, pattern, costs] = fields[..] else { return None };
    let cost = |text: &str| {
        let numbers: Vec<u64> = text.split('/').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let [launches, waits, allocations, device_to_host_bytes] = numbers[..] else { return None };
        Some(Cost { launches, waits, allocations, device_to_host_bytes })
    };
    Some((function, device, pattern, costs.split(' ').map(cost).collect::<Option<_>>()?))
}

fn kind(device: Device) -> &'static str {
    if device.is_cuda() { "cuda" } else { "cpu" }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(path, text)).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the new text of a file.
fn blessed(before: &str, device: Device, measured: &[Measured], narrowed: bool) -> Result<String, String> {
    let mut entries: BTreeMap<&str, BTreeMap<String, Costs>> = BTreeMap::new();
    for (entry, label, cost) in measured {
        if label.contains(['\t', '\n', '|', '*']) {
            return Err(format!("{entry}: a label must not contain a tab, a line break, | or *: {label:?}"));
        }
        let function = entry.split('.').next_back().unwrap_or(entry);
        entries.entry(function).or_default().entry(class(label)).or_default().insert(*cost);
    }
    let is_kept = |line: &&str| {
        parsed(line).is_some_and(|(name, of, ..)| of != kind(device) || (narrowed && !entries.contains_key(name)))
    };
    let mut lines: BTreeSet<String> = before.lines().skip(1).filter(is_kept).map(str::to_owned).collect();
    let text = |cost: &Cost| {
        let Cost { launches, waits, allocations, device_to_host_bytes } = cost;
        format!("{launches}/{waits}/{allocations}/{device_to_host_bytes}")
    };
    for (function, costs) in &entries {
        for (pattern, costs) in summarized(costs) {
            let costs: Vec<String> = costs.iter().map(text).collect();
            lines.insert(format!("{function}\t{}\t{pattern}\t{}", kind(device), costs.join(" ")));
        }
    }
    Ok([HEADER.to_owned()].into_iter().chain(lines).map(|line| line + "\n").collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "function\tdevice\tcases\tcosts\nscan\tcpu\tfixed/*\t0/0/1/0 0/0/2/0\n";

    fn measured(label: &str, launches: u64) -> Measured {
        ("scan.scan", label.to_owned(), Cost { launches, ..Cost::default() })
    }

    #[test]
    fn the_other_device_keeps_its_lines() {
        let cuda = blessed("", Device::Cuda(0), &[measured("a/0", 0), measured("a/1", 1)], false).unwrap();
        let both = blessed(&cuda, Device::Cpu, &[measured("a/0", 0), measured("a/1", 0)], false).unwrap();
        let lines = ["scan\tcpu\ta/*\t0/0/0/0", "scan\tcuda\ta/#\t1/0/0/0", "scan\tcuda\ta/0\t0/0/0/0"];
        assert_eq!(both, format!("{HEADER}\n{}\n", lines.join("\n")));
        assert_eq!(blessed(&both, Device::Cpu, &[], false).unwrap(), cuda);
        assert_eq!(blessed(&both, Device::Cpu, &[], true).unwrap(), both);
    }

    #[test]
    fn a_class_has_the_costs_of_all_of_its_cases() {
        let labels = ["Int8/5", "Int64/6", "Int64/0"];
        let cases: Vec<_> = labels.iter().zip([2, 1, 2]).map(|(label, launches)| measured(label, launches)).collect();
        let lines = ["scan\tcpu\tfixed/#\t1/0/0/0 2/0/0/0", "scan\tcpu\tfixed/0\t2/0/0/0"];
        assert_eq!(blessed("", Device::Cpu, &cases, false).unwrap(), format!("{HEADER}\n{}\n", lines.join("\n")));
        assert!(blessed("", Device::Cpu, &[measured("a|b", 1)], false).is_err());
    }

    #[test]
    fn other_costs_and_costs_without_a_case_are_found() {
        let snapshots = Snapshots::new("", "", &[("scan", FILE)]);
        let cost = |allocations| Cost { allocations, ..Cost::default() };
        let check = |label, allocations| snapshots.check_cost("scan.scan", Device::Cpu, label, cost(allocations));
        check("Int8/1", 1).unwrap();
        check("Int64/0", 2).unwrap();
        assert_eq!(check("Int8/1", 3), Err(vec![cost(1), cost(2)]));
        assert_eq!(check("Utf8/1", 1), Err(Vec::new()));
        assert_eq!(snapshots.check_cost("scan.rank", Device::Cpu, "Int8/1", cost(1)), Err(Vec::new()));
        let measured = |allocations| ("scan.scan", "Int8/1".to_owned(), cost(allocations));
        snapshots.check_use("scan", Device::Cpu, &[measured(1), measured(2)]).unwrap();
        let unused = snapshots.check_use("scan", Device::Cpu, &[measured(1)]).unwrap_err();
        assert!(
            unused
                .contains("these costs do not belong to any case; if the change is intended: cargo xtask test --bless"),
            "{unused}"
        );
    }
}
