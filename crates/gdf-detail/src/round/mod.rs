//! Numbers of so many digits.

#[expect(clippy::module_inception, reason = "the operation is called as its capability")]
mod round;

pub use round::{RoundingMethod, round, round_output_type};
