//! Validity masks: one bit per row.

use gdf_driver::Stream;
use gdf_memory::{Buffer, ResourceRef};

use crate::host_vec::zeroed_host_vec;
use crate::{NullCount, Result, bitmask};

/// A validity mask that starts at bit 0, and what is known of its zeros.
#[derive(Clone, Debug)]
pub struct Validity {
    /// One bit per row, set where the row is valid.
    pub mask: Buffer,
    /// The number of its zeros. A claim until it is counted: columns that are made of it are unvalidated, unless it is
    /// [`NullCount::Unknown`].
    pub null_count: NullCount,
}

impl Validity {
    /// A validity mask of as many rows as the iterator says that it has, unless all are valid. Items beyond these are left alone;
    /// rows without an item are null.
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
        // an iterator may give more items than it says, or fewer
        bitmask::pack_bools(valid.take(len), &mut bits);
        let zeros = bitmask::count_zeros_in_range(&bits, 0, len);
        if zeros == 0 {
            return Ok(None);
        }
        let mask = Buffer::from_host(&bits, stream, mr.into())?;
        Ok(Some(Validity { mask, null_count: NullCount::Known(zeros) }))
    }
}
