//! Functions for the command `gdf`: files that paths mean, rows as text, and the comparison of types of columns.

use std::path::{Path, PathBuf};

#[cfg(feature = "csv")]
pub use crate::csv::csv_text;
#[cfg(feature = "json")]
pub use crate::json::json_text;
pub use crate::nullability::same_type;

use crate::Result;
use crate::dataset::Dataset;

/// Returns the files that a path means: the file, the files that match the pattern, or the files of a folder with one
/// of the extensions.
///
/// # Errors
/// - [`NoFiles`](crate::Error::NoFiles), [`BadPattern`](crate::Error::BadPattern), [`Read`](crate::Error::Read).
pub fn files_of(path: impl AsRef<Path>, extensions: &[&str]) -> Result<Vec<PathBuf>> {
    Ok(Dataset::find(path.as_ref(), extensions)?.files)
}
