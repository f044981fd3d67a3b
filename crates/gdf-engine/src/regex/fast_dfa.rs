//! A DFA for the CPU. The tables are those of [`dfa`](super::dfa), and the search is that of
//! `kernels/include/gdf/regex.cuh`.

use regex_automata::Anchored;
use regex_automata::nfa::thompson::{self, NFA};
use regex_syntax::hir::Hir;

use super::dfa::{self, Dfa, STARTS};

/// The maximum number of states of an NFA from which a small DFA is built. The tables of such a DFA are small and
/// quickly built.
const MAX_NFA_STATES: usize = 256;

/// The error that the automaton has given up. DFAs cannot test a Unicode word boundary next to a non-ASCII character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GaveUp;

/// A DFA in which the number of a state is the position of the state's first entry in the table. This position is the
/// index of the state times the stride.
#[derive(Debug)]
struct FlatDfa {
    classes: [u8; 256],
    starts: Vec<u32>,
    next: Vec<u32>,
    stride: u32,
    first_match: u32,
}

#[derive(Debug)]
pub(super) struct FastDfa {
    forward: FlatDfa,
    reverse: FlatDfa,
}

impl FlatDfa {
    fn new(dfa: &Dfa) -> Self {
        let stride = dfa.stride as u32;
        let place = |state: &u16| u32::from(*state) * stride;
        Self {
            classes: dfa.classes,
            starts: dfa.starts.iter().map(place).collect(),
            next: dfa.next.iter().map(place).collect(),
            stride,
            first_match: place(&dfa.first_match),
        }
    }

    fn is_last(&self, state: u32) -> bool {
        state <= self.stride
    }

    /// Returns whether a state is the dead state, the quit state, or a match state.
    fn is_special(&self, state: u32) -> bool {
        self.is_last(state) || state >= self.first_match
    }

    /// Returns the result of a search that has reached the dead state or the quit state.
    fn ended(&self, state: u32, last: Option<usize>) -> Result<Option<usize>, GaveUp> {
        if state == self.stride { Err(GaveUp) } else { Ok(last) }
    }

    fn start(&self, kind: usize, neighbor: Option<&u8>) -> u32 {
        self.starts[kind * STARTS + neighbor.map_or(256, |byte| usize::from(*byte))]
    }

    fn after(&self, state: u32, byte: u8) -> u32 {
        self.next[state as usize + usize::from(self.classes[usize::from(byte)])]
    }

    fn after_end(&self, state: u32) -> u32 {
        self.next[(state + self.stride - 1) as usize]
    }

    /// Finds the end of the match of highest preference.
    fn end(&self, text: &[u8], from: usize, anchored: bool, earliest: bool) -> Result<Option<usize>, GaveUp> {
        let mut state = self.start(anchored.into(), text[..from].last());
        if self.is_last(state) {
            return self.ended(state, None);
        }
        let mut last = None;
        for (at, byte) in text[from..].iter().enumerate() {
            state = self.after(state, *byte);
            if self.is_special(state) {
                if self.is_last(state) {
                    return self.ended(state, last);
                }
                last = Some(from + at);
                if earliest {
                    return Ok(last);
                }
            }
        }
        state = self.after_end(state);
        if state >= self.first_match { Ok(Some(text.len())) } else { self.ended(state, last) }
    }

    /// Finds the earliest beginning, at or after `from`, of a match that ends at `end`.
    fn begin(&self, text: &[u8], from: usize, end: usize) -> Result<Option<usize>, GaveUp> {
        let mut state = self.start(0, text.get(end));
        if self.is_last(state) {
            return self.ended(state, None);
        }
        let mut first = None;
        for (back, byte) in text[from..end].iter().rev().enumerate() {
            state = self.after(state, *byte);
            if self.is_special(state) {
                if self.is_last(state) {
                    return self.ended(state, first);
                }
                first = Some(end - back);
            }
        }
        state = match text[..from].last() {
            Some(byte) => self.after(state, *byte),
            None => self.after_end(state),
        };
        if state >= self.first_match { Ok(Some(from)) } else { self.ended(state, first) }
    }
}

impl FastDfa {
    /// Builds the automata of a pattern, or returns `None` if the tables would be large.
    pub(super) fn new(meaning: &Hir) -> Option<Self> {
        let table = |reverse| {
            let config = thompson::Config::new().reverse(reverse).which_captures(thompson::WhichCaptures::None);
            let nfa = NFA::compiler().configure(config).build_from_hir(meaning).ok()?;
            (nfa.states().len() <= MAX_NFA_STATES).then(|| dfa::build(&nfa)).flatten()
        };
        Some(Self { forward: FlatDfa::new(&table(false)?), reverse: FlatDfa::new(&table(true)?) })
    }

    /// Finds the leftmost match that begins at or after `from`. `from` must be the beginning of a character or the
    /// end of the text.
    pub(super) fn find(&self, text: &[u8], mut from: usize) -> Result<Option<(usize, usize)>, GaveUp> {
        loop {
            let Some(end) = self.forward.end(text, from, false, false)? else { return Ok(None) };
            let begin = if end == from { from } else { self.reverse.begin(text, from, end)?.ok_or(GaveUp)? };
            // An empty match between the bytes of a character does not count.
            if begin < end || !is_within(text, end) {
                return Ok(Some((begin, end)));
            }
            from = character_after(text, end);
        }
    }

    /// Returns whether the text has a match.
    pub(super) fn is_match(&self, text: &[u8], anchored: Anchored) -> Result<bool, GaveUp> {
        let anchored = anchored.is_anchored();
        match self.forward.end(text, 0, anchored, true)? {
            Some(end) if is_within(text, end) => {
                if anchored {
                    Err(GaveUp)
                } else {
                    Ok(self.find(text, 0)?.is_some())
                }
            }
            end => Ok(end.is_some()),
        }
    }
}

fn is_within(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80)
}

fn character_after(text: &[u8], at: usize) -> usize {
    (at + 1..text.len()).find(|at| !is_within(text, *at)).unwrap_or(text.len())
}
