//! The catalog: one [`Entry`] per public function, with inputs, oracle, equality class and exact
//! cost. The [`runner`](crate::runner) turns each into checks of correctness, memory, streams,
//! counters and failing allocations.
//!
//! To add an operation: write its oracle in `naive/<capability>.rs`, its entry in
//! `catalog/<capability>.rs` (a `pub(super) fn entries() -> Vec<Entry>`), and name the capability in
//! the list below if it is new.
//!
//! ```
//! use arrow_array::types::Int64Type;
//! use arrow_array::{Array, ArrayRef};
//! use gdf_core::Column;
//! use gdf_driver::{Device, Stream};
//! use gdf_memory::Resources;
//! use gdf_test::builders::plain;
//! use gdf_test::catalog::{Case, Cost, Entry};
//! use gdf_test::compare::Equality;
//! use gdf_test::data::{SMALL_BRACKETS, grid, strings};
//! use gdf_test::runner::{RunnerOptions, run_entry};
//!
//! // The operation: how many rows, as a column of one row.
//! fn count_rows(column: &Column, stream: &Stream, mr: Resources<'_>) -> gdf_core::Result<Column> {
//!     gdf_core::fixed_width_from_slice(&[column.len() as i64], stream, mr.output)
//! }
//!
//! fn naive_count(inputs: &[ArrayRef]) -> Result<Vec<ArrayRef>, String> {
//!     Ok(vec![plain::<Int64Type>([inputs[0].len() as i64])])
//! }
//!
//! fn cases() -> Vec<Case> {
//!     let cost = Cost { launches: 1, allocations: 1, ..Cost::default() };
//!     let case = |(label, input)| {
//!         let run = |inputs: &[Column], stream: &Stream, mr: Resources<'_>| {
//!             Ok(vec![count_rows(&inputs[0], stream, mr)?])
//!         };
//!         Case::new(label, vec![input], run, naive_count, cost)
//!     };
//!     grid(&strings(), SMALL_BRACKETS).into_iter().map(case).collect()
//! }
//!
//! let entry = Entry::new("reduction.count_rows", Equality::Exact, cases);
//! run_entry(&entry, Device::Cpu, &RunnerOptions::default()).assert_passed();
//! ```

use std::sync::Arc;

use arrow_array::ArrayRef;
use gdf_api::scope;
use gdf_core::Column;
use gdf_driver::Stream;
use gdf_memory::{Resource, Resources};

use crate::compare::Equality;

pub(crate) use counts::check_counts;
pub use counts::{BLESS_VARIABLE, bless_or_check_names};

