//! The CPU's version.

mod chunks;
mod scan;
mod strings;

pub(super) use scan::scan;
