//! Operations that copy rows: gather, scatter, conditional copy, shift, copies of ranges, samples, slices, and copies
//! without the bytes of null rows.

mod copy_if_else;
mod copy_range;
mod empty_like;
mod gather;
mod get_element;
mod in_place;
mod pairs;
mod purge;
mod reverse;
mod sample;
mod scatter;
mod shift;
mod slice;

pub use copy_if_else::copy_if_else;
pub use copy_range::copy_range;
pub use empty_like::{allocate_like, empty_like, empty_like_column};
pub use gather::{OutOfBoundsPolicy, gather, gather_unchecked};
pub use get_element::get_element;
pub use in_place::copy_range_in_place;
pub(crate) use in_place::write_rows;
pub use purge::{has_nonempty_nulls, purge_nonempty_nulls};
pub use reverse::reverse;
pub use sample::{Replacement, sample};
pub use scatter::{boolean_mask_scatter, boolean_mask_scatter_scalars, scatter, scatter_scalars};
pub use shift::shift;
pub use slice::{slice, slice_column, split, split_column};
