//! Text with 32-bit offsets beside text with 64-bit offsets: `Utf8` and `LargeUtf8`, `Binary` and `LargeBinary`. A verb
//! with several inputs converts the former to the latter.

use std::sync::Arc;

use arrow_schema::{Field, FieldRef};
use gdf_api::unary::cast;
use gdf_core::{DataType, Result, Table, same_type};
use gdf_expr::types::{decoded_type, wider_offsets};
use gdf_expr::{Expr, ExprKind};

use super::{Named, Rows};
use crate::columns::Columns;
use crate::expr::Leaf;
use crate::join::{Join, JoinKind};

/// Returns the type to which the keys of both sides of a join are converted, if only the widths of their offsets differ.
fn wider_key(left: &DataType, right: &DataType) -> Option<DataType> {
    wider_offsets(decoded_type(left), decoded_type(right))
}

/// Converts columns that are keys of a join, and that the result of the join has or leaves out as key columns. Returns
/// whether columns of the right side were converted. All rows of a side have equal expressions.
pub(super) fn widen_columns(left: &mut [Rows], right: &mut [Rows], join: &Join) -> Result<bool> {
    let mut is_changed = false;
    for (of_left, of_right) in &join.keys {
        let (Some(key), Some(other)) = (left[0].over_source(of_left), right[0].over_source(of_right)) else { continue };
        let (Ok(left_type), Ok(right_type)) = (left[0].type_of(&key), right[0].type_of(&other)) else { continue };
        let Some(wide) = wider_key(&left_type, &right_type) else { continue };
        if same_type(decoded_type(&left_type), &wide) {
            let (ExprKind::Column(_), [Leaf::Column(name)]) = (of_right.tree().kind(), of_right.leaves()) else {
                continue;
            };
            let Some(position) = right[0].position(name) else { continue };
            right.iter_mut().try_for_each(|rows| rows.widen_column(position, &wide))?;
            is_changed = true;
        } else if matches!(join.kind, JoinKind::Right | JoinKind::Full)
            && let Some(position) = left[0].values().iter().position(|value| value.same(&key))
        {
            // The column gets keys of the right side.
            left.iter_mut().try_for_each(|rows| rows.widen_column(position, &wide))?;
        }
    }
    Ok(is_changed)
}

/// Converts the other keys of a join, which are expressions over the sources of both sides.
pub(super) fn widen_keys(left: (&Rows, &mut [Expr]), right: (&Rows, &mut [Expr])) -> Result<()> {
    for (of_left, of_right) in left.1.iter_mut().zip(right.1) {
        let (Ok(left_type), Ok(right_type)) = (left.0.type_of(of_left), right.0.type_of(of_right)) else { continue };
        let Some(wide) = wider_key(&left_type, &right_type) else { continue };
        let narrow = if same_type(decoded_type(&left_type), &wide) { of_right } else { of_left };
        *narrow = narrow.clone().cast(wide);
    }
    Ok(())
}

impl Rows {
    fn widen_column(&mut self, position: usize, wide: &DataType) -> Result<()> {
        let mut outputs: Vec<Named> = self.outputs();
        let value = &mut outputs[position].value;
        *value = value.clone().cast(wide.clone());
        self.set_outputs(outputs)
    }
}

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
