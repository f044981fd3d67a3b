//! Values and rows by the share of the rows that is below them.

mod position;
mod quantile;
mod quantiles;

pub use position::Interpolation;
pub use quantile::{QuantileOrder, quantile};
pub use quantiles::quantiles;
