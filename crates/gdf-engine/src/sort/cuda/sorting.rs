//! The sort of row numbers on CUDA: the key columns of a row are encoded as one key of as few bits as the ranges allow,
//! and a radix sort moves row numbers together with the keys.

use std::cell::RefCell;

use gdf_core::{Column, Error, Result};
use gdf_kernels::generated::sorting::{
    self as kernels, SortCount, SortCountKernel, SortEncode, SortEncodeKernel, SortEncodeRuns, SortEncodeRunsKernel,
    Sweep,
};
use gdf_kernels::{ColumnIn, KernelType};
use gdf_memory::{Buffer, Resources};

use super::codec;
use super::inputs::SortColumns;
use super::key_stats::{Measured, fields_of, is_number, measure};
use super::passes::{
    CodedValues, Counted, Digits, FirstKeys, PassBuffers, PassInput, Passes, Payload, count_digits, passes_for,
};
use crate::Ctx;
use crate::cuda::{CudaColumn, Grid, Kernel, Memory, Out, Rows};
use crate::keys::row_indices;
use crate::layout::byte_len;
use crate::sort::KeyColumn;
use crate::sort::plan::{KeyPlan, Piece, Stats, Word};

/// The number of bytes of text that a field holds.
pub(super) const FIELD_TEXT: u64 = kernels::FIELD_TEXT as u64;

pub(super) struct Sorting<'k, 's> {
    pub(super) inputs: SortColumns<'k>,
    pub(super) measured: Vec<Measured>,
    pub(super) rows: usize,
    pub(super) wide: bool,
    /// The digit counters. Every user of the counters leaves all counters zero.
    pub(super) counts: RefCell<Buffer>,
    /// The context whose resources are used for scratch memory.
    pub(super) ctx: Ctx<'s>,
}

/// The layout of the keys, in which texts that are too long for a field are replaced by ranks.
pub(super) struct KeyLayout {
    pub(super) plan: KeyPlan,
    /// For each key column, the ranks that replace its long texts, or `None` if the column is not replaced.
    pub(super) ranks: Vec<Option<Column>>,
}

/// The memory to which the keys of one word are written, and the order in which rows are encoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'m, 'b> {
    pub(super) word: Word,
    pub(super) keys: Memory<'m>,
    /// The row numbers in the order in which rows are encoded. Each row occurs once. `None` means the order of the
    /// table.
    pub(super) order: Option<Memory<'m>>,
    /// The memory to which the kernel writes row numbers, or `None` if row numbers are not needed.
    pub(super) row_numbers: Option<Memory<'m>>,
    /// The lowest bit of the word by which the passes sort.
    pub(super) first_bit: u32,
    /// A mailbox word for each pass, or a null pointer. The kernel posts to the word how often the most frequent digit
    /// of the pass occurs.
    pub(super) mailbox: Out<'b, u64>,
}

impl<'m> Target<'m, '_> {
    /// Returns a target for passes that sort by all bits of the word.
    pub(super) fn new(word: Word, keys: Memory<'m>) -> Self {
        Target { word, keys, order: None, row_numbers: None, first_bit: 0, mailbox: Out::NULL }
    }
}

