//! Operations on text.

use gdf_core::{Column, ColumnView, Result};
use gdf_detail::strings::Case;

pub use self::regex::{
    Regex, RegexFlags, contains_re, count_re, extract, extract_all_record, extract_single, find_re, findall,
    matches_re, replace_re, replace_with_backrefs, rsplit_re, rsplit_record_re, split_re, split_record_re,
};
use crate::scope::Scope;

mod regex;

/// Upper case of each row of text, by Unicode's full mapping: as `str::to_uppercase`, without regard to a language.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. A character may become up to three, so that the
/// result may have more bytes. In libcudf `strings::to_upper`, in polars `str.to_uppercase`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::to_upper;
///
/// let column = Column::from_strs([Some("gdf"), None, Some("Straße")])?;
/// assert_eq!(to_upper(&column)?.to_strings()?, [Some("GDF".to_owned()), None, Some("STRASSE".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait, for the number of bytes; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("upper", "to_uppercase", "str.upper", "ucase"))]
pub fn to_upper<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("to_upper", &[&column])?.run(|ctx| gdf_detail::strings::to_case(column, Case::Upper, ctx))
}

/// Whether `target` occurs in each row of text, byte for byte, as `Boolean`.
///
/// # Types
/// `Utf8` and `LargeUtf8`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. An empty target occurs in every text. In libcudf
/// `strings::contains`, in polars `str.contains` (`literal`), in arrow-rs `contains`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::contains;
///
/// let column = Column::from_strs([Some("column"), None, Some("row")])?;
/// assert_eq!(contains(&column, "lum")?.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("like", "str.contains", "contains_literal", "strpos", "instr"))]
pub fn contains<'a>(column: impl Into<ColumnView<'a>>, target: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("contains", &[&column])?.run(|ctx| gdf_detail::strings::contains(column, target, ctx))
}
