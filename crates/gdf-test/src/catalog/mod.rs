//! The catalog: one [`Entry`] per public function, with inputs, oracle, equality class and the most
//! waits. The [`runner`](crate::runner) turns each into checks of correctness, memory, streams,
//! [costs](crate::costs) and failing allocations.
//!
//! To add an operation: write its oracle in `naive/<capability>.rs`, its entry in
//! `catalog/<capability>.rs` (a `pub(super) fn entries() -> Vec<Entry>`), and name the capability in
//! the list below if it is new.
//!
//! ```
//! use arrow_array::types::Int64Type;
//! use arrow_array::{Array, ArrayRef};
//! use gdf_core::Column;
//! use gdf_driver::Device;
//! use gdf_test::builders::plain;
//! use gdf_test::catalog::{Case, Ctx, Entry};
//! use gdf_test::compare::Equality;
//! use gdf_test::data::{SMALL_BRACKETS, grid, strings};
//! use gdf_test::runner::{RunnerOptions, run_entry};
//!
//! // The operation: how many rows, as a column of one row.
//! fn count_rows(column: &Column, ctx: Ctx<'_>) -> gdf_core::Result<Column> {
//!     gdf_core::Column::from_slice_on(&[column.len() as i64], ctx.stream, ctx.mr.output)
//! }
//!
//! fn naive_count(inputs: &[ArrayRef]) -> Result<Vec<ArrayRef>, String> {
//!     Ok(vec![plain::<Int64Type>([inputs[0].len() as i64])])
//! }
//!
//! fn cases() -> Vec<Case> {
//!     let case = |(label, input)| {
//!         let run = |inputs: &[Column], ctx: Ctx<'_>| {
//!             Ok(vec![count_rows(&inputs[0], ctx)?])
//!         };
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
use gdf_core::scope;
use gdf_core::Column;
pub use gdf_detail::Ctx;
use gdf_driver::Stream;
use gdf_memory::{Resource, Resources};

use crate::compare::Equality;

pub use counts::bless_or_check_names;
pub(crate) use counts::check_counts;

/// The operation through `gdf-detail`, with the given stream and resources; a scalar result is a
/// column of one row.
pub type RunFn = Arc<dyn Fn(&[Column], Ctx<'_>) -> gdf_core::Result<Vec<Column>> + Send + Sync>;

/// The same through `gdf-api`, which finds stream and resources itself.
pub type ApiFn = Arc<dyn Fn(&[Column]) -> gdf_core::Result<Vec<Column>> + Send + Sync>;

/// Where a case's operation finds its stream and resources.
#[derive(Clone)]
pub(crate) enum Call {
    WithContext(RunFn),
    InScope(ApiFn),
}

/// What the results must be, computed sequentially and obviously.
pub type NaiveFn = Arc<dyn Fn(&[ArrayRef]) -> Result<Vec<ArrayRef>, String> + Send + Sync>;

/// What slices of the inputs may cost beside what the inputs as they are cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SliceCosts {
    /// The same.
    #[default]
    Same,
    /// So many allocations more, where a size is estimated by what lies around the rows.
    Allocations(u64),
    /// A launch and a wait more, as the nulls of slices are not counted yet.
    NullCount,
    /// Whatever lies around the rows makes it; waits are bounded as always.
    Own,
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
    pub(crate) run: Call,
    /// The public function, where the entry shows it too.
    pub api: Option<ApiFn>,
    /// The oracle.
    pub naive: NaiveFn,
    /// How often the host waits for the device, at most: what the function's documentation promises.
    pub waits: u64,
    /// Words that come to the host beside the few that each result may need: what a function returns there.
    pub host_values: usize,
    /// What slices may cost.
    pub slices: SliceCosts,
    /// Where the operation has to refuse its inputs: which errors are right. What a refusal costs is not promised.
    pub refused: Option<fn(&gdf_core::Error) -> bool>,
}

