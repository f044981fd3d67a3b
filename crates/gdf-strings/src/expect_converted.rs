//! A check whether all texts were converted to values.

use gdf_compute::unary::is_null;
use gdf_core::{ColumnView, Error, Position, Result};
use gdf_engine::check;
use gdf_engine::mask::{index_of_first_set_bit, valid_and_true};
use gdf_engine::strings::is_large;
use gdf_engine::vouch;

use crate::Ctx;

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
    if !values.has_validity() || values.null_count_on(ctx.stream)? == 0 {
        return Ok(());
    }
    let ctx = ctx.scratch();
    let nulls = is_null(values, ctx)?;
    let (mask, null_count) = valid_and_true(texts, nulls.view(), ctx)?.into_parts();
    let mut parts = nulls.into_parts();
    (parts.validity, parts.null_count) = (mask, null_count);
    let lost = vouch::result(parts)?;
    let row = index_of_first_set_bit(lost.view(), 0, lost.len(), ctx.stream)?;
    if row == lost.len() {
        return Ok(());
    }
    let text = texts.slice(row, 1)?.to_vec_on::<String>(ctx.stream)?.pop().flatten().unwrap_or_default();
    let shown = text.char_indices().nth(SHOWN).and_then(|(end, _)| text.get(..end)).unwrap_or(&text);
    Err(Error::invalid_text(shown, values.data_type()).in_argument("texts").at(Position::Row(row)))
}
