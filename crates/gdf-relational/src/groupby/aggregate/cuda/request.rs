//! A group-by on CUDA: its keys and its plan, opened for kernels, and what its launches share.

use gdf_core::{Column, ColumnView, Result, TableView};
use gdf_driver::Stream;
use gdf_engine::cuda::{CudaColumn, Grid, In, Kernel, Memory, Out, Rows, require};
use gdf_engine::keys::Packing;
use gdf_engine::layout::characters;
use gdf_engine::limits::GroupByLimits;
use gdf_kernels::Arguments;
use gdf_kernels::generated::common::{GroupSlot, GroupState, GroupTable, RowKeys, RowTable};
use gdf_kernels::generated::groupby as kernels;
use gdf_kernels::generated::groupby::{
    Accumulation, Accumulators, AggregateInit, Beginnings, MAX_STEPS, Steps, VALUE_COLUMNS,
};

use crate::Ctx;
use crate::groupby::NullPolicy;
use crate::groupby::aggregate::plan::{Accumulator, AggregationPlan, words_of};

pub(super) const BEGINNINGS: usize = size_of::<Beginnings>();

/// The key columns of a call, opened for kernels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys<'p> {
    pub(super) desc: &'p RowKeys<'p>,
    /// Whether the keys of a row pack into 64 bits.
    pub(super) packed: bool,
    /// The bits of packed keys to flip, so that the unsigned order of packed keys is the order of the keys.
    pub(super) signs: u64,
    /// The bits of packed keys that say that a column is null.
    pub(super) null_bits: u64,
    pub(super) texts: bool,
    pub(super) rows: usize,
    /// Whether the rows can be moved to partitions.
    pub(super) movable: bool,
    /// Whether the rows are known to be sorted by their keys.
    pub(super) is_ascending: bool,
}

/// A group-by with opened keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'r, 'a> {
    /// The key columns of the result.
    pub(super) columns: &'r TableView<'a>,
    pub(super) policy: NullPolicy,
    pub(super) keys: Keys<'r>,
    /// How to unpack the key columns of the result. `None` if keys are not packed, and if packed keys contain numbers
    /// of texts.
    pub(super) packing: Option<&'r Packing>,
    pub(super) plan: &'r AggregationPlan<'a>,
    pub(super) limits: &'r GroupByLimits,
    pub(super) ctx: Ctx<'r>,
}

/// The outcome of an attempt to aggregate with one strategy.
#[derive(Debug)]
pub(super) enum Attempt {
    /// The key columns, and then the result columns.
    Complete(Vec<Column>),
    /// The rows are not as the strategy requires.
    Unsuitable,
    /// The table of groups is full: `groups` groups were found among `rows` rows.
    Overflow { groups: u64, rows: u64 },
}

impl<'r, 'a> Request<'r, 'a> {
    /// Returns whether the accumulators need only one pass over the rows.
    pub(super) fn has_one_pass(&self) -> bool {
        self.plan.distincts.is_empty() && self.plan.corrections.is_empty()
    }

    /// Returns the packing of keys whose words alone say which rows are null.
    pub(super) fn plain_packing(&self) -> Option<&'r Packing> {
        self.packing.filter(|packing| !packing.special_null)
    }

    /// Returns the accumulators of each launch.
    pub(super) fn launches(&self) -> Vec<&'r [Accumulator]> {
        launches(&self.plan.accumulators)
    }

    /// Opens the columns that the accumulators of a launch read.
    pub(super) fn open(&self, steps: &[Accumulator]) -> Result<OpenSteps<'a>> {
        OpenSteps::new(steps, &self.plan.values, self.ctx.stream)
    }

    /// Returns the common input of the accumulating kernels: the keys of the rows, the accumulators with the columns
    /// that the accumulators read, and the groups to update.
    pub(super) fn accumulation<'l>(&self, open: &'l OpenSteps<'_>, groups: &Groups<'l>) -> Accumulation<'l>
    where
        'r: 'l,
    {
        let (values, steps, table, acc) = (open.values(), open.steps, groups.table, groups.acc);
        Accumulation { keys: *self.keys.desc, values, steps, rows: Rows::new(self.keys.rows), table, acc }
    }

    /// Returns the initial values of the words from `first` on, and the number of these words.
    pub(super) fn beginnings(&self, first: usize) -> (Beginnings, i32) {
        let mut begin = Beginnings::default();
        for step in &self.plan.accumulators {
            if let Some(target) = step.word.checked_sub(first).and_then(|word| begin.of_word.get_mut(word)) {
                *target = step.op as u8;
            }
        }
        (begin, (self.plan.words - first).min(BEGINNINGS) as i32)
    }

    /// Enqueues the launches that clear the table of the groups, if they have one, and initialize their accumulators.
    pub(super) fn clear(&self, groups: &Groups<'_>) -> Result<()> {
        let kernel = Kernel::find(self.ctx.stream)?;
        let has_table = groups.table.slots.address() != 0;
        let places = if has_table { groups.slots() + 2 } else { groups.capacity() };
        for first in (0..self.plan.words).step_by(BEGINNINGS) {
            let (beginnings, words) = self.beginnings(first);
            let (table, acc, with_table) =
                (groups.table, groups.after_word(first)?, i32::from(has_table && first == 0));
            let arguments = AggregateInit { table, acc, beginnings, words, with_table };
            self.run(&kernel, Grid::Blocks(kernel.blocks(places)), &arguments)?;
        }
        Ok(())
    }

    /// Enqueues a launch.
    pub(super) fn run<A: Arguments>(&self, kernel: &Kernel<A::Static>, grid: Grid, arguments: &A) -> Result<()> {
        run(kernel, grid, arguments, self.ctx.stream)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Groups<'m> {
    pub(super) table: GroupTable<'m>,
    pub(super) acc: Accumulators<'m>,
    words: usize,
}

