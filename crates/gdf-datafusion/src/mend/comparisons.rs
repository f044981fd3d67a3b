//! Comparisons of decimals with floats, of timestamps with finer literals, and of times in different units.
//!
//! DataFusion compares a decimal with a float as `Decimal128(30, 15)`, which rounds the float or cannot hold it. It cuts
//! a literal to the unit of the timestamp that it is compared with.

use std::sync::Arc;

use arrow_schema::{DataType, TimeUnit};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::error::Result;
use datafusion::logical_expr::expr::{InList, InSubquery};
use datafusion::logical_expr::{
    Between, BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlanBuilder, Operator, Subquery, lit,
};

use super::constants::{always, never};

pub(super) fn mended(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(op) => pair(*left, op, *right, schema),
        Expr::Between(between) => mended_between(between, schema),
        Expr::InList(list) => mended_list(list, schema),
        Expr::InSubquery(of) => mended_subquery(of, schema),
        expr => Ok(Transformed::no(expr)),
    }
}

fn is_comparison(op: Operator) -> bool {
    use Operator::{Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom)
}

fn pair(left: Expr, op: Operator, right: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let original = |left: Expr, right: Expr| Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right)));
    if let Some(found) = exact(&left, op, &right, schema) {
        return Ok(Transformed::yes(found));
    }
    let (mut sides, is_changed) = with_common_type(vec![left, right], schema);
    let (right, left) = (sides.pop().unwrap_or_default(), sides.pop().unwrap_or_default());
    let found = original(left, right);
    Ok(if is_changed { Transformed::yes(found) } else { Transformed::no(found) })
}

/// Casts the values to a type in which they can be compared, where DataFusion chooses a wrong one, or none.
pub(super) fn with_common_type(values: Vec<Expr>, schema: &DFSchema) -> (Vec<Expr>, bool) {
    let types: Vec<Option<DataType>> = values.iter().map(|value| value.get_type(schema).ok()).collect();
    let has = |is: &dyn Fn(&DataType) -> bool| types.iter().flatten().any(is);
    let mixes_numbers = has(&DataType::is_decimal) && has(&DataType::is_floating);
    let is_time = |of: &DataType| matches!(of, DataType::Time32(_) | DataType::Time64(_));
    let first_time = types.iter().flatten().find(|of| is_time(of));
    let mixes_times = has(&|of| is_time(of) && Some(of) != first_time);
    if !mixes_numbers && !mixes_times {
        return (values, false);
    }
    let target = |of: &Option<DataType>| match of {
        Some(of) if mixes_numbers && of.is_decimal() => Some(DataType::Float64),
        Some(of) if mixes_times && is_time(of) => Some(DataType::Time64(TimeUnit::Nanosecond)),
        _ => None,
    };
    let cast = |(value, of): (Expr, &Option<DataType>)| match target(of) {
        Some(to) => Expr::Cast(Cast::new(Box::new(value), to)),
        None => value,
    };
    (values.into_iter().zip(&types).map(cast).collect(), true)
}

fn mended_between(between: Between, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Between { expr, negated, low, high } = between;
    let is_cut = |bound: &Expr| exact(&expr, Operator::Lt, bound, schema).is_some();
    if !expr.is_volatile() && (is_cut(&low) || is_cut(&high)) {
        let from = pair((*expr).clone(), Operator::GtEq, *low, schema)?.data;
        let to = pair(*expr, Operator::LtEq, *high, schema)?.data;
        let both = from.and(to);
        return Ok(Transformed::yes(if negated { Expr::Not(Box::new(both)) } else { both }));
    }
    let (mut values, is_changed) = with_common_type(vec![*expr, *low, *high], schema);
    let mut next = || Box::new(values.pop().unwrap_or_default());
    let (high, low, expr) = (next(), next(), next());
    let found = Expr::Between(Between::new(expr, negated, low, high));
    Ok(if is_changed { Transformed::yes(found) } else { Transformed::no(found) })
}

fn mended_list(list: InList, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let InList { expr, mut list, negated } = list;
    let length = list.len();
    // A literal between two values of the unit equals no value.
    list.retain(|value| exact(&expr, Operator::Eq, value, schema).is_none());
    if list.is_empty() && length > 0 {
        return Ok(Transformed::yes(if negated { always(*expr) } else { never(*expr) }));
    }
    let is_shorter = list.len() < length;
    let (mut values, is_changed) = with_common_type(std::iter::once(*expr).chain(list).collect(), schema);
    let expr = Box::new(values.remove(0));
    let found = Expr::InList(InList::new(expr, values, negated));
    Ok(if is_changed || is_shorter { Transformed::yes(found) } else { Transformed::no(found) })
}

