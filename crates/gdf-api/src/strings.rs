//! Operations on text.
//!
//! Columns of text are `Utf8` or `LargeUtf8`. All functions also take `Utf8View` and dictionaries of text, which are
//! first decoded by [`cast`](crate::unary::cast), at the costs of `cast`. The decoded text is `Utf8`, or `LargeUtf8`
//! for a dictionary of `LargeUtf8`. Targets, separators and the elements of lists of text are decoded in the same way.

mod checked;
mod floats;
mod numbers;
mod times;

use gdf_core::{Column, ColumnView, Operand, Result, Table};
use gdf_detail::strings::Case;
pub use gdf_detail::strings::CharacterTypes;

pub use self::characters::{Filter, filter_characters, filter_characters_of_type, reverse, translate};
pub use self::characters::{capitalize, swapcase, title, to_lower, url_decode, url_encode, wrap};
pub use self::checked::expect_converted;
pub use self::edit::{Side, pad, repeat, replace, replace_multiple, replace_slice, slice, strip, zfill};
pub use self::floats::{from_floats, is_float, to_floats};
pub use self::numbers::*;
pub use self::regex::{
    Regex, RegexFlags, contains_re, count_re, extract, extract_all_record, extract_single, find_re, findall,
    matches_re, replace_re, replace_with_backrefs, rsplit_re, rsplit_record_re, split_re, split_record_re,
};
pub use self::similarity::{edit_distance, jaccard_index, minhash, minhash64};
pub use self::split::{
    JoinOptions, concatenate, extract_between, format_list_column, join_list_elements, join_strings, partition,
    rpartition, rsplit, rsplit_record, split, split_part, split_record,
};
pub use self::times::{from_durations, from_timestamps, is_duration, is_timestamp, to_durations, to_timestamps};
pub use self::tokens::{
    character_tokenize, count_tokens, generate_character_ngrams, generate_ngrams, hash_character_ngrams,
    ngrams_tokenize, normalize_spaces, tokenize,
};
use crate::scope::Scope;

mod characters;
mod edit;
mod regex;
mod similarity;
mod split;
mod tokens;

/// Converts each row of text to upper case, by Unicode's full mapping, as `str::to_uppercase`. The conversion does not
/// depend on a language.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. One
/// character may become up to three characters, so the result may have more bytes than the input. In libcudf
/// `strings::to_upper`, in polars `str.to_uppercase`.
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
/// The function waits for the device at most once for few short rows, and at most three times otherwise. If each
/// character keeps its number of bytes, and the column is not a slice, once suffices for many or long rows, too. See the
/// table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("upper", "to_uppercase", "str.upper", "ucase"))]
pub fn to_upper<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("to_upper", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::to_case(column, Case::Upper, ctx))
}

/// Returns whether `target` occurs in each row of text. Texts are compared byte by byte.
///
/// # Types
/// `Utf8` and `LargeUtf8`, in any mixture; the result is `Boolean`.
///
/// Shapes: the result has a row for each row of the input. `target` is one text for all rows, or a column with a text
/// for each row. A row of the result is null where either input is null. Order: the order of the input. An empty target
/// occurs in every text. In libcudf `strings::contains`, in polars `str.contains` (`literal`), in arrow-rs `contains`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::contains;
///
/// let column = Column::from_strs([Some("column"), None, Some("row")])?;
/// assert_eq!(contains(&column, "lum")?.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// let targets = Column::from_strs(["x", "y", "ow"])?;
/// assert_eq!(contains(&column, &targets)?.to_vec::<bool>()?, [Some(false), None, Some(true)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `target` is a column of another length.
/// * Driver and memory errors.
#[doc(alias("str.contains", "contains_literal", "strpos", "instr"))]
pub fn contains<'a, 'b>(column: impl Into<ColumnView<'a>>, target: impl Into<Operand<'b>>) -> Result<Column> {
    let (column, target) = (column.into(), target.into());
    Scope::for_inputs("contains", &[&column, &target])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::contains(column, target, ctx))
}