impl<'m> Groups<'m> {
    /// Returns the number of bytes of a table for `capacity` groups, including the table's state.
    pub(super) fn table_bytes(capacity: usize) -> usize {
        (slots(capacity) + 2) * size_of::<GroupSlot>() + size_of::<GroupState>()
    }

    /// Places a table and its accumulators of `words` words in the given memory.
    pub(super) fn new(capacity: usize, words: usize, table: Memory<'m>, acc: Memory<'m>) -> Result<Self> {
        let slots = slots(capacity);
        let state = table.skip((slots + 2) * size_of::<GroupSlot>());
        let mut groups = Self::without_table(capacity, words, state, acc)?;
        (groups.table.slots, groups.table.mask) = (table.array(0, slots + 2)?, slots as u64 - 1);
        Ok(groups)
    }

    /// Describes the accumulators of `count` groups without a table.
    pub(super) fn without_table(count: usize, words: usize, state: Memory<'m>, acc: Memory<'m>) -> Result<Self> {
        let first_row = acc.array(0, words.saturating_mul(count))?;
        let state = state.array(0, 1)?;
        let table = GroupTable { slots: Out::NULL, mask: 0, state, first_row, capacity: count as u64 };
        let acc = Accumulators { words: first_row, stride: count as i64, keys: In::NULL };
        Ok(Self { table, acc, words })
    }

    pub(super) fn capacity(&self) -> usize {
        self.table.capacity as usize
    }

    pub(super) fn slots(&self) -> usize {
        self.table.mask as usize + 1
    }

    pub(super) fn after_word(&self, word: usize) -> Result<Accumulators<'m>> {
        require(word < self.words, "the accumulators have no such word")?;
        Ok(Accumulators { words: self.acc.words.element(word * self.capacity()), ..self.acc })
    }
}

pub(super) fn run<A: Arguments>(kernel: &Kernel<A::Static>, grid: Grid, arguments: &A, stream: &Stream) -> Result<()> {
    // SAFETY: The kernels of `kernels/groupby` require the following.
    // - Keys, the columns of steps and other values have `rows` rows (`check_rows`).
    // - Partitioned rows are the rows that the launch before has counted with the same number of blocks. Their types
    //   are types that the launch can move (`movable`). Their memory has the sum of the sizes of its arrays.
    // - Groups have numbers below the capacity of the table. `Groups` has checked the size of its memory against the
    //   capacity and the words of the plan. This launch or a launch before clears the table. The row numbers in the
    //   table are row numbers of the inputs.
    // - Runs are counted with the same tiles as in the launches that follow, for the same keys. `Groups` has room for
    //   as many groups as there are runs. `Memory` has checked the sizes of the arrays of counts and partial sums.
    // - Dense keys pack below the number of keys of the plan, for which the accumulators, the bits of present keys and
    //   the parts were made. Keys of parts are those that the launch before has moved by the same rule.
    // - Hash sets and hash tables of samples have more slots than rows. `Memory` has checked the sizes of their
    //   arrays and of the arrays of tile counts.
    // - The columns of a program have `rows` rows, and stay open until the launch is enqueued. The program was made for
    //   the types of these columns. Each output that a step reads is an output of the program.
    // - Outputs have a row for each group that can exist, and as many characters as a launch has counted.
    // - Mailboxes have as many words as the kernel posts. The descriptors have room for all steps, results and
    //   initial words. The launch has the shared memory that the kernel's plan requires.
    // - The caller holds all memory until the launch is enqueued.
    unsafe { kernel.launch_grid(stream, grid, arguments)? };
    Ok(())
}

