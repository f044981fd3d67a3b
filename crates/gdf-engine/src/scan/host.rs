//! Scans rows in chunks on all threads. A first pass computes the total of each chunk. A second pass scans each chunk,
//! starting from the total of all preceding chunks. The order of the operations depends only on the number of rows, so
//! that sums of floats are reproducible.

use crate::host::{Bits, for_each_task, map_chunks, task_rows};

/// The number of rows of a block, whose validity is one word of the mask.
const BLOCK: usize = 64;

/// A scan of values of type `C`: the loading of values, and the operation that combines them.
pub struct Steps<'a, C, L, O> {
    /// The neutral element of the operation, which is the value of no rows.
    pub identity: C,
    /// A function that fills a block with the values of the rows from the given row on.
    pub load: L,
    pub operation: O,
    /// The valid rows. Other rows count as the identity.
    pub valid: Option<Bits<'a>>,
    /// Whether the scan is exclusive: the result of a row does not include the row itself.
    pub exclusive: bool,
}

impl<C, L, O> Steps<'_, C, L, O>
where
    C: Copy + Send + Sync,
    L: Fn(usize, &mut [C]) + Sync,
    O: Fn(C, C) -> C + Sync,
{
    /// Scans all rows, and writes `give(prefix)` for each row. The prefix of a row is the combination of all rows up to
    /// this row. An exclusive scan leaves out the row itself.
    pub fn run<T: Send>(&self, out: &mut [T], give: impl Fn(C) -> T + Sync) {
        let task = task_rows();
        if out.len() <= task || gdf_core::thread_count() == 1 {
            let mut before = self.identity;
            for (index, chunk) in out.chunks_mut(task).enumerate() {
                let own = self.write(index * task, chunk, before, &give);
                before = (self.operation)(before, own);
            }
            return;
        }
        let totals = map_chunks(out.len(), |rows| self.total(rows));
        let starts = totals.into_iter().scan(self.identity, |before, own| {
            let after = (self.operation)(*before, own);
            Some(std::mem::replace(before, after))
        });
        let tasks = out.chunks_mut(task).zip(starts).collect();
        for_each_task(tasks, |index, (chunk, before)| {
            self.write(index * task, chunk, before, &give);
        });
    }

    fn total(&self, rows: std::ops::Range<usize>) -> C {
        let mut block = [self.identity; BLOCK];
        let mut own = self.identity;
        for first in rows.clone().step_by(BLOCK) {
            let block = &mut block[..BLOCK.min(rows.end - first)];
            self.fill(first, block);
            own = block.iter().fold(own, |own, row| (self.operation)(own, *row));
        }
        own
    }

    /// Writes the results of a chunk whose first row is `first`.
    fn write<T>(&self, first: usize, chunk: &mut [T], before: C, give: &impl Fn(C) -> T) -> C {
        let mut rows = [self.identity; BLOCK];
        let mut own = self.identity;
        for (index, out) in chunk.chunks_mut(BLOCK).enumerate() {
            let rows = &mut rows[..out.len()];
            self.fill(first + index * BLOCK, rows);
            if self.exclusive {
                for (out, row) in out.iter_mut().zip(rows) {
                    *out = give((self.operation)(before, own));
                    own = (self.operation)(own, *row);
                }
            } else {
                for (out, row) in out.iter_mut().zip(rows) {
                    own = (self.operation)(own, *row);
                    *out = give((self.operation)(before, own));
                }
            }
        }
        own
    }

    fn fill(&self, first: usize, block: &mut [C]) {
        (self.load)(first, block);
        let Some(valid) = self.valid else { return };
        let word = valid.word(first / BLOCK);
        if word.count_ones() as usize == block.len() {
            return;
        }
        for (index, row) in block.iter_mut().enumerate() {
            if word >> index & 1 == 0 {
                *row = self.identity;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_the_number_of_threads() {
        let rows: Vec<f64> = (0..3 * task_rows() + 77).map(|row| 1.0 / (row as f64 + 1.0)).collect();
        for exclusive in [false, true] {
            let load = |first: usize, out: &mut [f64]| out.copy_from_slice(&rows[first..first + out.len()]);
            let steps = Steps { identity: 0.0, load, operation: |a: f64, b: f64| a + b, valid: None, exclusive };
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut out = vec![0.0; rows.len()];
                pool.install(|| steps.run(&mut out, |sum| sum));
                out
            };
            let one = run(1);
            assert_eq!(one, run(2));
            assert_eq!(one, run(5));
        }
    }
}
