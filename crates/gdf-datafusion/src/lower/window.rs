//! Lowers window functions.

use std::any::Any;
use std::sync::Arc;

use arrow_schema::{DataType, Schema, SortOptions};
use datafusion::functions_aggregate::average::Avg;
use datafusion::functions_aggregate::bool_and_or::{BoolAnd, BoolOr};
use datafusion::functions_aggregate::count::Count;
use datafusion::functions_aggregate::min_max::{Max, Min};
use datafusion::functions_window::cume_dist::CumeDist;
use datafusion::functions_window::lead_lag::{WindowShift, WindowShiftKind};
use datafusion::functions_window::nth_value::{NthValue, NthValueKind};
use datafusion::functions_window::ntile::Ntile;
use datafusion::functions_window::rank::Rank;
use datafusion::functions_window::row_number::RowNumber;
use datafusion::logical_expr::{WindowFrame, WindowFrameBound, WindowFrameUnits};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Literal;
use datafusion::physical_expr::window::{
    PlainAggregateWindowExpr, SlidingAggregateWindowExpr, StandardWindowExpr, WindowExpr,
};
use datafusion::physical_plan::windows::WindowUDFExpr;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use datafusion::scalar::ScalarValue;
use gdf_api::rolling::{NullOrder, Order, WindowBound};
use gdf_core::{is_floating, is_integral, is_unsigned_integral};
use gdf_exec::{Frame, Node, RangeEnd, Rows, Window, WindowCall, WindowFunction, WindowMeasure, plain_types};
use gdf_expr::{Expr, col, lit};

use super::Lowering;
use super::aggregate::may_exceed_128_bits;
use super::expressions::{Lowered, OnOverflow, Scope, cast, whole_days};
use super::rows::{computed, parts, rows_of, sort, too_deep};
use crate::error::Refusal;
use crate::exact::is_sum;
use crate::values::value_of;

const NODE: &str = "window nodes";

/// Lowers a node of window functions. Its input is sorted by the partition keys and then by the order keys.
pub(super) fn window(
    lowering: &mut Lowering,
    node: &Arc<dyn ExecutionPlan>,
    input: &Arc<dyn ExecutionPlan>,
    functions: &[Arc<dyn WindowExpr>],
) -> Result<Node, Refusal> {
    let partitions = input.output_partitioning().partition_count();
    if partitions > 1 {
        return Err(Refusal::Partitions(partitions));
    }
    let schema = input.schema();
    let width = schema.fields().len();
    let results = plain_types(&node.schema())?;
    let first = functions.first().ok_or_else(|| Refusal::Node(node.name().to_owned()))?;
    let mut scope = Scope::new(&schema, &mut lowering.subqueries)?;
    let partition = first.partition_by().iter().map(|key| scope.lower(key)).collect::<Result<Vec<_>, _>>()?;
    let order = first.order_by().iter().map(|key| scope.lower(&key.expr)).collect::<Result<Vec<_>, _>>()?;
    let mut values = Vec::new();
    let mut calls = Vec::with_capacity(functions.len());
    for (function, data_type) in functions.iter().zip(&results[width..]) {
        let is_same = function.partition_by() == first.partition_by() && function.order_by() == first.order_by();
        if !is_same {
            return Err(Refusal::variant(NODE, "functions that have different partition keys or order keys"));
        }
        let mut lowered = Call { scope: &mut scope, schema: &schema, values: &mut values, function: function.as_ref() };
        let call = lowered.call(data_type)?;
        lowering.cuts_rows |= call.depends_on_ties();
        calls.push(call);
    }
    let column_calls = scope.into_calls();
    let mut rows = ordered(lowering, input)?;
    let (keys, order_keys) = (partition.len(), order.len());
    let lowered = partition.into_iter().chain(order).chain(values).collect();
    let (lowered, checks) = parts(computed(&mut rows, &column_calls, lowered)?);
    let mut partition = rows.append(&lowered, &checks).map_err(too_deep)?;
    let mut order = partition.split_off(keys);
    let values = order.split_off(order_keys);
    for call in &mut calls {
        call.value = call.value.map(|at| values[at]);
    }
    lowering.is_worthwhile = true;
    Ok(Node::Window(Box::new(Window { rows, width, partition, order, calls })))
}

