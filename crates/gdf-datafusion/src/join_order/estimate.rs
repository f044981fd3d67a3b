//! Estimates the number of rows of a plan, and the number of distinct values of an expression.

use datafusion::common::stats::Precision;
use datafusion::common::{Column, JoinType, Statistics};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Distinct, Expr, FetchType, LogicalPlan, Operator, TableScan};
use datafusion::scalar::ScalarValue;

/// The assumed share of rows that pass a condition about which nothing is known.
const UNKNOWN_SHARE: f64 = 0.25;

/// Returns the estimated number of rows of a plan, or `None` if a table has no statistics or the number of rows of a
/// node cannot be estimated.
pub(super) fn rows(plan: &LogicalPlan) -> Option<f64> {
    let found = match plan {
        LogicalPlan::TableScan(scan) => {
            let all = known(statistics(scan)?.num_rows)?;
            let kept = scan.filters.iter().fold(all, |rows, filter| rows * share(filter, plan));
            scan.fetch.map_or(kept, |fetch| kept.min(fetch as f64))
        }
        LogicalPlan::Filter(filter) => rows(&filter.input)? * share(&filter.predicate, &filter.input),
        LogicalPlan::Aggregate(of) => {
            let all = rows(&of.input)?;
            let groups = of.group_expr.iter().map(|key| distinct(key, &of.input)).product::<f64>();
            groups.min(all)
        }
        LogicalPlan::Distinct(Distinct::All(input)) => rows(input)?,
        LogicalPlan::Limit(limit) => {
            let all = rows(&limit.input)?;
            match limit.get_fetch_type() {
                Ok(FetchType::Literal(Some(fetch))) => all.min(fetch as f64),
                _ => all,
            }
        }
        LogicalPlan::Join(join) => {
            let (left, right) = (rows(&join.left)?, rows(&join.right)?);
            let inner = join.on.iter().fold(left * right, |rows, (one, other)| {
                rows / distinct(one, &join.left).max(distinct(other, &join.right)).max(1.0)
            });
            match join.join_type {
                JoinType::Inner => inner,
                JoinType::Left | JoinType::LeftMark => inner.max(left),
                JoinType::Right | JoinType::RightMark => inner.max(right),
                JoinType::Full => inner.max(left).max(right),
                JoinType::LeftSemi => inner.min(left),
                JoinType::RightSemi => inner.min(right),
                JoinType::LeftAnti => left * 0.5,
                JoinType::RightAnti => right * 0.5,
            }
        }
        LogicalPlan::Union(union) => union.inputs.iter().map(|input| rows(input)).sum::<Option<f64>>()?,
        LogicalPlan::EmptyRelation(of) => f64::from(u8::from(of.produce_one_row)),
        LogicalPlan::Values(of) => of.values.len() as f64,
        LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_) | LogicalPlan::Sort(_) | LogicalPlan::Window(_) => {
            rows(plan.inputs().first()?)?
        }
        _ => return None,
    };
    Some(found.max(1.0))
}

fn statistics(scan: &TableScan) -> Option<Statistics> {
    source_as_provider(&scan.source).ok()?.statistics()
}

fn known(count: Precision<usize>) -> Option<f64> {
    count.get_value().map(|count| *count as f64)
}

/// Returns the estimated number of distinct values of an expression over the rows of `plan`. The result is at most the
/// number of rows. If there are no statistics, it is the square root of the number of rows. With a larger number, a
/// join by a text with few values would seem to return few rows.
pub(super) fn distinct(expr: &Expr, plan: &LogicalPlan) -> f64 {
    let all = rows(plan).unwrap_or(1.0);
    let of_column = match expr {
        Expr::Column(column) => column_of(column, plan).and_then(|of| of.distinct),
        Expr::Alias(alias) => Some(distinct(&alias.expr, plan)),
        Expr::Cast(cast) => Some(distinct(&cast.expr, plan)),
        Expr::Literal(..) => Some(1.0),
        _ => None,
    };
    of_column.unwrap_or(all.sqrt()).clamp(1.0, all)
}

/// The statistics of a column.
struct KnownColumn {
    distinct: Option<f64>,
    nulls: Option<f64>,
    range: Option<(f64, f64)>,
}

