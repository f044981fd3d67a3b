//! Tables of DataFusion whose rows are in files. gdf-io reads Parquet, CSV, JSON and Arrow IPC.

mod exec;
pub(crate) mod factory;
mod folder;
mod format;
mod options;
mod predicate;
mod scan;
mod statistics;
mod write_options;
mod written;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{Statistics, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

pub(crate) use self::exec::GdfFilesExec;
pub use self::exec::split_scan;
pub use self::folder::GdfFolder;
pub use self::format::FileFormat;
pub use self::options::FileOptions;
use self::scan::Described;
pub(crate) use self::scan::{FileScan, Selection};
use self::statistics::Footers;
pub(crate) use self::written::{Destination, written};
use crate::error::IslandError;

/// A table of DataFusion whose rows are in files: one file, the files of a pattern or of a folder, or the files of several
/// such paths, one after the other.
///
/// Islands read the files to the device without record batches in between. The scan applies the projection, the limit,
/// and filters that compare columns with literals. Row groups and pages of Parquet files without matching rows are not
/// read. The number of rows of Parquet files is exact, and is read again for each query. What their footers state about
/// columns is read once, and decides the order of joins. A folder with a name such as
/// `key=value` adds a column `key`.
///
/// Text and bytes have 64-bit offsets if a row group of Parquet files has more than 2 GiB of them in a column. A column
/// with 32-bit offsets and more than 2 GiB in all rows is read in pieces.
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
    paths: Vec<PathBuf>,
    format: FileFormat,
    options: FileOptions,
    schema: SchemaRef,
    /// What the footers of Parquet files stated when the table was made.
    footers: Option<Arc<Footers>>,
}

impl GdfFiles {
    /// Makes a table of a file, a pattern or a folder. The format is detected by the extension, or else by the first
    /// bytes of the file.
    ///
    /// # Errors
    /// * [`DataFusionError::Plan`]: there is no such file, or its format is not known.
    /// * [`DataFusionError::External`] with an [`IslandError`]: the files cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<GdfFiles> {
        GdfFiles::open_with([path], FileOptions::new())
    }

    /// Makes a table of a file, a pattern or a folder whose files have the given format.
    ///
    /// # Errors
    /// * [`DataFusionError::External`] with an [`IslandError`]: the files cannot be read.
    pub fn open_as(path: impl AsRef<Path>, format: FileFormat) -> Result<GdfFiles> {
        GdfFiles::open_with([path], FileOptions::new().format(format))
    }

    /// Makes a table of files, patterns and folders, whose rows follow each other, read with the given options. All of them
    /// have one format.
    ///
    /// ```
    /// use gdf_datafusion::{FileOptions, GdfFiles};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// let paths = ["old.csv", "new.csv"].map(|name| folder.path().join(name));
    /// std::fs::write(&paths[0], "city;price\nLyon;2,5\n")?;
    /// std::fs::write(&paths[1], "city;price\nNantes;4\n")?;
    /// let trips = GdfFiles::open_with(&paths, FileOptions::new().delimiter(b';').decimal_point(b','))?;
    /// assert_eq!(trips.paths(), paths);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// * [`DataFusionError::Plan`]: there are no paths, a path does not exist, the format is not known, or the paths have
    ///   several formats.
    /// * [`DataFusionError::External`] with an [`IslandError`]: the files cannot be read.
    pub fn open_with<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>, options: FileOptions) -> Result<GdfFiles> {
        let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let format = match options.format {
            Some(format) => format,
            None => one_format(&paths)?,
        };
        let mut options = options;
        if format == FileFormat::Json && options.declared.is_none() {
            options.inferred = Some(options.json(&paths).and_then(|reader| reader.infer()).map_err(IslandError::from)?);
        }
        let Described { schema, reader } = scan::described(&paths, format, &options)?;
        let footers = reader.map(|reader| Footers::of(reader, &schema).map(Arc::new)).transpose()?;
        Ok(GdfFiles { paths, format, options, schema, footers })
    }

    /// Returns the files, patterns and folders.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
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
        let (paths, format, options) = (self.paths.clone(), self.format, self.options.clone());
        let task = SpawnedTask::spawn_blocking(move || scan::described(&paths, format, &options));
        let found = task.join().await.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
        let Described { schema, reader } = found;
        if schema.fields() != self.schema.fields() {
            return Err(IslandError::Changed { path: self.paths.first().cloned().unwrap_or_default() }.into());
        }
        Ok(reader.map(|reader| reader.num_rows()))
    }
}

/// Returns the format of all paths.
fn one_format(paths: &[PathBuf]) -> Result<FileFormat> {
    let Some((first, others)) = paths.split_first() else {
        return plan_err!("GdfFiles: a table of files needs a path; pass at least one");
    };
    let format = FileFormat::of(first)?;
    for path in others {
        let other = FileFormat::of(path)?;
        if other != format {
            return plan_err!(
                "{} has the format {}, and {} has the format {}; make a table for each format, and unite them by UNION ALL",
                first.display(),
                format.name(),
                path.display(),
                other.name()
            );
        }
    }
    Ok(format)
}

impl fmt::Debug for GdfFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GdfFiles").field("paths", &self.paths).field("format", &self.format).finish_non_exhaustive()
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

    /// The order of joins depends on the statistics. The files may have changed since they were read, so they are
    /// estimates.
    fn statistics(&self) -> Option<Statistics> {
        Some(self.footers.as_ref()?.statistics.clone())
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
        let text_bytes = self.footers.as_ref().and_then(|footers| footers.text_bytes(&columns));
        let mut scan = FileScan::new(Selection {
            paths: self.paths.clone(),
            format: self.format,
            options: self.options.clone(),
            table: self.schema.clone(),
            columns,
            filters: filters.to_vec(),
            limit,
            rows: None,
        })?;
        scan.text_bytes = text_bytes;
        let partitions = state.config().target_partitions();
        Ok(Arc::new(GdfFilesExec::new(scan, self.known_rows().await?, partitions)))
    }
}
