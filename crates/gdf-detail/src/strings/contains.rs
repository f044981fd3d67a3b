//! Whether a text occurs in each row.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_kernels::generated::strings::{Contains, ContainsKernel, ContainsTarget};
use gdf_memory::Buffer;
use memchr::memmem::Finder;

use crate::Ctx;
use crate::cuda::In;
use crate::engine::elementwise::Nulls;
use crate::engine::strings;

/// Whether `target` occurs in each row of text, as `Boolean`; nulls stay null.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for what is no `Utf8` or `LargeUtf8`.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
pub fn contains(column: ColumnView<'_>, target: &str, ctx: Ctx<'_>) -> Result<Column> {
    strings::values(
        "contains",
        column,
        &DataType::Boolean,
        Nulls::Keep,
        ctx,
        |rows, texts| {
            let (finder, len) = (Finder::new(target), rows.len());
            let word = |word: usize| {
                let rows = (word * 64..len.min(word * 64 + 64)).enumerate();
                rows.fold(0, |bits, (bit, row)| bits | u64::from(finder.find(texts.get(row)).is_some()) << bit)
            };
            rows.bits(|| rows.mask(), word)
        },
        |launch, bytes| {
            // Where the whole target is in the first bytes, or there is none, kernels do not look further.
            let beyond = if target.len() > FIRST { target.as_bytes() } else { &[] };
            let buffer = Buffer::from_host(beyond, launch.stream, ctx.mr.temporary)?;
            let access = buffer.read_on(launch.stream)?;
            let (first, mask) = first_bytes(target);
            let p = ContainsTarget { data: In::of(&access), size: target.len() as i64, first, mask };
            let arguments = Contains { input: launch.inputs[0], bytes, out: launch.out, p, scratch: launch.scratch };
            launch.run(ContainsKernel::Literal, launch.rows, &arguments)
        },
    )
}

/// Bytes that kernels compare at once.
const FIRST: usize = 8;

/// The first bytes of a text, the first the lowest, and ones where there are some.
fn first_bytes(text: &str) -> (u64, u64) {
    text.bytes()
        .take(FIRST)
        .enumerate()
        .fold((0, 0), |(first, mask), (at, byte)| (first | u64::from(byte) << (8 * at), mask | 0xff << (8 * at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_are_little_endian() {
        assert_eq!(first_bytes(""), (0, 0));
        assert_eq!(first_bytes("ab"), (0x6261, 0xffff));
        assert_eq!(first_bytes("abcdefghi"), (0x6867_6665_6463_6261, u64::MAX));
    }
}
