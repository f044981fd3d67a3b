//! Counts the nulls of a validity mask. If the mask is on the CPU, this module counts its zeros. If the mask is on a
//! GPU, a registered function counts its zeros, because this crate contains no kernels.

use std::sync::OnceLock;

use gdf_driver::Stream;

use crate::{ColumnView, Error, Result, bitmask};

/// Counts nulls of device memory; see [`set_null_counter`].
type NullCounter = fn(&ColumnView<'_>, &Stream) -> Result<usize>;

static NULL_COUNTER: OnceLock<NullCounter> = OnceLock::new();

/// Registers the function that counts the nulls of masks in device memory. Later calls have no effect.
#[doc(hidden)]
pub fn set_null_counter(counter: NullCounter) {
    let _ = NULL_COUNTER.set(counter);
}

impl ColumnView<'_> {
    /// Does the work of [`ColumnView::null_count`] on `stream`.
    ///
    /// # Errors
    /// - The errors of [`ColumnView::null_count`].
    pub fn null_count_on(self, stream: &Stream) -> Result<usize> {
        match self.known_null_count() {
            Some(count) => Ok(count),
            None if self.is_whole() => self.column.null_count_on(stream),
            None => count_nulls(&self, stream),
        }
    }
}

/// Counts the zeros of the view's mask.
pub(super) fn count_nulls(view: &ColumnView<'_>, stream: &Stream) -> Result<usize> {
    let Some(validity) = view.validity() else { return Ok(0) };
    if view.device().is_cpu() {
        let access = validity.read_on(stream)?;
        return Ok(bitmask::count_zeros_in_range(access.as_slice::<u8>()?, view.offset(), view.len()));
    }
    match NULL_COUNTER.get() {
        Some(counter) => counter(view, stream),
        None => Err(Error::unsupported(
            "null_count of a slice on a GPU without the CUDA operations of gdf",
            view.data_type(),
        )),
    }
}
