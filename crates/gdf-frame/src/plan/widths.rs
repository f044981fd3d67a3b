//! Text with 32-bit offsets beside text with 64-bit offsets: `Utf8` and `LargeUtf8`, `Binary` and `LargeBinary`. A verb
//! with several inputs converts the former to the latter.

use std::sync::Arc;

use arrow_schema::{Field, FieldRef};
use gdf_api::unary::cast;
use gdf_core::{Column, DataType, Result, Table, same_type};
use gdf_expr::types::wider_offsets;

use crate::columns::Columns;

/// Converts columns of tables that follow each other, so that columns at the same position have the same width.
pub(super) fn widen_tables(tables: &mut [Arc<Table>]) -> Result<()> {
    let Some(width) = tables.iter().map(|table| table.num_columns()).min() else { return Ok(()) };
    for position in 0..width {
        let mut types = tables.iter().filter_map(|table| table.column(position).ok()).map(|column| column.data_type());
        let Some(first) = types.next() else { continue };
        let Some(wide) = types.find_map(|other| wider_offsets(first, other)) else { continue };
        for table in &mut *tables {
            *table = Arc::new(widened(table, &[position], &wide)?);
        }
    }
    Ok(())
}

/// Returns the table with the types of `columns`. The types of both differ at most in the widths of offsets.
pub(super) fn with_widths_of(table: &Table, columns: &Columns) -> Result<Table> {
    let column = |(column, field): (&Column, &FieldRef)| match wider_offsets(column.data_type(), field.data_type()) {
        Some(_) => cast(column, field.data_type()),
        None => Ok(column.clone()),
    };
    let columns = table.columns().iter().zip(columns.schema().fields()).map(column).collect::<Result<_>>()?;
    Table::try_with_rows(columns, table.num_rows())
}

/// Converts the columns at these positions, if they have the other width than the type.
fn widened(table: &Table, positions: &[usize], wide: &DataType) -> Result<Table> {
    let mut columns = table.columns().to_vec();
    for position in positions {
        if wider_offsets(columns[*position].data_type(), wide).is_some() {
            columns[*position] = cast(&columns[*position], wide)?;
        }
    }
    Table::try_with_rows(columns, table.num_rows())
}

/// Returns columns with the fields of `columns`, and with the types of the table.
pub(super) fn typed_columns(columns: &Columns, table: Arc<Table>) -> Columns {
    let field = |(field, data_type): (&FieldRef, &DataType)| match same_type(field.data_type(), data_type) {
        true => field.clone(),
        false => Arc::new(Field::clone(field).with_data_type(data_type.clone())),
    };
    let fields = columns.schema().fields().iter().zip(table.data_types()).map(field).collect();
    columns.replaced(fields, table)
}

/// Returns both tables with equal widths of the texts in the columns of `keys`, which are pairs of positions.
pub(crate) fn widen_pairs(left: &Table, right: &Table, keys: &[(usize, usize)]) -> Result<(Table, Table)> {
    let (mut left, mut right) = (left.clone(), right.clone());
    for (of_left, of_right) in keys {
        let types = (left.column(*of_left)?.data_type(), right.column(*of_right)?.data_type());
        if let Some(wide) = wider_offsets(types.0, types.1) {
            (left, right) = (widened(&left, &[*of_left], &wide)?, widened(&right, &[*of_right], &wide)?);
        }
    }
    Ok((left, right))
}
