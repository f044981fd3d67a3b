//! Characters of text that become others.

use std::ops::RangeInclusive;

use gdf_core::{Column, ColumnView, Result};
pub use gdf_detail::strings::Filter;
use gdf_detail::strings::{self as detail, Case, CharacterTypes};

use crate::scope::Scope;

/// Each row of text with its first character, and each that follows one of `delimiters`, in title case, all others in lower case,
/// by Unicode's full mapping.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. Title case is upper case but of letters that are several in
/// one: ß becomes Ss, ﬁ becomes Fi, ǆ becomes ǅ. Lower case is that of [`to_lower`]. In libcudf `strings::capitalize`, in pandas
/// `str.capitalize`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::capitalize;
///
/// let column = Column::from_strs([Some("éTÉ à paris"), None])?;
/// assert_eq!(capitalize(&column, "")?.to_strings()?[0].as_deref(), Some("Été à paris"));
/// assert_eq!(capitalize(&column, " ")?.to_strings()?[0].as_deref(), Some("Été À Paris"));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("str.capitalize", "initcap"))]
pub fn capitalize<'a>(column: impl Into<ColumnView<'a>>, delimiters: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("capitalize", &[&column])?
        .run_decoded(column, |column, ctx| detail::capitalize(column, delimiters, ctx))
}

/// Each row of text with the characters of some ranges, or all others, replaced by a text, each of them; an empty one leaves them
/// out.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. In libcudf `strings::filter_characters`; elsewhere a
/// regular expression does it.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::{Filter, filter_characters};
///
/// let column = Column::from_strs(["a-1, b-2"])?;
/// let digits = filter_characters(&column, &['0'..='9'], Filter::Keep, "")?;
/// assert_eq!(digits.to_strings()?, [Some("12".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("keep", "remove", "regexp_replace"))]
pub fn filter_characters<'a>(
    column: impl Into<ColumnView<'a>>,
    ranges: &[RangeInclusive<char>],
    filter: Filter,
    replacement: &str,
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("filter_characters", &[&column])?
        .run_decoded(column, |column, ctx| detail::filter_characters(column, ranges, filter, replacement, ctx))
}

/// Each row of text with the characters of some types, or all others, replaced by a text, each of them; an empty one leaves them
/// out.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. The types are those of
/// [`all_characters_of_type`](super::all_characters_of_type); a character of none of them is one of the others. In libcudf
/// `strings::filter_characters_of_type`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::{CharacterTypes, Filter, filter_characters_of_type};
///
/// let column = Column::from_strs(["a-1, ½ b-2"])?;
/// let letters = filter_characters_of_type(&column, CharacterTypes::ALPHA, Filter::Keep, "")?;
/// assert_eq!(letters.to_strings()?, [Some("ab".to_owned())]);
/// let masked = filter_characters_of_type(&column, CharacterTypes::NUMERIC, Filter::Remove, "#")?;
/// assert_eq!(masked.to_strings()?, [Some("a-#, # b-#".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("keep", "remove"))]
pub fn filter_characters_of_type<'a>(
    column: impl Into<ColumnView<'a>>,
    types: CharacterTypes,
    filter: Filter,
    replacement: &str,
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("filter_characters_of_type", &[&column])?
        .run_decoded(column, |column, ctx| detail::filter_characters_of_type(column, types, filter, replacement, ctx))
}

/// Each row of text with its characters in the reverse order.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. Characters are those of Unicode: a combining mark comes
/// to stand before what it combined with. In libcudf `strings::reverse`, in polars `str.reverse`, in SQL `REVERSE`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::reverse;
///
/// let column = Column::from_strs([Some("größer"), None])?;
/// assert_eq!(reverse(&column)?.to_strings()?, [Some("reßörg".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("str.reverse", "reversed"))]
pub fn reverse<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("reverse", &[&column])?.run_decoded(column, detail::reverse)
}

/// Each row of text with lower case in upper case and the reverse, by Unicode's full mapping; characters that have both, as
/// titlecase letters do, stay.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. In libcudf `strings::swapcase`, in pandas
/// `str.swapcase`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::swapcase;
///
/// let column = Column::from_strs(["gDF 2ß"])?;
/// assert_eq!(swapcase(&column)?.to_strings()?, [Some("Gdf 2SS".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("str.swapcase", "invert_case"))]
pub fn swapcase<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("swapcase", &[&column])?
        .run_decoded(column, |column, ctx| detail::to_case(column, Case::Swapped, ctx))
}

