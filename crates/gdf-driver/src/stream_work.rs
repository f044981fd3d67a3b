//! What can be enqueued on a stream: copies, fills, launches, and closures on the CPU.

use std::ffi::c_void;

use crate::counters::add;
use crate::launch::LaunchConfig;
use crate::module::Function;
use crate::stream::{Kind, Stream};
use crate::{Device, DriverError, Result, Status, cpu, table};

/// Between which sides a copy goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CopyKind {
    /// From memory of the host to memory of a CUDA device.
    HostToDevice,
    /// From memory of a CUDA device to memory of the host.
    DeviceToHost,
    /// Within a CUDA device, or from one to another.
    DeviceToDevice,
}

/// Mappings of virtual memory begin and end at multiples of this.
const MAPPING: u64 = 2 << 20;

pub(crate) fn to_boundary(address: u64) -> usize {
    (MAPPING - address % MAPPING) as usize
}

pub(crate) fn crosses_a_mapping(dst: u64, src: u64, bytes: usize) -> bool {
    bytes > to_boundary(dst) || bytes > to_boundary(src)
}

impl Stream {
    /// Enqueues work on a CPU stream: an eager one runs it before returning, a deferred one later. Work must not wait for
    /// streams of its own executor.
    ///
    /// # Errors
    /// - [`DriverError::DeviceMismatch`] on CUDA streams
    pub fn enqueue(&self, work: impl FnOnce() + Send + 'static) -> Result<()> {
        match self.kind() {
            Kind::Eager => work(),
            Kind::Deferred(queue) => {
                queue.check()?;
                queue.push_run(Box::new(work));
            }
            Kind::Cuda(_) => return Err(self.not_on_cpu()),
        }
        Ok(())
    }

    /// Runs what is enqueued on a CPU stream: nothing to do on an eager one; on a deferred one everything enqueued so
    /// far, and what that waits for.
    ///
    /// # Errors
    /// - [`DriverError::DeviceMismatch`] on CUDA streams
    pub fn settle(&self) -> Result<()> {
        match self.kind() {
            Kind::Eager => Ok(()),
            Kind::Deferred(queue) => {
                queue.check()?;
                queue.settle();
                Ok(())
            }
            Kind::Cuda(_) => Err(self.not_on_cpu()),
        }
    }

    /// Copies `bytes` from `src` to `dst` in stream order. On CPU streams both are addresses of this process and `kind`
    /// is only counted.
    ///
    /// # Safety
    /// - both are valid for `bytes`, on the sides that `kind` says, until the copy has run
    /// - nothing else writes either, nor reads `dst`, meanwhile; on CUDA they do not overlap
    ///
    /// # Errors
    /// - the driver refuses the copy; the device is poisoned
    pub unsafe fn copy(&self, dst: u64, src: u64, bytes: usize, kind: CopyKind) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        match self.kind() {
            // SAFETY: the caller promises that both are valid for `bytes` now.
            Kind::Eager => unsafe { cpu::copy(dst, src, bytes) },
            Kind::Deferred(queue) => queue.push_run(Box::new(move || {
                // SAFETY: the caller promises that both are valid for `bytes` until the copy has run.
                unsafe { cpu::copy(dst, src, bytes) }
            })),
            Kind::Cuda(cuda) => {
                let _entered = cuda.enter()?;
                let raw = cuda.raw.0;
                let one = |dst: u64, src: u64, bytes: usize| match kind {
                    CopyKind::HostToDevice => {
                        let src = src as *const c_void;
                        // SAFETY: the caller promises both sides; the stream is alive and `enter` saw to the context.
                        unsafe { table::cuMemcpyHtoDAsync_v2(dst, src, bytes, raw) }
                    }
                    CopyKind::DeviceToHost => {
                        let dst = dst as *mut c_void;
                        // SAFETY: as above.
                        unsafe { table::cuMemcpyDtoHAsync_v2(dst, src, bytes, raw) }
                    }
                    // SAFETY: as above; addresses are unified, so the driver knows both devices.
                    CopyKind::DeviceToDevice => unsafe { table::cuMemcpyAsync(dst, src, bytes, raw) },
                };
                let outcome = one(dst, src, bytes)?;
                if outcome.status == Status::INVALID_VALUE && crosses_a_mapping(dst, src, bytes) {
                    // The driver refuses what reaches from one mapping of virtual memory into the next (R580, 2026-11).
                    let mut done = 0;
                    while done < bytes {
                        let at = done as u64;
                        let piece = (bytes - done).min(to_boundary(dst + at)).min(to_boundary(src + at));
                        one(dst + at, src + at, piece)?.on(self.device())?;
                        done += piece;
                    }
                } else {
                    outcome.on(self.device())?;
                }
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
    /// - nothing else reads or writes there meanwhile
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
            })),
            Kind::Cuda(cuda) => {
                let _entered = cuda.enter()?;
                // SAFETY: the caller promises the destination; the stream is alive and `enter` saw to the context.
                unsafe { table::cuMemsetD8Async(dst, value, bytes, cuda.raw.0) }?.on(self.device())?;
            }
        }
        add(&self.live_counters().fills, 1);
        Ok(())
    }

    /// Launches `f`. An empty grid launches nothing and is no error.
    ///
    /// # Safety
    /// - `params` points to one value per parameter of the kernel, each of the parameter's type
    /// - what the kernel does with them is sound: addresses are valid until it has run, and no other work conflicts
    ///
    /// # Errors
    /// - [`DriverError::DeviceMismatch`]: the function is of another device
    /// - [`DriverError::InvalidLaunch`]: no device accepts `cfg`
    /// - the driver refuses the launch; the device is poisoned
    pub unsafe fn launch(&self, f: &Function, cfg: LaunchConfig, params: &mut [*mut c_void]) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.launch_as(f, cfg, params, false) }
    }

    /// Launches `f` so that all its blocks run at the same time and may wait for each other.
    ///
    /// # Safety
    /// As [`launch`](Self::launch).
    ///
    /// # Errors
    /// - as [`launch`](Self::launch); the driver refuses a grid of more blocks than the device holds at once
    pub unsafe fn launch_cooperative(&self, f: &Function, cfg: LaunchConfig, params: &mut [*mut c_void]) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.launch_as(f, cfg, params, true) }
    }

    /// # Safety
    /// As [`launch`](Self::launch).
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
        let (stream, params) = (cuda.raw.0, params.as_mut_ptr());
        let outcome = if cooperative {
            // SAFETY: the caller promises parameters that fit the kernel; function and stream are alive and of one
            // device; `enter` saw to the context; the driver copies the parameters before it returns.
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
            // SAFETY: as above.
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

    /// The address of [`SCRATCH_BYTES`](crate::SCRATCH_BYTES) of zeroed device memory that belongs to this stream, made
    /// at the first call. Kernels that use it leave its first 4096 bytes zero again.
    ///
    /// # Errors
    /// - [`DriverError::DeviceMismatch`] on CPU streams
    /// - there is no memory; the device is poisoned
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
