//! Correlated aggregates whose condition is not an equality, in scalar subqueries and in `LATERAL`.
//!
//! DataFusion groups a correlated aggregate by the inner sides of its equalities, and refuses other conditions. Here the
//! distinct values of the outer columns are joined into the subquery, below its condition, and become keys of its groups.
//! The result has the rows of the subquery for each of these values, and is joined with the outer rows.

use std::sync::Arc;

use arrow_schema::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, ExprSchema, NullEquality, TableReference};
use datafusion::error::Result;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Distinct, Expr, JoinType, LogicalPlan, LogicalPlanBuilder, Operator, Subquery, lit,
};

use super::super::one_row;

/// Replaces scalar subqueries of a projection or of a filter, and lateral subqueries of a join.
pub(in crate::mend) fn mended(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Projection(of) => {
            let (mut input, mut found) = (Arc::clone(&of.input), false);
            let exprs = of.expr.iter().map(|expr| {
                let name = expr.schema_name().to_string();
                let expr = without_subqueries(expr.clone(), &mut input)?;
                found |= expr.transformed;
                // The name of a column stays. Another expression gets the name that it had with the subquery.
                Ok(if expr.transformed { expr.data.unalias().alias(name) } else { expr.data })
            });
            let exprs = exprs.collect::<Result<Vec<Expr>>>()?;
            if !found {
                return Ok(Transformed::no(LogicalPlan::Projection(of)));
            }
            Ok(Transformed::yes(LogicalPlanBuilder::from(input).project(exprs)?.build()?))
        }
        LogicalPlan::Filter(of) => {
            let mut input = Arc::clone(&of.input);
            let predicate = without_subqueries(of.predicate.clone(), &mut input)?;
            if !predicate.transformed {
                return Ok(Transformed::no(LogicalPlan::Filter(of)));
            }
            let columns = of.input.schema().columns().into_iter().map(Expr::Column);
            let plan = LogicalPlanBuilder::from(input).filter(predicate.data)?.project(columns)?.build()?;
            Ok(Transformed::yes(plan))
        }
        LogicalPlan::Join(join) if matches!(join.join_type, JoinType::Inner | JoinType::Left) && join.on.is_empty() => {
            let (subquery, alias) = match join.right.as_ref() {
                LogicalPlan::Subquery(of) => (of, None),
                LogicalPlan::SubqueryAlias(alias) => match alias.input.as_ref() {
                    LogicalPlan::Subquery(of) => (of, Some(alias.alias.clone())),
                    _ => return Ok(Transformed::no(LogicalPlan::Join(join))),
                },
                _ => return Ok(Transformed::no(LogicalPlan::Join(join))),
            };
            let Some((right, keys, columns)) = of_outer(subquery, &join.left, "__gdf_lateral_keys")? else {
                return Ok(Transformed::no(LogicalPlan::Join(join)));
            };
            let right = LogicalPlanBuilder::from(right);
            let (right, keys) = match alias {
                Some(alias) => {
                    let renamed = keys.into_iter().map(|key| Column::new(Some(alias.clone()), key.name)).collect();
                    (right.alias(alias)?, renamed)
                }
                None => (right, keys),
            };
            let joined = LogicalPlanBuilder::from(Arc::clone(&join.left)).join_detailed(
                right.build()?,
                join.join_type,
                (columns, keys),
                join.filter.clone(),
                NullEquality::NullEqualsNull,
            )?;
            let outputs = join.schema.columns().into_iter().map(Expr::Column);
            Ok(Transformed::yes(joined.project(outputs)?.build()?))
        }
        plan => Ok(Transformed::no(plan)),
    }
}

