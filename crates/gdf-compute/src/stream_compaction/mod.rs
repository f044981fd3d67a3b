//! Operations that keep some of the rows of a table.

mod apply_boolean_mask;
mod distinct;
mod drop;
#[cfg(test)]
mod tests;
mod unique;

pub use apply_boolean_mask::apply_boolean_mask;
pub use distinct::{DuplicateKeepOption, NanEquality, NullEquality, distinct, distinct_indices, distinct_rows};
pub use drop::{apply_deletion_mask, drop_nans, drop_nulls};
pub use unique::heads;
pub use unique::{NanPolicy, distinct_count, distinct_count_rows, unique, unique_count, unique_count_rows};

pub use gdf_engine::policy::NullPolicy;
