//! Columns in another form: codes of rows, a column for each category.

mod encode;
mod one_hot_encode;

pub use encode::encode;
pub use one_hot_encode::one_hot_encode;
