//! Quantiles: values and rows that are chosen by the share of the rows below the value or row.

mod position;
mod quantile;
#[expect(clippy::module_inception, reason = "an operation has one stem in every folder")]
mod quantiles;

pub use gdf_engine::policy::Interpolation;
pub use quantile::{QuantileOrder, quantile};
pub use quantiles::quantiles;
