//! Support for list views, unions and run-end encoded columns in operations that copy rows.
//!
//! Each such column, and each struct with such a field, is opened: it becomes a column whose rows engines copy. The
//! copied rows are closed, that is, they get the type of the column again.
//!
//! | column | opened column | values |
//! |---|---|---|
//! | list view | a struct of the position of the first element and the number of elements | the elements |
//! | dense union | a struct of the type id and the row of the field | all fields |
//! | sparse union | a struct of the type id and the row of every field | |
//! | run-end encoded column | the number of the run | the values of the runs |

use gdf_core::{
    Abilities, Column, ColumnParts, DataType, Error, Field, FieldRef, Fields, Literal, NullCount, Operand,
    PhysicalType, Result, RunsView, StructsView, Table, TableView, UnionFields, physical_type, width,
};
use gdf_engine::cast::cast;
use gdf_engine::policy::NullPolicy;
use gdf_engine::rows::join_columns;
use gdf_engine::vouch;
use gdf_memory::Buffer;

use super::ranges::rows_of_runs;
use super::{gather_column, select};
use crate::Ctx;
use crate::binaryop::{BinaryOperator as Op, of};
use crate::copying::copy_if_else;
use crate::filling::row_numbers;
use crate::scan::{ScanAggregation, ScanType, scan};
use crate::unary::is_valid;

/// Returns the values of each outermost list view, dense union and run-end encoded column, in the order of columns and
/// fields.
pub fn values_of(table: &TableView<'_>) -> Result<Vec<Vec<Column>>> {
    fn visit(column: &Column, values: &mut Vec<Vec<Column>>) -> Result<()> {
        match physical_type(column.data_type()) {
            _ if !Abilities::of(column.data_type()).composite => Ok(()),
            PhysicalType::Struct | PhysicalType::Union { dense: false } => {
                column.children().iter().try_for_each(|child| visit(child, values))
            }
            PhysicalType::RunEnd => {
                values.push(vec![RunsView::try_from(column.view())?.values().to_column()]);
                Ok(())
            }
            _ => {
                values.push(column.children().to_vec());
                Ok(())
            }
        }
    }
    let mut values = Vec::new();
    table.columns().iter().try_for_each(|column| visit(column.column(), &mut values))?;
    Ok(values)
}

/// Opens the columns of a table.
pub fn open(table: &TableView<'_>, bases: &[Vec<usize>], ctx: Ctx<'_>) -> Result<Table> {
    let mut bases = bases.iter();
    let columns = table.columns().iter().map(|column| open_column(column.to_column(), &mut bases, ctx));
    Table::try_with_rows(columns.collect::<Result<_>>()?, table.num_rows())
}

fn open_column(column: Column, bases: &mut dyn Iterator<Item = &Vec<usize>>, ctx: Ctx<'_>) -> Result<Column> {
    if !Abilities::of(column.data_type()).composite {
        return Ok(column);
    }
    let (end, stream) = (column.offset() + column.len(), ctx.stream);
    let numbers = |buffer: usize, of: &DataType| {
        let buffers = column.buffers();
        match buffers.get(buffer) {
            Some(numbers) if end > 0 => vouch::numbers(of.clone(), numbers.clone(), end, stream),
            Some(_) => Column::empty_on(of, stream.device()),
            None => Err(Error::buffer_count(column.data_type(), buffer + 1, buffers.len())),
        }
    };
    let fields = match column.data_type() {
        DataType::ListView(_) | DataType::LargeListView(_) => {
            let of = offset_type(column.data_type());
            let base = bases.next().map_or(0, |base| base.iter().sum::<usize>());
            vec![plus_base(numbers(0, &of)?, base, ctx)?, numbers(1, &of)?]
        }
        DataType::Union(fields, _) if column.buffers().len() > 1 => {
            let (ids, mut rows) = (numbers(0, &DataType::Int8)?, numbers(1, &DataType::Int32)?);
            let bases = bases.next().map_or(&[][..], Vec::as_slice);
            for ((id, _), base) in fields.iter().zip(bases).filter(|(_, base)| **base > 0) {
                let of_field = plus_base(rows.clone(), *base, ctx)?;
                let own = is_field(&ids, id, ctx)?;
                rows = copy_if_else((&of_field).into(), (&rows).into(), own.view(), ctx)?;
            }
            vec![ids, rows]
        }
        DataType::Union(..) => {
            let mut fields = vec![numbers(0, &DataType::Int8)?];
            for child in column.children() {
                fields.push(open_column(child.clone(), bases, ctx)?);
            }
            fields
        }
        DataType::RunEndEncoded(..) => {
            let base = bases.next().map_or(0, |base| base.iter().sum());
            return plus_base(cast(runs_of_rows(&column, ctx)?.view(), &DataType::Int64, ctx)?, base, ctx);
        }
        _ => {
            let children = column.children().iter();
            children.map(|child| open_column(child.clone(), bases, ctx)).collect::<Result<_>>()?
        }
    };
    let types = (0..).zip(&fields).map(|(i, field): (i32, &Column)| field_of(i, field.data_type()));
    let data_type = DataType::Struct(types.collect());
    // The positions of null list views are not null, so that the struct is not sanitized.
    let sanitized = column.sanitized() && !matches!(physical_type(column.data_type()), PhysicalType::ListView { .. });
    let parts = ColumnParts { data_type, children: fields, buffers: Default::default(), ..column.into_parts() };
    vouch::result(ColumnParts { sanitized, ..parts })
}

