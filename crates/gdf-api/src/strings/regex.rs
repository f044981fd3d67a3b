//! Regular expressions over text.
//!
//! A [`Regex`] is compiled once, and can be used on columns of any device. The matches in a row do not overlap. As in
//! the regex crate, an empty match does not begin where the previous match ended. A search takes time linear in the
//! length of the text. To find all matches of a row, there is one search for each match.
//!
//! On the CPU, the engines of `regex-automata` do the search, and small DFAs of gdf for short rows. On CUDA, the
//! kernels use DFAs, which are built when a device first needs them, and are kept with the pattern. Groups are found by
//! a DFA, too. The kernels simulate the NFA instead in three cases: the DFA that a search needs is too large, the
//! pattern has a Unicode `\b` and the text is not ASCII, or groups are searched in a row of 2 GiB or more. A search
//! that may need the NFA cannot search a column with 4 GiB of text or more, and returns
//! [`InvalidArgument`](gdf_core::Error::InvalidArgument). In such a column of `LargeUtf8`, every search for groups may
//! need the NFA.

use gdf_core::{Column, ColumnView, Result, Table};
use gdf_detail::strings::SplitFrom;
pub use gdf_detail::strings::{Regex, RegexFlags};

use crate::scope::Scope;

/// Returns whether a regular expression matches anywhere in each row of text, as `Boolean`.
///
/// # Types
/// `Utf8` and `LargeUtf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::contains_re`, in polars `str.contains`.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, contains_re};
/// use gdf::{Column};
///
/// let column = Column::from_strs([Some("row 12"), None, Some("row")])?;
/// let regex = Regex::new(r"\d+", RegexFlags::new())?;
/// assert_eq!(contains_re(&column, &regex)?.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("regexp_matches", "regexp_like", "rlike", "str.contains", "search"))]
pub fn contains_re<'a>(column: impl Into<ColumnView<'a>>, regex: &Regex) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("contains_re", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::contains_re(column, regex, ctx))
}

/// Returns whether a match of a regular expression begins at the start of each row of text, as `Boolean`.
///
/// # Types
/// `Utf8` and `LargeUtf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::matches_re`, in pandas `str.match`.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, matches_re};
/// use gdf::{Column};
///
/// let column = Column::from_strs(["12 rows", "row 12"])?;
/// let regex = Regex::new(r"\d+", RegexFlags::new())?;
/// assert_eq!(matches_re(&column, &regex)?.to_vec::<bool>()?, [Some(true), Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("match", "str.match", "fullmatch", "starts_with_regex"))]
pub fn matches_re<'a>(column: impl Into<ColumnView<'a>>, regex: &Regex) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("matches_re", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::matches_re(column, regex, ctx))
}

/// Returns the number of matches of a regular expression in each row of text, as `Int32`.
///
/// # Types
/// `Utf8` and `LargeUtf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::count_re`, in polars `str.count_matches`.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, count_re};
/// use gdf::{Column};
///
/// let column = Column::from_strs([Some("1, 2 and 33"), None, Some("none")])?;
/// let regex = Regex::new(r"\d+", RegexFlags::new())?;
/// assert_eq!(count_re(&column, &regex)?.to_vec::<i32>()?, [Some(3), None, Some(0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Limits
/// A row of `LargeUtf8` must have fewer than 2³¹ matches. With more matches, its count is undefined.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("str.count", "count_matches", "regexp_count"))]
pub fn count_re<'a>(column: impl Into<ColumnView<'a>>, regex: &Regex) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("count_re", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::count_re(column, regex, ctx))
}

/// Returns the position of the first match of a regular expression in each row of text, in characters, as `Int32`. The
/// position is -1 if there is no match.
///
/// # Types
/// `Utf8` and `LargeUtf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::find_re`, in SQL `REGEXP_INSTR`, which counts from 1.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, find_re};
/// use gdf::{Column};
///
/// let column = Column::from_strs(["größer 12", "none"])?;
/// let regex = Regex::new(r"\d+", RegexFlags::new())?;
/// assert_eq!(find_re(&column, &regex)?.to_vec::<i32>()?, [Some(7), Some(-1)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("regexp_instr", "str.find", "search"))]
pub fn find_re<'a>(column: impl Into<ColumnView<'a>>, regex: &Regex) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("find_re", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::find_re(column, regex, ctx))
}

