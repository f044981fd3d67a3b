//! A CSV file: read by arrow-rs, filtered, and written as CSV again.

use std::sync::Arc;

use gdf::arrow::csv::reader::Format;
use gdf::arrow::csv::{ReaderBuilder, Writer};
use gdf::binaryop::gt;
use gdf::prelude::*;
use gdf::stream_compaction::apply_boolean_mask;

const FILE: &str = "name,price\ntea,2.5\nrice,4\nwine,10\n"; // or a std::fs::File

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (schema, _) = Format::default().with_header(true).infer_schema(FILE.as_bytes(), None)?;
    let mut writer = Writer::new(std::io::stdout());
    for batch in ReaderBuilder::new(Arc::new(schema)).with_header(true).build(FILE.as_bytes())? {
        let batch = batch?;
        let table = Table::from_batch(&batch)?;
        let kept = apply_boolean_mask(&table, &gt(table.column(1)?, 3.0)?)?;
        writer.write(&kept.to_batch(&batch.schema())?)?;
    }
    Ok(())
}
