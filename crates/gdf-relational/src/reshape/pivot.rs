//! `pivot`: rows become columns.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::copying::copy_if_else;
use gdf_core::{Column, ColumnView, DataType, Error, Literal, Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::decoded::Decoded;

use crate::Ctx;
use crate::groupby::{AggregationRequest, GroupByAggregation, NullPolicy, aggregate};
use crate::join::row_of_each;

/// The largest number of names.
const MAX_NAMES: usize = 4096;

/// Implements `gdf_api::reshape::pivot` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn pivot(
    table: &TableView<'_>,
    index: &[usize],
    [names, values]: [usize; 2],
    kept: ColumnView<'_>,
    aggregation: GroupByAggregation,
    ctx: Ctx<'_>,
) -> Result<Table> {
    check::table(table, ctx)?;
    let (index, scratch) = (table.select(index)?, ctx.scratch());
    let (names, values) = (table.select(&[names])?, table.select(&[values])?.column(0)?);
    if !is_of_values(aggregation) {
        let text = "a pivot cannot use this aggregation, because it also counts null values; use `CountValid` instead";
        return Err(Error::invalid_argument(text).in_argument("aggregation"));
    }
    if kept.len() > MAX_NAMES {
        return Err(Error::beyond_limit("the number of names", kept.len() as i128, MAX_NAMES as i128));
    }
    check::types(names.column(0)?.data_type(), kept.data_type()).map_err(|error| error.in_argument("kept"))?;
    let codes = row_of_each(&names, &kept.into(), scratch)?;
    let numbers = row_of_each(&kept.into(), &kept.into(), scratch)?;
    if codes.len() != table.num_rows() || numbers.len() != kept.len() {
        return Err(Error::invalid_argument("a name occurs twice; pass each name once").in_argument("kept"));
    }
    let values = Decoded::of(values, scratch)?;
    let values = values.view();
    let own = (0..kept.len() as u32).map(|name| own_values(values, &codes, name, scratch));
    let own = own.collect::<Result<Vec<_>>>()?;
    let requests: Vec<_> = own.iter().map(|values| AggregationRequest::new(values, vec![aggregation])).collect();
    let (keys, results) = aggregate(index, NullPolicy::Include, &requests, ctx)?;
    let rows = keys.num_rows();
    let columns = keys.into_columns().into_iter().chain(results.into_iter().flatten()).collect();
    Table::try_with_rows(columns, rows)
}

fn own_values(values: ColumnView<'_>, codes: &Column, name: u32, ctx: Ctx<'_>) -> Result<Column> {
    let own = of(codes, Op::Equal, name.into(), &DataType::Boolean, ctx)?;
    copy_if_else(values.into(), Literal::null(values.data_type()).into(), own.view(), ctx)
}

/// Returns whether the aggregation skips nulls.
fn is_of_values(aggregation: GroupByAggregation) -> bool {
    match aggregation {
        GroupByAggregation::CountAll | GroupByAggregation::TopK { .. } | GroupByAggregation::Histogram => false,
        GroupByAggregation::Nunique(nulls)
        | GroupByAggregation::NthElement { nulls, .. }
        | GroupByAggregation::CollectList { nulls }
        | GroupByAggregation::CollectSet { nulls, .. } => nulls == NullPolicy::Exclude,
        GroupByAggregation::Sum
        | GroupByAggregation::SumOverflow
        | GroupByAggregation::CountValid
        | GroupByAggregation::Min
        | GroupByAggregation::Max
        | GroupByAggregation::Mean
        | GroupByAggregation::Variance { .. }
        | GroupByAggregation::Std { .. }
        | GroupByAggregation::M2
        | GroupByAggregation::SumOfSquares
        | GroupByAggregation::Product
        | GroupByAggregation::ArgMin
        | GroupByAggregation::ArgMax
        | GroupByAggregation::Median
        | GroupByAggregation::Quantile { .. }
        | GroupByAggregation::MergeLists
        | GroupByAggregation::MergeSets { .. }
        | GroupByAggregation::MergeHistogram
        | GroupByAggregation::TDigest { .. }
        | GroupByAggregation::MergeTDigest { .. } => true,
    }
}
