//! Converts decoded arrays to columns on a device.

use arrow_array::{Array, ArrayRef, BooleanArray, new_empty_array};
use arrow_schema::DataType;
use gdf_api::concatenate::{concatenate, concatenate_columns};
use gdf_api::scope::{Scope, ScopeHandle, current_device};
use gdf_api::stream_compaction::apply_boolean_mask;
use gdf_core::layout::child_types;
use gdf_core::{Abilities, Column, Error as CoreError, Result, Table, TableView};
use gdf_driver::{Device, Stream};
use gdf_memory::{ResourceRef, Resources};

use crate::keys;

/// The device, the stream and the memory resource of new columns.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) stream: &'a Stream,
    pub(crate) mr: ResourceRef<'a>,
    /// The resource of memory that is freed before a read ends.
    pub(crate) temporary: ResourceRef<'a>,
    handle: &'a ScopeHandle,
}

impl<'a> Target<'a> {
    /// Runs `work` within a span named `name`, in a scope whose device is `device`.
    pub(crate) fn run<R, E: From<CoreError>>(
        name: &'static str,
        device: Option<Device>,
        work: impl FnOnce(Target<'_>) -> Result<R, E>,
    ) -> Result<R, E> {
        let scope = Scope::on(name, device.unwrap_or_else(current_device))?;
        let handle = ScopeHandle::capture();
        let Resources { output, temporary } = scope.resources();
        work(Target { stream: scope.stream(), mr: output, temporary, handle: &handle })
    }

    /// Returns the target with another stream of the device.
    #[cfg(feature = "parquet")]
    pub(crate) fn on(self, stream: &'a Stream) -> Target<'a> {
        Target { stream, ..self }
    }

    /// Runs `work` on another thread with the device, the resources and the settings of the target.
    #[cfg(feature = "parquet")]
    pub(crate) fn in_scope<R>(self, work: impl FnOnce() -> R) -> R {
        self.handle.run(work)
    }

    pub(crate) fn is_cpu(self) -> bool {
        self.stream.device().is_cpu()
    }

    /// Copies an array to a column.
    pub(crate) fn land(self, array: &dyn Array) -> Result<Column> {
        let column = Column::from_arrow(array, self.stream, self.mr)?;
        if self.is_cpu() { column.deep_copy(self.stream, self.mr) } else { Ok(column) }
    }

    /// Concatenates arrays to a column. A dictionary may have wider keys than the arrays.
    pub(crate) fn land_all(self, data_type: &DataType, mut arrays: Vec<ArrayRef>) -> Result<Column> {
        arrays.retain(|array| !array.is_empty());
        match &arrays[..] {
            [] => self.land(&new_empty_array(data_type)),
            [only] => self.land(only),
            // Arrow concatenates lists without a search for elements of null lists.
            _ if can_concatenate(data_type) && !Abilities::of(data_type).lists => {
                let column = |array: &ArrayRef| Column::from_arrow(array, self.stream, self.mr);
                self.concatenate(arrays.iter().map(column).collect::<Result<_>>()?)
            }
            _ => self.land(&keys::concatenated(&arrays)?),
        }
    }

    /// Concatenates columns of this device.
    fn concatenate(self, mut columns: Vec<Column>) -> Result<Column> {
        if columns.len() == 1 {
            return Ok(columns.remove(0));
        }
        let views: Vec<_> = columns.iter().map(Column::view).collect();
        self.handle.run(|| concatenate_columns(&views))
    }

    /// Concatenates tables of this device. There is at least one table.
    pub(crate) fn joined(self, tables: Vec<Table>) -> Result<Table> {
        let (mut full, empty): (Vec<Table>, Vec<Table>) = tables.into_iter().partition(|table| table.num_rows() > 0);
        if full.len() <= 1 {
            let table = full.pop().or_else(|| empty.into_iter().next());
            return table.ok_or_else(|| CoreError::internal("a read has no table"));
        }
        if full[0].num_columns() == 0 {
            return Table::try_with_rows(Vec::new(), full.iter().map(Table::num_rows).sum());
        }
        self.handle.run(|| concatenate(&full.iter().map(Table::view).collect::<Vec<TableView<'_>>>()))
    }

    /// Returns the rows of a table of this device for which `mask` is true.
    pub(crate) fn masked(self, table: Table, mask: &BooleanArray) -> Result<Table> {
        if table.num_columns() == 0 {
            return Table::try_with_rows(Vec::new(), mask.true_count());
        }
        let mask = Column::from_arrow(mask, self.stream, self.mr)?;
        self.passing(&table, &mask)
    }

    /// Returns the rows of a table for which `mask`, a column of this device, is true.
    pub(crate) fn passing(self, table: &Table, mask: &Column) -> Result<Table> {
        self.handle.run(|| apply_boolean_mask(table, mask))
    }

    pub(crate) fn validated(self, column: Column) -> Result<Column> {
        self.handle.run(|| gdf_api::validation::validate(&column))
    }
}

/// Returns whether rows of the type are filtered and concatenated where they are. Dictionaries and views at any depth are
/// not: each column has values of its own, to which the rows refer.
pub(crate) fn can_concatenate(data_type: &DataType) -> bool {
    let abilities = Abilities::of(data_type);
    let is_nested = matches!(data_type, DataType::Struct(_)) || abilities.lists;
    match is_nested {
        true => child_types(data_type).into_iter().all(can_concatenate),
        false => abilities.rows && !abilities.encoded,
    }
}

#[cfg(test)]
mod tests {
    use arrow_schema::{Field, Fields};

    use super::*;

    #[test]
    fn dictionaries_and_views_are_not_concatenated_at_any_depth() {
        let list = |of: DataType| DataType::List(Field::new_list_field(of, true).into());
        let fixed = |of: DataType| DataType::FixedSizeList(Field::new_list_field(of, true).into(), 2);
        let pair = |of: DataType| Fields::from(vec![Field::new("a", DataType::Utf8, false), Field::new("b", of, true)]);
        let map = |of: DataType| DataType::Map(Field::new("entries", DataType::Struct(pair(of)), false).into(), false);
        let dictionary = DataType::Dictionary(DataType::Int8.into(), DataType::Utf8.into());
        for (of, can) in
            [(DataType::Int64, true), (DataType::Utf8, true), (dictionary, false), (DataType::BinaryView, false)]
        {
            for data_type in [
                of.clone(),
                list(of.clone()),
                fixed(list(of.clone())),
                map(of.clone()),
                DataType::Struct(pair(of.clone())),
                list(DataType::Struct(pair(map(of)))),
            ] {
                assert_eq!(can_concatenate(&data_type), can, "{data_type}");
            }
        }
    }
}
