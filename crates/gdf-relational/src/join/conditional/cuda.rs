//! Joins by a condition on CUDA, if a program computes the condition.

use std::ops::Range;

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::expression::{PairCondition, Wanted};
use gdf_compute::filling::row_numbers;
use gdf_compute::reduction::{ReduceAggregation, reduce};
use gdf_compute::scan::{ScanAggregation, ScanType, scan};
use gdf_core::{Column, DataType, Error, Result, Scalar};
use gdf_engine::cuda::{CudaColumn, Grid, Kernel, Memory, Rows as RowCount, Values};
use gdf_engine::keys::row_indices;
use gdf_engine::limits::HostLimits;
use gdf_engine::policy::NullPolicy;
use gdf_kernels::generated::join::{IndicesOut, Pairs};
use gdf_memory::Buffer;

use super::groups::{Rows, rows_where};
use crate::Ctx;
use crate::join::hash_join::Kind;
use crate::vouch;

/// The maximum number of pairs of a group, as a multiple of the maximum in joins that gather values.
const MORE_PAIRS: usize = 256;

pub(super) fn group_rows(condition: &PairCondition<'_>, kind: Kind) -> usize {
    let padded = condition.right().num_rows().next_multiple_of(32);
    match kind {
        Kind::Semi | Kind::Anti => condition.left().num_rows().max(1),
        Kind::Inner | Kind::Left => (HostLimits::current().join_pairs * MORE_PAIRS / padded.max(1)).max(1),
    }
}

/// Returns the number of results of the join.
pub(super) fn size(condition: &PairCondition<'_>, kind: Kind, ctx: Ctx<'_>) -> Result<usize> {
    let scratch = ctx.scratch();
    let wanted = if matches!(kind, Kind::Inner | Kind::Left) { Wanted::All } else { Wanted::First };
    let counts = condition.matches(0..condition.left().num_rows(), wanted, false, scratch)?.counts;
    let results = match kind {
        Kind::Inner | Kind::Left => results(counts, kind, scratch)?,
        Kind::Semi | Kind::Anti => selected(&counts, kind, scratch)?,
    };
    let sum = reduce(results.view(), ReduceAggregation::Sum, &DataType::Int64, scratch)?;
    number(&sum, scratch)
}

/// Returns the results of a range of left rows.
pub(super) fn rows(condition: &PairCondition<'_>, range: Range<usize>, kind: Kind, ctx: Ctx<'_>) -> Result<Rows> {
    let (scratch, left_rows) = (ctx.scratch(), condition.left().num_rows());
    if matches!(kind, Kind::Semi | Kind::Anti) {
        let found = condition.matches(range.clone(), Wanted::First, false, scratch)?;
        let numbers = row_numbers(left_rows, scratch)?.slice(range.start, range.len())?;
        let left = rows_where(&numbers, &selected(&found.counts, kind, scratch)?, ctx)?;
        return Ok(Rows { left, right: None });
    }
    let found = condition.matches(range.clone(), Wanted::All, true, scratch)?;
    let bits = found.bits.ok_or_else(|| Error::internal("the bit mask of the matches of a join is missing"))?;
    let results = results(found.counts, kind, scratch)?;
    let ends = scan(results.view(), ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude, scratch)?;
    let total = number(&Scalar::from_column(ends.slice(ends.len() - 1, 1)?)?, scratch)?;
    write(condition, range, &bits, &ends, total, ctx)
}

/// Returns the number of results of each left row.
fn results(counts: Column, kind: Kind, ctx: Ctx<'_>) -> Result<Column> {
    match kind {
        Kind::Left => of(&counts, Op::NullMax, 1_i64.into(), &DataType::Int64, ctx),
        Kind::Inner | Kind::Semi | Kind::Anti => Ok(counts),
    }
}

fn selected(counts: &Column, kind: Kind, ctx: Ctx<'_>) -> Result<Column> {
    let op = if kind == Kind::Anti { Op::Equal } else { Op::NotEqual };
    of(counts, op, 0_i64.into(), &DataType::Boolean, ctx)
}

fn number(scalar: &Scalar, ctx: Ctx<'_>) -> Result<usize> {
    let number = scalar.value_on::<i64>(ctx.stream)?.and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| Error::internal("the number of results of a join is negative or null"))
}

fn indices_out(memory: Memory<'_>, total: usize, width: usize) -> Result<IndicesOut<'_>> {
    Ok(IndicesOut { first: memory.rows(total, width)?, wide: i32::from(width == 8), unused: 0 })
}

fn write(
    condition: &PairCondition<'_>,
    range: Range<usize>,
    bits: &Buffer,
    ends: &Column,
    total: usize,
    ctx: Ctx<'_>,
) -> Result<Rows> {
    let (stream, right_rows) = (ctx.stream, condition.right().num_rows());
    let types = [condition.left().num_rows(), right_rows].map(row_indices);
    let width = |data_type: &DataType| if *data_type == DataType::UInt32 { 4 } else { 8 };
    let too_many = || Error::invalid_argument("the row pairs of the join exceed the address space; use fewer rows");
    let buffer = |data_type: &DataType| -> Result<Buffer> {
        let bytes = total.checked_mul(width(data_type)).ok_or_else(too_many)?;
        Ok(Buffer::uninitialized(bytes, stream, ctx.mr.output)?)
    };
    let mut buffers = [buffer(&types[0])?, buffer(&types[1])?];
    if total > 0 {
        let kernel = Kernel::<Pairs>::find(stream)?;
        let words = right_rows.div_ceil(32);
        let lanes = words.next_power_of_two().min(32);
        let [left_out, right_out] = &mut buffers;
        let (left_out, right_out) = (left_out.write_on(stream)?, right_out.write_on(stream)?);
        let (bits, open_ends) = (bits.read_on(stream)?, CudaColumn::open(ends.view(), stream)?);
        let arguments = Pairs {
            bits: Values::of(&bits).array(0, words * range.len())?,
            ends: open_ends.values(8).array(0, range.len())?,
            first: range.start as i64,
            left_rows: RowCount::new(range.len()),
            right_rows: RowCount::new(right_rows),
            lanes: lanes as i32,
            left_out: indices_out(Memory::of(&left_out), total, width(&types[0]))?,
            right_out: indices_out(Memory::of(&right_out), total, width(&types[1]))?,
        };
        let blocks = kernel.blocks(range.len() * lanes);
        // SAFETY: The kernel reads bits and ends, and writes row numbers.
        // - `bits` has words for all right rows of each left row of the range. `ends` has a number for each left row.
        // - The outputs have room for `total` row numbers, which is the last of the ends. The bits of a left row are as
        //   many as its results, or none. The launch that has set the bits has also counted them.
        // - `Memory` and `Values` have checked the sizes. All memory is open until the launch is enqueued.
        unsafe { kernel.launch_grid(stream, Grid::Blocks(blocks), &arguments)? };
    }
    let [left, right] = buffers;
    let column = |data_type, buffer| vouch::numbers(data_type, buffer, total, stream);
    let [left_type, right_type] = types;
    Ok(Rows { left: column(left_type, left)?, right: Some(column(right_type, right)?) })
}
