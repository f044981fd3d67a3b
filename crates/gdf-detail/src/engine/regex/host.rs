//! The CPU half: the searches of regex-automata, row by row.

use gdf_core::{Column, Result};
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input, meta};
use smallvec::SmallVec;

use super::{Answer, Inner};
use crate::engine::elementwise::Rows;
use crate::host::StringRows;

/// Positions of the whole match and of groups, each where it begins and where it ends.
pub(super) type Slots = SmallVec<[Option<NonMaxUsize>; 8]>;

impl Inner {
    /// The next match after one that ended at `last`. No empty match is where that is.
    fn next(
        &self,
        cache: &mut meta::Cache,
        text: &[u8],
        last: Option<usize>,
        slots: &mut Slots,
    ) -> Option<(usize, usize)> {
        let mut from = last.unwrap_or(0);
        while from <= text.len() {
            self.host.search_slots_with(cache, &Input::new(text).range(from..), slots)?;
            let (begin, end) = (slots.first()?.as_ref()?.get(), slots.get(1)?.as_ref()?.get());
            if begin < end || last != Some(end) {
                return Some((begin, end));
            }
            from = end + 1;
        }
        None
    }

    /// Calls `see` with the slots of each match of a text, of as many groups as asked for, until it returns false.
    pub(super) fn for_each(
        &self,
        cache: &mut meta::Cache,
        text: &[u8],
        groups: usize,
        mut see: impl FnMut((usize, usize), &Slots) -> bool,
    ) {
        let (mut slots, mut last) = (Slots::from_elem(None, 2 + 2 * groups), None);
        while let Some(found) = self.next(cache, text, last, &mut slots) {
            if !see(found, &slots) {
                return;
            }
            last = Some(found.1);
        }
    }

    fn is_match(&self, cache: &mut meta::Cache, text: &[u8], anchored: Anchored) -> bool {
        let input = Input::new(text).anchored(anchored).earliest(true);
        self.host.search_half_with(cache, &input).is_some()
    }

    /// The number of matches, or the character at which the first one begins.
    fn number(&self, cache: &mut meta::Cache, text: &[u8], answer: Answer) -> i32 {
        let mut value = if answer == Answer::Count { 0 } else { -1 };
        self.for_each(cache, text, 0, |(begin, _), _| {
            if answer == Answer::Count {
                value += 1;
                return true;
            }
            let is_first = |byte: &&u8| (**byte as i8) >= -0x40; // of a character
            value = text.iter().take(begin).filter(is_first).count() as i32;
            false
        });
        value
    }
}

pub(super) fn search(rows: &Rows<'_, 1>, texts: &StringRows<'_>, regex: &Inner, answer: Answer) -> Result<Column> {
    let anchored = match answer {
        Answer::Contains => Anchored::No,
        Answer::Matches => Anchored::Yes,
        Answer::Count | Answer::Find => {
            return rows.filled(
                || rows.mask(),
                |first, out: &mut [i32]| {
                    let mut cache = regex.caches.get();
                    for (row, slot) in (first..).zip(out) {
                        *slot = regex.number(&mut cache, texts.get(row), answer);
                    }
                },
            );
        }
    };
    let len = rows.len();
    let word = |word: usize| {
        let mut cache = regex.caches.get();
        let rows = (word * 64..len.min(word * 64 + 64)).enumerate();
        rows.fold(0, |bits, (bit, row)| bits | u64::from(regex.is_match(&mut cache, texts.get(row), anchored)) << bit)
    };
    rows.bits(|| rows.mask(), word)
}
