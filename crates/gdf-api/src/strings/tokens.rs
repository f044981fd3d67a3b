//! Functions that find words and characters in text: tokens, n-grams and runs of white space.

use gdf_core::{Column, ColumnView, Result};
use gdf_detail::strings as detail;

use crate::scope::Scope;

/// Returns the characters of all rows, each as a text, one row after another.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each character; a null row has no characters. Order: the order of the input. In
/// libcudf `nvtext::character_tokenize`, in Python `list`.
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
/// The function waits for the device at most twice. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 characters.
/// * Driver and memory errors.
#[doc(alias("chars", "explode"))]
pub fn character_tokenize<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("character_tokenize", &[&column])?.run_decoded(column, detail::character_tokenize)
}

/// Returns the number of tokens of each row. The tokens are those that [`tokenize`] finds.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `Int32`, or `Int64` for `LargeUtf8`.
///
/// Shapes: the result has a row for each row of the input. The number for a null row is 0; the result has no nulls.
/// Order: the order of the input. In libcudf `nvtext::count_tokens`, in pandas `str.split().str.len`.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): an empty delimiter.
/// * Driver and memory errors.
#[doc(alias("word_count", "str.count"))]
pub fn count_tokens<'a>(column: impl Into<ColumnView<'a>>, delimiters: &[&str]) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("count_tokens", &[&column])?
        .run_decoded(column, |column, ctx| detail::count_tokens(column, delimiters, ctx))
}

/// Returns the character n-grams of each row as a list: every run of `n` consecutive characters.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the lists are `List` of the same type.
///
/// Shapes: the result has a row for each row of the input. A row of `c` characters has `c − n + 1` elements. The list
/// is empty for a null row, and for a row of fewer than `n` characters. Order: the order of the input. In libcudf
/// `nvtext::generate_character_ngrams`, in scikit-learn `CountVectorizer(analyzer="char")`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::{JoinOptions, generate_character_ngrams, join_list_elements};
///
/// let lists = generate_character_ngrams(&Column::from_strs(["abcé", "x"])?, 2)?;
/// let joined = join_list_elements(&lists, " ", JoinOptions::default())?;
/// assert_eq!(joined.to_strings()?, [Some("ab bc cé".to_owned()), Some(String::new())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most 3 times. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `n` is less than 2.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 elements; for `Utf8` also more than
///   2³¹ − 1 bytes of elements.
/// * Driver and memory errors.
#[doc(alias("ngrams", "shingles"))]
pub fn generate_character_ngrams<'a>(column: impl Into<ColumnView<'a>>, n: usize) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("generate_character_ngrams", &[&column])?
        .run_decoded(column, |column, ctx| detail::generate_character_ngrams(column, n, ctx))
}

/// Joins every run of `n` consecutive rows to one text, with a separator between the rows.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: null and empty rows are left out. If `r` rows remain, the result has `r − n + 1` rows. If fewer than `n`
/// rows remain, the result has no rows. Order: the order of the input. In libcudf `nvtext::generate_ngrams`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::generate_ngrams;
///
/// let words = Column::from_strs([Some("to"), Some("be"), None, Some("or")])?;
/// let pairs = generate_ngrams(&words, 2, "_")?;
/// assert_eq!(pairs.to_strings()?, [Some("to_be".to_owned()), Some("be_or".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 3 waits for the device, and 1 more for each 31 by which `n` exceeds 32. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `n` is less than 2.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("ngrams", "bigrams"))]
pub fn generate_ngrams<'a>(column: impl Into<ColumnView<'a>>, n: usize, separator: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("generate_ngrams", &[&column])?
        .run_decoded(column, |column, ctx| detail::generate_ngrams(column, n, separator, ctx))
}

/// Returns a hash of every run of `n` consecutive characters of each row, as a list.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `List` of `UInt32`.
///
/// Shapes: the same as for [`generate_character_ngrams`]. Each element is the hash
/// [`murmurhash3_x86_32`](crate::hashing::murmurhash3_x86_32) of the element that [`generate_character_ngrams`]
/// returns. In libcudf `nvtext::hash_character_ngrams`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::ListsView;
/// use gdf::strings::hash_character_ngrams;
///
/// let lists = hash_character_ngrams(&Column::from_strs(["abcdefg"])?, 5, 5)?;
/// let hashes = ListsView::try_from(lists.view())?.child().to_column();
/// assert_eq!(hashes.to_vec::<u32>()?, [Some(3_878_311_949), Some(3_223_497_116), Some(3_712_122_450)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most 3 times. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`generate_character_ngrams`].
#[doc(alias("hashing_vectorizer"))]
pub fn hash_character_ngrams<'a>(column: impl Into<ColumnView<'a>>, n: usize, seed: u32) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("hash_character_ngrams", &[&column])?
        .run_decoded(column, |column, ctx| detail::hash_character_ngrams(column, n, seed, ctx))
}

/// Joins every run of `n` consecutive tokens of each row to one text, with a separator between the tokens. Returns
/// the texts of all rows, one row after another.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. [`tokenize`] says how tokens are found.
///
/// Shapes: an input row of `t` tokens has `t − n + 1` rows in the result. If an input row has fewer than `n` tokens,
/// it gives no rows. A null row gives no rows. Order: the order of the input. In libcudf `nvtext::ngrams_tokenize`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::ngrams_tokenize;
///
/// let column = Column::from_strs([Some("to be or"), None, Some("not to")])?;
/// let pairs = ["to_be", "be_or", "not_to"].map(|pair| Some(pair.to_owned()));
/// assert_eq!(ngrams_tokenize(&column, 2, &[], "_")?.to_strings()?, pairs);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 6 waits for the device, and 1 more for each 31 by which `n` exceeds 32. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `n` is 0, or a delimiter is empty.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 tokens; for `Utf8` also more than 2³¹
///   − 1 bytes of the result.
/// * Driver and memory errors.
#[doc(alias("word_ngrams", "bigrams"))]
pub fn ngrams_tokenize<'a>(
    column: impl Into<ColumnView<'a>>,
    n: usize,
    delimiters: &[&str],
    separator: &str,
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("ngrams_tokenize", &[&column])?
        .run_decoded(column, |column, ctx| detail::ngrams_tokenize(column, n, delimiters, separator, ctx))
}

/// Removes white space at both ends of each row of text, and replaces each run of white space within the row by one
/// space.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. White space is Unicode white space.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `nvtext::normalize_spaces`, in Python `" ".join(x.split())`.
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
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("normalize_whitespace", "squish", "squeeze"))]
pub fn normalize_spaces<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("normalize_spaces", &[&column])?.run_decoded(column, detail::normalize_spaces)
}

/// Returns the tokens of all rows, one row after another. A token is a nonempty text between delimiters.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. Each of the delimiters splits a row. Of several delimiters
/// at one place, the first in the list splits the row. Without delimiters, Unicode white space splits a row.
///
/// Shapes: the result has a row for each token; a null row has no tokens. Order: the order of the input. In libcudf
/// `nvtext::tokenize`, in pandas `str.split().explode`. [`split_record`](super::split_record) returns a list for each
/// row instead.
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
/// The function waits for the device at most twice. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): an empty delimiter.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 tokens.
/// * Driver and memory errors.
#[doc(alias("words", "explode"))]
pub fn tokenize<'a>(column: impl Into<ColumnView<'a>>, delimiters: &[&str]) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("tokenize", &[&column])?
        .run_decoded(column, |column, ctx| detail::tokenize(column, delimiters, ctx))
}