/// Lowers the input of a window node. If DataFusion relies on an order of the rows that gdf does not keep, the rows are
/// sorted again.
fn ordered(lowering: &mut Lowering, input: &Arc<dyn ExecutionPlan>) -> Result<Rows, Refusal> {
    fn is_sorted(node: &Node) -> bool {
        match node {
            Node::Sort(_) => true,
            Node::Rows(rows) => is_sorted(&rows.input),
            Node::Limit { input, .. } | Node::Scalars { input, .. } => is_sorted(input),
            Node::Window(window) => is_sorted(&window.rows.input),
            _ => false,
        }
    }
    let width = input.schema().fields().len();
    let inputs = lowering.inputs.len();
    let rows = rows_of(lowering, input)?;
    match input.output_ordering() {
        // An input that DataFusion runs is already in order.
        Some(order) if !is_sorted(&rows.input) && !matches!(rows.input, Node::Input(_)) => {
            lowering.inputs.truncate(inputs);
            Ok(sort(lowering, input, order, None)?.into_rows(width))
        }
        _ => Ok(rows),
    }
}

/// A call of a window function that is being lowered.
struct Call<'c, 's> {
    scope: &'c mut Scope<'s>,
    schema: &'c Schema,
    /// The arguments of all calls of the node that were lowered so far.
    values: &'c mut Vec<Lowered>,
    function: &'c dyn WindowExpr,
}

impl Call<'_, '_> {
    fn refused(&self) -> Refusal {
        Refusal::variant(NODE, format!("the function `{}`", self.function.name()))
    }

    fn because(&self, why: &str) -> Refusal {
        Refusal::variant(NODE, format!("the function `{}`, {why}", self.function.name()))
    }

    fn call(&mut self, data_type: &DataType) -> Result<WindowCall, Refusal> {
        let frame = self.function.get_window_frame().clone();
        let of: &dyn Any = self.function.as_any();
        if let Some(of) = of.downcast_ref::<StandardWindowExpr>() {
            let of = of.get_standard_func_expr().as_any().downcast_ref::<WindowUDFExpr>();
            return self.standard(of.ok_or_else(|| self.refused())?, &frame, data_type);
        }
        let aggregate = match of.downcast_ref::<PlainAggregateWindowExpr>() {
            Some(of) => Some(of.get_aggregate_expr().clone()),
            None => of.downcast_ref::<SlidingAggregateWindowExpr>().map(|of| of.get_aggregate_expr().clone()),
        };
        let aggregate = aggregate.ok_or_else(|| self.refused())?;
        // The filter has no accessor, but is in the debug text.
        if format!("{:?}", self.function).contains("filter: Some(") {
            return Err(self.because("which has a FILTER clause"));
        }
        self.aggregate(&aggregate, &frame, data_type)
    }

