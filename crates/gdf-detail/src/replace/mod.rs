//! Replacing values and nulls.

mod replace_nulls;

pub use replace_nulls::replace_nulls;
