//! The formats that make the plan of a `COPY … TO`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::{GetExt, Statistics, not_impl_err, plan_err};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::{FileFormat as DataFusionFormat, FileFormatFactory};
use datafusion::datasource::physical_plan::{ArrowSource, FileScanConfig, FileSinkConfig, FileSource};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::Result;
use datafusion::object_store::{ObjectMeta, ObjectStore};
use datafusion::physical_expr::LexRequirement;
use datafusion::physical_plan::ExecutionPlan;

use super::exec::GdfCopyExec;
use crate::files::{Destination, FileFormat};

/// Makes formats with the options of a statement.
#[derive(Debug)]
pub(super) struct GdfFormatFactory {
    name: &'static str,
    /// `None` for the extension of compressed files.
    format: Option<FileFormat>,
}

impl GdfFormatFactory {
    pub(super) fn new(name: &'static str, format: Option<FileFormat>) -> GdfFormatFactory {
        GdfFormatFactory { name, format }
    }
}

impl GetExt for GdfFormatFactory {
    fn get_ext(&self) -> String {
        self.name.to_owned()
    }
}

impl FileFormatFactory for GdfFormatFactory {
    fn create(&self, _state: &dyn Session, options: &HashMap<String, String>) -> Result<Arc<dyn DataFusionFormat>> {
        Ok(Arc::new(GdfFormat { name: self.name, format: self.format, options: options.clone() }))
    }

    fn default(&self) -> Arc<dyn DataFusionFormat> {
        Arc::new(GdfFormat { name: self.name, format: self.format, options: HashMap::new() })
    }
}

/// A format that writes files. gdf reads files as the tables [`GdfFiles`](crate::GdfFiles), not as tables of DataFusion.
#[derive(Debug)]
struct GdfFormat {
    name: &'static str,
    format: Option<FileFormat>,
    /// The options of the statement, by the names that DataFusion gives them.
    options: HashMap<String, String>,
}

impl GdfFormat {
    /// Checks the clauses of a statement, and returns the file that it writes.
    fn destination(&self, config: &FileSinkConfig) -> Result<Destination> {
        let target = &config.original_url;
        let path = Path::new(target.strip_prefix("file://").unwrap_or(target));
        let refused = |reason: &str| plan_err!("COPY TO '{target}': {reason}");
        if !config.table_partition_cols.is_empty() {
            return refused("PARTITIONED BY is not supported; write one file, or a file for each value by WHERE");
        }
        if target.contains("://") && !target.starts_with("file://") {
            return refused("gdf writes to file systems only; write to a path, and copy the file");
        }
        if target.ends_with(['/', std::path::MAIN_SEPARATOR]) || path.is_dir() {
            return refused("the target is a folder, and COPY writes one file; add the name of the file");
        }
        let Some(format) = self.format.or_else(|| FileFormat::of_extension(path)) else {
            return refused("the extension names no format; use .csv.gz or .json.gz, or STORED AS with CSV or JSON");
        };
        Destination::new(path.to_owned(), format, &self.options)
    }

    fn unreadable<T>(&self) -> Result<T> {
        not_impl_err!(
            "the format {} of gdf writes files by COPY, and tables of DataFusion cannot read by it; register a \
             GdfFiles, or make the session by GdfFiles::by_path",
            self.name
        )
    }
}

#[async_trait]
impl DataFusionFormat for GdfFormat {
    fn get_ext(&self) -> String {
        self.name.to_owned()
    }

    fn get_ext_with_compression(&self, _compression: &FileCompressionType) -> Result<String> {
        Ok(self.get_ext())
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        None
    }

    async fn infer_schema(
        &self,
        _state: &dyn Session,
        _store: &Arc<dyn ObjectStore>,
        _objects: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        self.unreadable()
    }

    async fn infer_stats(
        &self,
        _state: &dyn Session,
        _store: &Arc<dyn ObjectStore>,
        _schema: SchemaRef,
        _object: &ObjectMeta,
    ) -> Result<Statistics> {
        self.unreadable()
    }

    async fn create_physical_plan(
        &self,
        _state: &dyn Session,
        _config: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.unreadable()
    }

    async fn create_writer_physical_plan(
        &self,
        input: Arc<dyn ExecutionPlan>,
        _state: &dyn Session,
        config: FileSinkConfig,
        order: Option<LexRequirement>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(GdfCopyExec::new(input, Arc::new(self.destination(&config)?), order)))
    }

    /// Nothing is read through the source, because [`create_physical_plan`](DataFusionFormat::create_physical_plan)
    /// refuses to read. The trait has no error here.
    fn file_source(&self, schema: TableSchema) -> Arc<dyn FileSource> {
        Arc::new(ArrowSource::new_file_source(schema))
    }
}
