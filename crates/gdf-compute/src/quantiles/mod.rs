//! Quantiles. A quantile is the value, or the row, before which a given share of the rows comes in sorted order.

mod position;
mod quantile;
#[expect(clippy::module_inception, reason = "an operation has one stem in every folder")]
mod quantiles;

pub use gdf_engine::policy::Interpolation;
pub use quantile::{QuantileOrder, quantile};
pub use quantiles::quantiles;
