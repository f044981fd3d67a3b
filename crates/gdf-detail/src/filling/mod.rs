//! Columns and tables made by repeating, counting and filling.

mod calendrical_month_sequence;
mod fill;
mod from_scalar;
mod repeat;
mod sequence;

pub use calendrical_month_sequence::calendrical_month_sequence;
pub use fill::fill;
pub use from_scalar::from_scalar;
pub use repeat::repeat;
pub(crate) use sequence::row_numbers;
pub use sequence::sequence;
