//! Tracing spans of public functions. All crates of gdf open their spans with the function of this module.

use gdf_driver::Device;
use tracing::span::EnteredSpan;

/// Opens the span of the public function `name`, which works on `device`. The span is closed when the guard is dropped.
#[doc(hidden)]
pub fn enter_span(name: &'static str, device: Device) -> EnteredSpan {
    tracing::debug_span!(target: "gdf", "op", name, %device).entered()
}
