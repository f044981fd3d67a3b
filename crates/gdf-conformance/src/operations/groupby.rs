//! Area `groupby`: groups of rows with equal keys.

use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy, RankOrder};
use gdf_api::replace::ReplacePolicy;
use gdf_api::scan::{ScanAggregation, ScanType};
use gdf_api::sorting::{NullOrder, Order};
use gdf_core::{Column, ColumnView, StructsView, Table};
use serde_json::Value as Json;

use super::Operation;
use super::quantiles::INTERPOLATIONS;
use super::reduction::collected::Collected;
use super::scan::ranking;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("groupby.aggregate", run_aggregate),
    ("groupby.get_groups", |call| {
        let (keys, values) = (call.table("keys")?, call.table("values")?);
        let (rows, offsets) = GroupBy::new(&keys, null_policy(call)?).groups()?;
        let offsets: Vec<i64> = offsets.to_vec()?.into_iter().flatten().collect();
        let mut sizes: Vec<i64> = offsets.windows(2).map(|ends| ends[1] - ends[0]).collect();
        sizes.sort_unstable();
        let columns = keys.columns().iter().chain(values.columns()).cloned().collect();
        let table = gather(&Table::try_new(columns)?, &rows, OutOfBoundsPolicy::Error)?;
        Ok(Answer::table(table).and_value(sizes))
    }),
    ("groupby.scan", |call| {
        let requests = requests(call)?;
        let scans = requests.iter().flat_map(|(column, kinds)| kinds.iter().map(|kind| (*column, kind)));
        let (columns, kinds): (Vec<_>, Vec<_>) = scans.unzip();
        beside_keys(call, &columns, |groups, values, i| running(call, groups, values, kinds[i]))
    }),
    ("groupby.shift", |call| {
        let offsets = call
            .arg("offsets")
            .and_then(Json::as_array)
            .ok_or_else(|| call.unreadable("the case has no `offsets`".to_owned()))?;
        beside_keys(call, &Vec::from_iter(0..offsets.len()), |groups, values, i| {
            let offset =
                offsets[i].as_i64().ok_or_else(|| call.unreadable("an offset is not an integer".to_owned()))?;
            let fill = call.given(&format!("fill{i}"))?;
            Ok(groups.shift(values, offset, fill.operand())?)
        })
    }),
    ("groupby.replace_nulls", |call| {
        let policies = call
            .arg("policies")
            .and_then(Json::as_array)
            .ok_or_else(|| call.unreadable("the case has no `policies`".to_owned()))?;
        beside_keys(call, &Vec::from_iter(0..policies.len()), |groups, values, i| {
            let policy = match policies[i].as_str() {
                Some("PRECEDING") => ReplacePolicy::Preceding,
                Some("FOLLOWING") => ReplacePolicy::Following,
                _ => return Err(call.unreadable("a policy must be PRECEDING or FOLLOWING".to_owned())),
            };
            Ok(groups.replace_nulls_by_policy(values, policy)?)
        })
    }),
];

fn null_policy(call: &Call<'_>) -> Result<NullPolicy, Failure> {
    match call.arg("null_policy") {
        Some(_) => call.choice("null_policy", &[("EXCLUDE", NullPolicy::Exclude), ("INCLUDE", NullPolicy::Include)]),
        None => Ok(NullPolicy::Exclude),
    }
}

/// Returns a table with a row for each input row that belongs to a group. The row has the keys of the input row, and a
/// value for each column in `columns`. The function `result` computes these values.
fn beside_keys(
    call: &Call<'_>,
    columns: &[usize],
    result: impl Fn(&GroupBy<'_>, ColumnView<'_>, usize) -> Result<Column, Failure>,
) -> Answered {
    let (keys, values, policy) = (call.table("keys")?, call.table("values")?, null_policy(call)?);
    let groups = GroupBy::new(&keys, policy);
    let mut beside = keys.columns().to_vec();
    for (i, column) in columns.iter().enumerate() {
        beside.push(result(&groups, values.column(*column)?.view(), i)?);
    }
    let (rows, _) = groups.groups()?;
    Ok(Answer::table(gather(&Table::try_new(beside)?, &rows, OutOfBoundsPolicy::Error)?))
}

/// Returns the requests of the case: each requested column of values, and its aggregations in the notation of the
/// corpus.
fn requests<'a>(call: &'a Call<'_>) -> Result<Vec<(usize, &'a [Json])>, Failure> {
    let broken = || call.unreadable("a request has no column or no aggregations".to_owned());
    let mut requests = Vec::new();
    for request in call.arg("requests").and_then(Json::as_array).into_iter().flatten() {
        let column = request["column"].as_u64().ok_or_else(broken)? as usize;
        let kinds = request["aggs"].as_array().ok_or_else(broken)?;
        requests.push((column, kinds.as_slice()));
    }
    Ok(requests)
}

fn running(call: &Call<'_>, groups: &GroupBy<'_>, values: ColumnView<'_>, agg: &Json) -> Result<Column, Failure> {
    let is = |name: &str, value: &str| agg.get(name).and_then(Json::as_str) == Some(value);
    if is("kind", "rank") {
        let (method, percentage) = ranking(call, agg)?;
        let order = RankOrder {
            order: if is("order", "DESCENDING") { Order::Descending } else { Order::Ascending },
            null_order: if is("null_order", "AFTER") { NullOrder::AfterOutsideOfLists } else { NullOrder::Before },
            null_policy: if is("null_policy", "INCLUDE") { NullPolicy::Include } else { NullPolicy::Exclude },
        };
        return Ok(groups.rank(values, method, percentage, order)?);
    }
    let scan = match aggregation(call, agg)? {
        GroupByAggregation::Sum => ScanAggregation::Sum,
        GroupByAggregation::Product => ScanAggregation::Product,
        GroupByAggregation::Min => ScanAggregation::Min,
        GroupByAggregation::Max => ScanAggregation::Max,
        GroupByAggregation::CountValid => ScanAggregation::CountValid,
        GroupByAggregation::CountAll => ScanAggregation::CountAll,
        other => return Err(Failure::Unsupported(format!("groupby.scan with aggregation {other:?}"))),
    };
    Ok(groups.scan(values, scan, ScanType::Inclusive)?)
}

