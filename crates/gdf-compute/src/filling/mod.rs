//! Columns and tables made by repeating, counting and filling.

mod calendrical_month_sequence;
mod fill;
mod fill_in_place;
mod from_scalar;
mod repeat;

pub use calendrical_month_sequence::calendrical_month_sequence;
pub use fill::fill;
pub use fill_in_place::fill_in_place;
pub use from_scalar::from_scalar;
pub use gdf_engine::sequence::{row_numbers, sequence};
pub use repeat::repeat;
