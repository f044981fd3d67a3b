//! Arithmetic of integers that are literals, which wraps in DataFusion.

use arrow_schema::DataType;
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use datafusion::scalar::ScalarValue;

/// Refuses arithmetic of literals whose result does not fit its type.
pub(super) fn check(expr: &Expr) -> Result<()> {
    if let Expr::BinaryExpr(BinaryExpr { left, op, right }) = expr
        && let (Some(one), Some(other)) = (constant(left, DEPTH), constant(right, DEPTH))
        && let Some((one, other)) = of_one_type(one, other)
        && result(&one, *op, &other) == Some(None)
    {
        return plan_err!(
            "arithmetic overflow: `{expr}` does not fit {}; cast an operand to a wider type, as in cast(… as decimal(38, 0))",
            one.data_type()
        );
    }
    Ok(())
}

/// The depth to which operands are evaluated. All parts of an expression are checked, so that a limit keeps the work small.
const DEPTH: usize = 4;

/// Returns the value of an expression of integers that are literals.
fn constant(expr: &Expr, depth: usize) -> Option<ScalarValue> {
    let depth = depth.checked_sub(1)?;
    match expr {
        Expr::Literal(value, _) => (value.data_type().is_integer() && !value.is_null()).then(|| value.clone()),
        Expr::Cast(cast) => {
            let to = cast.field.data_type();
            if !to.is_integer() {
                None
            } else {
                constant(&cast.expr, depth)?.cast_to(to).ok().filter(|value| !value.is_null())
            }
        }
        Expr::Negative(of) => {
            let value = constant(of, depth)?;
            ScalarValue::new_zero(&value.data_type()).ok()?.sub_checked(value).ok()
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let (one, other) = of_one_type(constant(left, depth)?, constant(right, depth)?)?;
            result(&one, *op, &other)?
        }
        _ => None,
    }
}

/// Returns the values with the wider of their types, if both are signed.
fn of_one_type(one: ScalarValue, other: ScalarValue) -> Option<(ScalarValue, ScalarValue)> {
    let (a, b) = (one.data_type(), other.data_type());
    if a == b {
        return Some((one, other));
    }
    let width = |of: &DataType| of.is_signed_integer().then(|| of.primitive_width()).flatten();
    let wider = if width(&a)? > width(&b)? { a } else { b };
    Some((one.cast_to(&wider).ok()?, other.cast_to(&wider).ok()?))
}

/// Returns the result of an operator, which is `None` if it does not fit. Returns `None` for other operators.
fn result(one: &ScalarValue, op: Operator, other: &ScalarValue) -> Option<Option<ScalarValue>> {
    Some(match op {
        Operator::Plus => one.add_checked(other).ok(),
        Operator::Minus => one.sub_checked(other).ok(),
        Operator::Multiply => one.mul_checked(other).ok(),
        _ => return None,
    })
}
