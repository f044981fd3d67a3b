//! The rows that row numbers name.

pub(super) use crate::copying::rows_in_order;
