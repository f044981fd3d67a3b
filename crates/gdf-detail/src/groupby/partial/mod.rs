//! Groups of batches: what is kept of each batch, merged into what is kept of all, and made into results.

#[cfg(test)]
mod tests;

use gdf_core::{Column, ColumnView, DataType, Error, Result, Table, TableView, same_type};
use gdf_driver::Device;

use super::aggregate;
use super::aggregate::plan::{Batches, Finalize, Plan};
use super::{AggregationRequest, GroupBy, GroupByAggregation as A, NullPolicy};
use crate::check;
use crate::concatenate::concatenate;
use crate::context::Ctx;

/// What was asked of a column of values: of which type it is, and which aggregations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialRequest {
    /// The type of the values.
    pub data_type: DataType,
    /// One result column each.
    pub aggregations: Vec<A>,
}

impl PartialRequest {
    pub(super) fn of(request: &AggregationRequest<'_>) -> Self {
        Self { data_type: request.values.data_type().clone(), aggregations: request.aggregations.clone() }
    }

    /// The types of the columns that are kept, those of each aggregation after another: of `Mean` sum and number of
    /// values; of `Variance`, `Std` and `M2` number of values, mean and sum of squared differences from it; of all else
    /// the result. Sums and products of floats are `Float64`, whatever the floats are.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) for `ArgMin`, `ArgMax`, `Nunique`, and aggregations that the type does not
    ///   have.
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

fn partials(aggregation: A, data_type: &DataType) -> Result<&'static [A]> {
    let unsupported = || Error::unsupported("groupby of batches: argmin, argmax, nunique", data_type);
    aggregation.partials().ok_or_else(unsupported)
}

/// The request for what is kept instead of a request's results.
pub(super) fn kept<'a>(request: &AggregationRequest<'a>) -> Result<AggregationRequest<'a>> {
    let mut aggregations = Vec::new();
    for aggregation in &request.aggregations {
        aggregations.extend_from_slice(partials(*aggregation, request.values.data_type())?);
    }
    Ok(AggregationRequest { values: request.values, aggregations })
}

/// Groups of a batch of rows, as they merge with those of other batches: distinct keys, and per aggregation one to three
/// columns with a row per group, as [`PartialRequest::state_types`] says.
#[derive(Clone, Debug)]
pub struct PartialGroups {
    keys: Table,
    requests: Vec<PartialRequest>,
    states: Vec<Column>,
}

impl<'a> GroupBy<'a> {
    /// What [`merge`](PartialGroups::merge) takes of this table's groups, to be merged with what it takes of
    /// others': for tables that come in batches, or lie on several devices.
    ///
    /// Costs what [`aggregate`](Self::aggregate) costs.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) for `ArgMin`, `ArgMax` and `Nunique`, whose results say too little of a
    ///   batch; otherwise as [`aggregate`](Self::aggregate).
    pub fn aggregate_partial(&self, requests: &[AggregationRequest<'a>], ctx: Ctx<'_>) -> Result<PartialGroups> {
        self.check(requests.iter().map(|request| request.values), ctx)?;
        let kept = requests.iter().map(kept).collect::<Result<Vec<_>>>()?;
        let (keys, states) = self.run(&Plan::partial(&kept)?, ctx)?;
        let requests = requests.iter().map(PartialRequest::of).collect();
        PartialGroups::try_new(keys, requests, states.into_iter().flatten().collect())
    }
}

impl PartialGroups {
    /// From the parts that [`into_parts`](Self::into_parts) gives, of this process or another.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) when the columns are not those of the requests.
    /// * [`LengthMismatch`](Error::LengthMismatch), [`Unsupported`](Error::Unsupported).
    pub fn try_new(keys: Table, requests: Vec<PartialRequest>, states: Vec<Column>) -> Result<Self> {
        let types = requests.iter().map(PartialRequest::state_types).collect::<Result<Vec<_>>>()?.concat();
        let fits = types.iter().zip(&states).all(|(data_type, state)| same_type(data_type, state.data_type()));
        if types.len() != states.len() || !fits {
            return Err(Error::InvalidArgument { what: "columns of the types that the requests keep" });
        }
        for state in &states {
            check::length(keys.num_rows(), state.len())?;
        }
        Ok(Self { keys, requests, states })
    }

    /// The distinct keys.
    pub fn keys(&self) -> &Table {
        &self.keys
    }

    /// What was asked.
    pub fn requests(&self) -> &[PartialRequest] {
        &self.requests
    }

    /// What is kept, for all requests after another.
    pub fn states(&self) -> &[Column] {
        &self.states
    }

    /// Keys, requests and what is kept.
    pub fn into_parts(self) -> (Table, Vec<PartialRequest>, Vec<Column>) {
        (self.keys, self.requests, self.states)
    }

