//! DFAs for kernels: the DFAs of regex-automata, minimized, as tables of 16-bit states.

use std::collections::HashMap;

use gdf_kernels::generated::common::{REGEX_DETAIL_DEAD, REGEX_DETAIL_QUIT, REGEX_DETAIL_START_COUNT};
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::NFA;
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};

/// The state from which no match can be reached.
const DEAD: u16 = REGEX_DETAIL_DEAD as u16;

/// The state in which the automaton gives up. A DFA enters this state when it has to test a Unicode word boundary next
/// to a byte of a non-ASCII character.
const QUIT: u16 = REGEX_DETAIL_QUIT as u16;

/// The maximum number of bytes for the construction, which limits both the tables of regex-automata and the memory for
/// building them.
const BUILD_LIMIT: usize = 4 << 20;

/// The maximum number of entries of a finished table.
const MAX_ENTRIES: usize = 1 << 18;

/// The number of first states of one kind of search (unanchored or anchored).
pub(super) const STARTS: usize = REGEX_DETAIL_START_COUNT;

/// A table of states. The first states are `DEAD` and `QUIT`, which have no transitions to other states. If a search is
/// in a match state, a match has ended before the byte that was read last.
#[derive(Debug)]
pub(super) struct Dfa {
    pub(super) classes: [u8; 256],
    /// The first states, indexed by the preceding byte. The first states of unanchored searches come first, followed by
    /// those of anchored searches.
    pub(super) starts: Vec<u16>,
    /// The number of entries of a state: one for each class of bytes, and a last entry for the end of the text.
    pub(super) stride: usize,
    pub(super) first_match: u16,
    pub(super) next: Vec<u16>,
    /// Whether some text leads to `QUIT`.
    pub(super) quits: bool,
}

/// Builds the automaton that finds the end of a match, or the beginning of a match if the NFA is reversed. The result
/// is `None` if the automaton is too large.
pub(super) fn build(nfa: &NFA) -> Option<Dfa> {
    let reverse = nfa.is_reverse();
    let config = dense::Config::new()
        .start_kind(if reverse { StartKind::Anchored } else { StartKind::Both })
        .match_kind(if reverse { MatchKind::All } else { MatchKind::LeftmostFirst })
        .unicode_word_boundary(true)
        .accelerate(false)
        .dfa_size_limit(Some(BUILD_LIMIT))
        .determinize_size_limit(Some(BUILD_LIMIT));
    let dense = dense::Builder::new().configure(config).build_from_nfa(nfa).ok()?;
    let kinds = if reverse { [Anchored::Yes, Anchored::Yes] } else { [Anchored::No, Anchored::Yes] };
    minimized(&States::reached(&dense, kinds)?)
}

struct States {
    classes: [u8; 256],
    stride: usize,
    starts: Vec<usize>,
    /// The kind of each state: 0 is dead, 1 is quit, 2 is neither, 3 is a match.
    kinds: Vec<u8>,
    next: Vec<usize>,
}

impl States {
    fn reached(dense: &dense::DFA<Vec<u32>>, anchored: [Anchored; 2]) -> Option<Self> {
        let classes: [u8; 256] = std::array::from_fn(|byte| dense.byte_classes().get(byte as u8));
        let count = classes.iter().max().map_or(0, |class| usize::from(*class)) + 1;
        let mut bytes = vec![0; count];
        (0..=u8::MAX).rev().for_each(|byte| bytes[usize::from(classes[usize::from(byte)])] = byte);
        let mut found: Vec<Option<StateID>> = vec![None, None]; // the dead state and the quit state
        let mut numbers = HashMap::new();
        let mut number = |found: &mut Vec<Option<StateID>>, id: StateID| {
            if dense.is_dead_state(id) {
                return usize::from(DEAD);
            }
            if dense.is_quit_state(id) {
                return usize::from(QUIT);
            }
            *numbers.entry(id).or_insert_with(|| {
                found.push(Some(id));
                found.len() - 1
            })
        };
        let mut starts = Vec::with_capacity(2 * STARTS);
        for mode in anchored {
            for before in (0..=u8::MAX).map(Some).chain([None]) {
                let config = start::Config::new().look_behind(before).anchored(mode);
                starts.push(dense.start_state(&config).map_or(usize::from(QUIT), |id| number(&mut found, id)));
            }
        }
        let (stride, mut next, mut at) = (count + 1, Vec::new(), 0);
        while let Some(&state) = found.get(at) {
            match state {
                None => next.extend(std::iter::repeat_n(at, stride)),
                Some(id) => {
                    next.extend(bytes.iter().map(|&byte| number(&mut found, dense.next_state(id, byte))));
                    next.push(number(&mut found, dense.next_eoi_state(id)));
                }
            }
            at += 1;
        }
        let kind = |(at, state): (usize, &Option<StateID>)| match state {
            None => at as u8,
            Some(id) => 2 + u8::from(dense.is_match_state(*id)),
        };
        let kinds = found.iter().enumerate().map(kind).collect();
        Some(Self { classes, stride, starts, kinds, next })
    }
}

/// Minimizes a DFA by Moore's algorithm. The algorithm repeatedly separates two states if some byte leads from them to
/// states that are not equal.
fn minimized(states: &States) -> Option<Dfa> {
    let mut parts: Vec<usize> = states.kinds.iter().map(|kind| usize::from(*kind)).collect();
    let mut count = 0;
    loop {
        let mut numbers = HashMap::new();
        let rows = states.next.chunks(states.stride);
        let refined: Vec<usize> = parts
            .iter()
            .zip(rows)
            .map(|(part, row)| {
                let key: Vec<usize> = std::iter::once(*part).chain(row.iter().map(|next| parts[*next])).collect();
                let new = numbers.len();
                *numbers.entry(key).or_insert(new)
            })
            .collect();
        let before = std::mem::replace(&mut count, numbers.len());
        parts = refined;
        if before == count {
            break;
        }
    }
    // The dead state and the quit state come first, and the match states come last.
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|state| states.kinds[*state]);
    let mut numbers = vec![None; count];
    let mut first_match = None;
    let mut chosen = Vec::with_capacity(count);
    for state in order {
        let number = &mut numbers[parts[state]];
        if number.is_none() {
            *number = Some(u16::try_from(chosen.len()).ok()?);
            if states.kinds[state] == 3 {
                first_match.get_or_insert(chosen.len());
            }
            chosen.push(state);
        }
    }
    if count * states.stride > MAX_ENTRIES {
        return None;
    }
    let numbered = |state: &usize| numbers[parts[*state]].unwrap_or(DEAD);
    let next: Vec<u16> = chosen
        .iter()
        .flat_map(|state| &states.next[state * states.stride..(state + 1) * states.stride])
        .map(numbered)
        .collect();
    let starts: Vec<u16> = states.starts.iter().map(numbered).collect();
    let quits = starts.contains(&QUIT) || next.iter().skip(2 * states.stride).any(|next| *next == QUIT);
    let first_match = u16::try_from(first_match.unwrap_or(count)).ok()?;
    Some(Dfa { classes: states.classes, starts, stride: states.stride, first_match, next, quits })
}