pub(super) fn check_rows<'v>(rows: usize, views: impl IntoIterator<Item = &'v ColumnView<'v>>) -> Result<()> {
    require(
        views.into_iter().all(|view| view.len() == rows),
        "the columns of a group-by have different numbers of rows",
    )
}

/// Returns the number of slots of a table for `capacity` groups.
fn slots(capacity: usize) -> usize {
    (capacity + capacity / 2).next_power_of_two().max(64)
}

/// The accumulators that one launch fills, and the columns that these accumulators read, opened for kernels.
#[derive(Debug)]
pub(super) struct OpenSteps<'a> {
    pub(super) steps: Steps,
    /// The columns that the steps read.
    pub(super) requests: Vec<ColumnView<'a>>,
    columns: Vec<CudaColumn<'a>>,
}

impl<'a> OpenSteps<'a> {
    /// Opens the columns of `views` that the steps read. Values of requests after the last view are computed.
    fn new(steps: &[Accumulator], views: &[ColumnView<'a>], stream: &Stream) -> Result<Self> {
        let mut out = Steps::default();
        let mut requests = Vec::new();
        for (step, out_step) in steps.iter().zip(&mut out.step) {
            let column = match step.request.filter(|request| *request < views.len()) {
                None => -1,
                Some(request) => {
                    let known = requests.iter().position(|known| *known == request);
                    known.unwrap_or_else(|| {
                        requests.push(request);
                        requests.len() - 1
                    }) as i16
                }
            };
            *out_step = kernels::Step {
                op: step.op as i32,
                column,
                input: step.input as i16,
                word: step.word as i32,
                local: out.local_words,
            };
            out.local_words += words_of(step.op) as i32;
            out.count += 1;
        }
        let requests: Vec<_> = requests.into_iter().map(|request| views[request]).collect();
        let columns = requests.iter().take(VALUE_COLUMNS).map(|view| CudaColumn::open(*view, stream));
        let columns = columns.collect::<Result<_>>()?;
        Ok(Self { steps: out, requests, columns })
    }

    pub(super) fn values(&self) -> RowTable<'_, VALUE_COLUMNS> {
        let mut values = RowTable { count: self.requests.len() as i32, ..RowTable::default() };
        let slots = values.column.iter_mut().zip(&mut values.bytes);
        for ((target, bytes), (column, view)) in slots.zip(self.columns.iter().zip(&self.requests)) {
            (*target, *bytes) = (column.desc(), characters(*view));
        }
        values
    }

    pub(super) fn words(&self) -> usize {
        self.steps.local_words as usize
    }
}

/// Splits the accumulators into the accumulators of each launch.
pub(super) fn launches(steps: &[Accumulator]) -> Vec<&[Accumulator]> {
    let mut cut = Vec::new();
    let mut rest = steps;
    loop {
        let mut requests = Vec::new();
        let fits = |step: &&Accumulator| {
            if let Some(request) = step.request.filter(|request| !requests.contains(request)) {
                requests.push(request);
            }
            requests.len() <= VALUE_COLUMNS
        };
        let count = rest.iter().take(MAX_STEPS).take_while(fits).count();
        let (launch, after) = rest.split_at(count);
        cut.push(launch);
        rest = after;
        if rest.is_empty() {
            return cut;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groupby::aggregate::plan::{AccumulatorInput, CombineOp};

    #[test]
    fn launches_hold_what_fits() {
        let step = |request: usize| Accumulator {
            op: CombineOp::Add,
            input: AccumulatorInput::One,
            request: Some(request),
            word: 0,
        };
        assert_eq!(launches(&[]).len(), 1);
        let one_column: Vec<_> = (0..70).map(|_| step(3)).collect();
        assert_eq!(launches(&one_column).iter().map(|steps| steps.len()).collect::<Vec<_>>(), [32, 32, 6]);
        let columns: Vec<_> = (0..40).map(step).collect();
        assert_eq!(launches(&columns).iter().map(|steps| steps.len()).collect::<Vec<_>>(), [16, 16, 8]);
    }
}
