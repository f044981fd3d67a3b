//! Machinery that operations stand on: each engine has a host and a CUDA half and a README with its algorithm and limits.

pub(crate) mod cast;
pub(crate) mod decoded;
pub(crate) mod elementwise;
pub(crate) mod hash_table;
pub(crate) mod keys;
pub(crate) mod mask;
pub(crate) mod operand;
pub(crate) mod partition;
pub(crate) mod reduce;
pub(crate) mod regex;
pub(crate) mod row_hash;
pub(crate) mod rows;
pub(crate) mod scan;
pub(crate) mod sort;
pub(crate) mod strings;
pub(crate) mod windows;
