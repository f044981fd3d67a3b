//! The work that can be enqueued on a stream: copies, fills, launches, and closures on the CPU.

use std::ffi::c_void;

use crate::counters::add;
use crate::launch::LaunchConfig;
use crate::module::Function;
use crate::stream::{Kind, Stream};
use crate::{Device, DriverError, Result, Status, cpu, table};

/// The kinds of memory between which a copy runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CopyKind {
    /// From memory of the host to memory of a CUDA device.
    HostToDevice,
    /// From memory of a CUDA device to memory of the host.
    DeviceToHost,
    /// Within a CUDA device, or from a CUDA device to another CUDA device.
    DeviceToDevice,
}

/// The unit of mappings of virtual memory, in bytes.
const MAPPING: u64 = 2 << 20;

fn to_boundary(address: u64) -> usize {
    (MAPPING - address % MAPPING) as usize
}

/// Copies memory on `device` by a call of `one`. If the driver refuses the call and a range crosses the boundary of a
/// mapping, the function copies pieces that cross no boundary.
pub(crate) fn copy_across_mappings(
    device: Device,
    dst: u64,
    src: u64,
    bytes: usize,
    one: impl Fn(u64, u64, usize) -> Result<table::Outcome>,
) -> Result<()> {
    let outcome = one(dst, src, bytes)?;
    let crosses_a_mapping = bytes > to_boundary(dst) || bytes > to_boundary(src);
    if outcome.status != Status::INVALID_VALUE || !crosses_a_mapping {
        return outcome.on(device);
    }
    let mut done = 0;
    while done < bytes {
        let at = done as u64;
        let piece = (bytes - done).min(to_boundary(dst + at)).min(to_boundary(src + at));
        one(dst + at, src + at, piece)?.on(device)?;
        done += piece;
    }
    Ok(())
}

impl Stream {
    /// Enqueues work on a CPU stream.
    ///
    /// An eager stream runs the work before the function returns. A deferred stream runs the work later. The work must
    /// not wait for streams of the executor that runs it.
    ///
    /// # Errors
    /// - [`DriverError::DeviceMismatch`] on CUDA streams
    pub fn enqueue(&self, work: impl FnOnce() + Send + 'static) -> Result<()> {
        match self.kind() {
            Kind::Eager => work(),
            Kind::Deferred(queue) => {
                queue.check()?;
                queue.push_run(Box::new(work))?;
            }
            Kind::Cuda(_) => return Err(self.not_on_cpu()),
        }
        Ok(())
    }

    /// Runs the work that is enqueued on a CPU stream.
    ///
    /// If the stream is eager, the function does nothing, because the work has already run. If the stream is deferred,
    /// the function runs all work that is enqueued so far, and the work of other streams that this work waits for.
    ///
    /// # Errors
    /// - [`DriverError::DeviceMismatch`] on CUDA streams
    /// - [`DriverError::Deadlock`]: a closure on a deferred stream calls this function, and the work can only run after
    ///   the closure
    pub fn settle(&self) -> Result<()> {
        match self.kind() {
            Kind::Eager => Ok(()),
            Kind::Deferred(queue) => {
                queue.check()?;
                queue.settle()
            }
            Kind::Cuda(_) => Err(self.not_on_cpu()),
        }
    }

