//! Which rows are taken, and how they are moved.

use gdf_core::{ColumnView, DataType, Error, PhysicalType, Result, physical_type};
use gdf_engine::layout::RowKind;

/// Which rows are taken from the left input; the others are from the right.
#[derive(Clone, Copy)]
pub enum Condition<'a> {
    /// Those that are true and valid in this boolean column.
    True(ColumnView<'a>),
    /// Those that are valid in this column.
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

/// How rows that come from two columns are moved, which share nothing with either.
pub(crate) fn kind_of(operation: &'static str, data_type: &DataType) -> Result<RowKind> {
    Ok(match physical_type(data_type) {
        PhysicalType::Bool => RowKind::Bits,
        PhysicalType::String { large } | PhysicalType::Binary { large } => RowKind::Strings { large },
        other => RowKind::Bytes(other.width().ok_or_else(|| Error::unsupported(operation, data_type))?),
    })
}
