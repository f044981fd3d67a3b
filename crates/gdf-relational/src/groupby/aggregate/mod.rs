//! `aggregate`: checks, and the choice of backend.

pub(super) mod cuda;
mod flattened;
pub(super) mod host;
#[cfg(test)]
mod many_groups_tests;
pub(super) mod plan;
mod ranked;
#[cfg(test)]
mod tests;

use gdf_compute::filling::row_numbers;
use gdf_compute::flattened_keys::FlattenedKeys;
use gdf_compute::nested_keys::{KeyNulls, ranked_keys};
use gdf_compute::reduction::with_overflow;
use gdf_core::{Abilities, Column, ColumnView, Error, Position, Result, Table, TableView};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::decoded::{Decoded, Reads};
use gdf_engine::keys::MAX_KEYS;

use self::plan::AggregationPlan;
use self::ranked::RankedRequests;
use super::empty::empty_column;
use super::request::{AGGREGATE, AggregationRequest, ComputedRequests};
use super::{GroupByAggregation, NullPolicy, by_order};
use crate::Ctx;
use crate::vouch;
use crate::vouch::gather_trusted;
use gdf_engine::limits::GroupByLimits;

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
    let is_of_order = |request: &AggregationRequest<'_>| {
        request.aggregations.iter().any(|of| of.is_of_order(request.values.data_type()))
    };
    let in_order = requests.iter().any(is_of_order);
    if let (true, Some(computed)) = (in_order, computed) {
        let columns = computed.projection.columns(ctx.scratch())?;
        let all = columns.iter().zip(&computed.aggregations);
        let all = all.map(|(values, of)| AggregationRequest::new(values, of.clone()));
        let all: Vec<_> = requests.iter().cloned().chain(all).collect();
        return aggregate_all(limits, keys, null_policy, &all, None, ctx);
    }
    check(keys, requests.iter().map(|request| request.values), ctx)?;
    let unordered = |limits: GroupByLimits, requests: &[AggregationRequest<'_>], ctx: Ctx<'_>| {
        let decoded = decoded_values(requests, ctx.scratch())?;
        let requests = &with_decoded_values(requests, &decoded);
        let ranked = RankedRequests::of(requests, keys.num_rows(), ctx)?;
        let mut plan = AggregationPlan::new(&ranked.requests(requests), keys.num_rows())?;
        if let Some(computed) = computed {
            plan.add_computed(computed, keys.num_rows())?;
        }
        let groups = |ctx: Ctx<'_>| {
            let (groups, mut results) = run(keys, null_policy, plan, &limits, ctx)?;
            let of_computed = results.split_off(requests.len());
            let mut results = ranked.results(requests, results, ctx)?;
            results.extend(of_computed);
            Ok((groups, results))
        };
        let of_computed = computed.iter().flat_map(|computed| &computed.aggregations).map(Vec::as_slice);
        let aggregations: Vec<_> =
            requests.iter().map(|request| &request.aggregations[..]).chain(of_computed).collect();
        with_overflows(&aggregations, groups, ctx)
    };
    if in_order {
        return by_order::aggregate(keys, null_policy, requests, limits, ctx, unordered);
    }
    unordered(limits, requests, ctx)
}

/// Returns the keys and results that `groups` computes. The exact sums of `SumOverflow` become structs of a wrapped sum
/// and an overflow flag.
pub(super) fn with_overflows(
    aggregations: &[&[GroupByAggregation]],
    groups: impl FnOnce(Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)>,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    if !aggregations.iter().any(|of| of.contains(&GroupByAggregation::SumOverflow)) {
        return groups(ctx);
    }
    let (keys, results) = groups(ctx.scratch())?;
    let kept = |column: &Column| column.deep_copy(ctx.stream, ctx.mr.output);
    let result = |(of, column): (&GroupByAggregation, &Column)| match of {
        GroupByAggregation::SumOverflow => with_overflow(column, ctx),
        _ => kept(column),
    };
    let results = aggregations.iter().zip(&results);
    let results = results.map(|(of, columns)| of.iter().zip(columns).map(result).collect::<Result<Vec<_>>>());
    let results = results.collect::<Result<_>>()?;
    Ok((Table::try_new(keys.columns().iter().map(kept).collect::<Result<_>>()?)?, results))
}

