//! `CREATE EXTERNAL TABLE` makes tables of files that gdf reads.

use std::path::Path;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::common::plan_err;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::CreateExternalTable;

use super::{FileFormat, FileOptions, GdfFiles};

/// Makes tables of one format.
#[derive(Debug)]
struct Factory(FileFormat);

/// Returns the factories by the names that may stand behind `STORED AS`.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, Arc<dyn TableProviderFactory>)> {
    let names = [
        ("PARQUET", FileFormat::Parquet),
        ("CSV", FileFormat::Csv),
        ("TSV", FileFormat::Tsv),
        ("JSON", FileFormat::Json),
        ("NDJSON", FileFormat::Json),
        ("ARROW", FileFormat::Arrow),
    ];
    names.into_iter().map(|(name, format)| (name, Arc::new(Factory(format)) as _))
}

#[async_trait]
impl TableProviderFactory for Factory {
    async fn create(&self, _state: &dyn Session, statement: &CreateExternalTable) -> Result<Arc<dyn TableProvider>> {
        check_clauses(statement)?;
        let mut options = FileOptions::new().format(self.0);
        let mut given: Vec<(&String, &String)> = statement.options.iter().collect();
        given.sort();
        for (name, value) in given {
            // DataFusion writes this prefix before names without one.
            options = options.set(name.strip_prefix("format.").unwrap_or(name), value)?;
        }
        options.declared = declared(statement.schema.as_arrow());
        if options.declared.is_some() && matches!(self.0, FileFormat::Parquet | FileFormat::Arrow) {
            return plan_err!(
                "files of the format {} have names and types of their own; leave out the columns of {}",
                self.0.name(),
                statement.name
            );
        }
        let paths = statement.locations.clone();
        let paths = paths.iter().map(|path| Path::new(path.strip_prefix("file://").unwrap_or(path)).to_owned());
        let paths: Vec<_> = paths.collect();
        let task = SpawnedTask::spawn_blocking(move || GdfFiles::open_with(paths, options));
        let files = task.join().await.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
        Ok(Arc::new(files))
    }
}

/// Refuses clauses that would be ignored.
fn check_clauses(statement: &CreateExternalTable) -> Result<()> {
    let given = [
        (
            "PARTITIONED BY",
            !statement.table_partition_cols.is_empty(),
            "names of folders such as year=2026 are columns",
        ),
        ("WITH ORDER", !statement.order_exprs.is_empty(), "rows are sorted by the queries that need it"),
        ("UNBOUNDED", statement.unbounded, "files have an end"),
        ("PRIMARY KEY and UNIQUE", statement.constraints.iter().next().is_some(), "files are not checked for them"),
        ("DEFAULT", !statement.column_defaults.is_empty(), "files are only read"),
    ];
    match given.into_iter().find(|(_, is_given, _)| *is_given) {
        Some((clause, _, reason)) => {
            plan_err!("CREATE EXTERNAL TABLE {}: leave out {clause}; {reason}", statement.name)
        }
        None => Ok(()),
    }
}

/// Returns the columns that a statement declares, or `None` without columns. Files have texts as they are.
fn declared(schema: &Schema) -> Option<SchemaRef> {
    let of_files = |data_type: &DataType| match data_type {
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        other => other.clone(),
    };
    let fields = schema.fields().iter().map(|field| Field::clone(field).with_data_type(of_files(field.data_type())));
    let fields: Vec<Field> = fields.collect();
    (!fields.is_empty()).then(|| Arc::new(Schema::new(fields)))
}
