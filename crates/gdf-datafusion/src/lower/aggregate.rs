//! Lowers aggregates.

use std::any::Any;
use std::sync::Arc;

use arrow_schema::{DataType, Schema};
use datafusion::functions_aggregate::average::Avg;
use datafusion::functions_aggregate::bool_and_or::{BoolAnd, BoolOr};
use datafusion::functions_aggregate::count::Count;
use datafusion::functions_aggregate::min_max::{Max, Min};
use datafusion::functions_aggregate::stddev::{Stddev, StddevPop};
use datafusion::functions_aggregate::variance::{VariancePopulation, VarianceSample};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use gdf_core::{is_floating, is_integral};
use gdf_exec::{Aggregate, Call, Finish, Measure, Node, Request, determined_keys, grouped_early, plain_types};
use gdf_expr::{Expr, Value, coalesce, lit, when};

use super::expressions::{Lowered, Scope};
use super::rows::{computed, parts, rows_of, too_deep};
use super::{Lowering, passed};
use crate::error::Refusal;
use crate::exact::is_sum;

/// The largest number of keys of a group-by.
const MAX_KEYS: usize = 31;

/// Lowers an aggregate that has a single phase, a final phase together with the partial phase below it, or a partial
/// phase. The result columns of a partial phase are the states that a final phase of DataFusion reads.
pub(super) fn aggregate(lowering: &mut Lowering, of: &AggregateExec) -> Result<Node, Refusal> {
    let first = match of.mode() {
        AggregateMode::Single | AggregateMode::SinglePartitioned | AggregateMode::Partial => of,
        AggregateMode::Final | AggregateMode::FinalPartitioned => partial(of.input()).ok_or_else(|| {
            Refusal::variant("AggregateExec", "a final phase whose partial phase is not in the same plan")
        })?,
        mode => return Err(Refusal::variant("AggregateExec", format!("the mode {mode:?}"))),
    };
    let is_partial = *of.mode() == AggregateMode::Partial;
    let partitions = of.input().output_partitioning().partition_count();
    if is_partial && partitions > 1 {
        // DataFusion returns one state of a group for each partition, and gdf returns one state in all. The option
        // `verify` could not compare these rows.
        return Err(Refusal::Partitions(partitions));
    }
    let schema = first.input().schema();
    let results = plain_types(&of.schema())?;
    let groups = first.group_expr();
    let keys = groups.expr().len();
    if keys > MAX_KEYS {
        return Err(Refusal::variant("AggregateExec", format!("{keys} keys, which are more than {MAX_KEYS}")));
    }
    let mut scope = Scope::new(&schema, &mut lowering.subqueries)?;
    let mut values = groups.expr().iter().map(|(key, _)| scope.lower(key)).collect::<Result<Vec<_>, _>>()?;
    let groupings = groupings(groups, results.get(keys))?;
    let start = keys + usize::from(!groupings.is_empty());
    let mut measures = Measures { values: &mut values, requests: Vec::new(), calls: Vec::new() };
    for (at, (function, filter)) in first.aggr_expr().iter().zip(first.filter_expr()).enumerate() {
        let refused = || Refusal::Aggregate(function.name().to_owned());
        let filter = filter.as_ref().map(|filter| scope.lower(filter)).transpose()?;
        if is_partial {
            let outputs = results.get(start + measures.calls.len()..).ok_or_else(refused)?;
            measures.add_states(&mut scope, &schema, function, filter, outputs)?;
            continue;
        }
        let output = results.get(start + at).ok_or_else(refused)?;
        measures.add(&mut scope, &schema, function, filter, output)?;
    }
    let Measures { requests, calls, .. } = measures;
    let column_calls = scope.into_calls();
    let mut rows = rows_of(lowering, first.input())?;
    let key_types = values[..keys].iter().map(|key| key.data_type.clone()).collect();
    let (values, checks) = parts(computed(&mut rows, &column_calls, values)?);
    rows.project(&values, &checks).map_err(too_deep)?;
    lowering.is_worthwhile = true;
    let determined = if groupings.is_empty() { determined_keys(&rows, keys) } else { Vec::new() };
    let aggregate = Aggregate { rows, keys: key_types, requests, calls, groupings, determined };
    Ok(Node::Aggregate(Box::new(grouped_early(aggregate))))
}

/// Returns the partial phase below a final phase. Nodes that move rows or merge sorted partitions may be in between.
fn partial(input: &Arc<dyn ExecutionPlan>) -> Option<&AggregateExec> {
    if let Some(of) = input.downcast_ref::<AggregateExec>() {
        return (*of.mode() == AggregateMode::Partial).then_some(of);
    }
    if input.fetch().is_some() {
        return None;
    }
    match input.downcast_ref::<SortPreservingMergeExec>() {
        Some(merge) => partial(merge.input()),
        None => partial(passed(input)?),
    }
}