/// Casts the value and the output of a subquery.
fn mended_subquery(of: InSubquery, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let (Ok(value), output) = (of.expr.get_type(schema), of.subquery.subquery.schema().field(0).data_type()) else {
        return Ok(Transformed::no(Expr::InSubquery(of)));
    };
    let is_mixed = |one: &DataType, other: &DataType| one.is_decimal() && other.is_floating();
    if !is_mixed(&value, output) && !is_mixed(output, &value) {
        return Ok(Transformed::no(Expr::InSubquery(of)));
    }
    let float = |expr: Expr| Expr::Cast(Cast::new(Box::new(expr), DataType::Float64));
    let column = Column::from(of.subquery.subquery.schema().qualified_field(0));
    let name = column.name.clone();
    let plan = LogicalPlanBuilder::from(Arc::clone(&of.subquery.subquery))
        .project([float(Expr::Column(column)).alias(name)])?
        .build()?;
    let subquery = Subquery { subquery: Arc::new(plan), ..of.subquery };
    Ok(Transformed::yes(Expr::InSubquery(InSubquery::new(Box::new(float(*of.expr)), subquery, of.negated))))
}

/// Returns the comparison of a timestamp with a literal that lies between two values of its unit, or `None`.
pub(super) fn exact(left: &Expr, op: Operator, right: &Expr, schema: &DFSchema) -> Option<Expr> {
    if let Some(bound) = Bound::between(left, right, schema) {
        return bound.compared(op);
    }
    Bound::between(right, left, schema)?.compared(op.swap()?)
}

/// A literal that lies between two values of the unit of a timestamp.
struct Bound {
    value: Expr,
    /// The next smaller value of the unit.
    below: ScalarValue,
}

impl Bound {
    fn between(value: &Expr, literal: &Expr, schema: &DFSchema) -> Option<Bound> {
        let text_or_moment = moment(literal)?;
        let DataType::Timestamp(mut unit, zone) = value.get_type(schema).ok()? else { return None };
        let mut value = value;
        // The optimizer sees a timestamp that was cast to the finer unit of the literal.
        if let Expr::Cast(cast) = value
            && let Ok(DataType::Timestamp(from, from_zone)) = cast.expr.get_type(schema)
            && from_zone == zone
        {
            (value, unit) = (cast.expr.as_ref(), if coarser(from, unit) { from } else { unit });
        }
        let target = DataType::Timestamp(TimeUnit::Nanosecond, zone.clone());
        if let DataType::Timestamp(_, of) = text_or_moment.data_type()
            && of != zone
        {
            return None;
        }
        let ScalarValue::TimestampNanosecond(Some(found), _) = text_or_moment.cast_to(&target).ok()? else {
            return None;
        };
        let length = nanoseconds(unit);
        if found % length == 0 {
            return None;
        }
        let count = Some(found.div_euclid(length));
        let below = match unit {
            TimeUnit::Second => ScalarValue::TimestampSecond(count, zone),
            TimeUnit::Millisecond => ScalarValue::TimestampMillisecond(count, zone),
            TimeUnit::Microsecond => ScalarValue::TimestampMicrosecond(count, zone),
            TimeUnit::Nanosecond => return None,
        };
        Some(Bound { value: value.clone(), below })
    }

    fn compared(self, op: Operator) -> Option<Expr> {
        let Bound { value, below } = self;
        Some(match op {
            Operator::Lt | Operator::LtEq => value.lt_eq(lit(below)),
            Operator::Gt | Operator::GtEq => value.gt(lit(below)),
            Operator::Eq => never(value),
            Operator::NotEq => always(value),
            Operator::IsDistinctFrom => lit(true),
            Operator::IsNotDistinctFrom => lit(false),
            _ => return None,
        })
    }
}

fn nanoseconds(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

fn coarser(one: TimeUnit, other: TimeUnit) -> bool {
    nanoseconds(one) > nanoseconds(other)
}

/// Returns the text or the timestamp of a literal such as `'…'` or `timestamp '…'`.
fn moment(expr: &Expr) -> Option<ScalarValue> {
    match expr {
        Expr::Literal(value, _) if !value.is_null() => {
            let of = value.data_type();
            (of.is_string() || matches!(of, DataType::Timestamp(..))).then(|| value.clone())
        }
        Expr::Cast(cast) => {
            let Expr::Literal(value, _) = cast.expr.as_ref() else { return None };
            let to = cast.field.data_type();
            (matches!(to, DataType::Timestamp(..)) && !value.is_null()).then(|| value.cast_to(to).ok())?
        }
        _ => None,
    }
}
