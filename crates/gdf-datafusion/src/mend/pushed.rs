//! Filters that grow as they move.
//!
//! DataFusion moves a filter below a projection by writing the expressions of the projection into it. Where each of many
//! projections uses a column twice, the filter doubles each time, and 40 of them are more than any memory holds. Three
//! rules do so: `push_down_filter`, also below groups; `eliminate_outer_join`, which looks for a join below
//! projections; and `FilterPushdown` of the physical optimizer.

use std::sync::Arc;

use datafusion::common::DFSchema;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, Filter, LogicalPlan};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;

use super::Rules;

/// The largest number of expressions by which a filter grows.
const MOST: usize = 1_000;

/// Replaces the rules that write the expressions of projections into filters.
pub(super) fn add_to(rules: &mut Rules) {
    for rule in rules {
        let (name, is_deep) = match rule.name() {
            "push_down_filter" => ("gdf_push_down_filter", false),
            "eliminate_outer_join" => ("gdf_eliminate_outer_join", true),
            _ => continue,
        };
        *rule = Arc::new(BoundedFilters { rule: Arc::clone(rule), name, is_deep });
    }
}

/// A rule that leaves filters as they are that it would let grow too much.
#[derive(Debug)]
struct BoundedFilters {
    rule: Arc<dyn OptimizerRule + Send + Sync>,
    name: &'static str,
    /// Whether the rule writes the expressions of all neighboring projections into a filter at once.
    is_deep: bool,
}

impl OptimizerRule for BoundedFilters {
    fn name(&self) -> &str {
        self.name
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.rule.apply_order()
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        if let LogicalPlan::Filter(filter) = &plan
            && growth(filter, self.is_deep)? > MOST
        {
            return Ok(Transformed::no(plan));
        }
        self.rule.rewrite(plan, config)
    }
}

/// Returns the number of expressions that a filter gets if it moves below the next node that is no filter. Neighboring
/// filters move together.
fn growth(filter: &Filter, is_deep: bool) -> Result<usize> {
    let (mut predicates, mut input) = (vec![&filter.predicate], filter.input.as_ref());
    while let LogicalPlan::Filter(next) = input {
        predicates.push(&next.predicate);
        input = next.input.as_ref();
    }
    let sizes = sizes(input, is_deep)?;
    let mut growth = 0_usize;
    for predicate in predicates {
        growth = growth.saturating_add(added(predicate, input.schema(), &sizes)?);
    }
    Ok(growth)
}

/// Returns the numbers of expressions that the first columns of a node become below it. The other columns do not move.
fn sizes(plan: &LogicalPlan, is_deep: bool) -> Result<Vec<usize>> {
    let (outputs, input) = match plan {
        LogicalPlan::Projection(of) => (&of.expr, &of.input),
        LogicalPlan::Aggregate(of) if !is_deep => (&of.group_expr, &of.input),
        _ => return Ok(Vec::new()),
    };
    let below = if is_deep { sizes(input, is_deep)? } else { Vec::new() };
    let whole = |output: &Expr| Ok(size(output)?.saturating_add(added(output, input.schema(), &below)?));
    outputs.iter().map(whole).collect()
}

/// Returns the number of expressions that an expression gets if its columns become as many expressions as `sizes` has.
fn added(expr: &Expr, schema: &DFSchema, sizes: &[usize]) -> Result<usize> {
    let mut added = 0_usize;
    if sizes.is_empty() {
        return Ok(added);
    }
    expr.apply(|part| {
        if let Expr::Column(column) = part
            && let Some(size) = schema.maybe_index_of_column(column).and_then(|at| sizes.get(at))
        {
            added = added.saturating_add(size - 1);
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(added)
}

fn size(expr: &Expr) -> Result<usize> {
    let mut size = 0;
    expr.apply(|_| {
        size += 1;
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(size)
}

/// Returns whether a filter of a physical plan would grow too much if it moved below all projections. With
/// `is_dynamic`, the filters that joins, sorts and aggregates make of their expressions at run time count, too.
pub(super) fn may_grow(plan: &Arc<dyn ExecutionPlan>, is_dynamic: bool) -> Result<bool> {
    let mut growth = 0;
    physical_sizes(plan, is_dynamic, &mut growth)?;
    Ok(growth > MOST)
}

/// Returns the numbers of expressions that the columns of a node become below all projections. Sets `growth` to the
/// largest number of expressions that a filter in or below the node gets there.
fn physical_sizes(node: &Arc<dyn ExecutionPlan>, is_dynamic: bool, growth: &mut usize) -> Result<Vec<usize>> {
    let children = node.children();
    let mut below = Vec::with_capacity(children.len());
    for child in &children {
        below.push(physical_sizes(child, is_dynamic, growth)?);
    }
    if let Some(projection) = node.downcast_ref::<ProjectionExec>() {
        return projection.expr().iter().map(|output| Ok(written(&output.expr, &below)?.1)).collect();
    }
    if is_dynamic || node.is::<FilterExec>() {
        node.apply_expressions(&mut |expr| {
            let (own, whole) = written(expr, &below)?;
            *growth = (*growth).max(whole.saturating_sub(own));
            Ok(TreeNodeRecursion::Continue)
        })?;
    }
    // A node with other columns than its input may have them in any order.
    let is_same = matches!(children.as_slice(), [child] if child.schema() == node.schema());
    Ok(match below.pop() {
        Some(sizes) if is_same => sizes,
        last => {
            let largest = below.into_iter().chain(last).flatten().max().unwrap_or(1);
            vec![largest; node.schema().fields().len()]
        }
    })
}

/// Returns the number of expressions of an expression, and the number that it has if its columns are written out.
/// `below` has the numbers of the columns of each child.
fn written(expr: &Arc<dyn PhysicalExpr>, below: &[Vec<usize>]) -> Result<(usize, usize)> {
    let size_of = |column: &Column| below.iter().filter_map(|sizes| sizes.get(column.index())).copied().max();
    let (mut own, mut whole) = (0_usize, 0_usize);
    expr.apply(|part| {
        own += 1;
        whole = whole.saturating_add(part.downcast_ref::<Column>().and_then(size_of).unwrap_or(1));
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok((own, whole))
}
