//! Functions that make lists: from several lists, from some of the elements of lists, or from numbers.

use gdf_core::{Column, ColumnView, Result, TableView};
use gdf_detail as detail;
use gdf_detail::lists::ConcatenateNullPolicy;

use crate::scope::Scope;

/// Concatenates the lists of each row of `table`, in the order of the columns.
///
/// All columns are lists of one type, with elements of any type that [`gather`](crate::copying::gather) takes. The
/// result has that type (`List` for `FixedSizeList`).
///
/// # Nulls
/// With [`ConcatenateNullPolicy::Ignore`], a null list counts as empty, and a row is null if all its lists are null.
/// With [`ConcatenateNullPolicy::NullifyOutputRow`], a row is null if one of its lists is null.
///
/// In libcudf `concatenate_rows`, in polars `concat_list`, in SQL `list || list` or `ARRAY_CAT`.
///
/// ```
/// use gdf::core::make_lists_column;
/// use gdf::lists::{ConcatenateNullPolicy, concatenate_rows};
/// use gdf::{Column, Table};
///
/// let offsets = Column::from_slice(&[0, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// let rows = concatenate_rows(&Table::try_new(vec![lists.clone(), lists])?, ConcatenateNullPolicy::Ignore)?;
/// assert_eq!(rows.children()[0].to_vec::<i32>()?, [7, 8, 7, 8, 9, 9].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 2 waits for the device, and the waits of [`concatenate`](crate::concatenate::concatenate) and
/// [`gather`](crate::copying::gather) for the elements. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the table has no columns.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the columns differ in type.
/// * [`Unsupported`](gdf_core::Error::Unsupported) if a column is not of lists, and for types of elements that
///   [`gather`](crate::copying::gather) does not take.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("concat_list", "list_concat", "array_cat"))]
pub fn concatenate_rows<'a>(table: impl Into<TableView<'a>>, nulls: ConcatenateNullPolicy) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("concatenate_rows", &[&table])?.run(|ctx| detail::lists::concatenate_rows(&table, nulls, ctx))
}

/// Concatenates the elements of each list, which are lists themselves. A column of lists of lists of `T` becomes a
/// column of lists of `T`.
///
/// The result has the type of the inner lists (`List` for `FixedSizeList`). Order: the order of the inner lists. The
/// result of a null list is null.
///
/// # Nulls
/// With [`ConcatenateNullPolicy::Ignore`], a null inner list counts as empty. If all inner lists of a list are null,
/// its result is null. With [`ConcatenateNullPolicy::NullifyOutputRow`], the result of a list with a null inner list is
/// null. The result of an empty list is empty.
///
/// In libcudf `concatenate_list_elements`, in polars `list.eval(pl.element().explode())`, in Spark and DuckDB
/// `flatten`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::{ConcatenateNullPolicy, concatenate_list_elements, count_elements};
///
/// let inner = make_lists_column(&Column::from_slice(&[0, 2, 3])?, Column::from_slice(&[7, 8, 9])?, None)?;
/// let lists = make_lists_column(&Column::from_slice(&[0, 2, 2])?, inner, None)?;
/// let flat = concatenate_list_elements(&lists, ConcatenateNullPolicy::Ignore)?;
/// assert_eq!(count_elements(&flat)?.to_vec::<i32>()?, [Some(3), Some(0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 4 waits for the device, and the waits of [`gather`](crate::copying::gather) for the
/// elements. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the column is not of lists of lists, and for types of elements
///   that [`gather`](crate::copying::gather) does not take.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("flatten"))]
pub fn concatenate_list_elements<'a>(lists: impl Into<ColumnView<'a>>, nulls: ConcatenateNullPolicy) -> Result<Column> {
    let lists = lists.into();
    Scope::for_inputs("concatenate_list_elements", &[&lists])?
        .run(|ctx| detail::lists::concatenate_list_elements(lists, nulls, ctx))
}

/// Returns the elements of each list for which the element of the list of `mask` is true and not null.
///
/// `mask` is a column of lists of booleans. Each list of `mask` has the length of the list of `lists` in the same row.
/// The result has the type of `lists` (`List` for `FixedSizeList`). Elements may have any type that
/// [`gather`](crate::copying::gather) takes, and keep their order. A row is null where either list is null.
///
/// In libcudf `apply_boolean_mask` and `apply_retention_mask`, in DuckDB `list_where`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::apply_boolean_mask;
///
/// let offsets = Column::from_slice(&[0, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// let mask = make_lists_column(&offsets, Column::from_slice(&[false, true, true])?, None)?;
/// assert_eq!(apply_boolean_mask(&lists, &mask)?.children()[0].to_vec::<i32>()?, [Some(8), Some(9)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 4 waits for the device, and the waits of
/// [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask) for the elements. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): `mask` is
///   not of lists of booleans, or has another number of rows.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): a list is not as long as its list of booleans.
/// * [`Unsupported`](gdf_core::Error::Unsupported) if `lists` is not of lists, and for types of elements that
///   [`gather`](crate::copying::gather) does not take.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("apply_retention_mask", "list_where", "filter"))]
pub fn apply_boolean_mask<'a>(lists: impl Into<ColumnView<'a>>, mask: impl Into<ColumnView<'a>>) -> Result<Column> {
    let (lists, mask) = (lists.into(), mask.into());
    Scope::for_inputs("apply_boolean_mask", &[&lists, &mask])?
        .run(|ctx| detail::lists::apply_mask(lists, mask, detail::lists::Marked::Kept, ctx))
}

