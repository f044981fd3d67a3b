//! Operations that label rows.

mod label_bins;

pub use label_bins::{Edge, label_bins};
