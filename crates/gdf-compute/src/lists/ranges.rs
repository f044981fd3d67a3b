//! Concatenated ranges of rows: the offsets of the ranges, and the row numbers of the rows in the ranges.

use gdf_core::{Column, ColumnView, DataType, Error, Result, Scalar};
use gdf_engine::binary::{BinaryOperator as Op, of};
use gdf_engine::cast::cast;
use gdf_engine::choose::choose;
use gdf_engine::elementwise::{self, Inputs, Nulls};
use gdf_engine::keys::row_indices;
use gdf_engine::null_rows::valid_rows;
use gdf_engine::policy::NullPolicy;
use gdf_engine::rows::{RowRanges, join_columns};
use gdf_engine::running::{ScanAggregation, ScanType, running};
use gdf_engine::sequence::{constant, sequence};
use gdf_kernels::generated::common::ColumnIn;
use gdf_kernels::generated::filling::RunNumbers;

use crate::Ctx;

/// Returns the offsets of ranges with these lengths. The last offset is the end of the last range.
///
/// `lengths` is of type `Int64` without nulls.
pub fn offsets_of(lengths: &Column, ctx: Ctx<'_>) -> Result<Column> {
    let ends = running(lengths.view(), ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude, ctx.scratch())?;
    let zero = Column::from_slice_on(&[0_i64], ctx.stream, ctx.mr.temporary)?;
    join_columns(&[zero.view(), ends.view()], ctx)
}

/// Returns offsets of lists, as `Int32`, and the validity of the rows if rows may be null. The lists have `width`
/// elements for each valid row of `column` and no elements for a null row.
///
/// # Errors
/// * [`OffsetOverflow`](Error::OffsetOverflow) if the lists have more than 2³¹ − 1 elements; driver and memory errors.
pub fn offsets_of_rows(column: ColumnView<'_>, width: usize, ctx: Ctx<'_>) -> Result<(Column, Option<Column>)> {
    let mut elements = column.len().saturating_mul(width);
    if i32::try_from(elements).is_err() {
        // The nulls are counted only here, because counting them may need a wait.
        elements = (column.len() - column.null_count_on(ctx.stream)?).saturating_mul(width);
    }
    let (Ok(_), Ok(width)) = (i32::try_from(elements), i32::try_from(width)) else {
        return Err(Error::offset_overflow(elements.max(width) as u64));
    };
    if !column.has_validity() || column.is_empty() {
        return Ok((sequence(0_i32.into(), width.into(), column.len() + 1, ctx)?, None));
    }
    let scratch = ctx.scratch();
    let valid = valid_rows(column, scratch)?;
    let sizes = choose(width.into(), 0_i32.into(), valid.view(), scratch)?;
    let ends = running(sizes.view(), ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude, scratch)?;
    let zero = constant(0_i32.into(), 1, scratch)?;
    Ok((join_columns(&[zero.view(), ends.view()], ctx)?, Some(valid)))
}

/// Returns the row numbers of all ranges, one range after the other, and the offsets of the ranges. Range `i` begins at
/// row `begins[i]` and has `lengths[i]` rows. Waits for the stream once.
pub fn rows_of_ranges(begins: &Column, lengths: &Column, rows: usize, ctx: Ctx<'_>) -> Result<(Column, Column)> {
    let (Ranges { ends, total, .. }, offsets) = Ranges::new(begins.clone(), lengths, ctx)?;
    Ok((map_of_runs(ends.view(), Counting::From(begins.view()), total, &row_indices(rows), ctx)?, offsets))
}

/// Ranges of consecutive rows, which are copied one after the other.
pub struct Ranges {
    /// The row of the result after each range, as `Int64`.
    ends: Column,
    /// The first row of each range. `None` if range `i` consists of copies of row `i`.
    begins: Option<Column>,
    /// The sizes of the given ranges, if a null row takes the place of each empty range.
    sizes: Option<Column>,
    /// The number of rows of the result.
    pub total: usize,
}

impl Ranges {
    /// Returns the ranges and their offsets in the result. Range `i` begins at row `begins[i]` and has `lengths[i]`
    /// rows. Waits for the stream once.
    pub fn new(begins: Column, lengths: &Column, ctx: Ctx<'_>) -> Result<(Self, Column)> {
        let offsets = offsets_of(lengths, ctx)?;
        let total = positions(&offsets.slice(lengths.len(), 1)?, ctx)?.first().copied().unwrap_or(0);
        let ends = offsets.slice(1, lengths.len())?;
        Ok((Self { ends, begins: Some(begins), sizes: None, total }, offsets))
    }

