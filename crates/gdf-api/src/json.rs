//! JSON text in columns. `gdf::io::json` reads and writes files of JSON.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_detail::json as detail;
pub use gdf_detail::json::{JsonMismatch, JsonObjectOptions, JsonWriteOptions};

use crate::scope::Scope;

/// Returns the element of each JSON text that `path` selects, as text.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is of the same type.
///
/// # Paths
/// Paths are a subset of JSONPath. A path may begin with `$`. Each step of the path leads from an element to elements
/// within it:
///
/// | step | selects |
/// |---|---|
/// | `.name`, `['name']` | the element of an object with this name, or the first of several elements with this name |
/// | `[2]` | the third element of an array |
/// | `.*`, `[*]` | each element of an object or an array, at most 7 times in a path |
///
/// A name ends at the next `.` or `[`; in brackets it ends at `']`. Names are compared byte by byte, and escape
/// sequences are not replaced. With a step to each element, the result is the text of an array of all selected
/// elements. Otherwise the result is the text of one element, as it stands in the column. The quotes of a result that
/// is a single string are removed, unless the options keep them.
///
/// # Nulls
/// A row of the result is null in each of these cases:
/// * The row is null in the column.
/// * The path selects no element, and has no step to each element.
/// * An element has another kind than a step expects, or an array has no element at a position.
/// * The part of the text that is read to find the result is not JSON.
/// * The whole text is one string.
/// * The path is empty, or `None`, which is a null path.
///
/// The JSON value `null` becomes the text `null`. Texts are not validated. Only brackets, quotes, commas and colons are
/// examined, and the text after the result is not read. Order: the order of the input.
///
/// In libcudf and Spark the function has the same name; in polars `str.json_path_match`, in DuckDB `json_extract`.
///
/// ```
/// use gdf::Column;
/// use gdf::json::{JsonObjectOptions, get_json_object};
///
/// let texts = Column::from_strs([r#"{"a": [{"x": 1}, {"x": "two"}]}"#, r#"{"a": []}"#, "no JSON"])?;
/// let get = |path: &str| get_json_object(&texts, path, JsonObjectOptions::default())?.to_strings();
/// assert_eq!(get("$.a[1].x")?, [Some("two".to_owned()), None, None]);
/// assert_eq!(get("$.a[*].x")?, [Some(r#"[1,"two"]"#.to_owned()), Some("[]".to_owned()), None]);
/// assert_eq!(get_json_object(&texts, None, JsonObjectOptions::default())?.null_count()?, 3);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most twice. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the path does not have the form that is described under
///   Paths.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result of `Utf8` has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("json_path_match", "json_extract", "jsonpath"))]
pub fn get_json_object<'a, 'p>(
    column: impl Into<ColumnView<'a>>,
    path: impl Into<Option<&'p str>>,
    options: JsonObjectOptions,
) -> Result<Column> {
    let (column, path) = (column.into(), path.into());
    Scope::for_inputs("get_json_object", &[&column])?
        .run_decoded(column, |column, ctx| detail::get_json_object(column, path, options, ctx))
}

