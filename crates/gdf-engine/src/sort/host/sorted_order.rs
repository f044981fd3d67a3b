//! Row numbers in the order of the keys, on the CPU.
//!
//! The sort moves the keys together with the row numbers. Equal keys are ordered by their row numbers, so that an
//! unstable sort gives the result of a stable sort. If 64 bits cannot hold the whole key, rows whose first bits are
//! equal are compared.

use std::cmp::Ordering;

use gdf_core::{Column, Result};
use gdf_driver::Stream;
use gdf_memory::HostVec;
use rayon::prelude::*;

use super::alphabet::Alphabet;
use super::key_rows::{HostKey, compare_rows};
use super::radix::{self, SortBits, Ties};
use crate::Ctx;
use crate::host::{HostColumn, HostMask, HostOutput, for_each_chunk, task_rows};
use crate::keys::row_indices;
use crate::sort::KeyColumn;
use crate::sort::plan::{KeyPlan, Piece, Stats};

pub(super) struct Prefix {
    pub(super) plan: KeyPlan,
    /// The lowest bit of the key that belongs to the prefix.
    start: u32,
    /// The text column that follows the fields of the plan, and the encoding of its first bytes.
    text: Option<(usize, Alphabet)>,
    pub(super) bits: u32,
    /// Whether rows with equal prefixes have equal keys.
    exact: bool,
}

