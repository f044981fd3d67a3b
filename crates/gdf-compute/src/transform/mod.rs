//! Operations that transform columns: NaNs to nulls, rows to their sizes in bits, runs and unions to plain columns.

mod encodings;
mod nans_to_nulls;
mod row_bit_count;

pub use encodings::{run_end_decode, run_end_encode, union_field, union_type_ids};
pub use nans_to_nulls::nans_to_nulls;
pub use row_bit_count::{row_bit_count, segmented_row_bit_count};
