//! Tracing spans of public functions. All crates of gdf open their spans with this function.

use gdf_driver::Device;
use tracing::span::EnteredSpan;

/// Opens the span of public function `name`, which works on `device`, until the guard is dropped.
#[doc(hidden)]
pub fn enter_span(name: &'static str, device: Device) -> EnteredSpan {
    tracing::debug_span!(target: "gdf", "op", name, %device).entered()
}
