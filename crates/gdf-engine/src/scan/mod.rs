//! The scan engine: prefix aggregates. `README.md` describes the engine.

pub mod cuda;
pub mod host;
