//! CUDA's version.

mod scan;
mod strings;

pub(super) use scan::scan;
