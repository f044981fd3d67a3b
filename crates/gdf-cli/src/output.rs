//! Prints tables, sizes and progress.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use gdf::arrow::array::RecordBatch;
use gdf::arrow::schema::Schema;
use serde::Serialize;

/// Prints a text and a line end. If the pipe is closed, the function returns an error. `println!` would panic.
pub(crate) fn print(text: impl std::fmt::Display) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Prints all rows below a header with names and types. Long cells are cut.
pub(crate) fn print_rows(schema: &Schema, batches: &[RecordBatch]) -> Result<()> {
    // A frame without columns says nothing.
    if schema.fields().is_empty() { Ok(()) } else { print(gdf::core::rows_table(schema, batches)) }
}

pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    print(serde_json::to_string_pretty(value)?)
}

/// Makes a table with a frame. Columns from `first_number` on hold numbers.
pub(crate) fn table(header: &[&str], first_number: usize) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_header(header);
    for column in table.column_iter_mut().skip(first_number) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Formats a number of bytes for people: `139.8 GiB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// Formats a path, with `~` for the home folder.
pub(crate) fn short(path: &Path) -> String {
    let home = std::env::home_dir().filter(|home| home.as_os_str().len() > 1);
    match home.as_deref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded() {
        assert_eq!(size(0), "0 B");
        assert_eq!(size(1023), "1023 B");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(150_754_820_096), "140.4 GiB");
        assert_eq!(size(u64::MAX), "16777216.0 TiB");
    }
}
