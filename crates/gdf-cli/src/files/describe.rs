//! `gdf describe`: statistics of columns.

use std::process::ExitCode;

use anyhow::{Context, Result};
use gdf::arrow::array::{Array, ArrayRef, RecordBatch};
use gdf::arrow::schema::{DataType, SchemaRef};
use gdf::io::Batch;
use gdf::prelude::*;
use gdf::{reduction, types};

use super::input::{Input, add_schema, joined, progress};
use crate::output::{print, table};

const BATCH_ROWS: usize = 1 << 20;
/// The maximum number of characters that are printed of a value.
const CHARACTERS: usize = 48;

/// The statistics of a column over the batches read so far.
#[derive(Default)]
struct Seen {
    rows: usize,
    nulls: usize,
    /// The smallest and the largest value of each batch.
    extremes: Vec<ArrayRef>,
}

/// Prints a line for each column, over all files. Only numeric columns have all statistics.
pub(super) fn run(input: &Input) -> Result<ExitCode> {
    let selection = &input.selection;
    let bar = progress();
    let mut first: Option<SchemaRef> = None;
    let (mut seen, mut numbers): (Vec<Seen>, Vec<RecordBatch>) = (Vec::new(), Vec::new());
    for path in &input.files {
        let scan = selection.scan(path, 0..usize::MAX, BATCH_ROWS)?;
        let schema = add_schema(&mut first, &scan.schema, path)?;
        seen.resize_with(schema.fields().len(), Seen::default);
        let numeric = numeric(&schema);
        for batch in scan.batches {
            let batch = batch?;
            bar.inc(batch.num_rows() as u64);
            numbers.push(see(&batch, &mut seen)?.project(&numeric)?);
        }
    }
    bar.finish_and_clear();
    let Some(schema) = first else { return Ok(ExitCode::SUCCESS) };
    let numeric = numeric(&schema);
    let of_numbers = SchemaRef::new(schema.project(&numeric)?);
    let moments = match numeric.is_empty() {
        true => Table::try_new(Vec::new())?,
        false => {
            let all = joined(&of_numbers, &numbers)?;
            let described = || Ok::<_, gdf::Error>(reduction::describe(&Table::from_batch(&all)?, &[])?.0);
            scope::with_device(selection.device, described)?.to_device(Device::Cpu)?
        }
    };
    let mut lines = table(&["column", "type", "count", "nulls", "min", "max", "mean", "std"], 2);
    for (index, (field, seen)) in schema.fields().iter().zip(&seen).enumerate() {
        let combined = || format!("cannot combine the minima and maxima of column {}", field.name());
        let (min, max) = seen.extremes(field.data_type()).with_context(combined)?;
        let moment = |row: usize| match numeric.iter().position(|column| *column == index) {
            Some(column) => {
                let values = moments.column(column + 1)?.to_vec::<f64>()?;
                Ok(values[row].map_or("null".to_owned(), |value| format!("{value:?}")))
            }
            None => Ok::<_, anyhow::Error>(String::new()),
        };
        let (mean, std) = (moment(4)?, moment(5)?);
        let (count, nulls) = ((seen.rows - seen.nulls).to_string(), seen.nulls.to_string());
        lines.add_row([field.name().clone(), field.data_type().to_string(), count, nulls, min, max, mean, std]);
    }
    print(lines)?;
    Ok(ExitCode::SUCCESS)
}

fn numeric(schema: &SchemaRef) -> Vec<usize> {
    let is_numeric = |index: &usize| types::is_numeric(schema.field(*index).data_type());
    (0..schema.fields().len()).filter(is_numeric).collect()
}

/// Adds the rows of a batch to the statistics, and returns the rows on the CPU.
fn see(batch: &Batch, seen: &mut [Seen]) -> Result<RecordBatch> {
    let rows = batch.to_arrow()?;
    for (index, seen) in seen.iter_mut().enumerate() {
        seen.rows += rows.num_rows();
        seen.nulls += rows.column(index).logical_null_count();
        if shows_extremes(rows.column(index).data_type()) {
            let (min, max) = reduction::minmax(batch.table().column(index)?)?;
            seen.extremes.extend([min.column().to_array()?, max.column().to_array()?]);
        }
    }
    Ok(rows)
}

/// Returns whether the smallest and the largest value of a column of this type are printed.
fn shows_extremes(data_type: &DataType) -> bool {
    use DataType as D;
    if let D::Dictionary(_, values) = data_type {
        return shows_extremes(values);
    }
    types::is_numeric(data_type)
        || matches!(data_type, D::Boolean | D::Utf8 | D::LargeUtf8 | D::Utf8View | D::Date32 | D::Date64 | D::Time32(_))
        || matches!(data_type, D::Time64(_) | D::Timestamp(..) | D::Duration(_))
}

impl Seen {
    fn extremes(&self, data_type: &DataType) -> Result<(String, String)> {
        if !shows_extremes(data_type) {
            return Ok(Default::default());
        }
        if self.extremes.is_empty() {
            return Ok(("null".to_owned(), "null".to_owned()));
        }
        // Decimals have a smaller precision in some files.
        let value_type = match data_type {
            DataType::Dictionary(_, values) => values.as_ref(),
            other => other,
        };
        let typed = |array: &ArrayRef| match types::is_decimal(value_type) {
            true => Column::from_array(array)?.with_type(value_type.clone())?.to_array(),
            false => Ok(array.clone()),
        };
        let all = self.extremes.iter().map(typed).collect::<gdf::Result<Vec<ArrayRef>>>()?;
        let all: Vec<&dyn Array> = all.iter().map(AsRef::as_ref).collect();
        let all = arrow_select::concat::concat(&all)?;
        let (min, max) = reduction::minmax(&Column::from_array(&all)?)?;
        Ok((short(&min.to_string()), short(&max.to_string())))
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