/// Returns the matches of a regular expression in each row of text, as lists. If the pattern has a group, the lists
/// hold the group of each match instead of the match.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is a `List` of the same type.
///
/// Shapes: the result has a list for each row. The list of a row without a match is empty. Nulls stay null. A group
/// that took no part in a match is null. Order: the order of the input. In libcudf `strings::findall`, in polars
/// `str.extract_all`.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, findall};
/// use gdf::{Column};
///
/// let column = Column::from_strs(["1, 2 and 33", "none"])?;
/// let regex = Regex::new(r"\d+", RegexFlags::new())?;
/// let found = findall(&column, &regex)?;
/// let texts = found.children()[0].to_strings()?;
/// assert_eq!(texts, ["1", "2", "33"].map(|text| Some(text.to_owned())));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 2 waits for the device, for the numbers of elements and of bytes, and up to 2 more if
/// rows are long. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the pattern has more than one group.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the lists have more than 2³¹ − 1 elements in all.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("extract_all", "regexp_extract_all", "str.findall", "regexp_matches"))]
pub fn findall<'a>(column: impl Into<ColumnView<'a>>, regex: &Regex) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("findall", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::findall(column, regex, ctx))
}

/// Returns the groups of the first match of a regular expression in each row of text, as a column for each group.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the columns are of the same type.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text is null, where
/// the text has no match, and where the group took no part in the match. Order: the order of the input. In libcudf
/// `strings::extract`, in polars `str.extract_groups`.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, extract};
/// use gdf::{Column};
///
/// let column = Column::from_strs(["2024-05", "none"])?;
/// let regex = Regex::new(r"(\d+)-(\d+)", RegexFlags::new())?;
/// let found = extract(&column, &regex)?;
/// assert_eq!(found.column(1)?.to_strings()?, [Some("05".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for the number of groups that are copied, 1 wait for the bytes of
/// each column, and 1 more if rows are long. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the pattern has no group.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("extract_groups", "regexp_extract", "str.extract", "capture"))]
pub fn extract<'a>(column: impl Into<ColumnView<'a>>, regex: &Regex) -> Result<Table> {
    let column = column.into();
    Scope::for_inputs("extract", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::extract(column, regex, ctx))
}

/// Returns one group of the first match of a regular expression in each row of text. Group 0 is the whole match.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text is null, where
/// the text has no match, and where the group took no part in the match. Order: the order of the input. In libcudf
/// `strings::extract_single`, in which group 0 is the first group of the pattern; in polars `str.extract`.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, extract_single};
/// use gdf::{Column};
///
/// let column = Column::from_strs(["2024-05", "none"])?;
/// let regex = Regex::new(r"(\d+)-(\d+)", RegexFlags::new())?;
/// assert_eq!(extract_single(&column, &regex, 1)?.to_strings()?, [Some("2024".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 2 waits for the device, for the numbers of groups and of bytes, and 1 more if rows are
/// long. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the pattern has no such group.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("regexp_extract", "regexp_substr", "str.extract"))]
pub fn extract_single<'a>(column: impl Into<ColumnView<'a>>, regex: &Regex, group: usize) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("extract_single", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::extract_single(column, regex, group, ctx))
}

/// Returns the groups of all matches of a regular expression in each row of text, as lists. A list holds all groups
/// of the first match, then all groups of the second match, and so on.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is a `List` of the same type.
///
/// Shapes: the result has a list for each row. The list is null where the text is null, and where the text has no
/// match. A group that took no part in a match is null. Order: the order of the input. In libcudf
/// `strings::extract_all_record`, in pandas `str.extractall`.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, extract_all_record};
/// use gdf::{Column};
///
/// let column = Column::from_strs(["a1 b2", "none"])?;
/// let regex = Regex::new("([a-z])([0-9])", RegexFlags::new())?;
/// let found = extract_all_record(&column, &regex)?;
/// assert_eq!(found.null_count()?, 1);
/// assert_eq!(found.children()[0].to_strings()?, ["a", "1", "b", "2"].map(|text| Some(text.to_owned())));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 2 waits for the device, for the numbers of elements and of bytes, and 1 more if rows are
/// long. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the pattern has no group.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the lists have more than 2³¹ − 1 elements in all.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("extractall", "regexp_extract_all", "str.extract_all"))]
pub fn extract_all_record<'a>(column: impl Into<ColumnView<'a>>, regex: &Regex) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("extract_all_record", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::extract_all_record(column, regex, ctx))
}

