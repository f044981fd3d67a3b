//! Copies rows of columns with lists on CUDA. `kernels/copying/nested.cuh` describes the method. The CPU copies lists as
//! leaves of a [`RowPlan`](super::RowPlan).

mod clean;
mod cuda;
mod output;
mod plan;

use gdf_core::{Abilities, Column, ColumnView, Error, Result, Table, TableView};
use gdf_kernels::generated::copying::NESTED_TABLE_SHIFT;

use self::clean::{copy_without_hidden_data, may_hide_data, with_clean_children, without_hidden_data};
use self::cuda::{NestedCopy, copy};
use self::plan::{NestedPlan, RangeLength};
use super::{AffineRows, Bounds, RowRanges, columns_in_order};
use crate::Ctx;

/// The maximum number of tables whose rows are copied at once.
const MOST_TABLES: usize = 1 << (63 - NESTED_TABLE_SHIFT);

/// The rows that are copied.
#[derive(Clone, Copy)]
pub(super) enum SourceRows<'a> {
    /// The rows whose numbers are in the map.
    Map(ColumnView<'a>, Bounds),
    Affine(AffineRows),
    /// The ranges have begins.
    Ranges(RowRanges<'a>),
    /// The rows whose element in the mask is true and not null.
    Mask(ColumnView<'a>),
}

impl SourceRows<'_> {
    fn length(&self) -> RangeLength {
        match self {
            SourceRows::Map(..) | SourceRows::Affine(_) => RangeLength::One,
            SourceRows::Ranges(_) | SourceRows::Mask(_) => RangeLength::Any,
        }
    }

    /// Returns whether rows of the result may be null although no row of the table is null.
    fn nullable(&self) -> bool {
        match self {
            SourceRows::Map(map, bounds) => *bounds == Bounds::Nullify || map.has_validity(),
            SourceRows::Affine(_) | SourceRows::Mask(_) => false,
            SourceRows::Ranges(ranges) => ranges.nullable(),
        }
    }

    /// Returns the number of ranges.
    fn count(&self) -> usize {
        match self {
            SourceRows::Map(map, _) | SourceRows::Mask(map) => map.len(),
            SourceRows::Affine(rows) => rows.length as usize,
            SourceRows::Ranges(ranges) => ranges.ends.len(),
        }
    }

    /// Returns the number of rows of the result. The rows of a mask must be counted.
    fn rows(&self) -> Option<usize> {
        match self {
            SourceRows::Ranges(ranges) => Some(ranges.rows),
            SourceRows::Mask(mask) if !mask.is_empty() => None,
            _ => Some(self.count()),
        }
    }
}

/// Concatenates tables of the same types, which have rows. Applies `flat` to the tables of the columns without lists.
pub(super) fn join_beside_flat(
    operation: &'static str,
    tables: &[&TableView<'_>],
    ctx: Ctx<'_>,
    flat: impl FnOnce(&[&TableView<'_>]) -> Result<Table>,
) -> Result<Table> {
    let like = tables[0];
    let (of_lists, of_flat) = lists_and_flat(like);
    if of_lists.is_empty() {
        return flat(tables);
    }
    let select = |columns: &[usize]| tables.iter().map(|table| table.select(columns)).collect::<Result<Vec<_>>>();
    let copied = match of_flat.is_empty() {
        true => Vec::new(),
        false => flat(&select(&of_flat)?.iter().collect::<Vec<_>>())?.into_columns(),
    };
    let lists = join_lists(operation, &select(&of_lists)?.iter().collect::<Vec<_>>(), ctx)?;
    let rows = tables.iter().fold(0_usize, |rows, table| rows.saturating_add(table.num_rows()));
    columns_in_order(like.num_columns(), |column| has_lists(like, column), [lists, copied], rows)
}

/// Concatenates the rows of columns with lists. The rows of each table are one range.
fn join_lists(operation: &'static str, tables: &[&TableView<'_>], ctx: Ctx<'_>) -> Result<Vec<Column>> {
    let plan = NestedPlan::new(operation, tables, RangeLength::Any)?;
    plan.check_shared_values()?;
    if tables.len() > MOST_TABLES {
        return Err(Error::beyond_limit("the number of inputs", tables.len() as i128, MOST_TABLES as i128)
            .with_remedy("concatenate the inputs in several calls"));
    }
    let (mut ends, mut rows) = (Vec::with_capacity(tables.len()), 0_usize);
    for table in tables {
        let next = rows.checked_add(table.num_rows()).filter(|rows| *rows < isize::MAX as usize);
        let too_many = || Error::invalid_argument("the result would have 2^63 - 1 rows or more; use fewer rows");
        rows = next.ok_or_else(too_many)?;
        ends.push(rows as i64);
    }
    let begins: Vec<_> = (0..tables.len() as i64).map(|table| table << NESTED_TABLE_SHIFT).collect();
    let column = |numbers: &[i64]| Column::from_slice_on(numbers, ctx.stream, ctx.mr.temporary);
    let (ends, begins) = (column(&ends)?, column(&begins)?);
    let ranges = RowRanges { ends: ends.view(), begins: Some(begins.view()), sizes: None, rows };
    let is_clean = !tables.iter().any(|table| table.columns().iter().any(|column| may_hide_data(*column)));
    let joined =
        |ctx| copy(&NestedCopy { plan: &plan, rows_of_tables: [rows, 0], rows: SourceRows::Ranges(ranges), ctx });
    if is_clean {
        return joined(ctx);
    }
    // The data of null rows is removed from all tables at once.
    joined(ctx.scratch())?.iter().map(|column| copy_without_hidden_data(operation, column, ctx)).collect()
}

fn lists_and_flat(table: &TableView<'_>) -> (Vec<usize>, Vec<usize>) {
    (0..table.num_columns()).partition(|column| has_lists(table, *column))
}

fn has_lists(table: &TableView<'_>, column: usize) -> bool {
    Abilities::of(table.columns()[column].data_type()).lists
}

/// Applies `flat` to the columns of `table` without lists, and copies `rows` of the columns with lists.
pub(super) fn beside_flat(
    operation: &'static str,
    table: &TableView<'_>,
    rows: SourceRows<'_>,
    ctx: Ctx<'_>,
    flat: impl FnOnce(&TableView<'_>) -> Result<Table>,
) -> Result<Table> {
    let (of_lists, of_flat) = lists_and_flat(table);
    if of_lists.is_empty() {
        return flat(table);
    }
    let mut copied = Vec::new();
    let mut trusted = rows;
    if !of_flat.is_empty() {
        copied = flat(&table.select(&of_flat)?)?.into_columns();
        if let SourceRows::Map(map, Bounds::Report) = rows {
            trusted = SourceRows::Map(map, Bounds::trusted());
        }
    }
    let lists = copy_rows(operation, &table.select(&of_lists)?, trusted, ctx)?;
    let rows = lists.first().map_or(0, Column::len);
    columns_in_order(table.num_columns(), |column| has_lists(table, column), [lists, copied], rows)
}

fn copy_rows(
    operation: &'static str,
    table: &TableView<'_>,
    rows: SourceRows<'_>,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    if rows.rows() == Some(0) {
        return table
            .columns()
            .iter()
            .map(|column| Column::empty_in(column.data_type(), ctx.stream, ctx.mr.output))
            .collect();
    }
    let clean = if rows.length() == RangeLength::One { with_clean_children } else { without_hidden_data };
    let table = cleaned(operation, table, clean, ctx)?;
    let plan = NestedPlan::new(operation, &[&table.view()], rows.length())?;
    copy(&NestedCopy { plan: &plan, rows_of_tables: [table.num_rows(), 0], rows, ctx })
}

/// Returns rows of two tables of columns with lists, which have the same types. Each element of `map` is a row of the
/// first table, or the number of rows of the first table plus a row of the second table, or null.
pub(super) fn gather_pair(
    operation: &'static str,
    tables: [&TableView<'_>; 2],
    map: ColumnView<'_>,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    let rows = SourceRows::Map(map, Bounds::trusted());
    if rows.rows() == Some(0) {
        return copy_rows(operation, tables[0], rows, ctx);
    }
    let [first, second] = tables.map(|table| cleaned(operation, table, with_clean_children, ctx));
    let [first, second] = [first?, second?];
    let plan = NestedPlan::new(operation, &[&first.view(), &second.view()], rows.length())?;
    plan.check_shared_values()?;
    copy(&NestedCopy { plan: &plan, rows_of_tables: [first.num_rows(), second.num_rows()], rows, ctx })
}

type Clean = fn(&'static str, &Column, Ctx<'_>) -> Result<Column>;

fn cleaned(operation: &'static str, table: &TableView<'_>, clean: Clean, ctx: Ctx<'_>) -> Result<Table> {
    let columns = table.columns().iter().map(|column| clean(operation, &column.to_column(), ctx.scratch()));
    Table::try_with_rows(columns.collect::<Result<_>>()?, table.num_rows())
}
