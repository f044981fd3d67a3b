//! The CUDA versions.

mod reduce;

pub(super) use reduce::{minmax_words, reduce};