/// Replaces the scalar subqueries of an expression by columns, and joins their values to `input`.
fn without_subqueries(expr: Expr, input: &mut Arc<LogicalPlan>) -> Result<Transformed<Expr>> {
    expr.transform_down(|expr| {
        let Expr::ScalarSubquery(subquery) = &expr else { return Ok(Transformed::no(expr)) };
        // Only an aggregate without groups has one row for each outer row.
        if one_row::aggregate(&subquery.subquery).is_none() {
            return Ok(Transformed::no(expr));
        }
        let number = (0..).find(|number| {
            let name = TableReference::bare(format!("__gdf_scalar_{number}"));
            !input.schema().columns().iter().any(|column| column.relation.as_ref() == Some(&name))
        });
        let alias = format!("__gdf_scalar_{}", number.unwrap_or_default());
        let Some((values, keys, columns)) = of_outer(subquery, input, &format!("{alias}_keys"))? else {
            return Ok(Transformed::no(expr));
        };
        let value = Column::from(values.schema().qualified_field(0));
        let outputs = keys.into_iter().enumerate().map(|(at, key)| Expr::Column(key).alias(key_name(at)));
        let outputs = std::iter::once(Expr::Column(value).alias("value")).chain(outputs);
        let values = LogicalPlanBuilder::from(values).project(outputs)?.alias(&alias)?.build()?;
        let keys = (0..columns.len()).map(|at| Column::new(Some(alias.clone()), key_name(at))).collect();
        let outer = LogicalPlanBuilder::from(Arc::clone(input));
        let joined =
            outer.join_detailed(values, JoinType::Left, (columns, keys), None, NullEquality::NullEqualsNull)?;
        *input = Arc::new(joined.build()?);
        // The expression that replaces a subquery is not visited again.
        let value = Expr::Column(Column::new(Some(alias), "value"));
        Ok(Transformed::new(value, true, TreeNodeRecursion::Jump))
    })
}

fn key_name(at: usize) -> String {
    format!("__gdf_key_{at}")
}