    fn standard(
        &mut self,
        of: &WindowUDFExpr,
        frame: &WindowFrame,
        data_type: &DataType,
    ) -> Result<WindowCall, Refusal> {
        let fun: &dyn Any = of.fun().inner().as_ref();
        // Neither flag has an accessor, but both are in the debug text.
        let shown = format!("{of:?}");
        let is_reversed = shown.contains("is_reversed: true");
        let ignores_nulls = shown.contains("ignore_nulls: true");
        let plain =
            |function| Ok(WindowCall { function, frame: Frame::ALL, value: None, data_type: data_type.clone() });
        if fun.is::<RowNumber>() {
            return plain(WindowFunction::RowNumber);
        }
        if fun.is::<CumeDist>() {
            return plain(WindowFunction::CumeDist);
        }
        if fun.is::<Rank>() {
            return match of.fun().name() {
                "rank" => plain(WindowFunction::Rank),
                "dense_rank" => plain(WindowFunction::DenseRank),
                "percent_rank" => plain(WindowFunction::PercentRank),
                _ => Err(self.refused()),
            };
        }
        if fun.is::<Ntile>() {
            let buckets = of.args().first().and_then(integer).filter(|buckets| *buckets > 0);
            return plain(WindowFunction::Ntile(buckets.ok_or_else(|| self.refused())?));
        }
        let value = self.scope.lower(of.args().first().ok_or_else(|| self.refused())?)?;
        if value.data_type != *data_type {
            return Err(self.refused());
        }
        if let Some(shift) = fun.downcast_ref::<WindowShift>() {
            if is_reversed || ignores_nulls {
                return Err(self.because("which runs in reverse order or ignores nulls"));
            }
            let offset = match of.args().get(1) {
                None => 1,
                Some(offset) => integer(offset).ok_or_else(|| self.refused())?,
            };
            let offset = match shift.kind() {
                WindowShiftKind::Lag => offset,
                WindowShiftKind::Lead => offset.checked_neg().ok_or_else(|| self.refused())?,
            };
            let default = match of.args().get(2).map(literal) {
                None => None,
                Some(None) => return Err(self.refused()),
                Some(Some(default)) if default.is_null() => None,
                Some(Some(default)) => Some(value_of(&default.cast_to(data_type)?)?),
            };
            let function = WindowFunction::Shift { offset, default };
            return Ok(WindowCall { value: Some(self.value(value)), ..plain(function)? });
        }
        let nth = fun.downcast_ref::<NthValue>().ok_or_else(|| self.refused())?;
        let position = match nth.kind() {
            NthValueKind::First => 0,
            NthValueKind::Last => -1,
            NthValueKind::Nth if is_reversed => return Err(self.because("which runs in reverse order")),
            NthValueKind::Nth => match of.args().get(1).and_then(integer).filter(|position| *position != 0) {
                Some(position) if position > 0 => position - 1,
                Some(position) => position,
                None => return Err(self.refused()),
            },
        };
        let function = WindowFunction::Nth { position, ignores_nulls };
        let frame = self.frame(frame)?;
        Ok(WindowCall { function, frame, value: Some(self.value(value)), data_type: data_type.clone() })
    }

    fn aggregate(
        &mut self,
        of: &AggregateFunctionExpr,
        frame: &WindowFrame,
        data_type: &DataType,
    ) -> Result<WindowCall, Refusal> {
        let [argument] = <[Arc<dyn PhysicalExpr>; 1]>::try_from(of.expressions()).map_err(|_| self.refused())?;
        if of.is_distinct() || of.ignore_nulls() || !of.order_bys().is_empty() {
            return Err(self.refused());
        }
        let fun: &dyn Any = of.fun().inner().as_ref();
        let frame = self.frame(frame)?;
        if fun.is::<Count>() && !argument.nullable(self.schema)? {
            let function = WindowFunction::Aggregate(WindowMeasure::CountRows);
            return Ok(WindowCall { function, frame, value: None, data_type: data_type.clone() });
        }
        let value = self.scope.lower(&argument)?;
        let is_float = is_floating(&value.data_type);
        let is_boolean = value.data_type == DataType::Boolean;
        let is_binary = matches!(value.data_type, DataType::Binary | DataType::LargeBinary);
        let (measure, value) = if fun.is::<Count>() {
            (WindowMeasure::Count, value)
        } else if (fun.is::<Min>() && !is_binary) || (fun.is::<BoolAnd>() && is_boolean) {
            (WindowMeasure::Min, value)
        } else if (fun.is::<Max>() && !is_binary) || (fun.is::<BoolOr>() && is_boolean) {
            (WindowMeasure::Max, value)
        } else if is_sum(fun) && (is_float || is_integral(&value.data_type) || is_narrow(&value.data_type)) {
            (WindowMeasure::Sum, cast(value, data_type, OnOverflow::Null)?)
        } else if fun.is::<Avg>() && value.data_type == DataType::Float64 {
            (WindowMeasure::Mean, value)
        } else if let (true, DataType::Decimal128(precision, scale)) =
            (fun.is::<Avg>(), argument.data_type(self.schema)?)
        {
            if may_exceed_128_bits(precision) {
                return Err(self.because("whose sums of decimals may not fit 128 bits"));
            }
            let wide = DataType::Decimal128(38, scale);
            (WindowMeasure::DecimalMean, cast(value, &wide, OnOverflow::Null)?)
        } else {
            return Err(self.refused());
        };
        if is_float && matches!(measure, WindowMeasure::Sum | WindowMeasure::Mean) && !frame.begins_at_start() {
            return Err(self.because("whose moving sum of floats would be rounded differently than in DataFusion"));
        }
        let function = WindowFunction::Aggregate(measure);
        Ok(WindowCall { function, frame, value: Some(self.value(value)), data_type: data_type.clone() })
    }

