//! Reduces rows on the CPU. All threads process chunks of rows. A chunk consists of blocks of 64 rows, whose validity
//! is one word of the mask.

use std::any::TypeId;
use std::ops::Range;

use bytemuck::Pod;
use gdf_core::NativeType;

use crate::host::{Bits, map_chunks, vectorized};

/// The number of rows of a block.
const BLOCK: usize = 64;

/// The number of rows that are converted at a time. The number is small, because each segment first fills a buffer of
/// this number of values with the neutral value.
const GROUP: usize = 4 * BLOCK;

/// The values of some rows, and the mask of these rows.
#[derive(Clone, Copy)]
pub struct BlockRows<'a, T> {
    pub values: &'a [T],
    pub valid: Option<Bits<'a>>,
}

/// A result, and the number of rows from which the result was computed.
#[derive(Clone, Copy, Debug)]
pub struct Counted<V> {
    pub value: V,
    pub count: usize,
}

/// An operation that reduces rows of type `C` to an accumulator of type `V`.
pub struct Accumulate<V, B, M, C = V> {
    /// The accumulator of no rows.
    pub identity: V,
    /// The value that replaces a null row, and does not change the result.
    pub neutral: C,
    /// The function that adds the rows of a block to an accumulator.
    pub block: B,
    /// The function that combines two accumulators.
    pub merge: M,
}

impl<'a, T: Copy> BlockRows<'a, T> {
    pub fn slice(&self, range: Range<usize>) -> Self {
        let valid = self.valid.map(|bits| bits.slice(range.start, range.len()));
        Self { values: self.values.get(range).unwrap_or_default(), valid }
    }

    fn blocks(self) -> impl Iterator<Item = (&'a [T], u64)> {
        let valid = self.valid;
        self.values.chunks(BLOCK).enumerate().map(move |(index, rows)| {
            let all = u64::MAX >> (BLOCK - rows.len().clamp(1, BLOCK));
            (rows, valid.map_or(all, |bits| bits.word(index)))
        })
    }
}

/// Reduces all rows. `widen` first converts each row to the type of the operation. If `T` is `C`, `widen` must return
/// its argument. The order of the operations depends only on the number of rows, so that sums of floats are
/// reproducible.
pub fn reduce_rows<T, C, V>(
    rows: BlockRows<'_, T>,
    operation: &Accumulate<V, impl Fn(V, &[C]) -> V + Sync, impl Fn(V, V) -> V + Sync, C>,
    widen: impl Fn(T) -> C + Sync,
) -> Counted<V>
where
    T: NativeType,
    C: Pod + Sync,
    V: Copy + Send + Sync,
{
    let neutral = operation.neutral;
    accumulate_rows(rows.values.len(), rows.valid, operation, &|range, group| {
        let rows = rows.slice(range);
        if TypeId::of::<T>() == TypeId::of::<C>() && rows.valid.is_none() {
            return bytemuck::try_cast_slice(rows.values).ok();
        }
        // No CPU has vectors of 128-bit integers. Compiling these loops for each vector instruction set would only
        // make the library larger.
        if const { align_of::<C>() > 8 } {
            widen_each(rows, neutral, &widen, group);
        } else {
            widen_rows(rows, neutral, &widen, group);
        }
        None
    })
}

/// A closure that provides the rows of a range as values of `C`. If the rows are stored as `C` and no row is null, the
/// closure returns the stored rows. Otherwise the closure writes the converted rows to the slice and returns `None`.
type Widened<'w, C> = dyn Fn(Range<usize>, &mut [C]) -> Option<&'w [C]> + Sync + 'w;

fn accumulate_rows<C: Copy + Sync, V: Copy + Send + Sync>(
    rows: usize,
    valid: Option<Bits<'_>>,
    operation: &Accumulate<V, impl Fn(V, &[C]) -> V + Sync, impl Fn(V, V) -> V + Sync, C>,
    widened: &Widened<'_, C>,
) -> Counted<V> {
    let Accumulate { identity, merge, .. } = operation;
    let parts = map_chunks(rows, |range| {
        if const { align_of::<C>() > 8 } {
            accumulate_each(range, valid, operation, widened)
        } else {
            accumulate(range, valid, operation, widened)
        }
    });
    let together = |a: Counted<V>, b: Counted<V>| Counted { value: merge(a.value, b.value), count: a.count + b.count };
    parts.into_iter().reduce(together).unwrap_or(Counted { value: *identity, count: 0 })
}

vectorized! {
    /// Compiles [`accumulate_each`] for each vector instruction set.
    fn accumulate[C: Copy, V: Copy, B: Fn(V, &[C]) -> V, M](
        range: Range<usize>,
        valid: Option<Bits<'_>>,
        operation: &Accumulate<V, B, M, C>,
        widened: &Widened<'_, C>,
    ) -> Counted<V> {
        accumulate_each(range, valid, operation, widened)
    }
}

