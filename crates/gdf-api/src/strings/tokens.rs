//! Words and characters of text as rows of their own.

use gdf_core::{Column, ColumnView, Result};
use gdf_detail::strings as detail;

use crate::scope::Scope;

/// The characters of all rows, a text each, one after another.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: a row for each character. Nulls have none. Order: that of the input. In libcudf `nvtext::character_tokenize`, in Python
/// `list`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::character_tokenize;
///
/// let characters = character_tokenize(&Column::from_strs([Some("né"), None, Some("a")])?)?;
/// assert_eq!(characters.to_strings()?, ["n", "é", "a"].map(|one| Some(one.to_owned())));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 2 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 characters.
/// * Driver and memory errors.
#[doc(alias("chars", "explode"))]
pub fn character_tokenize<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("character_tokenize", &[&column])?
        .run_text(column, |column, ctx| detail::character_tokenize(column, ctx))
}

/// How many tokens each row has, as [`tokenize`] finds them.
///
/// # Types
/// `Utf8` and `LargeUtf8`; `Int32`, of `LargeUtf8` `Int64`.
///
/// Shapes: a row for each row. A null has 0; the result has no nulls. Order: that of the input. In libcudf
/// `nvtext::count_tokens`, in pandas `str.split().str.len`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::count_tokens;
///
/// let column = Column::from_strs([Some("one  two"), None, Some("3;4,5")])?;
/// assert_eq!(count_tokens(&column, &[])?.to_vec::<i32>()?, [Some(2), Some(0), Some(1)]);
/// assert_eq!(count_tokens(&column, &[",", ";"])?.to_vec::<i32>()?, [Some(1), Some(0), Some(3)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): an empty delimiter.
/// * Driver and memory errors.
#[doc(alias("word_count", "str.count"))]
pub fn count_tokens<'a>(column: impl Into<ColumnView<'a>>, delimiters: &[&str]) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("count_tokens", &[&column])?
        .run_text(column, |column, ctx| detail::count_tokens(column, delimiters, ctx))
}

/// Each row of text without white space at its ends, and with one space for each run of it within.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. White space is what Unicode says.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. In libcudf `nvtext::normalize_spaces`, in Python
/// `" ".join(x.split())`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::normalize_spaces;
///
/// let column = Column::from_strs([Some("  one \t two\n"), None])?;
/// assert_eq!(normalize_spaces(&column)?.to_strings()?, [Some("one two".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("normalize_whitespace", "squish", "squeeze"))]
pub fn normalize_spaces<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("normalize_spaces", &[&column])?
        .run_text(column, |column, ctx| detail::normalize_spaces(column, ctx))
}

/// The tokens of all rows, one after another: what stands between delimiters and is not empty.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. Any of the delimiters divides, at each place the first that occurs there;
/// without any, white space as Unicode has it.
///
/// Shapes: a row for each token. Nulls have none. Order: that of the input. In libcudf `nvtext::tokenize`, in pandas
/// `str.split().explode`. With a list for each row: [`split_record`](super::split_record).
///
/// ```
/// use gdf::Column;
/// use gdf::strings::tokenize;
///
/// let column = Column::from_strs([Some(" one  two"), None, Some("3,,4;")])?;
/// let words = ["one", "two", "3,,4;"].map(|word| Some(word.to_owned()));
/// assert_eq!(tokenize(&column, &[])?.to_strings()?, words);
/// let numbers = tokenize(&column.slice(2, 1)?, &[",", ";"])?;
/// assert_eq!(numbers.to_strings()?, [Some("3".to_owned()), Some("4".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 2 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): an empty delimiter.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 tokens.
/// * Driver and memory errors.
#[doc(alias("words", "explode"))]
pub fn tokenize<'a>(column: impl Into<ColumnView<'a>>, delimiters: &[&str]) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("tokenize", &[&column])?.run_text(column, |column, ctx| detail::tokenize(column, delimiters, ctx))
}
