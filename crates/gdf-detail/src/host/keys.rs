//! Rows of key columns as words to look up in hash tables: the twin of `kernels/include/gdf/row_keys.cuh`.

use super::KeyColumn;
use crate::keys::Packing;

/// The key columns, open, and how they pack.
#[derive(Debug)]
pub(crate) struct HostKeys<'a> {
    pub(crate) columns: Vec<KeyColumn<'a>>,
    pub(crate) packing: Option<Packing>,
    /// Rows with a null take no part.
    pub(crate) exclude: bool,
    /// Rows with a NaN take no part.
    pub(crate) exclude_nans: bool,
}

/// Rows whose keys are worked out together.
pub(crate) const KEY_BLOCK: usize = 1024;

/// Flags of a row: its key is its word; its key is a null that has no bit of its own; it takes no part.
pub(crate) const PLAIN: u32 = 0;
pub(crate) const NULL: u32 = 1;
pub(crate) const NOWHERE: u32 = 2;

impl HostKeys<'_> {
    /// Words and flags of rows `first ..`, at most [`KEY_BLOCK`].
    pub(crate) fn words_into(&self, first: usize, words: &mut [u64], flags: &mut [u32]) {
        self.words_of_values(first, words, flags);
        if self.exclude_nans {
            for column in &self.columns {
                let nans = (first..).zip(&mut *flags).filter(|(row, _)| column.is_valid(*row) && column.is_nan(*row));
                nans.for_each(|(_, flag)| *flag = NOWHERE);
            }
        }
    }

    fn words_of_values(&self, first: usize, words: &mut [u64], flags: &mut [u32]) {
        words.fill(0);
        flags.fill(PLAIN);
        let Some(packing) = &self.packing else {
            self.columns.iter().for_each(|column| column.hash_into(first, words));
            if self.exclude {
                self.columns.iter().for_each(|column| mark_nulls(column, first, flags));
            }
            return;
        };
        let mut buffer = [0; KEY_BLOCK];
        let bits = &mut buffer[..words.len()];
        for ((column, shift), null_bit) in self.columns.iter().zip(&packing.shifts).zip(&packing.null_bits) {
            column.bits_into(first, bits);
            if !column.has_validity() {
                words.iter_mut().zip(&*bits).for_each(|(word, bits)| *word |= bits << shift);
                continue;
            }
            for (((row, word), bits), flag) in (first..).zip(&mut *words).zip(&*bits).zip(&mut *flags) {
                if column.is_valid(row) {
                    *word |= bits << shift;
                } else if let Some(bit) = null_bit {
                    *word |= 1 << bit;
                } else {
                    *flag = if packing.special_null { NULL } else { NOWHERE };
                }
            }
        }
    }

    /// Whether row `i` here has the key of row `j` there, when words and flags are the same.
    pub(crate) fn same(&self, i: usize, other: &HostKeys<'_>, j: usize) -> bool {
        self.packing.is_some() || self.columns.iter().zip(&other.columns).all(|(a, b)| a.equal(i, b, j))
    }
}

fn mark_nulls(column: &KeyColumn<'_>, first: usize, flags: &mut [u32]) {
    if column.has_validity() {
        for (row, flag) in (first..).zip(flags) {
            if !column.is_valid(row) {
                *flag = NOWHERE;
            }
        }
    }
}
