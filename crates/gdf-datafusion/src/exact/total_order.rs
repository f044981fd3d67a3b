//! Extremes of floats in the total order, in which NaN is the greatest number.
//!
//! The groups of DataFusion compare floats by a partial order: a NaN is replaced by the next value, and the greatest of
//! only negative infinities is the smallest finite number. Its extremes without groups have the total order.

use std::any::Any;
use std::sync::{Arc, LazyLock};

use arrow_schema::DataType;
use datafusion::error::Result;
use datafusion::functions_aggregate::min_max::{Max, Min};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, ReversedUDAF, SetMonotonicity, Signature,
    StatisticsArgs,
};
use datafusion::physical_expr::aggregate::{AggregateExprBuilder, AggregateFunctionExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::scalar::ScalarValue;

static TOTAL_MIN: LazyLock<Arc<AggregateUDF>> =
    LazyLock::new(|| Arc::new(AggregateUDF::new_from_impl(TotalOrder { of: Min::new() })));
static TOTAL_MAX: LazyLock<Arc<AggregateUDF>> =
    LazyLock::new(|| Arc::new(AggregateUDF::new_from_impl(TotalOrder { of: Max::new() })));

/// Returns the extreme with the total order by the name of DataFusion's function.
pub(crate) fn total_order(name: &str) -> Option<Arc<AggregateUDF>> {
    match name {
        "min" => Some(Arc::clone(&TOTAL_MIN)),
        "max" => Some(Arc::clone(&TOTAL_MAX)),
        _ => None,
    }
}

/// `min` or `max` without the accumulator for groups, so that groups have the accumulator without groups.
#[derive(Debug, PartialEq, Eq, Hash)]
struct TotalOrder<F> {
    of: F,
}

impl<F: AggregateUDFImpl + PartialEq + Eq + std::hash::Hash> AggregateUDFImpl for TotalOrder<F> {
    fn name(&self) -> &str {
        self.of.name()
    }

    fn signature(&self) -> &Signature {
        self.of.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.of.return_type(types)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.of.coerce_types(types)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        self.of.accumulator(args)
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        self.of.create_sliding_accumulator(args)
    }

    fn is_descending(&self) -> Option<bool> {
        self.of.is_descending()
    }

    fn value_from_stats(&self, statistics: &StatisticsArgs) -> Option<ScalarValue> {
        self.of.value_from_stats(statistics)
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.of.order_sensitivity()
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        self.of.set_monotonicity(data_type)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.of.documentation()
    }
}

/// Returns the node with extremes in the total order, if it is an aggregate of DataFusion that has extremes of floats.
pub(super) fn with_total_order(node: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let Some(aggregate) = node.downcast_ref::<AggregateExec>() else { return Ok(node) };
    let replaced = |call: &Arc<AggregateFunctionExpr>| -> Result<Option<Arc<AggregateFunctionExpr>>> {
        let inner: &dyn Any = call.fun().inner().as_ref();
        if !(inner.is::<Min>() || inner.is::<Max>()) || !call.field().data_type().is_floating() {
            return Ok(None);
        }
        let Some(total) = total_order(call.fun().name()) else { return Ok(None) };
        let builder = AggregateExprBuilder::new(total, call.expressions())
            .schema(aggregate.input_schema())
            .alias(call.name())
            .order_by(call.order_bys().to_vec())
            .with_distinct(call.is_distinct())
            .with_ignore_nulls(call.ignore_nulls())
            .with_reversed(call.is_reversed());
        let builder = match call.human_display() {
            Some(name) => builder.human_display(name),
            None => builder,
        };
        let builder = match call.human_display_alias() {
            Some(alias) => builder.human_display_alias(alias),
            None => builder,
        };
        Ok(Some(Arc::new(builder.build()?)))
    };
    let calls = aggregate.aggr_expr().iter().map(replaced).collect::<Result<Vec<_>>>()?;
    if calls.iter().all(Option::is_none) {
        return Ok(node);
    }
    let calls = calls.into_iter().zip(aggregate.aggr_expr()).map(|(new, old)| new.unwrap_or_else(|| Arc::clone(old)));
    Ok(Arc::new(aggregate.with_new_aggr_exprs(calls.collect::<Vec<_>>())))
}