/// Returns the rows of a correlated subquery for all outer rows, the columns with the values of the outer columns, and the
/// outer columns. Returns `None` if DataFusion plans the subquery itself, or if it is not known here.
fn of_outer(
    subquery: &Subquery,
    outer: &Arc<LogicalPlan>,
    alias: &str,
) -> Result<Option<(LogicalPlan, Vec<Column>, Vec<Column>)>> {
    let plan = subquery.subquery.as_ref();
    if !needs_keys(plan, false)? || may_differ(outer)? || has_correlated(plan)? {
        return Ok(None);
    }
    let mut columns: Vec<Column> = Vec::new();
    for expr in plan.all_out_ref_exprs() {
        let Expr::OuterReferenceColumn(_, column) = expr else { return Ok(None) };
        if !outer.schema().has_column(&column) {
            return Ok(None);
        }
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let named = columns.iter().enumerate().map(|(at, column)| Expr::Column(column.clone()).alias(key_name(at)));
    let keys = LogicalPlanBuilder::from(Arc::clone(outer)).project(named)?.distinct()?.alias(alias)?.build()?;
    let outer = Outer { columns, keys };
    Ok(outer.keyed(plan)?.map(|(plan, keys)| (plan, keys, outer.columns)))
}

/// Returns whether an aggregate has a condition with an outer column that is not an equality.
fn needs_keys(plan: &LogicalPlan, is_below: bool) -> Result<bool> {
    let is_below = is_below || matches!(plan, LogicalPlan::Aggregate(_) | LogicalPlan::Distinct(_));
    if let LogicalPlan::Filter(of) = plan
        && is_below
        && split_conjunction(&of.predicate)
            .into_iter()
            .any(|condition| condition.contains_outer() && !is_equality(condition))
    {
        return Ok(true);
    }
    for input in plan.inputs() {
        if needs_keys(input, is_below)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_equality(condition: &Expr) -> bool {
    let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = condition else { return false };
    let is_outer = |expr: &Expr| expr.contains_outer() && !expr.any_column_refs();
    let is_inner = |expr: &Expr| !expr.contains_outer();
    (is_outer(left) && is_inner(right)) || (is_outer(right) && is_inner(left))
}

/// Returns whether a plan may have other rows when it runs again. The values of outer columns come from a second run.
fn may_differ(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.apply_with_subqueries(|plan| {
        found |= match plan {
            // Which of several rows they take depends on the order in which rows come.
            LogicalPlan::Limit(_) | LogicalPlan::Distinct(Distinct::On(_)) | LogicalPlan::Window(_) => true,
            LogicalPlan::Aggregate(of) => {
                let mut results = of.schema.fields().iter().rev().zip(of.aggr_expr.iter().rev());
                results.any(|(field, call)| depends_on_order(call, field.data_type()))
            }
            _ => false,
        };
        plan.apply_expressions(|expr| {
            found |= expr.is_volatile();
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    Ok(found)
}

/// Returns whether an aggregate may have another result when its rows come in another order, as sums of floats do.
fn depends_on_order(call: &Expr, result: &DataType) -> bool {
    let Expr::AggregateFunction(call) = call.clone().unalias() else { return true };
    match call.func.name() {
        "count" | "min" | "max" => false,
        "sum" => result.is_floating(),
        _ => true,
    }
}

/// Returns whether subqueries of the plan have outer columns, which may be those of the plan itself.
fn has_correlated(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.apply(|plan| {
        plan.apply_expressions(|expr| {
            expr.apply(|expr| {
                found |= match expr {
                    Expr::ScalarSubquery(of) => !of.outer_ref_columns.is_empty(),
                    Expr::Exists(of) => !of.subquery.outer_ref_columns.is_empty(),
                    Expr::InSubquery(of) => !of.subquery.outer_ref_columns.is_empty(),
                    Expr::SetComparison(of) => !of.subquery.outer_ref_columns.is_empty(),
                    _ => false,
                };
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(found)
}

/// The outer columns of a subquery, and the plan of their distinct values.
struct Outer {
    columns: Vec<Column>,
    keys: LogicalPlan,
}

impl Outer {
    /// Returns the plan with the values of the outer columns, and the columns in which they are.
    fn keyed(&self, plan: &LogicalPlan) -> Result<Option<(LogicalPlan, Vec<Column>)>> {
        if plan.all_out_ref_exprs().is_empty() {
            let keys = self.keys.schema().columns();
            let joined = LogicalPlanBuilder::from(self.keys.clone()).cross_join(plan.clone())?.build()?;
            return Ok(Some((joined, keys)));
        }
        macro_rules! keyed_input {
            ($input:expr) => {
                match self.keyed($input)? {
                    Some(found) => found,
                    None => return Ok(None),
                }
            };
        }
        Ok(Some(match plan {
            LogicalPlan::Filter(of) => {
                let (input, keys) = keyed_input!(&of.input);
                let predicate = self.bound(of.predicate.clone(), &keys)?;
                (LogicalPlanBuilder::from(input).filter(predicate)?.build()?, keys)
            }
            LogicalPlan::Projection(of) => {
                let (input, keys) = keyed_input!(&of.input);
                let exprs = of.expr.iter().map(|expr| {
                    let name = expr.schema_name().to_string();
                    let bound = self.bound(expr.clone(), &keys)?;
                    Ok(if bound == *expr { bound } else { bound.unalias().alias(name) })
                });
                let exprs = exprs.collect::<Result<Vec<Expr>>>()?.into_iter();
                let exprs = exprs.chain(keys.iter().cloned().map(Expr::Column));
                (LogicalPlanBuilder::from(input).project(exprs)?.build()?, keys)
            }
            LogicalPlan::SubqueryAlias(of) => {
                let (input, keys) = keyed_input!(&of.input);
                let renamed = keys.into_iter().map(|key| Column::new(Some(of.alias.clone()), key.name)).collect();
                (LogicalPlanBuilder::from(input).alias(of.alias.clone())?.build()?, renamed)
            }
            LogicalPlan::Sort(of) if of.fetch.is_none() => keyed_input!(&of.input),
            LogicalPlan::Distinct(Distinct::All(input)) => {
                let (input, keys) = keyed_input!(input);
                (LogicalPlanBuilder::from(input).distinct()?.build()?, keys)
            }
            LogicalPlan::Aggregate(of) if !of.group_expr.iter().any(|key| matches!(key, Expr::GroupingSet(_))) => {
                let (input, keys) = keyed_input!(&of.input);
                return self.aggregated(of, input, keys).map(Some);
            }
            _ => return Ok(None),
        }))
    }

    /// Groups by the values of the outer columns too. An aggregate without groups has a row for each of these values.
    fn aggregated(&self, of: &Aggregate, input: LogicalPlan, keys: Vec<Column>) -> Result<(LogicalPlan, Vec<Column>)> {
        let bound = |exprs: &[Expr]| -> Result<Vec<Expr>> {
            let bound = |expr: &Expr| {
                let found = self.bound(expr.clone(), &keys)?;
                // The expressions above name the result.
                Ok(if found == *expr { found } else { found.unalias().alias(expr.schema_name().to_string()) })
            };
            exprs.iter().map(bound).collect()
        };
        let groups = keys.iter().cloned().map(Expr::Column).chain(bound(&of.group_expr)?);
        let grouped = LogicalPlanBuilder::from(input).aggregate(groups, bound(&of.aggr_expr)?)?.build()?;
        if !of.group_expr.is_empty() {
            return Ok((grouped, keys));
        }
        // The values without rows have the results of the aggregates over no rows.
        let names = grouped.schema().columns();
        let (of_keys, results) = names.split_at(keys.len());
        let all = self.keys.schema().columns();
        let grouped_name = |at: usize| Column::new(Some("__gdf_grouped"), format!("__gdf_result_{at}"));
        let renamed = names.iter().enumerate();
        let renamed = renamed.map(|(at, column)| Expr::Column(column.clone()).alias(grouped_name(at).name));
        let right = LogicalPlanBuilder::from(grouped.clone()).project(renamed)?.alias("__gdf_grouped")?.build()?;
        let joined = LogicalPlanBuilder::from(self.keys.clone()).join_detailed(
            right,
            JoinType::Left,
            (all.clone(), (0..of_keys.len()).map(grouped_name).collect::<Vec<Column>>()),
            None,
            NullEquality::NullEqualsNull,
        )?;
        let mut outputs: Vec<Expr> = all.iter().cloned().map(Expr::Column).collect();
        for (at, (result, call)) in results.iter().zip(&of.aggr_expr).enumerate() {
            let value = Expr::Column(grouped_name(keys.len() + at));
            let field = grouped.schema().field_from_column(result)?;
            let default = match call.clone().unalias() {
                Expr::AggregateFunction(call) => call.func.default_value(field.data_type())?,
                _ => datafusion::scalar::ScalarValue::Null,
            };
            let value = match default.is_null() {
                true => value,
                false => datafusion::logical_expr::when(value.clone().is_null(), lit(default)).otherwise(value)?,
            };
            outputs.push(value.alias_qualified(result.relation.clone(), result.name.clone()));
        }
        Ok((joined.project(outputs)?.build()?, all))
    }

    /// Replaces outer columns by the columns with their values.
    fn bound(&self, expr: Expr, keys: &[Column]) -> Result<Expr> {
        let bound = expr.transform_up(|expr| {
            let Expr::OuterReferenceColumn(_, column) = &expr else { return Ok(Transformed::no(expr)) };
            let at = self.columns.iter().position(|known| known == column);
            Ok(match at.and_then(|at| keys.get(at)) {
                Some(key) => Transformed::yes(Expr::Column(key.clone())),
                None => Transformed::no(expr),
            })
        })?;
        Ok(bound.data)
    }
}
