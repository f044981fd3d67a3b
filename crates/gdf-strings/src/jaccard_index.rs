//! The Jaccard index of two strings, which measures how similar the sets of their character runs are.

use gdf_compute::hashing::xxhash_64;
use gdf_compute::lists::{Lists, offsets_of, rows_of_runs};
use gdf_compute::sorting::sort;
use gdf_core::{Column, ColumnView, DataType, ListsView, Operand, Result, TableView};
use gdf_engine::cuda::In;
use gdf_engine::elementwise::{self, Inputs, Nulls};
use gdf_engine::sort::{NullOrder, Order};
use gdf_engine::strings::is_large;
use gdf_kernels::generated::strings::{JaccardIndex, JaccardIndexKernel, JaccardIndexParameters, JaccardIndexSet};
use gdf_memory::Buffer;

use super::arguments::Argument;
use super::character_ngrams::{ShortRows, check_ngrams, spans};
use crate::Ctx;

/// Returns the Jaccard index of each string and the string of `other` in the same row, as `Float32`.
///
/// The index is the number of runs of `width` characters that occur in both strings, divided by the number of runs that
/// occur in either string. A string with fewer characters is one run. The result is null if either string is null.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `width` is less than 2.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): `other` is not a string;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch).
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 runs; driver and memory errors.
pub fn jaccard_index(column: ColumnView<'_>, other: Operand<'_>, width: usize, ctx: Ctx<'_>) -> Result<Column> {
    is_large("jaccard_index", column)?;
    check_ngrams("width", width)?;
    let other = Argument::text("other", other, ctx)?;
    let inputs = Inputs::new([column.into(), other.input()], ctx)?;
    let [one, other] = [sets(column, width, ctx.scratch())?, sets(other.input().view(), width, ctx.scratch())?];
    let stream = ctx.stream;
    let open = || -> Result<_> {
        let one = [one[0].read_on(stream)?, one[1].read_on(stream)?];
        Ok((one, [other[0].read_on(stream)?, other[1].read_on(stream)?]))
    };
    elementwise::map(
        inputs,
        &DataType::Float32,
        Nulls::Keep,
        ctx,
        |rows| {
            let broadcast = rows.columns().map(|column| column.broadcast());
            let ([one_offsets, one], [other_offsets, other]) = open()?;
            let sets = [
                (one_offsets.as_slice::<i32>()?, one.as_slice::<u64>()?),
                (other_offsets.as_slice::<i32>()?, other.as_slice::<u64>()?),
            ];
            let set = |which: usize, row: usize| {
                let (offsets, hashes) = sets[which];
                let row = if broadcast[which] { 0 } else { row };
                hashes.get(offsets[row] as usize..offsets[row + 1] as usize).unwrap_or_default()
            };
            rows.filled(
                || rows.mask(),
                |first, out: &mut [f32]| {
                    (first..).zip(out).for_each(|(row, slot)| *slot = index(set(0, row), set(1, row)));
                },
            )
        },
        |launch| {
            let ([one_offsets, one], [other_offsets, other]) = open()?;
            let [rows, others] = launch.inputs;
            let p = JaccardIndexParameters {
                one: JaccardIndexSet { rows, offsets: In::of(&one_offsets), hashes: In::of(&one) },
                other: JaccardIndexSet { rows: others, offsets: In::of(&other_offsets), hashes: In::of(&other) },
            };
            let arguments = JaccardIndex { out: launch.out, p };
            launch.run(JaccardIndexKernel::Index, launch.rows, &arguments)
        },
    )
}

/// Returns two buffers: the offset of each row among the hashes, and the hashes of the runs of `width` characters. The
/// hashes of a row ascend.
fn sets(texts: ColumnView<'_>, width: usize, ctx: Ctx<'_>) -> Result<[Buffer; 2]> {
    let hash = |texts: &Column| xxhash_64(TableView::try_new(vec![texts.view()])?, 0, ctx);
    let hashed = spans("jaccard_index", texts, width, ShortRows::Whole, ctx)?.into_lists_of(hash, ctx)?;
    let lists = Lists::open(ListsView::try_from(hashed.view())?, &[], ctx)?;
    let ends = offsets_of(&lists.sizes, ctx)?.slice(1, texts.len())?;
    let rows = rows_of_runs(ends.view(), lists.elements.len(), ctx)?;
    let table = TableView::try_new(vec![rows.view(), lists.elements.view()])?;
    let sorted = sort(table, &[Order::Ascending; 2], &[NullOrder::After; 2], ctx)?;
    Ok([hashed.buffers()[0].clone(), sorted.column(1)?.buffers()[0].clone()])
}

/// Returns the number of hashes that are in both sets, divided by the number of hashes that are in either set.
fn index(mut one: &[u64], mut other: &[u64]) -> f32 {
    let skip = |set: &mut &[u64], hash| *set = set.get(set.partition_point(|next| *next <= hash)..).unwrap_or_default();
    let (mut common, mut all) = (0_u32, 0_u32);
    while let Some(hash) = one.first().into_iter().chain(other.first()).min().copied() {
        common += u32::from(one.first() == other.first());
        all += 1;
        skip(&mut one, hash);
        skip(&mut other, hash);
    }
    if all == 0 { 0.0 } else { common as f32 / all as f32 }
}
