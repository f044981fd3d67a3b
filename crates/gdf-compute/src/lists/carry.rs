//! Copies of rows for columns of all types. Lists and composite columns copy rows of their elements, so that all of it
//! is one recursion.

use std::cell::Cell;

use gdf_core::{
    Abilities, Column, ColumnParts, ColumnView, DataType, Error, Fields, Literal, NullCount, Operand, PhysicalType,
    Result, Scalar, StructsView, Table, TableView, UnionFields, physical_type, width,
};
use gdf_engine::cast::cast;
use gdf_engine::policy::NullPolicy;
use gdf_engine::rows::{self, Bounds, copy_ranges, join_columns};
use gdf_memory::Buffer;

use super::arrays::{to_bytes, to_lists};
use super::composite::{is_field, offset_type, open, values_of};
use super::ranges::Ranges;
use super::skeleton::{list_skeleton, lists_of};
use crate::Ctx;
use crate::binaryop::{BinaryOperator as Op, of};
use crate::copying::copy_if_else;
use crate::filling::row_numbers;
use crate::scan::{ScanAggregation, ScanType, scan};
use crate::unary::is_valid;
use crate::vouch;

/// Applies `work`, which copies rows, to a table of columns of any type. `work` may make some of these rows null.
///
/// # Errors
/// * The errors of `work`.
/// * [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn carry(
    table: &TableView<'_>,
    ctx: Ctx<'_>,
    work: impl Fn(&TableView<'_>, Ctx<'_>) -> Result<Table>,
) -> Result<Table> {
    apart(
        table,
        ctx,
        |apart, ctx| {
            let opened = carry_lists(&open(apart, &[], ctx.scratch())?.view(), ctx.scratch(), &work)?;
            close(apart, opened, values_of(apart)?, ctx)
        },
        |plain, ctx| carry_lists(plain, ctx, &work),
    )
}

/// Applies `composite` to the table of the composite columns, and `plain` to the table of the other columns. The
/// columns of the result have the order of the columns of `table`.
pub fn apart(
    table: &TableView<'_>,
    ctx: Ctx<'_>,
    composite: impl FnOnce(&TableView<'_>, Ctx<'_>) -> Result<Table>,
    plain: impl FnOnce(&TableView<'_>, Ctx<'_>) -> Result<Table>,
) -> Result<Table> {
    let is_composite = |column: &usize| Abilities::of(table.columns()[*column].data_type()).composite;
    let (of_composite, of_plain): (Vec<_>, Vec<_>) = (0..table.num_columns()).partition(is_composite);
    if of_composite.is_empty() {
        return plain(table, ctx);
    }
    let closed = composite(&table.select(&of_composite)?, ctx)?;
    if of_plain.is_empty() {
        return Ok(closed);
    }
    let (rows, mut closed) = (closed.num_rows(), closed.into_columns().into_iter());
    let mut rest = plain(&table.select(&of_plain)?, ctx)?.into_columns().into_iter();
    let columns =
        (0..table.num_columns()).map(|column| if is_composite(&column) { closed.next() } else { rest.next() });
    let columns =
        columns.collect::<Option<_>>().ok_or_else(|| Error::internal("a copied table has too few columns"))?;
    Table::try_with_rows(columns, rows)
}

/// Does the same as [`carry`] for a table without composite columns.
fn carry_lists(
    table: &TableView<'_>,
    ctx: Ctx<'_>,
    work: &impl Fn(&TableView<'_>, Ctx<'_>) -> Result<Table>,
) -> Result<Table> {
    if !table.columns().iter().any(|column| Abilities::of(column.data_type()).lists) {
        return work(table, ctx);
    }
    if let Some(bytes) = to_bytes(table)? {
        return to_lists(table, carry_lists(&bytes.view(), ctx, work)?);
    }
    let (rows, scratch) = (table.num_rows(), ctx.scratch());
    let result = work(&list_skeleton(table)?.view(), ctx)?;
    let lists = lists_of(table, scratch)?;
    let mut ranges = Vec::new();
    for lists in &lists {
        ranges.push(lists.begins()?);
        ranges.extend(lists.width.is_none().then(|| lists.sizes.clone()));
    }
    let mut ranges = work(&Table::try_with_rows(ranges, rows)?.view(), scratch)?.into_columns().into_iter();
    let mut next = || ranges.next().ok_or_else(|| Error::internal("a copied table has too few columns"));
    let columns = lists.into_iter().map(|lists| match lists.width {
        None => gathered(&next()?, &next()?, lists.elements, scratch),
        Some(width) => gathered_of_width(&next()?, width, lists.elements, scratch),
    });
    restore(table, result, columns.collect::<Result<Vec<_>>>()?, ctx)
}

