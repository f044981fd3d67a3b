//! A bit for each value in the range of the keys of the build side, for lookups of many rows of which few have a match.

use gdf_core::{Result, physical_type};
use gdf_engine::cuda::{CudaColumn, In, Kernel, Memory, Values};
use gdf_engine::keys::KeySide;
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

impl ValueBits {
    /// Sets the bits of the keys. `low` and `high` are order numbers between which all keys lie. Returns `None` for keys
    /// with nulls, for keys that are not integers of 32 or 64 bits, and for a range with too many values.
    pub(super) fn new(build: &KeySide<'_>, (low, high): (u64, u64), ctx: Ctx<'_>) -> Result<Option<Self>> {
        let ([keys], Ok(range)) = (build.keys.columns(), usize::try_from(high - low)) else { return Ok(None) };
        let physical = physical_type(keys.data_type());
        let is_plain = physical.is_integral() && physical.width().is_some_and(|width| width >= 4);
        if keys.has_validity() || !is_plain || range / BITS_PER_KEY >= build.rows() {
            return Ok(None);
        }
        let (count, stream) = (range + 1, ctx.stream);
        let bytes = count.div_ceil(32) * 4;
        let mut memory = Buffer::uninitialized(bytes, stream, ctx.mr.output)?;
        {
            let kernel = Kernel::<SetBits>::find(stream)?;
            let (open, mut access) = (CudaColumn::open(*keys, stream)?, memory.write_on(stream)?);
            access.fill(0..bytes, 0)?;
            let arguments = SetBits { keys: open.desc(), low, bits: Memory::of(&access).array(0, count.div_ceil(32))? };
            // SAFETY: the keys have no nulls, and the order numbers of all keys are from `low` to `high`, so that the
            // memory has a bit for each key. All memory is open on this stream until after the launch.
            unsafe { kernel.launch(stream, kernel.streaming_blocks(build.rows()), 1, &arguments)? };
        }
        Ok(Some(Self { memory, low, count }))
    }

    pub(super) fn memory_size(&self) -> usize {
        self.memory.len()
    }

    pub(super) fn open<'a>(&'a self, ctx: Ctx<'_>) -> Result<OpenBits<'a>> {
        Ok(OpenBits { bits: self, access: self.memory.read_on(ctx.stream)? })
    }
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