/// Returns the groupings of `GROUPING SETS`, each with its grouping id. `number` is the type of the grouping id.
fn groupings(groups: &PhysicalGroupBy, number: Option<&DataType>) -> Result<Vec<(Vec<bool>, Value)>, Refusal> {
    if !groups.has_grouping_set() {
        return Ok(Vec::new());
    }
    let refused = || {
        Refusal::variant(
            "AggregateExec",
            "a grouping set that occurs twice, or more keys than the grouping id has bits",
        )
    };
    let all = groups.groups();
    let is_repeated = all.iter().enumerate().any(|(at, grouping)| all[..at].contains(grouping));
    let data_type = number.filter(|number| is_integral(number) && !is_repeated).ok_or_else(refused)?;
    let numbered = |grouping: &Vec<bool>| {
        let number = grouping.iter().fold(0_u64, |number, is_left_out| number << 1 | u64::from(*is_left_out));
        let value = Value::from(number).with_type(data_type).map_err(|_| refused())?;
        Ok((grouping.clone(), value))
    };
    all.iter().map(numbered).collect()
}

/// The requests and result columns of an aggregate that were collected so far.
struct Measures<'v> {
    /// The keys, followed by the arguments of the requests.
    values: &'v mut Vec<Lowered>,
    requests: Vec<Request>,
    calls: Vec<Call>,
}

impl Measures<'_> {
    fn add(
        &mut self,
        scope: &mut Scope<'_>,
        schema: &Schema,
        of: &AggregateFunctionExpr,
        filter: Option<Lowered>,
        output: &DataType,
    ) -> Result<(), Refusal> {
        let refused = || Refusal::Aggregate(of.name().to_owned());
        let [argument] = <[Arc<dyn PhysicalExpr>; 1]>::try_from(of.expressions()).map_err(|_| refused())?;
        if !of.order_bys().is_empty() {
            return Err(refused());
        }
        let fun: &dyn Any = of.fun().inner().as_ref();
        let is_distinct = of.is_distinct();
        if fun.is::<Count>() && !is_distinct && !argument.nullable(schema)? && filter.is_none() {
            let request = self.request(None, Measure::CountRows, DataType::Int64);
            self.calls.push(Call { finish: Finish::Request(request), data_type: output.clone() });
            return Ok(());
        }
        let value = scope.lower(&argument)?;
        let data_type = value.data_type.clone();
        let value = match filter {
            None => value,
            Some(filter) => filtered(value, filter),
        };
        if let (true, false, DataType::Decimal128(precision, scale)) =
            (fun.is::<Avg>(), is_distinct, argument.data_type(schema)?)
        {
            let at = self.value(value);
            let sum = self.request(Some(at), Measure::Sum, DataType::Decimal128(38, scale));
            let count = self.request(Some(at), Measure::Count, DataType::Int64);
            let bound = |measures: &mut Self, measure| measures.request(Some(at), measure, data_type.clone());
            let bounds = may_exceed_128_bits(precision).then(|| [Measure::Min, Measure::Max].map(|of| bound(self, of)));
            self.calls.push(Call { finish: Finish::DecimalMean { sum, count, bounds }, data_type: output.clone() });
            return Ok(());
        }
        let measure = measure(fun, is_distinct, &data_type).ok_or_else(refused)?;
        let of_request = match measure {
            Measure::CountRows | Measure::Count | Measure::CountDistinct => DataType::Int64,
            _ => output.clone(),
        };
        let at = self.value(value);
        let request = self.request(Some(at), measure, of_request);
        let finish = match (measure, &data_type) {
            // Fewer digits leave room for the sum of 10¹⁰ values.
            (Measure::Sum, DataType::Decimal128(precision, _)) if *precision > 28 => {
                let bound = |measures: &mut Self, measure| measures.request(Some(at), measure, data_type.clone());
                let bounds = [Measure::Min, Measure::Max].map(|of| bound(self, of));
                let count = self.request(Some(at), Measure::Count, DataType::Int64);
                Finish::CheckedSum { sum: request, count, bounds }
            }
            _ => Finish::Request(request),
        };
        self.calls.push(Call { finish, data_type: output.clone() });
        Ok(())
    }

    /// Adds the states of a function in a partial phase. `outputs` begins with the types of the states.
    fn add_states(
        &mut self,
        scope: &mut Scope<'_>,
        schema: &Schema,
        of: &AggregateFunctionExpr,
        filter: Option<Lowered>,
        outputs: &[DataType],
    ) -> Result<(), Refusal> {
        let refused = || Refusal::Aggregate(format!("{} in a partial phase", of.name()));
        let fun: &dyn Any = of.fun().inner().as_ref();
        let (states, output) = (of.state_fields()?.len(), outputs.first().ok_or_else(refused)?);
        if of.is_distinct() {
            return Err(refused());
        }
        let has_one_state = fun.is::<Count>()
            || is_sum(fun)
            || fun.is::<Min>()
            || fun.is::<Max>()
            || fun.is::<BoolAnd>()
            || fun.is::<BoolOr>();
        if has_one_state && states == 1 {
            return self.add(scope, schema, of, filter, output);
        }
        // The states of a mean are the number and the sum of the values.
        let (true, [count_type, sum_type, ..]) = (fun.is::<Avg>() && states == 2, outputs) else {
            return Err(refused());
        };
        let [argument] = <[Arc<dyn PhysicalExpr>; 1]>::try_from(of.expressions()).map_err(|_| refused())?;
        let value = scope.lower(&argument)?;
        // gdf adds decimals with 128 bits, which is too narrow for a sum that DataFusion declares with 256 bits.
        let is_narrow = match (argument.data_type(schema)?, sum_type) {
            (DataType::Decimal128(_, scale), DataType::Decimal64(_, of_sum) | DataType::Decimal128(_, of_sum)) => {
                scale == *of_sum
            }
            _ => false,
        };
        if !(value.data_type == DataType::Float64 || is_narrow) || *count_type != DataType::UInt64 {
            return Err(refused());
        }
        let value = match filter {
            None => value,
            Some(filter) => filtered(value, filter),
        };
        let at = self.value(value);
        let count = self.request(Some(at), Measure::Count, DataType::Int64);
        let sum = self.request(Some(at), Measure::Sum, sum_type.clone());
        self.calls.push(Call { finish: Finish::Request(count), data_type: count_type.clone() });
        self.calls.push(Call { finish: Finish::Request(sum), data_type: sum_type.clone() });
        Ok(())
    }

    fn value(&mut self, value: Lowered) -> usize {
        self.values.push(value);
        self.values.len() - 1
    }

    fn request(&mut self, values: Option<usize>, measure: Measure, data_type: DataType) -> usize {
        self.requests.push(Request { values, measure, data_type });
        self.requests.len() - 1
    }
}

