//! Masks that stand on their own.

use gdf_core::{Column, ColumnParts, DataType, Error, NullCount, Result};
use gdf_driver::{Device, Stream};
use gdf_memory::Buffer;

use crate::vouch;

/// A validity mask of a number of rows, with its null count, apart from any column.
///
/// Bit `i`, least significant first, is set where row `i` is valid; bits behind the last row are zero. A mask that is not
/// allocated says that all rows are valid.
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

    /// The bits; absent when all rows are valid.
    pub fn buffer(&self) -> Option<&Buffer> {
        self.buffer.as_ref()
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the bits are.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Number of zeros among the rows' bits. **Waits** for device memory, unless it is known already.
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

    /// The null count in the form in which it is known, to hand it on.
    pub fn null_count_state(&self) -> &NullCount {
        &self.null_count
    }

    /// Mask and null count, as [`ColumnParts`] takes them.
    pub fn into_parts(self) -> (Option<Buffer>, NullCount) {
        (self.buffer, self.null_count)
    }

    /// The bits as a boolean column without nulls; shares the memory.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument): the mask is not allocated.
    pub fn to_column(&self) -> Result<Column> {
        let buffer = self.buffer.as_ref().ok_or_else(|| Error::invalid_argument("the mask is not allocated"))?;
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
