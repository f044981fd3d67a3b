//! Dictionary columns, whose rows are numbers of values that are stored once.

use gdf_core::{Column, ColumnView, DataType, Operand, Result, Scalar};
use gdf_detail as detail;

use crate::scope::{Input, Scope};

/// Returns a column as a dictionary: its distinct values in ascending order, and for each row the number of its value.
///
/// `key_type` is any integer type. Types of values: those that can be [sorted](crate::sorting), so also lists, structs
/// and binary of a fixed size. Views are decoded first. The values of a dictionary column become sorted and distinct.
///
/// Null rows stay null, and null is not a value of the dictionary. All NaNs are one value, which comes after all
/// numbers. 0.0 and −0.0 are one value: the zero that comes first in the column. The rows keep their order.
///
/// In libcudf `dictionary::encode`, in pandas `astype("category")`, in polars `cast(Categorical)`, in arrow-rs a cast.
///
/// ```
/// use gdf::dictionary::{decode, encode};
/// use gdf::{Column, DataType};
///
/// let column = Column::from_strs(["pear", "apple", "pear"])?;
/// let encoded = encode(&column, &DataType::Int32)?;
/// assert_eq!(encoded.children()[0].to_strings()?, [Some("apple".to_owned()), Some("pear".to_owned())]);
/// assert_eq!(decode(&encoded)?.to_strings()?[2], Some("pear".to_owned()));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`transform::encode`](crate::transform::encode), and for a column with a mask those of
/// [`drop_nulls`](crate::stream_compaction::drop_nulls). Lists and structs are ranked first, with the waits of
/// [`sorted_order`](crate::sorting::sorted_order). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): `key_type` is not an integer type.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): there are more distinct values than `key_type` has numbers
///   from 0 on, or more than 2³¹−16 distinct values.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types without an order.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("categorical", "factorize", "dictionary_encode"))]
pub fn encode<'a>(column: impl Into<ColumnView<'a>>, key_type: &DataType) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("dictionary.encode", &[&column])?.run(|ctx| detail::dictionary::encode(column, key_type, ctx))
}

/// Returns the number of a value among the values of a dictionary column, in the type of the keys. The result is null
/// if the dictionary does not have the value, or if `value` is null.
///
/// If the dictionary has the value several times, the result is the smallest number. NaN equals NaN, and 0.0 equals
/// −0.0. The values may have the types that keys of joins can have.
///
/// In libcudf `dictionary::get_index`.
///
/// ```
/// use gdf::dictionary::{encode, get_index};
/// use gdf::{Column, DataType};
///
/// let fruits = encode(&Column::from_strs(["pear", "apple"])?, &DataType::Int32)?;
/// assert_eq!(get_index(&fruits, "pear")?.value::<i32>()?, Some(1));
/// assert_eq!(get_index(&fruits, "plum")?.value::<i32>()?, None);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most 3 times. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for a column that is not a dictionary, and for a value of another
///   type than those of the dictionary.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for values that cannot be compared.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) if `value` is a column that does not have exactly one row.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("get_code", "index_of"))]
pub fn get_index<'a, 'v>(column: impl Into<ColumnView<'a>>, value: impl Into<Operand<'v>>) -> Result<Scalar> {
    let (column, value) = (column.into(), value.into());
    Scope::for_inputs("get_index", &[&column, &value])?.run(|ctx| detail::dictionary::get_index(column, value, ctx))
}

/// Returns the values of a dictionary column as a plain column.
///
/// The result has the type of the dictionary's values. A row is null if its key is null, or if its key selects a null
/// value.
///
/// In libcudf `dictionary::decode`. The function is the same as a [`cast`](crate::unary::cast) to the type of the
/// values.
///
/// # Costs
/// The function has the waits of [`gather`](crate::copying::gather) without bounds check. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for a column that is not a dictionary.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) for more than 2³¹−1 bytes of text; driver and memory
///   errors.
#[doc(alias("dictionary_decode"))]
pub fn decode<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("dictionary.decode", &[&column])?.run(|ctx| detail::dictionary::decode(column, ctx))
}

