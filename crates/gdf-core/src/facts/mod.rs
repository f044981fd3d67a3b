//! What is known about all rows of a column: the null count, bounds, order, and numbers about texts.

mod bounds;
pub(crate) mod null_count;
mod order;
mod text;

pub use bounds::ValueBounds;
pub use null_count::NullCount;
pub use order::{OrderBounds, numbers_of_order, order_of_numbers};
pub use text::TextFacts;
