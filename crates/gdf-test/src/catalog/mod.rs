//! The parts of a catalog. A catalog has one [`Entry`] per public function. The entry has inputs, an oracle, an
//! equality class and a limit of waits.
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

/// A call of a public function. The function takes its stream and its resources from the scope that the caller has
/// entered. If the result of the function is a scalar, the call returns a column of one row.
pub type RunFn = Arc<dyn Fn(&[Column]) -> gdf_core::Result<Vec<Column>> + Send + Sync>;

/// An oracle. An oracle computes the expected results with simple sequential code.
pub type NaiveFn = Arc<dyn Fn(&[ArrayRef]) -> Result<Vec<ArrayRef>, String> + Send + Sync>;

/// A function that returns the largest number of bytes that a call may allocate, as the operation states it before it
/// starts. The function returns `None` if the operation states no bound for these inputs.
pub type BoundFn = Arc<dyn Fn(&[Column]) -> Option<usize> + Send + Sync>;

/// How much the costs of a run on slices of the inputs may differ from the costs of a run on the unchanged inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SliceCosts {
    /// The costs of both runs are the same.
    #[default]
    Same,
    /// The run on slices may have this many more allocations. The reason is that the operation estimates a size, and
    /// rows outside of the slice influence the estimate.
    Allocations(u64),
    /// The run on slices may have one more launch and one more wait. The reason is that the null count of a slice is
    /// not known, so the operation counts the nulls.
    NullCount,
    /// The costs are not compared, because rows outside of the slice determine the costs. The limit of waits still
    /// applies.
    Own,
}

/// A set of inputs of an entry, with everything that the runner needs to check the results.
#[derive(Clone)]
#[non_exhaustive]
pub struct Case {
    /// The label of the case. The label states the type, the number of rows, the nulls and the arguments.
    pub label: String,
    /// The inputs, one array per column.
    pub inputs: Vec<ArrayRef>,
    /// The function.
    pub run: RunFn,
    /// The oracle.
    pub naive: NaiveFn,
    /// The maximum number of times that the host may wait for the device. The function's documentation promises this
    /// number.
    pub waits: u64,
    /// The number of words that the function returns on the host. Independently of this number, the function may copy a
    /// few words to the host for each result.
    pub host_values: usize,
    /// The additional costs that a run on slices may have.
    pub slices: SliceCosts,
    /// For inputs for which the operation must return an error: a function that returns whether an error is the right
    /// error. `None` if the operation must succeed. The costs of a call that returns an error are not checked.
    pub refused: Option<fn(&gdf_core::Error) -> bool>,
    /// The upper bound of the bytes of results and scratch memory, at their peak and without the inputs. `None` if the
    /// operation states no bound.
    pub bound: Option<BoundFn>,
}

impl Case {
    /// Returns a case of a public function. The runner calls the function in a scope with the stream and the resources
    /// of the run.
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
            bound: None,
        }
    }

    /// Returns a case of inputs for which the function must return an error. The function `is_right` returns whether an
    /// error is the right error. If the function returns results or another error, the case fails.
    pub fn refused(
        label: impl Into<String>,
        inputs: Vec<ArrayRef>,
        run: impl Fn(&[Column]) -> gdf_core::Result<Vec<Column>> + Send + Sync + 'static,
        is_right: fn(&gdf_core::Error) -> bool,
    ) -> Self {
        let case = Case::new(label, inputs, run, |_| Ok(Vec::new()), 0);
        Case { refused: Some(is_right), ..case }
    }

    /// Returns the case with the number of words that the function returns on the host.
    #[must_use]
    pub fn with_host_values(mut self, words: usize) -> Self {
        self.host_values = words;
        self
    }

    /// Returns the case with the additional costs that a run on slices may have.
    #[must_use]
    pub fn with_slice_costs(mut self, slices: SliceCosts) -> Self {
        self.slices = slices;
        self
    }

    /// Returns the case with the bound of the bytes that the operation states for its inputs. The runner compares the
    /// bound with the measured peak, on whole and on sliced inputs.
    #[must_use]
    pub fn with_bound<B: Into<Option<usize>>>(
        mut self,
        bound: impl Fn(&[Column]) -> B + Send + Sync + 'static,
    ) -> Self {
        self.bound = Some(Arc::new(move |inputs: &[Column]| bound(inputs).into()));
        self
    }

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
    /// The module and the name of the function, such as `"stream_compaction.apply_boolean_mask"`.
    pub name: &'static str,
    /// The equality by which the results are compared with the results of the oracle.
    pub equality: Equality,
    /// Whether results may share memory with the inputs. What they share need not keep the layout rules of new results,
    /// and the operation need not launch a kernel.
    pub shares_inputs: bool,
    /// Whether results may be slices of memory that an operation has made.
    pub slices: bool,
    /// Whether the operation may launch no kernel on CUDA, although there are rows. Its results come from sizes alone,
    /// or it moves bytes by copies.
    pub may_launch_nothing: bool,
    /// Whether the operation guesses the size of results on CUDA.
    ///
    /// If the guess was wrong, the operation frees the result and allocates it again.
    pub guesses: bool,
    /// Whether the operation estimates the size of results on CUDA. Rows outside of a slice influence the estimate.
    /// Therefore the numbers of launches and allocations of a run on slices may differ, and the number of waits may
    /// differ by one.
    pub estimates: bool,
    /// Whether the decimals of results must have the precision of the oracle's results.
    pub exact_types: bool,
    /// Returns the cases. The cases cover types, lengths and nulls. All cases together take less than about two seconds
    /// on the CPU.
    pub cases: fn() -> Vec<Case>,
}

impl Entry {
    /// Returns an entry whose results share no memory with the inputs.
    pub const fn new(name: &'static str, equality: Equality, cases: fn() -> Vec<Case>) -> Self {
        Entry {
            name,
            equality,
            shares_inputs: false,
            slices: false,
            may_launch_nothing: false,
            guesses: false,
            estimates: false,
            exact_types: false,
            cases,
        }
    }

    /// Returns the entry for an operation whose results may share memory with the inputs. Results of at least one run
    /// must do so. Null rows of shared memory may hide values. The other memory is checked as in
    /// [`check_sanitized_beside`](crate::compare::check_sanitized_beside). The operation need not launch a kernel.
    #[must_use]
    pub const fn sharing_inputs(mut self) -> Self {
        self.shares_inputs = true;
        self
    }

    /// Returns the entry for an operation whose results may be slices of memory that the operation has made, such as the
    /// parts of a packed table. Their rows may start at any row of their buffers, and bits outside of the rows may be set.
    #[must_use]
    pub const fn slicing(mut self) -> Self {
        self.slices = true;
        self
    }

    /// Returns the entry for an operation that may launch no kernel.
    #[must_use]
    pub const fn launching_nothing(mut self) -> Self {
        self.may_launch_nothing = true;
        self
    }

    /// Returns the entry for an operation that guesses the size of results. If the guess was wrong, the operation may
    /// allocate the result again.
    #[must_use]
    pub const fn guessing(mut self) -> Self {
        self.guesses = true;
        self
    }

    /// Returns the entry for an operation that estimates the size of results.
    #[must_use]
    pub const fn estimating(mut self) -> Self {
        self.estimates = true;
        self
    }

    /// Returns the entry for an operation that documents the precision of the decimals of its results.
    #[must_use]
    pub const fn exact_types(mut self) -> Self {
        self.exact_types = true;
        self
    }
}
