//! Tagged DFAs (Laurikari) for kernels. A tagged DFA finds the positions of matches and groups, and prefers matches
//! leftmost-first. One pass over a text therefore replaces a forward DFA, a reverse DFA and a simulation of the NFA.

use std::collections::HashMap;

use gdf_kernels::generated::common::{
    REGEX_DETAIL_DEAD, REGEX_DETAIL_FROM_END, REGEX_DETAIL_FROM_NOW, REGEX_DETAIL_FROM_NOWHERE,
    REGEX_DETAIL_MATCHES_BIT, REGEX_DETAIL_MORE_MOVES, REGEX_DETAIL_NEXT_BITS, REGEX_DETAIL_QUIT,
    REGEX_DETAIL_REGISTERS,
};
use regex_automata::nfa::thompson::{self, NFA, State, WhichCaptures};
use regex_automata::util::look::{Look, LookSet};
use regex_automata::util::primitives::StateID;
use regex_syntax::hir::Hir;
use smallvec::{SmallVec, smallvec};

/// The number of registers of a thread of a kernel. The last register is temporary memory for exchanging other
/// registers.
const REGISTERS: u8 = REGEX_DETAIL_REGISTERS as u8;

/// The source of a move that sets a register to the position of the current byte.
const NOW: u8 = REGEX_DETAIL_FROM_NOW as u8;
/// The source of a move that sets a register to the end of the match.
const END: u8 = REGEX_DETAIL_FROM_END as u8;
/// The source of a move that marks a register as having no position.
const UNSET: u8 = REGEX_DETAIL_FROM_NOWHERE as u8;

/// The number of the state from which no match can be reached.
const DEAD: usize = REGEX_DETAIL_DEAD as usize;
/// The number of the state in which the automaton gives up, because DFAs cannot test a Unicode word boundary next to a
/// non-ASCII character.
const QUIT: usize = REGEX_DETAIL_QUIT as usize;

/// The width in bits of the lowest field of an entry. This field contains the position of the next state.
const NEXT_BITS: u32 = REGEX_DETAIL_NEXT_BITS;
/// The bit of an entry that is set if a match ends before the byte.
const MATCHES: u32 = REGEX_DETAIL_MATCHES_BIT;
/// The number of bits below the highest field of an entry. The highest field contains the position of the first move in
/// the list of moves.
const MOVES_SHIFT: u32 = NEXT_BITS + 1;

/// The flag of a move that is followed by another move.
const MORE: u32 = REGEX_DETAIL_MORE_MOVES;

/// The maximum number of entries of a table.
const MAX_ENTRIES: usize = 1 << 18;

/// The maximum number of steps of building a table. A pattern that needs more steps has no tagged DFA.
const MAX_WORK: usize = 1 << 21;

/// The positions that a search needs besides the ends of matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tags {
    /// The search needs only whether there is a match. The table stops at the end of the first match.
    Test,
    Nothing,
    /// The search also needs the positions at which matches begin.
    Begin,
    /// The search also needs the positions of groups and the positions at which matches begin.
    Groups,
}

impl Tags {
    pub(super) const ALL: [Self; 4] = [Self::Test, Self::Nothing, Self::Begin, Self::Groups];
}

/// The words of a table in the layout that `regex_matches.cuh` reads.
#[derive(Debug, Default)]
pub(super) struct TaggedDfa {
    pub(super) words: Vec<u32>,
    /// The number of entries of a state: one for each class of bytes, and a last entry for the end of the text.
    pub(super) stride: usize,
    pub(super) transitions: usize,
    pub(super) moves: usize,
    /// The first state of unanchored searches, or 0 if the first state depends on the preceding byte.
    pub(super) start: usize,
    /// Whether some text leads to `QUIT`.
    pub(super) quits: bool,
}

