//! `sequences`: a list of numbers with a constant step for each row.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::concatenate::concatenate_columns;
use gdf_compute::filling::sequence;
use gdf_compute::lists::{check_total, list_of, make_lists, offsets_of, rows_of_runs};
use gdf_compute::reduction::{ReduceAggregation, reduce};
use gdf_compute::unary::signed;
use gdf_core::{Column, ColumnView, DataType, Error, Result, is_integral};
use gdf_engine::cast::cast;
use gdf_engine::check;

use crate::Ctx;
use crate::vouch::gather_column;

/// Returns for each row the list `start`, `start + step`, and so on, with `size` elements. If `steps` is `None`, the
/// step is 1.
///
/// Implements `gdf_api::lists::sequences` with the stream and the memory resources of `ctx`.
pub fn sequences(
    starts: ColumnView<'_>,
    sizes: ColumnView<'_>,
    steps: Option<ColumnView<'_>>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (scratch, long) = (ctx.scratch(), &DataType::Int64);
    let data_type = starts.data_type();
    if !(data_type.is_integer() || matches!(data_type, DataType::Float32 | DataType::Float64)) {
        return Err(Error::unsupported("sequences", data_type).in_argument("starts"));
    }
    let checked = |column: ColumnView<'_>, argument| {
        let checked = check::length(starts.len(), column.len()).and_then(|()| check::column(column, scratch));
        let checked = checked.and_then(|()| match column.to_column().null_count_on(ctx.stream)? {
            0 => Ok(()),
            _ => Err(Error::invalid_argument("a number is null; replace nulls first")),
        });
        checked.map_err(|error| error.in_argument(argument))
    };
    if !is_integral(sizes.data_type()) {
        return Err(Error::type_mismatch("an integer type", sizes.data_type()).in_argument("sizes"));
    }
    checked(starts, "starts")?;
    checked(sizes, "sizes")?;
    if let Some(steps) = steps {
        check::types(data_type, steps.data_type()).map_err(|error| error.in_argument("steps"))?;
        checked(steps, "steps")?;
    }
    let list_type = list_of(data_type);
    let sizes = signed(sizes, scratch)?;
    let offsets = offsets_of(&sizes, scratch)?;
    let total = checked_total(&sizes, &offsets, scratch)?;
    check_total(&list_type, total)?;
    let parents = rows_of_runs(offsets.slice(1, sizes.len())?.view(), total, scratch)?;
    let of_parents = |column: ColumnView<'_>, ctx| gather_column(column, parents.view(), ctx);
    let row = sequence(0_i64.into(), 1_i64.into(), total, scratch)?;
    let begins = of_parents(offsets.slice(0, sizes.len())?.view(), scratch)?;
    let position = of(&row, Op::Sub, (&begins).into(), long, scratch)?;
    let mut distance = cast(position.view(), data_type, scratch)?;
    if let Some(steps) = steps {
        distance = of(&distance, Op::Mul, (&of_parents(steps, scratch)?).into(), data_type, scratch)?;
    }
    let values = of(&of_parents(starts, scratch)?, Op::Add, (&distance).into(), data_type, ctx)?;
    make_lists(&list_type, &offsets, values, &[], ctx)
}

/// Returns the sum of `sizes`, which are of type `Int64`.
fn checked_total(sizes: &Column, offsets: &Column, ctx: Ctx<'_>) -> Result<usize> {
    if sizes.is_empty() {
        return Ok(0);
    }
    let min = |column: ColumnView<'_>| reduce(column, ReduceAggregation::Min, &DataType::Int64, ctx);
    // The first sum that overflows wraps to a negative number.
    let (size, sum, last) = (min(sizes.view())?, min(offsets.view())?, offsets.slice(sizes.len(), 1)?);
    let found = concatenate_columns(&[size.view(), sum.view(), last.view()], ctx)?;
    let found = found.buffers()[0].to_host(ctx.stream)?;
    let found: Vec<i64> = found.as_chunks().0.iter().map(|number| i64::from_ne_bytes(*number)).collect();
    match found[..] {
        [size, ..] if size < 0 => {
            Err(Error::invalid_argument("a size is negative; pass sizes of 0 or more").in_argument("sizes"))
        }
        [_, sum, last] if sum >= 0 => Ok(last as usize),
        _ => Err(Error::offset_overflow(u64::MAX).in_argument("sizes")),
    }
}
