//! Functions that format all rows of columns and tables as text tables, for tests and small results. The functions
//! **wait** for device memory.
//!
//! Timestamps with a named time zone are shown in UTC.
//!
//! ```
//! # mod gdf { pub use gdf_core::*; pub mod core { pub use gdf_core::*; } }
//! use gdf::{Column, Stream, core::pretty};
//!
//! let column = Column::from_slice(&[1, 20])?;
//! let text = "\
//! +----+
//! | n  |
//! +----+
//! | 1  |
//! | 20 |
//! +----+";
//! assert_eq!(pretty::format_column(column.view(), "n", &Stream::cpu())?, text);
//! # Ok::<(), gdf_core::Error>(())
//! ```

use gdf_driver::Stream;

use super::value::text;
use crate::{ColumnView, Result, TableView};

/// The preset of comfy-table whose lines consist of plus signs, minus signs and vertical bars, as in the output of
/// database shells.
const ASCII: &str = "||--+-++|    ++++++";

/// Formats all rows of a column, with `name` as the title.
///
/// # Errors
/// - The errors of [`Column::to_arrow`](crate::Column::to_arrow).
pub fn format_column(column: ColumnView<'_>, name: &str, stream: &Stream) -> Result<String> {
    format_table(&TableView::try_new(vec![column])?, &[name], stream)
}

/// Formats all rows of a table. A column without a name is labeled with its position.
///
/// # Errors
/// - The errors of [`format_column`].
pub fn format_table(table: &TableView<'_>, names: &[&str], stream: &Stream) -> Result<String> {
    let arrays = table.columns().iter().map(|column| column.to_arrow(stream)).collect::<Result<Vec<_>>>()?;
    let name = |i: usize| names.get(i).map_or_else(|| i.to_string(), |name| (*name).to_owned());
    let mut lines = comfy_table::Table::new();
    lines.load_preset(ASCII).set_header((0..arrays.len()).map(name));
    lines.add_rows((0..table.num_rows()).map(|row| arrays.iter().map(move |array| text(array, row))));
    Ok(lines.to_string())
}