pub(super) fn decoded_values<'a>(requests: &[AggregationRequest<'a>], ctx: Ctx<'_>) -> Result<Vec<Decoded<'a>>> {
    let decode = |request: &AggregationRequest<'a>| {
        let reads = request.aggregations.iter().map(|of| of.reads()).max();
        reads.unwrap_or(Reads::Rows).decode(request.values, ctx)
    };
    requests.iter().map(decode).collect()
}

pub(super) fn with_decoded_values<'a>(
    requests: &[AggregationRequest<'a>],
    decoded: &'a [Decoded<'_>],
) -> Vec<AggregationRequest<'a>> {
    let requests = requests.iter().zip(decoded);
    requests.map(|(request, values)| AggregationRequest { values: values.view(), ..request.clone() }).collect()
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

pub(super) fn run(
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    plan: AggregationPlan<'_>,
    limits: &GroupByLimits,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    if keys.num_rows() == 0 {
        return empty(keys, &plan, ctx);
    }
    let scratch = ctx.scratch();
    if let Some(flattened) = FlattenedKeys::of(AGGREGATE, keys, scratch)? {
        let columns = plan.computed_columns(scratch)?;
        let plan = plan.with_columns(&columns);
        return flattened::run(keys, &flattened, null_policy, plan, limits, ctx);
    }
    let decoded = ranked_keys(AGGREGATE, keys, KeyNulls::default(), scratch)?;
    if decoded.are_given() {
        return run_decoded(keys, null_policy, &plan, limits, ctx);
    }
    // The keys of the result are the keys of the first row of each group.
    let rows = row_numbers(keys.num_rows(), scratch)?;
    let columns = plan.computed_columns(scratch)?;
    let mut plan = plan.with_columns(&columns);
    plan.add_first_rows(rows.view())?;
    let (own, mut results) = run_decoded(&decoded.view()?, null_policy, &plan, limits, ctx)?;
    let first = first_rows(&mut results)?;
    let places: Vec<_> = (0..keys.num_columns()).filter(|column| !decoded.is_given(*column)).collect();
    let mut given = gather_trusted(&keys.select(&places)?, first.view(), ctx)?.into_columns().into_iter();
    let column = |(i, own)| if decoded.is_given(i) { own } else { given.next().unwrap_or(own) };
    let columns = own.into_columns().into_iter().enumerate().map(column).collect();
    Ok((Table::try_new(columns)?, results))
}

fn first_rows(results: &mut Vec<Vec<Column>>) -> Result<Column> {
    let first = results.pop().and_then(|mut columns| columns.pop());
    first.ok_or_else(|| Error::internal("the results of a group-by lack the column of first rows"))
}

fn run_decoded(
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    plan: &AggregationPlan<'_>,
    limits: &GroupByLimits,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    let (groups, results) = match ctx.stream.device() {
        Device::Cpu => host::aggregate(keys, null_policy, plan, ctx),
        Device::Cuda(_) => cuda::aggregate(keys, null_policy, plan, limits, ctx),
    }?;
    if let [key] = groups.columns() {
        vouch::distinct(key.view());
    }
    Ok((groups, results))
}

fn empty(keys: &TableView<'_>, plan: &AggregationPlan<'_>, ctx: Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)> {
    let column = |data_type| empty_column(data_type, ctx);
    let keys = keys.columns().iter().map(|key| column(key.data_type())).collect::<Result<_>>()?;
    let results = plan.results.iter().map(|results| {
        results.iter().map(|result_column| column(&result_column.data_type)).collect::<Result<Vec<_>>>()
    });
    Ok((Table::try_new(keys)?, results.collect::<Result<_>>()?))
}
