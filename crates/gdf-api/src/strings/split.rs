//! Functions that split text into pieces, and that join texts.

use gdf_core::{Column, ColumnView, Operand, Result, Scalar, Table, TableView};
pub use gdf_detail::strings::JoinOptions;
use gdf_detail::strings::{self as detail, SplitFrom};

use crate::scope::Scope;

/// Joins the texts of each row of a table, with a separator between the texts.
///
/// # Types
/// `Utf8` or `LargeUtf8`, the same type in all columns; the result has that type. The separator is a text: a column,
/// a scalar or a literal.
///
/// Shapes: the result has a row for each row of the input. Nulls: a row of the result is null where a text of the row
/// is null, and where the separator is null. [`JoinOptions`] can set a text for null texts, and a text for null
/// separators; such nulls do not make the row null. Order: the order of the input. In libcudf `strings::concatenate`,
/// in pandas `str.cat`, in polars `concat_str`, in SQL `CONCAT_WS` and `||`.
///
/// ```
/// use gdf::strings::{JoinOptions, concatenate};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_strs(["a", "c"])?, Column::from_strs([Some("b"), None])?])?;
/// let joined = concatenate(&table, "-", JoinOptions::default())?;
/// assert_eq!(joined.to_strings()?, [Some("a-b".to_owned()), None]);
/// let joined = concatenate(&table, "-", JoinOptions { null: Some("?"), ..JoinOptions::default() })?;
/// assert_eq!(joined.to_strings()?[1].as_deref(), Some("c-?"));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, and 1 for each 31 columns beyond 32. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the table has no columns.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): columns of different types, or a separator that is not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("concat_ws", "concat_str", "str.cat", "textcat"))]
pub fn concatenate<'a, 'b>(
    table: impl Into<TableView<'a>>,
    separator: impl Into<Operand<'b>>,
    options: JoinOptions<'_>,
) -> Result<Column> {
    let (table, separator) = (table.into(), separator.into());
    Scope::for_inputs("concatenate", &[&table, &separator])?
        .run(|ctx| detail::concatenate(table, separator, options, ctx))
}

/// Returns the part of each row of text between the first `start` and the first `end` after this `start`. The part
/// includes neither `start` nor `end`.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. The markers are texts: columns, scalars or literals. An
/// empty marker is found at the position where the search for the marker begins.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text or a marker is
/// null, and where a marker does not occur. Order: the order of the input. libcudf, pandas and polars use a regular
/// expression.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::extract_between;
///
/// let column = Column::from_strs(["call(x) or (y)", "none"])?;
/// assert_eq!(extract_between(&column, "(", ")")?.to_strings()?, [Some("x".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): a marker is not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * Driver and memory errors.
#[doc(alias("substring_between", "between"))]
pub fn extract_between<'a, 'b, 'c>(
    column: impl Into<ColumnView<'a>>,
    start: impl Into<Operand<'b>>,
    end: impl Into<Operand<'c>>,
) -> Result<Column> {
    let (column, start, end) = (column.into(), start.into(), end.into());
    Scope::for_inputs("extract_between", &[&column, &start, &end])?
        .run_decoded(column, |column, ctx| detail::extract_between(column, start, end, ctx))
}

/// Writes each list of texts as one text, such as `[a,b]`. Lists may be nested.
///
/// # Types
/// `List` and `LargeList` of `Utf8` and `LargeUtf8`, or of such lists; the result has the type of the texts.
/// `separators` are the text between elements, the text before the first element, and the text after the last
/// element.
///
/// Shapes: the result has a row for each row of the input. Nulls: null elements and null lists are written as the
/// argument `null`; the result has no nulls. Order: the order of the input. In libcudf `strings::format_list_column`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::{format_list_column, split_record};
///
/// let lists = split_record(&Column::from_strs([Some("a b"), None])?, "", None)?;
/// let texts = format_list_column(&lists, "NULL", [",", "[", "]"])?;
/// assert_eq!(texts.to_strings()?, [Some("[a,b]".to_owned()), Some("NULL".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device once for each level of lists. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("array_to_string", "list_to_string"))]
pub fn format_list_column<'a>(lists: impl Into<ColumnView<'a>>, null: &str, separators: [&str; 3]) -> Result<Column> {
    let lists = lists.into();
    Scope::for_inputs("format_list_column", &[&lists])?
        .run(|ctx| detail::format_list_column(lists, null, separators, ctx))
}

