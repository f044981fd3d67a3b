//! The decoder of batches, and the memory that it takes.

use gdf_core::{Error, Result};
use gdf_driver::Device;
use gdf_memory::{BUFFER_PADDING, Buffer};

use crate::batch::{Batch, DecodedColumn, Refused};
use crate::plan::Plan;
use crate::{Ctx, cuda, host};

/// The memory of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The number of bytes of the columns, which come from `Resources::output`, without the bytes of texts: their number
    /// is known after pages have been decoded.
    pub results: usize,
    /// The number of bytes of `Resources::temporary` that are released at the end. The CPU takes none of them. The texts of
    /// pages that are [`DeltaByteArray`](crate::Encoding::DeltaByteArray) are not counted: CUDA takes their bytes once more,
    /// and their number is known after the first wait.
    pub scratch: usize,
}

/// Decodes the pages of a batch. `bytes` are the pages, in memory of the stream's device.
///
/// The result has the columns of the batch in their order. A column whose pages are bad is refused, and no other column
/// is. Null rows have the value zero, or no bytes of text, and a column without nulls has no mask. On CUDA, all pages are
/// decoded by one set of launches, and the CPU waits once, or twice if there are texts that are
/// [`DeltaByteArray`](crate::Encoding::DeltaByteArray).
/// [`assemble`](crate::assemble) makes lists and structs of nested columns.
///
/// # Errors
/// * [`DeviceMismatch`](Error::DeviceMismatch) if `bytes` are on another device.
/// * Memory is out, or the driver reports an error. Nothing stays allocated.
pub fn decode(batch: &Batch, bytes: &Buffer, ctx: Ctx<'_>) -> Result<Vec<Result<DecodedColumn, Refused>>> {
    if bytes.device() != ctx.stream.device() {
        return Err(Error::device_mismatch(ctx.stream.device(), bytes.device()));
    }
    let plan = Plan::new(batch, bytes.len());
    match ctx.stream.device() {
        Device::Cpu => host::decode(&plan, bytes, ctx),
        Device::Cuda(_) => cuda::decode(&plan, bytes, ctx),
    }
}

/// Returns the memory that [`decode`] takes for a batch whose pages are in a buffer of `bytes` bytes. The sizes are those
/// that buffers ask resources for, with their padding.
pub fn memory(batch: &Batch, bytes: usize) -> Memory {
    let plan = Plan::new(batch, bytes);
    let results = plan.decoded().fold(0_usize, |sum, (_, column)| {
        let mask = if column.has_levels() { padded(column.mask_bytes()) } else { 0 };
        let nodes = column.levels.iter().flat_map(|levels| &levels.nodes);
        let of_nodes = nodes.flat_map(|node| column.node_bytes(node)).flatten();
        let of_nodes = of_nodes.map(|bytes| padded(bytes.unwrap_or(usize::MAX))).fold(mask, usize::saturating_add);
        sum.saturating_add(padded(column.value_bytes().unwrap_or(usize::MAX))).saturating_add(of_nodes)
    });
    let scratch = cuda::scratch_bytes(&plan).map(padded).into_iter().fold(0_usize, usize::saturating_add);
    Memory { results, scratch }
}

/// Returns the number of bytes that a buffer of `bytes` bytes takes.
fn padded(bytes: usize) -> usize {
    bytes.checked_next_multiple_of(BUFFER_PADDING).unwrap_or(usize::MAX)
}