impl<'k, 's> Sorting<'k, 's> {
    /// Opens and measures the key columns. **Waits** for the ranges.
    pub(super) fn new(keys: &'k [KeyColumn<'k>], rows: usize, ctx: Ctx<'s>) -> Result<Self> {
        let wide = row_indices(rows) == gdf_core::DataType::UInt64;
        let inputs = SortColumns::open(keys.iter().map(|key| key.view), rows, ctx.stream)?;
        if wide && inputs.columns.iter().any(|column| is_text_type(column.desc().data_type)) {
            let what = "the number of rows of a sort by text keys on a GPU";
            return Err(Error::beyond_limit(what, rows as i128, i128::from(u32::MAX - 1))
                .with_remedy("sort fewer rows, or sort on the CPU"));
        }
        let (measured, counts) = measure(keys, &inputs, ctx)?;
        Ok(Self { inputs, measured, rows, wide, counts: RefCell::new(counts), ctx: ctx.scratch() })
    }

    pub(super) fn column(&self, index: usize) -> Option<ColumnIn<'_>> {
        self.inputs.columns.get(index).map(CudaColumn::desc)
    }

    pub(super) fn stats_without_nulls(&self) -> impl Iterator<Item = (Piece, Stats)> + '_ {
        self.measured.iter().map(|measured| (measured.piece, Stats { null: false, ..measured.stats }))
    }

    pub(super) fn key_columns(&self) -> usize {
        self.inputs.columns.len()
    }

    pub(super) fn long_text(&self) -> Option<(Measured, ColumnIn<'_>)> {
        match (self.measured.as_slice(), self.inputs.columns.as_slice()) {
            ([only], [column]) if only.text > FIELD_TEXT => Some((*only, column.desc())),
            _ => None,
        }
    }

    /// Returns the row numbers in the order of keys of this layout.
    pub(super) fn order_by(&self, layout: &KeyLayout, result: Option<Buffer>, mr: Resources<'_>) -> Result<Buffer> {
        let mut words = layout.plan.words();
        if words.is_empty() {
            words.push(Word { start: 0, bits: 0 });
        }
        let stream = self.ctx.stream;
        let number_bytes = if self.wide { 8 } else { 4 };
        let payload = if self.wide { Payload::Eight } else { Payload::Four };
        let key_bytes = |word: &Word| if word.bits > 32 { 8 } else { 4 };
        let most = words.iter().map(key_bytes).max().unwrap_or(4);
        let total: usize = words.iter().map(|word| passes_for(word.bits)).sum();
        let key_bytes_of_all = byte_len(self.rows, most, mr)?;
        let mut keys_a = Buffer::uninitialized(key_bytes_of_all, stream, self.ctx.mr.temporary)?;
        let mut keys_b = Buffer::uninitialized(key_bytes_of_all, stream, self.ctx.mr.temporary)?;
        let number_bytes_of_all = byte_len(self.rows, number_bytes, mr)?;
        let new = || Buffer::uninitialized(number_bytes_of_all, stream, mr.output);
        let mut result = result.map_or_else(new, Ok)?;
        let mut other = Buffer::uninitialized(number_bytes_of_all, stream, self.ctx.mr.temporary)?;
        let key_accesses = [keys_a.write_on(stream)?, keys_b.write_on(stream)?];
        let accesses = [result.write_on(stream)?, other.write_on(stream)?];
        let keys = key_accesses.each_ref().map(Memory::of);
        let numbers = accesses.each_ref().map(Memory::of);
        // The row numbers alternate between two buffers. The last pass of the last word must write to the memory of the
        // result.
        let mut at = total % 2;
        for (index, &word) in words.iter().enumerate() {
            let key_bytes = key_bytes(&word);
            let input = PassInput { rows: self.rows, bits: word.bits, key_bytes, payload, wide: self.wide };
            let (passes, mut state) = Passes::new(input, self.ctx)?;
            let state = state.write_on(stream)?;
            let values = [numbers[at], numbers[1 - at]];
            // The first pass of the first word generates the row numbers. The last pass of each word does not write
            // keys, because only row numbers are needed.
            let order = (index > 0).then_some(values[0]);
            let first_values = order.map(Memory::read);
            let row_numbers = (index == 0 && passes.count() == 0).then_some(values[0]);
            let counted = match if words.len() == 1 { self.codec(layout) } else { None } {
                Some(source) => self.count(source, key_bytes, &passes, Memory::of(&state))?,
                None => {
                    let target = Target { order, row_numbers, ..Target::new(word, keys[0]) };
                    self.encode(layout, &target, &passes, Memory::of(&state))?
                }
            };
            counted.run(&PassBuffers { keys, values, first_values, values_only: true, target: None }, stream)?;
            at = (at + passes.count()) % 2;
        }
        drop((key_accesses, accesses));
        Ok(result)
    }

    /// Returns the values of the only key column and their codec, if the passes can encode the keys from the values.
    pub(super) fn codec(&self, layout: &KeyLayout) -> Option<CodedValues<'_>> {
        let [column] = self.inputs.columns.as_slice() else { return None };
        let codec = codec::of_plan(&layout.plan, &column.desc())?;
        Some(CodedValues { values: column.values(codec::width(codec)), codec })
    }

    /// Counts the digits of the keys that `passes` will encode from the values.
    pub(super) fn count<'m>(
        &self,
        source: CodedValues<'m>,
        key_bytes: usize,
        passes: &'m Passes,
        state: Memory<'m>,
    ) -> Result<Counted<'m>> {
        self.count_upper(source, key_bytes, passes, state, 0, Out::NULL)
    }

    /// Counts digits in the same way as [`count`](Self::count), for passes that sort by the bits from `first_bit` on.
    pub(super) fn count_upper<'m>(
        &self,
        source: CodedValues<'m>,
        key_bytes: usize,
        passes: &'m Passes,
        state: Memory<'m>,
        first_bit: u32,
        mailbox: Out<'_, u64>,
    ) -> Result<Counted<'m>> {
        let stream = self.ctx.stream;
        let kernel = if key_bytes == 4 { SortCountKernel::K32 } else { SortCountKernel::K64 };
        let kernel = Kernel::choose(kernel, stream)?;
        let (shift, shared) = passes.block_counts(stream)?;
        kernel.allow_shared(shared)?;
        let (rows, shift) = (Rows::new(self.rows), shift as i32);
        let values = source.values.rows(self.rows, codec::width(source.codec))?;
        let grid = Grid::Shared(kernel.blocks(self.rows), shared);
        let digits = Digits { keys: FirstKeys::Made(source), first_bit, mailbox };
        let of = codec::above(source.codec, first_bit);
        let launch =
            |state: Sweep<'_>| count_digits(&kernel, grid, &SortCount { values, of, rows, state, shift }, stream);
        passes.counted(state, &self.counts, digits, launch, stream)
    }

    pub(super) fn encode<'m>(
        &self,
        layout: &KeyLayout,
        target: &Target<'m, '_>,
        passes: &'m Passes,
        state: Memory<'m>,
    ) -> Result<Counted<'m>> {
        let stream = self.ctx.stream;
        let ranks = layout.ranks.iter().map(|ranks| ranks.as_ref().map(|ranks| CudaColumn::open(ranks.view(), stream)));
        let ranks = ranks.map(Option::transpose).collect::<Result<Vec<_>>>()?;
        let columns = self.inputs.columns.iter().zip(&ranks);
        let columns: Vec<ColumnIn<'_>> =
            columns.map(|(column, ranks)| ranks.as_ref().unwrap_or(column).desc()).collect();
        let Target { word, keys, order, row_numbers, first_bit, mailbox } = *target;
        let (input, count) = fields_of(&layout.plan.fields, word, &columns);
        let rows = Rows::new(self.rows);
        let as_they_come = order.is_none() && row_numbers.is_none() && passes.count() > 0;
        let whole = word == Word { start: 0, bits: layout.plan.bits };
        let digits = Digits { keys: FirstKeys::Written(keys), first_bit, mailbox };
        let (keys, number_bytes) = (keys.rows(self.rows, passes.key_bytes)?, if self.wide { 8 } else { 4 });
        if as_they_come && whole && columns.iter().all(has_runs) {
            let kernel = if passes.key_bytes == 4 { SortEncodeRunsKernel::K32 } else { SortEncodeRunsKernel::K64 };
            let kernel = Kernel::choose(kernel, stream)?;
            let (shift, shared) = passes.block_counts(stream)?;
            kernel.allow_shared(shared)?;
            let (grid, shift) = (Grid::Shared(kernel.blocks(self.rows), shared), shift as i32);
            let launch = |state: Sweep<'_>| {
                count_digits(&kernel, grid, &SortEncodeRuns { input, count, rows, keys, state, shift }, stream)
            };
            return passes.counted(state, &self.counts, digits, launch, stream);
        }
        let kernel = if passes.key_bytes == 4 { SortEncodeKernel::K32 } else { SortEncodeKernel::K64 };
        let kernel = Kernel::choose(kernel, stream)?;
        let numbers = |memory: Memory<'m>| memory.rows(self.rows, number_bytes);
        let order = order.map(numbers).transpose()?.unwrap_or_default().read();
        let row_numbers = row_numbers.map(numbers).transpose()?.unwrap_or_default();
        let grid = Grid::Blocks(kernel.blocks(self.rows));
        let launch = |state: Sweep<'_>| {
            count_digits(&kernel, grid, &SortEncode { input, count, rows, order, keys, row_numbers, state }, stream)
        };
        passes.counted(state, &self.counts, digits, launch, stream)
    }
}

impl KeyLayout {
    pub(super) fn of_plan(plan: KeyPlan, columns: usize) -> Self {
        KeyLayout { plan, ranks: vec![None; columns] }
    }
}

/// Returns whether a thread can load several consecutive rows of the column at a time.
fn has_runs(column: &ColumnIn<'_>) -> bool {
    is_number(column.data_type) && column.flags == 0
}

fn is_text_type(number: i32) -> bool {
    number == KernelType::String as i32 || number == KernelType::Binary as i32
}
