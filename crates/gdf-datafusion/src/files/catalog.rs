//! A catalog in which the paths of files are names of tables.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{DynamicFileCatalog, TableProvider, UrlTableFactory};
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;

use super::{FileFormat, FileOptions, GdfFiles, factory};
use crate::copy::{self, Replaces};

/// Makes a table from the path of a file, a pattern or a folder.
#[derive(Debug)]
struct FilesByPath(FileOptions);

pub(super) fn by_path(ctx: SessionContext, options: FileOptions) -> SessionContext {
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
