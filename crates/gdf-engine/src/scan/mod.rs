//! The scan engine: what the rows up to each row come to. See `README.md`.

pub mod cuda;
pub mod host;
