//! The launch that decompresses pages.

use gdf_core::Result;
use gdf_engine::cuda::{Kernel, Memory};
use gdf_kernels::generated::decode::{self as descriptors, CompressedPages};
use gdf_kernels::{In, Out};
use gdf_memory::{Access, AccessMut};

use super::blocks;
use super::listed::Listed;
use crate::Ctx;

/// Makes the descriptors of all compressed pages.
pub(super) fn describe_compressed<'d>(
    listed: &Listed,
    decompressed: &'d AccessMut<'_>,
) -> Result<Vec<descriptors::CompressedPage<'d>>> {
    let page = |(page, at): &(descriptors::CompressedPage<'static>, usize)| {
        let place = Memory::of(decompressed).array(*at, page.size as usize)?;
        Ok(descriptors::CompressedPage { decompressed: place, ..*page })
    };
    listed.compressed.iter().map(page).collect()
}

/// Decompresses all compressed pages of `access` to `_decompressed`. `pages` are their descriptors, and `statuses` those of
/// the columns, both in memory of the GPU.
pub(super) fn decompress(
    listed: &Listed,
    pages: In<'_, descriptors::CompressedPage<'_>>,
    access: &Access<'_>,
    _decompressed: &AccessMut<'_>,
    statuses: Out<'_, descriptors::Status>,
    ctx: Ctx<'_>,
) -> Result<()> {
    let count = listed.compressed.len();
    if count == 0 {
        return Ok(());
    }
    let arguments = CompressedPages { pages, bytes: In::of(access), statuses };
    let kernel = Kernel::find(ctx.stream)?;
    // SAFETY: there is a block for each compressed page, and each names one of the columns. The plan has checked that
    // the page is within `bytes`, followed by `PADDING` bytes, and that the bytes that are not compressed are within
    // the page and within its decompressed bytes. The kernel checks everything that is stated in a page. Each page has
    // memory of its own for `size` bytes, which begins at a multiple of 16 and ends at one. The accesses to `bytes`,
    // `decompressed` and the descriptors are held.
    unsafe { kernel.launch(ctx.stream, blocks(count)?, 1, &arguments)? };
    Ok(())
}
