//! Rows of whole tables in another order, or some of them: see README.md.

pub(crate) mod cuda;
pub(crate) mod host;
mod plan;

pub(crate) use self::plan::{Leaf, OutputBuffers, RowKind, RowPlan, byte_len, check_offsets, has_rows};
