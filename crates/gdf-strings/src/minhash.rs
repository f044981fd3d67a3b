//! MinHash of the characters of strings.

use bytemuck::Pod;
use gdf_compute::hashing::{murmurhash3_x64_128, murmurhash3_x86_32};
use gdf_compute::lists::offsets_of_rows;
use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{Column, ColumnParts, ColumnView, Error, ListsView, NullCount, Result, TableView};
use gdf_engine::cuda::In;
use gdf_engine::elementwise::{self, Inputs, Nulls};
use gdf_engine::mask::copy_bitmask;
use gdf_engine::strings::is_large;
use gdf_kernels::generated::strings::{MINHASH_MERSENNE_PRIME, Minhash, MinhashKernel, MinhashParameters};
use gdf_memory::Buffer;

use super::character_ngrams::{ShortRows, check_ngrams, spans};
use crate::Ctx;
use crate::vouch;

/// Returns the MinHash values of each row, as lists of `UInt32`, with one value for each pair `(a, b)`.
///
/// For each run of `width` characters of the row, the hash of the run gives a number `(hash * a + b) % (2⁶¹ − 1)`. Only
/// the lowest 32 bits of this number are used. The MinHash value is the smallest of these 32-bit numbers. A row with
/// fewer than `width` characters is one run. The values of a row without characters are 0.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`InvalidArgument`](Error::InvalidArgument): `width` is less than 2, or there are no pairs.
/// * [`OffsetOverflow`](Error::OffsetOverflow): more than 2³¹ − 1 runs or numbers; driver and memory errors.
pub fn minhash(
    column: ColumnView<'_>,
    width: usize,
    seed: u32,
    permutations: &[(u32, u32)],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let scratch = ctx.scratch();
    let hash = |texts: &Column| murmurhash3_x86_32(TableView::try_new(vec![texts.view()])?, seed, scratch);
    minima(
        MinhashKernel::Int,
        column,
        width,
        permutations,
        |hash, &(a, b)| permuted(hash.into(), a.into(), b.into()) as u32,
        hash,
        ctx,
    )
}

/// Returns the MinHash values of each row in the same way as [`minhash`], with values of 64 bits. Products and sums
/// wrap.
///
/// # Errors
/// * The errors of [`minhash`].
pub fn minhash64(
    column: ColumnView<'_>,
    width: usize,
    seed: u64,
    permutations: &[(u64, u64)],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let scratch = ctx.scratch();
    let hash = |texts: &Column| {
        let hashes = murmurhash3_x64_128(TableView::try_new(vec![texts.view()])?, seed, scratch)?;
        hashes.column(0).cloned()
    };
    minima(MinhashKernel::Long, column, width, permutations, |hash, &(a, b)| permuted(hash, a, b), hash, ctx)
}

fn permuted(hash: u64, a: u64, b: u64) -> u64 {
    hash.wrapping_mul(a).wrapping_add(b) % MINHASH_MERSENNE_PRIME
}

fn minima<T: Pod + Ord + Send + Sync>(
    kernel: MinhashKernel,
    column: ColumnView<'_>,
    width: usize,
    permutations: &[(T, T)],
    permuted: fn(T, &(T, T)) -> T,
    hash: impl FnOnce(&Column) -> Result<Column>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let operation = if kernel == MinhashKernel::Int { "minhash" } else { "minhash64" };
    is_large(operation, column)?;
    check_ngrams("width", width)?;
    let count = permutations.len();
    if count == 0 {
        return Err(Error::invalid_argument("the list of permutations is empty; pass at least 1 permutation")
            .in_argument("permutations"));
    }
    let (scratch, stream) = (ctx.scratch(), ctx.stream);
    let (offsets, valid) = offsets_of_rows(column, count, ctx)?;
    let (mut mask, mut null_count) = (None, NullCount::Known(0));
    let texts = match valid {
        Some(valid) => {
            (mask, null_count) = copy_bitmask(column, ctx)?.into_parts();
            apply_boolean_mask(TableView::try_new(vec![column])?, valid.view(), scratch)?.column(0)?.clone()
        }
        None => column.to_column(),
    };
    let hashed = spans(operation, texts.view(), width, ShortRows::Whole, scratch)?.into_lists_of(hash, scratch)?;
    let lists = ListsView::try_from(hashed.view())?;
    let (all, hashes) = (lists.offsets(), &lists.child().buffers()[0]);
    let element = lists.child().data_type().clone();
    let pairs: Vec<T> = permutations.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let values = elementwise::map(
        Inputs::for_rows([lists.child().into()], texts.len() * count, ctx)?,
        &element,
        Nulls::Never,
        ctx,
        |rows| {
            let (all, hashes) = (all.read_on(stream)?, hashes.read_on(stream)?);
            let (all, hashes) = (all.as_slice::<i32>()?, hashes.as_slice::<T>()?);
            let of = |place: usize| {
                let row = place / count;
                let hashes = &hashes[all[row] as usize..all[row + 1] as usize];
                let permuted = hashes.iter().map(|hash| permuted(*hash, &permutations[place % count]));
                permuted.min().unwrap_or_else(T::zeroed)
            };
            let fill = |first: usize, out: &mut [T]| (first..).zip(out).for_each(|(place, slot)| *slot = of(place));
            rows.filled(|| rows.mask(), fill)
        },
        |launch| {
            let pairs = Buffer::from_host(bytemuck::cast_slice(&pairs), stream, ctx.mr.temporary)?;
            let (all, hashes, pairs) = (all.read_on(stream)?, hashes.read_on(stream)?, pairs.read_on(stream)?);
            let p = MinhashParameters {
                offsets: In::of(&all),
                hashes: In::of(&hashes),
                pairs: In::of(&pairs),
                count: count as i64,
            };
            launch.run(kernel, launch.rows, &Minhash { out: launch.out, p })
        },
    )?;
    let lists = ColumnParts::lists(column.len(), offsets.buffers()[0].clone(), false, values, false);
    vouch::result(lists.validity(mask, null_count))
}
