//! `null_count` on the CPU.

use gdf_core::{Error, Result, bitmask};
use gdf_driver::Stream;
use gdf_memory::Buffer;

use crate::host::map_chunks;

pub(crate) fn null_count(mask: &Buffer, begin: usize, end: usize, stream: &Stream) -> Result<usize> {
    let access = mask.read_on(stream)?;
    let bytes = access.as_slice::<u8>()?;
    if bytes.len() < end.div_ceil(8) {
        return Err(Error::buffer_too_small("validity", end.div_ceil(8), bytes.len()));
    }
    let counts = map_chunks(end - begin, |rows| bitmask::count_zeros_in_range(bytes, begin + rows.start, rows.len()));
    Ok(counts.into_iter().sum())
}