/// Returns the rows of `table` whose numbers are in `map`, in the order of `map`.
pub fn gather(table: &TableView<'_>, map: ColumnView<'_>, bounds: Bounds, ctx: Ctx<'_>) -> Result<Table> {
    // The map is checked once, because the host waits for the result of each check.
    let checked = Cell::new(None);
    carry(table, ctx, |table, ctx| {
        let is_checked = bounds == Bounds::Report && checked.get().is_some_and(|rows| rows <= table.num_rows());
        let gathered = rows::gather(table, map, if is_checked { vouch::trusted() } else { bounds }, ctx)?;
        checked.set(checked.get().or(Some(table.num_rows())));
        Ok(gathered)
    })
}

/// Gathers in the same way as [`gather`], but does not check the elements of the map.
pub(crate) fn gather_trusted(table: &TableView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    gather(table, map, vouch::trusted(), ctx)
}

/// Gathers the rows of one column in the same way as [`gather_trusted`].
pub(crate) fn gather_column(column: ColumnView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    Ok(gather_trusted(&TableView::from(column), map, ctx)?.column(0)?.clone())
}

/// Returns the rows whose element in `mask` is true and not null. `mask` is a column of booleans.
pub fn select(table: &TableView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    carry(table, ctx, |table, ctx| rows::select(table, mask, ctx))
}

impl Ranges {
    /// Returns the rows of the ranges.
    pub fn copy(&self, table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
        carry(table, ctx, |table, ctx| copy_ranges(table, &self.of_rows(), ctx))
    }

    /// Copies the rows of one column in the same way as [`copy`](Self::copy).
    pub fn copy_column(&self, column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
        Ok(self.copy(&TableView::from(column), ctx)?.column(0)?.clone())
    }
}

/// Offsets and elements of lists.
pub struct Parts {
    /// The offsets of the lists, or `None` for lists of a fixed size. The type is `Int64` unless `is_final` is set.
    pub offsets: Option<Column>,
    /// Whether `offsets` have the offset type of the list column, and are in output memory.
    pub is_final: bool,
    /// The elements in the order of the lists. If `ranges` are given, the elements are the ranges of this column.
    pub elements: Column,
    /// The ranges of `elements`, one for each list, or `None` if `elements` already has the order of the lists.
    pub ranges: Option<Ranges>,
}

/// Returns the parts of lists. List `i` has `sizes[i]` elements, from element `begins[i]` of `elements` on.
pub fn gathered(begins: &Column, sizes: &Column, elements: Column, ctx: Ctx<'_>) -> Result<Parts> {
    // No size is negative.
    let sizes =
        if sizes.has_validity() { of(sizes, Op::NullMax, 0_i64.into(), &DataType::Int64, ctx)? } else { sizes.clone() };
    // The sum of the sizes may exceed 64 bits.
    if sizes.len() as u128 * elements.len() as u128 > i64::MAX as u128 {
        let floats = cast(sizes.view(), &DataType::Float64, ctx)?;
        let sums = scan(floats.view(), ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude, ctx)?;
        let sum = Scalar::from_column(sums.slice(sums.len() - 1, 1)?)?.value_on::<f64>(ctx.stream)?;
        if sum.is_some_and(|sum| sum >= isize::MAX as f64) {
            return Err(Error::offset_overflow(u64::MAX));
        }
    }
    let (ranges, offsets) = Ranges::new(begins.clone(), &sizes, ctx)?;
    Ok(Parts { offsets: Some(offsets), is_final: false, elements, ranges: Some(ranges) })
}

/// Returns the parts of lists of `width` elements each in the same way as [`gathered`].
fn gathered_of_width(begins: &Column, width: usize, elements: Column, ctx: Ctx<'_>) -> Result<Parts> {
    let ranges = Ranges::even(begins.clone(), width, ctx)?;
    Ok(Parts { offsets: None, is_final: false, elements, ranges: Some(ranges) })
}

/// Restores the column types of `like`.
pub fn restore(like: &TableView<'_>, skeleton: Table, lists: Vec<Parts>, ctx: Ctx<'_>) -> Result<Table> {
    let (rows, mut lists) = (skeleton.num_rows(), lists.into_iter());
    let columns = like.columns().iter().zip(skeleton.into_columns());
    let columns = columns.map(|(like, column)| fill(like.data_type(), column, &mut lists, ctx));
    Table::try_with_rows(columns.collect::<Result<_>>()?, rows)
}

