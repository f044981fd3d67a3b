//! The condition of a selection, and the layouts of rows that a selection can copy.

use gdf_core::{ColumnView, DataType, Error, PhysicalType, Result, physical_type};

use crate::layout::RowKind;

/// The condition by which rows of the left input are selected.
#[derive(Clone, Copy)]
pub enum Condition<'a> {
    /// Rows that are true and valid in this boolean column.
    True(ColumnView<'a>),
    /// Rows that are valid in this column.
    Valid(ColumnView<'a>),
}

impl<'a> Condition<'a> {
    pub(super) fn view(self) -> ColumnView<'a> {
        match self {
            Condition::True(view) | Condition::Valid(view) => view,
        }
    }

    pub(super) fn by_validity(self) -> bool {
        matches!(self, Condition::Valid(_))
    }
}

/// Returns whether the rows of a type can be chosen.
pub fn chooses(data_type: &DataType) -> bool {
    kind_of("copy_if_else", data_type).is_ok()
}

/// Returns the layout with which rows of the type are copied from two columns.
pub(crate) fn kind_of(operation: &'static str, data_type: &DataType) -> Result<RowKind> {
    Ok(match physical_type(data_type) {
        PhysicalType::Bool => RowKind::Bits,
        PhysicalType::String { large } | PhysicalType::Binary { large } => RowKind::Strings { large },
        other => RowKind::Bytes(other.width().ok_or_else(|| Error::unsupported(operation, data_type))?),
    })
}
