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
    Scope::for_inputs("character_tokenize", &[&column])?.run_decoded(column, detail::character_tokenize)
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
        .run_decoded(column, |column, ctx| detail::count_tokens(column, delimiters, ctx))
}

/// Each `n` characters of each row that follow one another, as a list of texts.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the lists are `List` of the same type.
///
/// Shapes: a row for each row, with as many elements as it has characters, less `n` − 1; empty lists of nulls and of rows of fewer
/// characters. Order: that of the input. In libcudf `nvtext::generate_character_ngrams`, in pandas and scikit-learn
/// `CountVectorizer(analyzer="char")`.
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
/// At most 3 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `n` is less than 2.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 elements, or, of `Utf8`, of their bytes.
/// * Driver and memory errors.
#[doc(alias("ngrams", "shingles"))]
pub fn generate_character_ngrams<'a>(column: impl Into<ColumnView<'a>>, n: usize) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("generate_character_ngrams", &[&column])?
        .run_decoded(column, |column, ctx| detail::generate_character_ngrams(column, n, ctx))
}

/// Each `n` rows that follow one another, joined with a separator.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: null and empty rows are left out; of the others there are as many, less `n` − 1, or none. Order: that of the input.
/// In libcudf `nvtext::generate_ngrams`.
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
/// At most 3 waits, and 1 for each 31 of `n` beyond 32; see the table of costs.
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

/// A hash of each `n` characters of each row that follow one another, as a list.
///
/// # Types
/// `Utf8` and `LargeUtf8`; `List` of `UInt32`.
///
/// Shapes: as [`generate_character_ngrams`], of whose elements these are the hashes by
/// [`murmurhash3_x86_32`](crate::hashing::murmurhash3_x86_32). In libcudf `nvtext::hash_character_ngrams`.
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
/// At most 3 waits; see the table of costs.
///
/// # Errors
/// * As [`generate_character_ngrams`].
#[doc(alias("hashing_vectorizer"))]
pub fn hash_character_ngrams<'a>(column: impl Into<ColumnView<'a>>, n: usize, seed: u32) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("hash_character_ngrams", &[&column])?
        .run_decoded(column, |column, ctx| detail::hash_character_ngrams(column, n, seed, ctx))
}

/// Each `n` tokens of each row that follow one another, joined with a separator, of all rows one after another.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. Tokens are found as by [`tokenize`].
///
/// Shapes: of each row as many as it has tokens, less `n` − 1, or none. Nulls have none. Order: that of the input. In libcudf
/// `nvtext::ngrams_tokenize`.
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
/// At most 6 waits, and 1 for each 31 of `n` beyond 32; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `n` is 0, or a delimiter is empty.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 tokens, or, of `Utf8`, bytes of the result.
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
    Scope::for_inputs("normalize_spaces", &[&column])?.run_decoded(column, detail::normalize_spaces)
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
    Scope::for_inputs("tokenize", &[&column])?
        .run_decoded(column, |column, ctx| detail::tokenize(column, delimiters, ctx))
}
