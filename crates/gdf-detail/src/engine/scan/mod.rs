//! The scan engine: what the rows up to each row come to. See `README.md`.

pub(crate) mod cuda;
pub(crate) mod host;
