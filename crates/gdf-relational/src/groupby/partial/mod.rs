//! Partial group-by over batches. Each batch is aggregated to partial states. The states of all batches are merged. The
//! results are computed from the merged states.

mod rows;
#[cfg(test)]
mod tests;

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::concatenate::concatenate;
use gdf_compute::sorting::Order;
use gdf_core::{Abilities, Column, ColumnView, DataType, Error, Result, Table, TableView, same_type};
use gdf_driver::Device;
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::decoded::decoded_type;
use gdf_engine::keys::row_indices;

use super::aggregate::passes::{Decode, Overflow, finished};
use super::aggregate::plan::{AggregationPlan, Batches, Finalize, spread_of};
use super::aggregate::{self as engine, by_plan, check};
use super::{AggregationRequest, GroupByAggregation as A, GroupByLimits, NullPolicy, aggregate};
use crate::Ctx;
use crate::vouch::{gather_column, gather_trusted};

/// A column of values to aggregate over batches: its type, and the aggregations.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialRequest {
    /// The type of the values.
    pub data_type: DataType,
    /// The aggregations. Each aggregation has one result column.
    pub aggregations: Vec<A>,
}

impl From<&AggregationRequest<'_>> for PartialRequest {
    fn from(request: &AggregationRequest<'_>) -> Self {
        Self { data_type: request.values.data_type().clone(), aggregations: request.aggregations.clone() }
    }
}

impl PartialRequest {
    /// Returns the types of the state columns, aggregation by aggregation. `Mean` keeps the sum and the number of
    /// values; the sum of 64-bit integers and of durations is exact, as `Decimal128(38, 0)`. `Variance`, `Std` and
    /// `M2` keep the number of values, the mean, and the sum of squared differences from the mean. `Nunique` keeps the
    /// distinct values as a list, and `SumOverflow` the exact sum. `ArgMin` and `ArgMax` keep the value and its row
    /// number as `UInt64`, and `TopK` its list. Every other aggregation keeps its result.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) for `Median`, `Quantile`, `NthElement` of other rows than the first and
    ///   the last, and aggregations that do not support the type.
    pub fn state_types(&self) -> Result<Vec<DataType>> {
        let mut types = Vec::new();
        for aggregation in &self.aggregations {
            for kept in partials(*aggregation, &self.data_type)? {
                types.push(kept.partial_type(&self.data_type)?);
            }
        }
        Ok(types)
    }
}

fn partials(aggregation: A, data_type: &DataType) -> Result<Vec<A>> {
    let unsupported = || {
        let error = Error::unsupported("groupby", data_type).in_variant(aggregation.name());
        error.with_remedy(aggregation.partial_remedy())
    };
    aggregation.result_type(data_type, 0)?;
    aggregation.partials(data_type).ok_or_else(unsupported)
}

pub(super) fn kept<'a>(request: &AggregationRequest<'a>) -> Result<AggregationRequest<'a>> {
    let mut aggregations = Vec::new();
    for aggregation in &request.aggregations {
        aggregations.extend(partials(*aggregation, request.values.data_type())?);
    }
    Ok(AggregationRequest { values: request.values, aggregations })
}

/// The groups of a batch of rows, in a form that can be merged with the groups of other batches.
#[derive(Clone, Copy, Debug)]
pub struct Partial<'p> {
    keys: &'p Table,
    requests: &'p [PartialRequest],
    states: &'p [Column],
    rows: usize,
}

