//! Sessions in which the paths of files are names of tables.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{DynamicFileCatalog, TableProvider, UrlTableFactory};
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;

use crate::copy::{self, Replaces};
use crate::files::{FileFormat, FileOptions, GdfFiles, factory};

/// Makes a table from the path of a file, a pattern or a folder.
#[derive(Debug)]
struct FilesByPath(FileOptions);

impl GdfFiles {
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
        GdfFiles::by_path_with(ctx, FileOptions::new())
    }

    /// Does the same as [`by_path`](Self::by_path), and reads the files with the given options.
    ///
    /// In both kinds of sessions, `CREATE EXTERNAL TABLE` makes tables that gdf reads, with options of their own:
    ///
    /// ```sql
    /// CREATE EXTERNAL TABLE trips STORED AS CSV LOCATION ('old/*.csv', 'new.csv') OPTIONS (delimiter ';', null '-')
    /// ```
    ///
    /// The types are `PARQUET`, `CSV`, `TSV`, `JSON` and `ARROW`. [`FileOptions::set`] lists the options. Columns may be
    /// declared for CSV and JSON.
    ///
    /// `COPY` writes a table or the rows of a query to a file by the writers of gdf, and returns the number of rows. The
    /// file appears when it is complete:
    ///
    /// ```sql
    /// COPY (SELECT city, sum(price) FROM trips GROUP BY city) TO 'cities.parquet' OPTIONS (compression 'zstd(9)')
    /// ```
    ///
    /// The format is that of the extension, or one of the types above after `STORED AS`. The options are `compression`,
    /// `for_gpu` and `row_group_rows` of Parquet, `compression` of Arrow, `delimiter`, `has_header`, `null`, `true_value` and
    /// `false_value` of CSV, and `lines` of JSON, which is false for one array. Sessions made otherwise by
    /// [`GdfSession::with_gdf`](crate::GdfSession::with_gdf) have these writers only for formats that
    /// DataFusion itself cannot write.
    #[must_use]
    pub fn by_path_with(ctx: SessionContext, options: FileOptions) -> SessionContext {
        let state = ctx.state();
        let catalogs = DynamicFileCatalog::new(Arc::clone(state.catalog_list()), Arc::new(FilesByPath(options)));
        let mut builder = SessionStateBuilder::new_from_existing(state).with_catalog_list(Arc::new(catalogs));
        for (name, factory) in factory::all() {
            builder = builder.with_table_factory(name.to_owned(), factory);
        }
        let mut state = builder.build();
        copy::register(&mut state, Replaces::All);
        SessionContext::new_with_state(state)
    }
}

#[async_trait]
impl UrlTableFactory for FilesByPath {
    async fn try_new(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let path = Path::new(name.strip_prefix("file://").unwrap_or(name)).to_owned();
        // A name without a known extension may be a misspelled name of a table.
        if FileFormat::of_extension(&path).is_none() && !path.exists() {
            return Ok(None);
        }
        let options = self.0.clone();
        let task = SpawnedTask::spawn_blocking(move || GdfFiles::open_with([path], options));
        let files = task.join().await.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
        Ok(Some(Arc::new(files)))
    }
}