/// Joins the texts of each list, with a separator between the texts.
///
/// # Types
/// `List` and `LargeList` of `Utf8` and `LargeUtf8`; the result has the type of the texts. The separator is a text: a
/// column, a scalar or a literal.
///
/// Shapes: the result has a row for each row of the input. Nulls: a row of the result is null where the list, an
/// element or the separator is null. [`JoinOptions`] can set a text for null elements, and a text for null separators;
/// such nulls do not make the row null. With `empty_is_null`, the row of an empty list is null, too. Order: the order
/// of the input. In libcudf `strings::join_list_elements`, in pandas `str.join`, in polars `list.join`, in SQL
/// `ARRAY_TO_STRING`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::{JoinOptions, join_list_elements, split_record};
///
/// let lists = split_record(&Column::from_strs(["a b", ""])?, "", None)?;
/// let joined = join_list_elements(&lists, "+", JoinOptions::default())?;
/// assert_eq!(joined.to_strings()?, [Some("a+b".to_owned()), Some(String::new())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): a separator that is not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("list.join", "str.join", "array_to_string", "array_join"))]
pub fn join_list_elements<'a, 'b>(
    lists: impl Into<ColumnView<'a>>,
    separator: impl Into<Operand<'b>>,
    options: JoinOptions<'_>,
) -> Result<Column> {
    let (lists, separator) = (lists.into(), separator.into());
    Scope::for_inputs("join_list_elements", &[&lists, &separator])?
        .run(|ctx| detail::join_list_elements(lists, separator, options, ctx))
}

/// Joins all texts of a column to one text, with a separator between the texts.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the scalar is of the same type.
///
/// Shapes: the result is a scalar. A null is written as the text of the argument `null`. If `null` is `None`, nulls are
/// left out. The result is never null. Order: the order of the input. In libcudf `strings::join_strings`, in polars
/// `str.join`, in SQL `STRING_AGG`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::join_strings;
///
/// let column = Column::from_strs([Some("a"), None, Some("b")])?;
/// assert_eq!(join_strings(&column, "+", None)?.value::<String>()?.as_deref(), Some("a+b"));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most twice. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("string_agg", "listagg", "group_concat", "str.join"))]
pub fn join_strings<'a>(column: impl Into<ColumnView<'a>>, separator: &str, null: Option<&str>) -> Result<Scalar> {
    let column = column.into();
    Scope::for_inputs("join_strings", &[&column])?
        .run_decoded(column, |column, ctx| detail::join_strings(column, separator, null, ctx))
}

/// Splits each row of text at the first delimiter into three columns: the text before the delimiter, the delimiter,
/// and the text after the delimiter. Without a delimiter, the first column has the whole text, and the two others
/// have empty texts.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the columns are of the same type. The delimiter is a text: a column, a scalar or a
/// literal. An empty delimiter stands for one character of Unicode white space.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text or the
/// delimiter is null. Order: the order of the input. The three columns are slices of one column. In libcudf
/// `strings::partition`, in pandas `str.partition`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::partition;
///
/// let parts = partition(&Column::from_strs(["a=b=c"])?, "=")?;
/// let texts: Vec<_> = parts.columns().iter().map(|part| part.to_strings()).collect::<Result<_, _>>()?;
/// assert_eq!(texts, [[Some("a".to_owned())], [Some("=".to_owned())], [Some("b=c".to_owned())]]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most 4 times. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the delimiter is not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * Driver and memory errors.
#[doc(alias("str.partition", "split_once"))]
pub fn partition<'a, 'b>(column: impl Into<ColumnView<'a>>, delimiter: impl Into<Operand<'b>>) -> Result<Table> {
    let (column, delimiter) = (column.into(), delimiter.into());
    Scope::for_inputs("partition", &[&column, &delimiter])?
        .run_decoded(column, |column, ctx| detail::partition(column, delimiter, SplitFrom::Left, ctx))
}

