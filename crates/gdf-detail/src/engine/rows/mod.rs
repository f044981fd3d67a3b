//! Rows of whole tables in another order, or some of them: see README.md.

mod affine;
pub(crate) mod cuda;
pub(crate) mod host;
mod plan;

pub(crate) use self::affine::{AffineRows, copy_affine, copy_affine_column, rows_times};
pub(crate) use self::plan::{Leaf, OutputBuffers, RowKind, RowPlan, byte_len, check_offsets, counted_bytes, has_rows};
