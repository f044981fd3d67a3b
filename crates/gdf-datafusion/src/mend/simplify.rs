//! Conditions that DataFusion simplifies without regard to null (datafusion#24246), and comparisons that need no cast.
//!
//! The rule rewrites them before `simplify_expressions`. Conditions become such that are null where the value is null.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::error::Result;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, lit, when};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use super::Rules;
use super::comparisons::exact;
use super::constants::{always, never};
use super::decimals::without_cast;

pub(super) fn add_to(rules: &mut Rules) {
    if rules.iter().any(|rule| rule.name() == Nulls.name()) {
        return;
    }
    let at = rules.iter().position(|rule| rule.name() == "simplify_expressions");
    rules.insert(at.unwrap_or(0), Arc::new(Nulls));
}

#[derive(Debug)]
struct Nulls;

impl OptimizerRule for Nulls {
    fn name(&self) -> &str {
        "gdf_nulls"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(&self, plan: LogicalPlan, _config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let inputs = plan.inputs();
        let schema = if inputs.is_empty() { plan.schema().as_ref().clone() } else { merge_schema(&inputs) };
        let names = NamePreserver::new(&plan);
        plan.map_expressions(|expr| {
            let name = names.save(&expr);
            Ok(expr.transform_up(|expr| mended(expr, &schema))?.update_data(|expr| name.restore(expr)))
        })
    }
}

fn mended(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = expr else { return Ok(Transformed::no(expr)) };
    let found = match op {
        Operator::And => both_lists(&left, &right),
        Operator::Or => either_list(&left, &right),
        Operator::RegexMatch | Operator::RegexIMatch => match right.as_ref() {
            Expr::Literal(pattern, _) if pattern.try_as_str() == Some(Some(".*")) => Some(always((*left).clone())),
            _ => None,
        },
        Operator::BitwiseXor => without_pairs(&left, &right, schema)?,
        op => exact(&left, op, &right, schema).or_else(|| without_cast(&left, op, &right, schema)),
    };
    Ok(match found {
        Some(found) => Transformed::yes(found),
        None => Transformed::no(Expr::BinaryExpr(BinaryExpr::new(left, op, right))),
    })
}

/// The values of a condition `x IN (…)`, or of what DataFusion makes such a condition of.
struct Values {
    of: Expr,
    list: Vec<Expr>,
    negated: bool,
}

fn values(expr: &Expr) -> Option<Values> {
    match expr {
        Expr::InList(InList { expr, list, negated }) => {
            Some(Values { of: (**expr).clone(), list: list.clone(), negated: *negated })
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) => {
            let (of, value) = match (left.as_ref(), right.as_ref()) {
                (of @ Expr::Column(_), value @ Expr::Literal(..))
                | (value @ Expr::Literal(..), of @ Expr::Column(_)) => (of, value),
                _ => return None,
            };
            Some(Values { of: of.clone(), list: vec![value.clone()], negated: false })
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            let (left, right) = (values(left)?, values(right)?);
            let is_list = left.of == right.of && !left.negated && !right.negated && matches!(left.of, Expr::Column(_));
            let list = || left.list.iter().chain(&right.list).cloned().collect();
            is_list.then(|| Values { list: list(), of: left.of.clone(), negated: false })
        }
        _ => None,
    }
}

/// Returns whether equal values are equal expressions, and others are not.
fn are_plain(list: &[Expr]) -> bool {
    list.iter()
        .all(|value| matches!(value, Expr::Literal(value, _) if !value.is_null() && !value.data_type().is_floating()))
}

fn both_lists(left: &Expr, right: &Expr) -> Option<Expr> {
    // DataFusion merges lists alone.
    let is_equality = |expr: &Expr| matches!(expr, Expr::BinaryExpr(BinaryExpr { op: Operator::Eq, .. }));
    if is_equality(left) || is_equality(right) {
        return None;
    }
    let (left, right) = (values(left)?, values(right)?);
    if left.of != right.of || (left.negated && right.negated) {
        return None;
    }
    if !are_plain(&left.list) || !are_plain(&right.list) {
        return Some(spelled(left).and(spelled(right)));
    }
    let (kept, other) = if left.negated { (right, left) } else { (left, right) };
    let others: HashSet<&Expr> = other.list.iter().collect();
    let list: Vec<Expr> = kept.list.iter().filter(|value| others.contains(value) != other.negated).cloned().collect();
    Some(if list.is_empty() { never(kept.of) } else { kept.of.in_list(list, false) })
}

fn either_list(left: &Expr, right: &Expr) -> Option<Expr> {
    let is_negated = |expr: &Expr| matches!(expr, Expr::InList(list) if list.negated);
    if !is_negated(left) || !is_negated(right) {
        return None;
    }
    let (left, right) = (values(left)?, values(right)?);
    if left.of != right.of {
        return None;
    }
    if !are_plain(&left.list) || !are_plain(&right.list) {
        return Some(spelled(left).or(spelled(right)));
    }
    let others: HashSet<&Expr> = right.list.iter().collect();
    let list: Vec<Expr> = left.list.iter().filter(|value| others.contains(value)).cloned().collect();
    Some(if list.is_empty() { always(left.of) } else { left.of.in_list(list, true) })
}

/// Returns a list as comparisons, which DataFusion does not merge with other lists.
fn spelled(values: Values) -> Expr {
    let Values { of, list, negated } = values;
    let compared = list.into_iter().map(|value| if negated { of.clone().not_eq(value) } else { of.clone().eq(value) });
    let found = compared.reduce(|all, one| if negated { all.and(one) } else { all.or(one) });
    found.unwrap_or_else(|| lit(negated))
}

/// Drops pairs of equal operands of `^`, which are 0 but for null.
fn without_pairs(left: &Expr, right: &Expr, schema: &DFSchema) -> Result<Option<Expr>> {
    let mut operands = Vec::new();
    for side in [left, right] {
        collect(side, &mut operands);
    }
    let odd = |of: &Expr| operands.iter().filter(|other| **other == of).count() % 2 == 1;
    let mut seen = HashSet::new();
    let distinct: Vec<&Expr> = operands.iter().copied().filter(|of| seen.insert(*of)).collect();
    if distinct.len() == operands.len() || operands.iter().any(|of| of.is_volatile()) {
        return Ok(None);
    }
    let rest = distinct.iter().filter(|of| odd(of)).map(|of| (*of).clone());
    let xor =
        |all: Expr, one: Expr| Expr::BinaryExpr(BinaryExpr::new(Box::new(all), Operator::BitwiseXor, Box::new(one)));
    let value = match rest.reduce(xor) {
        Some(rest) => rest,
        None => lit(ScalarValue::new_zero(&left.get_type(schema)?)?),
    };
    let dropped = distinct.iter().filter(|of| !odd(of) || operands.iter().filter(|other| **other == **of).count() > 1);
    let known = dropped.map(|of| (*of).clone().is_not_null()).reduce(Expr::and).unwrap_or_else(|| lit(true));
    Ok(Some(when(known, value).end()?))
}

fn collect<'e>(expr: &'e Expr, operands: &mut Vec<&'e Expr>) {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::BitwiseXor, right }) => {
            collect(left, operands);
            collect(right, operands);
        }
        other => operands.push(other),
    }
}
