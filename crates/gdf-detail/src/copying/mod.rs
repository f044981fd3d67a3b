//! Moving rows: gather, scatter, conditional copy, shift, slices, copies without what null rows hide.

mod copy_if_else;
mod gather;
mod purge;
mod scatter;
mod shift;
mod slice;

pub use copy_if_else::copy_if_else;
pub(crate) use copy_if_else::{Condition, select};
pub use gather::{OutOfBoundsPolicy, gather, gather_unchecked};
pub(crate) use gather::{gather_trusted, rows_in_order};
pub use purge::{has_nonempty_nulls, purge_nonempty_nulls};
pub use scatter::{scatter, scatter_scalars};
pub use shift::shift;
pub use slice::{slice, slice_column, split, split_column};