type Positions = SmallVec<[u8; 8]>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Thread {
    state: StateID,
    positions: Positions,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Configuration {
    /// The representative of the preceding byte, as `Builder::before` returns it. The field is `None` at the beginning
    /// of the text, and if the pattern has no look-arounds.
    before: Option<u8>,
    threads: Vec<Thread>,
    best: Option<Positions>,
}

struct Closure {
    threads: Vec<Thread>,
    best: Option<Positions>,
    matches: bool,
    quits: bool,
}

struct Builder<'n> {
    nfa: &'n NFA,
    looks: LookSet,
    tags: usize,
    states: Vec<Configuration>,
    numbers: HashMap<Configuration, usize>,
    moves: Vec<u32>,
    known_moves: HashMap<Vec<u32>, u32>,
    visited: Vec<usize>,
    visit: usize,
    work: usize,
}

impl TaggedDfa {
    /// Builds the table. The result is `None` if the table would be too large, if a search needs too many registers, or
    /// if a search without tags would miss matches.
    pub(super) fn new(meaning: &Hir, tags: Tags) -> Option<Self> {
        let (captures, tag_count) = match tags {
            Tags::Test | Tags::Nothing => (WhichCaptures::None, 0),
            Tags::Begin => (WhichCaptures::Implicit, 1),
            Tags::Groups => (WhichCaptures::All, 1 + 2 * meaning.properties().explicit_captures_len()),
        };
        if tag_count >= usize::from(REGISTERS) {
            return None;
        }
        let config = thompson::Config::new().which_captures(captures).nfa_size_limit(Some(super::NFA_LIMIT));
        let nfa = NFA::compiler().configure(config).build_from_hir(meaning).ok()?;
        let looks = nfa.look_set_any();
        // An empty match within a character is not valid, and kernels without tags continue the search after its
        // position. Such a kernel would miss a match that began before the position.
        if tag_count == 0 && super::may_split_characters(meaning) {
            return None;
        }
        let (classes, bytes) = classes_of(&nfa, looks.contains_word_unicode());
        let stride = bytes.len() + 1;
        let mut builder = Builder {
            nfa: &nfa,
            looks,
            tags: tag_count,
            states: Vec::new(),
            numbers: HashMap::new(),
            moves: vec![0],
            known_moves: HashMap::new(),
            visited: vec![0; nfa.states().len()],
            visit: 0,
            work: 0,
        };
        let modes = [Some(nfa.start_unanchored()), (tag_count == 0).then(|| nfa.start_anchored())];
        let mut starts = Vec::new();
        for start in modes.into_iter().flatten() {
            for before in bytes.iter().map(|byte| Some(*byte)).chain([None]) {
                let thread = Thread { state: start, positions: smallvec![UNSET; tag_count] };
                let before = builder.before(before);
                starts.push(builder.number(Configuration { before, threads: vec![thread], best: None }) * stride);
            }
        }
        let (mut transitions, mut at, mut quits) = (vec![0_u32; 2 * stride], 0, false);
        while at < builder.states.len() {
            if (at + 3) * stride > MAX_ENTRIES {
                return None;
            }
            let state = builder.states[at].clone();
            let mut closure = builder.closure(&state, bytes.first().copied());
            for (class, byte) in bytes.iter().map(|byte| Some(*byte)).chain([None]).enumerate() {
                if builder.work > MAX_WORK {
                    return None;
                }
                if !looks.is_empty() && class > 0 {
                    closure = builder.closure(&state, byte);
                }
                quits |= closure.quits;
                let (next, moves) = match closure.quits {
                    true => (QUIT, 0),
                    false if tags == Tags::Test && closure.matches => (DEAD, 0),
                    false => builder.step(&closure, byte)?,
                };
                let matches = if closure.matches { MATCHES } else { 0 };
                transitions.push((next * stride) as u32 | matches | moves << MOVES_SHIFT);
            }
            at += 1;
        }
        let mut words: Vec<u32> = bytemuck::cast::<[u8; 256], [u32; 64]>(classes).to_vec();
        let start = starts[0];
        let start = if starts[..stride].iter().all(|one| *one == start) { start } else { 0 };
        words.extend(starts.into_iter().map(|start| start as u32));
        let first = words.len();
        words.extend(transitions);
        let moves = words.len();
        words.extend(builder.moves);
        Some(Self { words, stride, transitions: first, moves, start, quits })
    }
}

