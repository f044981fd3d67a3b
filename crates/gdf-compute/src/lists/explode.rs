//! `explode`: one row for each element of a list column.

use gdf_core::{Column, ColumnView, DataType, Error, ListsView, Literal, Result, Table, TableView, physical_type};
use gdf_engine::binary::{BinaryOperator as Op, of};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::choose::choose;
use gdf_engine::rows::offset_ends;
use gdf_engine::sequence::sequence;

use super::open::{Lists, as_lists, given_offsets};
use super::ranges::Ranges;
use crate::Ctx;

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
    let (scratch, large) = (ctx.scratch(), physical_type(lists.data_type()).is_large());
    let others = (0..table.num_columns()).filter(|at| *at != column).collect::<Vec<_>>();
    let Exploded { elements, offsets, sizes } = match rows.outer {
        true => with_rows_for_empty_lists(lists.view(), ctx)?,
        false => elements_of_lists(lists.view(), ctx)?,
    };
    if others.is_empty() && !rows.position {
        return Table::try_new(vec![elements]);
    }
    let offsets = offsets.as_int64(scratch)?;
    let count = table.num_rows();
    let total = elements.len();
    let parents = Ranges::of_copies(offsets.slice(1, count)?, total);
    let mut exploded = Vec::new();
    if rows.position {
        let data_type = if large { DataType::Int64 } else { DataType::Int32 };
        let of_parents = |column: &Column| parents.copy_column(column.view(), scratch);
        let row = sequence(0_i64.into(), 1_i64.into(), total, scratch)?;
        let begins = of_parents(&offsets.slice(0, count)?)?;
        let position = of(&row, Op::Sub, (&begins).into(), &data_type, if rows.outer { scratch } else { ctx })?;
        exploded.push(match sizes {
            Some(sizes) => {
                let has = of(&of_parents(&sizes)?, Op::Greater, 0_i64.into(), &DataType::Boolean, scratch)?;
                choose((&position).into(), Literal::null(&data_type).into(), has.view(), ctx)?
            }
            None => position,
        });
    }
    exploded.push(elements);
    let others = parents.copy(&table.select(&others)?, ctx)?;
    let mut columns = others.into_columns();
    columns.splice(column..column, exploded);
    Table::try_with_rows(columns, total)
}

/// The rows of exploded lists.
struct Exploded {
    elements: Column,
    offsets: ElementOffsets,
    /// The sizes of the lists, if a list without elements has a row.
    sizes: Option<Column>,
}

/// The offsets of the lists in the exploded elements.
struct ElementOffsets {
    given: Column,
    /// The number that is subtracted from each offset.
    first: usize,
}

impl ElementOffsets {
    fn as_int64(&self, ctx: Ctx<'_>) -> Result<Column> {
        let long = &DataType::Int64;
        let offsets = cast(self.given.view(), long, ctx)?;
        let first = i64::try_from(self.first).map_err(|_| Error::offset_overflow(self.first as u64))?;
        if first == 0 { Ok(offsets) } else { of(&offsets, Op::Sub, first.into(), long, ctx) }
    }
}

/// Returns the elements of all lists. They are shared with the column if null lists have no elements.
fn elements_of_lists(lists: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Exploded> {
    let view = ListsView::try_from(lists)?;
    if lists.is_empty() {
        let given = Column::from_slice_on(&[0_i64], ctx.stream, ctx.mr.temporary)?;
        let elements = view.child().to_column().slice(0, 0)?;
        return Ok(Exploded { elements, offsets: ElementOffsets { given, first: 0 }, sizes: None });
    }
    if lists.has_validity() && !lists.sanitized() {
        let all = Lists::open(view, &[], ctx.scratch())?;
        let (ranges, given) = Ranges::new(all.begins()?, &all.sizes, ctx.scratch())?;
        let elements = ranges.copy_column(all.elements.view(), ctx)?;
        return Ok(Exploded { elements, offsets: ElementOffsets { given, first: 0 }, sizes: None });
    }
    let given = given_offsets(view, ctx)?;
    let range = offset_ends(&[given.view()], ctx)?.pop().unwrap_or(0..0);
    let elements = view.child().to_column().slice(range.start, range.len())?;
    Ok(Exploded { elements, offsets: ElementOffsets { given, first: range.start }, sizes: None })
}

/// Returns the elements of all lists, and a null for each list without elements.
fn with_rows_for_empty_lists(lists: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Exploded> {
    let all = Lists::open(ListsView::try_from(lists)?, &[], ctx.scratch())?;
    let (ranges, given) = Ranges::outer(all.begins()?, &all.sizes, ctx.scratch())?;
    let elements = ranges.copy_column(all.elements.view(), ctx)?;
    Ok(Exploded { elements, offsets: ElementOffsets { given, first: 0 }, sizes: Some(all.sizes) })
}
