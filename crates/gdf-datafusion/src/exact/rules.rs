//! The rules of the analyzer that rewrite expressions.

use std::sync::Arc;

use arrow_schema::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, DFSchemaRef};
use datafusion::error::Result;
use datafusion::execution::FunctionRegistry;
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::expr::{InList, ScalarFunction};
use datafusion::logical_expr::expr_rewriter::{FunctionRewrite, NamePreserver};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Between, BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, SortExpr};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::analyzer::type_coercion::TypeCoercionRewriter;

use super::decimals;
use super::floats::one_of_scalar;
use super::functions::{CANONICAL_FLOAT, over_visible, own_function};

/// Functions that compare their arguments.
pub(super) const COMPARING: [&str; 3] = ["nullif", "greatest", "least"];

pub(super) fn is_comparison(op: Operator) -> bool {
    use Operator::*;
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom)
}

/// Adds the rules to the analyzer of a session that is being built.
pub(crate) fn add_rules(builder: &mut SessionStateBuilder) {
    let mut analyzer = builder.analyzer().take().unwrap_or_default();
    if !analyzer.rules.iter().any(|rule| rule.name() == CanonicalKeys.name()) {
        analyzer.add_function_rewrite(Arc::new(ReadsVisible));
        // Before the rule that makes the types of operands the same, because the types of results change.
        analyzer.rules.insert(0, Arc::new(WideDecimals));
        analyzer.rules.push(Arc::new(CanonicalKeys));
    }
    *builder.analyzer() = Some(analyzer);
}

/// Gives names of functions to functions of this crate, so that plans of other processes have them.
pub(crate) fn add_functions(state: &mut SessionState) {
    let known: Vec<_> = state.scalar_functions().values().filter_map(over_visible).collect();
    let own = ["gdf_canonical_float", "gdf_checked_decimal"].into_iter().filter_map(own_function);
    for function in known.into_iter().chain(own) {
        // The registration of a function cannot fail.
        let _ = state.register_udf(function);
    }
}

/// Replaces functions that return fields or entries by functions that heed the nulls of their arguments.
#[derive(Debug)]
struct ReadsVisible;

impl FunctionRewrite for ReadsVisible {
    fn name(&self) -> &str {
        "gdf_reads_visible"
    }

    fn rewrite(&self, expr: Expr, _schema: &DFSchema, _config: &ConfigOptions) -> Result<Transformed<Expr>> {
        let Expr::ScalarFunction(call) = expr else { return Ok(Transformed::no(expr)) };
        Ok(match over_visible(&call.func) {
            Some(func) => Transformed::yes(Expr::ScalarFunction(ScalarFunction { func, args: call.args })),
            None => Transformed::no(Expr::ScalarFunction(call)),
        })
    }
}

/// Computes decimals of 32 and 64 bits with 128 bits, and adds decimals with many digits exactly.
#[derive(Debug)]
struct WideDecimals;

impl AnalyzerRule for WideDecimals {
    fn name(&self) -> &str {
        "gdf_wide_decimals"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        let mut is_changed = false;
        let node = |plan: LogicalPlan| {
            let found = rewritten(plan, &decimals::wide)?;
            is_changed |= found.transformed;
            // The types of the inputs may have changed.
            match is_changed {
                true => found.map_data(|plan| match plan {
                    LogicalPlan::Union(union) => TypeCoercionRewriter::coerce_union(union),
                    plan => plan.recompute_schema(),
                }),
                false => Ok(found),
            }
        };
        Ok(plan.transform_up_with_subqueries(node)?.data)
    }
}

/// Makes floats that are computed as a key or compared [`canonical`](super::canonical), and checks decimals that may
/// have too many digits. The columns that a node of DataFusion compares are canonical by the node below it.
#[derive(Debug)]
struct CanonicalKeys;

