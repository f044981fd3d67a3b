//! Copies of rows for columns of all types. Lists and composite columns copy rows of their elements, so that all of it
//! is one recursion.

use std::cell::Cell;

use gdf_core::layout::child_types;
use gdf_core::{
    Abilities, Column, ColumnParts, ColumnView, DataType, Error, Fields, Literal, NullCount, Operand, PhysicalType,
    Result, StructsView, Table, TableView, UnionFields, physical_type, width,
};
use gdf_engine::binary::{BinaryOperator as Op, of};
use gdf_engine::cast::cast;
use gdf_engine::choose::choose;
use gdf_engine::mask::bitmask_and;
use gdf_engine::null_rows::valid_rows;
use gdf_engine::policy::NullPolicy;
use gdf_engine::rows::{self, Bounds, columns_in_order, copy_ranges, join_columns};
use gdf_engine::running::{ScanAggregation, ScanType, running};
use gdf_engine::sequence::row_numbers;
use gdf_memory::Buffer;

use super::composite::{has_composite, is_field, offset_type, open, values_of};
use super::ranges::Ranges;
use crate::Ctx;
use crate::vouch;

/// Applies `copy`, which copies rows, to a table in which composite columns are [opened](open()), and closes the copied
/// columns. `copy` may make some of these rows null.
///
/// # Errors
/// * The errors of `copy`.
/// * [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn copy_opened(
    table: &TableView<'_>,
    ctx: Ctx<'_>,
    copy: impl Fn(&TableView<'_>, Ctx<'_>) -> Result<Table>,
) -> Result<Table> {
    split_composite(
        table,
        ctx,
        |composite, ctx| {
            let opened = copy(&open(composite, &[], ctx.scratch())?.view(), ctx.scratch())?;
            close(composite, opened, values_of(composite)?, ctx)
        },
        |plain, ctx| copy(plain, ctx),
    )
}

/// Applies `copy`, which copies rows of columns without lists, in the same way as [`copy_opened`]. The rows of other
/// columns are gathered by row numbers, which are copied like the rows.
///
/// # Errors
/// * The errors of [`copy_opened`].
pub fn copy_flat(
    table: &TableView<'_>,
    ctx: Ctx<'_>,
    copy: impl Fn(&TableView<'_>, Ctx<'_>) -> Result<Table>,
) -> Result<Table> {
    let is_flat = |column: &usize| Abilities::of(table.columns()[*column].data_type()).rows;
    let (flat, others): (Vec<_>, Vec<_>) = (0..table.num_columns()).partition(is_flat);
    if others.is_empty() {
        return copy(table, ctx);
    }
    let numbers = row_numbers(table.num_rows(), ctx.scratch())?;
    let copied = match flat.is_empty() {
        true => Vec::new(),
        false => copy(&table.select(&flat)?, ctx)?.into_columns(),
    };
    let numbers = copy(&TableView::from(numbers.view()), ctx.scratch())?;
    let others = gather_trusted(&table.select(&others)?, numbers.column(0)?.view(), ctx)?;
    let rows = numbers.num_rows();
    columns_in_order(table.num_columns(), |column| is_flat(&column), [copied, others.into_columns()], rows)
}

/// Applies `composite` to the table of the composite columns, and `plain` to the table of the other columns. The
/// columns of the result have the order of the columns of `table`.
pub fn split_composite(
    table: &TableView<'_>,
    ctx: Ctx<'_>,
    composite: impl FnOnce(&TableView<'_>, Ctx<'_>) -> Result<Table>,
    plain: impl FnOnce(&TableView<'_>, Ctx<'_>) -> Result<Table>,
) -> Result<Table> {
    let is_composite = |column: &usize| has_composite(table.columns()[*column].data_type());
    let (of_composite, of_plain): (Vec<_>, Vec<_>) = (0..table.num_columns()).partition(is_composite);
    if of_composite.is_empty() {
        return plain(table, ctx);
    }
    let closed = composite(&table.select(&of_composite)?, ctx)?;
    if of_plain.is_empty() {
        return Ok(closed);
    }
    let (rows, rest) = (closed.num_rows(), plain(&table.select(&of_plain)?, ctx)?);
    let lists = [closed.into_columns(), rest.into_columns()];
    columns_in_order(table.num_columns(), |column| is_composite(&column), lists, rows)
}

/// Returns the rows of `table` whose numbers are in `map`, in the order of `map`.
pub fn gather_rows(table: &TableView<'_>, map: ColumnView<'_>, bounds: Bounds, ctx: Ctx<'_>) -> Result<Table> {
    // The map is checked once, because the host waits for the result of each check.
    let checked = Cell::new(None);
    copy_opened(table, ctx, |table, ctx| {
        let is_checked = bounds == Bounds::Report && checked.get().is_some_and(|rows| rows <= table.num_rows());
        let gathered = rows::gather(table, map, if is_checked { vouch::trusted() } else { bounds }, ctx)?;
        checked.set(checked.get().or(Some(table.num_rows())));
        Ok(gathered)
    })
}

