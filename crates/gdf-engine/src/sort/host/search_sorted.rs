//! Binary search of rows among sorted rows on the CPU. If the keys are numbers, the steps of several searches are
//! interleaved.

use gdf_core::{Column, Result};
use gdf_driver::Stream;
use gdf_memory::HostVec;

use super::key_rows::{HostKey, compare_between};
use super::sorted_order::write_order;
use crate::Ctx;
use crate::host::{HostColumn, for_each_chunk, vectorized};
use crate::sort::{Bound, KeyColumn, SortedRows};

/// Up to this number of sorted rows per search, the sorted rows are first converted to words. Converting this many rows
/// takes about as long as one search that compares rows instead of words.
const ROWS_PER_SEARCH: usize = 64;

/// The number of binary searches whose steps are interleaved, so that their memory accesses overlap.
const SEARCHES: usize = 32;

/// Returns a column with an element for each of the `count` rows of `needles`: the number of rows of `haystack` that
/// come before the row. If `bound` is `Bound::Upper`, equal rows are counted as well.
pub fn search_sorted(
    haystack: SortedRows<'_>,
    needles: &[KeyColumn<'_>],
    count: usize,
    bound: Bound,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (sorted, searched) = (open(haystack.keys, ctx.stream)?, open(needles, ctx.stream)?);
    let sorted = sorted.iter().zip(haystack.keys).map(|(column, key)| HostKey::open(column, key));
    let sorted = sorted.collect::<Result<Vec<_>>>()?;
    let searched = searched.iter().zip(needles).map(|(column, key)| HostKey::open(column, key));
    let searched = searched.collect::<Result<Vec<_>>>()?;
    if let ([sorted], [searched]) = (&sorted[..], &searched[..])
        && sorted.has_words()
        && searched.has_words()
        && haystack.rows > 0
        && count.saturating_mul(ROWS_PER_SEARCH) >= haystack.rows
    {
        return among_words(sorted, haystack.rows, searched, count, bound, ctx);
    }
    write_order(haystack.rows, count, ctx, |needle| {
        let (mut low, mut high) = (0, haystack.rows);
        while low < high {
            let middle = low + (high - low) / 2;
            let order = compare_between(&sorted, middle, &searched, needle);
            if order.is_lt() || (bound == Bound::Upper && order.is_eq()) { low = middle + 1 } else { high = middle }
        }
        low as u64
    })
}

/// Searches in the same way as [`search_sorted`], for keys that can be converted to words.
fn among_words(
    sorted: &HostKey<'_>,
    rows: usize,
    searched: &HostKey<'_>,
    count: usize,
    bound: Bound,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let mut words = HostVec::<u64>::uninitialized(rows, ctx.stream, ctx.mr.temporary)?;
    for_each_chunk(&mut words, |first, words| sorted.words_into(first, words));
    let mut places = HostVec::<u64>::uninitialized(count, ctx.stream, ctx.mr.temporary)?;
    for_each_chunk(&mut places, |first, places| {
        searched.words_into(first, places);
        places.chunks_mut(SEARCHES).for_each(|places| search_words(&words, bound, places));
    });
    write_order(rows, count, ctx, |needle| places[needle])
}

vectorized! {
    /// Replaces each of up to [`SEARCHES`] words by its position among the sorted words. There is at least one sorted
    /// word. The position is the number of sorted words that are less than the word. If `bound` is `Bound::Upper`,
    /// equal sorted words are counted as well.
    fn search_words(sorted: &[u64], bound: Bound, places: &mut [u64]) {
        let mut needles = [0; SEARCHES];
        needles[..places.len()].copy_from_slice(places);
        let upper = bound == Bound::Upper;
        let below = |word: u64, needle: u64| word < needle || (upper && word == needle);
        let (mut starts, mut len) = ([0_usize; SEARCHES], sorted.len());
        while len > 1 {
            let half = len / 2;
            for (start, needle) in starts.iter_mut().zip(&needles) {
                *start += if below(sorted[*start + half - 1], *needle) { half } else { 0 };
            }
            len -= half;
        }
        for ((place, start), needle) in places.iter_mut().zip(&starts).zip(&needles) {
            *place = *start as u64 + u64::from(below(sorted[*start], *needle));
        }
    }
}

fn open<'k>(keys: &[KeyColumn<'k>], stream: &Stream) -> Result<Vec<HostColumn<'k>>> {
    keys.iter().map(|key| HostColumn::open(key.view, stream)).collect()
}
