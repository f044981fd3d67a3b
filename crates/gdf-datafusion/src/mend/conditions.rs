//! Conditions as keys of windows and as arguments of distinct aggregates become columns of a projection below.
//!
//! DataFusion does not know the order of a computed condition again above the sort by it, and refuses the plan of a window
//! whose partitions it makes. It changes whether a distinct argument such as `(i > 3) IS TRUE` may be null.

use std::sync::Arc;

use arrow_schema::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema};
use datafusion::error::Result;
use datafusion::logical_expr::{Aggregate, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Window};

use super::windows;

pub(super) fn mended(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let found = match &plan {
        LogicalPlan::Window(window) => of_window(window)?,
        LogicalPlan::Aggregate(aggregate) => of_aggregate(aggregate)?,
        _ => None,
    };
    Ok(found.map_or_else(|| Transformed::no(plan), Transformed::yes))
}

/// The conditions of a node, with the names of the columns that take their place.
struct Conditions<'s> {
    schema: &'s DFSchema,
    named: Vec<(Expr, String)>,
}

impl<'s> Conditions<'s> {
    fn new(schema: &'s DFSchema) -> Conditions<'s> {
        Conditions { schema, named: Vec::new() }
    }

    /// Replaces an expression by a column, if it is a condition.
    fn replace(&mut self, expr: &mut Expr) {
        let is_computed = !matches!(expr, Expr::Column(_) | Expr::OuterReferenceColumn(..) | Expr::Literal(..));
        if !is_computed || !matches!(expr.get_type(self.schema), Ok(DataType::Boolean)) {
            return;
        }
        let known = self.named.iter().find(|(known, _)| known == expr).map(|(_, name)| name.clone());
        let name = known.unwrap_or_else(|| {
            let name = format!("__gdf_condition_{}", self.named.len());
            self.named.push((expr.clone(), name.clone()));
            name
        });
        *expr = Expr::Column(Column::from_name(name));
    }

    /// Returns the input with the columns of the conditions.
    fn over(self, input: &Arc<LogicalPlan>) -> Result<Arc<LogicalPlan>> {
        let columns = self.schema.columns().into_iter().map(Expr::Column);
        let conditions = self.named.into_iter().map(|(condition, name)| condition.alias(name));
        let input = LogicalPlanBuilder::from(Arc::clone(input)).project(columns.chain(conditions))?;
        Ok(Arc::new(input.build()?))
    }
}

fn of_window(window: &Window) -> Result<Option<LogicalPlan>> {
    let mut conditions = Conditions::new(window.input.schema());
    let call = |expr: &Expr| {
        let name = expr.schema_name().to_string();
        let mut call = expr.clone().unalias();
        if let Expr::WindowFunction(of) = &mut call {
            of.params.partition_by.iter_mut().for_each(|key| conditions.replace(key));
        }
        call.alias(name)
    };
    let calls: Vec<Expr> = window.window_expr.iter().map(call).collect();
    if conditions.named.is_empty() {
        return Ok(None);
    }
    let input = conditions.over(&window.input)?;
    let found = windows::mended(LogicalPlan::Window(Window::try_new(calls, input)?))?.data;
    let outputs = window.schema.columns().into_iter().map(Expr::Column);
    Ok(Some(LogicalPlanBuilder::from(found).project(outputs)?.build()?))
}

fn of_aggregate(aggregate: &Aggregate) -> Result<Option<LogicalPlan>> {
    let mut conditions = Conditions::new(aggregate.input.schema());
    let call = |expr: &Expr| {
        let name = expr.schema_name().to_string();
        let mut call = expr.clone().unalias();
        match &mut call {
            Expr::AggregateFunction(of) if of.params.distinct => {
                of.params.args.iter_mut().for_each(|argument| conditions.replace(argument));
                call.alias(name)
            }
            _ => expr.clone(),
        }
    };
    let calls: Vec<Expr> = aggregate.aggr_expr.iter().map(call).collect();
    if conditions.named.is_empty() {
        return Ok(None);
    }
    let input = conditions.over(&aggregate.input)?;
    Ok(Some(LogicalPlan::Aggregate(Aggregate::try_new(input, aggregate.group_expr.clone(), calls)?)))
}
