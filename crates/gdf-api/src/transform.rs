//! Functions that compute columns from expressions or convert columns to another form: codes of rows, a column for each
//! category, nulls in place of NaN, and the sizes of rows.

mod encodings;

pub use self::encodings::{run_end_decode, run_end_encode, union_field, union_type_ids};
use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_detail as detail;
use gdf_expr::Expr;

use crate::scope::Scope;

/// Computes an expression for each row of a table. Returns a column with the results.
///
/// The expression is evaluated in one pass over the columns that it names. A part that occurs several times is computed
/// once. Functions of text, mathematical functions, and operations on `Decimal256` are computed before, as intermediate
/// columns.
///
/// # Types
/// The types are those of the operators and functions of the expression; see [`Expr`] and
/// [`Graph::bind`](gdf_expr::Graph::bind). Columns are named by their positions in the table.
///
/// # Nulls and NaN
/// Each operator has its own null rule. `AND` and `OR` follow three-valued logic. A `CASE` whose condition is null
/// chooses the next branch.
///
/// Shapes: the result has a row for each row of the table. Order: the order of the table.
///
/// In libcudf `compute_column` and `ast`, in pandas `DataFrame.eval`, in polars `with_columns`, in SQL the list of
/// `SELECT`.
///
/// ```
/// use gdf::expr::{col, lit, when};
/// use gdf::transform::compute_column;
/// use gdf::{Column, Table};
///
/// let goods = Table::try_new(vec![
///     Column::from_options(&[Some(20.0), None, Some(4.0)])?, // price
///     Column::from_slice(&[3, 1, 10])?,                      // number
/// ])?;
/// let cost = compute_column(&goods, &(col(0) * col(1)))?;
/// assert_eq!(cost.to_vec::<f64>()?, [Some(60.0), None, Some(40.0)]);
/// let reduced = when((col(0) * col(1)).gt(50), col(0) * lit(0.5)).otherwise(col(0));
/// assert_eq!(compute_column(&goods, &reduced)?.to_vec::<f64>()?, [Some(10.0), None, Some(4.0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 1 launch and no wait for expressions with up to 16 columns and some 60 steps. Their parts must be
/// numbers, booleans, dates, decimals of up to 128 bits, or comparisons of text with literals of up to 16 bytes. Other
/// expressions are computed in parts. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported), [`TypeMismatch`](gdf_core::Error::TypeMismatch),
///   [`OutOfBounds`](gdf_core::Error::OutOfBounds), [`InvalidArgument`](gdf_core::Error::InvalidArgument) for an
///   expression without a type. The text of the error names the part of the expression.
/// * [`InvalidPattern`](gdf_core::Error::InvalidPattern) of regular expressions.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("eval", "ast", "apply", "with_column", "project", "expression"))]
pub fn compute_column<'a>(table: impl Into<TableView<'a>>, expression: &Expr) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("compute_column", &[&table])?
        .run(|ctx| detail::expression::compute_column(&table, expression, ctx))
}

/// Computes several expressions for each row of a table in one pass. Returns a column for each expression, in the order
/// of the expressions. Types and nulls are the same as for [`compute_column`]. A part that several expressions have in
/// common is computed once.
///
/// ```
/// use gdf::expr::{col, lit};
/// use gdf::transform::compute_columns;
/// use gdf::{Column, Table};
///
/// let goods = Table::try_new(vec![Column::from_slice(&[20, 7])?, Column::from_slice(&[3, 1])?])?;
/// let results = compute_columns(&goods, &[col(0) + col(1), (col(0) + col(1)).gt(lit(10))])?;
/// assert_eq!(results.column(0)?.to_vec::<i32>()?, [Some(23), Some(8)]);
/// assert_eq!(results.column(1)?.to_vec::<bool>()?, [Some(true), Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 1 launch and no wait for up to 8 results, within the limits of [`compute_column`].
///
/// # Errors
/// * The errors of [`compute_column`].
#[doc(alias("select", "with_columns", "project", "assign"))]
pub fn compute_columns<'a>(table: impl Into<TableView<'a>>, expressions: &[Expr]) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("compute_columns", &[&table])?
        .run(|ctx| detail::expression::compute_columns(&table, expressions, ctx))
}

/// Returns the distinct rows of a table in sorted order, and for each row of the table the number of the equal distinct
/// row.
///
/// # Types
/// Integers, booleans, floats, decimals, everything temporal except intervals with days, strings and binary with
/// offsets of either width, views of these, and dictionaries of all of these; 1 to 32 columns of at most 2³¹−16
/// rows. The numbers are `UInt32`.
///
/// # Nulls and NaN
/// Nulls are equal to each other and come after all values. NaNs are equal to each other and come after all numbers.
/// 0.0 equals −0.0.
///
/// Order: the distinct rows ascend by the first column, then by the second column, and so on. The numbers are in the
/// order of the rows.
///
/// In libcudf `encode`, in pandas `factorize(sort=True)`, in scikit-learn `LabelEncoder`.
///
/// ```
/// use gdf::transform::encode;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_strs(["pear", "apple", "pear"])?])?;
/// let (keys, codes) = encode(&table)?;
/// assert_eq!(keys.column(0)?.to_strings()?, [Some("apple".into()), Some("pear".into())]);
/// assert_eq!(codes.to_vec::<u32>()?, [Some(1), Some(0), Some(1)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`distinct`](crate::stream_compaction::distinct), [`sort`](crate::sorting::sort) and
/// [`left_join`](crate::join::left_join) together. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) if there are no columns, more than 32 columns, or more than
///   2³¹−16 rows.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types without an order.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("factorize", "dictionary_encode", "categorical", "to_physical", "dense_rank", "LabelEncoder"))]
pub fn encode<'a>(table: impl Into<TableView<'a>>) -> Result<(Table, Column)> {
    let table = table.into();
    Scope::for_inputs("encode", &[&table])?.run(|ctx| detail::transform::encode(&table, ctx))
}

