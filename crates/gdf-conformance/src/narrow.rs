//! Converts counts and positions to the width of libcudf's types. No other module does this.
//!
//! libcudf counts rows in 32 bits. In gdf, row numbers have the type `UInt32` or `UInt64`, depending on the length of
//! the table, and counts have 64 bits. The module converts the result of an operation only if a table below or the
//! function `narrow` names the operation. The module returns an error if a value does not fit.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::DataType;
use serde_json::Value as Json;

use crate::call::Failure;
use crate::case::Case;
use crate::names;
use crate::output::{Output, batch};

/// Operations whose result columns all have the type `INT32` in libcudf. The columns are counts or row numbers.
const POSITIONS: &[&str] = &[
    "sorted_order",
    "stable_sorted_order",
    "rank",
    "top_k_order",
    "lower_bound",
    "upper_bound",
    "distinct_indices",
    "inner_join",
    "left_join",
    "full_join",
    "left_semi_join",
    "left_anti_join",
    "conditional_inner_join",
    "conditional_left_join",
    "conditional_full_join",
    "conditional_left_semi_join",
    "conditional_left_anti_join",
    "mixed_inner_join",
    "mixed_left_join",
    "mixed_full_join",
    "mixed_left_semi_join",
    "mixed_left_anti_join",
    "dictionary.sort",
    "strings.count_characters",
    "strings.count_bytes",
    "strings.find",
    "strings.rfind",
    "strings.count_re",
    "strings.find_re",
    "lists.count_elements",
    "lists.index_of",
];

/// Aggregations whose results of a group-by have the type `INT32` in libcudf. For reductions, the case states the type.
const AGGREGATIONS: &[&str] = &["count", "nunique", "argmin", "argmax", "rank"];

/// Converts the columns that have counts or positions.
///
/// # Errors
/// - [`Failure::Unreadable`]: a value does not fit.
pub fn narrow(case: &Case, mut output: Output) -> Result<Output, Failure> {
    if POSITIONS.contains(&case.op.as_str()) {
        output.table = map(output.table, |_| Some(DataType::Int32))?;
    }
    if case.op == "encode"
        && let Some([_, codes]) = output.tables.as_deref_mut()
        && let Some(narrow) = map(Some(codes.clone()), |_| Some(DataType::Int32))?
    {
        *codes = narrow;
    }
    if case.op.ends_with("rolling_window") && aggregation(case.args.get("agg")) == Some("count") {
        output.table = map(output.table, |_| Some(DataType::Int32))?;
    }
    if case.op == "scan" && aggregation(case.args.get("agg")) == Some("rank") {
        output.table = map(output.table, |_| Some(DataType::Int32))?;
    }
    if let Some(kind) = aggregation(case.args.get("agg"))
        && AGGREGATIONS.contains(&kind)
    {
        let wanted = case.args.get("out").and_then(Json::as_str).and_then(names::data_type);
        output.scalar = map(output.scalar, |_| wanted.clone())?;
    }
    if matches!(case.op.as_str(), "groupby.aggregate" | "groupby.scan") {
        let kinds = requested(case);
        output.table = match output.table {
            Some(table) => {
                let keys = table.num_columns().saturating_sub(kinds.len());
                let is_count = |i: usize| i.checked_sub(keys).is_some_and(|i| AGGREGATIONS.contains(&kinds[i]));
                map(Some(table), |i| is_count(i).then_some(DataType::Int32))?
            }
            None => None,
        };
    }
    Ok(output)
}

fn aggregation(json: Option<&Json>) -> Option<&str> {
    json?.get("kind")?.as_str()
}

/// Returns the kinds of the requested aggregations. The order is the order of the result columns.
fn requested(case: &Case) -> Vec<&str> {
    let requests = case.args.get("requests").and_then(Json::as_array).into_iter().flatten();
    let aggregations = requests.filter_map(|request| request.get("aggs")?.as_array()).flatten();
    aggregations.map(|json| aggregation(Some(json)).unwrap_or_default()).collect()
}

/// Casts the integer columns for which `wanted` returns a type to that type.
fn map(table: Option<RecordBatch>, wanted: impl Fn(usize) -> Option<DataType>) -> Result<Option<RecordBatch>, Failure> {
    let Some(table) = table else { return Ok(None) };
    let columns = table.columns().iter().enumerate().map(|(i, column)| match wanted(i) {
        Some(wanted) if column.data_type().is_integer() && wanted.is_integer() => convert(column, &wanted),
        _ => Ok(Arc::clone(column)),
    });
    Ok(Some(batch(columns.collect::<Result<_, _>>()?)?))
}

fn convert(column: &ArrayRef, wanted: &DataType) -> Result<ArrayRef, Failure> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(column, wanted, &options).map_err(|error| Failure::Unreadable(error.into()))
}

#[cfg(test)]
mod tests {
    use arrow_array::{Int32Array, UInt64Array};

    use super::*;

    fn case(op: &str, args: &str) -> Case {
        let line =
            format!(r#"{{"id":"a","op":"{op}","args":{args},"inputs":{{}},"expect":{{"value":1}},"compare":"exact"}}"#);
        Case::read(line.as_bytes(), "a").unwrap()
    }

    fn output(values: Vec<u64>) -> Output {
        let column: ArrayRef = Arc::new(UInt64Array::from(values));
        Output { table: Some(batch(vec![column.clone(), column]).unwrap()), ..Output::default() }
    }

    #[test]
    fn only_what_is_declared_is_narrowed() {
        let narrowed = narrow(&case("sorted_order", "{}"), output(vec![1, 2])).unwrap().table.unwrap();
        assert_eq!(narrowed.column(1).as_ref(), &Int32Array::from(vec![1, 2]) as &dyn Array);
        assert_eq!(narrow(&case("sort", "{}"), output(vec![1])).unwrap(), output(vec![1]));
        assert!(narrow(&case("sorted_order", "{}"), output(vec![1 << 40])).is_err());
    }

    #[test]
    fn keys_keep_their_type() {
        let args = r#"{"requests":[{"column":0,"aggs":[{"kind":"count"}]}]}"#;
        let narrowed = narrow(&case("groupby.aggregate", args), output(vec![7])).unwrap().table.unwrap();
        assert_eq!(narrowed.column(0).data_type(), &DataType::UInt64);
        assert_eq!(narrowed.column(1).data_type(), &DataType::Int32);
    }
}
