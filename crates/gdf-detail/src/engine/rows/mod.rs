//! Rows of whole tables in another order, or some of them: see README.md.

mod affine;
pub(crate) mod cuda;
mod gather;
pub(crate) mod host;
mod join;
mod plan;
mod select;

pub(crate) use self::affine::{AffineRows, copy_affine, rows_times};
pub use self::gather::OutOfBoundsPolicy;
pub(crate) use self::gather::{Bounds, gather, gather_column, gather_trusted, out_of_bounds};
pub(crate) use self::join::{Piece, copy_rows, join_columns, join_pieces, join_tables, shares_values};
pub(crate) use self::plan::{Leaf, RowPlan};
pub(crate) use self::select::select;
