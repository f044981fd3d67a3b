//! The readers and writers of gdf-io.

pub(super) mod csv;
pub(super) mod json;
pub(super) mod options;
pub(super) mod parquet;
