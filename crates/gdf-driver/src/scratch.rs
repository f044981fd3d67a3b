//! Zeroed device memory that belongs to a stream handle.

use crate::context::SpareScratch;
use crate::lock::lock;
use crate::stream_handle::CudaStream;
use crate::{Result, poison, table};

/// The number of bytes of the scratch memory of a stream. At first, all bytes are zero. Each kernel must leave the
/// first 4096 bytes zero.
pub const SCRATCH_BYTES: usize = 65_536;

impl CudaStream {
    /// Returns the address of this stream's scratch memory.
    pub(crate) fn scratch(&self) -> Result<u64> {
        self.check()?;
        let mut scratch = lock(&self.scratch);
        if let Some(address) = *scratch {
            return Ok(address);
        }
        let address = match self.take_spare() {
            Some(address) => address,
            None => self.make_scratch()?,
        };
        *scratch = Some(address);
        Ok(address)
    }

    fn take_spare(&self) -> Option<u64> {
        let mut spare = lock(&self.state.spare_scratch);
        let found = take_free(&mut spare, |spare| {
            // SAFETY: the event is alive, because the list owns it.
            unsafe { table::cuEventQuery(spare.event.0) }?.completed_on(self.state.device)
        })?;
        self.state.return_event(found.event);
        Some(found.address)
    }

    fn make_scratch(&self) -> Result<u64> {
        let device = self.state.device;
        let _entered = self.state.enter()?;
        let mut address = 0u64;
        // SAFETY: `address` is writable and the device's context is current.
        unsafe { table::cuMemAlloc_v2(&mut address, SCRATCH_BYTES) }?.on(device)?;
        // SAFETY: the memory was just allocated with this number of bytes. The stream is alive as long as `self`.
        let filled = unsafe { table::cuMemsetD8Async(address, 0, SCRATCH_BYTES, self.raw.0) };
        if let Err(error) = filled.and_then(|outcome| outcome.on(device)) {
            if poison::check(device).is_ok() {
                // SAFETY: this function allocated the memory, and no work that uses the memory was enqueued.
                let _ = unsafe { table::cuMemFree_v2(address) };
            }
            return Err(error);
        }
        Ok(address)
    }
}

/// Removes and returns the first entry for which `is_free` returns true.
fn take_free(spare: &mut Vec<SpareScratch>, is_free: impl Fn(&SpareScratch) -> Result<bool>) -> Option<SpareScratch> {
    for index in 0..spare.len() {
        match is_free(&spare[index]) {
            Ok(true) => return Some(spare.swap_remove(index)),
            Ok(false) => {}
            Err(error) => {
                tracing::debug!(%error, "released scratch memory cannot be queried; new scratch memory is allocated \
                        instead");
                return None;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::Handle;
    use crate::{DriverError, Status};
    use std::cell::RefCell;

    #[test]
    fn what_cannot_be_asked_about_stays_and_blocks_nothing() {
        let list = || (1..=3).map(|address| SpareScratch { address, event: Handle(std::ptr::null_mut()) }).collect();
        let asked = RefCell::new(Vec::new());
        let take = |spare: &mut Vec<SpareScratch>, answer: fn(u64) -> Result<bool>| {
            let is_free = |spare: &SpareScratch| {
                asked.borrow_mut().push(spare.address);
                answer(spare.address)
            };
            let found = take_free(spare, is_free).map(|found| found.address);
            (found, spare.len(), asked.take())
        };
        let mut spare = list();
        let refused = |_| Err(DriverError::Call { call: "cuEventQuery", status: Status(900), device: None });
        assert_eq!(take(&mut spare, refused), (None, 3, vec![1]), "a failed query must end the search");
        assert_eq!(take(&mut spare, |_| Ok(false)), (None, 3, vec![1, 2, 3]));
        assert_eq!(take(&mut spare, |address| Ok(address == 2)), (Some(2), 2, vec![1, 2]));
    }
}