fn fill(like: &DataType, bare: Column, lists: &mut dyn Iterator<Item = Parts>, ctx: Ctx<'_>) -> Result<Column> {
    if !Abilities::of(like).lists {
        return Ok(bare);
    }
    let mut parts = bare.into_parts();
    if let DataType::Struct(fields) = like {
        parts.data_type = like.clone();
        let children = fields.iter().zip(parts.children);
        parts.children =
            children.map(|(field, child)| fill(field.data_type(), child, lists, ctx)).collect::<Result<_>>()?;
        return vouch::result(parts);
    }
    let Parts { offsets, is_final, elements, ranges } =
        lists.next().ok_or_else(|| Error::internal("the elements of a list column are missing"))?;
    let count = ranges.as_ref().map_or(elements.len(), |ranges| ranges.total);
    let selected = |elements: Column| match &ranges {
        Some(ranges) => ranges.copy_column(elements.view(), ctx),
        None => Ok(elements),
    };
    if let DataType::FixedSizeList(..) = like {
        let lists = ColumnParts::new(like.clone(), parts.device, parts.len);
        let lists = ColumnParts { children: vec![selected(elements)?], ..lists };
        return vouch::result(lists.validity(parts.validity, parts.null_count));
    }
    let offsets = match offsets {
        Some(offsets) if is_final => offsets.into_parts().buffers.into_iter().next(),
        offsets => offsets.map(|offsets| offsets_buffer(&offsets, like, count, ctx)).transpose()?.flatten(),
    };
    let offsets = offsets.ok_or_else(|| Error::buffer_count(like, 1, 0))?;
    let elements = selected(elements)?;
    let lists = ColumnParts::lists(parts.len, offsets, physical_type(like).is_large(), elements, true);
    vouch::result(ColumnParts { data_type: like.clone(), ..lists }.validity(parts.validity, parts.null_count))
}

fn offsets_buffer(offsets: &Column, data_type: &DataType, elements: usize, ctx: Ctx<'_>) -> Result<Option<Buffer>> {
    if let PhysicalType::List { large: true } = physical_type(data_type) {
        return Ok(Some(offsets.buffers()[0].deep_copy(ctx.stream, ctx.mr.output)?));
    }
    if i32::try_from(elements).is_err() {
        return Err(Error::offset_overflow(elements as u64));
    }
    let narrow = cast(offsets.view(), &DataType::Int32, ctx)?;
    Ok(narrow.into_parts().buffers.into_iter().next())
}

/// Closes the columns of `opened`, which has copied rows.
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
    if !Abilities::of(like).composite {
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
            let DataType::Struct(fields) = like else {
                return Err(Error::internal("a column that is not a struct was opened as a struct"));
            };
            let children = fields.iter().zip(children);
            let children = children.map(|(field, child)| close_column(field.data_type(), child, values, ctx));
            parts.children = children.collect::<Result<_>>()?;
            vouch::result(ColumnParts { data_type: like.clone(), ..parts })
        }
    }
}

/// Copies the mask of a struct, and its null count if that is stored in device memory.
fn copied_nulls(opened: &Column, ctx: Ctx<'_>) -> Result<(Option<Buffer>, NullCount)> {
    let data_type = DataType::Struct(Fields::empty());
    let without_fields = ColumnParts { data_type, children: Vec::new(), ..opened.clone().into_parts() };
    let copy = vouch::result(without_fields)?.deep_copy(ctx.stream, ctx.mr.output)?.into_parts();
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
        let of_runs = select(&TableView::try_new(vec![numbers.view(), runs.view()])?, is_last.view(), scratch)?;
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
        let map = select(&TableView::from(rows), own.view(), scratch)?;
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
        let before = |ctx| scan(counted.view(), ScanAggregation::Sum, ScanType::Exclusive, NullPolicy::Exclude, ctx);
        offsets = Some(match offsets {
            None => before(ctx_of_offsets)?,
            Some(offsets) => {
                let before = before(scratch)?;
                copy_if_else((&before).into(), (&offsets).into(), own.view(), ctx_of_offsets)?
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
            let valid = is_valid(ids, ctx.scratch())?;
            copy_if_else(ids.into(), Literal::from(first).into(), valid.view(), ctx.scratch())?
        }
    };
    // No type id is negative.
    of(&ids, Op::NullMax, Literal::from(0_i8).into(), &DataType::Int8, ctx)
}

fn zero(integers: &DataType) -> Operand<'static> {
    if *integers == DataType::Int64 { Literal::from(0_i64).into() } else { Literal::from(0_i32).into() }
}