/// Returns the class of each byte, and one byte of each class.
fn classes_of(nfa: &NFA, ascii: bool) -> ([u8; 256], Vec<u8>) {
    let (mut bytes, mut numbers) = (Vec::new(), HashMap::new());
    let classes = std::array::from_fn(|byte| {
        let byte = byte as u8;
        let key = (nfa.byte_classes().get(byte), ascii && byte.is_ascii());
        *numbers.entry(key).or_insert_with(|| {
            bytes.push(byte);
            (bytes.len() - 1) as u8
        })
    });
    (classes, bytes)
}

impl Builder<'_> {
    /// Returns the representative of a preceding byte. Look-behinds give the same result for a byte and for its
    /// representative.
    fn before(&self, byte: Option<u8>) -> Option<u8> {
        let alike = |byte: u8| match byte {
            b'\n' | b'\r' => byte,
            _ if byte == b'_' || byte.is_ascii_alphanumeric() => b'a',
            0x80.. => 0x80,
            _ => b' ',
        };
        byte.map(alike).filter(|_| !self.looks.is_empty())
    }

    /// Returns the number of a state, and adds the state to `states` if it is new.
    fn number(&mut self, state: Configuration) -> usize {
        let Self { states, numbers, .. } = self;
        *numbers.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            states.len() + 1
        })
    }

    /// Returns whether a look-around holds. The result is `None` if the answer depends on a character that is not
    /// ASCII.
    fn holds(&self, look: Look, before: Option<u8>, after: Option<u8>) -> Option<bool> {
        let sides: SmallVec<[u8; 2]> = before.into_iter().chain(after).collect();
        if LookSet::singleton(look).contains_word_unicode() && !sides.is_ascii() {
            return None;
        }
        Some(self.nfa.look_matcher().matches(look, &sides, usize::from(before.is_some())))
    }

    /// Returns the NFA states that consume a byte, in the order of preference.
    fn closure(&mut self, state: &Configuration, after: Option<u8>) -> Closure {
        let mut closure = Closure { threads: Vec::new(), best: state.best.clone(), matches: false, quits: false };
        self.visit += 1;
        let mut stack: Vec<Thread> = state.threads.iter().rev().cloned().collect();
        while let Some(Thread { state: id, mut positions }) = stack.pop() {
            if std::mem::replace(&mut self.visited[id.as_usize()], self.visit) == self.visit {
                continue;
            }
            self.work += 1;
            match self.nfa.state(id) {
                State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) => {
                    closure.threads.push(Thread { state: id, positions });
                }
                State::Look { look, next } => match self.holds(*look, state.before, after) {
                    Some(true) => stack.push(Thread { state: *next, positions }),
                    Some(false) => {}
                    None => return Closure { quits: true, ..closure },
                },
                State::Union { alternates } => {
                    let threads = alternates.iter().rev();
                    stack.extend(threads.map(|next| Thread { state: *next, positions: positions.clone() }));
                }
                State::BinaryUnion { alt1, alt2 } => {
                    stack.push(Thread { state: *alt2, positions: positions.clone() });
                    stack.push(Thread { state: *alt1, positions });
                }
                State::Capture { next, slot, .. } => {
                    // Slot 1 has no tag, because the end of the match is known without a register. The tag of each
                    // later slot is therefore the number of the slot minus one.
                    let tag = slot.as_usize().saturating_sub(1);
                    if let Some(position) = positions.get_mut(tag).filter(|_| slot.as_usize() != 1) {
                        *position = NOW;
                    }
                    stack.push(Thread { state: *next, positions });
                }
                State::Fail => {}
                State::Match { .. } => {
                    positions.iter_mut().filter(|position| **position == NOW).for_each(|position| *position = END);
                    closure.best = Some(positions);
                    closure.matches = true;
                    break; // the remaining states are less preferred than this match
                }
            }
        }
        closure
    }

    fn step(&mut self, closure: &Closure, byte: Option<u8>) -> Option<(usize, u32)> {
        self.work += 1 + closure.threads.len();
        self.visit += 1;
        let mut threads = Vec::new();
        for Thread { state, positions } in &closure.threads {
            let next = byte.and_then(|byte| match self.nfa.state(*state) {
                State::ByteRange { trans } => trans.matches_byte(byte).then_some(trans.next),
                State::Sparse(sparse) => sparse.matches_byte(byte),
                State::Dense(dense) => dense.matches_byte(byte),
                _ => None,
            });
            let Some(state) = next else { continue };
            if std::mem::replace(&mut self.visited[state.as_usize()], self.visit) != self.visit {
                threads.push(Thread { state, positions: positions.clone() });
            }
        }
        let Some(best) = closure.best.clone().filter(|_| threads.is_empty()) else {
            if threads.is_empty() {
                return Some((DEAD, 0));
            }
            let mut best = closure.best.clone();
            let mut sources: Vec<u8> = Vec::new(); // the source of each register, in order of first use
            let all = threads.iter_mut().map(|thread| &mut thread.positions).chain(&mut best).flatten();
            for position in all.filter(|position| !matches!(**position, END | UNSET)) {
                let register = sources.iter().position(|source| source == position);
                let register = register.unwrap_or_else(|| {
                    sources.push(*position);
                    sources.len() - 1
                });
                *position = u8::try_from(register).ok().filter(|register| *register < REGISTERS - 1)?;
            }
            let moves = self.moves(&sources)?;
            let before = self.before(byte);
            return Some((self.number(Configuration { before, threads, best }), moves));
        };
        // When the search ends, register `i` holds the position of tag `i`.
        debug_assert_eq!(best.len(), self.tags);
        Some((DEAD, self.moves(&best)?))
    }

    /// Returns the position of the moves that [`moves_of`] returns for `sources` in the list of moves. New moves are
    /// added to the list. The result is `None` if the list has no room for them.
    fn moves(&mut self, sources: &[u8]) -> Option<u32> {
        let list = moves_of(sources);
        if list.is_empty() {
            return Some(0);
        }
        if let Some(known) = self.known_moves.get(&list) {
            return Some(*known);
        }
        let number = u32::try_from(self.moves.len()).ok().filter(|number| *number < 1 << (32 - MOVES_SHIFT))?;
        self.moves.extend(&list);
        self.known_moves.insert(list, number);
        Some(number)
    }
}

/// Returns moves that copy source `i` of `sources` to register `i`, for all `i`. The result of the moves is the same as
/// if all copies were made at the same time.
pub(super) fn moves_of(sources: &[u8]) -> Vec<u32> {
    let mut left: Vec<(u8, u8)> = (0..).zip(sources.iter().copied()).filter(|(to, from)| to != from).collect();
    let mut list = Vec::new();
    while !left.is_empty() {
        let free = left.iter().position(|(to, _)| left.iter().all(|(_, from)| from != to));
        let (to, from) = left.swap_remove(free.unwrap_or(0));
        if free.is_none() {
            let spare = REGISTERS - 1;
            list.push(u32::from(spare) | u32::from(to) << 8 | MORE);
            left.iter_mut().filter(|(_, from)| *from == to).for_each(|(_, from)| *from = spare);
        }
        list.push(u32::from(to) | u32::from(from) << 8 | MORE);
    }
    if let Some(last) = list.last_mut() {
        *last &= !MORE;
    }
    list
}
