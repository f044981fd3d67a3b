//! Widens decimals before they are computed with, so that results have the digits that they need.

use std::sync::Arc;

use arrow_schema::{DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION, DataType};
use datafusion::common::DFSchema;
use datafusion::common::tree_node::Transformed;
use datafusion::error::Result;
use datafusion::logical_expr::expr::{ScalarFunction, WindowFunctionDefinition};
use datafusion::logical_expr::{AggregateUDF, BinaryExpr, Cast, Expr, ExprSchemable, Operator};

use super::exact_sum::{EXACT_SUM, is_sum, needs_exact};
use super::functions::CHECKED_DECIMAL;

fn is_arithmetic(op: Operator) -> bool {
    matches!(op, Operator::Plus | Operator::Minus | Operator::Multiply | Operator::Divide | Operator::Modulo)
}

/// Returns the type in which a decimal of 32 or 64 bits is computed with.
fn wider(expr: &Expr, schema: &DFSchema) -> Option<DataType> {
    match expr.get_type(schema) {
        Ok(DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale)) => {
            Some(DataType::Decimal128(precision, scale))
        }
        _ => None,
    }
}

fn widened(expr: Expr, schema: &DFSchema) -> (Expr, bool) {
    match wider(&expr, schema) {
        Some(data_type) => (Expr::Cast(Cast::new(Box::new(expr), data_type)), true),
        None => (expr, false),
    }
}

/// Widens the operands of arithmetic, and the arguments of sums and means. Sums of decimals whose digits do not rule an
/// overflow out become exact sums.
pub(super) fn wide(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    Ok(match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_arithmetic(op) => {
            let ((left, a), (right, b)) = (widened(*left, schema), widened(*right, schema));
            let binary = BinaryExpr { left: Box::new(left), op, right: Box::new(right) };
            Transformed::new_transformed(Expr::BinaryExpr(binary), a || b)
        }
        Expr::AggregateFunction(mut call) if adds(&call.func) => {
            let (args, mut changed) = arguments(std::mem::take(&mut call.params.args), schema);
            if is_sum(call.func.inner().as_ref()) && args.iter().any(|arg| is_long(arg, schema)) {
                changed |= call.func != *EXACT_SUM;
                call.func = Arc::clone(&EXACT_SUM);
            }
            call.params.args = args;
            Transformed::new_transformed(Expr::AggregateFunction(call), changed)
        }
        Expr::WindowFunction(mut call) => {
            let WindowFunctionDefinition::AggregateUDF(func) = &call.fun else {
                return Ok(Transformed::no(Expr::WindowFunction(call)));
            };
            if !adds(func) {
                return Ok(Transformed::no(Expr::WindowFunction(call)));
            }
            let is_sum = is_sum(func.inner().as_ref());
            let (args, mut changed) = arguments(std::mem::take(&mut call.params.args), schema);
            if is_sum && args.iter().any(|arg| is_long(arg, schema)) {
                changed = true;
                call.fun = WindowFunctionDefinition::AggregateUDF(Arc::clone(&EXACT_SUM));
            }
            call.params.args = args;
            Transformed::new_transformed(Expr::WindowFunction(call), changed)
        }
        other => Transformed::no(other),
    })
}

fn adds(func: &AggregateUDF) -> bool {
    matches!(func.name(), "sum" | "avg")
}

fn arguments(args: Vec<Expr>, schema: &DFSchema) -> (Vec<Expr>, bool) {
    let mut changed = false;
    let args = args.into_iter().map(|arg| {
        let (arg, is_wider) = widened(arg, schema);
        changed |= is_wider;
        arg
    });
    (args.collect(), changed)
}

fn is_long(arg: &Expr, schema: &DFSchema) -> bool {
    arg.get_type(schema).is_ok_and(|data_type| needs_exact(&data_type))
}

/// Checks a result of arithmetic whose declared digits do not rule out that it has too many.
pub(super) fn checked(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let is_checked = match &expr {
        Expr::BinaryExpr(BinaryExpr { op, .. }) if is_arithmetic(*op) && *op != Operator::Modulo => {
            matches!(
                expr.get_type(schema),
                Ok(DataType::Decimal128(DECIMAL128_MAX_PRECISION, _)
                    | DataType::Decimal256(DECIMAL256_MAX_PRECISION, _))
            )
        }
        _ => false,
    };
    if !is_checked {
        return Ok(Transformed::no(expr));
    }
    let func = Arc::clone(&CHECKED_DECIMAL);
    Ok(Transformed::yes(Expr::ScalarFunction(ScalarFunction { func, args: vec![expr] })))
}
