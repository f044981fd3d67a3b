//! The group-by sink.

use gdf_compute::expression::decode_text;
use gdf_core::{Column, DataType, Result, Table, TableView, width};
use gdf_expr::{CodedText, Expr, NodeId, Value};
use gdf_relational::groupby::{
    AggregationRequest, ComputedRequests, GroupByAggregation, GroupByLimits, NullPolicy, aggregate, aggregate_computed,
    aggregate_where,
};

use super::Pipeline;
use super::plan::Form;
use super::rows::{Bound, Numbers};
use crate::Ctx;

/// The largest number of keys of a group-by with a mask. A group-by has at most 32 keys, and the mask is one of them.
const MASKED_KEYS: usize = 31;

/// The number of decimal digits that always fit in 64 bits.
const DECIMAL64_DIGITS: u8 = 18;

/// The aggregations of the values of an expression.
#[derive(Clone, Debug)]
pub struct GroupRequest {
    /// The values.
    pub values: Expr,
    /// The aggregations. Each aggregation has one result column.
    pub aggregations: Vec<GroupByAggregation>,
}

impl GroupRequest {
    /// Creates a request.
    pub fn new(values: impl Into<Expr>, aggregations: impl Into<Vec<GroupByAggregation>>) -> Self {
        Self { values: values.into(), aggregations: aggregations.into() }
    }

    /// Returns whether a result is the number of a row.
    fn numbers_rows(&self) -> bool {
        let numbers = |of: &GroupByAggregation| matches!(of, GroupByAggregation::ArgMin | GroupByAggregation::ArgMax);
        self.aggregations.iter().any(numbers)
    }

    /// Returns a 64-bit decimal type for computed 128-bit decimals, because a column of that type takes half of the
    /// memory. Returns `None` if the values are not such decimals, if a value may not fit, or if the type of a result
    /// would change.
    fn narrow_type(&self, values: NodeId, bound: &Bound<'_>) -> Option<DataType> {
        const MAX: i128 = 10_i128.pow(DECIMAL64_DIGITS as u32) - 1;
        let wide = bound.data_type(values);
        let DataType::Decimal128(_, scale) = *wide else { return None };
        let (low, high) = bound.range(values)?;
        let narrow = DataType::Decimal64(DECIMAL64_DIGITS, scale);
        let is_same = |of: &GroupByAggregation| match (of.result_type(&narrow, 0), of.result_type(wide, 0)) {
            (Ok(of_narrow), Ok(of_wide)) => of_narrow == of_wide,
            _ => false,
        };
        let fits = -MAX <= low && high <= MAX && (0..=DECIMAL64_DIGITS as i8).contains(&scale);
        (fits && bound.is_computed(values) && self.aggregations.iter().all(is_same)).then_some(narrow)
    }

    /// Returns whether the group-by can compute the values, so that the values need no column.
    fn is_computed_by_groups(&self, values: NodeId, bound: &Bound<'_>) -> bool {
        let data_type = bound.data_type(values);
        let supports = |of: &GroupByAggregation| ComputedRequests::supports(*of, data_type);
        bound.is_computed(values) && self.aggregations.iter().all(supports)
    }
}

