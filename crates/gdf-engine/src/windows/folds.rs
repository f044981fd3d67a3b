//! The operations that combine the rows of a window on the CPU.

use bytemuck::Pod;
use gdf_core::I256;

use super::Operation;
use super::slide::Fold;
use crate::host::StringRows;
use crate::rounding::ordered_key;

/// 64-bit integers. XOR with `flip` maps unsigned integers to `i64` of the same order.
pub(super) struct Words<'a> {
    pub(super) rows: &'a [i64],
    pub(super) operation: Operation,
    pub(super) flip: i64,
}

impl Fold for Words<'_> {
    type Value = i64;

    fn identity(&self) -> i64 {
        match self.operation {
            Operation::Maximum => i64::MIN,
            Operation::Minimum => i64::MAX,
            Operation::Sum | Operation::Count => 0,
        }
    }

    fn row(&self, row: usize) -> i64 {
        self.rows.get(row).map_or(0, |value| value ^ self.flip)
    }

    fn merge(&self, a: i64, b: i64) -> i64 {
        match self.operation {
            Operation::Maximum => a.max(b),
            Operation::Minimum => a.min(b),
            Operation::Sum | Operation::Count => a.wrapping_add(b),
        }
    }
}

/// Doubles, represented by integers of the same order. If `flip` is 0, the result is the largest double. If `flip` is
/// −1, the result is the smallest double.
pub(super) struct OrderedKeys<'a> {
    pub(super) rows: &'a [f64],
    /// All bits are set to compute the smallest double, and no bit is set to compute the largest double.
    pub(super) flip: i64,
}

impl Fold for OrderedKeys<'_> {
    type Value = i64;

    fn identity(&self) -> i64 {
        i64::MIN
    }

    fn row(&self, row: usize) -> i64 {
        ordered_key(self.rows[row]) ^ self.flip
    }

    fn merge(&self, a: i64, b: i64) -> i64 {
        a.max(b)
    }
}

/// An integer type of more than 64 bits.
pub(super) trait WideInteger: Pod + Ord + Send + Sync {
    const MIN: Self;
    const MAX: Self;
    fn plus(self, other: Self) -> Self;
}

impl WideInteger for i128 {
    const MIN: Self = i128::MIN;
    const MAX: Self = i128::MAX;
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl WideInteger for I256 {
    const MIN: Self = I256(arrow_buffer::i256::MIN);
    const MAX: Self = I256(arrow_buffer::i256::MAX);
    fn plus(self, other: Self) -> Self {
        I256(self.0.wrapping_add(other.0))
    }
}

pub(super) struct Integers<'a, T> {
    pub(super) rows: &'a [T],
    pub(super) operation: Operation,
}

impl<T: WideInteger> Fold for Integers<'_, T> {
    type Value = T;

    fn identity(&self) -> T {
        match self.operation {
            Operation::Maximum => T::MIN,
            Operation::Minimum => T::MAX,
            Operation::Sum | Operation::Count => T::zeroed(),
        }
    }

    fn row(&self, row: usize) -> T {
        self.rows[row]
    }

    fn merge(&self, a: T, b: T) -> T {
        match self.operation {
            Operation::Maximum => a.max(b),
            Operation::Minimum => a.min(b),
            Operation::Sum | Operation::Count => a.plus(b),
        }
    }
}

pub(super) struct Floats<'a> {
    pub(super) rows: &'a [f64],
}

impl Fold for Floats<'_> {
    type Value = f64;

    fn identity(&self) -> f64 {
        0.0
    }

    fn row(&self, row: usize) -> f64 {
        self.rows[row]
    }

    fn merge(&self, a: f64, b: f64) -> f64 {
        a + b
    }
}

/// The number, the mean and the sum of squared differences from the mean of doubles. Partial results are merged without
/// cancellation (Chan, Golub, LeVeque, 1983).
pub(super) struct Distances<'a> {
    pub(super) rows: &'a [f64],
}

impl Fold for Distances<'_> {
    type Value = [f64; 3];

    fn identity(&self) -> [f64; 3] {
        [0.0; 3]
    }

    fn row(&self, row: usize) -> [f64; 3] {
        [1.0, self.rows[row], 0.0]
    }

    fn merge(&self, a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        if b[0] == 0.0 {
            return a;
        }
        if a[0] == 0.0 {
            return b;
        }
        let count = a[0] + b[0];
        let distance = b[1] - a[1];
        let share = b[0] / count;
        [count, a[1] + distance * share, a[2] + b[2] + distance * distance * (a[0] * share)]
    }
}

/// Texts, represented by row numbers. Among equal texts, the result is the first row.
pub(super) struct Strings<'a> {
    pub(super) rows: StringRows<'a>,
    pub(super) minimum: bool,
}

/// The row number that stands for the result of a window without texts.
const NONE: u64 = u64::MAX;

impl Fold for Strings<'_> {
    type Value = u64;

    fn identity(&self) -> u64 {
        NONE
    }

    fn row(&self, row: usize) -> u64 {
        row as u64
    }

    fn merge(&self, a: u64, b: u64) -> u64 {
        match (a, b) {
            (NONE, other) | (other, NONE) => other,
            (a, b) => {
                let order = self.rows.get(a as usize).cmp(self.rows.get(b as usize));
                let order = if self.minimum { order } else { order.reverse() };
                if order.then(a.cmp(&b)).is_le() { a } else { b }
            }
        }
    }
}
