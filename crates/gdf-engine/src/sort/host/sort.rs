//! Sort of a table by all of its columns on the CPU. If the rows can be decoded from their keys, only the keys are
//! sorted.

use std::ops::Range;

use gdf_core::{Column, DataType, Error, I256, PhysicalType, Result, Table, f16, physical_type};
use gdf_memory::HostVec;

use super::key_rows::HostKey;
use super::ordered::{Ordered, Unsigned};
use super::radix::{self, SortBits, Ties};
use super::sorted_order::Prefix;
use crate::Ctx;
use crate::host::{HostColumn, HostMask, HostOutput, column, for_each_chunk, map_chunks, mask_from_words};
use crate::limits::HostLimits;
use crate::sort::KeyColumn;
use crate::sort::plan::{Field, KeyPlan};

/// The number of keys that are encoded at a time.
const BLOCK: usize = 1024;

/// The number of highest key bits by which [`select_keys`] counts keys.
const LEADING_BITS: u32 = 12;

/// The maximum number of rows that [`select_keys`] returns. For more rows, a sort is faster.
const MAX_SELECTED: usize = 64;

/// Returns the sorted table, or `None` if its rows cannot be decoded from their keys.
pub fn sort_keys(keys: &[KeyColumn<'_>], rows: usize, ctx: Ctx<'_>) -> Result<Option<Table>> {
    let columns = keys.iter().map(|key| HostColumn::open(key.view, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let Some((open, prefix)) = reversible(keys, &columns, rows)? else { return Ok(None) };
    let by = SortBits { low: 0, bits: prefix.bits };
    if prefix.bits <= 32 {
        let mut words = HostVec::<u32>::uninitialized(rows, ctx.stream, ctx.mr.temporary)?;
        for_each_chunk(&mut words, |first, chunk| {
            let mut words = [0; BLOCK];
            for (block, keys) in chunk.chunks_mut(BLOCK).enumerate() {
                let words = &mut words[..keys.len()];
                prefix.write(&open, first + block * BLOCK, words);
                keys.iter_mut().zip(words).for_each(|(key, &mut word)| *key = word as u32);
            }
        });
        let sorted = radix::sorted(words, by, Ties::InOrder(u32::cmp), ctx.stream, ctx.mr.temporary)?;
        let sorted = &sorted[..];
        return decode(keys, &prefix.plan, rows, |row| u64::from(sorted[row]), ctx).map(Some);
    }
    let mut words = HostVec::<u64>::uninitialized(rows, ctx.stream, ctx.mr.temporary)?;
    for_each_chunk(&mut words, |first, chunk| prefix.write(&open, first, chunk));
    let sorted = radix::sorted(words, by, Ties::InOrder(u64::cmp), ctx.stream, ctx.mr.temporary)?;
    let sorted = &sorted[..];
    decode(keys, &prefix.plan, rows, |row| sorted[row], ctx).map(Some)
}

/// Returns the rows at `positions` of the sorted table. The positions must be distinct and in ascending order. The
/// function counts the keys by their highest bits. It then sorts only the keys that have the same highest bits as a
/// requested row. The result is `None` if the rows cannot be decoded from their keys, or if a sort is expected to be
/// faster.
pub fn select_keys(keys: &[KeyColumn<'_>], rows: usize, positions: &[usize], ctx: Ctx<'_>) -> Result<Option<Table>> {
    if rows < HostLimits::current().sort_rows || positions.len() > MAX_SELECTED {
        return Ok(None);
    }
    let columns = keys.iter().map(|key| HostColumn::open(key.view, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let Some((open, prefix)) = reversible(keys, &columns, rows)? else { return Ok(None) };
    let shift = prefix.bits.saturating_sub(LEADING_BITS);
    let each_block = |range: Range<usize>, work: &mut dyn FnMut(&[u64])| {
        let (mut words, mut first) = ([0; BLOCK], range.start);
        while first < range.end {
            let words = &mut words[..BLOCK.min(range.end - first)];
            prefix.write(&open, first, words);
            work(words);
            first += words.len();
        }
    };
    let mut counts = vec![0_usize; 1 << LEADING_BITS];
    for part in map_chunks(rows, |range| {
        let mut counts = vec![0_u32; 1 << LEADING_BITS];
        each_block(range, &mut |words| words.iter().for_each(|word| counts[(word >> shift) as usize] += 1));
        counts
    }) {
        counts.iter_mut().zip(part).for_each(|(all, own)| *all += own as usize);
    }
    // The loop marks the highest bits of the requested rows. It also computes the position of each requested row among
    // the keys that are sorted.
    let (mut wanted, mut places, mut end, mut skipped) = (vec![false; counts.len()], Vec::new(), 0, 0);
    let mut left = positions.iter().peekable();
    for (digit, (wanted, count)) in wanted.iter_mut().zip(&counts).enumerate() {
        end += count;
        while let Some(position) = left.next_if(|position| **position < end) {
            *wanted = true;
            places.push((digit as u64, position - skipped));
        }
        skipped += if *wanted { 0 } else { *count };
    }
    let mut selected: Vec<u64> = places.iter().map(|(digit, _)| *digit).collect();
    if shift > 0 {
        if (rows - skipped) > rows / 4 {
            return Ok(None);
        }
        let parts = map_chunks(rows, |range| {
            let mut kept = Vec::new();
            each_block(range, &mut |words| kept.extend(words.iter().filter(|word| wanted[(**word >> shift) as usize])));
            kept
        });
        let mut kept = parts.concat();
        let (mut rest, mut first) = (&mut kept[..], 0);
        for (selected, (_, place)) in selected.iter_mut().zip(places) {
            let (_, key, above) = std::mem::take(&mut rest).select_nth_unstable(place - first);
            *selected = *key;
            (rest, first) = (above, place + 1);
        }
    }
    decode(keys, &prefix.plan, selected.len(), |row| selected[row], ctx).map(Some)
}

/// Returns the open keys and the layout of their words, or `None` if values cannot be decoded from the words.
fn reversible<'k>(
    keys: &[KeyColumn<'_>],
    columns: &'k [HostColumn<'_>],
    rows: usize,
) -> Result<Option<(Vec<HostKey<'k>>, Prefix)>> {
    if keys.iter().any(|key| physical_type(key.view.data_type()).has_byte_offsets()) {
        return Ok(None);
    }
    let open = columns.iter().zip(keys).map(|(column, key)| HostKey::open(column, key)).collect::<Result<Vec<_>>>()?;
    let prefix = Prefix::new(&open, rows);
    let fields: usize = keys.iter().map(|key| parts(key.view.data_type())).sum();
    let suits = prefix.plan.fields.len() == fields && prefix.plan.is_reversible();
    Ok(suits.then_some((open, prefix)))
}

fn parts(data_type: &DataType) -> usize {
    if physical_type(data_type) == PhysicalType::I256 { 2 } else { 1 }
}

fn decode(
    keys: &[KeyColumn<'_>],
    plan: &KeyPlan,
    rows: usize,
    key: impl Fn(usize) -> u64 + Sync,
    ctx: Ctx<'_>,
) -> Result<Table> {
    let mut fields = plan.fields.as_slice();
    let mut columns = Vec::with_capacity(keys.len());
    for KeyColumn { view, .. } in keys {
        let (own, rest) = fields.split_at(parts(view.data_type()));
        fields = rest;
        columns.push(decode_column(view.data_type(), view.has_validity(), own, rows, &key, ctx)?);
    }
    Table::try_with_rows(columns, rows)
}

fn ordered<U: Unsigned>(field: &Field, key: u64) -> U {
    if field.bits == 0 {
        return U::of(field.base);
    }
    let distance = U::of_word(key >> field.position & (u64::MAX >> (64 - field.bits))) << field.shift;
    let base = U::of(field.base);
    if field.piece.descending { base.subtract(distance) } else { base.add(distance) }
}

fn decode_column(
    data_type: &DataType,
    nullable: bool,
    fields: &[Field],
    rows: usize,
    key: &(impl Fn(usize) -> u64 + Sync),
    ctx: Ctx<'_>,
) -> Result<Column> {
    let Some(field) = fields.first() else { return Err(Error::unsupported("sort", data_type)) };
    let valid = |row: usize| match field.null_position {
        Some(position) => (key(row) >> position & 1 == 1) == field.piece.nulls_first,
        None => !field.all_null,
    };
    let word = |bit: &(dyn Fn(usize) -> bool + Sync), index: usize| {
        let rows = index * 64..rows.min(index * 64 + 64);
        rows.fold((0, 1_u64), |(word, mask), row| (word | if bit(row) { mask } else { 0 }, mask.rotate_left(1))).0
    };
    let mask = match nullable {
        true => HostMask::from_words(rows, ctx.stream, ctx.mr.output, |index| word(&valid, index))?,
        false => HostMask::none(),
    };
    macro_rules! restored {
        ($value:ty, |$row:ident| $restored:expr) => {{
            let mut output = HostOutput::<$value>::new(rows, ctx)?;
            for_each_chunk(output.values(ctx.stream)?, |first, chunk| {
                chunk.iter_mut().enumerate().for_each(|(i, out)| {
                    let $row = first + i;
                    *out = $restored;
                });
            });
            output.finish(data_type, mask)
        }};
    }
    macro_rules! by_type {
        ($($name:ident $value:ty),*) => {
            match physical_type(data_type) {
                $(PhysicalType::$name => restored!($value, |row| <$value>::restored(ordered(field, key(row)))),)*
                PhysicalType::Bool => {
                    let bit = |row: usize| bool::restored(ordered(field, key(row)));
                    let (bits, _) = mask_from_words(rows, ctx.stream, ctx.mr.output, |index| word(&bit, index))?;
                    column(data_type, rows, [bits], mask)
                }
                PhysicalType::I256 => {
                    let Some(low) = fields.get(1) else { return Err(Error::unsupported("sort", data_type)) };
                    restored!(I256, |row| I256(arrow_buffer::i256::from_parts(
                        ordered(low, key(row)),
                        i128::restored(ordered(field, key(row))),
                    )))
                }
                _ => Err(Error::unsupported("sort", data_type)),
            }
        };
    }
    by_type!(
        I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 f16, F32 f32, F64 f64, I128 i128
    )
}