/// Returns the keys and the states of the groups of one batch.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for the aggregations whose results per batch cannot be merged; see
///   [`PartialRequest::state_types`].
/// * Otherwise, the errors of [`aggregate`](fn@super::aggregate).
pub fn aggregate_partial<'a>(
    keys: impl Into<TableView<'a>>,
    null_policy: NullPolicy,
    requests: &[AggregationRequest<'_>],
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Column>)> {
    let keys = keys.into();
    check(&keys, requests.iter().map(|request| request.values), ctx)?;
    let all = requests.iter().map(kept).collect::<Result<Vec<_>>>()?;
    let of_rows = rows::requested(&all);
    let numbers = |ctx: Ctx<'_>| {
        let requests = requests.iter().map(rows::without).filter(|request| !request.aggregations.is_empty());
        let requests: Vec<_> = requests.collect();
        let decode = Decode::prepare(&requests, ctx.scratch())?;
        let kept = decode.requests(&requests).iter().map(kept).collect::<Result<Vec<_>>>()?;
        by_plan(&keys, null_policy, AggregationPlan::partial(&kept)?, &GroupByLimits::default(), ctx)
    };
    if of_rows.is_empty() {
        let (keys, states) = numbers(ctx)?;
        return Ok((keys, states.into_iter().flatten().collect()));
    }
    let chosen = all.iter().map(|request| {
        let data_type = request.values.data_type();
        request.aggregations.iter().map(|of| of.merging(data_type).is_some()).collect()
    });
    let (keys, states) = rows::together(
        &chosen.collect::<Vec<_>>(),
        numbers,
        |ctx| aggregate(keys.clone(), null_policy, &of_rows, ctx),
        ctx,
    )?;
    Ok((keys, states.into_iter().flatten().collect()))
}

