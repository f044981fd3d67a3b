//! Operations on one column, element by element.

mod checked;
mod is_nan;
mod is_null;
mod signed;
mod unary_operation;

pub(crate) use unary_operation::plan;

pub use checked::{cast_checked, unary_operation_checked};
pub use is_nan::{is_nan, is_not_nan};
pub use is_null::{is_null, is_valid};
pub use signed::signed;
pub use unary_operation::{UnaryOperator, unary_operation};

pub use gdf_engine::cast::{cast, is_supported_cast};
