//! `sample`: chooses rows pseudorandomly. A seed determines the choice.
//!
//! Each row of the sample is computed only from its index and the seed, so that both devices choose the same rows.

use gdf_core::{Column, DataType, Error, Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::cuda::Rows;
use gdf_engine::elementwise::{self, Inputs, Nulls};
use gdf_engine::host::vectorized;
use gdf_engine::keys::{mix64, row_indices};
use gdf_kernels::generated::copying::{Sample, SampleChoice as Choice};

use crate::Ctx;
use crate::lists::gather_trusted;

/// Whether a row may be chosen more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Replacement {
    /// Each row is chosen at most once.
    #[default]
    Without,
    /// Each row may be chosen any number of times.
    With,
}

const ROUNDS: usize = 8;
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Chooses `rows` rows of `table`. The result depends only on `table`, `rows`, `replacement` and `seed`.
///
/// Implements `gdf_api::copying::sample` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn sample(table: TableView<'_>, rows: usize, replacement: Replacement, seed: u64, ctx: Ctx<'_>) -> Result<Table> {
    check::table(&table, ctx)?;
    let all = table.num_rows();
    if replacement == Replacement::Without && rows > all {
        return Err(Error::beyond_limit(
            "the number of rows of a sample without replacement",
            rows as i128,
            all as i128,
        ));
    }
    if all == 0 && rows > 0 {
        return Err(Error::invalid_argument("the table has no rows; pass a table with rows, or sample 0 rows")
            .in_argument("table"));
    }
    let map = map(all, rows, replacement, seed, ctx.scratch())?;
    gather_trusted(&table, map.view(), ctx)
}

fn map(all: usize, rows: usize, replacement: Replacement, seed: u64, ctx: Ctx<'_>) -> Result<Column> {
    let with_replacement = i32::from(replacement == Replacement::With);
    let p = Choice { seed, rows: Rows::new(all), half_bits: half_bits(all), with_replacement };
    let data_type = row_indices(all);
    elementwise::map(
        Inputs::for_rows([], rows, ctx)?,
        &data_type,
        Nulls::Never,
        ctx,
        |rows| match data_type {
            DataType::UInt32 => {
                rows.filled(|| rows.mask(), |first, out: &mut [u32]| fill(first, out, &p, |row| row as u32))
            }
            _ => rows.filled(|| rows.mask(), |first, out: &mut [u64]| fill(first, out, &p, |row| row)),
        },
        |launch| launch.run_only(&Sample { p, out: launch.out }),
    )
}

fn fill<T>(first: usize, out: &mut [T], p: &Choice, index: impl Fn(u64) -> T) {
    let keys = keys(p.seed);
    let mut rows = [0; 64];
    for (block, out) in out.chunks_mut(rows.len()).enumerate() {
        let start = (first + block * rows.len()) as u64;
        // The last block may have fewer than 64 rows.
        let rows = &mut rows[..out.len()];
        choose(start, p, &keys, rows);
        out.iter_mut().zip(&*rows).for_each(|(slot, row)| *slot = index(*row));
    }
}

vectorized! {
    /// Computes the rows of the sample from index `first` on.
    fn choose(first: u64, p: &Choice, keys: &Keys, rows: &mut [u64]) {
        for (at, row) in rows.iter_mut().enumerate() {
            *row = step(first.wrapping_add(at as u64), p, keys);
        }
        if p.with_replacement == 0 {
            // The permutation is applied again until the result is a row number.
            for row in rows {
                while *row >= p.rows.get() as u64 {
                    *row = step(*row, p, keys);
                }
            }
        }
    }
}

/// Returns half the number of bits of the permuted numbers. There are at least as many permuted numbers as rows.
fn half_bits(rows: usize) -> i32 {
    let bits = usize::BITS - rows.saturating_sub(1).leading_zeros();
    bits.div_ceil(2).max(2) as i32
}

/// Returns the row that is chosen for `number`. Without replacement, the result may also be greater than every row
/// number.
#[inline(always)]
fn step(number: u64, p: &Choice, keys: &Keys) -> u64 {
    if p.with_replacement == 0 {
        return permuted(number, p.half_bits, keys);
    }
    let random = mix64(mix64(p.seed).wrapping_add(number.wrapping_mul(STEP)));
    ((u128::from(random) * p.rows.get() as u128) >> 64) as u64
}

type Keys = [u64; ROUNDS];

fn keys(seed: u64) -> Keys {
    std::array::from_fn(|round| mix64(seed.wrapping_add((round as u64 + 1).wrapping_mul(STEP))))
}

/// Permutes the numbers below `4^half_bits` by a Feistel network (Luby and Rackoff, 1988).
#[inline(always)]
fn permuted(number: u64, half_bits: i32, keys: &Keys) -> u64 {
    let mask = (1_u64 << half_bits) - 1;
    let (mut left, mut right) = (number >> half_bits, number & mask);
    for key in keys {
        (left, right) = (right, left ^ (mix64(key ^ right) & mask));
    }
    left << half_bits | right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_without_replacement_are_permutations() {
        for rows in [1_usize, 2, 3, 4, 5, 16, 17, 1000] {
            let p = Choice { seed: 7, rows: Rows::new(rows), half_bits: half_bits(rows), with_replacement: 0 };
            let mut chosen = vec![0; rows];
            fill(0, &mut chosen, &p, |row| row);
            chosen.sort_unstable();
            assert!(chosen.into_iter().eq(0..rows as u64), "{rows}");
        }
    }

    #[test]
    fn every_row_is_as_likely_as_any_other() {
        for with_replacement in [0, 1] {
            let mut counts = [0_u32; 10];
            for seed in 0..20_000 {
                let p = Choice { seed, rows: Rows::new(10), half_bits: half_bits(10), with_replacement };
                let mut chosen = [0; 3];
                fill(0, &mut chosen, &p, |row| row as usize);
                chosen.into_iter().for_each(|row| counts[row] += 1);
            }
            assert!(counts.iter().all(|count| (5_650..6_350).contains(count)), "{counts:?}");
        }
    }

    #[test]
    fn halves_cover_all_rows() {
        for (rows, bits) in [(0, 2), (1, 2), (16, 2), (17, 3), (64, 3), (65, 4), (usize::MAX, 32)] {
            assert_eq!(half_bits(rows), bits, "{rows}");
        }
    }
}
