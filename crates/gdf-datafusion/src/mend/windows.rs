//! Window functions whose rows DataFusion does not read.
//!
//! `LEAD(…) IGNORE NULLS`, and `LAG` with a distance above 1, are null over some gaps, and a limit below the window cuts
//! the rows that they need (datafusion#25471). `NTH_VALUE` over the rows after or before the row has neither defect.
//!
//! The distance of a `RANGE` frame that the type of the key does not hold becomes UNBOUNDED, and sums of key and
//! distance wrap. Keys of 64 bits hold both.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::error::Result;
use datafusion::functions_window::nth_value::nth_value_udwf;
use datafusion::logical_expr::expr::{NullTreatment, WindowFunction};
use datafusion::logical_expr::{
    Cast, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Window, WindowFrame, WindowFrameBound,
    WindowFrameUnits, WindowFunctionDefinition, lit, when,
};

pub(super) fn mended(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Window(window) = &plan else { return Ok(Transformed::no(plan)) };
    let (mut kept, mut changed) = (Vec::new(), Vec::new());
    // Where the value of each changed call is, and what takes the place of null. Equal calls are computed once.
    let (mut sources, mut defaults): (HashMap<String, String>, HashMap<String, Expr>) = Default::default();
    let mut computed: HashMap<Expr, String> = HashMap::new();
    for expr in &window.window_expr {
        let name = expr.schema_name().to_string();
        match mended_call(expr, window.input.schema())? {
            Some(Mended { call, default }) => {
                let source = computed.entry(call.clone()).or_insert_with(|| {
                    changed.push(call.alias(&name));
                    name.clone()
                });
                sources.insert(name.clone(), source.clone());
                defaults.extend(default.map(|default| (name, default)));
            }
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
    let inputs = window.input.schema().fields().len();
    let outputs = window.schema.columns().into_iter().enumerate().map(|(at, column)| {
        let source = sources.get(&column.name).filter(|_| at >= inputs);
        let Some(source) = source else { return Ok(Expr::Column(column)) };
        let value = Expr::Column(Column::from_name(source));
        let Some(default) = defaults.get(&column.name) else { return Ok(value.alias(column.name)) };
        let data_type = window.schema.field(at).data_type().clone();
        let default = Expr::Cast(Cast::new(Box::new(default.clone()), data_type));
        Ok(when(value.clone().is_not_null(), value).otherwise(default)?.alias(column.name))
    });
    let outputs = outputs.collect::<Result<Vec<_>>>()?;
    Ok(Transformed::yes(LogicalPlanBuilder::from(input).project(outputs)?.build()?))
}

struct Mended {
    call: Expr,
    /// The value in place of null.
    default: Option<Expr>,
}

fn mended_call(expr: &Expr, schema: &DFSchema) -> Result<Option<Mended>> {
    let call = match expr {
        Expr::WindowFunction(call) => call,
        Expr::Alias(alias) => return mended_call(&alias.expr, schema),
        _ => return Ok(None),
    };
    let mut call = call.as_ref().clone();
    let default = call.params.args.get(2).cloned();
    let is_nth = by_position(&mut call);
    let is_changed = is_nth || widened(&mut call, schema);
    let default = default.filter(|_| is_nth);
    Ok(is_changed.then(|| Mended { call: Expr::WindowFunction(Box::new(call)), default }))
}

/// Turns `LEAD` and `LAG` that ignore nulls into `NTH_VALUE`.
fn by_position(call: &mut WindowFunction) -> bool {
    let WindowFunctionDefinition::WindowUDF(function) = &call.fun else { return false };
    let direction: i64 = match function.name() {
        "lead" => 1,
        "lag" => -1,
        _ => return false,
    };
    if call.params.null_treatment != Some(NullTreatment::IgnoreNulls) {
        return false;
    }
    let distance = call.params.args.get(1).map_or(Some(1), literal_distance);
    let Some(ahead) = distance.and_then(|distance| distance.checked_mul(direction)) else { return false };
    // The last value before the row is right.
    if ahead == 0 || (ahead == -1 && direction == -1) {
        return false;
    }
    let (unbounded, one) = (ScalarValue::UInt64(None), ScalarValue::UInt64(Some(1)));
    let (start, end) = if ahead > 0 {
        (WindowFrameBound::Following(one), WindowFrameBound::Following(unbounded))
    } else {
        (WindowFrameBound::Preceding(unbounded), WindowFrameBound::Preceding(one))
    };
    call.fun = WindowFunctionDefinition::WindowUDF(nth_value_udwf());
    call.params.args.truncate(1);
    call.params.args.push(lit(ahead));
    call.params.window_frame = WindowFrame::new_bounds(WindowFrameUnits::Rows, start, end);
    true
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
