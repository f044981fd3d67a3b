//! Whether the data of columns obey the rules of their types, for columns for which nobody vouches.

mod validate;

pub(crate) use validate::{ensure_column, ensure_table};
pub use validate::{validate, validate_table};
