//! `aggregate`: checks, passes, and the choice of backend.

pub(super) mod cuda;
pub(super) mod host;
#[cfg(test)]
mod many_groups_tests;
pub(super) mod passes;
pub(super) mod plan;
#[cfg(test)]
mod tests;

use gdf_core::{Abilities, Column, ColumnView, Error, Position, Result, Table, TableView};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::keys::MAX_KEYS;
use gdf_engine::limits::GroupByLimits;

use self::passes::{Decode, Groups, Overflow, PrepareKeys, RankValues, finished};
use self::plan::AggregationPlan;
use super::NullPolicy;
use super::by_order::ByOrder;
use super::empty::empty_column;
use super::request::{AggregationRequest, ComputedRequests};
use crate::Ctx;
use crate::vouch;

/// Returns the distinct keys, and a result column per request and aggregation.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument) if there are no key columns or more than 32 key columns. On CUDA, also
///   in two further cases. First, there are more than 61 columns of strings or binary among keys and results. Second,
///   there are 2³²−1 or more rows, and the aggregations contain `Nunique` or the keys of a row have more than 64
///   bits.
/// * [`LengthMismatch`](Error::LengthMismatch), [`DeviceMismatch`](Error::DeviceMismatch).
/// * [`Unsupported`](Error::Unsupported) for keys or values of types that cannot be compared, and for aggregations
///   that do not support the type of the values.
/// * [`OffsetOverflow`](Error::OffsetOverflow) if the text of the keys is too long for 32-bit offsets.
/// * Driver and memory errors.
pub fn aggregate<'a>(
    keys: impl Into<TableView<'a>>,
    null_policy: NullPolicy,
    requests: &[AggregationRequest<'_>],
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    aggregate_all(GroupByLimits::default(), &keys.into(), null_policy, requests, None, ctx)
}

/// Computes the same result as [`aggregate`], with other thresholds between strategies.
///
/// # Errors
/// The errors are the errors of [`aggregate`].
#[doc(hidden)]
pub fn aggregate_within<'a>(
    limits: GroupByLimits,
    keys: impl Into<TableView<'a>>,
    null_policy: NullPolicy,
    requests: &[AggregationRequest<'_>],
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    aggregate_all(limits, &keys.into(), null_policy, requests, None, ctx)
}

/// Returns the distinct keys, and the results of `requests` and then those of `computed`.
pub(super) fn aggregate_all(
    limits: GroupByLimits,
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    requests: &[AggregationRequest<'_>],
    computed: Option<&ComputedRequests<'_>>,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    if !requests.iter().any(has_order) {
        check(keys, requests.iter().map(|request| request.values), ctx)?;
        return by_requests(&limits, keys, null_policy, requests, computed, ctx);
    }
    let columns = computed.map(|computed| computed.projection.columns(ctx.scratch())).transpose()?.unwrap_or_default();
    let computed = columns.iter().zip(computed.iter().flat_map(|computed| &computed.aggregations));
    let computed = computed.map(|(values, of)| AggregationRequest::new(values, of.clone()));
    let requests: Vec<_> = requests.iter().cloned().chain(computed).collect();
    check(keys, requests.iter().map(|request| request.values), ctx)?;
    let order = ByOrder::prepare(keys, null_policy, &requests)?;
    let groups = |ctx: Ctx<'_>| by_requests(&limits, keys, null_policy, order.requests(), None, ctx);
    finished(&[&order], groups, ctx)
}

fn has_order(request: &AggregationRequest<'_>) -> bool {
    request.aggregations.iter().any(|of| of.is_of_order(request.values.data_type()))
}

/// Aggregates requests that do not need ordered rows.
fn by_requests(
    limits: &GroupByLimits,
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    requests: &[AggregationRequest<'_>],
    computed: Option<&ComputedRequests<'_>>,
    ctx: Ctx<'_>,
) -> Result<Groups> {
    let decode = Decode::prepare(requests, ctx.scratch())?;
    let requests = decode.requests(requests);
    let ranks = RankValues::prepare(&requests, keys.num_rows(), ctx.scratch())?;
    let mut plan = AggregationPlan::new(&ranks.requests(), keys.num_rows())?;
    if let Some(computed) = computed {
        plan.add_computed(computed, keys.num_rows())?;
    }
    let of_requests = requests.iter().map(|request| &request.aggregations);
    let aggregations = of_requests.chain(computed.iter().flat_map(|computed| &computed.aggregations));
    let overflow = Overflow::prepare(aggregations.map(Vec::as_slice));
    let groups = |ctx: Ctx<'_>| by_plan(keys, null_policy, plan, limits, ctx);
    finished(&[&overflow, &ranks], groups, ctx)
}

/// Aggregates with the accumulators of a plan.
pub(super) fn by_plan(
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    plan: AggregationPlan<'_>,
    limits: &GroupByLimits,
    ctx: Ctx<'_>,
) -> Result<Groups> {
    if keys.num_rows() == 0 {
        return empty(keys, &plan, ctx);
    }
    let Some(prepared) = PrepareKeys::prepare(keys, null_policy, &plan, ctx.scratch())? else {
        return on_device(keys, null_policy, &plan, limits, ctx);
    };
    let plan = prepared.plan(plan)?;
    let groups = |ctx: Ctx<'_>| on_device(&prepared.keys()?, prepared.null_policy, &plan, limits, ctx);
    finished(&[&prepared], groups, ctx)
}

fn on_device(
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    plan: &AggregationPlan<'_>,
    limits: &GroupByLimits,
    ctx: Ctx<'_>,
) -> Result<Groups> {
    let (groups, results) = match ctx.stream.device() {
        Device::Cpu => host::aggregate(keys, null_policy, plan, ctx),
        Device::Cuda(_) => cuda::aggregate(keys, null_policy, plan, limits, ctx),
    }?;
    if let [key] = groups.columns() {
        vouch::distinct(key.view());
    }
    Ok((groups, results))
}

pub(super) fn check<'v>(
    keys: &TableView<'_>,
    values: impl Iterator<Item = ColumnView<'v>>,
    ctx: Ctx<'_>,
) -> Result<()> {
    check::table(keys, ctx)?;
    if !(1..=MAX_KEYS).contains(&keys.num_columns()) {
        return Err(Error::invalid_number(
            "the number of key columns must be in the range from 1 to 32",
            keys.num_columns() as i128,
        ));
    }
    for (i, key) in keys.columns().iter().enumerate() {
        if !Abilities::of(key.data_type()).is_key() {
            let error = Error::unsupported("groupby keys", key.data_type());
            return Err(error.in_argument("keys").at(Position::Column(i)));
        }
    }
    for (i, values) in values.enumerate() {
        let in_request = |error: Error| error.at(Position::Request(i));
        check::column(values, ctx).map_err(in_request)?;
        check::length(keys.num_rows(), values.len()).map_err(in_request)?;
    }
    Ok(())
}

fn empty(keys: &TableView<'_>, plan: &AggregationPlan<'_>, ctx: Ctx<'_>) -> Result<Groups> {
    let column = |data_type| empty_column(data_type, ctx);
    let keys = keys.columns().iter().map(|key| column(key.data_type())).collect::<Result<_>>()?;
    let results = plan.results.iter().map(|results| {
        results.iter().map(|result_column| column(&result_column.data_type)).collect::<Result<Vec<_>>>()
    });
    Ok((Table::try_new(keys)?, results.collect::<Result<_>>()?))
}
