//! A kernel on a device. The type of the arguments is a part of the type of the kernel.

use std::marker::PhantomData;

use gdf_driver::{Function, LaunchConfig, Result, Stream};

use crate::arguments::{Arguments, Family, OneKernel};
use crate::info::{KernelId, KernelInfo};
use crate::pointer::Scratch;
use crate::policy::Policy;
use crate::registry;

/// The number of blocks of a launch. A launch with zero blocks does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// The number of blocks.
    Blocks(u32),
    /// The number of blocks for each column, and the number of columns.
    Columns(u32, u32),
    /// The number of blocks for each column, and the number of columns. All blocks run at the same time, because
    /// `gdf::grid_barrier` requires this. Therefore the total number of blocks must be at most
    /// [`resident`](Kernel::resident).
    Cooperative(u32, u32),
    /// The number of blocks, and the number of bytes of dynamic shared memory of each block.
    Shared(u32, u32),
    /// The number of blocks, and the number of bytes of dynamic shared memory of each block. All blocks run at the same
    /// time.
    SharedCooperative(u32, u32),
}

/// A kernel that is loaded on the device of a stream. The kernel contains its tuning, from which code computes the
/// sizes of grids.
#[derive(Debug)]
pub struct Kernel<A> {
    function: &'static Function,
    info: &'static KernelInfo,
    multiprocessors: u32,
    arguments: PhantomData<fn(A)>,
}

impl<A: OneKernel> Kernel<A> {
    /// Finds the kernel that takes these arguments, on the device of `stream`. If the image of the kernel is not loaded
    /// yet, the function loads it.
    ///
    /// # Errors
    /// * [`KernelsNotBuilt`](gdf_driver::DriverError::KernelsNotBuilt) if the image is neither embedded nor found.
    /// * [`KernelsOutdated`](gdf_driver::DriverError::KernelsOutdated) if the image was compiled from other sources.
    /// * [`DeviceMismatch`](gdf_driver::DriverError::DeviceMismatch) if the stream belongs to the CPU.
    /// * Errors of the driver while it loads the image.
    pub fn find(stream: &Stream) -> Result<Self> {
        Self::with_id(A::ID, stream)
    }
}

impl<A: Family> Kernel<A> {
    /// Finds one kernel of a family, on the device of `stream`.
    ///
    /// # Errors
    /// * The errors of [`find`](Self::find).
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

    /// Returns the number of rows of a tile.
    pub fn tile(&self) -> usize {
        self.policy().tile() as usize
    }

    /// Returns the number of threads of a block.
    pub fn threads(&self) -> usize {
        self.policy().threads as usize
    }

    /// Returns the number of tiles that cover `rows` rows.
    pub fn tiles(&self, rows: usize) -> usize {
        self.policy().tiles(rows as u64) as usize
    }

    /// Returns the number of blocks for `rows` rows of a kernel with a grid-stride loop. The result is the number of
    /// tiles, but at most the number of blocks that the device runs at a time.
    pub fn blocks(&self, rows: usize) -> u32 {
        self.policy().blocks(rows as u64, self.multiprocessors)
    }

    /// Returns the number of blocks for `rows` rows of a kernel that keeps no state from tile to tile. The result is
    /// the number of tiles, but at most [`Policy::MAX_BLOCKS`].
    pub fn streaming_blocks(&self, rows: usize) -> u32 {
        self.policy().streaming_blocks(rows as u64)
    }

    /// Returns the number of blocks for `rows` rows of a kernel that also counts nulls, with one atomic operation per
    /// block. The result is the number of tiles, but at most the larger of two numbers: one block per 2,048 rows, and
    /// the number of blocks that the device runs at a time.
    pub fn counting_blocks(&self, rows: usize) -> u32 {
        self.streaming_blocks(rows).min((rows.div_ceil(2048)).max(self.resident()).try_into().unwrap_or(u32::MAX))
    }

    /// Returns the number of blocks for `rows` rows of a kernel that uses `gdf::for_each_spread_tile`. The result is at
    /// most the number of blocks that the device runs at a time.
    pub fn spread_blocks(&self, rows: usize) -> u32 {
        self.policy().blocks((rows as u64).saturating_mul(self.policy().items.into()), self.multiprocessors)
    }

    /// Returns the number of blocks that the device runs at a time.
    pub fn resident(&self) -> usize {
        self.spread_blocks(usize::MAX) as usize
    }

    /// Returns the maximum number of rows for which a grid of [`resident`](Self::resident) blocks has a thread for each
    /// row.
    pub fn rows_at_once(&self) -> usize {
        self.threads() * self.resident()
    }

    /// Returns the smallest number of rows per thread with which one pass of the grid covers `rows` rows. The result is
    /// at most the number of rows per thread of the policy.
    pub fn share(&self, rows: usize) -> usize {
        let once = self.threads() * self.spread_blocks(rows).max(1) as usize;
        rows.div_ceil(once).clamp(1, self.policy().items as usize)
    }

    /// Allows the kernel up to `bytes` bytes of dynamic shared memory, for [`Grid::Shared`] and
    /// [`Grid::SharedCooperative`] launches.
    ///
    /// # Errors
    /// * Errors of the driver, for example if the device has less shared memory.
    pub fn allow_shared(&self, bytes: u32) -> Result<()> {
        self.function.set_max_dynamic_shared(bytes)
    }

    /// Enqueues the kernel with `blocks` blocks for each of `columns` columns.
    ///
    /// # Safety
    /// The requirements are those of [`launch_grid`](Self::launch_grid).
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
        // SAFETY: the caller guarantees the requirements of `launch_grid`.
        unsafe { self.launch_grid(stream, Grid::Columns(blocks, columns), arguments) }
    }

    /// Enqueues the kernel with the blocks of `grid`. If the kernel takes scratch memory, the function passes the
    /// scratch memory of `stream`.
    ///
    /// # Safety
    /// The arguments must meet the requirements in the documentation of the kernel. Each address in the arguments must
    /// come from an access on this stream. The borrow checker ensures that the caller holds these accesses. The borrow
    /// checker does not check the accesses of descriptors in device memory ([`bytes_of`](crate::bytes_of)), so the
    /// caller must hold these. Shared memory must be at least as large as the kernel uses.
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
        // A single block never waits for other blocks.
        let together = matches!(grid, Grid::Cooperative(..) | Grid::SharedCooperative(..));
        let waits = together && (blocks > 1 || columns > 1);
        let scratch = if A::TAKES_SCRATCH { Scratch::of(stream)? } else { Scratch::NONE };
        // SAFETY: `Arguments` requires a pointer to each parameter. The caller guarantees the other conditions.
        arguments.with_pointers(scratch, |pointers| unsafe {
            if waits {
                stream.launch_cooperative(self.function, config, pointers)
            } else {
                stream.launch(self.function, config, pointers)
            }
        })
    }
}
