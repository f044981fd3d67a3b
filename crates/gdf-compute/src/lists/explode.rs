//! `explode`: one row for each element of a list column.

use gdf_core::{Column, DataType, ListsView, Literal, Result, Table, TableView};
use gdf_engine::check;

use super::open::{Lists, as_lists};
use super::ranges::{Ranges, offsets_of};
use crate::Ctx;
use crate::binaryop::{BinaryOperator as Op, of};
use crate::copying::copy_if_else;
use crate::filling::sequence;

/// The options of [`explode`] for its rows and columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Explode {
    /// Whether a null or empty list also gives a row. The element of that row is null.
    pub outer: bool,
    /// Whether to add a column with the position of each element in its list, before the column of elements.
    pub position: bool,
}

/// Makes one row for each element of a list column.
///
/// Implements `gdf_api::lists::explode` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn explode(table: TableView<'_>, column: usize, rows: Explode, ctx: Ctx<'_>) -> Result<Table> {
    let view = table.column(column)?;
    check::table(&table, ctx)?;
    let lists = as_lists("explode", view, ctx.scratch())?;
    let (view, lists) = (lists.view(), ListsView::try_from(lists.view())?);
    let scratch = ctx.scratch();
    let all = Lists::open(lists, &[], scratch)?;
    // The elements of the result are exactly the elements of the column if null lists have no elements and no row
    // without an element is added.
    let is_whole = !rows.outer && (!view.has_validity() || view.sanitized());
    let (elements, offsets) = if is_whole {
        let range = Lists::ranges(std::slice::from_ref(&all), ctx)?.pop().unwrap_or(0..0);
        (all.elements.slice(range.start, range.len())?, offsets_of(&all.sizes, scratch)?)
    } else {
        let begins = all.begins()?;
        let (ranges, offsets) = match rows.outer {
            true => Ranges::outer(begins, &all.sizes, scratch)?,
            false => Ranges::new(begins, &all.sizes, scratch)?,
        };
        (ranges.copy_column(all.elements.view(), ctx)?, offsets)
    };
    let total = elements.len();
    let parents = Ranges::of_copies(offsets.slice(1, view.len())?, total);
    let mut exploded = Vec::new();
    if rows.position {
        let data_type = if lists.is_large() { DataType::Int64 } else { DataType::Int32 };
        let of_parents = |column: &Column| parents.copy_column(column.view(), scratch);
        let row = sequence(0_i64.into(), 1_i64.into(), total, scratch)?;
        let begins = of_parents(&offsets.slice(0, view.len())?)?;
        let position = of(&row, Op::Sub, (&begins).into(), &data_type, if rows.outer { scratch } else { ctx })?;
        exploded.push(if rows.outer {
            let has = of(&of_parents(&all.sizes)?, Op::Greater, 0_i64.into(), &DataType::Boolean, scratch)?;
            copy_if_else((&position).into(), Literal::null(&data_type).into(), has.view(), ctx)?
        } else {
            position
        });
    }
    exploded.push(elements);
    let others = (0..table.num_columns()).filter(|at| *at != column).collect::<Vec<_>>();
    let others = parents.copy(&table.select(&others)?, ctx)?;
    let mut columns = others.into_columns();
    columns.splice(column..column, exploded);
    Table::try_with_rows(columns, total)
}
