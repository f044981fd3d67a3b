//! Validity masks that do not belong to a column.

use gdf_core::{Column, ColumnParts, DataType, Error, NullCount, Result};
use gdf_driver::{Device, Stream};
use gdf_memory::Buffer;

use crate::vouch;

/// A validity mask of a number of rows with its null count.
///
/// Bit `i`, counted from the least significant bit of the first byte, is set if row `i` is valid. The bits after the
/// last row are zero. If the mask has no buffer, all rows are valid.
#[derive(Clone, Debug)]
pub struct Bitmask {
    pub(super) buffer: Option<Buffer>,
    pub(super) device: Device,
    pub(super) len: usize,
    pub(super) null_count: NullCount,
}

impl Bitmask {
    pub(super) fn unallocated(len: usize, device: Device) -> Self {
        Self { buffer: None, device, len, null_count: NullCount::Known(0) }
    }

    /// Returns the buffer of the bits, or `None` if the mask has no buffer.
    pub fn buffer(&self) -> Option<&Buffer> {
        self.buffer.as_ref()
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the mask has no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the device of the mask.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns the number of rows that are null. **Waits** for device memory, unless the number is already known.
    ///
    /// # Errors
    /// * Driver and memory errors.
    pub fn null_count(&self, stream: &Stream) -> Result<usize> {
        match (&self.buffer, self.null_count.known()) {
            (None, _) => Ok(0),
            (_, Some(count)) => Ok(count),
            (Some(buffer), None) => {
                crate::null_count::init();
                self.column(buffer, true)?.null_count_on(stream)
            }
        }
    }

    /// Returns the state of the null count, which may not be known yet. The caller can pass the state to another column
    /// without a wait.
    pub fn null_count_state(&self) -> &NullCount {
        &self.null_count
    }

    /// Returns the mask and the null count in the form that [`ColumnParts`] takes.
    pub fn into_parts(self) -> (Option<Buffer>, NullCount) {
        (self.buffer, self.null_count)
    }

    /// Returns the bits as a boolean column without nulls. The column shares the memory of the mask.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument): the mask has no buffer.
    pub fn to_column(&self) -> Result<Column> {
        let missing = || Error::invalid_argument("the mask has no buffer; create the mask with `MaskState::AllValid`");
        let buffer = self.buffer.as_ref().ok_or_else(missing)?;
        self.column(buffer, false)
    }

    fn column(&self, buffer: &Buffer, nullable: bool) -> Result<Column> {
        let mut parts = ColumnParts::new(DataType::Boolean, self.device, self.len).buffer(buffer.clone());
        if nullable {
            parts = parts.validity(Some(buffer.clone()), self.null_count.clone());
        }
        vouch::result(parts)
    }
}
