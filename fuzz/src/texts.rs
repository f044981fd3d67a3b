//! What the targets of operations on text share.

use gdf_core::Column;
use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};

/// Short text: any characters, or a few that patterns and delimiters often fit.
pub fn text(bytes: &mut Unstructured<'_>, most: usize) -> Result<String> {
    const FEW: &[char] = &['a', 'b', 'A', ' ', '%', '_', '\\', '1', '.', '-', 'é', '漢', '🦀', '\n', '\u{301}'];
    let len = bytes.int_in_range(0..=most)?;
    (0..len).map(|_| if bytes.ratio(7, 8)? { bytes.choose(FEW).copied() } else { char::arbitrary(bytes) }).collect()
}

/// Rows of text, some null.
pub fn rows(bytes: &mut Unstructured<'_>) -> Result<Vec<Option<String>>> {
    let len = bytes.int_in_range(0..=9)?;
    (0..len).map(|_| if bytes.ratio(1, 9)? { Ok(None) } else { text(bytes, 12).map(Some) }).collect()
}

/// The rows as a column of the CPU.
pub fn column(rows: &[Option<String>]) -> Column {
    Column::from_strs(rows.iter().map(|row| row.as_deref())).expect("memory")
}

/// What `of` makes of each row.
pub fn map<T>(rows: &[Option<String>], of: impl Fn(&str) -> T) -> Vec<Option<T>> {
    rows.iter().map(|row| row.as_deref().map(&of)).collect()
}