/// Returns whether the sum of 10¹³ decimals with this precision may exceed 128 bits. DataFusion adds such decimals with
/// 256 bits to compute a mean.
pub(super) fn may_exceed_128_bits(precision: u8) -> bool {
    precision + 13 > 38
}

/// Returns the aggregation for an aggregate function of DataFusion, or `None` if gdf does not support the function for
/// the type.
fn measure(fun: &dyn Any, is_distinct: bool, data_type: &DataType) -> Option<Measure> {
    let is_narrow_decimal =
        matches!(data_type, DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..));
    let is_double = *data_type == DataType::Float64;
    let is_bytes = matches!(data_type, DataType::Binary | DataType::LargeBinary);
    // DISTINCT does not change the smallest and the largest value.
    if fun.is::<Min>() && !is_bytes {
        return Some(Measure::Min);
    }
    if fun.is::<Max>() && !is_bytes {
        return Some(Measure::Max);
    }
    if fun.is::<Count>() {
        return Some(if is_distinct { Measure::CountDistinct } else { Measure::Count });
    }
    if is_distinct {
        return None;
    }
    if is_sum(fun) {
        return (is_integral(data_type) || is_floating(data_type) || is_narrow_decimal).then_some(Measure::Sum);
    }
    if fun.is::<Avg>() {
        return is_double.then_some(Measure::Mean);
    }
    if fun.is::<BoolAnd>() {
        return (*data_type == DataType::Boolean).then_some(Measure::Min);
    }
    if fun.is::<BoolOr>() {
        return (*data_type == DataType::Boolean).then_some(Measure::Max);
    }
    let spread = if fun.is::<VarianceSample>() {
        Measure::Variance { ddof: 1 }
    } else if fun.is::<VariancePopulation>() {
        Measure::Variance { ddof: 0 }
    } else if fun.is::<Stddev>() {
        Measure::Std { ddof: 1 }
    } else if fun.is::<StddevPop>() {
        Measure::Std { ddof: 0 }
    } else {
        return None;
    };
    is_double.then_some(spread)
}

/// Returns an expression for the value in rows for which `filter` is true, and for null in the other rows. Aggregations
/// skip nulls.
fn filtered(value: Lowered, filter: Lowered) -> Lowered {
    let value = value.guarded(&coalesce([filter.value.clone(), lit(false)]));
    let checks = value.checks.into_iter().chain(filter.checks).collect();
    let null: Expr = lit(Value::null(value.data_type.clone()));
    let kept = when(filter.value, value.value).otherwise(null).cast(value.data_type.clone());
    Lowered { value: kept, data_type: value.data_type, checks }
}
