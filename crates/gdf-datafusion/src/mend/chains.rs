//! Long chains of `AND` and `OR` become balanced trees.
//!
//! The parser nests `a OR b OR c` to the left, one level for each operator, and rules, clones and drops visit each level
//! recursively. A balanced tree has the same operands in the same order, and a depth of the logarithm.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::error::Result;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::expressions::BinaryExpr as PhysicalBinaryExpr;
use datafusion::sql::sqlparser::ast;

/// Chains of fewer operators stay as they are, so that plans look as the statements do.
const SHORT: usize = 64;

/// Merges operands pairwise, in their order. There is at least one operand.
fn merged<T>(mut operands: Vec<T>, merge: impl Fn(T, T) -> T) -> Option<T> {
    while operands.len() > 1 {
        let mut pairs = Vec::with_capacity(operands.len().div_ceil(2));
        let mut rest = operands.into_iter();
        while let Some(first) = rest.next() {
            pairs.push(match rest.next() {
                Some(second) => merge(first, second),
                None => first,
            });
        }
        operands = pairs;
    }
    operands.pop()
}

/// Returns whether the spine of a chain is long.
fn is_long<'e, E>(top: &'e E, next: impl Fn(&'e E) -> Option<&'e E>) -> bool {
    std::iter::successors(Some(top), |&expr| next(expr)).nth(SHORT).is_some()
}

/// Leaves an empty name in the place of an expression.
pub(super) fn take_expr(expr: &mut ast::Expr) -> ast::Expr {
    std::mem::replace(expr, ast::Expr::Identifier(ast::Ident::new("")))
}

/// Balances an expression of a statement, if it is a long chain.
pub(super) fn balance_parsed(expr: &mut ast::Expr) {
    use ast::{BinaryOperator, Expr};
    let op = match &*expr {
        Expr::BinaryOp { op: op @ (BinaryOperator::And | BinaryOperator::Or), .. } => op.clone(),
        _ => return,
    };
    let is_long = is_long(&*expr, |expr| match expr {
        Expr::BinaryOp { left, op: own, .. } if *own == op => Some(left.as_ref()),
        _ => None,
    });
    if !is_long {
        return;
    }
    let (mut operands, mut waiting) = (Vec::new(), vec![take_expr(expr)]);
    while let Some(expr) = waiting.pop() {
        match expr {
            Expr::BinaryOp { left, op: own, right } if own == op => waiting.extend([*right, *left]),
            operand => operands.push(operand),
        }
    }
    let merge = |left, right| Expr::BinaryOp { left: Box::new(left), op: op.clone(), right: Box::new(right) };
    if let Some(balanced) = merged(operands, merge) {
        *expr = balanced;
    }
}

/// Balances an expression of a logical plan, if it is a long chain.
pub(super) fn balanced(expr: Expr) -> Result<Transformed<Expr>> {
    let Expr::BinaryExpr(BinaryExpr { op: op @ (Operator::And | Operator::Or), .. }) = expr else {
        return Ok(Transformed::no(expr));
    };
    let is_long = is_long(&expr, |expr| match expr {
        Expr::BinaryExpr(BinaryExpr { left, op: own, .. }) if *own == op => Some(left.as_ref()),
        _ => None,
    });
    if !is_long {
        return Ok(Transformed::no(expr));
    }
    let (mut operands, mut waiting) = (Vec::new(), vec![expr]);
    while let Some(expr) = waiting.pop() {
        match expr {
            Expr::BinaryExpr(BinaryExpr { left, op: own, right }) if own == op => waiting.extend([*right, *left]),
            operand => operands.push(operand),
        }
    }
    let merge = |left, right| Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right)));
    Ok(merged(operands, merge).map_or_else(|| Transformed::no(datafusion::prelude::lit(true)), Transformed::yes))
}

/// Returns the balanced tree of a condition of a physical plan, or `None` if the condition is no long chain. DataFusion
/// joins the conditions of a filter to a chain.
pub(crate) fn balanced_physical(expr: &Arc<dyn PhysicalExpr>) -> Option<Arc<dyn PhysicalExpr>> {
    let of = |expr: &'_ Arc<dyn PhysicalExpr>| {
        let binary = expr.downcast_ref::<PhysicalBinaryExpr>()?;
        matches!(binary.op(), Operator::And | Operator::Or).then_some(*binary.op())
    };
    let op = of(expr)?;
    let left_of = |expr: &'_ Arc<dyn PhysicalExpr>| match of(expr) {
        Some(own) if own == op => expr.downcast_ref::<PhysicalBinaryExpr>().map(|binary| Arc::clone(binary.left())),
        _ => None,
    };
    std::iter::successors(Some(Arc::clone(expr)), left_of).nth(SHORT)?;
    let (mut operands, mut waiting) = (Vec::new(), vec![Arc::clone(expr)]);
    while let Some(expr) = waiting.pop() {
        match expr.downcast_ref::<PhysicalBinaryExpr>() {
            Some(binary) if *binary.op() == op => {
                waiting.extend([Arc::clone(binary.right()), Arc::clone(binary.left())]);
            }
            _ => operands.push(expr),
        }
    }
    merged(operands, |left, right| Arc::new(PhysicalBinaryExpr::new(left, op, right)) as _)
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::{col, lit};
    use datafusion::sql::sqlparser::dialect::GenericDialect;
    use datafusion::sql::sqlparser::parser::Parser;

    use super::*;

    fn depth(expr: &Expr) -> usize {
        match expr {
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::And | Operator::Or, right }) => {
                1 + depth(left).max(depth(right))
            }
            _ => 0,
        }
    }

    #[test]
    fn chains_keep_their_operands_and_their_order() {
        let chain = (1..1_000).map(|number| col("a").eq(lit(number))).reduce(Expr::or).unwrap();
        let text = chain.to_string();
        let found = balanced(chain).unwrap();
        assert!(found.transformed);
        assert_eq!((found.data.to_string(), depth(&found.data)), (text, 10));
        assert!(!balanced(found.data).unwrap().transformed);
        let short = (1..10).map(|number| col("a").eq(lit(number))).reduce(Expr::or).unwrap();
        assert!(!balanced(short).unwrap().transformed);

        let text = (0..1_000).map(|number| format!("a = {number}")).collect::<Vec<_>>().join(" AND ");
        let mut parsed = Parser::new(&GenericDialect {}).try_with_sql(&text).unwrap().parse_expr().unwrap();
        balance_parsed(&mut parsed);
        assert_eq!(parsed.to_string(), text);
        let ast::Expr::BinaryOp { right, .. } = &parsed else { panic!("{parsed}") };
        assert!(matches!(right.as_ref(), ast::Expr::BinaryOp { .. }));
    }
}