    /// Returns the same ranges and offsets as [`new`](Self::new), with one null row in place of each empty range.
    pub(super) fn outer(begins: Column, lengths: &Column, ctx: Ctx<'_>) -> Result<(Self, Column)> {
        let counts = of(lengths, Op::NullMax, 1_i64.into(), &DataType::Int64, ctx)?;
        let (ranges, offsets) = Self::new(begins, &counts, ctx)?;
        Ok((Self { sizes: Some(lengths.clone()), ..ranges }, offsets))
    }

    /// Returns the ranges of the elements of lists, and their offsets in the result. Lists may share elements, of which
    /// there are `elements`. Waits for the stream once, and once more if the sum of the sizes may exceed 64 bits.
    ///
    /// # Errors
    /// * [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
    pub(super) fn of_lists(begins: Column, sizes: &Column, elements: usize, ctx: Ctx<'_>) -> Result<(Self, Column)> {
        if sizes.len() as u128 * elements as u128 > i64::MAX as u128 {
            let floats = cast(sizes.view(), &DataType::Float64, ctx)?;
            let sums = running(floats.view(), ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude, ctx)?;
            let sum = Scalar::from_column(sums.slice(sums.len() - 1, 1)?)?.value_on::<f64>(ctx.stream)?;
            if sum.is_some_and(|sum| sum >= isize::MAX as f64) {
                return Err(Error::offset_overflow(u64::MAX));
            }
        }
        Self::new(begins, sizes, ctx)
    }

    /// Makes ranges that consist of copies of rows. The copies of row `i` end at row `ends[i]` of the result.
    pub fn of_copies(ends: Column, total: usize) -> Self {
        Self { ends, begins: None, sizes: None, total }
    }

    /// Returns the ranges in the form that engines take.
    pub(super) fn of_rows(&self) -> RowRanges<'_> {
        let begins = self.begins.as_ref().map(Column::view);
        let sizes = self.sizes.as_ref().map(Column::view);
        RowRanges { ends: self.ends.view(), begins, sizes, rows: self.total }
    }
}

/// Copies an `Int64` column of row positions to the host.
pub(super) fn positions(numbers: &Column, ctx: Ctx<'_>) -> Result<Vec<usize>> {
    let bytes = numbers.buffers()[0].slice(numbers.offset() * 8, numbers.len() * 8)?.to_host(ctx.stream)?;
    let numbers = bytes.as_chunks().0.iter().map(|bytes| usize::try_from(i64::from_ne_bytes(*bytes)));
    numbers
        .collect::<Result<_, _>>()
        .map_err(|_| Error::invalid_argument("the result would have 2^63 rows or more; use fewer rows"))
}

/// Returns for each of `rows` rows the index of the run that contains the row.
///
/// Run `i` ends at the position in row `i` of `ends`. The positions ascend to `rows`.
pub fn rows_of_runs(ends: ColumnView<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    map_of_runs(ends, Counting::Runs, rows, &row_indices(ends.len()), ctx)
}

/// The number that each row of a run gets.
#[derive(Clone, Copy)]
enum Counting<'a> {
    Runs,
    From(ColumnView<'a>),
}

/// Returns a column of `rows` numbers. `counting` states which number a row gets.
fn map_of_runs(
    ends: ColumnView<'_>,
    counting: Counting<'_>,
    rows: usize,
    data_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    fn fill<T>(ends: &[i64], first: usize, out: &mut [T], index: impl Fn(usize, i64) -> T) {
        let mut run = ends.partition_point(|end| *end <= first as i64);
        let begin = |run: usize| if run == 0 { 0 } else { ends[run - 1] };
        let mut start = begin(run);
        for (slot, row) in out.iter_mut().zip(first as i64..) {
            if ends[run] <= row {
                while ends[run] <= row {
                    run += 1;
                }
                start = begin(run);
            }
            *slot = index(run, row - start);
        }
    }
    let begins = if let Counting::From(begins) = counting { begins } else { ends };
    elementwise::map(
        Inputs::for_rows([ends.into(), begins.into()], rows, ctx)?,
        data_type,
        Nulls::Never,
        ctx,
        |rows| {
            let [ends, from] = rows.columns();
            let (ends, from) = (ends.values::<i64>()?, from.values::<i64>()?);
            let index = |run: usize, at: i64| match counting {
                Counting::Runs => run as u64,
                Counting::From(_) => (from[run] + at) as u64,
            };
            match data_type {
                DataType::UInt32 => rows.filled(
                    || rows.mask(),
                    |first, out: &mut [u32]| fill(ends, first, out, |run, at| index(run, at) as u32),
                ),
                _ => rows.filled(|| rows.mask(), |first, out: &mut [u64]| fill(ends, first, out, index)),
            }
        },
        |launch| {
            let [ends, from] = launch.inputs;
            let begins = if matches!(counting, Counting::Runs) { ColumnIn::default() } else { from };
            launch.run_only(&RunNumbers { ends, begins, out: launch.out })
        },
    )
}
