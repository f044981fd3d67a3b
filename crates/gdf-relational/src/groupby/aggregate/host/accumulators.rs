//! Accumulators that are updated column by column over blocks of rows whose group numbers are known.

use gdf_compute::expression::{ProjectedBlock, ProjectedBlocks, Projection};
use gdf_core::{
    Error, I256, PhysicalType, Result, dispatch_fixed_width, dispatch_integer, dispatch_numeric, physical_type,
};
use gdf_driver::Stream;
use gdf_engine::hash_table::{Grouping, RangeGroups, Visit};
use gdf_engine::host::{Bits, HostColumn};
use gdf_engine::keys::KeyColumn;
use gdf_memory::{HostVec, ResourceRef};

use super::by_group::{self, accumulate, for_valid};
use super::number::HostNumber;
use super::parts::accumulate_parts;
use crate::Ctx;
use crate::groupby::aggregate::plan::{Accumulator, AccumulatorInput, AggregationPlan, CombineOp, identity};

/// The values of one accumulator, one cell per group.
#[derive(Debug)]
pub(super) enum Cells<'r> {
    Words(HostVec<'r, u64>),
    Wide(HostVec<'r, i128>),
}

impl<'r> Cells<'r> {
    pub(super) fn new(op: CombineOp, groups: usize, stream: &Stream, mr: ResourceRef<'r>) -> Result<Self> {
        if op == CombineOp::AddI128 {
            return Ok(Self::Wide(HostVec::zeroed(groups + 1, stream, mr)?));
        }
        let mut words = HostVec::zeroed(groups + 1, stream, mr)?;
        if identity(op) != 0 {
            words.fill(identity(op));
        }
        Ok(Self::Words(words))
    }

    /// Adds cells until there is a cell for each of `groups` groups, after cell 0 for rows in no group.
    fn reach(&mut self, op: CombineOp, groups: usize) -> Result<()> {
        match self {
            Cells::Words(words) => {
                while words.len() <= groups {
                    words.try_push(identity(op))?;
                }
            }
            Cells::Wide(sums) => {
                while sums.len() <= groups {
                    sums.try_push(0)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the words of all groups, without the cell of rows in no group.
    pub(super) fn words(&self) -> &[u64] {
        match self {
            Cells::Words(words) => words.get(1..).unwrap_or_default(),
            Cells::Wide(_) => &[],
        }
    }

    /// Returns the 128-bit sums of all groups, without the cell of rows in no group.
    pub(super) fn wide(&self) -> &[i128] {
        match self {
            Cells::Wide(sums) => sums.get(1..).unwrap_or_default(),
            Cells::Words(_) => &[],
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ValueColumn<'a> {
    /// The physical type of the values in `bytes`.
    pub(super) physical: PhysicalType,
    pub(super) bytes: &'a [u8],
    pub(super) text: Option<KeyColumn<'a>>,
    pub(super) validity: Option<Bits<'a>>,
}

impl<'a> ValueColumn<'a> {
    /// Opens a column.
    pub(super) fn new(column: &'a HostColumn<'_>, expanded: Option<&'a [u8]>) -> Result<Self> {
        let (validity, mut text) = (column.validity()?, None);
        let physical = physical_type(column.view().data_type());
        if let Some(bytes) = expanded {
            return Ok(Self { physical: PhysicalType::U8, bytes, text, validity });
        }
        if physical.has_byte_offsets() {
            text = Some(KeyColumn::open("groupby values", column)?);
        }
        let bytes = dispatch_fixed_width!(physical, T => bytemuck::cast_slice(column.values::<T>()?), else => &[][..]);
        Ok(Self { physical, bytes, text, validity })
    }

    /// Returns the values as a slice of `T`.
    pub(super) fn values<T: bytemuck::Pod>(&self) -> Result<&'a [T]> {
        bytemuck::try_cast_slice(self.bytes)
            .map_err(|_| Error::invalid_data("the buffer of values of a column is misaligned"))
    }
}

/// Expands a boolean column to one byte per row.
pub(super) fn expanded<'r>(
    column: &HostColumn<'_>,
    stream: &Stream,
    mr: ResourceRef<'r>,
) -> Result<Option<HostVec<'r, u8>>> {
    let boolean = physical_type(column.view().data_type()) == PhysicalType::Bool;
    boolean.then(|| expand(column.bits()?, stream, mr)).transpose()
}

fn expand<'r>(bits: Bits<'_>, stream: &Stream, mr: ResourceRef<'r>) -> Result<HostVec<'r, u8>> {
    let mut bytes = HostVec::<u8>::zeroed(bits.len(), stream, mr)?;
    for (index, bytes) in bytes.chunks_mut(64).enumerate() {
        let word = bits.word(index);
        bytes.iter_mut().enumerate().for_each(|(bit, byte)| *byte = (word >> bit & 1) as u8);
    }
    Ok(bytes)
}

/// Values that are computed for one block of rows at a time.
pub(super) struct Computed<'a> {
    projection: &'a Projection<'a>,
    blocks: ProjectedBlocks<'a>,
}

impl<'a> Computed<'a> {
    /// Opens a projection over its columns.
    pub(super) fn open(projection: &'a Projection<'a>, columns: &'a [HostColumn<'_>]) -> Result<Self> {
        Ok(Self { projection, blocks: projection.blocks(columns)? })
    }

    /// Returns the values of an output for the rows of a block.
    fn column<'b>(&self, block: &'b ProjectedBlock, output: usize) -> ValueColumn<'b> {
        let physical = self.projection.computed_type(output);
        ValueColumn { physical, bytes: block.values(output), text: None, validity: block.validity(output) }
    }
}

