//! Launching a kernel of the images.

use std::ffi::c_void;

use gdf_core::Result;
use gdf_driver::{Function, LaunchConfig, Stream};
use gdf_kernels::Policy;

/// A kernel with its launch policy, found on the stream's device.
#[derive(Debug)]
pub(crate) struct Kernel {
    function: Function,
    policy: Policy,
    multiprocessors: u32,
}

/// The arguments of a launch as the driver takes them: a pointer to each.
macro_rules! args {
    ($($value:expr),* $(,)?) => {
        &mut [$((&raw const $value).cast_mut().cast::<std::ffi::c_void>()),*]
    };
}
pub(crate) use args;

impl Kernel {
    /// Kernel `name` of `capability` with the policy that its header exports as `policy`.
    pub(crate) fn find(stream: &Stream, capability: &'static str, name: &str, policy: &str) -> Result<Self> {
        let device = stream.device();
        Ok(Self {
            function: gdf_kernels::function(device, capability, name)?,
            policy: gdf_kernels::policy(device, capability, policy)?,
            multiprocessors: device.properties()?.multiprocessors,
        })
    }

    /// Rows of one tile.
    pub(crate) fn tile(&self) -> usize {
        self.policy.tile() as usize
    }

    /// Threads of a block.
    pub(crate) fn threads(&self) -> usize {
        self.policy.threads as usize
    }

    /// Number of tiles that cover `rows`.
    pub(crate) fn tiles(&self, rows: usize) -> usize {
        self.policy.tiles(rows as u64) as usize
    }

    /// Persistent blocks for `rows`: one per tile, at most as many as the device holds at once.
    pub(crate) fn blocks(&self, rows: usize) -> u32 {
        self.policy.blocks(rows as u64, self.multiprocessors)
    }

    /// Blocks for `rows` of a kernel that streams them through and keeps nothing from tile to tile: one per tile.
    pub(crate) fn streaming_blocks(&self, rows: usize) -> u32 {
        self.policy.streaming_blocks(rows as u64)
    }

    /// Blocks for `rows` of a kernel that spreads few rows over as many blocks as the device holds at once
    /// (`gdf::for_each_spread_tile`).
    pub(crate) fn spread_blocks(&self, rows: usize) -> u32 {
        self.policy.blocks((rows as u64).saturating_mul(self.policy.items.into()), self.multiprocessors)
    }

    /// Blocks that the device holds at once.
    pub(crate) fn resident(&self) -> usize {
        self.spread_blocks(usize::MAX) as usize
    }

    /// The most rows for which each thread of so many blocks has one.
    pub(crate) fn rows_at_once(&self) -> usize {
        self.threads() * self.resident()
    }

    /// Rows of each thread in tiles that are as small as cover `rows` in one go, at most the policy's.
    pub(crate) fn share(&self, rows: usize) -> usize {
        let once = self.threads() * self.spread_blocks(rows).max(1) as usize;
        rows.div_ceil(once).clamp(1, self.policy.items as usize)
    }

    /// Enqueues the kernel with `blocks` by `columns` blocks. A grid of zero blocks is no launch.
    ///
    /// # Safety
    /// `args` point to values of the kernel's parameter types, in their order; addresses in them are good on `stream`
    /// for what the kernel does with them.
    pub(crate) unsafe fn launch(
        &self,
        stream: &Stream,
        blocks: u32,
        columns: u32,
        args: &mut [*mut c_void],
    ) -> Result<()> {
        let config = LaunchConfig { grid: (blocks, columns, 1), block: (self.policy.threads, 1, 1), shared_bytes: 0 };
        // SAFETY: the caller's promise.
        unsafe { stream.launch(&self.function, config, args) }?;
        Ok(())
    }

    /// As [`launch`](Self::launch), with blocks that all run at the same time: `gdf::grid_barrier` needs it. `blocks` are
    /// at most [`resident`](Self::resident).
    ///
    /// # Safety
    /// As of [`launch`](Self::launch).
    pub(crate) unsafe fn launch_cooperative(
        &self,
        stream: &Stream,
        blocks: u32,
        args: &mut [*mut c_void],
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.launch_cooperative_columns(stream, blocks, 1, args) }
    }

    /// As [`launch_cooperative`](Self::launch_cooperative), with `blocks` by `columns` blocks, in all at most what
    /// [`resident`](Self::resident) says.
    ///
    /// # Safety
    /// As of [`launch`](Self::launch).
    pub(crate) unsafe fn launch_cooperative_columns(
        &self,
        stream: &Stream,
        blocks: u32,
        columns: u32,
        args: &mut [*mut c_void],
    ) -> Result<()> {
        let config = LaunchConfig { grid: (blocks, columns, 1), block: (self.policy.threads, 1, 1), shared_bytes: 0 };
        if blocks <= 1 && columns <= 1 {
            // One block waits for nobody.
            // SAFETY: the caller's promise.
            unsafe { stream.launch(&self.function, config, args) }?;
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { stream.launch_cooperative(&self.function, config, args) }?;
        Ok(())
    }

    /// Lets the kernel have up to `bytes` of dynamic shared memory, for [`launch_shared`](Self::launch_shared).
    pub(crate) fn allow_shared(&self, bytes: u32) -> Result<()> {
        Ok(self.function.set_max_dynamic_shared(bytes)?)
    }

    /// As [`launch`](Self::launch), with `shared_bytes` of dynamic shared memory.
    ///
    /// # Safety
    /// As of [`launch`](Self::launch); `shared_bytes` are as many as the kernel uses.
    pub(crate) unsafe fn launch_shared(
        &self,
        stream: &Stream,
        blocks: u32,
        shared_bytes: u32,
        args: &mut [*mut c_void],
    ) -> Result<()> {
        let config = LaunchConfig { grid: (blocks, 1, 1), block: (self.policy.threads, 1, 1), shared_bytes };
        // SAFETY: the caller's promise.
        unsafe { stream.launch(&self.function, config, args) }?;
        Ok(())
    }
}
