//! Tables of DataFusion whose rows are in files. gdf-io reads Parquet, CSV, JSON and Arrow IPC.

mod catalog;
mod exec;
mod folder;
mod format;
mod predicate;
mod scan;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionContext;

pub(crate) use self::exec::GdfFilesExec;
pub use self::exec::split_scan;
pub use self::folder::GdfFolder;
pub use self::format::FileFormat;
pub(crate) use self::scan::{FileScan, Selection};
use crate::error::IslandError;

/// A table of DataFusion whose rows are in files: one file, the files of a pattern, or the files of a folder.
///
/// Islands read the files to the device without record batches in between. The scan applies the projection, the limit,
/// and filters that compare columns with literals. Row groups and pages of Parquet files without matching rows are not
/// read. The number of rows of Parquet files is exact, and is read again for each query. A folder with a name such as
/// `key=value` adds a column `key`.
///
/// Fields of nullable structs are nullable. Dictionaries have keys of at least 32 bits, and dictionaries of booleans are
/// columns of booleans. Of several columns with one name, the later ones get a number, as in `a_1`.
///
/// ```
/// use std::sync::Arc;
///
/// use datafusion::prelude::SessionContext;
/// use gdf_datafusion::{GdfFiles, GdfOptions, GdfSession};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.csv");
/// std::fs::write(&path, "city,price\nLyon,2.5\nNantes,4\nLyon,1\n")?;
/// let ctx = SessionContext::new().with_gdf(GdfOptions::default());
/// ctx.register_table("trips", Arc::new(GdfFiles::open(&path)?))?;
/// let rows = ctx.sql("SELECT sum(price) FROM trips WHERE city = 'Lyon'").await?.collect().await?;
/// assert_eq!(rows[0].column(0).as_ref(), &arrow_array::Float64Array::from(vec![3.5]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct GdfFiles {
    path: PathBuf,
    format: FileFormat,
    schema: SchemaRef,
}

impl GdfFiles {
    /// Makes a table of a file, a pattern or a folder. The format is detected by the extension, or else by the first
    /// bytes of the file.
    ///
    /// # Errors
    /// * [`DataFusionError::Plan`]: there is no such file, or its format is not known.
    /// * [`DataFusionError::External`] with an [`IslandError`]: the files cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<GdfFiles> {
        let format = FileFormat::of(path.as_ref())?;
        GdfFiles::open_as(path, format)
    }

    /// Makes a table of a file, a pattern or a folder whose files have the given format.
    ///
    /// # Errors
    /// * [`DataFusionError::External`] with an [`IslandError`]: the files cannot be read.
    pub fn open_as(path: impl AsRef<Path>, format: FileFormat) -> Result<GdfFiles> {
        let path = path.as_ref().to_owned();
        let (schema, _) = scan::described(&path, format)?;
        Ok(GdfFiles { path, format, schema })
    }

    /// Returns a session in which paths of files are tables, as in `SELECT * FROM 'sales/*.parquet'`.
    ///
    /// A registered table takes precedence over a path of the same name.
    ///
    /// ```
    /// use datafusion::prelude::SessionContext;
    /// use gdf_datafusion::{GdfFiles, GdfOptions, GdfSession};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("trips.csv");
    /// std::fs::write(&path, "city,price\nLyon,2.5\nNantes,4\n")?;
    /// let ctx = GdfFiles::by_path(SessionContext::new()).with_gdf(GdfOptions::default());
    /// let query = format!("SELECT max(price) FROM '{}'", path.display());
    /// assert_eq!(ctx.sql(&query).await?.collect().await?[0].num_rows(), 1);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn by_path(ctx: SessionContext) -> SessionContext {
        catalog::by_path(ctx)
    }

    /// Returns the file, the pattern or the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the format.
    pub fn format(&self) -> FileFormat {
        self.format
    }

    /// Returns the number of rows, if it is known without reading the rows.
    ///
    /// # Errors
    /// * [`IslandError::Changed`]: the columns of the files differ from the columns of the table.
    async fn known_rows(&self) -> Result<Option<usize>> {
        if self.format != FileFormat::Parquet {
            return Ok(None);
        }
        let (path, format) = (self.path.clone(), self.format);
        let task = SpawnedTask::spawn_blocking(move || scan::described(&path, format));
        let (schema, rows) = task.join().await.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
        if schema.fields() != self.schema.fields() {
            return Err(IslandError::Changed { path: self.path.clone() }.into());
        }
        Ok(rows)
    }
}

impl fmt::Debug for GdfFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GdfFiles").field("path", &self.path).field("format", &self.format).finish_non_exhaustive()
    }
}

#[async_trait]
impl TableProvider for GdfFiles {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let support = |filter: &&Expr| match predicate::predicate(filter, &self.schema) {
            Some(_) => TableProviderFilterPushDown::Exact,
            None => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns: Vec<usize> = match projection {
            Some(kept) => kept.clone(),
            None => (0..self.schema.fields().len()).collect(),
        };
        let scan = FileScan::new(Selection {
            path: self.path.clone(),
            format: self.format,
            table: self.schema.clone(),
            columns,
            filters: filters.to_vec(),
            limit,
            rows: None,
        })?;
        let partitions = state.config().target_partitions();
        Ok(Arc::new(GdfFilesExec::new(scan, self.known_rows().await?, partitions)))
    }
}
