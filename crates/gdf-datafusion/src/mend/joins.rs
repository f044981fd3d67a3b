//! Joins in which null equals null, filters that change the side of a join, keys of different types, and `USING`.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Column, JoinConstraint, NullEquality, not_impl_err};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, Join, JoinType, LogicalPlan, Projection};
use datafusion::optimizer::extract_equijoin_predicate::ExtractEquijoinPredicate;
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;

use super::Rules;
use super::comparisons::with_common_type;
use super::pushed::may_grow;

/// Replaces the rules that forget whether null equals null in a join.
pub(super) fn add_to(rules: &mut Rules) {
    for rule in rules {
        match rule.name() {
            "eliminate_cross_join" => *rule = Arc::new(CrossJoins(Arc::clone(rule))),
            "extract_equijoin_predicate" => *rule = Arc::new(JoinKeys),
            _ => {}
        }
    }
}

fn equates_nulls(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::Join(of)
        if of.null_equality == NullEquality::NullEqualsNull && of.join_type == JoinType::Inner)
}

/// `eliminate_cross_join` merges neighboring inner joins, and gives all keys the null equality of one of them. Here a
/// projection separates the joins in which null equals null from the others.
#[derive(Debug)]
struct CrossJoins(Arc<dyn OptimizerRule + Send + Sync>);

