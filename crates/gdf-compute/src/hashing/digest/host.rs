//! Digests on the CPU, by the crates of RustCrypto.

use gdf_core::{Column, DataType, Result};
use gdf_engine::host::{HostMask, Offset, TextPart, column, map_chunks, memory_for_offsets, task_rows, write_strings};
use gdf_engine::row_hash::{HashedColumn, HashedRows, OpenColumns};
use sha2::digest::Digest;

use super::DigestFunction;
use crate::Ctx;

pub(super) fn digest(
    columns: &[HashedColumn<'_>],
    rows: usize,
    function: DigestFunction,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let open = OpenColumns::open(columns, ctx.stream)?;
    let hashed = open.rows()?;
    match function {
        DigestFunction::Md5 => texts::<md5::Md5>(&hashed, rows, ctx),
        DigestFunction::Sha1 => texts::<sha1::Sha1>(&hashed, rows, ctx),
        DigestFunction::Sha224 => texts::<sha2::Sha224>(&hashed, rows, ctx),
        DigestFunction::Sha256 => texts::<sha2::Sha256>(&hashed, rows, ctx),
        DigestFunction::Sha384 => texts::<sha2::Sha384>(&hashed, rows, ctx),
        DigestFunction::Sha512 => texts::<sha2::Sha512>(&hashed, rows, ctx),
    }
}

fn texts<D: Digest>(hashed: &HashedRows<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let characters = 2 * <D as Digest>::output_size();
    let offsets = memory_for_offsets::<i32>(rows, ctx)?;
    let lens = map_chunks(rows, |chunk| chunk.len());
    let sizes: Vec<usize> = lens.iter().map(|len| len.saturating_mul(characters)).collect();
    let buffers = write_strings::<i32>(offsets, &sizes, lens, ctx, |chunk, part: TextPart<'_, i32>| {
        let texts = part.bytes.chunks_exact_mut(characters);
        for (index, (text, end)) in texts.zip(part.ends).enumerate() {
            let mut digest = D::new();
            hashed.for_each_element(chunk * task_rows() + index, |bytes| digest.update(bytes));
            for (byte, pair) in digest.finalize().iter().zip(text.chunks_exact_mut(2)) {
                pair.copy_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            }
            *end = Offset::new(part.start + (index + 1) * characters);
        }
    })?;
    column(&DataType::Utf8, rows, buffers, HostMask::none())
}
