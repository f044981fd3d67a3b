//! Searches on the CPU, row by row. A small DFA searches short rows, and the engines of regex-automata search other
//! rows.

use gdf_core::{Column, Result};
use regex_automata::dfa::onepass;
use regex_automata::nfa::thompson::NFA;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input};
use smallvec::SmallVec;

use super::fast_dfa::FastDfa;
use super::{Answer, CacheGuard, Inner, may_split_characters};
use crate::elementwise::Rows;
use crate::host::StringRows;

/// The positions of the whole match and of its groups. The match and each group have two slots, for the beginning and
/// the end.
pub(super) type Slots = SmallVec<[Option<NonMaxUsize>; 8]>;

/// The minimum number of bytes of a column for which building the small DFA is worthwhile.
const MIN_DFA_BYTES: usize = 1 << 16;

/// The maximum mean length of rows in bytes for which the small DFA is used. Longer rows are searched by
/// regex-automata.
const MAX_DFA_ROW: usize = 128;

/// The maximum number of bytes of the one-pass DFA that finds groups.
const ONE_PASS_LIMIT: usize = 1 << 20;

pub(super) struct Searcher<'r> {
    regex: &'r Inner,
    dfa: Option<&'r FastDfa>,
    /// The memory that regex-automata needs for a search. It is taken from the pool when regex-automata is first used.
    cache: Option<CacheGuard<'r>>,
    /// The one-pass DFA that finds groups, and its memory.
    groups: Option<Option<(&'r onepass::DFA, onepass::Cache)>>,
}

impl Inner {
    /// Returns the small DFA for `rows` rows of `bytes` bytes in total.
    pub(super) fn fast(&self, rows: usize, bytes: usize) -> Option<&FastDfa> {
        let is_worth_it = bytes >= MIN_DFA_BYTES && bytes / rows.max(1) <= MAX_DFA_ROW && !self.host.is_accelerated();
        is_worth_it.then(|| self.fast.get_or_init(|| FastDfa::new(&self.meaning)).as_ref()).flatten()
    }

    /// Returns the one-pass DFA, which finds the groups within a match.
    pub(super) fn one_pass(&self) -> Option<&onepass::DFA> {
        let build = || {
            let nfa = NFA::compiler().build_from_hir(&self.meaning).ok()?;
            let config = onepass::Config::new().size_limit(Some(ONE_PASS_LIMIT));
            onepass::Builder::new().configure(config).build_from_nfa(nfa).ok()
        };
        self.one_pass.get_or_init(build).as_ref()
    }

    pub(super) fn searcher<'r>(&'r self, dfa: Option<&'r FastDfa>) -> Searcher<'r> {
        Searcher { regex: self, dfa, cache: None, groups: None }
    }
}

impl Searcher<'_> {
    fn first(&mut self, text: &[u8], from: usize, slots: &mut Slots) -> Option<(usize, usize)> {
        let found = match self.dfa {
            Some(dfa) if slots.len() == 2 => dfa.find(text, from).ok().map(|found| {
                let (begin, end) = found?;
                slots.copy_from_slice(&[NonMaxUsize::new(begin), NonMaxUsize::new(end)]);
                found
            }),
            Some(dfa) => self.first_groups(dfa, text, from, slots),
            None => None,
        };
        if let Some(found) = found {
            return found;
        }
        let cache = self.cache.get_or_insert_with(|| self.regex.caches.get());
        self.regex.host.search_slots_with(cache, &Input::new(text).range(from..), slots)?;
        Some((slots.first()?.as_ref()?.get(), slots.get(1)?.as_ref()?.get()))
    }

    /// Finds the first match by the small DFA, and the groups within the match by the one-pass DFA.
    #[inline(never)]
    fn first_groups(
        &mut self,
        dfa: &FastDfa,
        text: &[u8],
        from: usize,
        slots: &mut Slots,
    ) -> Option<Option<(usize, usize)>> {
        let regex = self.regex;
        let one_pass = || regex.one_pass().map(|dfa| (dfa, dfa.create_cache()));
        let (groups, cache) = self.groups.get_or_insert_with(one_pass).as_mut()?;
        let Some((begin, end)) = dfa.find(text, from).ok()? else { return Some(None) };
        let input = Input::new(text).range(begin..end).anchored(Anchored::Yes);
        groups.try_search_slots(cache, &input, slots).ok()??;
        Some(Some((begin, end)))
    }

    /// Finds the next match after a match that ended at `last`. The function ignores an empty match at `last`.
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

    /// Calls `see` with each match of a text and the slots of the match, until `see` returns false.
    pub(super) fn for_each(&mut self, text: &[u8], groups: usize, mut see: impl FnMut((usize, usize), &Slots) -> bool) {
        let (mut slots, mut last) = (Slots::from_elem(None, 2 + 2 * groups), None);
        while let Some(found) = self.next(text, last, &mut slots) {
            if !see(found, &slots) {
                return;
            }
            last = Some(found.1);
        }
    }

    pub(super) fn is_match(&mut self, text: &[u8], anchored: Anchored) -> bool {
        if let Some(Ok(found)) = self.dfa.map(|dfa| dfa.is_match(text, anchored)) {
            return found;
        }
        // A search for the earliest end may find an empty match within a character. regex-automata would reject that
        // match and continue after it. It would then miss a match that began earlier.
        let input = Input::new(text).anchored(anchored).earliest(!may_split_characters(&self.regex.meaning));
        let cache = self.cache.get_or_insert_with(|| self.regex.caches.get());
        self.regex.host.search_half_with(cache, &input).is_some()
    }

    /// Returns the number that `answer` requests: the number of matches, or the index of the character at which the
    /// first match begins. The index is −1 if there is no match.
    fn number(&mut self, text: &[u8], answer: Answer) -> i32 {
        let mut value = if answer == Answer::Count { 0 } else { -1 };
        self.for_each(text, 0, |(begin, _), _| {
            if answer == Answer::Count {
                value += 1;
                return true;
            }
            let is_first = |byte: &&u8| (**byte as i8) >= -0x40; // the first byte of a character
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