impl OptimizerRule for CrossJoins {
    fn name(&self) -> &str {
        "gdf_eliminate_cross_join"
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let mut is_mixed = false;
        plan.apply_with_subqueries(|plan| {
            is_mixed |= equates_nulls(plan);
            Ok(if is_mixed { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        })?;
        if !is_mixed {
            return self.0.rewrite(plan, config);
        }
        let separate = plan.transform_up_with_subqueries(|plan| match plan {
            LogicalPlan::Join(join) if equates_nulls(&LogicalPlan::Join(join.clone())) => {
                let (left, right) = (separated(join.left)?, separated(join.right)?);
                let join = LogicalPlan::Join(Join { left, right, ..join });
                Ok(Transformed::yes(Arc::unwrap_or_clone(all_columns(Arc::new(join))?)))
            }
            plan => Ok(Transformed::no(plan)),
        })?;
        Ok(self.0.rewrite(separate.data, config)?.update_transformed(true))
    }
}

trait UpdateTransformed {
    fn update_transformed(self, transformed: bool) -> Self;
}

impl<T> UpdateTransformed for Transformed<T> {
    fn update_transformed(mut self, transformed: bool) -> Self {
        self.transformed = transformed;
        self
    }
}

fn separated(input: Arc<LogicalPlan>) -> Result<Arc<LogicalPlan>> {
    match input.as_ref() {
        LogicalPlan::Join(join) if join.join_type == JoinType::Inner => all_columns(input),
        _ => Ok(input),
    }
}

fn all_columns(input: Arc<LogicalPlan>) -> Result<Arc<LogicalPlan>> {
    let columns = input.schema().columns().into_iter().map(Expr::Column).collect();
    Ok(Arc::new(LogicalPlan::Projection(Projection::try_new(columns, input)?)))
}

/// `extract_equijoin_predicate` adds the equalities of a filter to keys for which null equals null.
#[derive(Debug)]
struct JoinKeys;

impl OptimizerRule for JoinKeys {
    fn name(&self) -> &str {
        "gdf_extract_equijoin_predicate"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        match &plan {
            LogicalPlan::Join(of) if of.null_equality == NullEquality::NullEqualsNull && !of.on.is_empty() => {
                Ok(Transformed::no(plan))
            }
            _ => ExtractEquijoinPredicate::new().rewrite(plan, config),
        }
    }
}

/// Casts the keys of a join to types in which they can be compared.
pub(super) fn with_equal_types(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Join(mut join) = plan else { return Ok(Transformed::no(plan)) };
    let schema = join.left.schema().join(join.right.schema());
    let Ok(schema) = schema else { return Ok(Transformed::no(LogicalPlan::Join(join))) };
    let mut is_changed = false;
    for (left, right) in &mut join.on {
        let (mut keys, found) = with_common_type(vec![std::mem::take(left), std::mem::take(right)], &schema);
        *right = keys.pop().unwrap_or_default();
        *left = keys.pop().unwrap_or_default();
        is_changed |= found;
    }
    let plan = LogicalPlan::Join(join);
    Ok(if is_changed { Transformed::yes(plan) } else { Transformed::no(plan) })
}

/// A rule of the physical optimizer that moves filters only through projections whose columns have different names, and
/// only in plans where no filter grows too much. `FilterPushdown` finds the columns of a projection by name, and a
/// filter on a key changes the side of its join.
#[derive(Debug)]
struct MovedFilters(PhysicalRule);

type PhysicalRule = Arc<dyn PhysicalOptimizerRule + Send + Sync>;

/// Returns the rules, of which those that move filters are [`MovedFilters`].
pub(crate) fn with_moved_filters(rules: &[PhysicalRule]) -> Vec<PhysicalRule> {
    let moved = |rule: &PhysicalRule| match rule.name().starts_with("FilterPushdown") {
        true => Arc::new(MovedFilters(Arc::clone(rule))) as PhysicalRule,
        false => Arc::clone(rule),
    };
    rules.iter().map(moved).collect()
}

impl PhysicalOptimizerRule for MovedFilters {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        // `FilterPushdown(Post)` moves filters that nodes make at run time.
        let is_dynamic = self.0.name() != "FilterPushdown";
        if has_equal_names(&plan) || may_grow(&plan, is_dynamic)? { Ok(plan) } else { self.0.optimize(plan, config) }
    }

    fn name(&self) -> &str {
        "gdf_filter_pushdown"
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }
}

fn has_equal_names(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let schema = plan.schema();
    let mut names = HashSet::new();
    let is_ambiguous = plan.is::<ProjectionExec>() && !schema.fields().iter().all(|field| names.insert(field.name()));
    is_ambiguous || plan.children().into_iter().any(has_equal_names)
}

/// Refuses columns of `USING` whose value DataFusion takes from the wrong side of an outer join.
///
/// `i` is the left column in each kind of join, and `*` has the column of the table whose name is first in the alphabet.
pub(super) fn check_using(plan: &LogicalPlan) -> Result<()> {
    plan.apply_with_subqueries(|plan| {
        check_outputs(plan)?;
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

/// A column of `USING` whose rows without a partner are null.
struct Padded {
    column: Column,
    other: Column,
    kind: JoinType,
}

fn padded(plan: &LogicalPlan, found: &mut Vec<Padded>) {
    match plan {
        LogicalPlan::Join(join) => {
            if join.join_constraint == JoinConstraint::Using {
                let kind = join.join_type;
                for (left, right) in &join.on {
                    let (Some(left), Some(right)) = (left.get_as_join_column(), right.get_as_join_column()) else {
                        continue;
                    };
                    let mut push = |column: &Column, other: &Column| {
                        found.push(Padded { column: column.clone(), other: other.clone(), kind });
                    };
                    match kind {
                        JoinType::Left => push(right, left),
                        JoinType::Right => push(left, right),
                        JoinType::Full => {
                            push(left, right);
                            push(right, left);
                        }
                        _ => {}
                    }
                }
            }
            padded(&join.left, found);
            padded(&join.right, found);
        }
        LogicalPlan::Filter(of) => padded(&of.input, found),
        LogicalPlan::Sort(of) => padded(&of.input, found),
        LogicalPlan::Limit(of) => padded(&of.input, found),
        LogicalPlan::Window(of) => padded(&of.input, found),
        _ => {}
    }
}

fn check_outputs(plan: &LogicalPlan) -> Result<()> {
    let inputs = plan.inputs();
    let [input] = inputs.as_slice() else { return Ok(()) };
    let mut columns = Vec::new();
    padded(input, &mut columns);
    let is_node_above = !matches!(plan, LogicalPlan::SubqueryAlias(_) | LogicalPlan::Subquery(_));
    if columns.is_empty() || !is_node_above {
        return Ok(());
    }
    for Padded { column, other, kind } in columns {
        let mut is_read = false;
        plan.apply_expressions(|expr| {
            is_read |= expr.column_refs().contains(&column);
            Ok(TreeNodeRecursion::Continue)
        })?;
        // A left join is right but for `*`, which leaves out the other column alone.
        let is_wrong = match kind {
            JoinType::Left => is_read && is_star_without(plan, input, &other),
            _ => is_read,
        };
        if is_wrong {
            return not_impl_err!(
                "column `{}` of USING in a {kind} join: DataFusion returns `{column}`, which is null where the row has \
                 no partner; write ON {column} = {other}, and coalesce({column}, {other})",
                column.name
            );
        }
    }
    Ok(())
}

/// Returns whether a projection has all columns of its input, in their order, but for one and for those of other keys.
fn is_star_without(plan: &LogicalPlan, input: &LogicalPlan, left_out: &Column) -> bool {
    let LogicalPlan::Projection(projection) = plan else { return false };
    let outputs: Option<Vec<&Column>> = projection.expr.iter().map(Expr::try_as_col).collect();
    let Some(outputs) = outputs else { return false };
    let columns = input.schema().columns();
    let missing: Vec<&Column> = columns.iter().filter(|column| !outputs.contains(column)).collect();
    let kept = columns.iter().filter(|column| outputs.contains(column));
    kept.eq(outputs.iter().copied())
        && missing.contains(&left_out)
        && missing.iter().all(|column| columns.iter().filter(|other| other.name == column.name).count() > 1)
}