    /// What would have been kept of all batches' rows in one table; sums of floats up to rounding. In libcudf this is
    /// `groupby::aggregate` with `MERGE_M2`, sums, minima and maxima.
    ///
    /// Costs what `concatenate` of the batches and [`GroupBy::aggregate`] of all their groups cost, and on CUDA a launch
    /// more for each of `Variance`, `Std` and `M2`, and two for the spread of each.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) without batches, or when they were not asked the same.
    /// * As `concatenate` and [`GroupBy::aggregate`].
    pub fn merge(batches: &[&Self], ctx: Ctx<'_>) -> Result<Self> {
        let [first, ..] = batches else { return Err(Error::InvalidArgument { what: "at least one batch" }) };
        let same = |a: &PartialRequest, b: &PartialRequest| {
            a.aggregations == b.aggregations && same_type(&a.data_type, &b.data_type)
        };
        let asked = |requests: &[PartialRequest]| {
            requests.len() == first.requests.len() && requests.iter().zip(&first.requests).all(|(a, b)| same(a, b))
        };
        if !batches.iter().all(|batch| asked(&batch.requests)) {
            return Err(Error::InvalidArgument { what: "batches with the same requests" });
        }
        let scratch = ctx.scratch();
        let tables = batches.iter().map(|batch| batch.table()).collect::<Result<Vec<_>>>()?;
        let whole = concatenate(&tables, scratch)?;
        let mut columns = whole.into_columns();
        let states = columns.split_off(first.keys.num_columns());
        let keys = Table::try_new(columns)?;
        let whole = Self { keys, requests: first.requests.clone(), states };
        let (keys, states) = whole.combine(End::States, ctx)?;
        Self::try_new(keys, whole.requests, states.into_iter().flatten().collect())
    }

    /// The results: those of [`GroupBy::aggregate`] of all rows.
    ///
    /// Costs what [`GroupBy::aggregate`] of the groups costs, and on CUDA a launch more for each of `Variance`, `Std` and
    /// `M2`, and two for the spread of each.
    ///
    /// # Errors
    /// * As [`GroupBy::aggregate`].
    pub fn finalize(&self, ctx: Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)> {
        self.combine(End::Results, ctx)
    }

    fn table(&self) -> Result<TableView<'_>> {
        TableView::try_new(self.keys.columns().iter().chain(&self.states).map(Column::view).collect())
    }

    /// Brings rows of equal keys together. Nulls among keys are there because they were to be.
    fn combine(&self, end: End, ctx: Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)> {
        let grouped = GroupBy::new(&self.keys, NullPolicy::Include);
        grouped.check(self.states.iter().map(Column::view), ctx)?;
        let mut corrections = Vec::new();
        self.for_each(|_, aggregation, at| {
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
        let terms = corrections.iter().flatten();
        let mut plan = Plan::over(self.states.iter().chain(terms).map(Column::view).collect());
        let mut results: Vec<Vec<_>> = self.requests.iter().map(|_| Vec::new()).collect();
        let mut next_terms = self.states.len();
        self.for_each(|request, aggregation, at| {
            let input = &self.requests[request].data_type;
            let state = |position: usize| self.states[at + position].view();
            let result = match end {
                End::Results => aggregation.result_type(input, 0)?,
                End::States => aggregation.partial_type(input)?,
            };
            let found = &mut results[request];
            match aggregation {
                A::Min | A::Max | A::Product => found.push(plan.result_column(at, aggregation, result)),
                A::Mean if end == End::Results => found.push(plan.merged_mean(at, at + 1, input, result)),
                A::Mean => {
                    found.push(plan.result_column(at, A::Sum, state(0).data_type().clone()));
                    found.push(plan.result_column(at + 1, A::Sum, DataType::Int64));
                }
                A::Variance { .. } | A::Std { .. } | A::M2 => {
                    let (batches, terms) = (Batches { count: at, m2: at + 2 }, [next_terms, next_terms + 1]);
                    next_terms += 2;
                    let spread = |plan: &mut Plan<'_>, finalize, nullable, ddof| {
                        plan.merged_spread(finalize, at + 1, batches, terms, nullable, ddof)
                    };
                    if end == End::States {
                        found.push(plan.result_column(at, A::Sum, DataType::Int64));
                        let mut mean = plan.merged_mean(terms[0], at, &DataType::Float64, DataType::Float64);
                        mean.nullable = state(1).has_validity();
                        found.push(mean);
                        found.push(spread(&mut plan, Finalize::SquaredDifferences, false, 0));
                    } else {
                        found.push(match aggregation {
                            A::Variance { ddof } => spread(&mut plan, Finalize::Variance, true, ddof),
                            A::Std { ddof } => spread(&mut plan, Finalize::Deviation, true, ddof),
                            _ => spread(&mut plan, Finalize::SquaredDifferences, false, 0),
                        });
                    }
                }
                _ => found.push(plan.result_column(at, A::Sum, result)),
            }
            Ok(())
        })?;
        plan.results = results;
        grouped.run(&plan, ctx)
    }

    /// Calls with the number of the request, the aggregation, and the first of its columns.
    fn for_each(&self, mut body: impl FnMut(usize, A, usize) -> Result<()>) -> Result<()> {
        let mut at = 0;
        for (index, request) in self.requests.iter().enumerate() {
            for aggregation in &request.aggregations {
                body(index, *aggregation, at)?;
                at += partials(*aggregation, &request.data_type)?.len();
            }
        }
        Ok(())
    }
}

/// What merging ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    States,
    Results,
}

fn is_spread(aggregation: A) -> bool {
    matches!(aggregation, A::Variance { .. } | A::Std { .. } | A::M2)
}

/// Of numbers of values n, means m and sums of squared differences from these, what adds up: n m, and n m² + the sums.
/// Zeros where there is nothing.
fn spread_terms(columns: [ColumnView<'_>; 3], ctx: Ctx<'_>) -> Result<[Column; 2]> {
    match ctx.stream.device() {
        Device::Cpu => aggregate::host::spread_terms(columns, ctx),
        Device::Cuda(_) => aggregate::cuda::spread_terms(columns, ctx),
    }
}