/// Aggregates the two fields of a struct as pairs. Returns `None` if the aggregation takes a single column.
fn of_pairs(groups: &GroupBy<'_>, pairs: &Column, agg: &Json) -> Option<Result<(Table, Column), Failure>> {
    let number = |name: &str| agg.get(name).and_then(Json::as_u64).unwrap_or(1);
    let fields = || -> gdf_core::Result<(Column, Column)> {
        let pairs = StructsView::try_from(pairs.view())?;
        Ok((pairs.child(0)?.to_column(), pairs.child(1)?.to_column()))
    };
    let min_periods = number("min_periods") as usize;
    let result = match agg.get("kind").and_then(Json::as_str)? {
        "covariance" => {
            let ddof = u32::try_from(number("ddof")).ok()?;
            fields().and_then(|(x, y)| groups.covariance(&x, &y, ddof, min_periods))
        }
        "correlation" => match agg.get("type").and_then(Json::as_str) {
            Some("PEARSON") => fields().and_then(|(x, y)| groups.correlation(&x, &y, min_periods)),
            // gdf computes Pearson's coefficient and has no parameter for another one. libcudf has a parameter, and
            // returns an error for every other coefficient.
            Some(other @ ("KENDALL" | "SPEARMAN")) => {
                return Some(Err(Failure::Excluded(format!("the correlation {other}"))));
            }
            _ => return None,
        },
        _ => return None,
    };
    Some(result.map_err(Failure::from))
}

pub(super) fn aggregation(call: &Call<'_>, json: &Json) -> Result<GroupByAggregation, Failure> {
    use GroupByAggregation as A;
    let text = |name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default();
    let ddof = json.get("ddof").map_or(Some(1), |ddof| u32::try_from(ddof.as_u64()?).ok());
    let ddof = ddof.ok_or_else(|| call.unreadable("`ddof` is not a number".to_owned()));
    let included = text("null_policy") == "INCLUDE";
    let Collected { nulls, null_equality, nan_equality } = Collected::of(json);
    Ok(match text("kind") {
        "sum" => A::Sum,
        "count" if included => A::CountAll,
        "count" => A::CountValid,
        "min" => A::Min,
        "max" => A::Max,
        "mean" => A::Mean,
        "variance" => A::Variance { ddof: ddof? },
        "std" => A::Std { ddof: ddof? },
        "m2" => A::M2,
        "sum_of_squares" => A::SumOfSquares,
        "product" => A::Product,
        "argmin" => A::ArgMin,
        "argmax" => A::ArgMax,
        "nunique" => A::Nunique(if included { NullPolicy::Include } else { NullPolicy::Exclude }),
        "median" => A::Median,
        "quantile" => {
            let interpolation = INTERPOLATIONS.iter().find(|(name, _)| *name == text("interpolation"));
            let found = json["q"][0].as_f64().zip(interpolation);
            let (q, (_, interpolation)) =
                found.ok_or_else(|| call.unreadable("the aggregation has no quantile".to_owned()))?;
            A::Quantile { q, interpolation: *interpolation }
        }
        "collect_list" => A::CollectList { nulls },
        "collect_set" => A::CollectSet { nulls, null_equality, nan_equality },
        "nth_element" => A::NthElement {
            n: json["n"].as_i64().unwrap_or_default(),
            nulls: if included { NullPolicy::Include } else { NullPolicy::Exclude },
        },
        kind => return Err(Failure::Unsupported(format!("{} with aggregation {kind}", call.case().op))),
    })
}

/// Returns the keys and the results in the form of libcudf's table. The key columns come first. Then there is a column
/// for each aggregation, in the order of the requests.
pub(super) fn flat((keys, results): (Table, Vec<Vec<Column>>)) -> Answered {
    let columns = keys.into_columns().into_iter().chain(results.into_iter().flatten());
    Ok(Answer::table(Table::try_new(columns.collect())?))
}

/// Runs the aggregations. The corpus also states whether the keys are sorted. The function ignores this information,
/// because libcudf uses it only to be faster. The information does not change the results.
fn run_aggregate(call: &Call<'_>) -> Answered {
    let (keys, values) = (call.table("keys")?, call.table("values")?);
    let policy = null_policy(call)?;
    if let [(column, [agg])] = requests(call)?.as_slice()
        && let Some(result) = of_pairs(&GroupBy::new(&keys, policy), values.column(*column)?, agg)
    {
        let (keys, result) = result?;
        return flat((keys, vec![vec![result]]));
    }
    let mut wanted = Vec::new();
    for (column, kinds) in requests(call)? {
        let kinds = kinds.iter().map(|kind| aggregation(call, kind)).collect::<Result<Vec<_>, _>>()?;
        wanted.push(AggregationRequest::new(values.column(column)?, kinds));
    }
    flat(GroupBy::new(&keys, policy).aggregate(&wanted)?)
}