/// Accumulates the rows of a chunk.
#[inline(always)]
fn accumulate_each<C: Copy, V: Copy, B: Fn(V, &[C]) -> V, M>(
    range: Range<usize>,
    valid: Option<Bits<'_>>,
    operation: &Accumulate<V, B, M, C>,
    widened: &Widened<'_, C>,
) -> Counted<V> {
    let Accumulate { identity, neutral, block: add, .. } = operation;
    let mut all = Counted { value: *identity, count: 0 };
    let mut group = [*neutral; GROUP];
    for start in range.clone().step_by(GROUP) {
        let rows = start..range.end.min(start + GROUP);
        let group = &mut group[..rows.len()];
        let valid = valid.map(|valid| valid.slice(rows.start, rows.len()));
        let values = match widened(rows, group) {
            Some(values) => values,
            None => group,
        };
        for (index, block) in values.chunks(BLOCK).enumerate() {
            let count = valid.map_or(block.len(), |valid| valid.word(index).count_ones() as usize);
            if count > 0 {
                // A block of `BLOCK` rows has a constant length, for which the compiler optimizes the loop.
                let value = match <&[C; BLOCK]>::try_from(block) {
                    Ok(block) => add(all.value, block),
                    Err(_) => add(all.value, block),
                };
                all = Counted { value, count: all.count + count };
            }
        }
    }
    all
}

vectorized! {
    /// Compiles [`widen_each`] for each vector instruction set.
    fn widen_rows[T: NativeType, C: Copy, W: Fn(T) -> C](rows: BlockRows<'_, T>, neutral: C, widen: &W, group: &mut [C]) {
        widen_each(rows, neutral, widen, group)
    }
}

#[inline(always)]
fn widen_each<T: NativeType, C: Copy>(rows: BlockRows<'_, T>, neutral: C, widen: &impl Fn(T) -> C, group: &mut [C]) {
    for ((rows, valid), group) in rows.blocks().zip(group.chunks_mut(BLOCK)) {
        if valid.count_ones() as usize == rows.len() {
            for (slot, row) in group.iter_mut().zip(rows) {
                *slot = widen(*row);
            }
        } else {
            for (index, (slot, row)) in group.iter_mut().zip(rows).enumerate() {
                *slot = if valid >> index & 1 == 1 { widen(*row) } else { neutral };
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Bools {
    pub ones: usize,
    pub zeros: usize,
}

impl Bools {
    fn of(words: impl Iterator<Item = (u64, u64)>) -> Self {
        words.fold(Self::default(), |all, (bits, valid)| Self {
            ones: all.ones + (bits & valid).count_ones() as usize,
            zeros: all.zeros + (!bits & valid).count_ones() as usize,
        })
    }

    fn together(parts: Vec<Self>) -> Counted<Self> {
        let sum = |a: Self, b: Self| Self { ones: a.ones + b.ones, zeros: a.zeros + b.zeros };
        let value = parts.into_iter().fold(Self::default(), sum);
        Counted { value, count: value.ones + value.zeros }
    }
}

pub fn reduce_bits(bits: Bits<'_>, valid: Option<Bits<'_>>) -> Counted<Bools> {
    Bools::together(map_chunks(bits.len(), |range| {
        let bits = bits.slice(range.start, range.len());
        let valid = valid.map(|valid| valid.slice(range.start, range.len()));
        let rows = |word: usize| u64::MAX >> (BLOCK - (bits.len() - word * BLOCK).min(BLOCK));
        Bools::of((0..bits.words()).map(|word| (bits.word(word), valid.map_or(rows(word), |valid| valid.word(word)))))
    }))
}

/// Returns the operation for a function that both adds a row to an accumulator and combines two accumulators.
#[allow(clippy::type_complexity, reason = "closures have no names")]
pub fn integers<C: Copy>(
    identity: C,
    operation: impl Fn(C, C) -> C + Sync + Copy,
) -> Accumulate<C, impl Fn(C, &[C]) -> C + Sync, impl Fn(C, C) -> C + Sync> {
    Accumulate {
        identity,
        neutral: identity,
        block: move |all: C, rows: &[C]| rows.iter().fold(all, |all, row| operation(all, *row)),
        merge: operation,
    }
}

/// Counts the rows that are zero and the rows that are not zero. NaN is not zero.
pub fn reduce_truth<T: NativeType>(rows: BlockRows<'_, T>) -> Counted<Bools> {
    Bools::together(map_chunks(rows.values.len(), |range| {
        Bools::of(rows.slice(range).blocks().map(|(rows, valid)| {
            let set = |(index, row): (usize, &T)| u64::from(*row != T::default()) << index;
            (rows.iter().enumerate().map(set).fold(0, |all, bit| all | bit), valid)
        }))
    }))
}

pub fn count(bits: Bits<'_>) -> usize {
    map_chunks(bits.len(), |range| bits.slice(range.start, range.len()).count_ones()).into_iter().sum()
}
