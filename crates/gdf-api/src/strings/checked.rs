//! The checked form of conversions of text. The functions are part of [`strings`](crate::strings).

use gdf_core::{ColumnView, Result};

use crate::scope::Scope;

/// Returns an error if a text could not be converted to a value. Use this function after a conversion that returns null
/// for a text that is not a value: [`to_integers`](super::to_integers), [`to_floats`](super::to_floats),
/// [`to_timestamps`](super::to_timestamps), and all similar conversions.
///
/// # Types
/// `texts` is `Utf8` or `LargeUtf8`. `values` may have any type.
///
/// Shapes: `values` has as many rows as `texts`. The function fails for a row that is null in `values` but not in
/// `texts`. In polars conversions with `strict=True`, in pandas with `errors="raise"`; in SQL `CAST`, whose unchecked
/// form is `TRY_CAST`.
///
/// ```
/// use gdf::strings::{expect_converted, to_integers};
/// use gdf::{Column, DataType, Error};
///
/// let texts = Column::from_strs([Some("1"), None, Some("1O")])?;
/// let values = to_integers(&texts, &DataType::Int32)?;
/// let error = expect_converted(&texts, &values).unwrap_err();
/// assert!(matches!(&error, Error::InvalidText { text, .. } if &**text == "1O"));
/// assert_eq!(error.to_string(), "expect_converted: row 2 of the texts: `1O` is not a valid Int32");
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 2 waits for the device, for the number of nulls and for the row of the error, and more
/// waits for the text of the error. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidText`](gdf_core::Error::InvalidText): the first row that could not be converted, with its text.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): the columns have different numbers of rows.
/// * Driver and memory errors.
#[doc(alias("strict", "raise", "CAST", "checked"))]
pub fn expect_converted<'t, 'v>(texts: impl Into<ColumnView<'t>>, values: impl Into<ColumnView<'v>>) -> Result<()> {
    let (texts, values) = (texts.into(), values.into());
    Scope::for_inputs("expect_converted", &[&texts, &values])?
        .run_decoded(texts, |texts, ctx| gdf_detail::strings::expect_converted(texts, values, ctx))
}