/// Replaces the matches of a regular expression in each row of text by `replacement`. With `limit`, only the first
/// `limit` matches of a row are replaced.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. The
/// replacement is literal text; for references to groups see [`replace_with_backrefs`]. In libcudf
/// `strings::replace_re`, in polars `str.replace_all`.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, replace_re};
/// use gdf::{Column};
///
/// let column = Column::from_strs([Some("a1b22"), None])?;
/// let regex = Regex::new(r"\d+", RegexFlags::new())?;
/// assert_eq!(replace_re(&column, &regex, "-", None)?.to_strings()?, [Some("a-b-".to_owned()), None]);
/// assert_eq!(replace_re(&column, &regex, "-", Some(1))?.to_strings()?, [Some("a-b22".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for the number of bytes, 1 more to estimate the number of bytes if
/// there are many rows, and 1 more if rows are long. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("regexp_replace", "str.replace", "replace_all", "sub"))]
pub fn replace_re<'a>(
    column: impl Into<ColumnView<'a>>,
    regex: &Regex,
    replacement: &str,
    limit: Option<usize>,
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("replace_re", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::replace_re(column, regex, replacement, limit, ctx))
}

/// Replaces the matches of a regular expression in each row of text by `template`. In the template, `\N` and `${N}`
/// stand for group N of the match.
///
/// N has one or two digits; group 0 is the whole match. The rest of the template is literal text. A group that took
/// no part in a match is replaced by an empty text.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::replace_with_backrefs`, in polars `str.replace_all`.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, replace_with_backrefs};
/// use gdf::{Column};
///
/// let column = Column::from_strs(["2024-05"])?;
/// let regex = Regex::new(r"(\d+)-(\d+)", RegexFlags::new())?;
/// assert_eq!(replace_with_backrefs(&column, &regex, "${2}/${1}")?.to_strings()?, [Some("05/2024".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for the number of bytes, 1 more to estimate the number of bytes if
/// there are many rows, and 1 more if rows are long. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidPattern`](gdf_core::Error::InvalidPattern): the template names a group that the pattern does not have.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("regexp_replace", "str.replace", "sub", "backreference"))]
pub fn replace_with_backrefs<'a>(column: impl Into<ColumnView<'a>>, regex: &Regex, template: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("replace_with_backrefs", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::replace_with_backrefs(column, regex, template, ctx))
}

/// Splits each row of text at the matches of a regular expression, and returns the parts as columns. With `limit`,
/// only the first `limit` matches split a row.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the columns are of the same type.
///
/// Shapes: the result has a row for each row of the input. The number of columns is the largest number of parts of a
/// row, but at least 1. A row of a column is null where the text is null, and where the text has fewer parts. Order:
/// the order of the input. In libcudf `strings::split_re`.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, split_re};
/// use gdf::{Column};
///
/// let column = Column::from_strs(["a1b22c", "d"])?;
/// let regex = Regex::new(r"\d+", RegexFlags::new())?;
/// let parts = split_re(&column, &regex, Some(1))?;
/// assert_eq!(parts.num_columns(), 2);
/// assert_eq!(parts.column(0)?.to_strings()?, ["a", "d"].map(|text| Some(text.to_owned())));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 2 waits for the device, for the numbers of parts and of columns, 1 for the bytes of each
/// column, and 1 more if rows are long. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the rows have more than 2³¹ − 1 parts in all.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("regexp_split", "str.split", "string_split_regex"))]
pub fn split_re<'a>(column: impl Into<ColumnView<'a>>, regex: &Regex, limit: Option<usize>) -> Result<Table> {
    let column = column.into();
    Scope::for_inputs("split_re", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::split_re(column, regex, limit, SplitFrom::Left, ctx))
}