/// Returns whether each row of text starts with `target`. Texts are compared byte by byte.
///
/// # Types
/// `Utf8` and `LargeUtf8`, in any mixture; the result is `Boolean`.
///
/// Shapes: the result has a row for each row of the input. `target` is one text for all rows, or a column with a text
/// for each row. A row of the result is null where either input is null. Order: the order of the input. Every text
/// starts with an empty target. In libcudf `strings::starts_with`, in polars `str.starts_with`, in arrow-rs
/// `starts_with`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::starts_with;
///
/// let column = Column::from_strs([Some("row one"), None, Some("a row")])?;
/// assert_eq!(starts_with(&column, "row")?.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `target` is a column of another length.
/// * Driver and memory errors.
#[doc(alias("str.startswith", "startswith", "prefix", "left"))]
pub fn starts_with<'a, 'b>(column: impl Into<ColumnView<'a>>, target: impl Into<Operand<'b>>) -> Result<Column> {
    let (column, target) = (column.into(), target.into());
    Scope::for_inputs("starts_with", &[&column, &target])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::starts_with(column, target, ctx))
}

/// Returns whether each row of text ends with `target`. Texts are compared byte by byte.
///
/// # Types
/// `Utf8` and `LargeUtf8`, in any mixture; the result is `Boolean`.
///
/// Shapes: the result has a row for each row of the input. `target` is one text for all rows, or a column with a text
/// for each row. A row of the result is null where either input is null. Order: the order of the input. Every text ends
/// with an empty target. In libcudf `strings::ends_with`, in polars `str.ends_with`, in arrow-rs `ends_with`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::ends_with;
///
/// let column = Column::from_strs([Some("row one"), None, Some("a row")])?;
/// assert_eq!(ends_with(&column, "row")?.to_vec::<bool>()?, [Some(false), None, Some(true)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `target` is a column of another length.
/// * Driver and memory errors.
#[doc(alias("str.endswith", "endswith", "suffix", "right"))]
pub fn ends_with<'a, 'b>(column: impl Into<ColumnView<'a>>, target: impl Into<Operand<'b>>) -> Result<Column> {
    let (column, target) = (column.into(), target.into());
    Scope::for_inputs("ends_with", &[&column, &target])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::ends_with(column, target, ctx))
}

/// Returns the position of the first occurrence of `target` in each row of text, in characters. The position is −1 if
/// `target` does not occur.
///
/// The function searches the characters `start ..`, or `start .. stop`. The whole target must lie in that range.
/// Positions count from the beginning of the row.
///
/// # Types
/// `Utf8` and `LargeUtf8`. The result is `Int32` for `Utf8`, and `Int64` for `LargeUtf8`. `target` may be of either
/// type.
///
/// Shapes: the result has a row for each row of the input. `target` is one text for all rows, or a column with a text
/// for each row. A row of the result is null where either input is null. Order: the order of the input. An empty target
/// is found at `start` if the row has at least `start` characters. In libcudf `strings::find`, in pandas `str.find`, in
/// polars `str.find(literal=True)`, which counts bytes.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::find;
///
/// let column = Column::from_strs([Some("éaza"), None, Some("row")])?;
/// assert_eq!(find(&column, "a", 0, None)?.to_vec::<i32>()?, [Some(1), None, Some(-1)]);
/// assert_eq!(find(&column, "a", 2, Some(3))?.to_vec::<i32>()?, [Some(-1), None, Some(-1)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `stop` lies before `start`.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `target` is a column of another length.
/// * Driver and memory errors.
#[doc(alias("str.find", "position", "locate", "charindex"))]
pub fn find<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    target: impl Into<Operand<'b>>,
    start: usize,
    stop: Option<usize>,
) -> Result<Column> {
    let (column, target) = (column.into(), target.into());
    Scope::for_inputs("find", &[&column, &target])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::find(column, target, start, stop, ctx))
}

