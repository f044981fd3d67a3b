//! Copies rows of whole tables: in another order, selected rows, or rows of several tables. README.md describes the
//! engine.

mod affine;
pub mod cuda;
mod gather;
pub mod host;
mod join;
mod nested;
mod order;
mod plan;
mod ranges;
mod select;

pub use self::affine::{AffineRows, copy_affine, every_row, first_row_repeated, reversed_bytes, rows_times};
pub use self::gather::OutOfBoundsPolicy;
pub use self::gather::{Bounds, Trusted, gather, gather_pair, out_of_bounds};
pub(crate) use self::gather::{gather_column, gather_trusted};
pub use self::join::{
    MAX_OFFSET_PIECES, Piece, append_tables, copy_rows, join_columns, join_pieces, offset_ends, same_columns,
    shares_values, shifted_pieces,
};
pub use self::order::columns_in_order;
pub use self::plan::{Leaf, ListLeaf, RowPlan};
pub use self::ranges::{RowRanges, copy_ranges};
pub use self::select::{select, selected_rows};
