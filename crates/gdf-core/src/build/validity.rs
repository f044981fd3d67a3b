//! Validity masks: one bit per row.

use gdf_driver::Stream;
use gdf_memory::{Buffer, ResourceRef};

use crate::host_vec::zeroed_host_vec;
use crate::{NullCount, Result, bitmask};

/// A validity mask that starts at bit 0, and the state of its null count.
#[derive(Clone, Debug)]
pub struct Validity {
    /// One bit per row, set if the row is valid.
    pub mask: Buffer,
    /// The number of zeros of the mask. [`NullCount::Unknown`] gives no number.
    pub null_count: NullCount,
}

impl Validity {
    /// Makes a validity mask of the rows that the iterator returns. Returns `None` if all rows are valid.
    ///
    /// # Errors
    /// - Driver and memory errors.
    pub fn from_bools_on<'r>(
        valid: impl ExactSizeIterator<Item = bool>,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Option<Validity>> {
        let len = valid.len();
        let mut bits = zeroed_host_vec(bitmask::bytes(len))?;
        bitmask::pack_bools(valid.take(len), &mut bits);
        let zeros = bitmask::count_zeros_in_range(&bits, 0, len);
        if zeros == 0 {
            return Ok(None);
        }
        let mask = Buffer::from_host(&bits, stream, mr.into())?;
        Ok(Some(Validity { mask, null_count: NullCount::Known(zeros) }))
    }
}
