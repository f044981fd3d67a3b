//! `describe`: statistics of each numeric column, computed by other operations.

use gdf_core::{Column, ColumnView, DataType, Result, Table, TableView, is_decimal, is_numeric};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::rows::join_columns;

use super::{ReduceAggregation, reduce};
use crate::Ctx;

/// The names of the statistics, which are the rows of the result.
pub const STATISTICS: [&str; 6] = ["count", "nulls", "min", "max", "mean", "std"];

/// Returns a table of statistics, and the positions of the numeric columns of `table`. The first column of the result
/// has the names of [`STATISTICS`]. Each further column has type `Float64` and holds the statistics of a numeric
/// column.
///
/// # Errors
/// * The errors of [`reduce`]; driver and memory errors.
pub fn describe(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<(Table, Vec<usize>)> {
    check::table(table, ctx)?;
    let described: Vec<usize> =
        (0..table.num_columns()).filter(|column| is_numeric(table.columns()[*column].data_type())).collect();
    let mut columns = vec![Column::from_strs_on(STATISTICS, ctx.stream, ctx.mr.output)?];
    for column in &described {
        columns.push(statistics(table.columns()[*column], ctx)?);
    }
    Ok((Table::try_new(columns)?, described))
}

fn statistics(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    let floats = |column: &Column| cast(column.view(), &DataType::Float64, scratch);
    let extreme = |which| floats(reduce(column, which, column.data_type(), scratch)?.column());
    // The valid rows are counted even if the null count of the column is already known.
    let count = match column.has_validity() {
        true => {
            reduce(column, ReduceAggregation::CountValid, &DataType::Int64, scratch)?.value_on::<i64>(ctx.stream)?
        }
        false => None,
    };
    let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(column.len());
    let nulls = column.len() - count;
    let counts = Column::from_slice_on(&[count as f64, nulls as f64], ctx.stream, scratch.mr.output)?;
    let (min, max) = (extreme(ReduceAggregation::Min)?, extreme(ReduceAggregation::Max)?);
    let mean = reduce(column, ReduceAggregation::Mean, &DataType::Float64, scratch)?;
    let deviation = match is_decimal(column.data_type()) {
        true => deviation(floats(&column.to_column())?.view(), scratch)?,
        false => deviation(column, scratch)?,
    };
    let all = [&counts, &min, &max, mean.column(), &deviation].map(Column::view);
    join_columns(&all, ctx)
}

fn deviation(values: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    Ok(reduce(values, ReduceAggregation::Std { ddof: 1 }, &DataType::Float64, ctx)?.into_column())
}
