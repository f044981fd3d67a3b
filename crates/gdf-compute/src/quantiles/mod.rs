//! Quantiles: values and rows, chosen by the share of the rows below them.

mod position;
mod quantile;
#[expect(clippy::module_inception, reason = "an operation has one stem in every folder")]
mod quantiles;

pub use gdf_engine::policy::Interpolation;
pub use quantile::{QuantileOrder, quantile};
pub use quantiles::quantiles;
