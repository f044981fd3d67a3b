//! Conditions whose result is known but for null.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, lit};

fn unknown() -> Expr {
    lit(ScalarValue::Boolean(None))
}

/// Returns a condition that is false, or null where `value` is null.
pub(super) fn never(value: Expr) -> Expr {
    value.is_null().and(unknown())
}

/// Returns a condition that is true, or null where `value` is null.
pub(super) fn always(value: Expr) -> Expr {
    value.is_not_null().or(unknown())
}
