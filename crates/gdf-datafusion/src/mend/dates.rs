//! Hours that are added to dates.
//!
//! DataFusion returns a date, which drops the hours. As in PostgreSQL, the sum is a timestamp, except where the interval
//! is a literal of whole days.

use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::error::Result;
use datafusion::logical_expr::{BinaryExpr, Cast, Expr, ExprSchemable, Operator};

const DAY: i64 = 86_400_000_000_000;

pub(super) fn mended(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = expr else { return Ok(Transformed::no(expr)) };
    let sum = |left, right| Expr::BinaryExpr(BinaryExpr::new(left, op, right));
    if !matches!(op, Operator::Plus | Operator::Minus) {
        return Ok(Transformed::no(sum(left, right)));
    }
    let is_date = |of: &Expr| matches!(of.get_type(schema), Ok(DataType::Date32));
    if is_date(&left)
        && let Some(unit) = unit_of_time(&right, schema)
    {
        return Ok(Transformed::yes(sum(moment(left, unit), right)));
    }
    if op == Operator::Plus
        && is_date(&right)
        && let Some(unit) = unit_of_time(&left, schema)
    {
        return Ok(Transformed::yes(sum(left, moment(right, unit))));
    }
    Ok(Transformed::no(sum(left, right)))
}

fn moment(date: Box<Expr>, unit: TimeUnit) -> Box<Expr> {
    Box::new(Expr::Cast(Cast::new(date, DataType::Timestamp(unit, None))))
}

/// Returns the unit of the part of an interval that is no whole days, or `None` if it has no such part.
fn unit_of_time(interval: &Expr, schema: &DFSchema) -> Option<TimeUnit> {
    match interval {
        Expr::Negative(of) => unit_of_time(of, schema),
        Expr::Literal(ScalarValue::IntervalMonthDayNano(Some(of)), _) => match of.nanoseconds {
            time if time % DAY == 0 => None,
            time if time % 1_000 == 0 => Some(TimeUnit::Microsecond),
            _ => Some(TimeUnit::Nanosecond),
        },
        Expr::Literal(ScalarValue::IntervalDayTime(Some(of)), _) => {
            (i64::from(of.milliseconds) % (DAY / 1_000_000) != 0).then_some(TimeUnit::Microsecond)
        }
        Expr::Literal(..) => None,
        other => match other.get_type(schema).ok()? {
            DataType::Interval(IntervalUnit::YearMonth) => None,
            DataType::Interval(_) => Some(TimeUnit::Nanosecond),
            _ => None,
        },
    }
}
