//! Rounding of numbers to a number of decimal places.

#[expect(clippy::module_inception, reason = "an operation has one stem in every folder")]
mod round;

pub use round::{RoundingMethod, round, round_output_type};
