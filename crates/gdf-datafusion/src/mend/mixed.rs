//! Decimals beside floats as results of `CASE`, `coalesce` and the like, and in the columns of `UNION`.
//!
//! DataFusion makes them `Decimal128(30, 15)`, which rounds floats and does not hold large ones. As in arithmetic and in
//! comparisons, the common type of a decimal and a float is a float.

use std::sync::Arc;

use arrow_schema::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema};
use datafusion::error::Result;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Case, Cast, Expr, LogicalPlan, LogicalPlanBuilder, Union, when};
use datafusion::scalar::ScalarValue;

use super::comparisons::with_common_type;

/// Functions that return one of their arguments.
const CHOOSING: [&str; 5] = ["coalesce", "nvl", "ifnull", "greatest", "least"];

/// Casts the results among which an expression chooses.
pub(super) fn mended(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match expr {
        Expr::Case(case) => Ok(mended_case(case, schema)),
        Expr::ScalarFunction(ScalarFunction { func, args }) if CHOOSING.contains(&func.name()) => {
            let (args, is_changed) = with_common_type(args, schema);
            let found = Expr::ScalarFunction(ScalarFunction { func, args });
            Ok(Transformed::new_transformed(found, is_changed))
        }
        Expr::ScalarFunction(call) if call.func.name() == "nvl2" && call.args.len() == 3 => {
            let ScalarFunction { func, mut args } = call;
            let (results, is_changed) = with_common_type(args.split_off(1), schema);
            args.extend(results);
            Ok(Transformed::new_transformed(Expr::ScalarFunction(ScalarFunction { func, args }), is_changed))
        }
        // The first argument is the result, and stays what it is.
        Expr::ScalarFunction(call) if call.func.name() == "nullif" && !call.args.iter().any(Expr::is_volatile) => {
            let [value, other] = call.args.as_slice() else { return Ok(Transformed::no(Expr::ScalarFunction(call))) };
            if !with_common_type(call.args.clone(), schema).1 {
                return Ok(Transformed::no(Expr::ScalarFunction(call)));
            }
            let (mut sides, _) = with_common_type(vec![value.clone(), other.clone()], schema);
            let (right, left) = (sides.pop().unwrap_or_default(), sides.pop().unwrap_or_default());
            let null = Expr::Literal(ScalarValue::Null, None);
            Ok(Transformed::yes(when(left.eq(right), null).otherwise(value.clone())?))
        }
        expr => Ok(Transformed::no(expr)),
    }
}

fn mended_case(case: Case, schema: &DFSchema) -> Transformed<Expr> {
    let Case { expr, when_then_expr, else_expr } = case;
    let (whens, thens): (Vec<Expr>, Vec<Expr>) = when_then_expr.into_iter().map(|(when, then)| (*when, *then)).unzip();
    let count = thens.len();
    let (mut results, is_mixed) = with_common_type(thens.into_iter().chain(else_expr.map(|of| *of)).collect(), schema);
    let otherwise = results.split_off(count).pop().map(Box::new);
    // The values of a simple CASE are compared.
    let (mut compared, is_compared) = match expr {
        Some(expr) => with_common_type(std::iter::once(*expr).chain(whens).collect(), schema),
        None => (whens, false),
    };
    let expr = (compared.len() > count).then(|| Box::new(compared.remove(0)));
    let pairs = compared.into_iter().zip(results).map(|(when, then)| (Box::new(when), Box::new(then))).collect();
    Transformed::new_transformed(Expr::Case(Case::new(expr, pairs, otherwise)), is_mixed || is_compared)
}

/// Casts the columns of a union that are decimals in one input and floats in another.
pub(super) fn mended_union(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Union(union) = plan else { return Ok(Transformed::no(plan)) };
    let type_of =
        |input: &LogicalPlan, at: usize| input.schema().fields().get(at).map(|field| field.data_type().clone());
    let has = |at: usize, is: &dyn Fn(&DataType) -> bool| {
        union.inputs.iter().any(|input| type_of(input, at).is_some_and(|of| is(&of)))
    };
    let is_mixed = |at: &usize| has(*at, &DataType::is_decimal) && has(*at, &DataType::is_floating);
    let mixed: Vec<usize> = (0..union.schema.fields().len()).filter(is_mixed).collect();
    if mixed.is_empty() {
        return Ok(Transformed::no(LogicalPlan::Union(union)));
    }
    let with_floats = |input: &Arc<LogicalPlan>| {
        let outputs = input.schema().iter().enumerate().map(|(at, field)| {
            let column = Column::from(field);
            let is_cast = mixed.contains(&at) && field.1.data_type().is_decimal();
            match is_cast {
                true => Expr::Cast(Cast::new(Box::new(Expr::Column(column.clone())), DataType::Float64))
                    .alias_qualified(column.relation, column.name),
                false => Expr::Column(column),
            }
        });
        Ok(Arc::new(LogicalPlanBuilder::from(Arc::clone(input)).project(outputs)?.build()?))
    };
    let inputs = union.inputs.iter().map(with_floats).collect::<Result<Vec<_>>>()?;
    Ok(Transformed::yes(LogicalPlan::Union(Union::try_new_with_loose_types(inputs)?)))
}