/// The accumulators of a plan, updated with blocks of rows whose group numbers are known.
pub(super) struct Accumulation<'a, 'r> {
    pub(super) plan: &'a AggregationPlan<'a>,
    pub(super) columns: &'a [ValueColumn<'a>],
    pub(super) computed: Option<Computed<'a>>,
    pub(super) ctx: Ctx<'r>,
}

/// The accumulators of a range of rows, and the computed values of the last block.
pub(super) struct RangeState<'r> {
    cells: Vec<Cells<'r>>,
    block: Option<ProjectedBlock>,
}

impl<'r> Visit for Accumulation<'_, 'r> {
    type State = RangeState<'r>;

    fn keeps_ids(&self) -> bool {
        !self.plan.distincts.is_empty() || !self.plan.corrections.is_empty()
    }

    fn begin(&self) -> Result<Self::State> {
        let (stream, mr) = (self.ctx.stream, self.ctx.mr.temporary);
        let cells = self.plan.accumulators.iter().map(|accumulator| Cells::new(accumulator.op, 0, stream, mr));
        let block = self.computed.as_ref().map(|computed| computed.projection.block());
        Ok(RangeState { cells: cells.collect::<Result<_>>()?, block })
    }

    fn rows(&self, state: &mut Self::State, first: usize, ids: &[u32], groups: usize) -> Result<()> {
        let stored = GroupedRows { first, ids, numbers: None };
        // The first row of a block of computed values is row 0.
        let of_block = GroupedRows { first: 0, ..stored };
        if let (Some(computed), Some(block)) = (&self.computed, &mut state.block)
            && ids.iter().any(|id| *id != 0)
        {
            computed.blocks.compute(block, first, ids.len())?;
        }
        self.plan.accumulators.iter().zip(&mut state.cells).try_for_each(|(accumulator, cells)| {
            cells.reach(accumulator.op, groups)?;
            let output = accumulator.request.and_then(|request| self.plan.output_of(request));
            match (output, &self.computed, &state.block) {
                (Some(output), Some(computed), Some(block)) => {
                    step_of(accumulator, Some(&computed.column(block, output)), of_block, cells)
                }
                _ => step_of(accumulator, column_of(accumulator, self.columns), stored, cells),
            }
        })
    }
}

pub(super) fn column_of<'c, 'a>(
    accumulator: &Accumulator,
    columns: &'c [ValueColumn<'a>],
) -> Option<&'c ValueColumn<'a>> {
    accumulator.request.and_then(|request| columns.get(request))
}

impl<'r> Accumulation<'_, 'r> {
    /// Returns the accumulators of all groups.
    pub(super) fn finish(&self, grouping: &Grouping<'_>, mut ranges: Vec<RangeState<'r>>) -> Result<Vec<Cells<'r>>> {
        let (stream, mr) = (self.ctx.stream, self.ctx.mr.temporary);
        if let Some(rows) = &grouping.rows {
            // The rows of a part are not neighbors, so that blocks of values are of no use.
            let made = self.plan.computed_columns(self.ctx.scratch())?;
            let open = made.iter().map(|column| HostColumn::open(column.view(), stream)).collect::<Result<Vec<_>>>()?;
            let mut columns = self.columns.to_vec();
            for column in &open {
                columns.push(ValueColumn::new(column, None)?);
            }
            return accumulate_parts(&self.plan.accumulators, &columns, grouping, rows, stream, mr);
        }
        if ranges.len() == 1
            && let Some(range) = ranges.pop()
        {
            return Ok(range.cells);
        }
        let one = |(index, accumulator): (usize, &Accumulator)| {
            let mut all = Cells::new(accumulator.op, grouping.groups(), stream, mr)?;
            for (range, state) in grouping.ranges.iter().zip(&ranges) {
                merge(accumulator, self.columns, range, &state.cells[index], &mut all)?;
            }
            Ok(all)
        };
        self.plan.accumulators.iter().enumerate().map(one).collect()
    }
}