/// Returns the statistics of a column. `column` is a column of `plan`, and the statistics are those of the table that
/// it comes from.
fn column_of(column: &Column, plan: &LogicalPlan) -> Option<KnownColumn> {
    match plan {
        LogicalPlan::TableScan(scan) => {
            let statistics = statistics(scan)?;
            let at = scan.source.schema().index_of(&column.name).ok()?;
            let of = statistics.column_statistics.get(at)?;
            let all = known(statistics.num_rows)?;
            let bound = |value: &Precision<ScalarValue>| number(value.get_value()?);
            let range = bound(&of.min_value).zip(bound(&of.max_value));
            let schema = scan.source.schema();
            let data_type = schema.field(at).data_type();
            let in_range = range.filter(|_| data_type.is_integer() || data_type.is_temporal());
            let in_range = in_range.map(|(min, max)| (max - min + 1.0).min(all));
            let distinct = known(of.distinct_count).or(in_range);
            Some(KnownColumn { distinct, nulls: known(of.null_count).map(|nulls| nulls / all.max(1.0)), range })
        }
        LogicalPlan::SubqueryAlias(of) => {
            let at = plan.schema().maybe_index_of_column(column)?;
            column_of(&Column::from(of.input.schema().qualified_field(at)), &of.input)
        }
        LogicalPlan::Projection(of) => {
            let at = plan.schema().maybe_index_of_column(column)?;
            match of.expr.get(at)?.clone().unalias() {
                Expr::Column(inner) => column_of(&inner, &of.input),
                _ => None,
            }
        }
        _ => {
            let inputs = plan.inputs();
            let holder = inputs.into_iter().find(|input| input.schema().has_column(column))?;
            column_of(column, holder)
        }
    }
}

/// Returns a value as a number. Dates and timestamps become the integers that represent them.
fn number(value: &ScalarValue) -> Option<f64> {
    use datafusion::arrow::datatypes::DataType;
    if let Ok(ScalarValue::Float64(number)) = value.cast_to(&DataType::Float64) {
        return number;
    }
    match value.cast_to(&DataType::Int64).or_else(|_| value.cast_to(&DataType::Int32)) {
        Ok(ScalarValue::Int64(number)) => number.map(|number| number as f64),
        Ok(ScalarValue::Int32(number)) => number.map(f64::from),
        _ => None,
    }
}

/// Returns the share of the rows of `plan` for which a condition is true.
pub(super) fn share(condition: &Expr, plan: &LogicalPlan) -> f64 {
    let found = match condition {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => share(left, plan) * share(right, plan),
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            let (one, other) = (share(left, plan), share(right, plan));
            one + other - one * other
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match (left.as_ref(), right.as_ref()) {
            (column, Expr::Literal(value, _)) => compared(column, *op, value, plan),
            (Expr::Literal(value, _), column) => match op.swap() {
                Some(op) => compared(column, op, value, plan),
                None => UNKNOWN_SHARE,
            },
            (one, other) if *op == Operator::Eq => 1.0 / per_value(one, plan).max(per_value(other, plan)),
            _ => UNKNOWN_SHARE,
        },
        Expr::InList(InList { expr, list, negated }) => {
            let found = (list.len() as f64 / per_value(expr, plan)).min(1.0);
            if *negated { 1.0 - found } else { found }
        }
        Expr::Between(of) if !of.negated => match (of.low.as_ref(), of.high.as_ref()) {
            (Expr::Literal(low, _), Expr::Literal(high, _)) => {
                let above = compared(&of.expr, Operator::GtEq, low, plan);
                let below = compared(&of.expr, Operator::LtEq, high, plan);
                (above + below - 1.0).max(0.0)
            }
            _ => UNKNOWN_SHARE,
        },
        Expr::Not(of) => 1.0 - share(of, plan),
        Expr::IsNull(of) => nulls(of, plan).unwrap_or(0.05),
        Expr::IsNotNull(of) => 1.0 - nulls(of, plan).unwrap_or(0.05),
        Expr::Like(_) => 0.1,
        _ => UNKNOWN_SHARE,
    };
    found.clamp(1e-6, 1.0)
}

/// Returns the number of distinct values of an expression before filters, or 10 if that number is not known.
fn per_value(expr: &Expr, plan: &LogicalPlan) -> f64 {
    let known = match expr {
        Expr::Column(column) => column_of(column, plan).and_then(|of| of.distinct),
        Expr::Cast(of) => return per_value(&of.expr, plan),
        _ => None,
    };
    known.unwrap_or(10.0).max(1.0)
}

fn nulls(expr: &Expr, plan: &LogicalPlan) -> Option<f64> {
    match expr {
        Expr::Column(column) => column_of(column, plan)?.nulls,
        _ => None,
    }
}

fn compared(expr: &Expr, op: Operator, value: &ScalarValue, plan: &LogicalPlan) -> f64 {
    let equal = 1.0 / per_value(expr, plan);
    let below = || {
        let Expr::Column(column) = expr else { return None };
        let ((min, max), value) = (column_of(column, plan)?.range?, number(value)?);
        Some(if max > min { ((value - min) / (max - min)).clamp(0.0, 1.0) } else { 0.5 })
    };
    match op {
        Operator::Eq | Operator::IsNotDistinctFrom => equal,
        Operator::NotEq | Operator::IsDistinctFrom => 1.0 - equal,
        Operator::Lt | Operator::LtEq => below().unwrap_or(UNKNOWN_SHARE),
        Operator::Gt | Operator::GtEq => below().map_or(UNKNOWN_SHARE, |below| 1.0 - below),
        _ => UNKNOWN_SHARE,
    }
}
