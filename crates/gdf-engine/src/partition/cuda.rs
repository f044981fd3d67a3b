//! The memory of rows that are partitioned by a few bits of a hash, as declared in `gdf/radix_partition.cuh`.

use gdf_kernels::generated::common::{MAX_PARTS, PartPlan};
use gdf_kernels::{In, Out};

/// Returns the address of the word in which the kernels store the number of moved rows.
pub fn partitioned_rows<'a>(plan: &PartPlan<'a>) -> In<'a, u64> {
    plan.begins.element(plan.parts as usize).read()
}

/// The scratch memory that partitioning needs in addition to the memory of the moved rows.
#[derive(Clone, Copy, Debug)]
pub struct PartLayout {
    parts: usize,
    blocks: usize,
}

impl PartLayout {
    /// Creates the layout for `parts` partitions, a power of two from 2 to 256. Both the launch that counts rows and
    /// the launch that moves rows must have `blocks` blocks.
    pub fn new(parts: usize, blocks: u32) -> Self {
        debug_assert!(parts.is_power_of_two() && (2..=MAX_PARTS).contains(&parts), "2 to 256 parts");
        Self { parts, blocks: blocks as usize }
    }

    fn counts(self) -> usize {
        (self.parts * self.blocks).next_multiple_of(2) * 8
    }

    pub fn bytes(self) -> usize {
        self.counts() + (self.parts + 1) * 8
    }

    /// Returns the plan for kernels, which contains addresses of `memory`.
    pub fn describe(self, memory: Out<'_, u8>, shift: u32) -> PartPlan<'_> {
        PartPlan {
            counts: memory.at(0),
            begins: memory.at(self.counts()),
            parts: self.parts as i32,
            shift: shift as i32,
        }
    }

    /// Returns the number of bytes of dynamic shared memory of a block of the launch that moves rows. The sum must
    /// match `gdf::part_memory`.
    pub fn shared_bytes(threads: usize, tile: usize) -> u32 {
        let bytes = tile * 8 + MAX_PARTS * 8 + threads / 32 * MAX_PARTS * 2 + MAX_PARTS * 2 + tile;
        bytes.next_multiple_of(8) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_lie_behind_each_other() {
        let layout = PartLayout::new(4, 3);
        let plan = layout.describe(Out::NULL, 7);
        assert_eq!((plan.counts.address(), plan.begins.address(), partitioned_rows(&plan).address()), (0, 96, 128));
        assert_eq!(layout.bytes(), 96 + 40);
        assert_eq!(PartLayout::shared_bytes(512, 4096), 32_768 + 2048 + 8192 + 512 + 4096);
    }
}
