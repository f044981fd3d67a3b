//! Decompression on the CPU.

use crate::batch::{Codec, Compression, Flaw};
use crate::spare::Spare;

/// The number of bytes of the two sizes before a block of LZ4 that Hadoop writes.
const SIZES: usize = 8;

/// Decompresses a page, whose first `plain` bytes are not compressed. The plan has checked that the page has these bytes
/// before and after, and that a page which is only copied keeps its size.
pub(super) fn decompressed(page: &[u8], plain: usize, compression: Compression) -> Result<Spare, Flaw> {
    let Compression { codec, size } = compression;
    let mut bytes = Spare::new(size);
    let (levels, values) = bytes.as_mut_slice().split_at_mut(plain);
    let (plain, stream) = page.split_at(plain);
    levels.copy_from_slice(plain);
    if !values.is_empty() {
        match codec {
            Codec::Uncompressed => values.copy_from_slice(stream),
            Codec::Snappy => snappy(stream, values)?,
            Codec::Lz4Raw => lz4(stream, values, Flaw::Size)?,
            Codec::Lz4Hadoop => lz4_hadoop(stream, values)?,
        }
    }
    Ok(bytes)
}

fn snappy(stream: &[u8], values: &mut [u8]) -> Result<(), Flaw> {
    if snap::raw::decompress_len(stream).map_err(|_| Flaw::Compression)? != values.len() {
        return Err(Flaw::Size);
    }
    let written = snap::raw::Decoder::new().decompress(stream, values);
    if written.is_ok_and(|written| written == values.len()) { Ok(()) } else { Err(Flaw::Compression) }
}

/// Decompresses a block. If it has another number of bytes, the flaw is `other_size`.
fn lz4(block: &[u8], values: &mut [u8], other_size: Flaw) -> Result<(), Flaw> {
    use lz4_flex::block::DecompressError::OutputTooSmall;

    match lz4_flex::block::decompress_into(block, values) {
        Ok(written) if written == values.len() => Ok(()),
        Ok(_) | Err(OutputTooSmall { .. }) => Err(other_size),
        Err(_) => Err(Flaw::Compression),
    }
}

fn lz4_hadoop(mut stream: &[u8], mut values: &mut [u8]) -> Result<(), Flaw> {
    while !stream.is_empty() {
        let (sizes, rest) = stream.split_first_chunk::<SIZES>().ok_or(Flaw::Compression)?;
        let size = |at: usize| u32::from_be_bytes([sizes[at], sizes[at + 1], sizes[at + 2], sizes[at + 3]]) as usize;
        let (block, after) = rest.split_at_checked(size(4)).ok_or(Flaw::Compression)?;
        let (of_block, left) = values.split_at_mut_checked(size(0)).ok_or(Flaw::Size)?;
        lz4(block, of_block, Flaw::Compression)?;
        (stream, values) = (after, left);
    }
    if values.is_empty() { Ok(()) } else { Err(Flaw::Size) }
}
