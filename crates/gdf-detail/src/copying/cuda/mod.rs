//! CUDA's versions.

mod gather;
mod out_of_bounds;
mod scatter;
mod scatter_windows;

pub(super) use gather::gather;
use out_of_bounds::out_of_bounds;
pub(super) use scatter::scatter;
