//! The arguments of functions.

use gdf_expr::Value;

use super::lowered::Lowered;

/// Returns the arguments of a function that has `N` arguments.
pub(super) fn only<const N: usize>(arguments: Vec<Lowered>) -> Option<[Lowered; N]> {
    arguments.try_into().ok()
}

/// Returns the value of an argument that is an integer literal.
pub(super) fn integer(of: &Lowered) -> Option<i64> {
    of.literal().and_then(Value::integer).and_then(|value| i64::try_from(value).ok())
}