/// Splits each row of text at the last delimiter into three columns: the text before the delimiter, the delimiter,
/// and the text after the delimiter. Without a delimiter, the last column has the whole text, and the two others have
/// empty texts.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the columns are of the same type. The delimiter is a text: a column, a scalar or a
/// literal. An empty delimiter stands for one character of Unicode white space.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text or the
/// delimiter is null. Order: the order of the input. The three columns are slices of one column. In libcudf
/// `strings::rpartition`, in pandas `str.rpartition`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::rpartition;
///
/// let parts = rpartition(&Column::from_strs(["a=b=c"])?, "=")?;
/// let texts: Vec<_> = parts.columns().iter().map(|part| part.to_strings()).collect::<Result<_, _>>()?;
/// assert_eq!(texts, [[Some("a=b".to_owned())], [Some("=".to_owned())], [Some("c".to_owned())]]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most 4 times. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the delimiter is not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * Driver and memory errors.
#[doc(alias("str.rpartition", "rsplit_once"))]
pub fn rpartition<'a, 'b>(column: impl Into<ColumnView<'a>>, delimiter: impl Into<Operand<'b>>) -> Result<Table> {
    let (column, delimiter) = (column.into(), delimiter.into());
    Scope::for_inputs("rpartition", &[&column, &delimiter])?
        .run_decoded(column, |column, ctx| detail::partition(column, delimiter, SplitFrom::Right, ctx))
}

/// Splits each row of text at delimiters, and returns the pieces as columns. With `max`, only the last `max`
/// delimiters of a row split the row.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result has at least one column, and its columns are of the same type. The delimiter is
/// a text: a column, a scalar or a literal. An empty delimiter stands for runs of Unicode white space; white space at
/// the two ends of a row splits nothing.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text or the
/// delimiter is null. Order: the order of the input. The first piece has the rest of the row where `max` delimiters
/// split the row. `None` and 0 mean no limit. The columns of the result are slices of one column. A row with fewer
/// pieces than other rows has nulls in the last columns. In libcudf `strings::rsplit`, in pandas
/// `str.rsplit(expand=True)`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::rsplit;
///
/// let columns = rsplit(&Column::from_strs(["a_b_c", "d"])?, "_", Some(1))?;
/// assert_eq!(columns.column(0)?.to_strings()?, [Some("a_b".to_owned()), Some("d".to_owned())]);
/// assert_eq!(columns.column(1)?.to_strings()?, [Some("c".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 2 waits for the device, and 1 for each column of the result. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the delimiter is not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 pieces.
/// * Driver and memory errors.
#[doc(alias("str.rsplit"))]
pub fn rsplit<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    delimiter: impl Into<Operand<'b>>,
    max: Option<usize>,
) -> Result<Table> {
    let (column, delimiter) = (column.into(), delimiter.into());
    Scope::for_inputs("rsplit", &[&column, &delimiter])?
        .run_decoded(column, |column, ctx| detail::split(column, delimiter, max, SplitFrom::Right, ctx))
}

/// Splits each row of text at delimiters, and returns the pieces as a list. With `max`, only the last `max`
/// delimiters of a row split the row.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is a `List` of the same type. The delimiter is a text: a column, a scalar or a
/// literal. An empty delimiter stands for runs of Unicode white space; white space at the two ends of a row splits
/// nothing.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text or the
/// delimiter is null. Order: the order of the input. The first piece has the rest of the row where `max` delimiters
/// split the row. `None` and 0 mean no limit. In libcudf `strings::rsplit_record`, in pandas `str.rsplit`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::{JoinOptions, join_list_elements, rsplit_record};
///
/// let lists = rsplit_record(&Column::from_strs(["a_b_c"])?, "_", Some(1))?;
/// let joined = join_list_elements(&lists, " ", JoinOptions::default())?;
/// assert_eq!(joined.to_strings()?, [Some("a_b c".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 2 waits for the device, and 1 more if rows are long. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the delimiter is not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 pieces.
/// * Driver and memory errors.
#[doc(alias("str.rsplit"))]
pub fn rsplit_record<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    delimiter: impl Into<Operand<'b>>,
    max: Option<usize>,
) -> Result<Column> {
    let (column, delimiter) = (column.into(), delimiter.into());
    Scope::for_inputs("rsplit_record", &[&column, &delimiter])?
        .run_decoded(column, |column, ctx| detail::split_record(column, delimiter, max, SplitFrom::Right, ctx))
}

