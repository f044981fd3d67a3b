//! Encodes columns: as codes of distinct rows, and as one boolean column per category.

mod encode;
mod one_hot_encode;

pub use encode::encode;
pub use one_hot_encode::one_hot_encode;
