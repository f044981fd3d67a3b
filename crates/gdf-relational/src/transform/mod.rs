//! Encodes columns, either as codes of distinct rows, or as one boolean column for each category.

mod encode;
mod one_hot_encode;

pub use encode::encode;
pub use one_hot_encode::one_hot_encode;
