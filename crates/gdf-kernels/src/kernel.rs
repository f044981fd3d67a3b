//! A kernel on a device, typed by its arguments.

use std::marker::PhantomData;

use gdf_driver::{Function, LaunchConfig, Result, Stream};

use crate::arguments::{Arguments, Family, OneKernel};
use crate::info::{KernelId, KernelInfo};
use crate::pointer::Scratch;
use crate::policy::Policy;
use crate::registry;

/// The blocks of a launch. Without blocks there is no launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// So many.
    Blocks(u32),
    /// So many for each of so many columns.
    Columns(u32, u32),
    /// As `Columns`, which all run at the same time: `gdf::grid_barrier` needs it. They are in all at most
    /// [`resident`](Kernel::resident).
    Cooperative(u32, u32),
    /// So many, with so many bytes of dynamic shared memory each.
    Shared(u32, u32),
    /// As `Shared`, and all run at the same time.
    SharedCooperative(u32, u32),
}

/// A kernel found on the stream's device, with its tuning: sizes of grids are its to tell.
#[derive(Debug)]
pub struct Kernel<A> {
    function: &'static Function,
    info: &'static KernelInfo,
    multiprocessors: u32,
    arguments: PhantomData<fn(A)>,
}

impl<A: OneKernel> Kernel<A> {
    /// The kernel that takes these arguments, on the device of `stream`; its image is loaded if need be.
    ///
    /// # Errors
    /// * [`KernelsNotBuilt`](gdf_driver::DriverError::KernelsNotBuilt) when the image is neither embedded nor found;
    ///   [`KernelsOutdated`](gdf_driver::DriverError::KernelsOutdated) when it was made from other sources.
    /// * [`DeviceMismatch`](gdf_driver::DriverError::DeviceMismatch) when the stream is the CPU's.
    /// * Errors of the driver while it loads the image.
    pub fn find(stream: &Stream) -> Result<Self> {
        Self::with_id(A::ID, stream)
    }
}

impl<A: Family> Kernel<A> {
    /// One kernel of the family, on the device of `stream`.
    ///
    /// # Errors
    /// * As [`find`](Self::find).
    pub fn choose(kernel: A::Kernel, stream: &Stream) -> Result<Self> {
        Self::with_id(kernel.into(), stream)
    }
}

impl<A: Arguments<Static = A>> Kernel<A> {
    fn with_id(id: KernelId, stream: &Stream) -> Result<Self> {
        let (function, multiprocessors) = registry::function(stream.device(), id)?;
        Ok(Self { function, info: id.info(), multiprocessors, arguments: PhantomData })
    }

    fn policy(&self) -> Policy {
        self.info.policy
    }

    /// Rows of one tile.
    pub fn tile(&self) -> usize {
        self.policy().tile() as usize
    }

    /// Threads of a block.
    pub fn threads(&self) -> usize {
        self.policy().threads as usize
    }

    /// Number of tiles that cover `rows`.
    pub fn tiles(&self, rows: usize) -> usize {
        self.policy().tiles(rows as u64) as usize
    }

    /// Persistent blocks for `rows`: one per tile, at most as many as the device holds at once.
    pub fn blocks(&self, rows: usize) -> u32 {
        self.policy().blocks(rows as u64, self.multiprocessors)
    }

    /// Blocks for `rows` of a kernel that streams them through and keeps nothing from tile to tile: one per tile.
    pub fn streaming_blocks(&self, rows: usize) -> u32 {
        self.policy().streaming_blocks(rows as u64)
    }

    /// Blocks for `rows` of a kernel that also counts nulls, an atomic operation for each block: one per 2,048 rows or tile, whichever
    /// is larger, or as many as the device holds at once.
    pub fn counting_blocks(&self, rows: usize) -> u32 {
        self.streaming_blocks(rows).min((rows.div_ceil(2048)).max(self.resident()).try_into().unwrap_or(u32::MAX))
    }

    /// Blocks for `rows` of a kernel that spreads few rows over as many blocks as the device holds at once
    /// (`gdf::for_each_spread_tile`).
    pub fn spread_blocks(&self, rows: usize) -> u32 {
        self.policy().blocks((rows as u64).saturating_mul(self.policy().items.into()), self.multiprocessors)
    }

    /// Blocks that the device holds at once.
    pub fn resident(&self) -> usize {
        self.spread_blocks(usize::MAX) as usize
    }

    /// The most rows for which each thread of so many blocks has one.
    pub fn rows_at_once(&self) -> usize {
        self.threads() * self.resident()
    }

    /// Rows of each thread in tiles that are as small as cover `rows` in one go, at most the policy's.
    pub fn share(&self, rows: usize) -> usize {
        let once = self.threads() * self.spread_blocks(rows).max(1) as usize;
        rows.div_ceil(once).clamp(1, self.policy().items as usize)
    }

    /// Lets the kernel have up to `bytes` of dynamic shared memory, for [`Grid::Shared`] and [`Grid::SharedCooperative`].
    ///
    /// # Errors
    /// * Errors of the driver: the device has not as much.
    pub fn allow_shared(&self, bytes: u32) -> Result<()> {
        self.function.set_max_dynamic_shared(bytes)
    }

    /// Enqueues the kernel with `blocks` by `columns` blocks.
    ///
    /// # Safety
    /// As of [`launch_grid`](Self::launch_grid).
    ///
    /// # Errors
    /// * Errors of the driver.
    pub unsafe fn launch<B: Arguments<Static = A>>(
        &self,
        stream: &Stream,
        blocks: u32,
        columns: u32,
        arguments: &B,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.launch_grid(stream, Grid::Columns(blocks, columns), arguments) }
    }

    /// Enqueues the kernel with the blocks of `grid`. A kernel that takes scratch memory gets that of `stream`.
    ///
    /// # Safety
    /// What the kernel's documentation asks of its arguments holds, and the accesses that their addresses were made of are for
    /// this stream; that these are held is the borrow checker's to see, but for those of descriptors in device memory
    /// ([`bytes_of`](crate::bytes_of)). Shared memory is as much as the kernel uses.
    ///
    /// # Errors
    /// * Errors of the driver.
    pub unsafe fn launch_grid<B: Arguments<Static = A>>(
        &self,
        stream: &Stream,
        grid: Grid,
        arguments: &B,
    ) -> Result<()> {
        let (blocks, columns, shared_bytes) = match grid {
            Grid::Blocks(blocks) => (blocks, 1, 0),
            Grid::Columns(blocks, columns) | Grid::Cooperative(blocks, columns) => (blocks, columns, 0),
            Grid::Shared(blocks, bytes) | Grid::SharedCooperative(blocks, bytes) => (blocks, 1, bytes),
        };
        let config = LaunchConfig { grid: (blocks, columns, 1), block: (self.policy().threads, 1, 1), shared_bytes };
        // One block waits for no other.
        let together = matches!(grid, Grid::Cooperative(..) | Grid::SharedCooperative(..));
        let waits = together && (blocks > 1 || columns > 1);
        let scratch = if A::TAKES_SCRATCH { Scratch::of(stream)? } else { Scratch::NONE };
        // SAFETY: a pointer to each parameter (`Arguments`); the rest is the caller's promise.
        arguments.with_pointers(scratch, |pointers| unsafe {
            if waits {
                stream.launch_cooperative(self.function, config, pointers)
            } else {
                stream.launch(self.function, config, pointers)
            }
        })
    }
}