#[derive(Clone, Copy)]
pub(super) struct GroupedRows<'a> {
    pub(super) first: usize,
    pub(super) ids: &'a [u32],
    /// The row numbers, if the rows are not contiguous.
    pub(super) numbers: Option<&'a [u32]>,
}

impl GroupedRows<'_> {
    fn slice<T>(self, values: &[T]) -> &[T] {
        values.get(self.first..self.first + self.ids.len()).unwrap_or_default()
    }
}

pub(super) fn step_of(
    accumulator: &Accumulator,
    column: Option<&ValueColumn<'_>>,
    rows: GroupedRows<'_>,
    cells: &mut Cells<'_>,
) -> Result<()> {
    let Some(column) = column else {
        if let Cells::Words(words) = cells {
            accumulate(rows.ids, rows.ids, None, words, 0, |_| 1, u64::wrapping_add);
        }
        return Ok(());
    };
    let validity = column.validity.filter(|_| rows.numbers.is_none());
    let validity = validity.map(|bits| bits.slice(rows.first, rows.ids.len()));
    let cells = match cells {
        Cells::Wide(sums) => return add_wide(accumulator.input, column, rows, validity, sums),
        Cells::Words(words) => &mut words[..],
    };
    match accumulator.input {
        AccumulatorInput::One => {
            accumulate(rows.ids, rows.ids, validity, cells, 0, |_| 1, u64::wrapping_add);
            Ok(())
        }
        AccumulatorInput::RowNumber => first_rows(accumulator.op, column, rows, cells),
        _ => dispatch_numeric!(column.physical, T => {
            numbers::<T>(accumulator, column, rows, validity, cells)
        }, else => Err(not_combined())),
    }
}

fn numbers<T: HostNumber>(
    accumulator: &Accumulator,
    column: &ValueColumn<'_>,
    rows: GroupedRows<'_>,
    validity: Option<Bits<'_>>,
    cells: &mut [u64],
) -> Result<()> {
    let values = rows.slice(column.values::<T>()?);
    let add_f64 = |cell: &mut u64, value: f64| *cell = (f64::from_bits(*cell) + value).to_bits();
    let (ids, identity) = (rows.ids, identity(accumulator.op));
    let integer = |value: T| value.integer() as u64;
    let square = |value: T| integer(value).wrapping_mul(integer(value));
    match (accumulator.input, accumulator.op) {
        (AccumulatorInput::Integer, CombineOp::Multiply) => {
            accumulate(values, ids, validity, cells, identity, integer, u64::wrapping_mul);
        }
        (AccumulatorInput::Integer, CombineOp::Add) => {
            accumulate(values, ids, validity, cells, identity, integer, u64::wrapping_add);
        }
        (AccumulatorInput::IntegerSquare, CombineOp::Add) => {
            accumulate(values, ids, validity, cells, identity, square, u64::wrapping_add);
        }
        (AccumulatorInput::Number, CombineOp::MultiplyF64) => for_valid(values, rows.ids, validity, |id, value: T| {
            cells[id] = (f64::from_bits(cells[id]) * value.number()).to_bits();
        }),
        (AccumulatorInput::Number, CombineOp::AddF64) => {
            for_valid(values, rows.ids, validity, |id, value: T| add_f64(&mut cells[id], value.number()));
        }
        (AccumulatorInput::NumberSquare, CombineOp::AddF64) => for_valid(values, rows.ids, validity, |id, value: T| {
            add_f64(&mut cells[id], value.number() * value.number());
        }),
        (AccumulatorInput::Order, CombineOp::Minimum) => {
            accumulate(values, ids, validity, cells, identity, T::order, u64::min);
        }
        (AccumulatorInput::Order, CombineOp::Maximum) => {
            accumulate(values, ids, validity, cells, identity, T::order, u64::max);
        }
        _ => return Err(not_combined()),
    }
    Ok(())
}

fn not_combined() -> Error {
    Error::internal("an accumulator does not support the type of its values")
}

