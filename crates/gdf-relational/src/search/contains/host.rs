//! `contains` on the CPU.

use gdf_core::{Column, ColumnView, DataType, Result, TableView, dispatch_integer, physical_type};
use gdf_engine::hash_table::members;
use gdf_engine::host::{Bits, HostColumn, HostMask, column, ends_of, map_chunks, mask_from_chunks, vectorized};
use gdf_engine::keys::{KeySide, NullEquality};
use gdf_memory::{Buffer, HostVec};
use num_traits::AsPrimitive;

use super::OPERATION;
use crate::Ctx;

/// The largest range of numbers for which a bit mask is cheaper than a hash table, divided by the number of rows of the
/// haystack.
const NUMBERS_PER_ROW: usize = 64;

pub(super) fn contains(haystack: ColumnView<'_>, needles: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let open = |view| HostColumn::open(view, ctx.stream);
    let bits = dispatch_integer!(
        physical_type(needles.data_type()),
        T => among_integers::<T>(&open(haystack)?, &open(needles)?, ctx)?,
        else => None
    );
    let bits = match bits {
        Some(bits) => bits,
        None => {
            let side = |view| KeySide::try_new(OPERATION, TableView::try_new(vec![view])?, NullEquality::Unequal);
            members(&side(haystack)?, &side(needles)?, ctx)?
        }
    };
    column(&DataType::Boolean, needles.len(), [bits.slice(0, needles.len().div_ceil(8))?], HostMask::none())
}

/// Returns a bit for each needle.
fn among_integers<T>(haystack: &HostColumn<'_>, needles: &HostColumn<'_>, ctx: Ctx<'_>) -> Result<Option<Buffer>>
where
    T: AsPrimitive<u64> + Ord + bytemuck::Pod + Send + Sync,
{
    let (values, valid) = (haystack.values::<T>()?, haystack.validity()?);
    let ends = map_chunks(values.len(), |range| ends_of(&values[range]));
    let Some((min, max)) = ends.into_iter().flatten().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else {
        return Ok(None);
    };
    let base = min.as_();
    let span = max.as_().wrapping_sub(base);
    let limit = values.len().saturating_mul(NUMBERS_PER_ROW).max(1 << 16) as u64;
    if span >= limit {
        return Ok(None);
    }
    // The bit after the last number represents all numbers outside of the range.
    let mut set = HostVec::<u64>::zeroed(span as usize / 64 + 2, ctx.stream, ctx.mr.temporary)?;
    mark(values, valid, base, &mut set);
    let searched = needles.values::<T>()?;
    let (bits, _) = mask_from_chunks(searched.len(), ctx.stream, ctx.mr.output, &|first, words| {
        look_up(&searched[first * 64..], base, span, &set, words);
    })?;
    Ok(Some(bits))
}

fn mark<T: AsPrimitive<u64>>(values: &[T], valid: Option<Bits<'_>>, base: u64, set: &mut [u64]) {
    for (row, value) in values.iter().enumerate() {
        if valid.is_none_or(|valid| valid.get(row)) {
            let at = value.as_().wrapping_sub(base);
            set[(at / 64) as usize] |= 1 << (at % 64);
        }
    }
}

vectorized! {
    /// Writes a word of the result for each 64 values.
    fn look_up[T: AsPrimitive<u64>](values: &[T], base: u64, span: u64, set: &[u64], words: &mut [u64]) {
        for (word, values) in words.iter_mut().zip(values.chunks(64)) {
            *word = values.iter().enumerate().fold(0, |bits, (row, value)| {
                let at = value.as_().wrapping_sub(base).min(span + 1);
                bits | (set[(at / 64) as usize] >> (at % 64) & 1) << row
            });
        }
    }
}
