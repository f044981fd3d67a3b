//! Creates and combines validity masks, and counts their bits.

pub use gdf_engine::mask::{
    Bitmask, MaskState, RowState, bitmask_and, bitmask_and_masks, bitmask_or, bools_to_mask, concatenate_masks,
    copy_bitmask, create_null_mask, index_of_first_set_bit, mask_to_bools, set_null_mask,
};
pub use gdf_engine::null_count::{batch_null_count, null_count};
