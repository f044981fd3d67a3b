//! Opens files for reading.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::{Error, Result};

/// Opens a file.
pub(crate) fn open(path: &Path) -> Result<File> {
    let open = || {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(file) }
    };
    open().map_err(|error| Error::reading(path, error))
}
