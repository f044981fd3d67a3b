//! Runs the files of `tests/slt`, which contain SQL with expected rows. Each file runs with gdf and with DataFusion
//! alone. With gdf, each island is compared with DataFusion.

use std::path::Path;

use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use async_trait::async_trait;
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;
use gdf_datafusion::{GdfOptions, GdfSession};
use sqllogictest::{AsyncDB, DBOutput, DefaultColumnType, Runner};

use crate::kit::strict;

struct Database(SessionContext);

#[async_trait]
impl AsyncDB for Database {
    type Error = DataFusionError;
    type ColumnType = DefaultColumnType;

    async fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, DataFusionError> {
        let frame = self.0.sql(sql).await?;
        let schema = frame.schema().as_arrow().clone();
        let batches = frame.collect().await?;
        if schema.fields().is_empty() {
            return Ok(DBOutput::StatementComplete(0));
        }
        let types = schema.fields().iter().map(|field| column_type(field.data_type())).collect();
        let rows = batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|row| cells(batch, row)));
        Ok(DBOutput::Rows { types, rows: rows.collect() })
    }

    async fn shutdown(&mut self) {}

    fn engine_name(&self) -> &str {
        "gdf"
    }
}

fn column_type(data_type: &DataType) -> DefaultColumnType {
    match data_type {
        data_type if data_type.is_integer() => DefaultColumnType::Integer,
        data_type if data_type.is_numeric() => DefaultColumnType::FloatingPoint,
        data_type if data_type.is_string() => DefaultColumnType::Text,
        _ => DefaultColumnType::Any,
    }
}

fn cells(batch: &RecordBatch, row: usize) -> Vec<String> {
    let cell = |column: &arrow_array::ArrayRef| match column.is_null(row) {
        true => "NULL".to_owned(),
        false => match array_value_to_string(column, row).unwrap() {
            // A cell of the file format cannot be empty.
            text if text.is_empty() => "(empty)".to_owned(),
            text => text,
        },
    };
    batch.columns().iter().map(cell).collect()
}

/// Runs a file, and returns the options, which have counted the islands.
async fn run(name: &str, with_gdf: bool) -> GdfOptions {
    let options = strict();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slt").join(name);
    let ctx = SessionContext::new();
    let ctx = if with_gdf { ctx.with_gdf(options.clone()) } else { ctx };
    let mut runner = Runner::new(|| {
        let ctx = ctx.clone();
        async move { Ok(Database(ctx)) }
    });
    runner.run_file_async(path).await.unwrap_or_else(|error| panic!("{name}, with gdf: {with_gdf}: {error}"));
    options
}

#[tokio::test]
async fn files_have_the_expected_rows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slt");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert!(names.len() >= 6, "{names:?}");
    for name in names {
        run(&name, false).await;
        let counts = run(&name, true).await.counts();
        assert!(counts.islands > 5 && counts.verified == counts.islands && counts.fallbacks == 0, "{name}: {counts:?}");
    }
}