    fn value(&mut self, value: Lowered) -> usize {
        self.values.push(value);
        self.values.len() - 1
    }

    fn frame(&self, of: &WindowFrame) -> Result<Frame, Refusal> {
        let refused =
            || self.because("whose frame has a distance that is neither rows, nor integers or days of a single key");
        let (from_start, to_end) = (of.start_bound.is_unbounded(), of.end_bound.is_unbounded());
        if from_start && to_end {
            return Ok(Frame::ALL);
        }
        if of.units == WindowFrameUnits::Rows {
            // DataFusion does not count the current row as a preceding row, but gdf does.
            let preceding = match before(&of.start_bound).ok_or_else(refused)? {
                _ if from_start => WindowBound::Unbounded,
                rows => WindowBound::Rows(rows + 1),
            };
            let following = match before(&of.end_bound).ok_or_else(refused)? {
                _ if to_end => WindowBound::Unbounded,
                rows => WindowBound::Rows(-rows),
            };
            if let (WindowBound::Rows(preceding), WindowBound::Rows(following)) = (preceding, following)
                && preceding + following < 1
            {
                return Err(self.because("whose frame is empty"));
            }
            return Ok(Frame::Rows { preceding, following });
        }
        if of.units == WindowFrameUnits::Groups && !self.function.order_by().is_empty() {
            return Ok(Frame::Groups {
                preceding: groups_end(&of.start_bound, true).ok_or_else(refused)?,
                following: groups_end(&of.end_bound, false).ok_or_else(refused)?,
            });
        }
        let Some(key) = self.function.order_by().first() else {
            // Without an order key, all rows are peers.
            return Ok(Frame::ALL);
        };
        let data_type = key.expr.data_type(self.schema)?;
        let is_single = self.function.order_by().len() == 1 && of.units == WindowFrameUnits::Range;
        let end = |bound: &WindowFrameBound, is_start: bool| match range_end(bound, is_start, &data_type)? {
            RangeEnd::Distance(_) if !is_single => None,
            end => Some(end),
        };
        let SortOptions { descending, nulls_first } = key.options;
        Ok(Frame::Range {
            preceding: end(&of.start_bound, true).ok_or_else(refused)?,
            following: end(&of.end_bound, false).ok_or_else(refused)?,
            order: if descending { Order::Descending } else { Order::Ascending },
            // `null_order` is the place of nulls in an ascending sort. A descending sort reverses the place of nulls,
            // too.
            null_order: if nulls_first == descending { NullOrder::After } else { NullOrder::Before },
            outside: [
                outside(&of.start_bound, &data_type, descending),
                match of.end_bound {
                    WindowFrameBound::Following(_) => outside(&of.end_bound, &data_type, descending),
                    // DataFusion leaves this end behind null keys that are first, as gdf does.
                    WindowFrameBound::Preceding(_) | WindowFrameBound::CurrentRow => None,
                },
            ],
        })
    }
}

