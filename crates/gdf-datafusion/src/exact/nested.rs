//! The values that null structs and null maps hide become null. Arrow allows values below a null, but no query may see them.
//! DataFusion's functions return fields and entries without regard to the nulls of their parent.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{ArrowError, DataType};
pub(super) use gdf_io::hidden::map_leaves;

/// Returns whether values of a type may hide values below a null that a function could return.
pub(super) fn may_hide(data_type: &DataType) -> bool {
    match data_type {
        DataType::Struct(_) | DataType::Map(..) => true,
        DataType::List(element) | DataType::LargeList(element) | DataType::FixedSizeList(element, _) => {
            may_hide(element.data_type())
        }
        DataType::Dictionary(_, values) => may_hide(values),
        _ => false,
    }
}

/// Returns the values with null fields in null structs, and without entries in null maps, at each depth.
pub(super) fn visible(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    map_leaves(array, &|leaf| Ok(Arc::clone(leaf)))
}