/// The operation through `gdf-detail`, with the given stream and resources; a scalar result is a
/// column of one row.
pub type RunFn = Arc<dyn Fn(&[Column], &Stream, Resources<'_>) -> gdf_core::Result<Vec<Column>> + Send + Sync>;

/// The same through `gdf-api`, which finds stream and resources itself.
pub type ApiFn = Arc<dyn Fn(&[Column]) -> gdf_core::Result<Vec<Column>> + Send + Sync>;

/// What the results must be, computed sequentially and obviously.
pub type NaiveFn = Arc<dyn Fn(&[ArrayRef]) -> Result<Vec<ArrayRef>, String> + Send + Sync>;

/// What one call costs, exactly, on CUDA, with the inputs already on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
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

impl Cost {
    /// The cost of one after the other.
    pub(crate) fn plus(self, other: Cost) -> Cost {
        Cost {
            launches: self.launches + other.launches,
            waits: self.waits + other.waits,
            allocations: self.allocations + other.allocations,
            device_to_host_bytes: self.device_to_host_bytes + other.device_to_host_bytes,
        }
    }
}

/// One input of an entry, with everything needed to judge the result.
#[derive(Clone)]
#[non_exhaustive]
pub struct Case {
    /// What is special about it: type, rows, nulls, arguments.
    pub label: String,
    /// The inputs, one array per column.
    pub inputs: Vec<ArrayRef>,
    /// The operation.
    pub run: RunFn,
    /// The public function, where the entry shows it too.
    pub api: Option<ApiFn>,
    /// The oracle.
    pub naive: NaiveFn,
    /// What the operation costs.
    pub cost: Cost,
    /// Blocks of `output` that the operation may give back: results for which a guess left too little room.
    pub outgrown: usize,
    /// Allocations that slices may take beyond the cost, where a guess of text's size goes by what lies around the rows.
    pub slice_allocations: u64,
    /// Where the operation has to refuse its inputs: which errors are right. What a refusal costs is not promised.
    pub refused: Option<fn(&gdf_core::Error) -> bool>,
}

impl Case {
    /// A case without the public function; see [`Case::with_api`].
    pub fn new(
        label: impl Into<String>,
        inputs: Vec<ArrayRef>,
        run: impl Fn(&[Column], &Stream, Resources<'_>) -> gdf_core::Result<Vec<Column>> + Send + Sync + 'static,
        naive: impl Fn(&[ArrayRef]) -> Result<Vec<ArrayRef>, String> + Send + Sync + 'static,
        cost: Cost,
    ) -> Self {
        let (run, naive) = (Arc::new(run), Arc::new(naive));
        Case {
            label: label.into(),
            inputs,
            run,
            api: None,
            naive,
            cost,
            outgrown: 0,
            slice_allocations: 0,
            refused: None,
        }
    }

    /// A case of inputs that the operation has to refuse with an error that `is_right`: results, and other errors, are
    /// failures.
    pub fn refused(
        label: impl Into<String>,
        inputs: Vec<ArrayRef>,
        run: impl Fn(&[Column], &Stream, Resources<'_>) -> gdf_core::Result<Vec<Column>> + Send + Sync + 'static,
        is_right: fn(&gdf_core::Error) -> bool,
    ) -> Self {
        let case = Case::new(label, inputs, run, |_| Ok(Vec::new()), Cost::default());
        Case { refused: Some(is_right), ..case }
    }

    /// The same case, which also calls the public function, in a scope with the run's stream and resources.
    #[must_use]
    pub fn with_api(
        mut self,
        api: impl Fn(&[Column]) -> gdf_core::Result<Vec<Column>> + Send + Sync + 'static,
    ) -> Self {
        self.api = Some(Arc::new(api));
        self
    }

    /// The same case, of which so many results outgrow the room that a guess has given them.
    #[must_use]
    pub fn with_outgrown(mut self, blocks: usize) -> Self {
        self.outgrown = blocks;
        self
    }

    /// The same case, whose slices may take so many allocations more.
    #[must_use]
    pub fn with_slice_allocations(mut self, allocations: u64) -> Self {
        self.slice_allocations = allocations;
        self
    }

    /// Calls the public function in a scope of that stream and those resources; the operation where there is none.
    pub(crate) fn call_public(
        &self,
        inputs: &[Column],
        stream: &Stream,
        output: &Resource,
        temporary: &Resource,
    ) -> gdf_core::Result<Vec<Column>> {
        let Some(api) = &self.api else {
            return (self.run)(inputs, stream, Resources::new(output, temporary));
        };
        let _stream = scope::enter_stream(stream);
        let _resources = scope::enter_resources(output, temporary)?;
        api(inputs)
    }

    /// The rows of the longest input.
    pub fn rows(&self) -> usize {
        self.inputs.iter().map(|input| input.len()).max().unwrap_or(0)
    }
}

/// One public function.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// Capability and function: `"stream_compaction.apply_boolean_mask"`.
    pub name: &'static str,
    /// How equal results must be.
    pub equality: Equality,
    /// Whether results may be slices of the inputs; then the rules for fresh results do not hold and
    /// nothing need be launched.
    pub shares_inputs: bool,
    /// The cases: over types, brackets and nulls, all together below about two seconds on the CPU.
    pub cases: fn() -> Vec<Case>,
}

impl Entry {
    /// An entry whose results are fresh.
    pub const fn new(name: &'static str, equality: Equality, cases: fn() -> Vec<Case>) -> Self {
        Entry { name, equality, shares_inputs: false, cases }
    }

    /// The same entry, whose results may be slices of its inputs.
    #[must_use]
    pub const fn sharing_inputs(mut self) -> Self {
        self.shares_inputs = true;
        self
    }
}

macro_rules! capabilities {
    ($($capability:ident),* $(,)?) => {
        $(mod $capability;)*

        /// Every entry of every capability.
        pub fn all() -> Vec<Entry> {
            let capabilities: &[fn() -> Vec<Entry>] = &[$($capability::entries),*];
            capabilities.iter().flat_map(|entries| entries()).collect()
        }
    };
}

mod counts;
mod distinct;
mod groupby_values;
mod moved_rows;
mod overflow;
mod sorting_bins;
mod sorting_columns;
mod sorting_cost;
mod sorting_top;
pub(crate) mod support;
mod validation_columns;

// One line per capability, alphabetical.
capabilities! {
    binaryop,
    cast,
    concatenate,
    copy_if_else,
    copying,
    copying_nulls,
    groupby,
    groupby_partial,
    hashing,
    is_null,
    join,
    null_mask,
    partitioning,
    reduction,
    scan,
    scatter,
    sorting,
    stream_compaction,
    unary_operation,
    validation,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_named_once_and_by_capability() {
        // Twice only where cases of one function are compared differently.
        let entries = all();
        assert!(entries.iter().all(|entry| entry.name.split('.').count() == 2));
        let mut names: Vec<_> = entries.iter().map(|entry| format!("{} {:?}", entry.name, entry.equality)).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "an entry is listed twice");
    }
}
