//! The launch configuration of a kernel: blocks, threads per block, and dynamic shared memory.

use crate::{DriverError, Result};

/// The shape of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LaunchConfig {
    /// The number of blocks in x, y and z.
    pub grid: (u32, u32, u32),
    /// The number of threads of a block in x, y and z.
    pub block: (u32, u32, u32),
    /// The number of bytes of dynamic shared memory per block.
    pub shared_bytes: u32,
}

impl LaunchConfig {
    /// Returns a configuration of `blocks` blocks with `threads` threads each, without dynamic shared memory.
    pub fn linear(blocks: u32, threads: u32) -> LaunchConfig {
        LaunchConfig { grid: (blocks, 1, 1), block: (threads, 1, 1), shared_bytes: 0 }
    }

    /// Checks the configuration.
    pub(crate) fn validate(&self) -> Result<bool> {
        let (grid, block) = (self.grid, self.block);
        if block.0 == 0 || block.1 == 0 || block.2 == 0 {
            return Err(DriverError::InvalidLaunch("a dimension of the block is 0; each dimension must be at least 1"));
        }
        if block.2 > 64 {
            return Err(DriverError::InvalidLaunch("the block has more than 64 threads in z; use at most 64"));
        }
        let threads = u64::from(block.0).saturating_mul(u64::from(block.1)).saturating_mul(u64::from(block.2));
        if threads > 1024 {
            return Err(DriverError::InvalidLaunch("the block has more than 1024 threads; use at most 1024"));
        }
        if grid.0 > i32::MAX as u32 {
            return Err(DriverError::InvalidLaunch(
                "the grid has more than 2^31 - 1 blocks in x; use at most 2^31 - 1",
            ));
        }
        if grid.1 > 65_535 || grid.2 > 65_535 {
            return Err(DriverError::InvalidLaunch("the grid has more than 65535 blocks in y or z; use at most 65535"));
        }
        Ok(grid.0 != 0 && grid.1 != 0 && grid.2 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        let config = |grid, block| LaunchConfig { grid, block, shared_bytes: 0 };
        assert_eq!(LaunchConfig::linear(1, 1024).validate(), Ok(true));
        assert_eq!(LaunchConfig::linear(0, 128).validate(), Ok(false));
        assert_eq!(config((1, 0, 1), (32, 1, 1)).validate(), Ok(false));
        assert_eq!(config((i32::MAX as u32, 65_535, 65_535), (32, 1, 1)).validate(), Ok(true));
        let refused = [
            config((1, 1, 1), (0, 1, 1)),
            config((1, 1, 1), (1025, 1, 1)),
            config((1, 1, 1), (32, 33, 1)),
            config((1, 1, 1), (1, 1, 65)),
            config((1, 1, 1), (u32::MAX, u32::MAX, 64)),
            config((u32::MAX, 1, 1), (32, 1, 1)),
            config((1, 65_536, 1), (32, 1, 1)),
            config((1, 1, 65_536), (32, 1, 1)),
        ];
        for refused in refused {
            assert!(matches!(refused.validate(), Err(DriverError::InvalidLaunch(_))), "{refused:?}");
        }
    }
}
