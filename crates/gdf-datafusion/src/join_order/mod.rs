//! A rule of the logical optimizer that chooses the order of inner joins.
//!
//! The rule collects the inner joins that are directly above each other. It estimates the numbers of rows of the joined
//! relations, and the shares of rows that meet the conditions, from the statistics of the tables. Then it builds the
//! tree whose joins return the fewest rows in total. The order of the query stays if a table has no statistics, or if
//! the best order is not clearly better.

mod estimate;
mod pairs;

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, JoinConstraint, JoinType, NullEquality};
use datafusion::error::Result;
use datafusion::logical_expr::utils::{can_hash, conjunction, split_conjunction_owned};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Join, LogicalPlan, LogicalPlanBuilder, Operator};
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use self::pairs::{Graph, MAX_RELATIONS, Set, Tree};

/// A new order is used if its cost is below this share of the cost of the query's order.
const WORTHWHILE: f64 = 0.9;

/// A rule that orders inner joins by the estimated numbers of rows.
#[derive(Debug, Default)]
pub(crate) struct JoinOrder;

impl JoinOrder {
    pub(crate) const NAME: &str = "gdf_join_order";

    /// Adds the rule to the rules of an optimizer: after filters have moved to their tables, and before projections are
    /// added between the joins.
    pub(crate) fn add_to(rules: &mut Vec<Arc<dyn OptimizerRule + Send + Sync>>) {
        if rules.iter().any(|rule| rule.name() == JoinOrder::NAME) {
            return;
        }
        let after = rules.iter().rposition(|rule| rule.name() == "push_down_filter");
        rules.insert(after.map_or(rules.len(), |after| after + 1), Arc::new(JoinOrder));
    }
}

impl OptimizerRule for JoinOrder {
    fn name(&self) -> &str {
        JoinOrder::NAME
    }

    fn rewrite(&self, plan: LogicalPlan, _config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        ordered(plan)
    }
}

fn ordered(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    if !is_inner(&plan) {
        let plan = plan.map_children(ordered)?;
        return plan.transform_data(|plan| plan.map_subqueries(ordered));
    }
    let mut joins = Joins::default();
    let written = joins.collect(&plan);
    let mut is_changed = false;
    for relation in &mut joins.relations {
        let found = ordered(std::mem::take(relation))?;
        is_changed |= found.transformed;
        *relation = found.data;
    }
    let best = written.as_ref().and_then(|written| joins.best(written));
    match best.or_else(|| is_changed.then_some(written).flatten()) {
        Some(tree) => joins.built(&tree, plan.schema()).map(Transformed::yes),
        None => Ok(Transformed::no(plan)),
    }
}

fn is_inner(plan: &LogicalPlan) -> bool {
    matches!(
        plan,
        LogicalPlan::Join(join)
            if join.join_type == JoinType::Inner && join.null_equality == NullEquality::NullEqualsNothing
    )
}

/// Inner joins that are directly above each other.
#[derive(Debug, Default)]
struct Joins {
    relations: Vec<LogicalPlan>,
    conditions: Vec<Condition>,
}

#[derive(Debug)]
enum Condition {
    /// An equality of two expressions. Each has the set of the relations that it reads.
    Equal([(Expr, Set); 2]),
    Other(Expr, Set),
}

impl Condition {
    fn set(&self) -> Set {
        match self {
            Condition::Equal([(_, one), (_, other)]) => one | other,
            Condition::Other(_, set) => *set,
        }
    }
}

impl Joins {
    /// Collects the relations and conditions. Returns the join tree of the query, or `None` if the order of its joins
    /// must stay.
    fn collect(&mut self, plan: &LogicalPlan) -> Option<Tree> {
        let mut conditions = Vec::new();
        let tree = self.tree(plan, &mut conditions);
        if self.relations.len() > MAX_RELATIONS {
            return None;
        }
        for (one, other) in conditions {
            let condition = match other {
                Some(other) => {
                    let sets = [self.reads(&one)?, self.reads(&other)?];
                    match sets {
                        [left, right] if left != 0 && right != 0 && left & right == 0 => {
                            Condition::Equal([(one, left), (other, right)])
                        }
                        [left, right] => Condition::Other(one.eq(other), left | right),
                    }
                }
                None => {
                    let set = self.reads(&one)?;
                    Condition::Other(one, set)
                }
            };
            // An earlier rule has moved each condition of a single relation to that relation. A condition that is still
            // here must not be moved.
            if condition.set().count_ones() < 2 {
                return None;
            }
            self.conditions.push(condition);
        }
        Some(tree)
    }