/// Returns the same rows with `keys` as the values of the dictionary. Rows whose value is not in `keys` become null.
///
/// The values of the result are the distinct values of `keys` in ascending order, without null. `keys` has the type of
/// the dictionary's values; views are decoded first. The rows keep their order, and null rows stay null. Types of
/// values and equality: as for [`encode`].
///
/// In libcudf `dictionary::set_keys`, in pandas `cat.set_categories`.
///
/// ```
/// use gdf::dictionary::{add_keys, decode, encode, remove_keys, set_keys};
/// use gdf::{Column, DataType};
///
/// let fruits = encode(&Column::from_strs(["pear", "apple", "pear"])?, &DataType::Int8)?;
/// let fewer = set_keys(&fruits, &Column::from_strs(["plum", "pear"])?)?;
/// assert_eq!(fewer.children()[0].to_strings()?, [Some("pear".to_owned()), Some("plum".to_owned())]);
/// assert_eq!(decode(&fewer)?.to_strings()?, [Some("pear".to_owned()), None, Some("pear".to_owned())]);
/// assert_eq!(add_keys(&fruits, &Column::from_strs(["fig"])?)?.children()[0].len(), 3);
/// assert_eq!(remove_keys(&fruits, &Column::from_strs(["pear"])?)?.children()[0].len(), 1);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device several times, to find and sort distinct values. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the column is not a dictionary, or `keys` has another type than
///   its values.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): there are more values than the keys of the dictionary have
///   numbers from 0 on.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for values without an order, and for lists and structs.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("set_categories"))]
pub fn set_keys<'a>(column: impl Into<ColumnView<'a>>, keys: impl Into<ColumnView<'a>>) -> Result<Column> {
    let (column, keys) = (column.into(), keys.into());
    Scope::for_inputs("set_keys", &[&column, &keys])?.run(|ctx| detail::dictionary::set_keys(column, keys, ctx))
}

/// Returns the same rows, with `keys` added to the values of the dictionary.
///
/// The values of the result are the values of the dictionary, followed by the new values: the distinct values of `keys`
/// that the dictionary does not have, in ascending order, without null. The keys of the rows do not change, and the
/// result shares their memory with the column. Costs, errors and an example: as for [`set_keys`]. In libcudf
/// `dictionary::add_keys`, in pandas `cat.add_categories`.
///
/// # Errors
/// The errors of [`set_keys`].
#[doc(alias("add_categories"))]
pub fn add_keys<'a>(column: impl Into<ColumnView<'a>>, keys: impl Into<ColumnView<'a>>) -> Result<Column> {
    let (column, keys) = (column.into(), keys.into());
    Scope::for_inputs("add_keys", &[&column, &keys])?.run(|ctx| detail::dictionary::add_keys(column, keys, ctx))
}

/// Returns the same rows, with `keys` removed from the values of the dictionary. Rows with these values become null.
///
/// The remaining values are distinct and in ascending order, without null. Costs, errors and an example: as for
/// [`set_keys`]. In libcudf `dictionary::remove_keys`, in pandas `cat.remove_categories`.
///
/// # Errors
/// The errors of [`set_keys`].
#[doc(alias("remove_categories"))]
pub fn remove_keys<'a>(column: impl Into<ColumnView<'a>>, keys: impl Into<ColumnView<'a>>) -> Result<Column> {
    let (column, keys) = (column.into(), keys.into());
    Scope::for_inputs("remove_keys", &[&column, &keys])?.run(|ctx| detail::dictionary::remove_keys(column, keys, ctx))
}

/// Returns the same rows. The values that no row has are removed from the values of the dictionary.
///
/// The remaining values are distinct and in ascending order, without null. Costs and errors: as for [`set_keys`]. In
/// libcudf `dictionary::remove_unused_keys`, in pandas `cat.remove_unused_categories`.
///
/// ```
/// use gdf::dictionary::{encode, remove_unused_keys};
/// use gdf::{Column, DataType};
///
/// let fruits = encode(&Column::from_strs(["pear", "apple", "pear"])?, &DataType::Int8)?;
/// let pears = remove_unused_keys(&fruits.slice(2, 1)?)?;
/// assert_eq!(pears.children()[0].to_strings()?, [Some("pear".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// The errors of [`set_keys`].
#[doc(alias("remove_unused_categories", "compact"))]
pub fn remove_unused_keys<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("remove_unused_keys", &[&column])?.run(|ctx| detail::dictionary::remove_unused_keys(column, ctx))
}

/// Returns dictionaries with the same rows and with the same values. These are the distinct values of all given
/// dictionaries, in ascending order, without null.
///
/// Rows of the results can be compared by their keys. All results share one column of values. The dictionaries have
/// values of one type; their keys may differ in type. Costs and errors: as for [`set_keys`]. In libcudf
/// `dictionary::match_dictionaries`, in pandas `union_categoricals`.
///
/// ```
/// use gdf::dictionary::{encode, match_dictionaries};
/// use gdf::{Column, DataType};
///
/// let some = encode(&Column::from_strs(["pear", "apple"])?, &DataType::Int8)?;
/// let others = encode(&Column::from_strs(["plum"])?, &DataType::Int8)?;
/// let same = match_dictionaries(&[some.view(), others.view()])?;
/// assert_eq!(same[0].children()[0].to_strings()?, ["apple", "pear", "plum"].map(|fruit| Some(fruit.to_owned())));
/// assert_eq!(same[1].children()[0].len(), 3);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// The errors of [`set_keys`].
#[doc(alias("union_categoricals", "unify_dictionaries"))]
pub fn match_dictionaries(columns: &[ColumnView<'_>]) -> Result<Vec<Column>> {
    let inputs: Vec<&dyn Input> = columns.iter().map(|column| column as &dyn Input).collect();
    Scope::for_inputs("match_dictionaries", &inputs)?.run(|ctx| detail::dictionary::match_dictionaries(columns, ctx))
}