/// Gathers in the same way as [`gather_rows`], but does not check the elements of the map.
pub(crate) fn gather_trusted(table: &TableView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    gather_rows(table, map, vouch::trusted(), ctx)
}

/// Gathers the rows of one column in the same way as [`gather_trusted`].
pub(crate) fn gather_column(column: ColumnView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    Ok(gather_trusted(&TableView::from(column), map, ctx)?.column(0)?.clone())
}

/// Returns the rows whose element in `mask` is true and not null. `mask` is a column of booleans.
pub fn select_rows(table: &TableView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    copy_opened(table, ctx, |table, ctx| rows::select(table, mask, ctx))
}

impl Ranges {
    /// Returns the rows of the ranges.
    pub fn copy(&self, table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
        let ranges = self.of_rows();
        if ranges.begins.is_some() {
            return copy_opened(table, ctx, |table, ctx| copy_ranges(table, &ranges, ctx));
        }
        copy_flat(table, ctx, |table, ctx| copy_ranges(table, &ranges, ctx))
    }

    /// Copies the rows of one column in the same way as [`copy`](Self::copy).
    pub fn copy_column(&self, column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
        Ok(self.copy(&TableView::from(column), ctx)?.column(0)?.clone())
    }
}

/// Closes the columns of `opened`, which has copied rows. Structs and lists are opened only for the columns inside.
pub fn close(like: &TableView<'_>, opened: Table, values: Vec<Vec<Column>>, ctx: Ctx<'_>) -> Result<Table> {
    let (rows, mut values) = (opened.num_rows(), values.into_iter());
    let columns = like.columns().iter().zip(opened.into_columns());
    let columns = columns.map(|(like, column)| close_column(like.data_type(), column, &mut values, ctx));
    Table::try_with_rows(columns.collect::<Result<_>>()?, rows)
}

fn close_column(
    like: &DataType,
    opened: Column,
    values: &mut dyn Iterator<Item = Vec<Column>>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    if !has_composite(like) {
        return opened.deep_copy(ctx.stream, ctx.mr.output);
    }
    let mut next = || values.next().ok_or_else(|| Error::internal("the values of a copied column are missing"));
    match like {
        DataType::ListView(_) | DataType::LargeListView(_) => close_list_views(like, &opened, next()?, ctx),
        DataType::RunEndEncoded(ends, _) => close_runs(like, ends.data_type(), &opened, &next()?, ctx),
        DataType::Union(fields, _) if matches!(physical_type(like), PhysicalType::Union { dense: true }) => {
            close_dense(like, fields, &opened, &next()?, ctx)
        }
        DataType::Union(fields, _) => {
            let view = StructsView::try_from(opened.view())?;
            let ids = ids_of(fields, &opened, ctx)?;
            let parts = ColumnParts::new(like.clone(), opened.device(), opened.len());
            let mut parts = parts.buffer(ids.buffers()[0].clone());
            for (i, (_, field)) in fields.iter().enumerate() {
                let child = view.child(i + 1)?.to_column();
                parts.children.push(close_column(field.data_type(), child, values, ctx)?);
            }
            vouch::result(parts)
        }
        _ => {
            let (validity, null_count) = copied_nulls(&opened, ctx)?;
            let mut parts = ColumnParts { validity, null_count, ..opened.into_parts() };
            let children = std::mem::take(&mut parts.children).into_iter();
            for buffer in &mut parts.buffers {
                *buffer = buffer.deep_copy(ctx.stream, ctx.mr.output)?;
            }
            let children = child_types(like).into_iter().zip(children);
            let children = children.map(|(like, child)| close_column(like, child, values, ctx));
            parts.children = children.collect::<Result<_>>()?;
            vouch::result(ColumnParts { data_type: like.clone(), ..parts })
        }
    }
}

/// Copies the mask of an opened column, and its null count if that is stored in device memory.
fn copied_nulls(opened: &Column, ctx: Ctx<'_>) -> Result<(Option<Buffer>, NullCount)> {
    let data_type = DataType::Struct(Fields::empty());
    let (buffers, children) = Default::default();
    let without_fields = vouch::result(ColumnParts { data_type, buffers, children, ..opened.clone().into_parts() })?;
    if without_fields.has_validity() && without_fields.view().known_null_count().is_none() && opened.offset() == 0 {
        // A slice of the result drops the null count, which is therefore in the allocation of the mask.
        return Ok(bitmask_and(&TableView::from(without_fields.view()), ctx)?.into_parts());
    }
    let copy = without_fields.deep_copy(ctx.stream, ctx.mr.output)?.into_parts();
    Ok((copy.validity, copy.null_count))
}

fn close_list_views(like: &DataType, opened: &Column, values: Vec<Column>, ctx: Ctx<'_>) -> Result<Column> {
    let view = StructsView::try_from(opened.view())?;
    let of_lists = offset_type(like);
    // The positions and sizes of null lists become 0.
    let numbers = |i: usize| of(&view.child(i)?.to_column(), Op::NullMax, zero(&of_lists), &of_lists, ctx);
    let mut parts = ColumnParts::new(like.clone(), opened.device(), opened.len());
    for i in 0..2 {
        parts = parts.buffer(numbers(i)?.buffers()[0].clone());
    }
    parts.sanitized = values.iter().all(Column::sanitized);
    parts.children = values;
    let (mask, null_count) = copied_nulls(opened, ctx)?;
    vouch::result(parts.validity(mask, null_count))
}

