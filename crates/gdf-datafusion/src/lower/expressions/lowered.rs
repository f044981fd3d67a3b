//! Lowered expressions and their checks.

use arrow_schema::DataType;
use gdf_core::Literal;
use gdf_exec::{Check, Problem};
use gdf_expr::{BinaryOperator, Expr, ExprKind, Value, coalesce};

use crate::error::Refusal;

/// An expression of gdf with its plain type, and the checks for rows in which DataFusion returns an error.
#[derive(Clone, Debug)]
pub(crate) struct Lowered {
    pub(crate) value: Expr,
    pub(crate) data_type: DataType,
    pub(crate) checks: Vec<Check>,
}

impl Lowered {
    /// Makes an expression without checks.
    pub(crate) fn new(value: Expr, data_type: DataType) -> Lowered {
        Lowered { value, data_type, checks: Vec::new() }
    }

    pub(crate) fn literal(&self) -> Option<&Value> {
        match self.value.kind() {
            ExprKind::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// Adds a check. The query fails with `problem` if `condition` is true in a row.
    pub(crate) fn check(&mut self, condition: Expr, problem: Problem) {
        self.checks.push(Check::Never { condition, problem });
    }

    /// Limits the checks to rows in which `guard` is true, for an expression that DataFusion evaluates only there.
    pub(crate) fn guarded(self, guard: &Expr) -> Lowered {
        let checks = self.checks.into_iter().map(|check| check.guarded(guard)).collect();
        Lowered { checks, ..self }
    }

    /// Applies an operator to two expressions, and collects their checks.
    pub(crate) fn binary(self, op: BinaryOperator, right: Lowered, data_type: DataType) -> Lowered {
        let checks = self.checks.into_iter().chain(right.checks).collect();
        Lowered { value: self.value.binary(op, right.value), data_type, checks }
    }

    /// Replaces the value by a value of the same type, with the same checks.
    pub(crate) fn map_same(self, value: impl FnOnce(Expr) -> Expr) -> Lowered {
        Lowered { value: value(self.value), ..self }
    }

    /// Replaces the value and the type, with the same checks.
    pub(crate) fn map(self, data_type: DataType, value: impl FnOnce(Expr) -> Expr) -> Lowered {
        Lowered { value: value(self.value), data_type, checks: self.checks }
    }
}

/// Returns an expression that is true where a condition is true, and false where it is false or null.
pub(crate) fn is_true(condition: Expr) -> Expr {
    coalesce([condition, Expr::from(false)])
}

/// Returns an expression that is true where a condition is false or null.
pub(crate) fn is_not_true(condition: Expr) -> Expr {
    !is_true(condition)
}

/// Returns the value of type `data_type` that is stored as the integer `number`. The type is at most 128 bits wide.
pub(crate) fn stored(number: i128, data_type: &DataType) -> Result<Value, Refusal> {
    let refused = || Refusal::Literal(number.to_string());
    let width = gdf_core::width(data_type).filter(|width| *width <= 16).ok_or_else(refused)?;
    let bytes = number.to_le_bytes();
    Literal::of_stored_bytes(data_type, &bytes[..width]).map(Value::new).ok_or_else(refused)
}
