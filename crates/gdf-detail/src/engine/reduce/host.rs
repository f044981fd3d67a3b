//! Walking rows: chunks on all threads, in each blocks of 64 rows, the rows of one mask word.

use gdf_core::NativeType;

use crate::host::{Bits, map_chunks, vectorized};

/// Rows of a block.
const BLOCK: usize = 64;

/// Values, and which of them count.
#[derive(Clone, Copy)]
pub(crate) struct BlockRows<'a, T> {
    pub(crate) values: &'a [T],
    pub(crate) valid: Option<Bits<'a>>,
}

/// A result, and how many rows it is of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted<V> {
    pub(crate) value: V,
    pub(crate) count: usize,
}

/// How rows of `C` become a value of `V`.
pub(crate) struct Accumulate<V, B, M, C = V> {
    /// The value of no rows.
    pub(crate) identity: V,
    /// What stands for a null row, and changes nothing.
    pub(crate) neutral: C,
    /// Takes in the rows of a block.
    pub(crate) block: B,
    /// Brings two values together.
    pub(crate) merge: M,
}

impl<'a, T: Copy> BlockRows<'a, T> {
    pub(crate) fn slice(&self, range: std::ops::Range<usize>) -> Self {
        let valid = self.valid.map(|bits| bits.slice(range.start, range.len()));
        Self { values: self.values.get(range).unwrap_or_default(), valid }
    }

    /// Blocks of the rows with a bit for each that is valid.
    fn blocks(self) -> impl Iterator<Item = (&'a [T], u64)> {
        let valid = self.valid;
        self.values.chunks(BLOCK).enumerate().map(move |(index, rows)| {
            let all = u64::MAX >> (BLOCK - rows.len().clamp(1, BLOCK));
            (rows, valid.map_or(all, |bits| bits.word(index)))
        })
    }
}

/// All rows, each through `widen`, brought together in an order that depends on their number alone.
pub(crate) fn reduce_rows<T, C, V>(
    rows: BlockRows<'_, T>,
    operation: &Accumulate<V, impl Fn(V, &[C]) -> V + Sync, impl Fn(V, V) -> V + Sync, C>,
    widen: impl Fn(T) -> C + Sync,
) -> Counted<V>
where
    T: NativeType,
    C: Copy + Sync,
    V: Copy + Send + Sync,
{
    let Accumulate { identity, merge, .. } = operation;
    let chunk = |range: std::ops::Range<usize>| {
        let rows = rows.slice(range);
        // No CPU has vectors of 128-bit integers: compiling those loops for each level would only make the library larger.
        if const { align_of::<C>() > 8 } {
            walk(rows, operation, &widen)
        } else {
            reduce_chunk(rows, operation, &widen)
        }
    };
    let parts = map_chunks(rows.values.len(), chunk);
    let together = |a: Counted<V>, b: Counted<V>| Counted { value: merge(a.value, b.value), count: a.count + b.count };
    parts.into_iter().reduce(together).unwrap_or(Counted { value: *identity, count: 0 })
}

vectorized! {
    /// The rows of a chunk.
    fn reduce_chunk[T: NativeType, C: Copy, V: Copy, B: Fn(V, &[C]) -> V, M, W: Fn(T) -> C](
        rows: BlockRows<'_, T>,
        operation: &Accumulate<V, B, M, C>,
        widen: &W,
    ) -> Counted<V> {
        walk(rows, operation, widen)
    }
}

#[inline(always)]
fn walk<T: NativeType, C: Copy, V: Copy, B: Fn(V, &[C]) -> V, M>(
    rows: BlockRows<'_, T>,
    operation: &Accumulate<V, B, M, C>,
    widen: &impl Fn(T) -> C,
) -> Counted<V> {
    let Accumulate { identity, neutral, block: add, .. } = operation;
    let mut all = Counted { value: *identity, count: 0 };
    let mut block = [*neutral; BLOCK];
    for (rows, valid) in rows.blocks() {
        let ones = valid.count_ones() as usize;
        let whole = <&[T; BLOCK]>::try_from(rows);
        if ones == 0 {
            continue;
        }
        if let (Ok(rows), BLOCK) = (whole, ones) {
            for (slot, row) in block.iter_mut().zip(rows) {
                *slot = widen(*row);
            }
        } else if let Ok(rows) = whole {
            for (index, (slot, row)) in block.iter_mut().zip(rows).enumerate() {
                *slot = if valid >> index & 1 == 1 { widen(*row) } else { *neutral };
            }
        } else {
            block.fill(*neutral);
            for (index, (slot, row)) in block.iter_mut().zip(rows).enumerate() {
                *slot = if valid >> index & 1 == 1 { widen(*row) } else { *neutral };
            }
            all = Counted { value: add(all.value, &block[..rows.len()]), count: all.count + ones };
            continue;
        }
        all = Counted { value: add(all.value, &block), count: all.count + ones };
    }
    all
}

/// How many truth values are true, and how many false.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bools {
    pub(crate) ones: usize,
    pub(crate) zeros: usize,
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

/// The truth values of a boolean column.
pub(crate) fn reduce_bits(bits: Bits<'_>, valid: Option<Bits<'_>>) -> Counted<Bools> {
    Bools::together(map_chunks(bits.len(), |range| {
        let bits = bits.slice(range.start, range.len());
        let valid = valid.map(|valid| valid.slice(range.start, range.len()));
        let rows = |word: usize| u64::MAX >> (BLOCK - (bits.len() - word * BLOCK).min(BLOCK));
        Bools::of((0..bits.words()).map(|word| (bits.word(word), valid.map_or(rows(word), |valid| valid.word(word)))))
    }))
}

/// An operation on values that are brought together as rows are.
#[allow(clippy::type_complexity, reason = "closures have no names")]
pub(crate) fn integers<C: Copy>(
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

/// Whether rows are not zero; NaN is not.
pub(crate) fn reduce_truth<T: NativeType>(rows: BlockRows<'_, T>) -> Counted<Bools> {
    Bools::together(map_chunks(rows.values.len(), |range| {
        Bools::of(rows.slice(range).blocks().map(|(rows, valid)| {
            let set = |(index, row): (usize, &T)| u64::from(*row != T::default()) << index;
            (rows.iter().enumerate().map(set).fold(0, |all, bit| all | bit), valid)
        }))
    }))
}

/// The number of set bits.
pub(crate) fn count(bits: Bits<'_>) -> usize {
    map_chunks(bits.len(), |range| bits.slice(range.start, range.len()).count_ones()).into_iter().sum()
}
