//! Creates and combines validity masks.

mod bitmask;
mod combine;
mod first;
mod selected;
#[cfg(test)]
mod tests;

pub use bitmask::Bitmask;
pub use combine::valid_and_true;
pub use combine::{
    MaskState, RowState, bitmask_and, bitmask_and_masks, bitmask_or, bools_to_mask, concatenate_masks, copy_bitmask,
    create_null_mask, mask_to_bools, set_null_mask,
};
pub use first::index_of_first_set_bit;
pub use selected::{check_selection, null_unless_selected, null_unless_true, null_where_null};