/// Returns a boolean column for each category. The column is true for the rows that are equal to the category.
///
/// Types: integers, booleans, floats, decimals, everything temporal, strings and binary with offsets of either width.
/// `column` and `categories` have the same type; views and dictionaries count as the type that they decode to.
///
/// Nulls: null equals null, and NaN equals NaN; the resulting columns have no nulls. Order: the columns are in the
/// order of the categories, which may repeat; the rows are in the order of `column`.
///
/// In libcudf `one_hot_encode`, in pandas `get_dummies`, in polars `to_dummies`.
///
/// ```
/// use gdf::Column;
/// use gdf::transform::one_hot_encode;
///
/// let column = Column::from_options(&[Some(7), None, Some(9)])?;
/// let columns = one_hot_encode(&column, &Column::from_options(&[Some(9), None])?)?;
/// assert_eq!(columns.column(0)?.to_vec::<bool>()?, [Some(false), Some(false), Some(true)]);
/// assert_eq!(columns.column(1)?.to_vec::<bool>()?, [Some(false), Some(true), Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 5 waits for the device, for the number of distinct categories, for the sizes of two
/// joins, and for the size of strings or binary. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the categories are of another type.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types that cannot be compared.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("get_dummies", "to_dummies", "OneHotEncoder", "pivot"))]
pub fn one_hot_encode<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    categories: impl Into<ColumnView<'b>>,
) -> Result<Table> {
    let (column, categories) = (column.into(), categories.into());
    Scope::for_inputs("one_hot_encode", &[&column, &categories])?
        .run(|ctx| detail::transform::one_hot_encode(column, categories, ctx))
}

/// Returns the column with NaN replaced by null.
///
/// Types: floats of any width. Nulls stay null; the result has a mask. Order: the order of the column. The result
/// shares the values of the column.
///
/// In libcudf `column_nans_to_nulls`, in cuDF `nans_to_nulls`.
///
/// ```
/// use gdf::Column;
/// use gdf::transform::nans_to_nulls;
///
/// let column = Column::from_slice(&[1.0, f64::NAN])?;
/// assert_eq!(nans_to_nulls(&column)?.to_vec::<f64>()?, [Some(1.0), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. The null count stays on the device until the count is read. See the table
/// of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported): the column is not a column of floats.
/// * Driver and memory errors.
#[doc(alias("fill_nan", "nullif"))]
pub fn nans_to_nulls<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("nans_to_nulls", &[&column])?.run(|ctx| detail::transform::nans_to_nulls(column, ctx))
}

/// Returns the number of bits that each row of a table takes, as `Int64`. A number takes its width, and a boolean one
/// bit. Text and binary take one offset and their bytes. Lists and maps take one offset and their elements, which take
/// the bits of their type, at any depth. Each column, field or element with a mask adds one bit.
///
/// Types: everything of fixed width, booleans, decimals, text and binary, views and dictionaries, structs, lists and
/// maps. The buffers of views and the values of dictionaries do not count. Nulls: the text of a null row has no bytes,
/// and a null list has no elements; the elements of a null list of a fixed size count as nulls. The result has no
/// nulls. Order: the order of the rows.
///
/// In libcudf `row_bit_count`, where booleans have 8 bits.
///
/// ```
/// use gdf::transform::row_bit_count;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[1_i64, 2])?, Column::from_strs(["", "abc"])?])?;
/// assert_eq!(row_bit_count(&table)?.to_vec::<i64>()?, [Some(64 + 32), Some(64 + 32 + 24)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device, except twice for each level of lists. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for list views, unions and run-end encoded columns.
/// * Driver and memory errors.
#[doc(alias("memory_usage", "estimated_size", "row size"))]
pub fn row_bit_count<'a>(table: impl Into<TableView<'a>>) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("row_bit_count", &[&table])?.run(|ctx| detail::transform::row_bit_count(&table, ctx))
}

/// Returns the number of bits of each segment of `segment_length` rows in the same way as [`row_bit_count`]. The last
/// segment may be shorter.
///
/// In libcudf `segmented_row_bit_count`.
///
/// ```
/// use gdf::transform::segmented_row_bit_count;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[1_i16, 2, 3])?])?;
/// assert_eq!(segmented_row_bit_count(&table, 2)?.to_vec::<i64>()?, [Some(32), Some(16)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 1 wait for the device, in [`segmented_reduce`](crate::reduction::segmented_reduce), and the waits
/// of [`row_bit_count`]. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`row_bit_count`]; [`InvalidArgument`](gdf_core::Error::InvalidArgument) for segments of no rows.
#[doc(alias("memory_usage", "estimated_size", "partition size"))]
pub fn segmented_row_bit_count<'a>(table: impl Into<TableView<'a>>, segment_length: usize) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("segmented_row_bit_count", &[&table])?
        .run(|ctx| detail::transform::segmented_row_bit_count(&table, segment_length, ctx))
}
