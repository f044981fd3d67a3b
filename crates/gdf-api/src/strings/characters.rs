//! Functions that replace characters of text: case conversions, filters, translation, URL encoding and line breaks.

use std::ops::RangeInclusive;

use gdf_core::{Column, ColumnView, Result};
pub use gdf_detail::strings::Filter;
use gdf_detail::strings::{self as detail, Case, CharacterTypes};

use crate::scope::Scope;

/// Converts the first character of each row of text, and each character after one of `delimiters`, to title case, and
/// all other characters to lower case, by Unicode's full mapping.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. Title case
/// is upper case, except for characters that consist of several letters: ß becomes Ss, ﬁ becomes Fi, ǆ becomes ǅ.
/// Lower case is that of [`to_lower`]. In libcudf `strings::capitalize`, in pandas `str.capitalize`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
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

/// Replaces characters of each row of text by `replacement`. `filter` states whether the characters in `ranges` or all
/// other characters are replaced. An empty replacement removes the characters.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::filter_characters`. pandas, polars and SQL use a regular expression.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
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

/// Replaces characters of each row of text by `replacement`. `filter` states whether the characters of `types` or all
/// other characters are replaced. An empty replacement removes the characters.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. The types
/// are those of [`all_characters_of_type`](super::all_characters_of_type). A character without a type counts as one
/// of the other characters. In libcudf `strings::filter_characters_of_type`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
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

/// Reverses the characters of each row of text.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. Characters
/// are Unicode scalar values, so in the result a combining mark stands before its base character. In libcudf
/// `strings::reverse`, in polars `str.reverse`, in SQL `REVERSE`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("str.reverse", "reversed"))]
pub fn reverse<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("reverse", &[&column])?.run_decoded(column, detail::reverse)
}

/// Converts lower case to upper case and upper case to lower case in each row of text, by Unicode's full mapping.
/// Characters that have both mappings, such as title-case letters, stay.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::swapcase`, in pandas `str.swapcase`.
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
/// The function waits for the device at most once for few short rows, and at most three times otherwise. If each
/// character keeps its number of bytes, and the column is not a slice, once suffices for many or long rows, too. See the
/// table of costs, `docs/guide/costs.md`.
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

/// Converts the first character of each word to title case, and all other characters to lower case, in each row of
/// text, by Unicode's full mapping. A word is a run of characters of `types`; the usual value is
/// [`ALPHA`](CharacterTypes::ALPHA).
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. A
/// character after a character that belongs to no word begins a word, as in pandas: "it's" becomes "It'S". Title case
/// is that of [`capitalize`], and lower case that of [`to_lower`]. In libcudf `strings::title`, in pandas
/// `str.title`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
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

/// Converts each row of text to lower case, by Unicode's full mapping, as `str::to_lowercase`. The conversion does
/// not depend on a language.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. Σ becomes
/// ς at the end of a word, and σ elsewhere. In libcudf `strings::to_lower`, in polars `str.to_lowercase`, in SQL
/// `LOWER`.
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
/// The function waits for the device at most once for few short rows, and at most three times otherwise. If each
/// character keeps its number of bytes, and the column is not a slice, once suffices for many or long rows, too. See the
/// table of costs, `docs/guide/costs.md`.
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

/// Replaces or removes characters of each row of text. `table` contains the characters and their replacements. `None`
/// removes the character.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. If the table
/// has a character twice, the first pair is used. In libcudf `strings::translate`, in pandas `str.translate`, in SQL
/// `TRANSLATE`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
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

/// Decodes each row of text: replaces each `%` and its two hexadecimal digits by the byte that the digits stand for.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. A row whose decoded bytes are not UTF-8
/// becomes null. Order: the order of the input. A `%` without two hexadecimal digits and a `+` stay as they are. In
/// libcudf `strings::url_decode`, in Python `urllib.parse.unquote`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("unquote", "percent_decode", "urldecode"))]
pub fn url_decode<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("url_decode", &[&column])?.run_decoded(column, detail::url_decode)
}

/// Encodes each row of text: replaces each byte by `%` and two hexadecimal digits, except ASCII letters and digits,
/// `-`, `.`, `_` and `~`.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::url_encode`, in Python `urllib.parse.quote` with `safe=""`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
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

/// Breaks each row of text into lines of at most `width` characters, by replacing spaces with line breaks. A line is
/// longer only if it has no space at which it can be broken.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. All
/// characters up to U+0020 count as spaces. A line breaks at the last space that fits. The line break before a line
/// counts as one of its characters. Words longer than `width` stay whole. In libcudf `strings::wrap`, in pandas
/// `str.wrap`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
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
