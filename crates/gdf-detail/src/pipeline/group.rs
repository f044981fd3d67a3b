//! The group-by sink.

use gdf_compute::expression::decode_text;
use gdf_core::{Column, DataType, Result, Table, TableView};
use gdf_expr::{CodedText, Expr, Value};
use gdf_relational::groupby::{AggregationRequest, GroupByAggregation, NullPolicy, aggregate, aggregate_where};

use super::Pipeline;
use super::plan::Form;
use super::rows::{Bound, Numbers};
use crate::Ctx;

/// The largest number of keys of a group-by with a mask. A group-by has at most 32 keys, and the mask is one of them.
const MASKED_KEYS: usize = 31;

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
        let mut bound = Bound::new(self, ctx)?;
        // Texts that a key chooses from a few literals are grouped by their numbers.
        let coded: Vec<_> = keys.iter().map(CodedText::of).collect();
        let codes = |(key, coded): (_, &Option<CodedText>)| coded.as_ref().map_or(key, |coded| &coded.codes).clone();
        let codes: Vec<Expr> = keys.iter().zip(&coded).map(codes).collect();
        let mut values = bound.bind(&codes, "keys")?;
        values.extend(bound.bind(requests.iter().map(|request| &request.values), "requests")?);
        let form = match keys.len() {
            _ if requests.iter().any(GroupRequest::numbers_rows) => Form::AllRows,
            0..=MASKED_KEYS => Form::Keys,
            _ => Form::Passing,
        };
        let rows = bound.rows(&values, form, Numbers::Unused, ctx.scratch())?;
        let (keys, values) = rows.columns.split_at(keys.len());
        let keys = TableView::try_with_rows(keys.iter().map(Column::view).collect(), rows.count)?;
        let requests = requests.iter().zip(values);
        let requests: Vec<AggregationRequest<'_>> =
            requests.map(|(request, values)| AggregationRequest::new(values, request.aggregations.clone())).collect();
        let is_coded = coded.iter().any(Option::is_some);
        let of_groups = if is_coded { ctx.scratch() } else { ctx };
        let (keys, results) = match &rows.mask {
            None => aggregate(keys, null_policy, &requests, of_groups)?,
            Some(mask) => aggregate_where(keys, null_policy, mask.view(), &requests, of_groups)?,
        };
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