impl Case {
    /// A case without the public function; see [`Case::with_api`].
    pub fn new(
        label: impl Into<String>,
        inputs: Vec<ArrayRef>,
        run: impl Fn(&[Column], Ctx<'_>) -> gdf_core::Result<Vec<Column>> + Send + Sync + 'static,
        naive: impl Fn(&[ArrayRef]) -> Result<Vec<ArrayRef>, String> + Send + Sync + 'static,
        waits: u64,
    ) -> Self {
        let (run, naive) = (Call::WithContext(Arc::new(run)), Arc::new(naive));
        Case {
            label: label.into(),
            inputs,
            run,
            api: None,
            naive,
            waits,
            host_values: 0,
            slices: SliceCosts::Same,
            refused: None,
        }
    }

    /// A case of the public function, which finds stream and resources in the entered scope.
    pub fn public(
        label: impl Into<String>,
        inputs: Vec<ArrayRef>,
        run: impl Fn(&[Column]) -> gdf_core::Result<Vec<Column>> + Send + Sync + 'static,
        naive: impl Fn(&[ArrayRef]) -> Result<Vec<ArrayRef>, String> + Send + Sync + 'static,
        waits: u64,
    ) -> Self {
        let case = Case::new(label, inputs, |_, _| Ok(Vec::new()), naive, waits);
        Case { run: Call::InScope(Arc::new(run)), ..case }
    }

    /// As [`public`](Self::public), of inputs that the function has to refuse.
    pub fn public_refused(
        label: impl Into<String>,
        inputs: Vec<ArrayRef>,
        run: impl Fn(&[Column]) -> gdf_core::Result<Vec<Column>> + Send + Sync + 'static,
        is_right: fn(&gdf_core::Error) -> bool,
    ) -> Self {
        let case = Case::public(label, inputs, run, |_| Ok(Vec::new()), 0);
        Case { refused: Some(is_right), ..case }
    }

    /// A case of inputs that the operation has to refuse with an error that `is_right`: results, and other errors, are
    /// failures.
    pub fn refused(
        label: impl Into<String>,
        inputs: Vec<ArrayRef>,
        run: impl Fn(&[Column], Ctx<'_>) -> gdf_core::Result<Vec<Column>> + Send + Sync + 'static,
        is_right: fn(&gdf_core::Error) -> bool,
    ) -> Self {
        let case = Case::new(label, inputs, run, |_| Ok(Vec::new()), 0);
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

    /// The same case, of a function that returns so many words on the host.
    #[must_use]
    pub fn with_host_values(mut self, words: usize) -> Self {
        self.host_values = words;
        self
    }

    /// The same case, whose slices may cost more.
    #[must_use]
    pub fn with_slice_costs(mut self, slices: SliceCosts) -> Self {
        self.slices = slices;
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
        let Some(api) = &self.api else { return self.call(inputs, stream, output, temporary) };
        in_scope(api, inputs, stream, output, temporary)
    }

    /// Calls the operation with that stream and those resources.
    pub(crate) fn call(
        &self,
        inputs: &[Column],
        stream: &Stream,
        output: &Resource,
        temporary: &Resource,
    ) -> gdf_core::Result<Vec<Column>> {
        match &self.run {
            Call::WithContext(run) => run(inputs, Ctx::new(stream, Resources::new(output, temporary))),
            Call::InScope(run) => in_scope(run, inputs, stream, output, temporary),
        }
    }

    /// The rows of the longest input.
    pub fn rows(&self) -> usize {
        self.inputs.iter().map(|input| input.len()).max().unwrap_or(0)
    }
}

fn in_scope(
    function: &ApiFn,
    inputs: &[Column],
    stream: &Stream,
    output: &Resource,
    temporary: &Resource,
) -> gdf_core::Result<Vec<Column>> {
    let _stream = scope::enter_stream(stream);
    let _resources = scope::enter_resources(output, temporary)?;
    function(inputs)
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
    /// Whether the size of results is guessed on CUDA; those for which the guess was wrong are given back.
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
mod groupby_order;
mod groupby_runs;
mod groupby_values;
mod overflow;
mod reduction_order;
mod refusals;
mod sorting_columns;
mod sorting_top;
mod tables;
mod validation_columns;

// One line per capability, alphabetical.
capabilities! {
    binaryop,
    cast,
    checked,
    concatenate,
    contiguous_split,
    copy_if_else,
    copying,
    copying_nulls,
    datetime,
    describe,
    ewma,
    filling,
    groupby,
    groupby_pairs,
    groupby_partial,
    groupby_rows,
    groupby_scan,
    groupby_selected,
    hashing,
    histogram,
    is_null,
    join,
    join_tables,
    labeling,
    lists,
    null_mask,
    partitioning,
    predicate,
    quantiles,
    rank,
    rearrange,
    reduction,
    replace,
    reshape,
    rolling,
    rolling_ranges,
    round,
    scan,
    scatter,
    search,
    selected,
    shift,
    sorting,
    stream_compaction,
    strings,
    strings_characters,
    strings_edit,
    strings_regex,
    strings_similarity,
    strings_split,
    strings_tokens,
    tdigest,
    text_floats,
    text_numbers,
    text_search,
    text_times,
    time_zone,
    transform,
    unary_operation,
    unique,
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