/// Splits each row of text at delimiters, and returns the pieces as columns. With `max`, only the first `max`
/// delimiters of a row split the row.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result has at least one column, and its columns are of the same type. The delimiter is
/// a text: a column, a scalar or a literal. An empty delimiter stands for runs of Unicode white space; white space at
/// the two ends of a row splits nothing.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text or the
/// delimiter is null. Order: the order of the input. The last piece has the rest of the row where `max` delimiters
/// split the row. `None` and 0 mean no limit. The columns of the result are slices of one column. A row with fewer
/// pieces than other rows has nulls in the last columns. In libcudf `strings::split`, in pandas
/// `str.split(expand=True)`, in polars `str.split_exact`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::split;
///
/// let columns = split(&Column::from_strs(["a_b", "c"])?, "_", None)?;
/// assert_eq!(columns.column(0)?.to_strings()?, [Some("a".to_owned()), Some("c".to_owned())]);
/// assert_eq!(columns.column(1)?.to_strings()?, [Some("b".to_owned()), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 2 waits for the device, and 1 for each column of the result. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the delimiter is not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 pieces.
/// * Driver and memory errors.
#[doc(alias("str.split", "split_exact", "splitn"))]
pub fn split<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    delimiter: impl Into<Operand<'b>>,
    max: Option<usize>,
) -> Result<Table> {
    let (column, delimiter) = (column.into(), delimiter.into());
    Scope::for_inputs("split", &[&column, &delimiter])?
        .run_decoded(column, |column, ctx| detail::split(column, delimiter, max, SplitFrom::Left, ctx))
}

/// Splits each row of text at delimiters, and returns the piece with number `index`, counted from 0. A negative index
/// counts from the end; −1 is the last piece.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type. The delimiter is a text: a column, a scalar or a literal.
/// An empty delimiter stands for runs of Unicode white space; white space at the two ends of a row splits nothing.
/// The index is an integer of any type: a column, a scalar or a literal.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text, the delimiter
/// or the index is null, and where the text has no piece with that number. Order: the order of the input. In libcudf
/// `strings::split_part`, in pandas `str.split().str.get`, in SQL `SPLIT_PART`, which counts from 1.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::split_part;
///
/// let column = Column::from_strs(["a_b_c", "d"])?;
/// assert_eq!(split_part(&column, "_", 1)?.to_strings()?, [Some("b".to_owned()), None]);
/// assert_eq!(split_part(&column, "_", -1)?.to_strings()?, [Some("c".to_owned()), Some("d".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the delimiter is not text, or the index is not an integer;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * Driver and memory errors.
#[doc(alias("str.get", "substring_index", "split_by"))]
pub fn split_part<'a, 'b, 'c>(
    column: impl Into<ColumnView<'a>>,
    delimiter: impl Into<Operand<'b>>,
    index: impl Into<Operand<'c>>,
) -> Result<Column> {
    let (column, delimiter, index) = (column.into(), delimiter.into(), index.into());
    Scope::for_inputs("split_part", &[&column, &delimiter, &index])?
        .run_decoded(column, |column, ctx| detail::split_part(column, delimiter, index, ctx))
}

/// Splits each row of text at delimiters, and returns the pieces as a list. With `max`, only the first `max`
/// delimiters of a row split the row.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is a `List` of the same type. The delimiter is a text: a column, a scalar or a
/// literal. An empty delimiter stands for runs of Unicode white space; white space at the two ends of a row splits
/// nothing.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where the text or the
/// delimiter is null. Order: the order of the input. The last piece has the rest of the row where `max` delimiters
/// split the row. `None` and 0 mean no limit. In libcudf `strings::split_record`, in pandas and polars `str.split`,
/// in SQL `STRING_TO_ARRAY`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::{JoinOptions, join_list_elements, split_record};
///
/// let lists = split_record(&Column::from_strs(["a_b_c"])?, "_", None)?;
/// let joined = join_list_elements(&lists, " ", JoinOptions::default())?;
/// assert_eq!(joined.to_strings()?, [Some("a b c".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 2 waits for the device, and 1 more if rows are long. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the delimiter is not text;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): an argument is a column with more or fewer rows than the
///   input.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 pieces.
/// * Driver and memory errors.
#[doc(alias("str.split", "string_to_array", "string_split"))]
pub fn split_record<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    delimiter: impl Into<Operand<'b>>,
    max: Option<usize>,
) -> Result<Column> {
    let (column, delimiter) = (column.into(), delimiter.into());
    Scope::for_inputs("split_record", &[&column, &delimiter])?
        .run_decoded(column, |column, ctx| detail::split_record(column, delimiter, max, SplitFrom::Left, ctx))
}