impl AnalyzerRule for CanonicalKeys {
    fn name(&self) -> &str {
        "gdf_canonical_keys"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        let node = |plan: LogicalPlan| {
            let is_keyed = matches!(plan, LogicalPlan::Sort(_));
            let plan = rewritten(plan, &|expr, schema| {
                let expr = compared(expr, schema)?;
                expr.transform_data(|expr| decimals::checked(expr, schema))
            })?;
            let groups = plan.transform_data(with_groups)?;
            match is_keyed {
                true => groups.transform_data(with_sort_keys),
                false => Ok(groups),
            }
        };
        Ok(plan.transform_up_with_subqueries(node)?.data)
    }
}

/// The columns that expressions of a node may read.
fn schema_of(plan: &LogicalPlan) -> Result<DFSchema> {
    let mut schema = merge_schema(&plan.inputs());
    if let LogicalPlan::TableScan(scan) = plan {
        schema.merge(&DFSchema::try_from_qualified_schema(scan.table_name.clone(), &scan.source.schema())?);
    }
    Ok(schema)
}

/// Rewrites each part of the expressions of a node. The names of the results stay.
fn rewritten(
    plan: LogicalPlan,
    part: &dyn Fn(Expr, &DFSchema) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    let schema = schema_of(&plan)?;
    let names = NamePreserver::new(&plan);
    plan.map_expressions(|expr| {
        let name = names.save(&expr);
        Ok(expr.transform_up(|expr| part(expr, &schema))?.update_data(|expr| name.restore(expr)))
    })
}

fn is_float(expr: &Expr, schema: &DFSchema) -> bool {
    expr.get_type(schema)
        .is_ok_and(|data_type| matches!(data_type, DataType::Float16 | DataType::Float32 | DataType::Float64))
}

/// Returns a float that is compared, with one zero and one NaN. Columns stay, and other types stay.
fn key(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    match expr {
        Expr::Column(_) | Expr::OuterReferenceColumn(..) | Expr::Placeholder(_) => Transformed::no(expr),
        Expr::Literal(value, metadata) => {
            let one = one_of_scalar(value.clone());
            let is_other = !same_bits(&one, &value);
            Transformed::new_transformed(Expr::Literal(one, metadata), is_other)
        }
        Expr::ScalarFunction(ref call) if call.func == *CANONICAL_FLOAT => Transformed::no(expr),
        // An integer or a column that becomes a float is as canonical as before.
        Expr::Cast(ref cast) if is_plain(&cast.expr, schema) => Transformed::no(expr),
        expr if is_float(&expr, schema) => {
            let func = Arc::clone(&CANONICAL_FLOAT);
            Transformed::yes(Expr::ScalarFunction(ScalarFunction { func, args: vec![expr] }))
        }
        expr => Transformed::no(expr),
    }
}

fn same_bits(one: &datafusion::scalar::ScalarValue, other: &datafusion::scalar::ScalarValue) -> bool {
    use datafusion::scalar::ScalarValue::{Float32, Float64};
    match (one, other) {
        (Float64(Some(one)), Float64(Some(other))) => one.to_bits() == other.to_bits(),
        (Float32(Some(one)), Float32(Some(other))) => one.to_bits() == other.to_bits(),
        _ => true,
    }
}

fn is_plain(expr: &Expr, schema: &DFSchema) -> bool {
    let is_number = |data_type: DataType| data_type.is_integer() || matches!(data_type, DataType::Boolean);
    matches!(expr, Expr::Column(_)) || expr.get_type(schema).is_ok_and(is_number)
}

fn keys(exprs: Vec<Expr>, schema: &DFSchema) -> (Vec<Expr>, bool) {
    let mut changed = false;
    let exprs = exprs.into_iter().map(|expr| {
        let expr = key(expr, schema);
        changed |= expr.transformed;
        expr.data
    });
    (exprs.collect(), changed)
}

