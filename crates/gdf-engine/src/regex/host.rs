//! The CPU half: the searches of regex-automata, row by row; of short rows those of a small DFA.

use gdf_core::{Column, Result};
use regex_automata::dfa::onepass;
use regex_automata::nfa::thompson::NFA;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::Look;
use smallvec::SmallVec;

use super::fast_dfa::FastDfa;
use super::{Answer, CacheGuard, Inner};
use crate::elementwise::Rows;
use crate::host::StringRows;

/// Positions of the whole match and of groups, each where it begins and where it ends.
pub(super) type Slots = SmallVec<[Option<NonMaxUsize>; 8]>;

/// Fewer bytes than this are not worth a DFA.
const MIN_DFA_BYTES: usize = 1 << 16;

/// Longer rows, in the mean, are left to regex-automata.
const MAX_DFA_ROW: usize = 128;

/// Bytes of an automaton that finds groups.
const ONE_PASS_LIMIT: usize = 1 << 20;

/// What searches rows one after another.
pub(super) struct Searcher<'r> {
    regex: &'r Inner,
    dfa: Option<&'r FastDfa>,
    /// Taken when regex-automata is first asked.
    cache: Option<CacheGuard<'r>>,
    /// What finds groups, when those are first asked for, if the pattern allows it.
    groups: Option<Option<(&'r onepass::DFA, onepass::Cache)>>,
}

impl Inner {
    /// The DFA for `rows` rows of `bytes` bytes in all, if it is worth its time and small, and regex-automata does not skip to
    /// where a literal of the pattern is.
    pub(super) fn fast(&self, rows: usize, bytes: usize) -> Option<&FastDfa> {
        let is_worth_it = bytes >= MIN_DFA_BYTES && bytes / rows.max(1) <= MAX_DFA_ROW && !self.host.is_accelerated();
        is_worth_it.then(|| self.fast.get_or_init(|| FastDfa::new(&self.meaning)).as_ref()).flatten()
    }

    /// The automaton that finds the groups of a match within it, if each byte leaves one state to go on with.
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
    /// The first match of a text that begins at `from` or later.
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

    /// As [`first`](Self::first) with groups: those within the match that the DFA finds. None if the pattern has no automaton
    /// for that.
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
        if let Some(Ok(found)) = self.dfa.map(|dfa| dfa.is_match(text, anchored)) {
            return found;
        }
        // The earliest end may be that of an empty match within a character, behind which a match that began before it is lost.
        let splits = self.regex.meaning.properties().look_set().contains(Look::WordAsciiNegate);
        let input = Input::new(text).anchored(anchored).earliest(!splits);
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
