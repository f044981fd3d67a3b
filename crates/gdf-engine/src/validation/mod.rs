//! Checks whether the data of columns obey the rules of their types. Columns that operations have made are not checked,
//! because operations vouch for their results.

mod validate;

pub(crate) use validate::{ensure_column, ensure_table};
pub use validate::{validate, validate_table};