/// Reads each text as a JSON document, and returns the values as a column of type `data_type`.
///
/// # Types
/// `Utf8` and `LargeUtf8`; texts with other encodings are decoded. Types of results, at any depth:
///
/// | type | reads |
/// |---|---|
/// | `Struct` | objects: each field the value of its name, null where the object has none; other names are ignored |
/// | `List`, `LargeList` | arrays |
/// | `Map` with keys of `Utf8` or `LargeUtf8` | objects: all names and values in their order |
/// | `Boolean` | `true`, `false` |
/// | integers | numbers without a point or an exponent that fit the type |
/// | `Float32`, `Float64` | numbers, and the strings that [`to_floats`](crate::strings::to_floats) reads, as `NaN` |
/// | decimals | numbers; digits beyond the scale are cut off |
/// | `Utf8`, `LargeUtf8` | strings; any other value but `null` as it stands in the text |
/// | dates, timestamps without a time zone or of UTC | strings by ISO 8601 |
///
/// A string of a number, boolean or decimal is read like the number. A moment is a date, or a date and a time with `T`
/// or a space between them. A time has hours, minutes and seconds, with or without a fraction. It may end with `Z` or
/// an offset such as `+02:00`; without them, it is a time of UTC. Of a fraction, digits beyond the unit are cut off.
/// All fields and elements of the result are nullable.
///
/// # Documents
/// A text is exactly one value by RFC 8259, in any white space, with at most 128 objects and arrays within one another.
/// Half of a pair of surrogates is no character. Names are compared after their escape sequences are replaced. If a
/// name occurs several times in an object, the last value counts for a struct, as in arrow-rs; a map keeps all entries.
///
/// # Nulls
/// The result is null in a null row, and for the value `null`. [`JsonMismatch`] says what becomes of a text that is not
/// a document, and of a value of another kind than the type reads: with `Null` it becomes null, at its level, and what
/// is around it stays. Order: the order of the input.
///
/// In Spark and DuckDB the function has the same name; in polars `str.json_decode`. Spark's mode `PERMISSIVE`
/// corresponds to `Null`, and `FAILFAST` to `Error`.
///
/// ```
/// use gdf::core::Field;
/// use gdf::json::{JsonMismatch, from_json};
/// use gdf::structs::field_by_name;
/// use gdf::{Column, DataType};
///
/// let texts = Column::from_strs([r#"{"name": "Ada", "age": 36}"#, r#"{"age": "old"}"#, "no JSON"])?;
/// let person = [Field::new("age", DataType::Int32, true), Field::new("name", DataType::Utf8, true)];
/// let person = DataType::Struct(person.into_iter().collect());
/// let people = from_json(&texts, &person, JsonMismatch::Null)?;
/// assert_eq!(field_by_name(&people, "age")?.to_vec::<i32>()?, [Some(36), None, None]);
/// assert_eq!(people.null_count()?, 1); // the row that is not JSON
///
/// let error = from_json(&texts, &person, JsonMismatch::Error).unwrap_err();
/// assert!(error.to_string().contains("no JSON"));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// Every level of the type reads the texts of its values once, and an object finds all fields at a time. The function
/// waits for the device a few times for each field, list and map of the type, whatever the number of rows, and more
/// often if the mismatch is `Error`. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types of the column, and for other types within
///   `data_type`. [`InvalidArgument`](gdf_core::Error::InvalidArgument): more than 64 levels.
/// * [`InvalidText`](gdf_core::Error::InvalidText) if the mismatch is `Error`: a row with a text or a value that does
///   not fit. Documents are checked first, and then the values level by level.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 elements, or fields of all rows.
/// * Driver and memory errors.
#[doc(alias("json_decode", "parse_json", "json_transform"))]
pub fn from_json<'a>(
    column: impl Into<ColumnView<'a>>,
    data_type: &DataType,
    mismatch: JsonMismatch,
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("from_json", &[&column])?
        .run_decoded(column, |column, ctx| detail::from_json(column, data_type, mismatch, ctx))
}

/// Writes each row as a JSON document of type `Utf8`, without white space.
///
/// # Types
///
/// | type | is written as |
/// |---|---|
/// | `Struct` | an object; null fields are left out, unless the options keep them |
/// | `List`, `LargeList`, `FixedSizeList` | an array |
/// | `Map` with keys of text | an object with all entries, null values as `null` |
/// | `Boolean`, integers, decimals | `true`, `false`, numbers |
/// | `Float32`, `Float64` | the shortest number that reads as the same float; `null` for NaN and infinities |
/// | text | a string. Quotes, backslashes and control characters are escaped |
/// | `Date32` | a string such as `"2024-02-29"` |
/// | `Date64`, timestamps without a time zone or of UTC | a string such as `"2024-02-29T12:00:00.250Z"` |
/// | `Dictionary` | as the values |
///
/// The fraction of a moment has the digits of the unit. `Z` stands for a type with a time zone.
///
/// # Nulls
/// A null row stays null. A null element of a list is `null`. Order: the order of the input.
///
/// [`from_json`] with the type of the column reads the same values again, except for floats that are written as `null`,
/// years before 0 or of more than four digits, and times of day of `Date64`.
/// In Spark and DuckDB the function has the same name; in polars `struct.json_encode`.
///
/// ```
/// use gdf::json::{JsonWriteOptions, to_json};
/// use gdf::structs::from_columns;
/// use gdf::{Column, Table};
///
/// let (numbers, texts) = (Column::from_options(&[Some(1), None])?, Column::from_strs(["a\"b", "é"])?);
/// let rows = from_columns(&Table::try_new(vec![numbers, texts])?, &["n", "t"])?;
/// let json = to_json(&rows, JsonWriteOptions::default())?;
/// assert_eq!(json.to_strings()?, [Some(r#"{"n":1,"t":"a\"b"}"#.to_owned()), Some(r#"{"t":"é"}"#.to_owned())]);
/// let json = to_json(&rows, JsonWriteOptions { write_null_fields: true })?;
/// assert_eq!(json.to_strings()?[1].as_deref(), Some(r#"{"n":null,"t":"é"}"#));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// Each level of the type is written once more into the texts of the level around it. The function waits for the device
/// a few times for each field, list and map of the type, whatever the number of rows. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns with other types at any depth.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 bytes, at any level.
/// * Driver and memory errors.
#[doc(alias("json_encode", "JSON_OBJECT", "to_json_string"))]
pub fn to_json<'a>(column: impl Into<ColumnView<'a>>, options: JsonWriteOptions) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("to_json", &[&column])?.run(|ctx| detail::to_json(column, options, ctx))
}
