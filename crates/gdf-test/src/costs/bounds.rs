//! The stated bounds of the bytes of operations, and the measured peaks. The files `bounds/<capability>.tsv` of a
//! catalog contain the smallest ratio of bound to peak for each function and device.
//!
//! The runner compares every peak with its bound. No test compares the files with new measurements, because the peaks
//! of the CPU depend on which tasks run at the same time. The page of costs shows the ratios.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use gdf_driver::Device;

use super::{Snapshots, kind, write};

/// The bytes of a call: the upper bound that the operation states, and the measured peak. Neither counts the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// The upper bound.
    pub bound: usize,
    /// The largest number of bytes that were allocated at a time.
    pub peak: usize,
}

impl Bytes {
    /// Returns the ratio of the bound to the peak, in tenths.
    fn tenths(self) -> usize {
        self.bound.saturating_mul(10) / self.peak.max(1)
    }
}

/// The smallest peak whose ratio is kept. A bound has a part that does not depend on the rows, so the ratio of a
/// smaller peak means nothing.
const MIN_PEAK: usize = 16 << 10;

const HEADER: &str = "function\tdevice\tsmallest bound/peak";

impl Snapshots {
    /// Rewrites the device's lines in the file of a capability if [`BLESS_VARIABLE`](super::BLESS_VARIABLE) is set.
    /// With `narrowed`, lines of functions without a measured value are kept.
    ///
    /// # Errors
    /// - the file cannot be written.
    pub fn bless_bounds(
        &self,
        capability: &str,
        device: Device,
        measured: &[(&'static str, Bytes)],
        narrowed: bool,
    ) -> Result<(), String> {
        let Some(folder) = self.bless_folder().filter(|_| !measured.is_empty()) else { return Ok(()) };
        let path = folder.join("bounds").join(format!("{capability}.tsv"));
        let before = fs::read_to_string(&path)
            .or_else(|_| fs::read_to_string(self.folder.join("bounds").join(path.file_name().unwrap_or_default())));
        write(&path, &blessed(&before.unwrap_or_default(), device, measured, narrowed))
    }
}

/// Returns the new text of a file.
fn blessed(before: &str, device: Device, measured: &[(&'static str, Bytes)], narrowed: bool) -> String {
    let mut smallest: BTreeMap<&str, usize> = BTreeMap::new();
    for (entry, bytes) in measured.iter().filter(|(_, bytes)| bytes.peak >= MIN_PEAK) {
        let function = entry.split('.').next_back().unwrap_or(entry);
        let own = smallest.entry(function).or_insert(usize::MAX);
        *own = bytes.tenths().min(*own);
    }
    let is_kept = |line: &&str| {
        let mut fields = line.split('\t');
        let (function, of) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        of != kind(device) || (narrowed && !smallest.contains_key(function))
    };
    let mut lines: BTreeSet<String> = before.lines().skip(1).filter(is_kept).map(str::to_owned).collect();
    lines.extend(
        smallest
            .iter()
            .map(|(function, tenths)| format!("{function}\t{}\t{}.{}", kind(device), tenths / 10, tenths % 10)),
    );
    [HEADER.to_owned()].into_iter().chain(lines).map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_smallest_ratio_of_large_peaks() {
        let bytes = |bound, peak| ("scan.scan", Bytes { bound, peak });
        let measured = [bytes(300_000, 100), bytes(100_000, 40_000), bytes(100_000, 30_000)];
        let cpu = blessed("", Device::Cpu, &measured, false);
        assert_eq!(cpu, format!("{HEADER}\nscan\tcpu\t2.5\n"));
        let both = blessed(&cpu, Device::Cuda(0), &measured[2..], false);
        assert_eq!(both, format!("{HEADER}\nscan\tcpu\t2.5\nscan\tcuda\t3.3\n"));
        assert_eq!(blessed(&both, Device::Cpu, &[], true), both);
    }
}
