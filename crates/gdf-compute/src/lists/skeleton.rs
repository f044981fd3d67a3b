//! Tables in which a struct without fields stands for each list column, and the lists of these columns.

use gdf_core::{
    Abilities, Column, ColumnView, DataType, Fields, PhysicalType, Result, StructsView, Table, TableView, physical_type,
};

use super::open::Lists;
use crate::Ctx;
use crate::vouch;

/// Returns the table with each list column replaced by a struct column without fields that is null in the same rows.
pub fn list_skeleton(table: &TableView<'_>) -> Result<Table> {
    skeleton(table, &|data_type| Abilities::of(data_type).lists)
}

/// Returns the table with each column of a type that `is_replaced` replaced by a struct column without fields that is
/// null in the same rows. Fields of structs are replaced, structs are not.
pub fn skeleton(table: &TableView<'_>, is_replaced: &dyn Fn(&DataType) -> bool) -> Result<Table> {
    fn bare(column: Column, is_replaced: &dyn Fn(&DataType) -> bool) -> Result<Column> {
        let mut parts = column.into_parts();
        match &parts.data_type {
            DataType::Struct(fields) => {
                parts.children =
                    parts.children.into_iter().map(|child| bare(child, is_replaced)).collect::<Result<_>>()?;
                let types = parts.children.iter().map(|child| child.data_type().clone());
                let fields = fields.iter().zip(types).map(|(field, of)| field.as_ref().clone().with_data_type(of));
                parts.data_type = DataType::Struct(fields.collect());
            }
            other if is_replaced(other) => {
                parts.data_type = DataType::Struct(Fields::empty());
                parts.buffers.clear();
                parts.children.clear();
                parts.sanitized = true;
            }
            _ => return vouch::result(parts),
        }
        vouch::result(parts)
    }
    let columns = table.columns().iter().map(|column| bare(column.to_column(), is_replaced)).collect::<Result<_>>()?;
    Table::try_with_rows(columns, table.num_rows())
}

/// Returns the lists of each outermost list column, in the order of columns and fields.
pub(super) fn lists_of(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Vec<Lists>> {
    let mut all = Vec::new();
    for_each_list(table, &mut |lists, around| {
        all.push(Lists::of(lists, around, ctx)?);
        Ok(())
    })?;
    Ok(all)
}

/// Calls `see` with each outermost list column, and with the struct columns that enclose it.
pub fn for_each_list<'a>(
    table: &TableView<'a>,
    see: &mut dyn FnMut(ColumnView<'a>, &[ColumnView<'a>]) -> Result<()>,
) -> Result<()> {
    fn visit<'a>(
        view: ColumnView<'a>,
        around: &mut Vec<ColumnView<'a>>,
        see: &mut dyn FnMut(ColumnView<'a>, &[ColumnView<'a>]) -> Result<()>,
    ) -> Result<()> {
        match physical_type(view.data_type()) {
            PhysicalType::Struct => {
                let fields = StructsView::try_from(view)?;
                around.push(view);
                (0..fields.num_children()).try_for_each(|i| visit(fields.child(i)?, around, see))?;
                around.pop();
                Ok(())
            }
            _ if Abilities::of(view.data_type()).lists => see(view, around),
            _ => Ok(()),
        }
    }
    table.columns().iter().try_for_each(|column| visit(*column, &mut Vec::new(), see))
}
