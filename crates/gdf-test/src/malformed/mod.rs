//! Calls of every public function with malformed columns, which safe code can make from arbitrary buffers.
//!
//! [`Column::try_from_parts`](gdf_core::Column::try_from_parts) is safe and checks only sizes. Therefore a column may
//! have arbitrary offsets, keys, views, type ids, run ends, text and null counts. The function [`run_malformed`] calls
//! each function with such columns in place of the inputs of the catalog's cases.
//!
//! A public function must return an error, or results that can be read completely. The function must not panic, lose
//! the device, or write outside of a block.

mod malformation;
mod sweep;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;

use gdf_driver::Device;
use gdf_memory::Buffer;

pub use malformation::{Kind, Lane, Malformation, Nulls, Pattern, Text, has_rules};

use crate::catalog::Entry;
use crate::device::new_stream;
use crate::resources::watch_current;
use crate::runner::on_threads;
use sweep::{BUILDS_ITS_COLUMNS, Sweep};

/// Functions that do not read data with rules. They return slices, make new columns with the type of another column, or
/// count and find bits of masks.
pub const READS_NO_DATA: &[&str] = &[
    "copying.allocate_like",
    "copying.empty_like",
    "copying.empty_like_column",
    "copying.get_element",
    "copying.slice",
    "copying.slice_column",
    "copying.split",
    "copying.split_column",
    "null_mask.batch_null_count",
    "null_mask.index_of_first_set_bit",
    "null_mask.null_count",
];

/// The options of [`run_malformed`].
#[derive(Clone, Debug)]
pub struct MalformedOptions {
    /// Runs only entries whose name contains this text.
    pub entries: Option<String>,
    /// The distance between calls that are made. If the distance is 20, the function makes one of 20 calls.
    ///
    /// Tools that slow down calls need a larger distance.
    pub every: usize,
    /// Whether the checks are strict. Strict checks have two additional requirements. If `validate` returns an error
    /// for data, every function that reads the data must return `BrokenData`. Results that are marked as validated must
    /// be valid.
    pub strict: bool,
}

/// The report about the calls.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MalformedReport {
    /// The number of calls.
    pub calls: usize,
    /// The number of calls that returned results.
    pub values: usize,
    /// The number of calls that returned `BrokenData`.
    pub broken_data: usize,
    /// The number of calls that returned another error.
    pub other_errors: usize,
    /// The number of columns that could not be made, because `try_from_parts` did not accept their parts.
    pub refused_parts: usize,
    /// The pairs of a function and a malformation that were tested.
    pub pairs: BTreeSet<(&'static str, String)>,
    /// The functions that have an input with rows.
    pub entries: BTreeSet<&'static str>,
    /// The functions that have an input of a type with rules.
    pub entries_with_rules: BTreeSet<&'static str>,
    /// The functions that were called with a column whose references or text are broken, so that `validate` refuses the
    /// column.
    pub covered: BTreeSet<&'static str>,
    /// Whether the device was lost. After the loss, no function was called.
    pub lost: bool,
    /// All failures.
    pub failures: Vec<String>,
}

/// The largest number of failures that are printed.
const PRINTED: usize = 60;

impl MalformedReport {
    /// Returns the functions that were never called with a column whose references or text are broken.
    pub fn uncovered(&self) -> Vec<&'static str> {
        let direct = |name: &&'static str| BUILDS_ITS_COLUMNS.contains(name);
        self.entries.iter().copied().filter(|name| !self.covered.contains(name) && !direct(name)).collect()
    }

    fn merge(&mut self, other: Self) {
        self.calls += other.calls;
        self.values += other.values;
        self.broken_data += other.broken_data;
        self.other_errors += other.other_errors;
        self.refused_parts += other.refused_parts;
        self.pairs.extend(other.pairs);
        self.entries.extend(other.entries);
        self.entries_with_rules.extend(other.entries_with_rules);
        self.covered.extend(other.covered);
        self.lost |= other.lost;
        self.failures.extend(other.failures);
    }

    /// Returns whether there was a call and no call failed.
    pub fn passed(&self) -> bool {
        self.calls > 0 && self.failures.is_empty()
    }
}

impl fmt::Display for MalformedReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} functions, {} pairs of function and malformation, {} calls: {} values, {} BrokenData, {} other errors; \
             {} columns refused; {} failures",
            self.entries.len(),
            self.pairs.len(),
            self.calls,
            self.values,
            self.broken_data,
            self.other_errors,
            self.refused_parts,
            self.failures.len()
        )?;
        self.failures.iter().take(PRINTED).try_for_each(|failure| write!(f, "\n  {failure}"))?;
        match self.failures.len().checked_sub(PRINTED) {
            Some(more) if more > 0 => write!(f, "\n  and {more} more"),
            _ => Ok(()),
        }
    }
}

/// Calls every selected function of these entries with malformed columns on `device`.
pub fn run_malformed(entries: &[Entry], device: Device, options: &MalformedOptions) -> MalformedReport {
    let upstream = match watch_current(device) {
        Ok(upstream) => upstream,
        Err(error) => return MalformedReport { failures: vec![error.to_string()], ..MalformedReport::default() },
    };
    let selected = |name: &str| options.entries.as_ref().is_none_or(|part| name.contains(part.as_str()));
    let entries: Vec<_> = entries.iter().filter(|entry| selected(entry.name)).collect();
    let start = || Sweep::new(device, upstream.clone(), options);
    let sweeps = on_threads(&entries, start, |sweep, index, entry| sweep.entry(index, entry));
    let mut report = MalformedReport::default();
    sweeps.into_iter().for_each(|sweep| report.merge(sweep.report));
    report.failures.extend(still_works(device).err().map(|error| format!("the device no longer works: {error}")));
    report
}

fn still_works(device: Device) -> gdf_core::Result<()> {
    let stream = new_stream(device)?;
    let resource = gdf_memory::current_resource(device)?;
    let bytes = [0x5a; 100];
    let back = Buffer::from_host(&bytes, &stream, resource.as_ref())?.to_host(&stream)?;
    if back == bytes {
        Ok(())
    } else {
        Err(gdf_core::Error::invalid_data(
            "bytes that were copied to the device and back differ from the original bytes",
        ))
    }
}