fn close_runs(like: &DataType, of_ends: &DataType, runs: &Column, values: &[Column], ctx: Ctx<'_>) -> Result<Column> {
    let (rows, scratch, device) = (runs.len(), ctx.scratch(), ctx.stream.device());
    let most = i64::MAX >> (64 - 8 * width(of_ends).unwrap_or(8));
    if i64::try_from(rows).map_or(true, |rows| rows > most) {
        let remedy = "use `transform::run_end_decode` first";
        return Err(Error::offset_overflow(rows as u64).with_remedy(remedy));
    }
    let values = values.first().ok_or_else(|| Error::column_count(1, 0))?;
    let (ends, numbers) = if rows == 0 {
        (Column::empty_on(of_ends, device)?, Column::empty_on(&DataType::Int64, device)?)
    } else {
        let last = Column::from_slice_on(&[true], ctx.stream, ctx.mr.temporary)?;
        let (this, next) = (runs.slice(0, rows - 1)?, runs.slice(1, rows - 1)?);
        let is_last = match rows {
            1 => last,
            _ => {
                let differs = of(&this, Op::NullNotEquals, (&next).into(), &DataType::Boolean, scratch)?;
                join_columns(&[differs.view(), last.view()], scratch)?
            }
        };
        let numbers = row_numbers(rows, scratch)?;
        let of_runs = select_rows(&TableView::try_new(vec![numbers.view(), runs.view()])?, is_last.view(), scratch)?;
        let last_rows = cast(of_runs.column(0)?.view(), of_ends, scratch)?;
        (of(&last_rows, Op::Add, Literal::from(1_i8).into(), of_ends, ctx)?, of_runs.column(1)?.clone())
    };
    let values = gather_column(values.view(), numbers.view(), ctx)?;
    let parts = ColumnParts { null_count: NullCount::Known(0), ..ColumnParts::new(like.clone(), device, rows) };
    vouch::result(parts.child(ends).child(values))
}

fn close_dense(
    like: &DataType,
    fields: &UnionFields,
    opened: &Column,
    values: &[Column],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let scratch = ctx.scratch();
    let ids = ids_of(fields, opened, ctx)?;
    let rows = StructsView::try_from(opened.view())?.child(1)?;
    let mut parts = ColumnParts::new(like.clone(), opened.device(), opened.len()).buffer(ids.buffers()[0].clone());
    let mut offsets: Option<Column> = None;
    for (i, ((id, _), values)) in fields.iter().zip(values).enumerate() {
        let ctx_of_offsets = if i + 1 == fields.len() { ctx } else { scratch };
        let own = is_field(&ids, id, scratch)?;
        let map = select_rows(&TableView::from(rows), own.view(), scratch)?;
        // The offsets of a dense union are `Int32` numbers of rows of one field.
        if i32::try_from(map.num_rows()).is_err() {
            return Err(Error::offset_overflow(map.num_rows() as u64));
        }
        parts.children.push(gather_column(values.view(), map.column(0)?.view(), ctx)?);
        if opened.is_empty() {
            continue;
        }
        // In a dense union, the offset of a row is the number of earlier rows of the same field.
        let counted = cast(own.view(), &DataType::Int32, scratch)?;
        let before = |ctx| running(counted.view(), ScanAggregation::Sum, ScanType::Exclusive, NullPolicy::Exclude, ctx);
        offsets = Some(match offsets {
            None => before(ctx_of_offsets)?,
            Some(offsets) => {
                let before = before(scratch)?;
                choose((&before).into(), (&offsets).into(), own.view(), ctx_of_offsets)?
            }
        });
    }
    let offsets = match offsets {
        Some(offsets) => offsets,
        None => Column::empty_on(&DataType::Int32, ctx.stream.device())?,
    };
    vouch::result(parts.buffer(offsets.buffers()[0].clone()))
}

/// Returns the type id of each row of an opened union.
fn ids_of(fields: &UnionFields, opened: &Column, ctx: Ctx<'_>) -> Result<Column> {
    let ids = StructsView::try_from(opened.view())?.child(0)?;
    let ids = match fields.iter().next() {
        _ if !ids.has_validity() => ids.to_column(),
        None => {
            return Err(Error::invalid_argument(
                "a union without fields cannot store the null rows of the result; add a field to the union",
            ));
        }
        Some((first, _)) => {
            let valid = valid_rows(ids, ctx.scratch())?;
            choose(ids.into(), Literal::from(first).into(), valid.view(), ctx.scratch())?
        }
    };
    // No type id is negative.
    of(&ids, Op::NullMax, Literal::from(0_i8).into(), &DataType::Int8, ctx)
}

fn zero(integers: &DataType) -> Operand<'static> {
    if *integers == DataType::Int64 { Literal::from(0_i64).into() } else { Literal::from(0_i32).into() }
}
