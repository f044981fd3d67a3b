//! Functions on columns of structs: fields out of structs, and columns into structs, by position and by name.
//!
//! Results share the memory of the inputs where that is possible, and no function waits for the device unless it says
//! so. Other functions take structs as they take other columns: as rows that are copied, and as keys; see
//! [how they compare](crate::sorting#structs-and-lists).

use gdf_core::{Column, ColumnView, Result, TableView};
use gdf_detail::structs as detail;

use crate::scope::Scope;

/// Returns field number `index` of each struct.
///
/// The result has a row for each struct. Fields may have any type. Nulls: the field of a null struct is null, also
/// where the struct hides a value. Order: the order of the rows.
///
/// In libcudf `structs_column_view::get_sliced_child`, in DuckDB `struct_extract_at`.
///
/// ```
/// use gdf::structs::{field, from_columns};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[1, 2])?, Column::from_strs(["x", "y"])?])?;
/// let points = from_columns(&table, &["number", "text"])?;
/// assert_eq!(field(&points, 0)?.to_vec::<i32>()?, [Some(1), Some(2)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The result shares the values of the field, except in two cases if structs are null: nested fields of slices, and
/// fields of lists, list views, unions and run-end encoded values. These are copied, with the waits of
/// [`gather`](crate::copying::gather). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the column is not a column of structs.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds): the structs have no field number `index`.
/// * Driver and memory errors.
#[doc(alias("struct_extract_at", "get_child"))]
pub fn field<'a>(structs: impl Into<ColumnView<'a>>, index: usize) -> Result<Column> {
    let structs = structs.into();
    Scope::for_inputs("field", &[&structs])?.run(|ctx| detail::field(structs, index, ctx))
}

/// Returns the field with the name `name` of each struct, as [`field`] does. Of several fields with that name, the
/// first one counts.
///
/// In polars and DuckDB `struct.field` and `struct_extract`, in pandas `struct.field`, in SQL `s.name`.
///
/// ```
/// use gdf::structs::{field_by_name, from_columns};
/// use gdf::{Column, Table};
///
/// let points = from_columns(&Table::try_new(vec![Column::from_slice(&[1, 2])?])?, &["x"])?;
/// assert_eq!(field_by_name(&points, "x")?.to_vec::<i32>()?, [Some(1), Some(2)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`NameNotFound`](gdf_core::Error::NameNotFound): no field has the name. The error lists the names.
/// * The errors of [`field`].
#[doc(alias("struct_extract", "struct.field", "unnest"))]
pub fn field_by_name<'a>(structs: impl Into<ColumnView<'a>>, name: &str) -> Result<Column> {
    let structs = structs.into();
    Scope::for_inputs("field_by_name", &[&structs])?.run(|ctx| detail::field_by_name(structs, name, ctx))
}

/// Returns a struct for each row of a table, whose fields are the columns with the names `names`.
///
/// Columns may have any type. Nulls: no struct is null, and the fields keep their nulls. Order: the order of the rows.
/// The result shares the memory of the columns. The function does not wait for the device.
///
/// In polars `struct`, in DuckDB `struct_pack`, in Spark `struct`. The example is that of [`field`].
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): there are more or fewer names than columns.
/// * Driver and memory errors.
#[doc(alias("struct_pack", "named_struct", "make_structs_column"))]
pub fn from_columns<'a>(table: impl Into<TableView<'a>>, names: &[&str]) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("from_columns", &[&table])?.run(|ctx| detail::from_columns(&table, names, ctx))
}

/// Returns the structs with the field `field` under the name `name`. The field replaces the first field of that name,
/// or comes after the last field.
///
/// The field may have any type. Nulls: null structs stay null, and hide the values that the field has in their rows.
/// Order: the order of the rows. The result shares the memory of both inputs, except for the mask of a slice. The
/// function does not wait for the device.
///
/// In polars `struct.with_fields`, in DuckDB `struct_insert`, in Spark `withField`.
///
/// ```
/// use gdf::structs::{field_by_name, from_columns, with_field};
/// use gdf::{Column, Table};
///
/// let points = from_columns(&Table::try_new(vec![Column::from_slice(&[1, 2])?])?, &["x"])?;
/// let points = with_field(&points, "y", &Column::from_slice(&[3.0, 4.0])?)?;
/// assert_eq!(field_by_name(&points, "y")?.to_vec::<f64>()?, [Some(3.0), Some(4.0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the column is not a column of structs.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): the field has another number of rows.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("struct_insert", "struct_update", "withField"))]
pub fn with_field<'a, 'b>(
    structs: impl Into<ColumnView<'a>>,
    name: &str,
    field: impl Into<ColumnView<'b>>,
) -> Result<Column> {
    let (structs, field) = (structs.into(), field.into());
    Scope::for_inputs("with_field", &[&structs, &field])?.run(|ctx| detail::with_field(structs, name, field, ctx))
}

/// Returns the structs with the names `names` of their fields, in the order of the fields.
///
/// Rows, nulls and order stay. The result shares the memory of the column. The function does not wait for the device.
///
/// In polars `struct.rename_fields`.
///
/// ```
/// use gdf::structs::{field_by_name, from_columns, rename_fields};
/// use gdf::{Column, Table};
///
/// let points = from_columns(&Table::try_new(vec![Column::from_slice(&[1, 2])?])?, &["x"])?;
/// let renamed = rename_fields(&points, &["longitude"])?;
/// assert_eq!(field_by_name(&renamed, "longitude")?.to_vec::<i32>()?, [Some(1), Some(2)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the column is not a column of structs.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): there are more or fewer names than fields.
/// * Driver and memory errors.
#[doc(alias("struct.rename_fields"))]
pub fn rename_fields<'a>(structs: impl Into<ColumnView<'a>>, names: &[&str]) -> Result<Column> {
    let structs = structs.into();
    Scope::for_inputs("rename_fields", &[&structs])?.run(|ctx| detail::rename_fields(structs, names, ctx))
}

/// Returns the structs without the fields of the names `names`. Of several fields with one name, the first one is
/// dropped.
///
/// Rows, nulls and order stay, also if no field is left. The result shares the memory of the column. The function does
/// not wait for the device.
///
/// In Spark `dropFields`.
///
/// ```
/// use gdf::structs::{drop_fields, from_columns};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[1, 2])?, Column::from_strs(["x", "y"])?])?;
/// let points = from_columns(&table, &["number", "text"])?;
/// assert_eq!(drop_fields(&points, &["number"])?.children().len(), 1);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the column is not a column of structs.
/// * [`NameNotFound`](gdf_core::Error::NameNotFound): no field has the name. The error lists the names.
/// * Driver and memory errors.
#[doc(alias("dropFields"))]
pub fn drop_fields<'a>(structs: impl Into<ColumnView<'a>>, names: &[&str]) -> Result<Column> {
    let structs = structs.into();
    Scope::for_inputs("drop_fields", &[&structs])?.run(|ctx| detail::drop_fields(structs, names, ctx))
}