/// Makes the keys of an order canonical, and returns whether one has changed.
fn sort_keys(orders: &mut [SortExpr], schema: &DFSchema) -> bool {
    let mut changed = false;
    for order in orders {
        let expr = key(std::mem::take(&mut order.expr), schema);
        changed |= expr.transformed;
        order.expr = expr.data;
    }
    changed
}

/// Makes the operands of a comparison canonical.
fn compared(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let boxed = |expr: Box<Expr>| {
        let Transformed { data, transformed, .. } = key(*expr, schema);
        (Box::new(data), transformed)
    };
    Ok(match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(op) => {
            let ((left, a), (right, b)) = (boxed(left), boxed(right));
            Transformed::new_transformed(Expr::BinaryExpr(BinaryExpr { left, op, right }), a || b)
        }
        Expr::InList(InList { expr, list, negated }) => {
            let ((expr, a), (list, b)) = (boxed(expr), keys(list, schema));
            Transformed::new_transformed(Expr::InList(InList { expr, list, negated }), a || b)
        }
        Expr::Between(Between { expr, negated, low, high }) => {
            let ((expr, a), (low, b), (high, c)) = (boxed(expr), boxed(low), boxed(high));
            Transformed::new_transformed(Expr::Between(Between { expr, negated, low, high }), a || b || c)
        }
        Expr::Case(mut case) => match case.expr.take() {
            Some(base) => {
                let (base, mut changed) = boxed(base);
                case.expr = Some(base);
                for (when, _) in &mut case.when_then_expr {
                    let (new, is_other) = boxed(std::mem::replace(when, Box::new(Expr::default())));
                    *when = new;
                    changed |= is_other;
                }
                Transformed::new_transformed(Expr::Case(case), changed)
            }
            None => Transformed::no(Expr::Case(case)),
        },
        Expr::ScalarFunction(ScalarFunction { func, args }) if COMPARING.contains(&func.name()) => {
            let (args, changed) = keys(args, schema);
            Transformed::new_transformed(Expr::ScalarFunction(ScalarFunction { func, args }), changed)
        }
        Expr::AggregateFunction(mut call) if call.params.distinct => {
            let (args, changed) = keys(std::mem::take(&mut call.params.args), schema);
            call.params.args = args;
            Transformed::new_transformed(Expr::AggregateFunction(call), changed)
        }
        Expr::WindowFunction(mut call) => {
            let (partition_by, mut changed) = keys(std::mem::take(&mut call.params.partition_by), schema);
            call.params.partition_by = partition_by;
            changed |= sort_keys(&mut call.params.order_by, schema);
            Transformed::new_transformed(Expr::WindowFunction(call), changed)
        }
        other => Transformed::no(other),
    })
}

/// Makes the keys of groups canonical.
fn with_groups(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Aggregate(mut aggregate) = plan else { return Ok(Transformed::no(plan)) };
    let schema: DFSchemaRef = Arc::clone(aggregate.input.schema());
    let is_set = aggregate.group_expr.iter().any(|expr| matches!(expr, Expr::GroupingSet(_)));
    if is_set || !aggregate.group_expr.iter().any(|expr| key(expr.clone(), &schema).transformed) {
        return Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)));
    }
    let names = NamePreserver::new_for_projection();
    let group = |expr: Expr| {
        let name = names.save(&expr);
        name.restore(key(expr, &schema).data)
    };
    aggregate.group_expr = std::mem::take(&mut aggregate.group_expr).into_iter().map(group).collect();
    Ok(Transformed::yes(LogicalPlan::Aggregate(aggregate).recompute_schema()?))
}

/// Makes the keys of a sort canonical.
fn with_sort_keys(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Sort(mut sort) = plan else { return Ok(Transformed::no(plan)) };
    let schema: DFSchemaRef = Arc::clone(sort.input.schema());
    let changed = sort_keys(&mut sort.expr, &schema);
    Ok(Transformed::new_transformed(LogicalPlan::Sort(sort), changed))
}