    fn tree(&mut self, plan: &LogicalPlan, conditions: &mut Vec<(Expr, Option<Expr>)>) -> Tree {
        let LogicalPlan::Join(join) = plan else { return self.relation(plan) };
        if !is_inner(plan) {
            return self.relation(plan);
        }
        let sides = [&join.left, &join.right].map(|side| self.tree(side, conditions));
        conditions.extend(join.on.iter().map(|(one, other)| (one.clone(), Some(other.clone()))));
        let filters = join.filter.clone().map(split_conjunction_owned).unwrap_or_default();
        // An equality that an earlier rule has moved from a filter into the join is not yet a key.
        conditions.extend(filters.into_iter().map(|filter| match filter {
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) if is_key(&left, plan) => {
                (*left, Some(*right))
            }
            other => (other, None),
        }));
        Tree::Join(Box::new(sides))
    }

    fn relation(&mut self, plan: &LogicalPlan) -> Tree {
        self.relations.push(plan.clone());
        Tree::Relation(self.relations.len() - 1)
    }

    /// Returns the relations that an expression reads, or `None` if they are not clear or the expression must not move.
    fn reads(&self, expr: &Expr) -> Option<Set> {
        if expr.is_volatile() || expr.contains_outer() || has_subquery(expr) {
            return None;
        }
        let of_column = |column: &Column| {
            let mut holders = (0..self.relations.len()).filter(|at| self.relations[*at].schema().has_column(column));
            let holder = holders.next()?;
            holders.next().is_none().then_some(1 << holder)
        };
        expr.column_refs().into_iter().try_fold(0, |set, column| Some(set | of_column(column)?))
    }

    /// Returns the best order, if it is clearly better than the order of the query.
    fn best(&self, written: &Tree) -> Option<Tree> {
        if self.relations.len() < 3 {
            return None;
        }
        let sizes = self.relations.iter().map(estimate::rows).collect::<Option<Vec<f64>>>()?;
        let shares: Vec<(Set, f64)> =
            self.conditions.iter().map(|condition| (condition.set(), self.share(condition, &sizes))).collect();
        let mut known = HashMap::new();
        let mut rows = |set: Set| {
            *known.entry(set).or_insert_with(|| {
                let all = (0..sizes.len()).filter(|at| set >> at & 1 == 1).map(|at| sizes[at]).product::<f64>();
                let inside = shares.iter().filter(|(reads, _)| reads & !set == 0).map(|(_, share)| share);
                (all * inside.product::<f64>()).max(1.0)
            })
        };
        let edges = self.conditions.iter().filter_map(|condition| match condition {
            Condition::Equal([(_, one), (_, other)]) if one.count_ones() == 1 && other.count_ones() == 1 => {
                Some((one.trailing_zeros() as usize, other.trailing_zeros() as usize))
            }
            _ => None,
        });
        let best = Graph::new(sizes.len(), edges).cheapest(&mut rows);
        (best.cost(&mut rows) < WORTHWHILE * written.cost(&mut rows)).then_some(best)
    }

    /// Returns the share of the pairs of rows for which a condition is true.
    fn share(&self, condition: &Condition, sizes: &[f64]) -> f64 {
        match condition {
            Condition::Equal(sides) => {
                let values = sides.each_ref().map(|(expr, set)| match set.count_ones() {
                    1 => estimate::distinct(expr, &self.relations[set.trailing_zeros() as usize]),
                    _ => (0..sizes.len()).filter(|at| set >> at & 1 == 1).map(|at| sizes[at]).fold(1.0, f64::max),
                });
                1.0 / values[0].max(values[1])
            }
            // The statistics give no estimate for a condition that is not an equality of different relations. This
            // share is assumed.
            Condition::Other(..) => 1.0 / 3.0,
        }
    }

    /// Builds the joins of a tree, with the columns of `schema`.
    fn built(&self, tree: &Tree, schema: &DFSchema) -> Result<LogicalPlan> {
        let plan = self.joined(tree)?;
        if plan.schema().iter().eq(schema.iter()) {
            return Ok(plan);
        }
        let columns = schema.iter().map(|field| Expr::Column(Column::from(field)));
        LogicalPlanBuilder::from(plan).project(columns.collect::<Vec<_>>())?.build()
    }

    fn joined(&self, tree: &Tree) -> Result<LogicalPlan> {
        let sides = match tree {
            Tree::Relation(at) => return Ok(self.relations[*at].clone()),
            Tree::Join(sides) => sides,
        };
        let [left, right] = [sides[0].set(), sides[1].set()];
        let (mut on, mut filters) = (Vec::new(), Vec::new());
        for condition in &self.conditions {
            let set = condition.set();
            if set & !(left | right) != 0 || set & !left == 0 || set & !right == 0 {
                continue;
            }
            match condition {
                Condition::Equal([(one, of_one), (other, of_other)]) => {
                    if of_one & !left == 0 && of_other & !right == 0 {
                        on.push((one.clone(), other.clone()));
                    } else if of_one & !right == 0 && of_other & !left == 0 {
                        on.push((other.clone(), one.clone()));
                    } else {
                        filters.push(one.clone().eq(other.clone()));
                    }
                }
                Condition::Other(expr, _) => filters.push(expr.clone()),
            }
        }
        let [left, right] = [self.joined(&sides[0])?, self.joined(&sides[1])?].map(Arc::new);
        let (filter, nulls) = (conjunction(filters), NullEquality::NullEqualsNothing);
        let join = Join::try_new(left, right, on, filter, JoinType::Inner, JoinConstraint::On, nulls, false)?;
        Ok(LogicalPlan::Join(join))
    }
}

/// Returns whether an expression can be a key of joins.
fn is_key(expr: &Expr, plan: &LogicalPlan) -> bool {
    expr.get_type(plan.schema()).is_ok_and(|data_type| can_hash(&data_type))
}

fn has_subquery(expr: &Expr) -> bool {
    let is_subquery = |part: &Expr| {
        matches!(part, Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_) | Expr::SetComparison(_))
    };
    expr.exists(|part| Ok(is_subquery(part))).unwrap_or(true)
}
