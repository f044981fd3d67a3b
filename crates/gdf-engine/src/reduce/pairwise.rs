//! Sums of doubles by pairwise summation. The error grows with the logarithm of the number of rows.

/// The number of partial sums of a block. They are added in parallel in the lanes of a vector.
const LANES: usize = 8;

/// The sums of 1, 2, 4, … blocks. If bit `i` of the number of blocks is set, level `i` has a sum of `2^i` blocks.
#[derive(Clone, Copy, Debug)]
pub struct Pairwise {
    levels: [f64; 32],
    blocks: u32,
}

impl Default for Pairwise {
    fn default() -> Self {
        Self { levels: [0.0; 32], blocks: 0 }
    }
}

impl Pairwise {
    /// Adds a block of rows. `of` is applied to each row before the addition.
    #[inline]
    pub fn add_block(self, rows: &[f64], of: impl Fn(f64) -> f64) -> Self {
        let mut lanes = [0.0; LANES];
        for rows in rows.chunks(LANES) {
            for (lane, row) in lanes.iter_mut().zip(rows) {
                *lane += of(*row);
            }
        }
        self.push(lanes.into_iter().fold(0.0, |all, lane| all + lane))
    }

    fn push(mut self, block: f64) -> Self {
        let mut carry = block;
        let full = self.blocks.trailing_ones() as usize;
        for level in &self.levels[..full.min(31)] {
            carry += level;
        }
        self.levels[full.min(31)] = carry;
        self.blocks = self.blocks.wrapping_add(1);
        self
    }

    pub fn total(self) -> f64 {
        let waiting = (0..32).filter(|level| self.blocks >> level & 1 == 1);
        waiting.fold(0.0, |all, level| all + self.levels[level])
    }

    /// Adds another sum as if it were one block. The caller must merge the sums of chunks in the order of the chunks,
    /// so that the result is reproducible.
    pub fn merge(self, other: Self) -> Self {
        self.push(other.total())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_complete_and_accurate() {
        for blocks in [0, 1, 2, 3, 7, 8, 100] {
            let rows: Vec<f64> = (0..blocks * 64).map(|row| f64::from(row % 7)).collect();
            let sum = rows.chunks(64).fold(Pairwise::default(), |all, rows| all.add_block(rows, |row| row));
            assert_eq!(sum.total(), rows.iter().sum::<f64>());
            let squares = rows.chunks(64).fold(Pairwise::default(), |all, rows| all.add_block(rows, |row| row * row));
            assert_eq!(squares.total(), rows.iter().map(|row| row * row).sum::<f64>());
        }
        let tenths = [0.1; 64];
        let sum = (0..10_000).fold(Pairwise::default(), |all, _| all.add_block(&tenths, |row| row));
        assert!((sum.total() - 64_000.0).abs() < 1e-9);
    }
}
