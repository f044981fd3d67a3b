//! Rewrites of statements, for what plans do not tell apart any more.
//!
//! [`PlanCache`](crate::PlanCache) and the command `gdf sql` apply them. A session that plans a statement itself refuses
//! what needs them and would give wrong rows.

use std::collections::HashSet;
use std::convert::Infallible;
use std::ops::ControlFlow;

use datafusion::error::{DataFusionError, Result};
use datafusion::sql::parser::{CopyToSource, CopyToStatement, Statement};
use datafusion::sql::sqlparser::ast::{
    self, BinaryOperator, Expr, Ident, Query, SelectItem, SetExpr, UnaryOperator, VisitMut, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

use super::chains::{balance_parsed, take_expr};

/// Rewrites a statement.
pub(crate) fn mended(statement: &mut Statement) -> Result<()> {
    let visited = match statement {
        Statement::Statement(of) => of.visit(&mut Rewrites),
        Statement::CopyTo(CopyToStatement { source: CopyToSource::Query(of), .. }) => of.visit(&mut Rewrites),
        Statement::Explain(of) => return mended(&mut of.statement),
        _ => ControlFlow::Continue(()),
    };
    match visited {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

struct Rewrites;

impl VisitorMut for Rewrites {
    type Break = DataFusionError;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<DataFusionError> {
        balance_parsed(expr);
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<DataFusionError> {
        if is_affected(expr) {
            *expr = bound_by_precedence(take_expr(expr));
        }
        match rows_in(expr) {
            Ok(Some(found)) => *expr = found,
            Ok(None) => {}
            Err(error) => return ControlFlow::Break(error),
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<DataFusionError> {
        name_outputs(&mut query.body);
        ControlFlow::Continue(())
    }
}

fn is_affected(expr: &Expr) -> bool {
    match expr {
        Expr::IsDistinctFrom(_, right) | Expr::IsNotDistinctFrom(_, right) => match right.as_ref() {
            Expr::Nested(inner) => is_condition(inner),
            right => is_condition(right),
        },
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => is_condition(expr),
        Expr::BinaryOp { op: BinaryOperator::And, right, .. } => {
            matches!(right.as_ref(), Expr::BinaryOp { op: BinaryOperator::Or, .. })
        }
        _ => false,
    }
}

fn is_condition(expr: &Expr) -> bool {
    matches!(expr, Expr::BinaryOp { op: BinaryOperator::And | BinaryOperator::Or, .. })
}

/// The parser takes all that follows `IS [NOT] DISTINCT FROM` as its right side. It binds as a comparison does.
///
/// Operands in parentheses are `Nested`, so an operand that binds less than its operator is one that was taken wrongly.
fn bound_by_precedence(expr: Expr) -> Expr {
    match expr {
        Expr::IsDistinctFrom(left, right) => compared(left, *right, Expr::IsDistinctFrom),
        Expr::IsNotDistinctFrom(left, right) => compared(left, *right, Expr::IsNotDistinctFrom),
        Expr::UnaryOp { op, expr } => into_leftmost(*expr, true, |expr| Expr::UnaryOp { op, expr: Box::new(expr) }),
        Expr::BinaryOp { left, op, right } => {
            into_leftmost(*right, false, |right| Expr::BinaryOp { left, op, right: Box::new(right) })
        }
        other => other,
    }
}

fn compared(left: Box<Expr>, right: Expr, with: fn(Box<Expr>, Box<Expr>) -> Expr) -> Expr {
    match right {
        // The rule of the analyzer takes a condition on the right side for one that was taken wrongly.
        Expr::Nested(_) => with(Box::new(right), left),
        right => into_leftmost(right, true, |right| with(left, Box::new(right))),
    }
}

/// Applies a function to the leftmost operand of `OR`, and of `AND` too if `through_and` is set.
fn into_leftmost(expr: Expr, through_and: bool, apply: impl FnOnce(Expr) -> Expr) -> Expr {
    match expr {
        Expr::BinaryOp { left, op, right }
            if op == BinaryOperator::Or || (through_and && op == BinaryOperator::And) =>
        {
            let left = Box::new(into_leftmost(*left, through_and, apply));
            Expr::BinaryOp { left, op, right }
        }
        other => apply(other),
    }
}

/// Writes `(a, b) IN (subquery)` with `EXISTS`: null if no row is equal, and a row may be.
fn rows_in(expr: &Expr) -> Result<Option<Expr>> {
    let Expr::InSubquery { expr, subquery, negated } = expr else { return Ok(None) };
    let Expr::Tuple(values) = expr.as_ref() else { return Ok(None) };
    let name = |at: usize| format!("__gdf_{at}");
    let names: Vec<String> = (0..values.len()).map(name).collect();
    let equal: Vec<String> = values.iter().zip(&names).map(|(value, name)| format!("({value}) = {name}")).collect();
    let equal = equal.join(" AND ");
    let rows = format!("SELECT 1 FROM ({subquery}) AS __gdf_rows ({})", names.join(", "));
    let (is_in, is_not) = if *negated { ("FALSE", "TRUE") } else { ("TRUE", "FALSE") };
    let text = format!(
        "CASE WHEN EXISTS ({rows} WHERE {equal}) THEN {is_in} \
         WHEN EXISTS ({rows} WHERE ({equal}) IS NULL) THEN NULL ELSE {is_not} END"
    );
    let found = Parser::new(&GenericDialect {}).try_with_sql(&text).and_then(|mut parser| parser.parse_expr());
    found.map(Some).map_err(|error| DataFusionError::SQL(Box::new(error), None))
}

/// Gives names to outputs that DataFusion refuses because they have the name of another one: `a`, `a_1`, `a_2`.
fn name_outputs(body: &mut SetExpr) {
    let select = match body {
        SetExpr::Select(select) => select,
        SetExpr::SetOperation { left, right, .. } => {
            name_outputs(left);
            name_outputs(right);
            return;
        }
        _ => return,
    };
    let mut seen = HashSet::new();
    let mut names: HashSet<String> = select.projection.iter().filter_map(output_name).collect();
    for item in &mut select.projection {
        let Some(name) = output_name(item) else { continue };
        if seen.insert(name.clone()) {
            continue;
        }
        let free = (1..).map(|number| format!("{name}_{number}")).find(|name| !names.contains(name));
        let Some(free) = free else { continue };
        names.insert(free.clone());
        let alias = Ident::with_quote('"', free);
        match item {
            SelectItem::UnnamedExpr(expr) => {
                *item = SelectItem::ExprWithAlias { expr: take_expr(expr), alias };
            }
            SelectItem::ExprWithAlias { alias: old, .. } => *old = alias,
            _ => {}
        }
    }
}

fn output_name(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::UnnamedExpr(expr) => Some(expr_name(expr)),
        SelectItem::ExprWithAlias { alias, .. } => Some(ident_name(alias)),
        _ => None,
    }
}

fn ident_name(ident: &Ident) -> String {
    if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_lowercase() }
}

/// Casts do not change the names of outputs, and the text of a subquery is not part of them.
fn expr_name(expr: &Expr) -> String {
    match expr {
        Expr::Cast { expr, .. } | Expr::Nested(expr) => expr_name(expr),
        Expr::Identifier(ident) => ident_name(ident),
        other => {
            let mut named = Named { text: other.to_string(), depth: 0 };
            let ControlFlow::Continue(()) = ast::Visit::visit(other, &mut named);
            named.text
        }
    }
}

/// The text of an expression, in which the name of each subquery takes the place of its text.
struct Named {
    text: String,
    /// The number of subqueries around the visited expression.
    depth: usize,
}

impl ast::Visitor for Named {
    type Break = Infallible;

    fn pre_visit_query(&mut self, _query: &Query) -> ControlFlow<Infallible> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _query: &Query) -> ControlFlow<Infallible> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Infallible> {
        if self.depth == 0
            && let Some(name) = subquery_name(expr)
        {
            self.text = self.text.replace(&expr.to_string(), &name);
        }
        ControlFlow::Continue(())
    }
}

/// Returns the name that DataFusion gives an expression with a subquery. A scalar subquery has the name of its output.
fn subquery_name(expr: &Expr) -> Option<String> {
    let of_condition = |negated: bool, name: &str| Some(if negated { format!("NOT {name}") } else { name.to_owned() });
    match expr {
        Expr::Subquery(query) => first_output(&query.body),
        Expr::Exists { negated, .. } => of_condition(*negated, "EXISTS"),
        Expr::InSubquery { negated, .. } => of_condition(*negated, "IN"),
        Expr::AnyOp { left, compare_op, right, .. } if matches!(**right, Expr::Subquery(_)) => {
            Some(format!("{left} {compare_op} ANY"))
        }
        Expr::AllOp { left, compare_op, right } if matches!(**right, Expr::Subquery(_)) => {
            Some(format!("{left} {compare_op} ALL"))
        }
        _ => None,
    }
}

fn first_output(body: &SetExpr) -> Option<String> {
    match body {
        SetExpr::Select(select) => match select.projection.first()? {
            SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last().map(ident_name),
            item => output_name(item),
        },
        SetExpr::Query(query) => first_output(&query.body),
        SetExpr::SetOperation { left, .. } => first_output(left),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use datafusion::sql::parser::DFParser;

    use super::*;

    fn mended_text(text: &str) -> String {
        let mut statement = DFParser::parse_sql(text).unwrap().remove(0).unwrap();
        mended(&mut statement).unwrap();
        statement.to_string()
    }

    #[test]
    fn distinct_from_binds_as_a_comparison() {
        for (text, expected) in [
            ("a IS DISTINCT FROM b AND c", "(a IS DISTINCT FROM b) AND (c)"),
            ("x AND a IS DISTINCT FROM b OR c", "((x) AND (a IS DISTINCT FROM b)) OR (c)"),
            ("NOT a IS NOT DISTINCT FROM b AND c OR d", "((NOT (a IS NOT DISTINCT FROM b)) AND (c)) OR (d)"),
            ("x OR a IS DISTINCT FROM b AND c", "(x) OR ((a IS DISTINCT FROM b) AND (c))"),
            (
                "a IS DISTINCT FROM b AND c IS DISTINCT FROM d OR e",
                "((a IS DISTINCT FROM b) AND (c IS DISTINCT FROM d)) OR (e)",
            ),
            ("x AND (a OR b)", "(x) AND ((a) OR (b))"),
            ("NOT (a AND b)", "NOT ((a) AND (b))"),
        ] {
            // Both are compared as fully parenthesized text.
            let mut found = Parser::new(&GenericDialect {}).try_with_sql(text).unwrap().parse_expr().unwrap();
            assert!(found.visit(&mut Rewrites).is_continue());
            let expected = Parser::new(&GenericDialect {}).try_with_sql(expected).unwrap().parse_expr().unwrap();
            assert_eq!(spelled(&found), spelled(&expected), "{text}");
        }
    }

    fn spelled(expr: &Expr) -> String {
        match expr {
            Expr::Nested(inner) => spelled(inner),
            Expr::BinaryOp { left, op, right } => format!("({} {op} {})", spelled(left), spelled(right)),
            Expr::UnaryOp { op, expr } => format!("({op} {})", spelled(expr)),
            Expr::IsDistinctFrom(left, right) => format!("({} <!> {})", spelled(left), spelled(right)),
            Expr::IsNotDistinctFrom(left, right) => format!("({} == {})", spelled(left), spelled(right)),
            other => other.to_string(),
        }
    }

    #[test]
    fn a_condition_on_the_right_moves_to_the_left() {
        assert_eq!(mended_text("SELECT a IS DISTINCT FROM (b AND c)"), "SELECT (b AND c) IS DISTINCT FROM a");
    }

    #[test]
    fn equal_outputs_get_names() {
        assert_eq!(
            mended_text("SELECT a, a, x::INT, x, count(*), count(*), a AS b, c AS b, a_1 FROM t"),
            "SELECT a, a AS \"a_2\", x::INT, x AS \"x_1\", count(*), count(*) AS \"count(*)_1\", a AS b, c AS \"b_1\", \
             a_1 FROM t"
        );
    }

    #[test]
    fn outputs_with_subqueries_are_equal_by_the_names_of_datafusion() {
        for (text, expected) in [
            (
                "SELECT (SELECT count(*) FROM t WHERE t.a < u.a), (SELECT count(*) FROM t), count(*) FROM u",
                "SELECT (SELECT count(*) FROM t WHERE t.a < u.a), (SELECT count(*) FROM t) AS \"count(*)_1\", \
                 count(*) AS \"count(*)_2\" FROM u",
            ),
            (
                "SELECT k, (SELECT t.K FROM t), (SELECT max(a) AS k FROM t UNION SELECT 1) FROM u",
                "SELECT k, (SELECT t.K FROM t) AS \"k_1\", (SELECT max(a) AS k FROM t UNION SELECT 1) AS \"k_2\" \
                 FROM u",
            ),
            (
                "SELECT 1 + (SELECT (SELECT a FROM t)), 1 + (SELECT a FROM u), 2 + (SELECT a FROM u)",
                "SELECT 1 + (SELECT (SELECT a FROM t)), 1 + (SELECT a FROM u) AS \"1 + a_1\", 2 + (SELECT a FROM u)",
            ),
            (
                "SELECT EXISTS (SELECT 1), EXISTS (SELECT 2), NOT EXISTS (SELECT 1), a IN (SELECT 1), b IN (SELECT 2)",
                "SELECT EXISTS (SELECT 1), EXISTS (SELECT 2) AS \"EXISTS_1\", NOT EXISTS (SELECT 1), a IN (SELECT 1), \
                 b IN (SELECT 2) AS \"IN_1\"",
            ),
        ] {
            assert_eq!(mended_text(text), expected, "{text}");
        }
    }
}
