//! Functions on `Map` columns. Each row of such a column is a list of entries, and each entry has a key and a value.
//!
//! Functions that take rows of any type take maps as well. The functions of [`lists`](crate::lists) take the lists that
//! [`keys`], [`values`] and [`entries`] return. These lists share the memory of the column, so the three functions copy
//! nothing.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_detail::maps as detail;

use crate::scope::Scope;

/// Returns the value of each map for a key. `key` is one value for all maps, or a column with a value for each map.
///
/// Keys may have all types that [`lists::contains`](crate::lists::contains) takes, and are compared in the same way.
/// If a map has a key several times, the last entry counts. Values may have every type. Order: the order of the rows.
///
/// # Nulls
/// The result is null where the map or the key is null, where the map does not have the key, and where its value is
/// null.
///
/// In libcudf, `index_of` finds the key in the lists of keys. In DuckDB and Spark SQL `map[key]`, in arrow-rs and
/// DataFusion `map_extract`.
///
/// ```
/// use gdf::Column;
/// use gdf::arrow::array::builder::{Int32Builder, MapBuilder, StringBuilder};
/// use gdf::maps::{contains_key, get};
///
/// let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
/// for (key, value) in [("x", 1), ("y", 2)] {
///     maps.keys().append_value(key);
///     maps.values().append_value(value);
/// }
/// maps.append(true)?;
/// maps.append(true)?;
/// let maps = Column::from_array(&maps.finish())?;
/// assert_eq!(get(&maps, "y")?.to_vec::<i32>()?, [Some(2), None]);
/// assert_eq!(contains_key(&maps, "y")?.to_vec::<bool>()?, [Some(true), Some(false)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Costs
/// The function has the waits of [`lists::index_of`](crate::lists::index_of) and of
/// [`lists::extract_list_element`](crate::lists::extract_list_element). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the column is not of maps, or `key` does not have the type of
///   their keys.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): the column of keys has another length.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for keys that cannot be compared.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("element_at", "map_extract", "map_lookup"))]
pub fn get<'a>(maps: impl Into<ColumnView<'a>>, key: impl Into<Operand<'a>>) -> Result<Column> {
    let (maps, key) = (maps.into(), key.into());
    Scope::for_inputs("get", &[&maps, &key])?.run(|ctx| detail::get(maps, key, ctx))
}

/// Returns whether each map has a key. `key` is one value for all maps, or a column with a value for each map.
///
/// Keys, order and nulls: as for [`lists::contains`](crate::lists::contains) of the [`keys`]. The result is null where
/// the map or the key is null. In DuckDB `map_contains`, in Spark `map_contains_key`. Example: see [`get`].
///
/// # Costs
/// The function has the waits of [`lists::contains`](crate::lists::contains). See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`get`].
#[doc(alias("map_contains", "map_contains_key", "has"))]
pub fn contains_key<'a>(maps: impl Into<ColumnView<'a>>, key: impl Into<Operand<'a>>) -> Result<Column> {
    let (maps, key) = (maps.into(), key.into());
    Scope::for_inputs("contains_key", &[&maps, &key])?.run(|ctx| detail::contains_key(maps, key, ctx))
}

/// Returns the keys of each map as a `List`, in the order of the entries. The list of a null map is null.
///
/// The result shares the memory of the column. Keys may have every type. In DuckDB and Spark `map_keys`.
///
/// ```
/// use gdf::Column;
/// use gdf::arrow::array::builder::{Int32Builder, MapBuilder, StringBuilder};
/// use gdf::lists::{count_elements, sum};
/// use gdf::maps::{entries, keys, values};
///
/// let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
/// for (key, value) in [("x", 1), ("y", 2)] {
///     maps.keys().append_value(key);
///     maps.values().append_value(value);
/// }
/// maps.append(true)?;
/// let maps = Column::from_array(&maps.finish())?;
/// assert_eq!(keys(&maps)?.children()[0].to_strings()?, [Some("x".to_owned()), Some("y".to_owned())]);
/// assert_eq!(sum(&values(&maps)?)?.to_vec::<i64>()?, [Some(3)]);
/// assert_eq!(count_elements(&entries(&maps)?)?.to_vec::<i32>()?, [Some(2)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Costs
/// The function neither waits for the device nor launches a kernel. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the column is not of maps.
#[doc(alias("map_keys"))]
pub fn keys<'a>(maps: impl Into<ColumnView<'a>>) -> Result<Column> {
    let maps = maps.into();
    Scope::for_inputs("keys", &[&maps])?.run(|ctx| detail::keys(maps, ctx))
}

/// Returns the values of each map as a `List`, in the order of the entries. The list of a null map is null, and a null
/// value is a null element.
///
/// Memory, costs, errors and an example: as for [`keys`]. In DuckDB and Spark `map_values`.
///
/// # Errors
/// The errors of [`keys`].
#[doc(alias("map_values"))]
pub fn values<'a>(maps: impl Into<ColumnView<'a>>) -> Result<Column> {
    let maps = maps.into();
    Scope::for_inputs("values", &[&maps])?.run(|ctx| detail::values(maps, ctx))
}

/// Returns the entries of each map as a `List` of structs of a key and a value, in their order. The list of a null map
/// is null.
///
/// Memory, costs, errors and an example: as for [`keys`]. In DuckDB and Spark `map_entries`; libcudf's maps are such
/// lists.
///
/// # Errors
/// The errors of [`keys`].
#[doc(alias("map_entries"))]
pub fn entries<'a>(maps: impl Into<ColumnView<'a>>) -> Result<Column> {
    let maps = maps.into();
    Scope::for_inputs("entries", &[&maps])?.run(|ctx| detail::entries(maps, ctx))
}
