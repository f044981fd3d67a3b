//! Checks whether the data of columns obey the rules of their types. Columns that operations have vouched for are not
//! checked.

mod validate;

pub(crate) use validate::{ensure_column, ensure_table};
pub use validate::{validate, validate_table};
