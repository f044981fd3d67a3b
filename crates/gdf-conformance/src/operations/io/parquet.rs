//! Area `io_parquet`: reading Parquet.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_cast::cast;
use arrow_schema::DataType;
use gdf_io::{Literal, ParquetReader, Predicate};
use serde_json::Value as Json;

use super::options::{Asked, files, numbers, read};
use crate::call::{Answered, Call, Failure};
use crate::operations::Operation;

pub(crate) const OPERATIONS: &[(&str, Operation)] = &[("parquet.read", run_read)];

fn run_read(call: &Call<'_>) -> Answered {
    let mut asked = Asked::of(call);
    let (_folder, path) = files(call, "parquet")?;
    let mut reader = ParquetReader::open(path)?;
    if asked.flag("use_arrow_schema")? == Some(false) {
        reader = reader.skip_arrow_metadata()?;
    }
    if let Some(columns) = asked.texts("column_names")? {
        reader = reader.columns(columns);
    }
    if let Some(columns) = asked.numbers("column_indices")? {
        reader = reader.column_indices(columns);
    }
    if let Some(groups) = asked.take("row_groups") {
        // libcudf takes a list of row groups for each file. gdf supports only a list for a single file.
        let of_file = groups.as_array().filter(|files| files.len() == 1).and_then(|files| numbers(&files[0]));
        reader = reader.row_groups(of_file.ok_or_else(|| asked.missing("row groups of several files"))?);
    }
    let (skipped, rows) = (asked.number("skip_rows")?.unwrap_or(0), asked.number("num_rows")?);
    reader = reader.rows(skipped..rows.map_or(usize::MAX, |rows| skipped.saturating_add(rows)));
    if let Some(filter) = call.arg("filter") {
        reader = reader.predicate(predicate(call, filter)?);
    }
    asked.finish()?;
    read(reader.read()?)
}

/// Converts an expression to a predicate. The expression compares columns with literals.
fn predicate(call: &Call<'_>, json: &Json) -> Result<Predicate, Failure> {
    let op = json["op"].as_str().unwrap_or_default();
    let [a, b] = json["args"].as_array().map(Vec::as_slice).unwrap_or_default() else {
        return Err(Failure::Unsupported(format!("parquet.read with the filter {op}")));
    };
    match op {
        "LOGICAL_AND" => return Ok(predicate(call, a)?.and(predicate(call, b)?)),
        "LOGICAL_OR" => return Ok(predicate(call, a)?.or(predicate(call, b)?)),
        _ => {}
    }
    let (Some(column), Some(input)) = (a["name"].as_str(), b["lit"].as_str()) else {
        return Err(Failure::Unsupported("parquet.read with a filter without a column and a literal".to_owned()));
    };
    let literal = literal(call, input)?;
    Ok(match op {
        "EQUAL" => Predicate::eq(column, literal),
        "NOT_EQUAL" => Predicate::neq(column, literal),
        "LESS" => Predicate::lt(column, literal),
        "LESS_EQUAL" => Predicate::lt_eq(column, literal),
        "GREATER" => Predicate::gt(column, literal),
        "GREATER_EQUAL" => Predicate::gt_eq(column, literal),
        other => return Err(Failure::Unsupported(format!("parquet.read with the filter {other}"))),
    })
}

fn literal(call: &Call<'_>, input: &str) -> Result<Literal, Failure> {
    let value = call.scalar(input)?.to_arrow(call.stream())?;
    let cast = |data_type: &DataType| cast(&value, data_type).map_err(|error| Failure::Unreadable(error.into()));
    Ok(match value.data_type() {
        DataType::Boolean => value.as_boolean().value(0).into(),
        DataType::Utf8 => value.as_string::<i32>().value(0).into(),
        other if other.is_integer() => cast(&DataType::Int64)?.as_primitive::<Int64Type>().value(0).into(),
        other if other.is_floating() => cast(&DataType::Float64)?.as_primitive::<Float64Type>().value(0).into(),
        other => return Err(Failure::Unsupported(format!("parquet.read with a literal of {other}"))),
    })
}