/// Returns the position of the last occurrence of `target` in each row of text, in characters. The position is −1 if
/// `target` does not occur.
///
/// The function searches the characters `start ..`, or `start .. stop`. The whole target must lie in that range.
/// Positions count from the beginning of the row.
///
/// # Types
/// `Utf8` and `LargeUtf8`. The result is `Int32` for `Utf8`, and `Int64` for `LargeUtf8`. `target` may be of either
/// type.
///
/// Shapes: the result has a row for each row of the input. `target` is one text for all rows, or a column with a text
/// for each row. A row of the result is null where either input is null. Order: the order of the input. An empty target
/// is found at the end of the searched range if the row has at least `start` characters. In libcudf `strings::rfind`,
/// in pandas `str.rfind`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::rfind;
///
/// let column = Column::from_strs([Some("éaza"), None, Some("row")])?;
/// assert_eq!(rfind(&column, "a", 0, None)?.to_vec::<i32>()?, [Some(3), None, Some(-1)]);
/// assert_eq!(rfind(&column, "a", 2, Some(3))?.to_vec::<i32>()?, [Some(-1), None, Some(-1)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `stop` lies before `start`.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `target` is a column of another length.
/// * Driver and memory errors.
#[doc(alias("str.rfind", "rindex", "last_index_of"))]
pub fn rfind<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    target: impl Into<Operand<'b>>,
    start: usize,
    stop: Option<usize>,
) -> Result<Column> {
    let (column, target) = (column.into(), target.into());
    Scope::for_inputs("rfind", &[&column, &target])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::rfind(column, target, start, stop, ctx))
}

/// Returns for each row of text a list with the position of the first occurrence of each of `targets`, in characters. A
/// position is −1 if the target does not occur.
///
/// # Types
/// `Utf8` and `LargeUtf8`. The result is `List(Int32)` for `Utf8`, and `LargeList(Int64)` for `LargeUtf8`.
///
/// Shapes: the result has a list for each row, with one position for each target. No list is null: in the list of a
/// null row, every position is −1. In libcudf `strings::find_multiple`.
///
/// ```
/// use gdf::Column;
/// use gdf::arrow::array::cast::AsArray;
/// use gdf::arrow::array::types::Int32Type;
/// use gdf::strings::find_multiple;
///
/// let column = Column::from_strs(["one row", "two"])?;
/// let places = find_multiple(&column, &["o", "row"])?.to_array()?;
/// assert_eq!(places.as_list::<i32>().value(1).as_primitive::<Int32Type>().values(), &[2, -1]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): there are no targets.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the lists of `Utf8` have more than 2³¹ − 1 elements.
/// * Driver and memory errors.
#[doc(alias("str.find_many"))]
pub fn find_multiple<'a>(column: impl Into<ColumnView<'a>>, targets: &[&str]) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("find_multiple", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::find_multiple(column, targets, ctx))
}

/// Returns a column for each of `targets`, which states whether the target occurs in each row of text.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `Boolean`.
///
/// Shapes: the result has a column for each target. Each column is the result of [`contains`] for its target. In
/// libcudf `strings::contains_multiple`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::contains_multiple;
///
/// let column = Column::from_strs(["one row", "two"])?;
/// let found = contains_multiple(&column, &["o", "row"])?;
/// assert_eq!(found.column(1)?.to_vec::<bool>()?, [Some(true), Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): there are no targets.
/// * Driver and memory errors.
#[doc(alias("str.contains_any"))]
pub fn contains_multiple<'a>(column: impl Into<ColumnView<'a>>, targets: &[&str]) -> Result<Table> {
    let column = column.into();
    Scope::for_inputs("contains_multiple", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::contains_multiple(column, targets, ctx))
}

/// Returns whether each row of text matches a SQL pattern. In the pattern, `_` stands for one character, and `%` for
/// any number of characters, including none.
///
/// A character that follows the character `escape` stands for itself, and the escape character is not part of the text
/// to match. At the end of a pattern, the escape character stands for itself.
///
/// # Types
/// `Utf8` and `LargeUtf8`, in any mixture; the result is `Boolean`.
///
/// Shapes: the result has a row for each row of the input. `pattern` is one text for all rows, or a column with a
/// pattern for each row. A row of the result is null where either input is null. Order: the order of the input. In
/// libcudf `strings::like`, in SQL `LIKE … ESCAPE`, in arrow-rs `like` (with `\` as the escape).
///
/// ```
/// use gdf::Column;
/// use gdf::strings::like;
///
/// let column = Column::from_strs([Some("100 %"), None, Some("row")])?;
/// assert_eq!(like(&column, "r_w", None)?.to_vec::<bool>()?, [Some(false), None, Some(true)]);
/// assert_eq!(like(&column, "%!%", Some('!'))?.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `pattern` is a column of another length.
/// * Driver and memory errors.
#[doc(alias("ilike", "str.like", "sql like"))]
pub fn like<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    pattern: impl Into<Operand<'b>>,
    escape: Option<char>,
) -> Result<Column> {
    let (column, pattern) = (column.into(), pattern.into());
    Scope::for_inputs("like", &[&column, &pattern])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::like(column, pattern, escape, ctx))
}