/// Returns the number of the run of each row of a run-end encoded column.
pub fn runs_of_rows(column: &Column, ctx: Ctx<'_>) -> Result<Column> {
    let long = &DataType::Int64;
    if column.is_empty() {
        return Column::empty_on(long, ctx.stream.device());
    }
    // The runs before the first row end at row 0, and the run of the last row ends after the last row.
    let ends = cast(RunsView::try_from(column.view())?.run_ends(), long, ctx)?;
    let ends = of(&ends, Op::Sub, (column.offset() as i64).into(), long, ctx)?;
    let ends = of(&ends, Op::NullMax, 0_i64.into(), long, ctx)?;
    let ends = of(&ends, Op::NullMin, (column.len() as i64).into(), long, ctx)?;
    rows_of_runs(ends.view(), column.len(), ctx)
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
        parts.children.push(gather_column(values.view(), map.column(0)?.view(), ctx)?);
        if opened.is_empty() {
            continue;
        }
        // The number of preceding rows of the field is the position of the row among the rows of the field.
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
        None => return Err(Error::invalid_argument("a union without fields has no null rows; add a field")),
        Some((first, _)) => {
            let valid = is_valid(ids, ctx.scratch())?;
            copy_if_else(ids.into(), Literal::from(first).into(), valid.view(), ctx.scratch())?
        }
    };
    // No type id is negative.
    of(&ids, Op::NullMax, Literal::from(0_i8).into(), &DataType::Int8, ctx)
}

/// Returns whether each row of a union is a value of the field `id`.
pub fn is_field(ids: &Column, id: i8, ctx: Ctx<'_>) -> Result<Column> {
    of(ids, Op::Equal, Literal::from(id).into(), &DataType::Boolean, ctx)
}

fn offset_type(lists: &DataType) -> DataType {
    if physical_type(lists).is_large() { DataType::Int64 } else { DataType::Int32 }
}

fn zero(integers: &DataType) -> Operand<'static> {
    if *integers == DataType::Int64 { Literal::from(0_i64).into() } else { Literal::from(0_i32).into() }
}

/// Adds `base` to each row.
fn plus_base(numbers: Column, base: usize, ctx: Ctx<'_>) -> Result<Column> {
    if base == 0 || numbers.is_empty() {
        return Ok(numbers);
    }
    let data_type = numbers.data_type().clone();
    let base = match data_type {
        DataType::Int64 => Literal::from(base as i64),
        _ => Literal::from(base as i32),
    };
    of(&numbers, Op::Add, base.into(), &data_type, ctx)
}

fn field_of(i: i32, data_type: &DataType) -> FieldRef {
    Field::new(i.to_string(), data_type.clone(), true).into()
}
