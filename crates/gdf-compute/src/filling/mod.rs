//! Columns and tables made by repeating, counting and filling.

mod calendrical_month_sequence;
mod fill;
mod fill_in_place;
mod from_scalar;
mod repeat;
mod sequence;

pub use calendrical_month_sequence::calendrical_month_sequence;
pub use fill::{fill, fill_by};
pub use fill_in_place::fill_in_place;
pub use from_scalar::{from_scalar, from_scalar_by};
pub use repeat::repeat;
pub use sequence::row_numbers;
pub use sequence::sequence;