/// Splits each row of text at the matches of a regular expression, and returns the parts as lists. With `limit`, only
/// the first `limit` matches split a row.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is a `List` of the same type.
///
/// Shapes: the result has a list for each row. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::split_record_re`, in pandas `str.split(regex=True)`.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, split_record_re};
/// use gdf::{Column};
///
/// let column = Column::from_strs(["a1b22c", "d"])?;
/// let regex = Regex::new(r"\d+", RegexFlags::new())?;
/// let parts = split_record_re(&column, &regex, Some(1))?;
/// let texts = ["a", "b22c", "d"];
/// assert_eq!(parts.children()[0].to_strings()?, texts.map(|text| Some(text.to_owned())));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 2 waits for the device, for the numbers of parts and of bytes, and up to 2 more if rows
/// are long. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the rows have more than 2³¹ − 1 parts in all.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("regexp_split_to_array", "str.split", "string_split_regex"))]
pub fn split_record_re<'a>(column: impl Into<ColumnView<'a>>, regex: &Regex, limit: Option<usize>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("split_record_re", &[&column])?.run_decoded(column, |column, ctx| {
        gdf_detail::strings::split_record_re(column, regex, limit, SplitFrom::Left, ctx)
    })
}

/// Splits each row of text at the matches of a regular expression, and returns the parts as columns. With `limit`,
/// only the last `limit` matches split a row.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the columns are of the same type.
///
/// Shapes: the result has a row for each row of the input. The number of columns is the largest number of parts of a
/// row, but at least 1. A row of a column is null where the text is null, and where the text has fewer parts. Order:
/// the order of the input. In libcudf `strings::rsplit_re`.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, rsplit_re};
/// use gdf::{Column};
///
/// let column = Column::from_strs(["a1b22c", "d"])?;
/// let regex = Regex::new(r"\d+", RegexFlags::new())?;
/// let parts = rsplit_re(&column, &regex, Some(1))?;
/// assert_eq!(parts.num_columns(), 2);
/// assert_eq!(parts.column(0)?.to_strings()?, ["a1b", "d"].map(|text| Some(text.to_owned())));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 2 waits for the device, for the numbers of parts and of columns, 1 for the bytes of each
/// column, and 1 more if rows are long. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the rows have more than 2³¹ − 1 parts in all.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("regexp_split", "str.rsplit", "string_split_regex"))]
pub fn rsplit_re<'a>(column: impl Into<ColumnView<'a>>, regex: &Regex, limit: Option<usize>) -> Result<Table> {
    let column = column.into();
    Scope::for_inputs("rsplit_re", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::split_re(column, regex, limit, SplitFrom::Right, ctx))
}

/// Splits each row of text at the matches of a regular expression, and returns the parts as lists. With `limit`, only
/// the last `limit` matches split a row.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is a `List` of the same type.
///
/// Shapes: the result has a list for each row. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::rsplit_record_re`, in pandas `str.rsplit(regex=True)`.
///
/// ```
/// use gdf::strings::{Regex, RegexFlags, rsplit_record_re};
/// use gdf::{Column};
///
/// let column = Column::from_strs(["a1b22c", "d"])?;
/// let regex = Regex::new(r"\d+", RegexFlags::new())?;
/// let parts = rsplit_record_re(&column, &regex, Some(1))?;
/// let texts = ["a1b", "c", "d"];
/// assert_eq!(parts.children()[0].to_strings()?, texts.map(|text| Some(text.to_owned())));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 2 waits for the device, for the numbers of parts and of bytes, and up to 2 more if rows
/// are long. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the rows have more than 2³¹ − 1 parts in all.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("regexp_split_to_array", "str.rsplit", "string_split_regex"))]
pub fn rsplit_record_re<'a>(column: impl Into<ColumnView<'a>>, regex: &Regex, limit: Option<usize>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("rsplit_record_re", &[&column])?.run_decoded(column, |column, ctx| {
        gdf_detail::strings::split_record_re(column, regex, limit, SplitFrom::Right, ctx)
    })
}
