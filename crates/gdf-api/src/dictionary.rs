//! Dictionary columns, whose rows are numbers of values that are stored once.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_detail as detail;

use crate::scope::Scope;

/// Returns a column as a dictionary: its distinct values in ascending order, and for each row the number of its value.
///
/// `key_type` is any integer type. Types of values: integers, booleans, floats, decimals, everything temporal except
/// intervals with days, strings and binary. Views are decoded first. If the column already is a dictionary, its values
/// become sorted and distinct.
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
/// The waits of [`transform::encode`](crate::transform::encode), and for a column with a mask those of
/// [`drop_nulls`](crate::stream_compaction::drop_nulls). See the table of costs, `docs/guide/costs.md`.
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

/// Returns the values of a dictionary column as a plain column.
///
/// The result has the type of the dictionary's values. A row is null if its key is null, or if its key selects a null
/// value.
///
/// In libcudf `dictionary::decode`. The function is the same as a [`cast`](crate::unary::cast) to the type of the
/// values.
///
/// # Costs
/// The waits of [`gather`](crate::copying::gather) without bounds check. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for a column that is not a dictionary.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) for more than 2³¹−1 bytes of text; driver and memory errors.
#[doc(alias("dictionary_decode"))]
pub fn decode<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("dictionary.decode", &[&column])?.run(|ctx| detail::dictionary::decode(column, ctx))
}
