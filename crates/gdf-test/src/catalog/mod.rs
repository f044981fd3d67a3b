//! What a catalog is made of: one [`Entry`] per public function, with inputs, oracle, equality class and the most
//! waits. The [`runner`](crate::runner) turns each into checks of correctness, memory, streams,
//! [costs](crate::costs) and failing allocations.
//!
//! ```
//! use arrow_array::types::Int64Type;
//! use arrow_array::{Array, ArrayRef};
//! use gdf_core::Column;
//! use gdf_core::scope::{current_resources, current_stream};
//! use gdf_driver::Device;
//! use gdf_test::builders::plain;
//! use gdf_test::catalog::{Case, Entry};
//! use gdf_test::compare::Equality;
//! use gdf_test::data::{SMALL_BRACKETS, grid, strings};
//! use gdf_test::runner::{RunnerOptions, run_entry};
//!
//! // The function: how many rows, as a column of one row.
//! fn count_rows(column: &Column) -> gdf_core::Result<Column> {
//!     let (stream, (output, _)) = (current_stream(column.device())?, current_resources(column.device())?);
//!     Column::from_slice_on(&[column.len() as i64], &stream, output.as_ref())
//! }
//!
//! fn naive_count(inputs: &[ArrayRef]) -> Result<Vec<ArrayRef>, String> {
//!     Ok(vec![plain::<Int64Type>([inputs[0].len() as i64])])
//! }
//!
//! fn cases() -> Vec<Case> {
//!     let case = |(label, input)| {
//!         let run = |inputs: &[Column]| Ok(vec![count_rows(&inputs[0])?]);
//!         // At most 0 waits.
//!         Case::new(label, vec![input], run, naive_count, 0)
//!     };
//!     grid(&strings(), SMALL_BRACKETS).into_iter().map(case).collect()
//! }
//!
//! let entry = Entry::new("reduction.count_rows", Equality::Exact, cases);
//! run_entry(&entry, Device::Cpu, &RunnerOptions::default()).assert_passed();
//! ```

use std::sync::Arc;

use arrow_array::ArrayRef;
use gdf_core::Column;
use gdf_core::scope;
use gdf_driver::Stream;
use gdf_memory::Resource;

use crate::compare::Equality;

/// A public function in a scope, which finds its stream and resources there; a scalar result is a column of one row.
pub type RunFn = Arc<dyn Fn(&[Column]) -> gdf_core::Result<Vec<Column>> + Send + Sync>;

/// What the results must be, computed sequentially and obviously.
pub type NaiveFn = Arc<dyn Fn(&[ArrayRef]) -> Result<Vec<ArrayRef>, String> + Send + Sync>;

/// What slices of the inputs may cost beside what the inputs as they are cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SliceCosts {
    /// The same.
    #[default]
    Same,
    /// At most this many more allocations. The operation estimates a size from the data around the rows of the slice.
    Allocations(u64),
    /// One more launch and one more wait, because the null count of a slice is not known yet.
    NullCount,
    /// Whatever lies around the rows makes it; waits are bounded as always.
    Own,
}

/// One input of an entry, with everything needed to judge the result.
#[derive(Clone)]
#[non_exhaustive]
pub struct Case {
    /// The label of the case: type, rows, nulls, arguments.
    pub label: String,
    /// The inputs, one array per column.
    pub inputs: Vec<ArrayRef>,
    /// The function.
    pub run: RunFn,
    /// The oracle.
    pub naive: NaiveFn,
    /// How often the host waits for the device, at most: what the function's documentation promises.
    pub waits: u64,
    /// Words that come to the host beside the few that each result may need: what a function returns there.
    pub host_values: usize,
    /// The additional cost that slices may have.
    pub slices: SliceCosts,
    /// Where the operation has to refuse its inputs: which errors are right. What a refusal costs is not promised.
    pub refused: Option<fn(&gdf_core::Error) -> bool>,
}

impl Case {
    /// A case of a public function, which is called in a scope of the run's stream and resources.
    pub fn new(
        label: impl Into<String>,
        inputs: Vec<ArrayRef>,
        run: impl Fn(&[Column]) -> gdf_core::Result<Vec<Column>> + Send + Sync + 'static,
        naive: impl Fn(&[ArrayRef]) -> Result<Vec<ArrayRef>, String> + Send + Sync + 'static,
        waits: u64,
    ) -> Self {
        Case {
            label: label.into(),
            inputs,
            run: Arc::new(run),
            naive: Arc::new(naive),
            waits,
            host_values: 0,
            slices: SliceCosts::Same,
            refused: None,
        }
    }

    /// A case of inputs that the function has to refuse with an error that `is_right`: results, and other errors, are
    /// failures.
    pub fn refused(
        label: impl Into<String>,
        inputs: Vec<ArrayRef>,
        run: impl Fn(&[Column]) -> gdf_core::Result<Vec<Column>> + Send + Sync + 'static,
        is_right: fn(&gdf_core::Error) -> bool,
    ) -> Self {
        let case = Case::new(label, inputs, run, |_| Ok(Vec::new()), 0);
        Case { refused: Some(is_right), ..case }
    }

    /// The same case, for a function that returns the given number of words on the host.
    #[must_use]
    pub fn with_host_values(mut self, words: usize) -> Self {
        self.host_values = words;
        self
    }

    /// The same case, with the given additional cost for slices.
    #[must_use]
    pub fn with_slice_costs(mut self, slices: SliceCosts) -> Self {
        self.slices = slices;
        self
    }

    /// Calls the function in a scope of the given stream and resources.
    pub(crate) fn call(
        &self,
        inputs: &[Column],
        stream: &Stream,
        output: &Resource,
        temporary: &Resource,
    ) -> gdf_core::Result<Vec<Column>> {
        let _device = scope::enter_device(stream.device());
        let _stream = scope::enter_stream(stream);
        let _resources = scope::enter_resources(output, temporary)?;
        (self.run)(inputs)
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
    /// The kind of equality that results must have with the oracle.
    pub equality: Equality,
    /// Whether results may be slices of the inputs; then the rules for fresh results do not hold and
    /// nothing need be launched.
    pub shares_inputs: bool,
    /// Whether the operation guesses the size of results on CUDA.
    ///
    /// A result whose guessed size was wrong is given back and allocated again.
    pub guesses: bool,
    /// Whether the size of results is estimated on CUDA by what lies around the rows: slices may take more or fewer launches
    /// and allocations, and one wait more or less.
    pub estimates: bool,
    /// The cases: over types, brackets and nulls, all together below about two seconds on the CPU.
    pub cases: fn() -> Vec<Case>,
}

impl Entry {
    /// An entry whose results are fresh.
    pub const fn new(name: &'static str, equality: Equality, cases: fn() -> Vec<Case>) -> Self {
        Entry { name, equality, shares_inputs: false, guesses: false, estimates: false, cases }
    }

    /// The same entry, whose results may be slices of its inputs.
    #[must_use]
    pub const fn sharing_inputs(mut self) -> Self {
        self.shares_inputs = true;
        self
    }

    /// The same entry, whose results may be allocated by a guess of their size, and again where it was wrong.
    #[must_use]
    pub const fn guessing(mut self) -> Self {
        self.guesses = true;
        self
    }

    /// The same entry, the size of whose results is estimated.
    #[must_use]
    pub const fn estimating(mut self) -> Self {
        self.estimates = true;
        self
    }
}
