//! Comparisons of decimals with literals that are floats.
//!
//! DataFusion casts the decimals to floats. A cast never reverses the order of two decimals, so the decimals that a
//! comparison with a literal selects are those on one side of a bound. The comparison with that bound needs no cast for
//! each row, and readers of files can test it against statistics.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::{Expr, ExprSchemable, Operator, lit};

use super::constants::{always, never};

/// Decimals with at most this number of digits are floats without a rounding before they are divided by a power of ten.
const MOST_DIGITS: u8 = 15;
/// The powers of ten up to this one are floats without a rounding.
const MOST_SCALE: i8 = 22;

/// Returns a comparison of a decimal with a decimal that has the same result as the comparison of its cast to a float
/// with a literal, or `None` if the operands are others.
pub(super) fn without_cast(left: &Expr, op: Operator, right: &Expr, schema: &DFSchema) -> Option<Expr> {
    if let Some(bounds) = Bounds::of(left, right, schema) {
        return bounds.compared(op);
    }
    Bounds::of(right, left, schema)?.compared(op.swap()?)
}

/// A decimal, and the literal that the decimal is compared with.
struct Bounds {
    decimal: Expr,
    digits: u8,
    scale: i8,
    /// The smallest unscaled decimal that is not less than the literal. If there is none, it has too many digits.
    not_less: i128,
    /// The smallest unscaled decimal that is greater than the literal.
    greater: i128,
}

impl Bounds {
    fn of(cast: &Expr, literal: &Expr, schema: &DFSchema) -> Option<Bounds> {
        let (Expr::Cast(cast), Expr::Literal(ScalarValue::Float64(Some(literal)), _)) = (cast, literal) else {
            return None;
        };
        let DataType::Decimal128(digits, scale) = cast.expr.get_type(schema).ok()? else { return None };
        let is_exact = digits <= MOST_DIGITS && (0..=MOST_SCALE).contains(&scale);
        if !is_exact || *cast.field.data_type() != DataType::Float64 || literal.is_nan() {
            return None;
        }
        let float = |unscaled: i128| unscaled as f64 / 10_f64.powi(scale.into());
        let limit = 10_i128.pow(digits.into());
        let first = |passes: &dyn Fn(f64) -> bool| {
            let (mut from, mut to) = (1 - limit, limit);
            while from < to {
                let middle = from + (to - from).div_euclid(2);
                if passes(float(middle)) { to = middle } else { from = middle + 1 }
            }
            from
        };
        let (not_less, greater) = (first(&|float| float >= *literal), first(&|float| float > *literal));
        Some(Bounds { decimal: cast.expr.as_ref().clone(), digits, scale, not_less, greater })
    }

    fn compared(self, op: Operator) -> Option<Expr> {
        match op {
            Operator::GtEq => Some(self.from(self.not_less)),
            Operator::Gt => Some(self.from(self.greater)),
            Operator::Lt => Some(self.below(self.not_less)),
            Operator::LtEq => Some(self.below(self.greater)),
            Operator::Eq | Operator::NotEq => match (op, self.greater - self.not_less) {
                (Operator::Eq, 0) => Some(never(self.decimal)),
                (_, 0) => Some(always(self.decimal)),
                (Operator::Eq, 1) => Some(self.decimal.clone().eq(self.literal(self.not_less))),
                (_, 1) => Some(self.decimal.clone().not_eq(self.literal(self.not_less))),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the condition that the decimal is at least the bound.
    fn from(&self, bound: i128) -> Expr {
        let limit = 10_i128.pow(self.digits.into());
        match bound {
            _ if bound >= limit => never(self.decimal.clone()),
            _ if bound <= 1 - limit => always(self.decimal.clone()),
            _ => self.decimal.clone().gt_eq(self.literal(bound)),
        }
    }

    /// Returns the condition that the decimal is less than the bound.
    fn below(&self, bound: i128) -> Expr {
        let limit = 10_i128.pow(self.digits.into());
        match bound {
            _ if bound >= limit => always(self.decimal.clone()),
            _ if bound <= 1 - limit => never(self.decimal.clone()),
            _ => self.decimal.clone().lt(self.literal(bound)),
        }
    }

    fn literal(&self, unscaled: i128) -> Expr {
        lit(ScalarValue::Decimal128(Some(unscaled), self.digits, self.scale))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::cast::AsArray;
    use arrow_array::{ArrayRef, BooleanArray, Decimal128Array, RecordBatch};
    use datafusion::execution::context::SessionContext;
    use datafusion::logical_expr::{binary_expr, cast, col};

    use super::*;

    #[test]
    fn all_decimals_of_few_digits_compare_as_their_casts() {
        let (digits, context) = (3, SessionContext::new());
        for scale in [0, 1, 3] {
            let values = (-999..=999).map(Some).chain([None]).collect::<Decimal128Array>();
            let values: ArrayRef = Arc::new(values.with_precision_and_scale(digits, scale).unwrap());
            let batch = RecordBatch::try_from_iter_with_nullable([("d", values, true)]).unwrap();
            let schema = DFSchema::try_from(batch.schema()).unwrap();
            let found = |expr: Expr| -> BooleanArray {
                let expr = context.create_physical_expr(expr, &schema).unwrap();
                expr.evaluate(&batch).unwrap().into_array(batch.num_rows()).unwrap().as_boolean().clone()
            };
            let near = [0.05_f64, 0.1, 0.7, 1.0, 42.5, 99.9, 999.0];
            let near = near.into_iter().flat_map(|value| [value.next_down(), value, value.next_up()]);
            let literals = near.flat_map(|value| [value, -value]).chain([0.0, -0.0, 1e9, -1e9, f64::INFINITY]);
            for literal in literals {
                for op in [Operator::Eq, Operator::NotEq, Operator::Lt, Operator::LtEq, Operator::Gt, Operator::GtEq] {
                    let (decimal, literal) = (cast(col("d"), DataType::Float64), lit(literal));
                    let without = without_cast(&decimal, op, &literal, &schema).unwrap();
                    let swapped = without_cast(&literal, op.swap().unwrap(), &decimal, &schema).unwrap();
                    assert!(!without.to_string().contains("CAST"), "{without}");
                    let expected = found(binary_expr(decimal, op, literal.clone()));
                    assert_eq!(found(without), expected, "{op} {literal}, scale {scale}");
                    assert_eq!(found(swapped), expected, "{literal} {op}, scale {scale}");
                }
            }
            let nan = lit(f64::NAN);
            assert!(without_cast(&cast(col("d"), DataType::Float64), Operator::Lt, &nan, &schema).is_none());
            assert!(without_cast(&cast(col("d"), DataType::Float32), Operator::Lt, &lit(1.0), &schema).is_none());
        }
    }
}