/// Returns an end of a GROUPS frame.
fn groups_end(bound: &WindowFrameBound, is_start: bool) -> Option<RangeEnd> {
    let signed = |distance: &ScalarValue| distance.cast_to(&DataType::Int64).ok();
    let bound = match bound {
        WindowFrameBound::CurrentRow => WindowFrameBound::CurrentRow,
        WindowFrameBound::Preceding(distance) => WindowFrameBound::Preceding(signed(distance)?),
        WindowFrameBound::Following(distance) => WindowFrameBound::Following(signed(distance)?),
    };
    range_end(&bound, is_start, &DataType::Int64)
}

/// Returns an end of a RANGE frame over keys of type `data_type`. A distance is positive if it leads away from the
/// current row: backward at the start of the frame, and forward at its end.
fn range_end(bound: &WindowFrameBound, is_start: bool, data_type: &DataType) -> Option<RangeEnd> {
    let (distance, is_away) = match bound {
        WindowFrameBound::CurrentRow => return Some(RangeEnd::Peers),
        WindowFrameBound::Preceding(distance) => (distance, is_start),
        WindowFrameBound::Following(distance) => (distance, !is_start),
    };
    if distance.is_null() {
        return is_away.then_some(RangeEnd::Unbounded);
    }
    let distance = match data_type {
        DataType::Date32 => ScalarValue::Int32(Some(whole_days(distance)?)),
        integers if is_integral(integers) && distance.data_type() == *integers => distance.clone(),
        _ => return None,
    };
    let distance = if is_away { distance } else { distance.arithmetic_negate().ok()? };
    value_of(&distance).ok().map(RangeEnd::Distance)
}

/// Returns the condition that the key in column 0 plus or minus the distance of the bound is outside of the integers of
/// `data_type`. Returns `None` for bounds that cannot be outside. For types without a sign, DataFusion takes 0 for
/// numbers below 0, which finds the same rows.
fn outside(bound: &WindowFrameBound, data_type: &DataType, descending: bool) -> Option<Expr> {
    let (distance, is_added) = match bound {
        WindowFrameBound::CurrentRow => return None,
        WindowFrameBound::Preceding(distance) => (distance, descending),
        WindowFrameBound::Following(distance) => (distance, !descending),
    };
    if distance.is_null() || !is_integral(data_type) || (is_unsigned_integral(data_type) && !is_added) {
        return None;
    }
    // The last key from which the distance leads to an integer of the type.
    let last = match is_added {
        true => ScalarValue::max(data_type)?.sub_checked(distance),
        false => ScalarValue::min(data_type)?.add_checked(distance),
    };
    let last = lit(value_of(&last.ok()?).ok()?);
    Some(if is_added { col(0).gt(last) } else { col(0).lt(last) })
}

fn is_narrow(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..))
}

/// Returns the number of rows from the bound to the current row. The number is negative for a bound after the current
/// row, and 0 for an unbounded frame end.
fn before(bound: &WindowFrameBound) -> Option<i64> {
    /// A number that is greater than the number of rows of any table.
    const MOST: u64 = 1 << 48;
    let rows = |value: &ScalarValue| match value {
        ScalarValue::UInt64(Some(rows)) => i64::try_from((*rows).min(MOST)).ok(),
        value if value.is_null() => Some(0),
        _ => None,
    };
    match bound {
        WindowFrameBound::Preceding(value) => rows(value),
        WindowFrameBound::CurrentRow => Some(0),
        WindowFrameBound::Following(value) => rows(value).map(|rows| -rows),
    }
}

fn literal(of: &Arc<dyn PhysicalExpr>) -> Option<ScalarValue> {
    of.downcast_ref::<Literal>().map(|literal| literal.value().clone())
}

fn integer(of: &Arc<dyn PhysicalExpr>) -> Option<i64> {
    match literal(of)?.cast_to(&DataType::Int64) {
        Ok(ScalarValue::Int64(value)) => value,
        _ => None,
    }
}
