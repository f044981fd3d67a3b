//! Operations that transform columns: NaNs to nulls, rows to their sizes in bits, runs and unions to plain columns.

mod encodings;
mod row_bit_count;

pub use crate::lists::{union_field, union_type_ids};
pub use encodings::{run_end_decode, run_end_encode};
pub use gdf_engine::nans::nans_to_nulls;
pub use row_bit_count::{row_bit_count, segmented_row_bit_count};