/// Returns the number of characters of each row of text.
///
/// # Types
/// `Utf8` and `LargeUtf8`. The result is `Int32` for `Utf8`, and `Int64` for `LargeUtf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Characters are Unicode's scalar values,
/// as `str::chars` counts them. In libcudf `strings::count_characters`, in SQL `CHAR_LENGTH`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::count_characters;
///
/// let column = Column::from_strs([Some("café"), None, Some("")])?;
/// assert_eq!(count_characters(&column)?.to_vec::<i32>()?, [Some(4), None, Some(0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("str.len", "str.len_chars", "char_length", "length"))]
pub fn count_characters<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("count_characters", &[&column])?.run_decoded(column, gdf_detail::strings::count_characters)
}

/// Returns the number of bytes of each row of text.
///
/// # Types
/// `Utf8` and `LargeUtf8`. The result is `Int32` for `Utf8`, and `Int64` for `LargeUtf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. In libcudf `strings::count_bytes`, in SQL
/// `OCTET_LENGTH`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::count_bytes;
///
/// let column = Column::from_strs([Some("café"), None, Some("")])?;
/// assert_eq!(count_bytes(&column)?.to_vec::<i32>()?, [Some(5), None, Some(0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("str.len_bytes", "octet_length", "byte_count"))]
pub fn count_bytes<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("count_bytes", &[&column])?.run_decoded(column, gdf_detail::strings::count_bytes)
}

/// Returns the code points of the characters of all rows, one row after another.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `Int32`.
///
/// Shapes: the result has a row for each character; null rows have no characters. [`count_characters`] gives the number
/// of characters of each row. In libcudf `strings::code_points`, whose numbers are the UTF-8 bytes of the character
/// instead of the code point.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::code_points;
///
/// let column = Column::from_strs([Some("aé"), None, Some("😀")])?;
/// assert_eq!(code_points(&column)?.to_vec::<i32>()?, [Some(97), Some(233), Some(0x1f600)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for the number of characters. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): `Utf8` with 2²⁹ characters or more.
/// * Driver and memory errors.
#[doc(alias("ord", "to_codepoints", "unicode"))]
pub fn code_points<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("code_points", &[&column])?.run_decoded(column, gdf_detail::strings::code_points)
}

/// Returns whether every counted character of each row of text has one of `types`, and at least one character is
/// counted.
///
/// The characters of a type in `verify` are counted. With [`CharacterTypes::ALL_TYPES`], these are all characters.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `Boolean`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. In libcudf
/// `strings::all_characters_of_type`, in pandas `str.isalpha` and similar methods.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::{CharacterTypes, all_characters_of_type};
///
/// let column = Column::from_strs([Some("abc"), None, Some("a1"), Some("")])?;
/// let letters = all_characters_of_type(&column, CharacterTypes::ALPHA, CharacterTypes::ALL_TYPES)?;
/// assert_eq!(letters.to_vec::<bool>()?, [Some(true), None, Some(false), Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("str.isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower", "isdecimal", "isnumeric"))]
pub fn all_characters_of_type<'a>(
    column: impl Into<ColumnView<'a>>,
    types: CharacterTypes,
    verify: CharacterTypes,
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("all_characters_of_type", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::all_characters_of_type(column, types, verify, ctx))
}

/// Returns whether each row of text is in title case: the first letter of each word is an upper-case letter, and all
/// other letters are not.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `Boolean`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. A word is a run of letters. A row without
/// letters is not in title case. In libcudf `strings::is_title`, in pandas `str.istitle`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::is_title;
///
/// let column = Column::from_strs([Some("A Title-Case"), None, Some("No title")])?;
/// assert_eq!(is_title(&column)?.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("str.istitle", "istitle"))]
pub fn is_title<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_title", &[&column])?.run_decoded(column, gdf_detail::strings::is_title)
}