    /// Copies `bytes` from `src` to `dst` in stream order.
    ///
    /// If the stream is a CPU stream, `src` and `dst` are addresses of this process. `kind` then only decides which
    /// counter increases.
    ///
    /// # Safety
    /// - `src` and `dst` are valid for `bytes`, on the sides that `kind` names, until the copy has run
    /// - until then, no other work writes to `src` or `dst`, and no other work reads `dst`; on CUDA the ranges do not
    ///   overlap
    ///
    /// # Errors
    /// - the driver refuses the copy; the device is poisoned
    pub unsafe fn copy(&self, dst: u64, src: u64, bytes: usize, kind: CopyKind) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        match self.kind() {
            // SAFETY: the caller promises that both ranges are valid for `bytes` bytes now.
            Kind::Eager => unsafe { cpu::copy(dst, src, bytes) },
            Kind::Deferred(queue) => queue.push_run(Box::new(move || {
                // SAFETY: the caller promises that both ranges are valid for `bytes` bytes until the copy has run.
                unsafe { cpu::copy(dst, src, bytes) }
            }))?,
            Kind::Cuda(cuda) => {
                let _entered = cuda.enter()?;
                let raw = cuda.raw.0;
                let one = |dst: u64, src: u64, bytes: usize| match kind {
                    CopyKind::HostToDevice => {
                        let src = src as *const c_void;
                        // SAFETY: the caller promises that both ranges are valid. The stream is alive, and `enter` made
                        // sure that the current context fits the call.
                        unsafe { table::cuMemcpyHtoDAsync_v2(dst, src, bytes, raw) }
                    }
                    CopyKind::DeviceToHost => {
                        let dst = dst as *mut c_void;
                        // SAFETY: the caller promises that both ranges are valid. The stream is alive, and `enter` made
                        // sure that the current context fits the call.
                        unsafe { table::cuMemcpyDtoHAsync_v2(dst, src, bytes, raw) }
                    }
                    // SAFETY: the caller promises that both ranges are valid. The stream is alive, and `enter` made
                    // sure that the current context fits the call. Addresses of all devices are unified, so the driver
                    // knows both devices from the addresses.
                    CopyKind::DeviceToDevice => unsafe { table::cuMemcpyAsync(dst, src, bytes, raw) },
                };
                copy_across_mappings(self.device(), dst, src, bytes, one)?;
            }
        }
        let counters = self.live_counters();
        let counter = match kind {
            CopyKind::HostToDevice => &counters.host_to_device_bytes,
            CopyKind::DeviceToHost => &counters.device_to_host_bytes,
            CopyKind::DeviceToDevice => &counters.device_to_device_bytes,
        };
        add(counter, bytes as u64);
        Ok(())
    }

    /// Sets `bytes` bytes from `dst` on to `value`, in stream order.
    ///
    /// # Safety
    /// - `dst` is valid for writing `bytes` on this stream's device until the fill has run
    /// - until then, no other work reads or writes these bytes
    ///
    /// # Errors
    /// - the driver refuses the fill; the device is poisoned
    pub unsafe fn fill(&self, dst: u64, value: u8, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        match self.kind() {
            // SAFETY: the caller promises that the destination is valid now.
            Kind::Eager => unsafe { cpu::fill(dst, value, bytes) },
            Kind::Deferred(queue) => queue.push_run(Box::new(move || {
                // SAFETY: the caller promises that the destination is valid until the fill has run.
                unsafe { cpu::fill(dst, value, bytes) }
            }))?,
            Kind::Cuda(cuda) => {
                let _entered = cuda.enter()?;
                // SAFETY: the caller promises that the destination is valid. The stream is alive, and `enter` made sure
                // that the current context fits the call.
                unsafe { table::cuMemsetD8Async(dst, value, bytes, cuda.raw.0) }?.on(self.device())?;
            }
        }
        add(&self.live_counters().fills, 1);
        Ok(())
    }

    /// Launches `f`. If the grid is empty, the function launches nothing and returns `Ok`.
    ///
    /// # Safety
    /// - `params` points to one value per parameter of the kernel, each of the parameter's type
    /// - the kernel's accesses are sound: the addresses in `params` are valid until the kernel has run, and no other
    ///   work has conflicting accesses
    ///
    /// # Errors
    /// - [`DriverError::DeviceMismatch`]: the function is loaded on another device
    /// - [`DriverError::InvalidLaunch`]: `cfg` is invalid for every device
    /// - the driver refuses the launch; the device is poisoned
    pub unsafe fn launch(&self, f: &Function, cfg: LaunchConfig, params: &mut [*mut c_void]) -> Result<()> {
        // SAFETY: the caller promises the preconditions of `launch_as`, which are the same.
        unsafe { self.launch_as(f, cfg, params, false) }
    }

    /// Launches `f` as a cooperative kernel: all blocks run at the same time and may wait for each other.
    ///
    /// # Safety
    /// The conditions of [`launch`](Self::launch).
    ///
    /// # Errors
    /// - the errors of [`launch`](Self::launch); the driver refuses a grid of more blocks than the device holds at
    ///   once
    pub unsafe fn launch_cooperative(&self, f: &Function, cfg: LaunchConfig, params: &mut [*mut c_void]) -> Result<()> {
        // SAFETY: the caller promises the preconditions of `launch_as`, which are the same.
        unsafe { self.launch_as(f, cfg, params, true) }
    }

    /// # Safety
    /// The conditions of [`launch`](Self::launch).
    unsafe fn launch_as(
        &self,
        f: &Function,
        cfg: LaunchConfig,
        params: &mut [*mut c_void],
        cooperative: bool,
    ) -> Result<()> {
        let cuda = self.as_cuda(f.device())?;
        cuda.check()?;
        if !cfg.validate()? {
            return Ok(());
        }
        let _entered = cuda.enter()?;
        let LaunchConfig { grid, block, shared_bytes } = cfg;
        tracing::trace!(kernel = f.name(), ?grid, ?block, shared_bytes, stream = self.id(), "launch");
        let (stream, params) = (cuda.raw.0, params.as_mut_ptr());
        let outcome = if cooperative {
            // SAFETY: the caller promises parameters that fit the kernel. The function and the stream are alive and
            // belong to one device. `enter` made sure that the current context fits the call. The driver copies the
            // parameters before the call returns.
            unsafe {
                table::cuLaunchCooperativeKernel(
                    f.raw(),
                    grid.0,
                    grid.1,
                    grid.2,
                    block.0,
                    block.1,
                    block.2,
                    shared_bytes,
                    stream,
                    params,
                )
            }
        } else {
            let extra = std::ptr::null_mut();
            // SAFETY: the caller promises parameters that fit the kernel. The function and the stream are alive and
            // belong to one device. `enter` made sure that the current context fits the call. The driver copies the
            // parameters before the call returns.
            unsafe {
                table::cuLaunchKernel(
                    f.raw(),
                    grid.0,
                    grid.1,
                    grid.2,
                    block.0,
                    block.1,
                    block.2,
                    shared_bytes,
                    stream,
                    params,
                    extra,
                )
            }
        };
        outcome?.on(self.device())?;
        add(&self.live_counters().launches, 1);
        Ok(())
    }

    /// Returns the address of zeroed device memory that belongs to this stream. The memory has
    /// [`SCRATCH_BYTES`](crate::SCRATCH_BYTES) bytes.
    ///
    /// The first call allocates the memory. A kernel that uses the memory must set the first 4096 bytes back to zero
    /// before the kernel ends.
    ///
    /// # Errors
    /// - [`DriverError::DeviceMismatch`] on CPU streams
    /// - there is not enough memory; the device is poisoned
    pub fn scratch(&self) -> Result<u64> {
        match self.kind() {
            Kind::Cuda(cuda) => cuda.scratch(),
            _ => Err(DriverError::DeviceMismatch { expected: Device::Cuda(0), found: self.device() }),
        }
    }

    fn not_on_cpu(&self) -> DriverError {
        DriverError::DeviceMismatch { expected: Device::Cpu, found: self.device() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn what_the_driver_refuses_is_copied_mapping_by_mapping() {
        let asked = RefCell::new(Vec::new());
        let refusing = |dst: u64, src: u64, bytes: usize| {
            let crosses = bytes > to_boundary(dst) || bytes > to_boundary(src);
            asked.borrow_mut().push((dst, src, bytes));
            let status = if crosses { Status::INVALID_VALUE } else { Status::SUCCESS };
            Ok(table::Outcome { call: "copy", status })
        };
        let (dst, src) = (MAPPING - 10, 3 * MAPPING - 4);
        copy_across_mappings(Device::Cuda(0), dst, src, 16, refusing).unwrap();
        let pieces = [(dst, src, 16), (dst, src, 4), (dst + 4, src + 4, 6), (dst + 10, src + 10, 6)];
        assert_eq!(asked.take(), pieces);
        copy_across_mappings(Device::Cuda(0), 0, MAPPING, 16, refusing).unwrap();
        assert_eq!(asked.take(), [(0, MAPPING, 16)]);
        let broken = |_, _, _| Ok(table::Outcome { call: "copy", status: Status::INVALID_VALUE });
        assert!(copy_across_mappings(Device::Cuda(0), 0, MAPPING, 16, broken).is_err(), "refused for another reason");
        assert!(copy_across_mappings(Device::Cuda(0), dst, src, 16, broken).is_err());
    }
}
