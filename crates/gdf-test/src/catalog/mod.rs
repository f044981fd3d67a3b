//! The parts of a catalog: one [`Entry`] per public function, with inputs, an oracle, an equality class and a limit
//! of waits. The [`runner`](crate::runner) checks for each entry the correctness, the memory, the streams, the
//! [costs](crate::costs) and the behavior if allocations fail.
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
//! /// Returns the number of rows as a column of one row.
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

/// A public function. The caller enters a scope, from which the function takes its stream and resources. A scalar
/// result is a column of one row.
pub type RunFn = Arc<dyn Fn(&[Column]) -> gdf_core::Result<Vec<Column>> + Send + Sync>;

/// An oracle: computes the expected results with simple sequential code.
pub type NaiveFn = Arc<dyn Fn(&[ArrayRef]) -> Result<Vec<ArrayRef>, String> + Send + Sync>;

/// The costs that a run on slices of the inputs may have, in comparison with the run on the unchanged inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SliceCosts {
    /// The costs of both runs are the same.
    #[default]
    Same,
    /// The run on slices may take this many more allocations, because the operation estimates a size from the data
    /// around the rows of the slice.
    Allocations(u64),
    /// The run on slices may take one more launch and one more wait, because the null count of a slice is not known
    /// yet.
    NullCount,
    /// The rows around the slice determine the costs, so the costs are not compared. The limit of waits still
    /// applies.
    Own,
}

/// One set of inputs of an entry, with everything that is needed to judge the results.
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
    /// The largest number of times that the host may wait for the device, as the function's documentation promises.
    pub waits: u64,
    /// The number of words that the function returns on the host. Each result may copy a few more words to the host.
    pub host_values: usize,
    /// The additional cost that slices may have.
    pub slices: SliceCosts,
    /// A function that returns whether an error is right, for inputs that the operation must refuse. The costs of a
    /// refusal are not checked.
    pub refused: Option<fn(&gdf_core::Error) -> bool>,
}

impl Case {
    /// Returns a case of a public function. The function is called in a scope with the stream and the resources of
    /// the run.
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

    /// Returns a case of inputs that the function must refuse with an error for which `is_right` returns true.
    /// Results and other errors are failures.
    pub fn refused(
        label: impl Into<String>,
        inputs: Vec<ArrayRef>,
        run: impl Fn(&[Column]) -> gdf_core::Result<Vec<Column>> + Send + Sync + 'static,
        is_right: fn(&gdf_core::Error) -> bool,
    ) -> Self {
        let case = Case::new(label, inputs, run, |_| Ok(Vec::new()), 0);
        Case { refused: Some(is_right), ..case }
    }

    /// Returns the same case, for a function that returns the given number of words on the host.
    #[must_use]
    pub fn with_host_values(mut self, words: usize) -> Self {
        self.host_values = words;
        self
    }

    /// Returns the same case, with the given additional cost for slices.
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

    /// Returns the number of rows of the longest input.
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
    /// The equality that results must have with the results of the oracle.
    pub equality: Equality,
    /// Whether results may be slices of the inputs. If so, the layout rules of fresh results do not apply, and
    /// nothing need be launched.
    pub shares_inputs: bool,
    /// Whether the operation guesses the size of results on CUDA.
    ///
    /// A result whose guessed size was wrong is given back and allocated again.
    pub guesses: bool,
    /// Whether the operation estimates the size of results on CUDA from the data around the rows. A run on slices may
    /// then take more or fewer launches and allocations, and one wait more or less.
    pub estimates: bool,
    /// Returns the cases, which cover types, lengths and nulls. All cases together take less than about two seconds
    /// on the CPU.
    pub cases: fn() -> Vec<Case>,
}

impl Entry {
    /// Returns an entry whose results share no memory with the inputs.
    pub const fn new(name: &'static str, equality: Equality, cases: fn() -> Vec<Case>) -> Self {
        Entry { name, equality, shares_inputs: false, guesses: false, estimates: false, cases }
    }

    /// Returns the same entry, with the permission that results are slices of the inputs.
    #[must_use]
    pub const fn sharing_inputs(mut self) -> Self {
        self.shares_inputs = true;
        self
    }

    /// Returns the same entry, with the permission that results are allocated with a guessed size, and allocated
    /// again if the guess was wrong.
    #[must_use]
    pub const fn guessing(mut self) -> Self {
        self.guesses = true;
        self
    }

    /// Returns the same entry, for an operation that estimates the size of results.
    #[must_use]
    pub const fn estimating(mut self) -> Self {
        self.estimates = true;
        self
    }
}
