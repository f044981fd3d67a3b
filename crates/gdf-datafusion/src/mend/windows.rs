//! Window functions whose rows DataFusion does not read.
//!
//! `LEAD(…) IGNORE NULLS` over a gap that is longer than what has been read ahead is null, and a limit below the window
//! cuts the rows that it needs (datafusion#25471). `LAG` in the reverse order looks back, and has neither defect.
//!
//! The distance of a `RANGE` frame that the type of the key does not hold becomes UNBOUNDED, and sums of key and
//! distance wrap. Keys of 64 bits hold both.

use std::sync::Arc;

use arrow_schema::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, ScalarValue, not_impl_err};
use datafusion::error::Result;
use datafusion::functions_window::lead_lag::lag_udwf;
use datafusion::logical_expr::expr::{NullTreatment, Sort, WindowFunction};
use datafusion::logical_expr::{
    Cast, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Window, WindowFrameBound, WindowFrameUnits,
    WindowFunctionDefinition, lit,
};

pub(super) fn mended(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Window(window) = &plan else { return Ok(Transformed::no(plan)) };
    let (mut kept, mut changed) = (Vec::new(), Vec::new());
    for expr in &window.window_expr {
        match mended_call(expr, window.input.schema())? {
            Some(found) => changed.push(found.alias(expr.schema_name().to_string())),
            None => kept.push(expr.clone()),
        }
    }
    if changed.is_empty() {
        return Ok(Transformed::no(plan));
    }
    // The calls of one node share their order, so each changed call gets a node of its own.
    let mut input = Arc::clone(&window.input);
    let kept = (!kept.is_empty()).then_some(kept);
    for calls in kept.into_iter().chain(changed.into_iter().map(|call| vec![call])) {
        input = Arc::new(LogicalPlan::Window(Window::try_new(calls, input)?));
    }
    let outputs = window.schema.columns().into_iter().map(Expr::Column);
    Ok(Transformed::yes(LogicalPlanBuilder::from(input).project(outputs)?.build()?))
}

fn mended_call(expr: &Expr, schema: &DFSchema) -> Result<Option<Expr>> {
    let call = match expr {
        Expr::WindowFunction(call) => call,
        Expr::Alias(alias) => return mended_call(&alias.expr, schema),
        _ => return Ok(None),
    };
    let mut call = call.as_ref().clone();
    let is_changed = looks_back(&mut call)? | widened(&mut call, schema);
    Ok(is_changed.then(|| Expr::WindowFunction(Box::new(call))))
}

/// Turns a call that looks ahead into one that looks back.
fn looks_back(call: &mut WindowFunction) -> Result<bool> {
    let WindowFunctionDefinition::WindowUDF(function) = &call.fun else { return Ok(false) };
    let direction: i64 = match function.name() {
        "lead" => 1,
        "lag" => -1,
        _ => return Ok(false),
    };
    if call.params.null_treatment != Some(NullTreatment::IgnoreNulls) {
        return Ok(false);
    }
    let distance = match call.params.args.get(1) {
        None => Some(1),
        Some(of) => literal_distance(of),
    };
    let ahead = match distance.and_then(|distance| distance.checked_mul(direction)) {
        Some(ahead) if ahead > 0 => ahead,
        _ if direction < 0 || distance == Some(0) => return Ok(false),
        Some(ahead) if ahead < 0 => {
            call.fun = WindowFunctionDefinition::WindowUDF(lag_udwf());
            set_distance(call, -ahead);
            return Ok(true);
        }
        _ => return Ok(false),
    };
    if call.params.order_by.is_empty() {
        return not_impl_err!("LEAD with IGNORE NULLS and without an order of the rows; write OVER (… ORDER BY …)");
    }
    call.fun = WindowFunctionDefinition::WindowUDF(lag_udwf());
    set_distance(call, ahead);
    for Sort { asc, nulls_first, .. } in &mut call.params.order_by {
        (*asc, *nulls_first) = (!*asc, !*nulls_first);
    }
    Ok(true)
}

fn set_distance(call: &mut WindowFunction, distance: i64) {
    match call.params.args.get_mut(1) {
        Some(of) => *of = lit(distance),
        None => call.params.args.push(lit(distance)),
    }
}

fn literal_distance(of: &Expr) -> Option<i64> {
    match of {
        Expr::Negative(of) => literal_distance(of)?.checked_neg(),
        Expr::Literal(value, _) => match value.cast_to(&DataType::Int64).ok()? {
            ScalarValue::Int64(value) => value,
            _ => None,
        },
        _ => None,
    }
}

/// Casts a key that is narrower than 64 bits, if the frame has distances.
fn widened(call: &mut WindowFunction, schema: &DFSchema) -> bool {
    let frame = &call.params.window_frame;
    let has_distance = |bound: &WindowFrameBound| match bound {
        WindowFrameBound::Preceding(of) | WindowFrameBound::Following(of) => !of.is_null(),
        WindowFrameBound::CurrentRow => false,
    };
    if frame.units != WindowFrameUnits::Range || !(has_distance(&frame.start_bound) || has_distance(&frame.end_bound)) {
        return false;
    }
    let [key] = call.params.order_by.as_mut_slice() else { return false };
    use DataType::{Int8, Int16, Int32, UInt8, UInt16, UInt32};
    if !matches!(key.expr.get_type(schema), Ok(Int8 | Int16 | Int32 | UInt8 | UInt16 | UInt32)) {
        return false;
    }
    key.expr = Expr::Cast(Cast::new(Box::new(std::mem::take(&mut key.expr)), DataType::Int64));
    true
}