fn add_wide(
    input: AccumulatorInput,
    column: &ValueColumn<'_>,
    rows: GroupedRows<'_>,
    validity: Option<Bits<'_>>,
    sums: &mut [i128],
) -> Result<()> {
    fn add<T: by_group::Integer>(
        input: AccumulatorInput,
        values: &[T],
        ids: &[u32],
        validity: Option<Bits<'_>>,
        sums: &mut [i128],
    ) {
        if input == AccumulatorInput::WideSquare {
            let square = |value: T| value.wide().wrapping_mul(value.wide());
            return accumulate(values, ids, validity, sums, 0, square, i128::wrapping_add);
        }
        by_group::add_wide(values, ids, validity, sums);
    }
    match column.physical {
        PhysicalType::I128 => add(input, rows.slice(column.values::<i128>()?), rows.ids, validity, sums),
        physical => dispatch_integer!(physical, T => {
            add(input, rows.slice(column.values::<T>()?), rows.ids, validity, sums);
        }, else => return Err(not_combined())),
    }
    Ok(())
}

type Precedes<'a> = &'a (dyn Fn(usize, usize) -> bool + Sync);

/// Calls `body` with a comparison of two rows.
fn with_order<R>(op: CombineOp, column: &ValueColumn<'_>, body: impl FnOnce(Precedes<'_>) -> R) -> Result<R> {
    fn by<K: Ord, R>(op: CombineOp, key: impl Fn(usize) -> K + Sync, body: impl FnOnce(Precedes<'_>) -> R) -> R {
        if op == CombineOp::Argmin { body(&|a, b| key(a) < key(b)) } else { body(&|a, b| key(a) > key(b)) }
    }
    Ok(match column.physical {
        PhysicalType::I128 => {
            let values = column.values::<i128>()?;
            by(op, |row| values[row], body)
        }
        PhysicalType::I256 => {
            let values = column.values::<I256>()?;
            by(op, |row| values[row], body)
        }
        PhysicalType::String { .. } | PhysicalType::Binary { .. } => {
            let text = column.text.ok_or_else(|| Error::internal("a buffer of a column is missing"))?;
            by(op, move |row| text.bytes(row), body)
        }
        physical => dispatch_numeric!(physical, T => {
            let values = column.values::<T>()?;
            by(op, |row| values[row].order(), body)
        }, else => body(&|_, _| false)),
    })
}

fn first_rows(op: CombineOp, column: &ValueColumn<'_>, rows: GroupedRows<'_>, cells: &mut [u64]) -> Result<()> {
    with_order(op, column, |precedes| {
        for (at, id) in rows.ids.iter().enumerate() {
            let row = rows.numbers.map_or(rows.first + at, |numbers| numbers[at] as usize);
            if column.validity.is_none_or(|bits| bits.get(row)) {
                let cell = &mut cells[*id as usize];
                if *cell == u64::MAX || precedes(row, *cell as usize) {
                    *cell = row as u64;
                }
            }
        }
    })
}

/// Merges the accumulators of a range into the accumulators of all groups.
fn merge(
    accumulator: &Accumulator,
    columns: &[ValueColumn<'_>],
    range: &RangeGroups<'_>,
    part: &Cells<'_>,
    all: &mut Cells<'_>,
) -> Result<()> {
    let groups = || (1..=range.groups as u32).map(|id| range.group(id));
    match (part, all) {
        (Cells::Wide(part), Cells::Wide(all)) => {
            for (sum, group) in part[1..].iter().zip(groups()) {
                all[group] = all[group].wrapping_add(*sum);
            }
        }
        (Cells::Words(part), Cells::Words(all)) => {
            let pairs = part[1..].iter().copied().zip(groups());
            let number = |a: u64, b: u64, f: fn(f64, f64) -> f64| f(f64::from_bits(a), f64::from_bits(b)).to_bits();
            match accumulator.op {
                CombineOp::Add => pairs.for_each(|(v, g)| all[g] = all[g].wrapping_add(v)),
                CombineOp::AddF64 => pairs.for_each(|(v, g)| all[g] = number(all[g], v, |a, b| a + b)),
                CombineOp::Minimum => pairs.for_each(|(v, g)| all[g] = all[g].min(v)),
                CombineOp::Maximum => pairs.for_each(|(v, g)| all[g] = all[g].max(v)),
                CombineOp::Multiply => pairs.for_each(|(v, g)| all[g] = all[g].wrapping_mul(v)),
                CombineOp::MultiplyF64 => pairs.for_each(|(v, g)| all[g] = number(all[g], v, |a, b| a * b)),
                CombineOp::AddI128 => return Err(not_combined()),
                CombineOp::Argmin | CombineOp::Argmax => {
                    let Some(column) = accumulator.request.and_then(|request| columns.get(request)) else {
                        return Ok(());
                    };
                    with_order(accumulator.op, column, |precedes| {
                        for (row, group) in pairs.filter(|(row, _)| *row != u64::MAX) {
                            if all[group] == u64::MAX || precedes(row as usize, all[group] as usize) {
                                all[group] = row;
                            }
                        }
                    })?;
                }
            }
        }
        _ => return Err(not_combined()),
    }
    Ok(())
}
