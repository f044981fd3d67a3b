//! Columns in another form: codes of rows, a column for each category, nulls for NaN.

mod encode;
mod nans_to_nulls;
mod one_hot_encode;

pub use encode::encode;
pub use nans_to_nulls::nans_to_nulls;
pub use one_hot_encode::one_hot_encode;
