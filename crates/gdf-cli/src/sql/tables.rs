//! Tables of a folder. Each file, and each subfolder with files, is a table with the name of the file or subfolder.

use std::path::Path;

use anyhow::{Result, anyhow, ensure};
use gdf_datafusion::{FileOptions, GdfFolder};

use super::session::Session;

/// Makes the files of a folder tables of the session. A file is opened when a statement names its table.
pub(super) fn register(session: &Session, folder: &Path, options: FileOptions) -> Result<()> {
    ensure!(folder.is_dir(), "{} is not a folder; name a folder with --tables", folder.display());
    let tables = GdfFolder::open_with(folder, options).map_err(|error| anyhow!(error.message().into_owned()))?;
    ensure!(
        !tables.is_empty(),
        "the folder {} has no files of a known format; name another folder with --tables",
        folder.display()
    );
    session.register(tables)
}
