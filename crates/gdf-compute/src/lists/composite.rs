//! Support for list views, unions and run-end encoded columns in operations that copy rows.
//!
//! Each such column, and each struct with such a field, is opened: it becomes a column whose rows engines copy. The
//! copied rows are closed, that is, they get the type of the column again. Closing copies rows of the values, so that
//! it is a part of [`copy_opened`](super::copy_opened()).
//!
//! | column | opened column | values |
//! |---|---|---|
//! | list view | a struct of the position of the first element and the number of elements | the elements |
//! | dense union | a struct of the type id and the row of the field | all fields |
//! | sparse union | a struct of the type id and the row of every field | |
//! | run-end encoded column | the number of the run | the values of the runs |

use gdf_core::layout::child_types;
use gdf_core::{
    Abilities, Column, ColumnParts, DataType, Error, Field, FieldRef, Literal, PhysicalType, Result, RunsView, Table,
    TableView, physical_type,
};
use gdf_engine::binary::{BinaryOperator as Op, of};
use gdf_engine::cast::cast;
use gdf_engine::choose::choose;

use super::ranges::rows_of_runs;
use crate::Ctx;
use crate::vouch;

/// Returns the values of each outermost list view, dense union and run-end encoded column, in the order of columns and
/// fields.
pub fn values_of(table: &TableView<'_>) -> Result<Vec<Vec<Column>>> {
    fn visit(column: &Column, values: &mut Vec<Vec<Column>>) -> Result<()> {
        match physical_type(column.data_type()) {
            _ if !has_composite(column.data_type()) => Ok(()),
            PhysicalType::Struct
            | PhysicalType::Union { dense: false }
            | PhysicalType::List { .. }
            | PhysicalType::Map
            | PhysicalType::FixedSizeList(_) => column.children().iter().try_for_each(|child| visit(child, values)),
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
    if !has_composite(column.data_type()) {
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
                rows = choose((&of_field).into(), (&rows).into(), own.view(), ctx)?;
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
        other => {
            let children = column.children().iter().map(|child| open_column(child.clone(), bases, ctx));
            let children = children.collect::<Result<Vec<_>>>()?;
            if !matches!(other, DataType::Struct(_)) {
                let element = children.first().ok_or_else(|| Error::child_count(other, 1, 0))?.data_type();
                let data_type = with_element(other, field_of(0, element))?;
                return vouch::result(ColumnParts { data_type, children, ..column.into_parts() });
            }
            children
        }
    };
    let types = (0..).zip(&fields).map(|(i, field): (i32, &Column)| field_of(i, field.data_type()));
    let data_type = DataType::Struct(types.collect());
    // The positions of null list views are not null, so that the struct is not sanitized.
    let sanitized = column.sanitized() && !matches!(physical_type(column.data_type()), PhysicalType::ListView { .. });
    let parts = ColumnParts { data_type, children: fields, buffers: Default::default(), ..column.into_parts() };
    vouch::result(ColumnParts { sanitized, ..parts })
}

/// Returns the type of lists of other elements.
fn with_element(lists: &DataType, element: FieldRef) -> Result<DataType> {
    Ok(match lists {
        DataType::List(_) | DataType::Map(..) => DataType::List(element),
        DataType::LargeList(_) => DataType::LargeList(element),
        DataType::FixedSizeList(_, size) => DataType::FixedSizeList(element, *size),
        _ => return Err(Error::internal("a column that has no elements was opened as lists")),
    })
}

/// Returns whether columns of the type are composite, or contain composite columns at any depth.
pub fn has_composite(data_type: &DataType) -> bool {
    Abilities::of(data_type).composite
        || (Abilities::of(data_type).nested && child_types(data_type).into_iter().any(has_composite))
}

/// Returns the number of the run of each row of a run-end encoded column.
pub fn runs_of_rows(column: &Column, ctx: Ctx<'_>) -> Result<Column> {
    let long = &DataType::Int64;
    if column.is_empty() {
        return Column::empty_on(long, ctx.stream.device());
    }
    // The run ends become relative to the first row of the column. A run before this row ends at 0. The run of the last
    // row ends with the last row.
    let ends = cast(RunsView::try_from(column.view())?.run_ends(), long, ctx)?;
    let ends = of(&ends, Op::Sub, (column.offset() as i64).into(), long, ctx)?;
    let ends = of(&ends, Op::NullMax, 0_i64.into(), long, ctx)?;
    let ends = of(&ends, Op::NullMin, (column.len() as i64).into(), long, ctx)?;
    rows_of_runs(ends.view(), column.len(), ctx)
}

/// Returns whether each row of a union is a value of the field `id`.
pub fn is_field(ids: &Column, id: i8, ctx: Ctx<'_>) -> Result<Column> {
    of(ids, Op::Equal, Literal::from(id).into(), &DataType::Boolean, ctx)
}

/// Returns the type of the offsets of a list view.
pub(super) fn offset_type(lists: &DataType) -> DataType {
    if physical_type(lists).is_large() { DataType::Int64 } else { DataType::Int32 }
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
