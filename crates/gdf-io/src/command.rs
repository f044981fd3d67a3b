//! Functions for the command `gdf`: files that paths mean, rows as text, and the comparison of types of columns.

use std::path::{Path, PathBuf};

#[cfg(feature = "csv")]
pub use crate::csv::csv_text;
#[cfg(feature = "json")]
pub use crate::json::json_text;
pub use gdf_core::layout::same_named_type;

use crate::Result;
use crate::dataset::Dataset;

/// Returns the files that a path means: the file, the files that match the pattern, or those files of a folder for
/// which `is_wanted` is true.
///
/// # Errors
/// - [`NoFiles`](crate::Error::NoFiles), [`BadPattern`](crate::Error::BadPattern), [`Read`](crate::Error::Read).
pub fn files_of(path: impl AsRef<Path>, is_wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    Ok(Dataset::files_of(path.as_ref(), is_wanted)?.0)
}
