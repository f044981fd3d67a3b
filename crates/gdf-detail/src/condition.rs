//! The one place that chooses how a condition is evaluated.
//!
//! [`evaluate_predicate`] reads columns in their stored type and keeps no intermediate values, but only tests columns.
//! [`evaluate`] evaluates any expression.

use gdf_compute::expression::{Functions, evaluate};
use gdf_core::{Column, DataType, Error, Result, TableView};
use gdf_expr::{BinaryOperator, Graph, MAX_DEPTH, NodeId, Operation};

use crate::Ctx;
use crate::predicate::{Predicate, evaluate_predicate, of_condition, of_conditions};

/// How a condition is evaluated on its own.
pub(crate) enum Evaluator<'a> {
    /// By a predicate, in one launch.
    Predicate(Predicate<'a>),
    /// Part by part, because no launch evaluates a list of so many conditions.
    List { conditions: Vec<NodeId>, is_all: bool },
}

/// The number of conditions of a long list that are evaluated as expressions at the same time.
const GROUP: usize = 64;

impl<'a> Evaluator<'a> {
    /// Chooses the evaluator of a node. The columns of the graph are the columns of the table. Returns `None` if the node
    /// has to be evaluated as an expression, possibly together with other expressions.
    pub(crate) fn of(graph: &'a Graph, id: NodeId, table: &TableView<'a>) -> Option<Self> {
        if let Some(predicate) = of_condition(graph, id, table) {
            return Some(Evaluator::Predicate(predicate));
        }
        let (conditions, is_all) = match graph.node(id).operation {
            Operation::Binary(BinaryOperator::NullLogicalAnd) => (graph.conjuncts(id), true),
            Operation::Binary(BinaryOperator::NullLogicalOr) => (graph.disjuncts(id), false),
            _ => return None,
        };
        let are_booleans = || conditions.iter().all(|id| graph.node(*id).data_type == DataType::Boolean);
        (conditions.len() > MAX_DEPTH && are_booleans()).then_some(Evaluator::List { conditions, is_all })
    }

    /// Computes the condition for each row of the table, whose columns were checked.
    pub(crate) fn evaluate(
        &self,
        graph: &'a Graph,
        table: &TableView<'a>,
        functions: &dyn Functions,
        ctx: Ctx<'_>,
    ) -> Result<Column> {
        let (conditions, is_all) = match self {
            Evaluator::Predicate(predicate) => return evaluate_predicate(predicate, ctx),
            Evaluator::List { conditions, is_all } => (conditions, *is_all),
        };
        let scratch = ctx.scratch();
        let (predicate, others) = of_conditions(graph, conditions, is_all, table);
        let mut results = predicate.iter().map(|one| evaluate_predicate(one, scratch)).collect::<Result<Vec<_>>>()?;
        for group in others.chunks(GROUP) {
            let positions = graph.columns(group);
            let columns = TableView::try_with_rows(table.select(&positions)?.columns().to_vec(), table.num_rows())?;
            let (graph, roots) = graph.with_only_columns(group, &positions)?;
            let of_group = evaluate(&graph, &roots, &columns, functions, scratch)?;
            results.push(joined(&of_group, is_all, scratch)?);
        }
        joined(&results, is_all, ctx)
    }
}

/// Returns the conjunction or the disjunction of boolean columns.
fn joined(columns: &[Column], is_all: bool, ctx: Ctx<'_>) -> Result<Column> {
    let join = if is_all { Predicate::and } else { Predicate::or };
    let predicate = columns.iter().map(Predicate::is_true).reduce(join);
    evaluate_predicate(&predicate.ok_or_else(|| Error::internal("a list has no conditions"))?, ctx)
}

#[cfg(test)]
mod tests {
    use gdf_core::{Column, Result, Table};
    use gdf_driver::{Device, Stream};
    use gdf_expr::{Expr, all_of, any_of, col};

    use crate::Ctx;
    use crate::expression::compute_column;
    use crate::pipeline::Pipeline;

    const MANY: i32 = 100_000;

    /// Returns the truth of a condition in each row of a table, by both ways to evaluate it.
    fn truth(condition: &Expr) -> Result<Vec<Option<bool>>> {
        let stream = Stream::cpu();
        let (resource, _) = gdf_core::scope::current_resources(Device::Cpu)?;
        let ctx = Ctx::new(&stream, resource.as_ref());
        let numbers = Column::from_options(&[Some(7), None, Some(-1), Some(99_999)])?;
        let table = Table::try_new(vec![numbers, Column::from_strs(["a", "b", "c", "d"])?])?;
        let truth = compute_column(&table.view(), condition, ctx)?.to_vec::<bool>()?;
        let passing = truth.iter().filter(|row| **row == Some(true)).count();
        assert_eq!(Pipeline::new(&table).filter(condition.clone()).count(ctx)?, passing);
        Ok(truth)
    }

    #[test]
    fn many_alternatives_take_little_time_and_stack() -> Result<()> {
        let equal = || (0..MANY).map(|number| col(0).eq(number));
        let expected = [Some(true), None, Some(false), Some(true)];
        assert_eq!(truth(&any_of(equal()))?, expected);
        assert_eq!(truth(&equal().reduce(Expr::or).unwrap())?, expected);
        let different = (0..MANY).map(|number| col(0).ne(number)).reduce(Expr::and).unwrap();
        assert_eq!(truth(&different)?, [Some(false), None, Some(true), Some(false)]);
        Ok(())
    }

    #[test]
    fn many_comparisons_take_little_time_and_stack() -> Result<()> {
        let below = (0..MANY).map(|number| col(0).lt(number - MANY)).reduce(Expr::or).unwrap();
        assert_eq!(truth(&below)?, [Some(false), None, Some(false), Some(false)]);
        let above = all_of((0..MANY).map(|number| col(0).gt(number - MANY)));
        assert_eq!(truth(&above)?, [Some(true), None, Some(false), Some(true)]);
        Ok(())
    }

    #[test]
    fn long_lists_have_conditions_of_every_kind() -> Result<()> {
        // Comparisons of columns with literals, computed values, functions, and lists of these.
        let of_kind = |number: i32| match number % 4 {
            0 => col(0).gt(number * 1000),
            1 => (col(0) + number).eq(number - 1),
            2 => col(1).contains(if number == 2 { "b" } else { "x" }),
            _ => col(0).eq(number).and(col(1).eq("a")),
        };
        let any = any_of((1..600).map(of_kind));
        assert_eq!(truth(&any)?, [Some(true), Some(true), Some(true), Some(true)]);
        assert_eq!(truth(&!any.clone())?, [Some(false); 4]);
        assert_eq!(truth(&any.and(col(1).eq("a")))?, [Some(true), Some(false), Some(false), Some(false)]);
        let texts = any_of((0..300).map(|number| col(1).eq(format!("{number}").as_str())).chain([col(1).eq("c")]));
        assert_eq!(truth(&texts)?, [Some(false), Some(false), Some(true), Some(false)]);
        Ok(())
    }
}
