//! Columns in another form: codes of rows, a column for each category, nulls for NaN, sizes of rows.

mod encode;
mod nans_to_nulls;
mod one_hot_encode;
mod row_bit_count;

pub use encode::encode;
pub use nans_to_nulls::nans_to_nulls;
pub use one_hot_encode::one_hot_encode;
pub use row_bit_count::{row_bit_count, segmented_row_bit_count};
