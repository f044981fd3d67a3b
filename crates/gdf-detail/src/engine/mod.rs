//! Machinery that operations stand on: each engine has a host and a CUDA half and a README with its algorithm and limits.

pub(crate) mod elementwise;
pub(crate) mod rows;
pub(crate) mod strings;
