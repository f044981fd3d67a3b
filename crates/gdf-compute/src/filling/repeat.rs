//! `repeat`: repeats each row. The number of repetitions is either the same for all rows, or an element of a column for
//! each row.

use gdf_core::{Column, ColumnView, DataType, Error, Operand, Result, Scalar, Table, TableView, is_integral};
use gdf_driver::Stream;
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::policy::NullPolicy;
use gdf_engine::rows::{AffineRows, join_columns, rows_times};

use crate::Ctx;
use crate::lists::{Ranges, copy_affine_rows};
use crate::reduction::{ReduceAggregation, reduce};
use crate::scan::{ScanAggregation, ScanType, scan};

const REPEAT: &str = "repeat";

/// The formula that selects no rows.
const NONE: AffineRows = AffineRows { length: 0, divisor: 1, by_quotient: 1, by_remainder: 0, first: 0 };

/// Returns the rows of `table`, each repeated as often as `counts` states.
///
/// Implements `gdf_api::filling::repeat` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn repeat(table: TableView<'_>, counts: Operand<'_>, ctx: Ctx<'_>) -> Result<Table> {
    if !is_integral(counts.data_type()) {
        return Err(Error::type_mismatch("an integer type", counts.data_type()).in_argument("counts"));
    }
    check::table(&table, ctx)?;
    match counts {
        Operand::Column(counts) => by_column(&table, counts, ctx),
        Operand::Scalar(scalar) => {
            check::column(scalar.view(), ctx)?;
            let number = cast(scalar.view(), &DataType::Int64, ctx.scratch())?;
            by_number(&table, Scalar::from_column(number)?.value_on(ctx.stream)?, ctx)
        }
        Operand::Literal(literal) if literal.is_null() => Err(no_count()),
        Operand::Literal(literal) => {
            let number = literal.with_type(&DataType::Int64).map_err(|_| too_few())?;
            let number = number.to_operand_scalar(&Stream::cpu(), ctx.mr.temporary)?;
            by_number(&table, number.value_on(&Stream::cpu())?, ctx)
        }
    }
}

fn by_number(table: &TableView<'_>, count: Option<i64>, ctx: Ctx<'_>) -> Result<Table> {
    let count = count.ok_or_else(no_count)?;
    let times = usize::try_from(count).map_err(|_| too_few())?;
    let length = rows_times(table.num_rows(), times)?;
    copy_affine_rows(
        REPEAT,
        table,
        AffineRows { length, divisor: count, by_quotient: 1, by_remainder: 0, first: 0 },
        ctx,
    )
}

fn no_count() -> Error {
    Error::invalid_argument("a count is null; replace nulls in the counts first").in_argument("counts")
}

fn too_few() -> Error {
    Error::invalid_argument(
        "a count is negative, or the sum of the counts is 2^63 or more; pass counts of at least 0 with a smaller sum",
    )
    .in_argument("counts")
}

/// Repeats each row as often as its element of `counts` states.
fn by_column(table: &TableView<'_>, counts: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    check::length(table.num_rows(), counts.len()).map_err(|error| error.in_argument("counts"))?;
    let none = |ctx| copy_affine_rows(REPEAT, table, NONE, ctx);
    if counts.is_empty() {
        check::column(counts, ctx)?;
        return none(ctx);
    }
    let scratch = ctx.scratch();
    let counts = cast(counts, &DataType::Int64, scratch)?;
    if counts.null_count_on(ctx.stream)? > 0 {
        return Err(no_count());
    }
    let ends = scan(counts.view(), ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude, scratch)?;
    let min = |column: &Column| reduce(column.view(), ReduceAggregation::Min, &DataType::Int64, scratch);
    // The first sum that overflows wraps to a negative number.
    let (count, end, last) = (min(&counts)?, min(&ends)?, ends.slice(ends.len() - 1, 1)?);
    let found = join_columns(&[count.view(), end.view(), last.view()], scratch)?;
    let found = found.buffers()[0].to_host(ctx.stream)?;
    let found: Vec<i64> = found.as_chunks().0.iter().map(|number| i64::from_ne_bytes(*number)).collect();
    let [count, end, last] = found[..] else { return Err(too_few()) };
    if count < 0 || end < 0 {
        return Err(too_few());
    }
    if last == 0 {
        return none(ctx);
    }
    Ranges::of_copies(ends, last as usize).copy(table, ctx)
}