impl Pipeline<'_> {
    /// Implements `gdf_api::pipeline::GroupedPipeline::agg`.
    ///
    /// # Errors
    /// The errors of that method.
    pub fn aggregate(
        &self,
        keys: &[Expr],
        null_policy: NullPolicy,
        requests: &[GroupRequest],
        ctx: Ctx<'_>,
    ) -> Result<Table> {
        self.aggregate_within(GroupByLimits::default(), keys, null_policy, requests, ctx)
    }

    /// Computes the same result as [`aggregate`](Self::aggregate), with other thresholds for computed values.
    ///
    /// # Errors
    /// The errors of [`aggregate`](Self::aggregate).
    #[doc(hidden)]
    pub fn aggregate_within(
        &self,
        limits: GroupByLimits,
        keys: &[Expr],
        null_policy: NullPolicy,
        requests: &[GroupRequest],
        ctx: Ctx<'_>,
    ) -> Result<Table> {
        let mut bound = Bound::new(self, ctx)?;
        // A key that chooses among a few literal texts is grouped by the codes of the texts.
        let coded: Vec<_> = keys.iter().map(CodedText::of).collect();
        let codes = |(key, coded): (_, &Option<CodedText>)| coded.as_ref().map_or(key, |coded| &coded.codes).clone();
        let codes: Vec<Expr> = keys.iter().zip(&coded).map(codes).collect();
        let keys = bound.bind(&codes, "keys", ctx)?;
        let mut values = bound.bind(requests.iter().map(|request| &request.values), "requests", ctx)?;
        let form = match keys.len() {
            _ if requests.iter().any(GroupRequest::numbers_rows) => Form::AllRows,
            0..=MASKED_KEYS => Form::Keys,
            _ => Form::Passing,
        };
        let is_later =
            |index: &usize| form == Form::Keys && requests[*index].is_computed_by_groups(values[*index], &bound);
        // The group-by computes the values of the requests in `later`. If it cannot, these values become columns like
        // the others.
        let (mut later, mut now): (Vec<usize>, Vec<usize>) = (0..requests.len()).partition(is_later);
        let bytes = |index: &usize| width(bound.data_type(values[*index])).unwrap_or(0);
        let bytes = later.iter().map(bytes).sum::<usize>().saturating_mul(self.table.num_rows());
        if !ctx.stream.device().is_cpu() && bytes < limits.computed_bytes {
            (later, now) = (Vec::new(), (0..requests.len()).collect());
        }
        for index in &now {
            if let Some(narrow) = requests[*index].narrow_type(values[*index], &bound) {
                values[*index] = bound.bind([&requests[*index].values.clone().cast(narrow)], "requests", ctx)?[0];
            }
        }
        let later_values: Vec<NodeId> = later.iter().map(|index| values[*index]).collect();
        let columns: Vec<NodeId> = keys.iter().copied().chain(now.iter().map(|index| values[*index])).collect();
        let rows = bound.rows_for(&columns, &later_values, form, Numbers::Unused, ctx.scratch())?;
        let projection = match later.is_empty() {
            true => None,
            false => bound.projection(&rows, &later_values, ctx)?,
        };
        let later_columns = match &projection {
            None => bound.later_columns(&rows, &later_values, ctx.scratch())?,
            Some(_) => Vec::new(),
        };
        let (keys, values) = rows.columns.split_at(keys.len());
        let keys = TableView::try_with_rows(keys.iter().map(Column::view).collect(), rows.count)?;
        let aggregations = |index: &usize| requests[*index].aggregations.clone();
        let given = now.iter().zip(values).chain(later.iter().zip(&later_columns));
        let given: Vec<AggregationRequest<'_>> =
            given.map(|(index, values)| AggregationRequest::new(values, aggregations(index))).collect();
        let is_coded = coded.iter().any(Option::is_some);
        let of_groups = if is_coded { ctx.scratch() } else { ctx };
        let (keys, results) = match (&projection, rows.mask.as_ref().map(Column::view)) {
            (Some(projection), mask) => {
                let computed = ComputedRequests { projection, aggregations: later.iter().map(aggregations).collect() };
                aggregate_computed(limits, &keys, null_policy, mask, &given, &computed, of_groups)?
            }
            (None, None) => aggregate(keys, null_policy, &given, of_groups)?,
            (None, Some(mask)) => aggregate_where(keys, null_policy, mask, &given, of_groups)?,
        };
        let mut by_request: Vec<Vec<Column>> = vec![Vec::new(); requests.len()];
        for (index, columns) in now.into_iter().chain(later).zip(results) {
            by_request[index] = columns;
        }
        let results = by_request;
        let groups = keys.num_rows();
        let columns = keys.into_columns().into_iter().chain(results.into_iter().flatten());
        // Without groups, results and their copies may share empty buffers that are in scratch memory.
        if !is_coded && groups > 0 {
            return Table::try_with_rows(columns.collect(), groups);
        }
        let columns = columns.enumerate().map(|(at, column)| match coded.get(at).and_then(Option::as_ref) {
            Some(coded) if groups > 0 => decode_text(&column, &coded.texts, ctx),
            None if groups > 0 => column.deep_copy(ctx.stream, ctx.mr.output),
            coded => {
                let texts = coded.map(|coded| coded.texts.first().map_or(&DataType::Utf8, Value::data_type));
                Column::empty_in(texts.unwrap_or(column.data_type()), ctx.stream, ctx.mr.output)
            }
        });
        Table::try_with_rows(columns.collect::<Result<_>>()?, groups)
    }
}
