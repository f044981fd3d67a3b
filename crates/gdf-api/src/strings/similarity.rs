//! Measures of the similarity of texts.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_detail::strings as detail;

use crate::scope::Scope;

/// Returns the Levenshtein distance between each row of text and `target`: the smallest number of characters that must
/// be inserted, deleted or replaced to make the texts equal.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `Int32`, or `Int64` for `LargeUtf8`. The target is a text: a column, a
/// scalar or a literal.
///
/// Shapes: the result has a row for each row of the input. A null counts as an empty text; the result has no nulls.
/// Order: the order of the input. The time is proportional to the product of both lengths, and the scratch memory to
/// the length of the text. In libcudf `nvtext::edit_distance`, in SQL `LEVENSHTEIN`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::edit_distance;
///
/// let column = Column::from_strs([Some("hallo"), None, Some("held")])?;
/// assert_eq!(edit_distance(&column, "hello")?.to_vec::<i32>()?, [Some(1), Some(5), Some(2)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the target is not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * Driver and memory errors.
#[doc(alias("levenshtein", "editdist3"))]
pub fn edit_distance<'a, 'b>(column: impl Into<ColumnView<'a>>, target: impl Into<Operand<'b>>) -> Result<Column> {
    let (column, target) = (column.into(), target.into());
    Scope::for_inputs("edit_distance", &[&column, &target])?
        .run_decoded(column, |column, ctx| detail::edit_distance(column, target, ctx))
}

/// Returns the Jaccard index of the sets of `width`-grams of two texts: the number of distinct runs of `width`
/// characters that both texts have, divided by the number of distinct runs that at least one of the texts has.
///
/// # Types
/// `Utf8` and `LargeUtf8`, in any mixture; the result is `Float32`. The other text is a column, a scalar or a literal.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where either input is null.
/// Order: the order of the input. A text of fewer than `width` characters is one run, and an empty text has no runs.
/// The index of two empty texts is 0. Runs are compared by hashes of 64 bits. In libcudf `nvtext::jaccard_index`, in
/// DuckDB `jaccard`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::jaccard_index;
///
/// let column = Column::from_strs([Some("the fuzzy dog"), None, Some("dog")])?;
/// assert_eq!(jaccard_index(&column, "the fuzzy cat", 5)?.to_vec::<f32>()?, [Some(0.5), None, Some(0.0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most 8 times. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `width` is less than 2.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): `other` is not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 runs.
/// * Driver and memory errors.
#[doc(alias("jaccard", "text_similarity"))]
pub fn jaccard_index<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    other: impl Into<Operand<'b>>,
    width: usize,
) -> Result<Column> {
    let (column, other) = (column.into(), other.into());
    Scope::for_inputs("jaccard_index", &[&column, &other])?
        .run_decoded(column, |column, ctx| detail::jaccard_index(column, other, width, ctx))
}

/// Returns the MinHash signature of each row of text: a number for each pair `(a, b)` of `permutations`. Texts with
/// many equal runs of `width` characters have many equal numbers. Each run of the row gives the lowest 32 bits of
/// `(hash * a + b) % (2⁶¹ − 1)`, where `hash` is the hash of the run with `seed`. The number is the smallest of these
/// values.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `List` of `UInt32`. The hashes are those of
/// [`murmurhash3_x86_32`](crate::hashing::murmurhash3_x86_32).
///
/// Shapes: the result has a list for each row of the input, with an element for each pair. Nulls stay null. Order: the
/// order of the input. A text of fewer than `width` characters is one run. The numbers of an empty text are 0. In
/// libcudf `nvtext::minhash`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::ListsView;
/// use gdf::strings::minhash;
///
/// let column = Column::from_strs(["the quick brown fox"])?;
/// let lists = minhash(&column, 4, 0, &[(130, 613), (759, 256), (563, 299)])?;
/// let numbers = ListsView::try_from(lists.view())?.child().to_column();
/// assert_eq!(numbers.to_vec::<u32>()?, [Some(23_178_123), Some(156_392_727), Some(75_711_893)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most 4 times, and once more to count the nulls if the product of rows and pairs
/// exceeds 2³¹ − 1. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `width` is less than 2, or there are no pairs.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 runs, or more than 2³¹ − 1 numbers.
/// * Driver and memory errors.
#[doc(alias("lsh", "near_duplicates"))]
pub fn minhash<'a>(
    column: impl Into<ColumnView<'a>>,
    width: usize,
    seed: u32,
    permutations: &[(u32, u32)],
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("minhash", &[&column])?
        .run_decoded(column, |column, ctx| detail::minhash(column, width, seed, permutations, ctx))
}

/// Computes the same as [`minhash`], but with numbers of 64 bits. The hashes are the first halves of
/// [`murmurhash3_x64_128`](crate::hashing::murmurhash3_x64_128).
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `List` of `UInt64`. Products and sums wrap.
///
/// Shapes: the same as for [`minhash`]. In libcudf `nvtext::minhash64`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::ListsView;
/// use gdf::strings::minhash64;
///
/// let column = Column::from_strs(["the quick brown fox"])?;
/// let lists = minhash64(&column, 4, 0, &[(541, 777)])?;
/// let numbers = ListsView::try_from(lists.view())?.child().to_column();
/// assert_eq!(numbers.to_vec::<u64>()?, [Some(138_781_749_418_890_008)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The waits are those of [`minhash`]. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`minhash`].
#[doc(alias("lsh", "near_duplicates"))]
pub fn minhash64<'a>(
    column: impl Into<ColumnView<'a>>,
    width: usize,
    seed: u64,
    permutations: &[(u64, u64)],
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("minhash64", &[&column])?
        .run_decoded(column, |column, ctx| detail::minhash64(column, width, seed, permutations, ctx))
}
