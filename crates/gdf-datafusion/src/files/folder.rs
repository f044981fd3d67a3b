//! A schema of DataFusion whose tables are the files of a folder.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use datafusion::catalog::{MemorySchemaProvider, SchemaProvider, TableProvider};
use datafusion::common::plan_err;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::TableType;

use super::{FileFormat, FileOptions, GdfFiles};

/// A schema of DataFusion whose tables are the files and subfolders of a folder.
///
/// Each file of a known format, and each subfolder with such files, is a table with the name of the file or subfolder.
/// A table is opened when a query names it, so a file that cannot be read does not affect queries over other files.
/// Names that begin with `.` or `_` are left out. Further tables and views can be registered beside the files.
///
/// ```
/// use std::sync::Arc;
///
/// use datafusion::prelude::SessionContext;
/// use gdf_datafusion::{GdfFolder, GdfOptions, GdfSession};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("trips.csv"), "city,price\nLyon,2.5\nNantes,4\n")?;
/// let ctx = SessionContext::new().with_gdf(GdfOptions::default());
/// let catalog = ctx.catalog("datafusion").ok_or("the session has no catalog")?;
/// catalog.register_schema("public", Arc::new(GdfFolder::open(folder.path())?))?;
/// assert_eq!(ctx.sql("SELECT max(price) FROM trips").await?.collect().await?[0].num_rows(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct GdfFolder {
    /// The files and subfolders with each name. Several of them cannot be told apart.
    paths: BTreeMap<String, Vec<PathBuf>>,
    opened: Mutex<HashMap<String, Arc<dyn TableProvider>>>,
    others: MemorySchemaProvider,
    options: FileOptions,
}

impl GdfFolder {
    /// Lists the files of a folder, without opening them.
    ///
    /// # Errors
    /// * [`DataFusionError::Plan`]: the folder cannot be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<GdfFolder> {
        GdfFolder::open_with(folder, FileOptions::new())
    }

    /// Does the same as [`open`](Self::open), and reads the files with the given options.
    ///
    /// # Errors
    /// * [`DataFusionError::Plan`]: the folder cannot be read.
    pub fn open_with(folder: impl AsRef<Path>, options: FileOptions) -> Result<GdfFolder> {
        let folder = folder.as_ref();
        let unreadable = |error| DataFusionError::Plan(format!("cannot read {}: {error}", folder.display()));
        let mut paths: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        let mut found: Vec<PathBuf> =
            fs::read_dir(folder).map_err(unreadable)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        found.sort();
        for path in found {
            if let Some(name) = name_of(&path) {
                paths.entry(name).or_default().push(path);
            }
        }
        Ok(GdfFolder { paths, opened: Mutex::default(), others: MemorySchemaProvider::new(), options })
    }

    /// Returns whether the folder has no files of a known format.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    fn opened(&self) -> MutexGuard<'_, HashMap<String, Arc<dyn TableProvider>>> {
        // If another thread has panicked, the map is still consistent.
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the name of the table for a path, or `None` for an unknown format and for names that begin with `.` or `_`.
fn name_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    if name.starts_with(['.', '_']) {
        return None;
    }
    if path.is_dir() {
        return FileFormat::of(path).is_ok().then(|| name.to_owned());
    }
    FileFormat::of_extension(path)?;
    let stem = Path::new(path.file_stem()?);
    // The extension of a compressed file has two parts.
    let is_packed = name.to_ascii_lowercase().ends_with(".gz") || name.to_ascii_lowercase().ends_with(".zst");
    let stem = if is_packed { Path::new(stem.file_stem()?) } else { stem };
    stem.to_str().map(str::to_owned)
}

#[async_trait]
impl SchemaProvider for GdfFolder {
    fn table_names(&self) -> Vec<String> {
        let mut names = self.others.table_names();
        names.extend(self.paths.keys().filter(|name| !self.others.table_exist(name)).cloned());
        names
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if let Some(table) = self.others.table(name).await? {
            return Ok(Some(table));
        }
        let path = match self.paths.get(name).map(Vec::as_slice) {
            None | Some([]) => return Ok(None),
            Some([path]) => path.clone(),
            Some([one, other, ..]) => {
                let (one, other) = (one.display(), other.display());
                return plan_err!("{one} and {other} both have the table name {name}; rename one of them");
            }
        };
        if let Some(table) = self.opened().get(name) {
            return Ok(Some(Arc::clone(table)));
        }
        let options = self.options.clone();
        let task = SpawnedTask::spawn_blocking(move || GdfFiles::open_with([path], options));
        let files = task.join().await.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
        // Another query may have opened the table at the same time. All queries share the first one.
        let table = Arc::clone(self.opened().entry(name.to_owned()).or_insert_with(|| Arc::new(files)));
        Ok(Some(table))
    }

    async fn table_type(&self, name: &str) -> Result<Option<TableType>> {
        match self.paths.contains_key(name) && !self.others.table_exist(name) {
            true => Ok(Some(TableType::Base)),
            false => self.others.table_type(name).await,
        }
    }

    fn register_table(&self, name: String, table: Arc<dyn TableProvider>) -> Result<Option<Arc<dyn TableProvider>>> {
        if self.paths.contains_key(&name) {
            return plan_err!("the folder has a table {name}; use another name");
        }
        self.others.register_table(name, table)
    }

    fn deregister_table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if self.paths.contains_key(name) {
            return plan_err!("the table {name} is a file, which is not removed by SQL; remove the file");
        }
        self.others.deregister_table(name)
    }

    fn table_exist(&self, name: &str) -> bool {
        self.paths.contains_key(name) || self.others.table_exist(name)
    }
}
