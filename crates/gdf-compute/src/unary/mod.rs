//! Operations on one column, element by element.

mod checked;
mod signed;
mod unary_operation;

pub(crate) use unary_operation::plan;

pub use crate::lists::{is_null, is_valid};
pub use checked::{cast_checked, unary_operation_checked};
pub use gdf_engine::nans::{is_nan, is_not_nan};
pub use signed::signed;
pub use unary_operation::{UnaryOperator, unary_operation};

pub use gdf_engine::cast::{cast, is_supported_cast};
