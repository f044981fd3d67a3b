//! A bit for each value in the range of the keys of the build side, for lookups of many rows of which few have a match.

use gdf_core::{ColumnView, Result};
use gdf_engine::cuda::{CudaColumn, In, Kernel, Memory, Values};
use gdf_engine::keys::{KeySide, is_plain_integer};
use gdf_kernels::generated::join::{KeyBits, SetBits};
use gdf_memory::{Access, Buffer};

use crate::Ctx;

/// The largest number of bits for each key. With more bits, most keys would have a sector of the memory of their own.
pub(super) const BITS_PER_KEY: usize = 256;

/// The bits of the only key column of the build side.
#[derive(Debug)]
pub(super) struct ValueBits {
    memory: Buffer,
    /// The order number of the value of the first bit.
    low: u64,
    count: usize,
}

/// Returns the number of bits for keys whose largest order number is `range` above the smallest. Returns `None` for
/// more bits than lookups can number with 32 bits, and for more than [`BITS_PER_KEY`] for each key.
fn count_of(rows: usize, range: u64) -> Option<usize> {
    let range = u32::try_from(range).ok().filter(|range| *range < u32::MAX - 1)? as usize;
    (range / BITS_PER_KEY < rows).then_some(range + 1)
}

impl ValueBits {
    /// Sets the bits of the keys. `low` and `high` are order numbers between which all keys lie. Returns `None` for
    /// keys with nulls, for keys that are not integers of 32 or 64 bits, and for a range with too many values.
    pub(super) fn new(build: &KeySide<'_>, (low, high): (u64, u64), ctx: Ctx<'_>) -> Result<Option<Self>> {
        let [keys] = build.keys.columns() else { return Ok(None) };
        if !is_plain_integer(keys) {
            return Ok(None);
        }
        Self::of_range(*keys, (low, high), usize::MAX, ctx)
    }

    /// Sets the bits of integers without nulls between the order numbers `low` and `high`. Returns `None` for more than
    /// `most` bits, and for a range with too many values.
    pub(super) fn of_range(
        keys: ColumnView<'_>,
        (low, high): (u64, u64),
        most: usize,
        ctx: Ctx<'_>,
    ) -> Result<Option<Self>> {
        let Some(count) = count_of(keys.len(), high - low).filter(|count| *count <= most) else { return Ok(None) };
        Ok(Some(Self { memory: set_bits(keys, low, count, ctx)?, low, count }))
    }

    pub(super) fn memory_size(&self) -> usize {
        self.memory.len()
    }

    pub(super) fn open<'a>(&'a self, ctx: Ctx<'_>) -> Result<OpenBits<'a>> {
        Ok(OpenBits { bits: self, access: self.memory.read_on(ctx.stream)? })
    }
}

/// Returns `count` bits, of which those of the integers in `keys` are set. Bit `i` belongs to the order number
/// `low + i`. Nulls and other integers have no bit.
pub(in crate::join) fn set_bits(keys: ColumnView<'_>, low: u64, count: usize, ctx: Ctx<'_>) -> Result<Buffer> {
    let stream = ctx.stream;
    let words = count.div_ceil(32);
    let mut memory = Buffer::uninitialized(words * 4, stream, ctx.mr.output)?;
    let mut access = memory.write_on(stream)?;
    access.fill(0..words * 4, 0)?;
    if !keys.is_empty() {
        let kernel = Kernel::<SetBits>::find(stream)?;
        let open = CudaColumn::open(keys, stream)?;
        let bits = Memory::of(&access).array(0, words)?;
        let arguments = SetBits { keys: open.desc(), low, count: count as u64, bits };
        // SAFETY: the kernel reads the rows of the keys, and sets bits below `count`, for which the memory has words.
        // All memory is open on this stream until after the launch.
        unsafe { kernel.launch(stream, kernel.streaming_blocks(keys.len()), 1, &arguments)? };
    }
    drop(access);
    Ok(memory)
}

/// The bits, opened for a launch.
#[derive(Debug)]
pub(super) struct OpenBits<'a> {
    bits: &'a ValueBits,
    access: Access<'a>,
}

impl OpenBits<'_> {
    pub(super) fn desc(&self) -> Result<KeyBits<'_>> {
        let words: In<'_, u32> = Values::of(&self.access).array(0, self.bits.count.div_ceil(32))?;
        Ok(KeyBits { words, low: self.bits.low, count: self.bits.count as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::count_of;

    #[test]
    fn bits_have_numbers_of_32_bits() {
        assert_eq!(count_of(1, 255), Some(256));
        assert_eq!(count_of(1, 256), None);
        let many = 1 << 25;
        assert_eq!(count_of(many, u64::from(u32::MAX) - 2), Some(u32::MAX as usize - 1));
        // The position of the last of these bits would stand for a key without a bit.
        assert_eq!(count_of(many, u64::from(u32::MAX) - 1), None);
        assert_eq!(count_of(many, u64::from(u32::MAX)), None);
        assert_eq!(count_of(many, 1 << 32 | 100), None);
    }
}
