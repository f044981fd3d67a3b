//! Prints the rows of a query.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use comfy_table::Cell;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::error::DataFusionError;
use datafusion::physical_plan::SendableRecordBatchStream;
use futures::TryStreamExt;
use gdf::arrow::array::RecordBatch;
use gdf::arrow::schema::SchemaRef;
use gdf::io::command::{csv_text, json_text};

use crate::output::{print, table};

/// The format in which rows are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ResultFormat {
    /// Comma-separated values below a header
    Csv,
    /// One JSON object per line
    Json,
    /// A table with a frame
    Table,
}

/// Prints all rows, and returns the time that this took without the wait for rows. CSV and JSON are printed batch by
/// batch.
pub(super) async fn print_rows(
    rows: SendableRecordBatchStream,
    format: ResultFormat,
    error: impl Fn(DataFusionError) -> anyhow::Error,
) -> Result<Duration> {
    let schema = rows.schema();
    let mut rows = rows;
    // Statements such as CREATE VIEW return no columns.
    let has_columns = !schema.fields().is_empty();
    if format == ResultFormat::Table {
        let batches: Vec<RecordBatch> = rows.try_collect().await.map_err(error)?;
        return timed(|| if has_columns { print_table(&schema, &batches) } else { Ok(()) });
    }
    let (mut is_first, mut printing) = (true, Duration::ZERO);
    while let Some(batch) = rows.try_next().await.map_err(&error)? {
        if has_columns {
            printing += timed(|| write(&text(&batch, format, is_first)?))?;
        }
        is_first = false;
    }
    if is_first && has_columns {
        printing += timed(|| write(&text(&RecordBatch::new_empty(schema), format, true)?))?;
    }
    Ok(printing)
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

fn text(batch: &RecordBatch, format: ResultFormat, is_first: bool) -> Result<Vec<u8>> {
    match format {
        ResultFormat::Json => {
            json_text(batch).context("the rows cannot be written as JSON; print the rows with --format table")
        }
        _ => csv_text(batch, is_first).context("the rows cannot be written as CSV; print the rows with --format json"),
    }
}

/// Writes to the standard output. A closed pipe is an error, as for [`print`].
fn write(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Prints the table. The texts of plans are printed whole, and other cells are cut.
fn print_table(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<()> {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    if names != ["plan_type", "plan"] {
        return crate::output::print_rows(schema, batches);
    }
    let mut shown = table(&names, names.len());
    let options = FormatOptions::default();
    for batch in batches {
        let formatters = batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
        let formatters = formatters.collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            shown.add_row(formatters.iter().map(|formatter| Cell::new(formatter.value(row))));
        }
    }
    print(shown)
}