/// Does the same as [`apply_boolean_mask`], but returns the elements for which the element of the list of `mask` is
/// false or null.
///
/// In libcudf `apply_deletion_mask`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::apply_deletion_mask;
///
/// let offsets = Column::from_slice(&[0, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// let mask = make_lists_column(&offsets, Column::from_slice(&[false, true, true])?, None)?;
/// assert_eq!(apply_deletion_mask(&lists, &mask)?.children()[0].to_vec::<i32>()?, [Some(7)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the costs of [`apply_boolean_mask`].
///
/// # Errors
/// The errors of [`apply_boolean_mask`].
pub fn apply_deletion_mask<'a>(lists: impl Into<ColumnView<'a>>, mask: impl Into<ColumnView<'a>>) -> Result<Column> {
    let (lists, mask) = (lists.into(), mask.into());
    Scope::for_inputs("apply_deletion_mask", &[&lists, &mask])?
        .run(|ctx| detail::lists::apply_mask(lists, mask, detail::lists::Marked::Removed, ctx))
}

/// Returns for each row the list `start`, `start + step`, and so on, of `size` numbers. If `steps` is `None`, the step
/// is 1.
///
/// `starts` contains integers, `Float32` or `Float64`. `steps` has the same type, and `sizes` has any integer type. The
/// result is `List` of the type of `starts`. Integers wrap. No input may have nulls.
///
/// In libcudf `sequences`, in polars `int_ranges`, in Spark `sequence`, in SQL `generate_series`.
///
/// ```
/// use gdf::Column;
/// use gdf::lists::sequences;
///
/// let (starts, sizes) = (Column::from_slice(&[1, 10])?, Column::from_slice(&[3, 2])?);
/// let steps = Column::from_slice(&[1, -5])?;
/// let lists = sequences(&starts, &sizes, Some(steps.view()))?;
/// assert_eq!(lists.children()[0].to_vec::<i32>()?, [1, 2, 3, 10, 5].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 1 wait for the device, and 1 for each input with a mask whose nulls have not been counted. See
/// the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported), [`TypeMismatch`](gdf_core::Error::TypeMismatch),
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): other types or lengths.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): an input has a null, or a size is negative.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the sizes add up to more than 2³¹ − 1; driver and memory
///   errors.
#[doc(alias("int_ranges", "generate_series"))]
pub fn sequences<'a>(
    starts: impl Into<ColumnView<'a>>,
    sizes: impl Into<ColumnView<'a>>,
    steps: Option<ColumnView<'a>>,
) -> Result<Column> {
    let (starts, sizes) = (starts.into(), sizes.into());
    let scope = match &steps {
        Some(steps) => Scope::for_inputs("sequences", &[&starts, &sizes, steps])?,
        None => Scope::for_inputs("sequences", &[&starts, &sizes])?,
    };
    scope.run(|ctx| detail::lists::sequences(starts, sizes, steps, ctx))
}

/// Returns the lists of a column of list views.
///
/// `ListView` becomes `List`, and `LargeListView` becomes `LargeList`. The elements can be of any type that
/// [`gather`](crate::copying::gather) takes. The elements are copied in the order of the lists. Elements that several
/// lists share are copied for each of these lists.
///
/// The result has as many rows as the column, in the same order. Null lists stay null and have no elements.
///
/// libcudf has no list views. In arrow-rs and pyarrow, the conversion is a cast.
///
/// ```
/// use gdf::core::{ColumnParts, Field};
/// use gdf::lists::{from_list_view, sum};
/// use gdf::{Column, DataType, Device};
///
/// let (begins, sizes) = (Column::from_slice(&[1, 0])?, Column::from_slice(&[2, 2])?);
/// let data_type = DataType::ListView(Field::new_list_field(DataType::Int32, true).into());
/// let views = ColumnParts::new(data_type, Device::Cpu, 2)
///     .buffer(begins.buffers()[0].clone())
///     .buffer(sizes.buffers()[0].clone())
///     .child(Column::from_slice(&[1, 2, 3])?);
/// let lists = from_list_view(&Column::try_from_parts(views)?)?;
/// assert_eq!(sum(&lists)?.to_vec::<i64>()?, [Some(5), Some(3)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 1 wait for the device, for the number of elements, and the waits of
/// [`gather`](crate::copying::gather) for the elements. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns that are not list views.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹−1 elements of lists with 32-bit offsets.
/// * Driver and memory errors.
#[doc(alias("list view", "cast"))]
pub fn from_list_view<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("from_list_view", &[&column])?.run(|ctx| detail::lists::from_list_view(column, ctx))
}
