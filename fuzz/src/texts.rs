//! Shared code of the targets for operations on text.

use gdf_core::Column;
use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};

/// Returns a short text of any characters and, more often, of a few characters that patterns and delimiters match.
pub fn text(bytes: &mut Unstructured<'_>, most: usize) -> Result<String> {
    const FEW: &[char] = &['a', 'b', 'A', ' ', '%', '_', '\\', '1', '.', '-', 'é', '漢', '🦀', '\n', '\u{301}'];
    let len = bytes.int_in_range(0..=most)?;
    (0..len).map(|_| if bytes.ratio(7, 8)? { bytes.choose(FEW).copied() } else { char::arbitrary(bytes) }).collect()
}

/// Returns rows of text, some of which are null.
pub fn rows(bytes: &mut Unstructured<'_>) -> Result<Vec<Option<String>>> {
    let len = bytes.int_in_range(0..=9)?;
    (0..len).map(|_| if bytes.ratio(1, 9)? { Ok(None) } else { text(bytes, 12).map(Some) }).collect()
}

/// Returns the rows as a column on the CPU.
pub fn column(rows: &[Option<String>]) -> Column {
    Column::from_strs(rows.iter().map(|row| row.as_deref())).expect("there is enough memory")
}

/// Applies `of` to each row. A null row stays null.
pub fn map<T>(rows: &[Option<String>], of: impl Fn(&str) -> T) -> Vec<Option<T>> {
    rows.iter().map(|row| row.as_deref().map(&of)).collect()
}