/// Merges batches. Returns the keys and the states of the groups of all rows, and the number of these rows. Sums of
/// floats may differ, by rounding, from the sums that a single table with all rows gives.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument): there are no batches, the requests of the batches differ, or the
///   numbers of rows have a sum of 2⁶⁴ or more.
/// * The errors of `concatenate` and [`aggregate`](fn@super::aggregate).
pub fn merge(batches: &[Partial<'_>], ctx: Ctx<'_>) -> Result<(Table, Vec<Column>, usize)> {
    let [first, ..] = batches else {
        return Err(Error::invalid_argument("the list of batches is empty; pass at least 1 batch"));
    };
    let same = |a: &PartialRequest, b: &PartialRequest| {
        a.aggregations == b.aggregations && same_type(&a.data_type, &b.data_type)
    };
    let as_first = |requests: &[PartialRequest]| {
        requests.len() == first.requests.len() && requests.iter().zip(first.requests).all(|(a, b)| same(a, b))
    };
    if !batches.iter().all(|batch| as_first(batch.requests)) {
        return Err(Error::invalid_argument("the requests of the batches differ; pass equal requests for all batches"));
    }
    let rows = total_rows(batches)?;
    let numbered = numbered(batches, ctx.scratch())?;
    let tables = batches.iter().zip(&numbered).map(|(batch, states)| batch.table(states));
    let tables = tables.collect::<Result<Vec<_>>>()?;
    // Merged keys that are string views or dictionaries share buffers with the concatenated table.
    let shares = first.keys.data_types().any(|data_type| Abilities::of(data_type).encoded);
    let mut columns = concatenate(&tables, if shares { ctx } else { ctx.scratch() })?.into_columns();
    let states = columns.split_off(first.keys.num_columns());
    let keys = Table::try_new(columns)?;
    let (keys, states) =
        Partial { keys: &keys, requests: first.requests, states: &states, rows }.combine(End::States, ctx)?;
    Ok((keys, states.into_iter().flatten().collect(), rows))
}

/// Returns the number of rows of all batches.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument) if the number is 2⁶⁴ or more.
fn total_rows(batches: &[Partial<'_>]) -> Result<usize> {
    let total = batches.iter().try_fold(0_usize, |total, batch| total.checked_add(batch.rows));
    total.ok_or_else(|| {
        let all = batches.iter().map(|batch| batch.rows as i128).sum();
        Error::beyond_limit("the number of rows of all batches", all, usize::MAX as i128)
    })
}

/// Returns the states of each batch. Row numbers count from the first row of the first batch.
fn numbered(batches: &[Partial<'_>], ctx: Ctx<'_>) -> Result<Vec<Vec<Column>>> {
    let mut before = 0;
    let batch = |batch: &Partial<'_>| {
        let mut states = batch.states.to_vec();
        if before > 0 && !states.is_empty() {
            batch.for_each(|_, aggregation, at, _| {
                if matches!(aggregation, A::ArgMin | A::ArgMax) {
                    let number = at + 1;
                    states[number] = of(&states[number], Op::Add, (before as u64).into(), &DataType::UInt64, ctx)?;
                }
                Ok(())
            })?;
        }
        before += batch.rows;
        Ok(states)
    };
    batches.iter().map(batch).collect()
}

/// Returns the keys and the results that [`aggregate`](fn@super::aggregate) would return for all rows.
///
/// # Errors
/// The errors are the errors of [`aggregate`](fn@super::aggregate).
pub fn finalize(groups: Partial<'_>, ctx: Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)> {
    groups.combine(End::Results, ctx)
}

impl<'p> Partial<'p> {
    /// Assembles groups from columns that [`aggregate_partial`] or [`merge`] has computed for `rows` rows. The columns
    /// may come from another process.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) if the columns do not match the requests.
    /// * [`LengthMismatch`](Error::LengthMismatch), [`Unsupported`](Error::Unsupported).
    pub fn try_new(keys: &'p Table, requests: &'p [PartialRequest], states: &'p [Column], rows: usize) -> Result<Self> {
        let types = requests.iter().map(PartialRequest::state_types).collect::<Result<Vec<_>>>()?.concat();
        let fits = types.iter().zip(states).all(|(data_type, state)| same_type(data_type, state.data_type()));
        if types.len() != states.len() || !fits {
            return Err(Error::invalid_argument(
                "the number or the types of the states differ from `state_types`; pass the states of the same requests",
            ));
        }
        for state in states {
            check::length(keys.num_rows(), state.len()).map_err(|error| error.in_argument("states"))?;
        }
        Ok(Self { keys, requests, states, rows })
    }

    fn table<'a>(&'a self, states: &'a [Column]) -> Result<TableView<'a>> {
        TableView::try_new(self.keys.columns().iter().chain(states).map(Column::view).collect())
    }

    /// Merges the rows with equal keys.
    fn combine(&self, end: End, ctx: Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)> {
        let keys = self.keys.view();
        check(&keys, self.states.iter().map(Column::view), ctx)?;
        let mut chosen = vec![Vec::new(); self.requests.len()];
        self.for_each(|request, aggregation, _, _| {
            let data_type = &self.requests[request].data_type;
            let columns = if end == End::States { partials(aggregation, data_type)?.len() } else { 1 };
            chosen[request].extend(vec![aggregation.merges_rows(data_type); columns]);
            Ok(())
        })?;
        if !chosen.iter().flatten().any(|is_of_rows| *is_of_rows) {
            return self.combine_numbers(end, ctx);
        }
        rows::together(&chosen, |ctx| self.combine_numbers(end, ctx), |ctx| self.combine_rows(end, ctx), ctx)
    }

    /// Merges the states that are not merged as numbers: rows of the values, row numbers, lists, digests, and products
    /// of 128 bits.
    fn combine_rows(&self, end: End, ctx: Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)> {
        let scratch = ctx.scratch();
        let (mut merged, mut steps, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        self.for_each(|request, aggregation, at, _| {
            let states = self.states[at].view();
            let (merging, step) = match (aggregation, aggregation.merging(&self.requests[request].data_type)) {
                (A::ArgMin | A::ArgMax, _) => (aggregation, Step::Rows(at)),
                (_, None) => return Ok(()),
                (A::TopK { k, order }, Some(merging)) => (merging, Step::Heads(k, order)),
                (A::Nunique(_), Some(merging)) if end == End::Results => (merging, Step::Sizes),
                (_, Some(merging)) => {
                    sources.push(false);
                    merged.push(AggregationRequest::new(states, [merging]));
                    return Ok(());
                }
            };
            let has_values = matches!(step, Step::Rows(_)) && end == End::States;
            sources.extend(vec![true; if has_values { 2 } else { 1 }]);
            steps.push((AggregationRequest::new(states, [merging]), step));
            Ok(())
        })?;
        let (mut made, mut keys) = (Vec::new(), None);
        if !steps.is_empty() {
            let (requests, steps): (Vec<_>, Vec<_>) = steps.into_iter().unzip();
            let (groups, columns) = rows::by_key(self.keys, &requests, scratch)?;
            for (step, column) in steps.into_iter().zip(columns.iter().flatten()) {
                match step {
                    Step::Sizes => made.push(rows::sizes(column, ctx)?),
                    Step::Heads(k, order) => made.push(rows::heads(column, k, order, ctx)?),
                    Step::Rows(at) => made.extend(self.rows_at(at, column, end, ctx)?),
                }
            }
            keys = Some(groups);
        }
        let (keys, results) = match (keys, merged.is_empty()) {
            (Some(keys), true) => (keys.deep_copy(ctx.stream, ctx.mr.output)?, Vec::new()),
            _ => aggregate(self.keys, NullPolicy::Include, &merged, ctx)?,
        };
        let (mut made, mut results) = (made.into_iter(), results.into_iter().flatten());
        let missing = || Error::internal("a state of partial groups was not merged");
        let column = |is_made: bool| if is_made { made.next() } else { results.next() }.ok_or_else(missing);
        Ok((keys, vec![sources.into_iter().map(column).collect::<Result<_>>()?]))
    }

    /// Returns the states of `ArgMin` or `ArgMax` in the rows `rows`: the values and their row numbers. For results,
    /// returns only the row numbers.
    fn rows_at(&self, at: usize, rows: &Column, end: End, ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let [values, numbers] = [0, 1].map(|position| self.states[at + position].view());
        if end == End::States {
            let both = TableView::try_new(vec![values, numbers])?;
            return Ok(gather_trusted(&both, rows.view(), ctx)?.into_columns());
        }
        let numbers = cast(numbers, &row_indices(self.rows), ctx.scratch())?;
        Ok(vec![gather_column(numbers.view(), rows.view(), ctx)?])
    }

    fn combine_numbers(&self, end: End, ctx: Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)> {
        let keys = self.keys.view();
        let mut plain = Vec::new();
        let mut corrections = Vec::new();
        self.for_each(|request, aggregation, at, _| {
            let data_type = &self.requests[request].data_type;
            if !aggregation.merges_rows(data_type) {
                let count = partials(aggregation, data_type)?.len();
                plain.extend(self.states[at..at + count].iter().map(Column::view));
            }
            if is_spread(aggregation) {
                let [count, mean, m2] = [0, 1, 2].map(|position| self.states[at + position].view());
                let terms = if self.keys.num_rows() == 0 {
                    [mean, mean].map(|mean| mean.to_column())
                } else {
                    spread_terms([count, mean, m2], ctx)?
                };
                corrections.push(terms);
            }
            Ok(())
        })?;
        let mut next_terms = plain.len();
        let terms = corrections.iter().flatten().map(Column::view);
        let mut plan = AggregationPlan::over(plain.into_iter().chain(terms).collect());
        let mut results: Vec<Vec<_>> = self.requests.iter().map(|_| Vec::new()).collect();
        self.for_each(|request, aggregation, first, at| {
            let data_type = &self.requests[request].data_type;
            if aggregation.merges_rows(data_type) {
                return Ok(());
            }
            let input = decoded_type(data_type);
            let state = |position: usize| self.states[first + position].view();
            let result = match end {
                End::Results => aggregation.result_type(input, 0)?,
                End::States => aggregation.partial_type(input)?,
            };
            let found = &mut results[request];
            match aggregation {
                A::Min | A::Max | A::Product => found.push(plan.result_column(at, aggregation, result)?),
                A::Mean if end == End::Results => found.push(plan.merged_mean(at, at + 1, input, result)?),
                A::Mean => {
                    found.push(plan.result_column(at, A::Sum, state(0).data_type().clone())?);
                    found.push(plan.result_column(at + 1, A::Sum, DataType::Int64)?);
                }
                A::Variance { .. } | A::Std { .. } | A::M2 => {
                    let (batches, terms) = (Batches { count: at, m2: at + 2 }, [next_terms, next_terms + 1]);
                    next_terms += 2;
                    let spread = |plan: &mut AggregationPlan<'_>, finalize, ddof| {
                        plan.merged_spread(finalize, at + 1, batches, terms, ddof)
                    };
                    if end == End::States {
                        found.push(plan.result_column(at, A::Sum, DataType::Int64)?);
                        let mut mean = plan.merged_mean(terms[0], at, &DataType::Float64, DataType::Float64)?;
                        mean.nullable = state(1).has_validity();
                        found.push(mean);
                        found.push(spread(&mut plan, Finalize::SquaredDifferences, 0));
                    } else {
                        let (finalize, ddof) = spread_of(aggregation)?;
                        found.push(spread(&mut plan, finalize, ddof));
                    }
                }
                A::SumOverflow => found.push(plan.result_column(at, A::Sum, aggregation.partial_type(input)?)?),
                A::Sum | A::SumOfSquares | A::CountValid | A::CountAll => {
                    found.push(plan.result_column(at, A::Sum, result)?);
                }
                _ => return Err(Error::internal("batches were passed for an aggregation that cannot be merged")),
            }
            Ok(())
        })?;
        plan.results = results;
        let groups = |ctx: Ctx<'_>| by_plan(&keys, NullPolicy::Include, plan, &GroupByLimits::default(), ctx);
        if end == End::States {
            return groups(ctx);
        }
        let others = self.requests.iter().map(|request| {
            let others = request.aggregations.iter().filter(|of| !of.merges_rows(&request.data_type));
            others.copied().collect::<Vec<_>>()
        });
        let others: Vec<_> = others.collect();
        finished(&[&Overflow::prepare(others.iter().map(Vec::as_slice))], groups, ctx)
    }

    /// Calls `body` for each aggregation, with four arguments: the number of its request, the aggregation, the position
    /// of its first state, and the position of this state among the states that are merged as numbers.
    fn for_each(&self, mut body: impl FnMut(usize, A, usize, usize) -> Result<()>) -> Result<()> {
        let (mut at, mut number) = (0, 0);
        for (index, request) in self.requests.iter().enumerate() {
            for aggregation in &request.aggregations {
                body(index, *aggregation, at, number)?;
                let states = partials(*aggregation, &request.data_type)?.len();
                at += states;
                number += if !aggregation.merges_rows(&request.data_type) { states } else { 0 };
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    States,
    Results,
}

/// The result that is computed from the merged states of an aggregation.
#[derive(Clone, Copy)]
enum Step {
    /// The number of elements of each list.
    Sizes,
    /// The first elements of each list in an order.
    Heads(usize, Order),
    /// The states in the rows that the merging aggregation returns. The number is the position of the first of these
    /// states.
    Rows(usize),
}

fn is_spread(aggregation: A) -> bool {
    matches!(aggregation, A::Variance { .. } | A::Std { .. } | A::M2)
}

/// Returns two columns that can be added over batches.
fn spread_terms(columns: [ColumnView<'_>; 3], ctx: Ctx<'_>) -> Result<[Column; 2]> {
    match ctx.stream.device() {
        Device::Cpu => engine::host::spread_terms(columns, ctx),
        Device::Cuda(_) => engine::cuda::spread_terms(columns, ctx),
    }
}
