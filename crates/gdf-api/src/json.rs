//! JSON text in columns. `gdf::io::json` reads and writes files of JSON.

use gdf_core::{Column, ColumnView, Result};
use gdf_detail::json as detail;
pub use gdf_detail::json::JsonObjectOptions;

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
/// * The path is empty.
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
/// let get = |path| get_json_object(&texts, path, JsonObjectOptions::default())?.to_strings();
/// assert_eq!(get("$.a[1].x")?, [Some("two".to_owned()), None, None]);
/// assert_eq!(get("$.a[*].x")?, [Some(r#"[1,"two"]"#.to_owned()), Some("[]".to_owned()), None]);
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
pub fn get_json_object<'a>(
    column: impl Into<ColumnView<'a>>,
    path: &str,
    options: JsonObjectOptions,
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("get_json_object", &[&column])?
        .run_decoded(column, |column, ctx| detail::get_json_object(column, path, options, ctx))
}
