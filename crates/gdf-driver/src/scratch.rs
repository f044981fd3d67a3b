//! Zeroed device memory that belongs to a stream handle: what kernels use to count, scan and elect a last block without
//! a fill before each launch.
//!
//! Kernels of one stream run one after the other, so they can share it; each leaves it as it found it.

use crate::context::lock;
use crate::raw::Handle;
use crate::stream_handle::CudaStream;
use crate::{Result, poison, table};

/// Bytes of a stream's scratch. All are zero at first; kernels leave the first 4096 zero.
pub const SCRATCH_BYTES: usize = 65_536;

/// Scratch of a foreign stream that was let go; free when `event` has completed.
#[derive(Debug)]
pub(crate) struct SpareScratch {
    pub(crate) address: u64,
    pub(crate) event: Handle,
}

impl CudaStream {
    /// The address of this stream's scratch, made at the first call.
    pub(crate) fn scratch(&self) -> Result<u64> {
        self.check()?;
        let mut scratch = lock(&self.scratch);
        if let Some(address) = *scratch {
            return Ok(address);
        }
        let address = match self.take_spare()? {
            Some(address) => address,
            None => self.make_scratch()?,
        };
        *scratch = Some(address);
        Ok(address)
    }

    fn take_spare(&self) -> Result<Option<u64>> {
        let mut spare = lock(&self.state.spare_scratch);
        for index in 0..spare.len() {
            // SAFETY: the event is alive, since the list owns it.
            let outcome = unsafe { table::cuEventQuery(spare[index].event.0) }?;
            if outcome.completed_on(self.state.device)? {
                let found = spare.swap_remove(index);
                self.state.return_event(found.event);
                return Ok(Some(found.address));
            }
        }
        Ok(None)
    }

    fn make_scratch(&self) -> Result<u64> {
        let device = self.state.device;
        let _entered = self.state.enter()?;
        let mut address = 0u64;
        // SAFETY: `address` is writable and the device's context is current.
        unsafe { table::cuMemAlloc_v2(&mut address, SCRATCH_BYTES) }?.on(device)?;
        // SAFETY: the memory was just allocated with this many bytes; the stream is alive as long as `self`.
        let filled = unsafe { table::cuMemsetD8Async(address, 0, SCRATCH_BYTES, self.raw.0) };
        if let Err(error) = filled.and_then(|outcome| outcome.on(device)) {
            if poison::check(device).is_ok() {
                // SAFETY: the memory is ours and nothing was enqueued that uses it.
                let _ = unsafe { table::cuMemFree_v2(address) };
            }
            return Err(error);
        }
        Ok(address)
    }
}
