//! A check whether all texts were converted to values.

use gdf_compute::unary::is_null;
use gdf_core::{ColumnView, DataType, Error, Position, Result};
use gdf_engine::check;
use gdf_engine::mask::{index_of_first_set_bit, valid_and_true};
use gdf_engine::strings::is_large;

use crate::Ctx;
use crate::vouch;

/// The largest number of characters of a text that an error shows.
const SHOWN: usize = 100;

/// Returns an error if a row of `values` is null although the same row of `texts` is not null. `values` was converted
/// from `texts`.
///
/// # Errors
/// * [`InvalidText`](Error::InvalidText), with the first row that was not converted, and its text.
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`;
///   [`LengthMismatch`](Error::LengthMismatch).
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
pub fn expect_converted(texts: ColumnView<'_>, values: ColumnView<'_>, ctx: Ctx<'_>) -> Result<()> {
    is_large("expect_converted", texts).map_err(|error| error.in_argument("texts"))?;
    check::column(texts, ctx)?;
    check::column(values, ctx)?;
    if values.len() != texts.len() {
        return Err(Error::length_mismatch(texts.len(), values.len()).in_argument("values"));
    }
    match first_lost(texts, values, ctx.scratch())? {
        Some(row) => Err(lost(texts, row, values.data_type(), ctx)?.in_argument("texts").at(Position::Row(row))),
        None => Ok(()),
    }
}

/// Returns the first row that is null in `values` and not null in `texts`.
pub(super) fn first_lost(texts: ColumnView<'_>, values: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Option<usize>> {
    if !values.has_validity() || values.null_count_on(ctx.stream)? == 0 {
        return Ok(None);
    }
    let nulls = is_null(values, ctx)?;
    let (mask, null_count) = valid_and_true(texts, nulls.view(), ctx)?.into_parts();
    let mut parts = nulls.into_parts();
    (parts.validity, parts.null_count) = (mask, null_count);
    let lost = vouch::result(parts)?;
    let row = index_of_first_set_bit(lost.view(), 0, lost.len(), ctx.stream)?;
    Ok((row < lost.len()).then_some(row))
}

/// Returns the error for a text that is not a value of `data_type`.
pub(super) fn lost(texts: ColumnView<'_>, row: usize, data_type: &DataType, ctx: Ctx<'_>) -> Result<Error> {
    let text = texts.slice(row, 1)?.to_vec_on::<String>(ctx.stream)?.pop().flatten().unwrap_or_default();
    let shown = text.char_indices().nth(SHOWN).and_then(|(end, _)| text.get(..end)).unwrap_or(&text);
    Ok(Error::invalid_text(shown, data_type))
}
