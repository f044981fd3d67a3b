//! Operations that transform columns: NaNs to nulls, and rows to their sizes in bits.

mod nans_to_nulls;
mod row_bit_count;

pub use nans_to_nulls::nans_to_nulls;
pub use row_bit_count::{row_bit_count, segmented_row_bit_count};
