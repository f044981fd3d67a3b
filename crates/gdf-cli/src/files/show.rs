//! Commands that print rows, schemas and numbers of rows of files.

use std::collections::VecDeque;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use gdf::arrow::array::RecordBatch;
use gdf::arrow::schema::SchemaRef;

use super::input::{Input, Selection, add_schema, progress};
use crate::output::{print, print_rows, table};

const BATCH_ROWS: usize = 1 << 20;

/// The smallest number of rows of a batch, for conditions that few rows meet.
const SMALL_BATCH_ROWS: usize = 1 << 13;

/// Prints the first rows over all files.
pub(super) fn head(input: &Input, n: usize) -> Result<ExitCode> {
    let selection = &input.selection;
    let mut first: Option<SchemaRef> = None;
    let mut batches = Vec::new();
    let mut missing = n;
    for path in &input.files {
        // With a condition, all rows may have to be read.
        let rows = if selection.r#where.is_some() { usize::MAX } else { missing };
        let mut scan = selection.scan(path, 0..rows, n.clamp(SMALL_BATCH_ROWS, BATCH_ROWS))?;
        add_schema(&mut first, &scan.schema, path)?;
        while missing > 0
            && let Some(batch) = scan.batches.next()
        {
            let batch = batch?;
            let rows = batch.num_rows().min(missing);
            batches.push(batch.slice(0, rows)?.to_arrow()?);
            missing -= rows;
        }
        if missing == 0 {
            break;
        }
    }
    show(first, &batches)
}

/// Prints the last rows over all files.
pub(super) fn tail(input: &Input, n: usize) -> Result<ExitCode> {
    let mut last: Option<SchemaRef> = None;
    let mut batches = VecDeque::new();
    let mut missing = n;
    for path in input.files.iter().rev() {
        let (schema, found) = last_rows(&input.selection, path, missing)?;
        add_schema(&mut last, &schema, path)?;
        missing -= found.iter().map(RecordBatch::num_rows).sum::<usize>();
        found.into_iter().rev().for_each(|batch| batches.push_front(batch));
        if missing == 0 {
            break;
        }
    }
    show(last, batches.make_contiguous())
}

fn last_rows(selection: &Selection, path: &Path, n: usize) -> Result<(SchemaRef, VecDeque<RecordBatch>)> {
    let begin = selection.known_rows(path)?.map_or(0, |rows| rows.saturating_sub(n));
    let scan = selection.scan(path, begin..usize::MAX, BATCH_ROWS)?;
    let bar = progress();
    let mut kept: VecDeque<RecordBatch> = VecDeque::new();
    let mut rows = 0;
    for batch in scan.batches {
        let batch = batch?;
        bar.inc(batch.num_rows() as u64);
        rows += batch.num_rows();
        kept.push_back(batch.to_arrow()?);
        while let Some(oldest) = kept.front().map(RecordBatch::num_rows).filter(|oldest| rows - oldest >= n) {
            kept.pop_front();
            rows -= oldest;
        }
    }
    bar.finish_and_clear();
    if let (Some(oldest), surplus @ 1..) = (kept.front_mut(), rows.saturating_sub(n)) {
        *oldest = oldest.slice(surplus, oldest.num_rows() - surplus);
    }
    Ok((scan.schema, kept))
}

/// Prints all rows below a header with names and types.
fn show(schema: Option<SchemaRef>, batches: &[RecordBatch]) -> Result<ExitCode> {
    let Some(schema) = schema else { return Ok(ExitCode::SUCCESS) };
    print_rows(&schema, batches)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the names and types of the columns.
pub(super) fn schema(input: &Input) -> Result<ExitCode> {
    let mut first: Option<SchemaRef> = None;
    for path in &input.files {
        let scan = input.selection.scan(path, 0..0, 1)?;
        add_schema(&mut first, &scan.schema, path)?;
    }
    let mut columns = table(&["column", "type", "nulls"], 3);
    for field in first.iter().flat_map(|schema| schema.fields()) {
        let nulls = if field.is_nullable() { "possible" } else { "none" };
        columns.add_row([field.name(), &field.data_type().to_string(), nulls]);
    }
    print(columns)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the number of rows over all files.
pub(super) fn count(input: &Input) -> Result<ExitCode> {
    let bar = progress();
    let mut rows = 0;
    for path in &input.files {
        if let Some(known) = input.selection.known_rows(path)? {
            rows += known;
            continue;
        }
        for batch in input.selection.scan(path, 0..usize::MAX, BATCH_ROWS)?.batches {
            rows += batch?.num_rows();
            bar.set_position(rows as u64);
        }
    }
    bar.finish_and_clear();
    print(rows)?;
    Ok(ExitCode::SUCCESS)
}
