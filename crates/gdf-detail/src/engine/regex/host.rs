//! The CPU half: the searches of regex-automata, row by row; of short rows those of a small DFA.

use gdf_core::{Column, Result};
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input};
use smallvec::SmallVec;

use super::fast_dfa::FastDfa;
use super::{Answer, CacheGuard, Inner};
use crate::engine::elementwise::Rows;
use crate::host::StringRows;

/// Positions of the whole match and of groups, each where it begins and where it ends.
pub(super) type Slots = SmallVec<[Option<NonMaxUsize>; 8]>;

/// Fewer bytes than this are not worth a DFA.
const MIN_DFA_BYTES: usize = 1 << 16;

/// Longer rows, in the mean, are left to regex-automata.
const MAX_DFA_ROW: usize = 128;

/// What searches rows one after another.
pub(super) struct Searcher<'r> {
    regex: &'r Inner,
    dfa: Option<&'r FastDfa>,
    /// Taken when regex-automata is first asked.
    cache: Option<CacheGuard<'r>>,
}

impl Inner {
    /// The DFA for `rows` rows of `bytes` bytes in all, if it is worth its time and small, and regex-automata does not skip to
    /// where a literal of the pattern is.
    pub(super) fn fast(&self, rows: usize, bytes: usize) -> Option<&FastDfa> {
        let is_worth_it = bytes >= MIN_DFA_BYTES && bytes / rows.max(1) <= MAX_DFA_ROW && !self.host.is_accelerated();
        is_worth_it.then(|| self.fast.get_or_init(|| FastDfa::new(&self.meaning)).as_ref()).flatten()
    }

    pub(super) fn searcher<'r>(&'r self, dfa: Option<&'r FastDfa>) -> Searcher<'r> {
        Searcher { regex: self, dfa, cache: None }
    }
}

impl Searcher<'_> {
    /// The first match of a text that begins at `from` or later.
    fn first(&mut self, text: &[u8], from: usize, slots: &mut Slots) -> Option<(usize, usize)> {
        if let (2, Some(dfa)) = (slots.len(), self.dfa)
            && let Ok(found) = dfa.find(text, from)
        {
            let (begin, end) = found?;
            slots.copy_from_slice(&[NonMaxUsize::new(begin), NonMaxUsize::new(end)]);
            return found;
        }
        let cache = self.cache.get_or_insert_with(|| self.regex.caches.get());
        self.regex.host.search_slots_with(cache, &Input::new(text).range(from..), slots)?;
        Some((slots.first()?.as_ref()?.get(), slots.get(1)?.as_ref()?.get()))
    }

    /// The next match after one that ended at `last`. No empty match is where that is.
    fn next(&mut self, text: &[u8], last: Option<usize>, slots: &mut Slots) -> Option<(usize, usize)> {
        let mut from = last.unwrap_or(0);
        while from <= text.len() {
            let (begin, end) = self.first(text, from, slots)?;
            if begin < end || last != Some(end) {
                return Some((begin, end));
            }
            from = end + 1;
        }
        None
    }

    /// Calls `see` with each match of a text and the slots of it and of as many groups as asked for, until it returns false.
    pub(super) fn for_each(&mut self, text: &[u8], groups: usize, mut see: impl FnMut((usize, usize), &Slots) -> bool) {
        let (mut slots, mut last) = (Slots::from_elem(None, 2 + 2 * groups), None);
        while let Some(found) = self.next(text, last, &mut slots) {
            if !see(found, &slots) {
                return;
            }
            last = Some(found.1);
        }
    }

    fn is_match(&mut self, text: &[u8], anchored: Anchored) -> bool {
        if let Some(Ok(found)) = self.dfa.map(|dfa| dfa.is_match(text, anchored == Anchored::Yes)) {
            return found;
        }
        let input = Input::new(text).anchored(anchored).earliest(true);
        let cache = self.cache.get_or_insert_with(|| self.regex.caches.get());
        self.regex.host.search_half_with(cache, &input).is_some()
    }

    /// The number of matches, or the character at which the first one begins.
    fn number(&mut self, text: &[u8], answer: Answer) -> i32 {
        let mut value = if answer == Answer::Count { 0 } else { -1 };
        self.for_each(text, 0, |(begin, _), _| {
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
    let dfa = regex.fast(rows.len(), rows.input().chars()?.len());
    let anchored = match answer {
        Answer::Contains => Anchored::No,
        Answer::Matches => Anchored::Yes,
        Answer::Count | Answer::Find => {
            return rows.filled(
                || rows.mask(),
                |first, out: &mut [i32]| {
                    let mut searcher = regex.searcher(dfa);
                    for (row, slot) in (first..).zip(out) {
                        *slot = searcher.number(texts.get(row), answer);
                    }
                },
            );
        }
    };
    let len = rows.len();
    let word = |word: usize| {
        let mut searcher = regex.searcher(dfa);
        let rows = (word * 64..len.min(word * 64 + 64)).enumerate();
        rows.fold(0, |bits, (bit, row)| bits | u64::from(searcher.is_match(texts.get(row), anchored)) << bit)
    };
    rows.bits(|| rows.mask(), word)
}