/// Each row of text with the first character of each word in title case, all others in lower case, by Unicode's full mapping; words are
/// runs of characters of some types, [`ALPHA`](CharacterTypes::ALPHA) as a rule.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. A character after one of no word begins a word, as in
/// pandas: "it's" becomes "It'S". Title and lower case are those of [`capitalize`] and [`to_lower`]. In libcudf `strings::title`, in
/// pandas `str.title`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::{CharacterTypes, title};
///
/// let column = Column::from_strs([Some("hello wORLD 2b"), None])?;
/// let titles = title(&column, CharacterTypes::ALPHA)?;
/// assert_eq!(titles.to_strings()?, [Some("Hello World 2B".to_owned()), None]);
/// let titles = title(&column, CharacterTypes::ALPHANUM)?;
/// assert_eq!(titles.to_strings()?[0].as_deref(), Some("Hello World 2b"));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("str.title", "initcap", "to_titlecase"))]
pub fn title<'a>(column: impl Into<ColumnView<'a>>, types: CharacterTypes) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("title", &[&column])?.run_decoded(column, |column, ctx| detail::title(column, types, ctx))
}

/// Lower case of each row of text, by Unicode's full mapping: as `str::to_lowercase`, without regard to a language.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. Σ at the end of a word becomes ς, elsewhere σ. In libcudf
/// `strings::to_lower`, in polars `str.to_lowercase`, in SQL `LOWER`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::to_lower;
///
/// let column = Column::from_strs([Some("GDF"), None, Some("ΟΔΌΣ")])?;
/// assert_eq!(to_lower(&column)?.to_strings()?, [Some("gdf".to_owned()), None, Some("οδός".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("lower", "to_lowercase", "str.lower", "lcase"))]
pub fn to_lower<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("to_lower", &[&column])?
        .run_decoded(column, |column, ctx| detail::to_case(column, Case::Lower, ctx))
}

/// Each row of text with characters replaced by others, as a table says, or left out.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. Of a character that is in the table twice the first
/// pair counts. In libcudf `strings::translate`, in pandas `str.translate`, in SQL `TRANSLATE`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::translate;
///
/// let column = Column::from_strs(["banana"])?;
/// let translated = translate(&column, &[('a', Some('ä')), ('n', None)])?;
/// assert_eq!(translated.to_strings()?, [Some("bäää".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("str.translate", "maketrans", "replace_chars"))]
pub fn translate<'a>(column: impl Into<ColumnView<'a>>, table: &[(char, Option<char>)]) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("translate", &[&column])?.run_decoded(column, |column, ctx| detail::translate(column, table, ctx))
}

/// Each row of text with the bytes that `%` and two hexadecimal digits stand for.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: a row for each row. Nulls stay null, and rows whose bytes are no UTF-8 become null. Order: that of the input. A `%`
/// without two digits stays, as `+` does. In libcudf `strings::url_decode`, in Python `urllib.parse.unquote`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::url_decode;
///
/// let column = Column::from_strs(["a%20b", "%C3%A9", "100%", "%FF"])?;
/// let decoded = url_decode(&column)?.to_strings()?;
/// assert_eq!(decoded, [Some("a b".to_owned()), Some("é".to_owned()), Some("100%".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("unquote", "percent_decode", "urldecode"))]
pub fn url_decode<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("url_decode", &[&column])?.run_decoded(column, detail::url_decode)
}

/// Each row of text with `%` and two hexadecimal digits for each byte but letters and digits of ASCII, `-`, `.`, `_` and `~`.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. In libcudf `strings::url_encode`, in Python
/// `urllib.parse.quote` with `safe=""`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::url_encode;
///
/// let column = Column::from_strs([Some("a b/é"), None])?;
/// assert_eq!(url_encode(&column)?.to_strings()?, [Some("a%20b%2F%C3%A9".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("quote", "percent_encode", "urlencode"))]
pub fn url_encode<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("url_encode", &[&column])?.run_decoded(column, detail::url_encode)
}

/// Each row of text with line breaks in place of spaces, so that lines have at most `width` characters where there are spaces to
/// break them.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. Spaces are the characters up to U+0020. A line breaks
/// at its last space; words that are longer stay whole. In libcudf `strings::wrap`, in pandas `str.wrap`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::wrap;
///
/// let column = Column::from_strs(["the quick brown fox"])?;
/// assert_eq!(wrap(&column, 10)?.to_strings()?, [Some("the quick\nbrown fox".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): a width of 0.
/// * Driver and memory errors.
#[doc(alias("str.wrap", "textwrap", "fill"))]
pub fn wrap<'a>(column: impl Into<ColumnView<'a>>, width: usize) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("wrap", &[&column])?.run_decoded(column, |column, ctx| detail::wrap(column, width, ctx))
}
