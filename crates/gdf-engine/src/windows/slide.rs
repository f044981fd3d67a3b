//! Aggregates windows on the CPU. Consecutive windows are aggregated together if their bounds never move back and only
//! move a limited distance. Each of these windows then takes a few steps, regardless of its length. Other windows are
//! aggregated from the levels of a tree.

use std::ops::Range;

use bytemuck::Pod;
use gdf_core::Result;
use gdf_memory::HostVec;

use crate::Ctx;
use crate::host::{Bits, for_each_chunk};

/// The number of units of a level that form a unit of the next level.
const FAN: usize = 64;

/// The maximum number of rows of a window for which the tree has no levels.
const SHORT: usize = 4096;

/// The maximum number of windows that are aggregated together.
pub(super) const BLOCK: usize = 512;

/// The maximum distance by which a bound may move within a run of windows that are aggregated together.
const REACH: usize = 16 * BLOCK;

pub(super) trait Fold: Sync {
    type Value: Pod + Send + Sync;
    fn identity(&self) -> Self::Value;
    fn row(&self, row: usize) -> Self::Value;
    fn merge(&self, a: Self::Value, b: Self::Value) -> Self::Value;
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CountedValue<V> {
    pub(super) value: V,
    pub(super) count: u64,
}

/// Accumulators of ranges of the rows of a column.
pub(super) struct Tree<'a, F: Fold> {
    fold: F,
    valid: Option<Bits<'a>>,
    levels: Vec<(HostVec<'a, F::Value>, HostVec<'a, u64>)>,
}

impl<'a, F: Fold> Tree<'a, F> {
    pub(super) fn new(fold: F, valid: Option<Bits<'a>>, rows: usize, longest: usize, ctx: Ctx<'a>) -> Result<Self> {
        let mut tree = Self { fold, valid, levels: Vec::new() };
        let mut units = rows.div_ceil(FAN);
        while longest > SHORT && (tree.levels.is_empty() || units > FAN) {
            if !tree.levels.is_empty() {
                units = units.div_ceil(FAN);
            }
            let mut values = HostVec::zeroed(units, ctx.stream, ctx.mr.temporary)?;
            let mut counts = HostVec::zeroed(units, ctx.stream, ctx.mr.temporary)?;
            let below = tree.levels.last().map_or(rows, |(values, _)| values.len());
            for_each_chunk(&mut values, |first, chunk| {
                for (unit, slot) in (first..).zip(chunk) {
                    *slot = tree.units(tree.levels.len(), unit * FAN..below.min((unit + 1) * FAN)).value;
                }
            });
            for_each_chunk(&mut counts, |first, chunk| {
                for (unit, slot) in (first..).zip(chunk) {
                    *slot = tree.count(tree.levels.len(), unit * FAN..below.min((unit + 1) * FAN));
                }
            });
            tree.levels.push((values, counts));
        }
        Ok(tree)
    }

    fn none(&self) -> CountedValue<F::Value> {
        CountedValue { value: self.fold.identity(), count: 0 }
    }

    fn merge(&self, a: CountedValue<F::Value>, b: CountedValue<F::Value>) -> CountedValue<F::Value> {
        CountedValue { value: self.fold.merge(a.value, b.value), count: a.count + b.count }
    }

    #[inline]
    fn row(&self, row: usize) -> CountedValue<F::Value> {
        if self.valid.is_none_or(|valid| valid.get(row)) {
            CountedValue { value: self.fold.row(row), count: 1 }
        } else {
            self.none()
        }
    }

    /// Combines units of a level.
    fn units(&self, level: usize, units: Range<usize>) -> CountedValue<F::Value> {
        match level.checked_sub(1).and_then(|level| self.levels.get(level)) {
            None => units.fold(self.none(), |all, row| self.merge(all, self.row(row))),
            Some((values, counts)) => units.fold(self.none(), |all, unit| {
                self.merge(all, CountedValue { value: values[unit], count: counts[unit] })
            }),
        }
    }

    fn count(&self, level: usize, units: Range<usize>) -> u64 {
        match (level.checked_sub(1).and_then(|level| self.levels.get(level)), self.valid) {
            (Some((_, counts)), _) => counts[units].iter().sum(),
            (None, Some(valid)) => units.filter(|&row| valid.get(row)).count() as u64,
            (None, None) => units.len() as u64,
        }
    }

    pub(super) fn query(&self, rows: Range<usize>) -> CountedValue<F::Value> {
        let (mut low, mut high) = (rows.start, rows.end);
        let mut all = self.none();
        let mut level = 0;
        while level < self.levels.len() && high - low > 2 * FAN {
            let (inner_low, inner_high) = (low.div_ceil(FAN), high / FAN);
            all = self.merge(all, self.units(level, low..inner_low * FAN));
            all = self.merge(all, self.units(level, inner_high * FAN..high));
            (low, high, level) = (inner_low, inner_high, level + 1);
        }
        self.merge(all, self.units(level, low..high))
    }

    /// Calls `each` with the index and the aggregate of each window.
    pub(super) fn slide(&self, windows: &[Range<usize>], mut each: impl FnMut(usize, CountedValue<F::Value>)) {
        let mut suffixes = [self.none(); BLOCK];
        let mut first = 0;
        while first < windows.len() {
            let run = sliding(&windows[first..]);
            let own = &windows[first..first + run];
            let (Some(from), Some(to)) = (own.first(), own.last()) else { return };
            if run == 1 {
                each(first, self.query(from.clone()));
                first += 1;
                continue;
            }
            let shared = to.start..from.end;
            let (mut suffix, mut at) = (self.none(), shared.start);
            for (window, slot) in own.iter().zip(&mut suffixes).rev() {
                suffix = (window.start..at).rev().fold(suffix, |suffix, row| self.merge(self.row(row), suffix));
                at = window.start;
                *slot = suffix;
            }
            let (mut prefix, mut at) = (self.query(shared.clone()), shared.end);
            for (number, (window, suffix)) in own.iter().zip(&suffixes).enumerate() {
                prefix = (at..window.end).fold(prefix, |prefix, row| self.merge(prefix, self.row(row)));
                at = window.end;
                each(first + number, self.merge(*suffix, prefix));
            }
            first += run;
        }
    }
}

/// Returns how many windows can be aggregated together, counted from the first window.
fn sliding(windows: &[Range<usize>]) -> usize {
    let Some(first) = windows.first() else { return 0 };
    let within = |window: &Range<usize>| {
        window.start <= first.end && window.start - first.start <= REACH && window.end - first.end <= REACH
    };
    let grow =
        |pair: &&[Range<usize>]| pair[1].start >= pair[0].start && pair[1].end >= pair[0].end && within(&pair[1]);
    1 + windows.windows(2).take_while(grow).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_where_a_bound_goes_back_or_leaves_the_first_window() {
        assert_eq!(sliding(&[0..3, 1..4, 2..5, 3..6, 4..7]), 4);
        assert_eq!(sliding(&[5..9, 4..10]), 1);
        assert_eq!(sliding(&[0..9, 0..8]), 1);
        assert_eq!(sliding(&[0..9, 0..10 + REACH]), 1);
        assert_eq!(sliding(&[]), 0);
    }
}
