//! The tuning of an operation.

use gdf_driver::LaunchConfig;

/// The tuning of an operation's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The number of threads per block, a multiple of 32.
    pub threads: u32,
    /// The number of rows (or words) per thread and tile.
    pub items: u32,
    /// The number of blocks that a multiprocessor should run at a time.
    pub blocks_per_multiprocessor: u32,
}

impl Policy {
    /// The maximum number of blocks per column in a launch. The limit exists because null counts store the number of
    /// blocks in 24 bits.
    pub const MAX_BLOCKS: u32 = 1 << 23;

    /// Returns the policy with the arguments of the macro `GDF_POLICY`.
    pub(crate) const fn new(threads: u32, items: u32, blocks_per_multiprocessor: u32) -> Self {
        assert!(threads.is_multiple_of(32) && 32 <= threads && threads <= 1024 && items > 0);
        assert!(blocks_per_multiprocessor > 0);
        Self { threads, items, blocks_per_multiprocessor }
    }

    /// Returns the number of rows (or words) that a block processes at a time.
    pub fn tile(&self) -> u64 {
        u64::from(self.threads) * u64::from(self.items)
    }

    /// Returns the number of tiles that cover `rows` rows.
    pub fn tiles(&self, rows: u64) -> u64 {
        rows.div_ceil(self.tile())
    }

    /// Returns the number of blocks for `rows` rows on a device. The result is the number of tiles, but at most the
    /// number of blocks that the device runs at a time, and at most [`Self::MAX_BLOCKS`]. The result for no rows is 0.
    pub fn blocks(&self, rows: u64, multiprocessors: u32) -> u32 {
        let resident = u64::from(multiprocessors.max(1)) * u64::from(self.blocks_per_multiprocessor);
        let blocks = self.tiles(rows).min(resident).min(u64::from(Self::MAX_BLOCKS));
        // The number is at most MAX_BLOCKS, so the conversion is exact.
        blocks as u32
    }

    /// Returns the number of blocks for `rows` rows of a kernel that keeps no state from tile to tile. The result is
    /// the number of tiles, but at most [`Self::MAX_BLOCKS`].
    pub fn streaming_blocks(&self, rows: u64) -> u32 {
        // The number is at most MAX_BLOCKS, so the conversion is exact.
        self.tiles(rows).min(u64::from(Self::MAX_BLOCKS)) as u32
    }

    /// Returns the launch configuration for `columns` columns of `rows` rows. The index of the column is `blockIdx.y`.
    /// There is no dynamic shared memory.
    pub fn config(&self, rows: u64, columns: u32, multiprocessors: u32) -> LaunchConfig {
        LaunchConfig {
            grid: (self.blocks(rows, multiprocessors), columns, 1),
            block: (self.threads, 1, 1),
            shared_bytes: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_rows_up_to_residency() {
        let policy = Policy::new(32, 2, 4);
        for rows in [0, 1, 31, 32, 33, 63, 64, 65, 128, 1000, u64::MAX] {
            let blocks = policy.blocks(rows, 2);
            assert_eq!(u64::from(blocks), rows.div_ceil(64).min(8), "{rows}");
        }
        assert_eq!(policy.blocks(u64::MAX, u32::MAX), Policy::MAX_BLOCKS);
        for rows in [0, 1, 63, 64, 65, 1 << 20] {
            assert_eq!(u64::from(policy.streaming_blocks(rows)), rows.div_ceil(64), "{rows}");
        }
        assert_eq!(policy.streaming_blocks(u64::MAX), Policy::MAX_BLOCKS);
    }
}