impl Prefix {
    /// Makes a prefix of at most 64 bits from the first key columns. After a text column, no further column is added.
    pub(super) fn new(keys: &[HostKey<'_>], rows: usize) -> Self {
        let mut pieces: Vec<(Piece, Stats)> = Vec::new();
        let (mut plan, mut text, mut whole) = (KeyPlan::new([]), None, 0);
        for (column, key) in keys.iter().enumerate() {
            if plan.bits >= 64 {
                break;
            }
            if key.is_text() {
                text = Some(column);
                break;
            }
            pieces.extend(key.pieces(column, rows));
            plan = KeyPlan::new(pieces.iter().copied());
            whole += 1;
        }
        let start = plan.bits.saturating_sub(64);
        let (mut bits, mut exact) = (plan.bits - start, whole == keys.len() && start == 0);
        let text = text.map(|column| {
            let null = u32::from(keys[column].validity.is_some());
            let alphabet = Alphabet::new(|row| keys[column].text(row), rows, 64 - bits - null);
            bits += null + alphabet.bits();
            exact = alphabet.exact && column + 1 == keys.len();
            (column, alphabet)
        });
        Prefix { plan, start, text, bits, exact }
    }

    pub(super) fn write(&self, keys: &[HostKey<'_>], first: usize, out: &mut [u64]) {
        out.fill(0);
        if self.plan.bits > 0 {
            for field in &self.plan.fields {
                keys[field.piece.column].add_bits(field, self.start, first, out);
            }
        }
        if let Some((column, alphabet)) = &self.text {
            if self.plan.bits > 0 {
                out.iter_mut().for_each(|key| *key <<= self.bits - self.plan.bits);
            }
            keys[*column].add_texts(alphabet, first, out);
        }
    }
}

/// Returns the first `count` row numbers in sorted order, as a column.
pub fn sorted_order(keys: &[KeyColumn<'_>], rows: usize, count: usize, ctx: Ctx<'_>) -> Result<Column> {
    let columns = keys.iter().map(|key| HostColumn::open(key.view, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let keys = columns.iter().zip(keys).map(|(column, key)| HostKey::open(column, key)).collect::<Result<Vec<_>>>()?;
    let prefix = Prefix::new(&keys, rows);
    let row_bits = usize::BITS - rows.saturating_sub(1).leading_zeros();
    if prefix.exact && prefix.bits + row_bits <= 64 {
        let mut packed = HostVec::<u64>::uninitialized(rows, ctx.stream, ctx.mr.temporary)?;
        for_each_chunk(&mut packed, |first, chunk| {
            prefix.write(&keys, first, chunk);
            for (i, word) in chunk.iter_mut().enumerate() {
                // If row numbers have 64 bits, the word has no bits for the key, and the shift yields 0.
                *word = word.checked_shl(row_bits).unwrap_or(0) | (first + i) as u64;
            }
        });
        if count == rows {
            // The low bits are row numbers, which already ascend.
            let by = SortBits { low: row_bits, bits: prefix.bits };
            packed = radix::sorted(packed, by, Ties::InOrder(u64::cmp), ctx.stream, ctx.mr.temporary)?;
        } else {
            smallest(&mut packed, count, Ord::cmp);
        }
        let mask = u64::MAX.checked_shr(64 - row_bits).unwrap_or(0);
        return write_order(rows, count, ctx, |i| packed[i] & mask);
    }
    let mut pairs = HostVec::<[u64; 2]>::uninitialized(rows, ctx.stream, ctx.mr.temporary)?;
    for_each_chunk(&mut pairs, |first, chunk| {
        let mut words = [0; 1024];
        for (block, pairs) in chunk.chunks_mut(words.len()).enumerate() {
            let first = first + block * words.len();
            let words = &mut words[..pairs.len()];
            prefix.write(&keys, first, words);
            for (i, (pair, &mut word)) in pairs.iter_mut().zip(words).enumerate() {
                *pair = [word, (first + i) as u64];
            }
        }
    });
    let by = SortBits { low: 0, bits: prefix.bits };
    let by_rows = |a: &[u64; 2], b: &[u64; 2]| {
        let rows = || compare_rows(&keys, a[1] as usize, b[1] as usize);
        a[0].cmp(&b[0]).then_with(rows).then_with(|| a[1].cmp(&b[1]))
    };
    match (prefix.exact, count == rows) {
        (true, true) => pairs = radix::sorted(pairs, by, Ties::InOrder(Ord::cmp), ctx.stream, ctx.mr.temporary)?,
        (false, true) => pairs = radix::sorted(pairs, by, Ties::Compared(by_rows), ctx.stream, ctx.mr.temporary)?,
        (true, false) => smallest(&mut pairs, count, Ord::cmp),
        (false, false) => smallest(&mut pairs, count, by_rows),
    }
    write_order(rows, count, ctx, |i| pairs[i][1])
}

/// Moves the `count` smallest keys to the beginning of the slice, in sorted order. The slice must have at least `count`
/// keys.
fn smallest<K: Send>(keys: &mut [K], count: usize, compare: impl Fn(&K, &K) -> Ordering + Sync) {
    if count > 0 {
        keys.select_nth_unstable_by(count - 1, &compare);
        gdf_core::prepare_threads();
        keys[..count].par_sort_unstable_by(compare);
    }
}

pub(super) fn write_order(
    rows: usize,
    count: usize,
    ctx: Ctx<'_>,
    row: impl Fn(usize) -> u64 + Sync,
) -> Result<Column> {
    let data_type = row_indices(rows);
    if data_type == gdf_core::DataType::UInt32 {
        let mut output = HostOutput::<u32>::new(count, ctx)?;
        for_each_chunk(output.values(ctx.stream)?, |first, chunk| {
            chunk.iter_mut().enumerate().for_each(|(i, out)| *out = row(first + i) as u32);
        });
        return output.finish(&data_type, HostMask::none());
    }
    let mut output = HostOutput::<u64>::new(count, ctx)?;
    for_each_chunk(output.values(ctx.stream)?, |first, chunk| {
        chunk.iter_mut().enumerate().for_each(|(i, out)| *out = row(first + i));
    });
    output.finish(&data_type, HostMask::none())
}

/// Returns whether the rows are sorted: no row is less than the row before.
pub fn is_sorted(keys: &[KeyColumn<'_>], rows: usize, stream: &Stream) -> Result<bool> {
    let columns = keys.iter().map(|key| HostColumn::open(key.view, stream)).collect::<Result<Vec<_>>>()?;
    let keys = columns.iter().zip(keys).map(|(column, key)| HostKey::open(column, key)).collect::<Result<Vec<_>>>()?;
    let in_order = |row: usize| compare_rows(&keys, row - 1, row).is_le();
    if rows <= task_rows() {
        return Ok((1..rows).all(in_order));
    }
    gdf_core::prepare_threads();
    Ok((1..rows).into_par_iter().all(in_order))
}
