//! An NFA over characters, for kernels.
//!
//! The construction is Thompson's, with the priorities of regex-automata. The states are made from the end of the
//! pattern to its beginning, so that the number of the following state is known when a state is made.

pub(super) use gdf_kernels::generated::common::RegexDetailStateKind as StateKind;
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Look, Repetition};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProgramState {
    pub(super) kind: StateKind,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) next: u32,
}

#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) states: Vec<ProgramState>,
    pub(super) ranges: Vec<[u32; 2]>,
    /// The index of the first range of `\w` and the number of its ranges.
    pub(super) words: [u32; 2],
    pub(super) start: u32,
    /// The number of groups that the pattern has in parentheses.
    pub(super) groups: usize,
}

/// The error that a program would have too many states or need too much memory.
#[derive(Debug)]
pub(super) struct TooLarge;

/// The maximum number of states of an NFA.
const MAX_STATES: usize = 1 << 14;

/// The maximum number of 32-bit words of memory that a thread of a kernel may need. The limit is 1 MiB.
const MAX_WORDS: usize = 1 << 18;

impl Program {
    pub(super) fn new(pattern: &Hir) -> Result<Self, TooLarge> {
        let groups = pattern.properties().explicit_captures_len();
        let mut program = Self { groups, ..Self::default() };
        let end = program.state(StateKind::Match, 0, 0, 0)?;
        program.start = program.compile(pattern, end)?;
        if pattern.properties().look_set().contains_word_unicode() {
            program.words = program.add_ranges(&word_characters())?;
        }
        if program.words_per_thread() > MAX_WORDS { Err(TooLarge) } else { Ok(program) }
    }

    /// Returns the number of states in which a thread of the simulation can wait: states that match a character, and
    /// the match state.
    pub(super) fn waiting(&self) -> usize {
        self.states
            .iter()
            .filter(|state| matches!(state.kind, StateKind::Range | StateKind::Set | StateKind::Match))
            .count()
    }

    /// Returns the number of 32-bit words of memory that a thread of a kernel needs.
    pub(super) fn words_per_thread(&self) -> usize {
        let (waiting, states, slots) = (self.waiting(), self.states.len(), 1 + 2 * self.groups);
        2 * waiting * (1 + slots) + states + 2 * (states + 1) + 2 * slots
    }

    fn state(&mut self, kind: StateKind, a: u32, b: u32, next: u32) -> Result<u32, TooLarge> {
        if self.states.len() >= MAX_STATES {
            return Err(TooLarge);
        }
        self.states.push(ProgramState { kind, a, b, next });
        Ok(self.states.len() as u32 - 1)
    }

    /// Makes a state that chooses between an expression and the states after the expression.
    fn choice(&mut self, expression: u32, following: u32, greedy: bool) -> Result<u32, TooLarge> {
        let split = self.state(StateKind::Split, 0, 0, 0)?;
        self.choose(split, expression, following, greedy);
        Ok(split)
    }

    fn choose(&mut self, split: u32, expression: u32, following: u32, greedy: bool) {
        let (next, a) = if greedy { (expression, following) } else { (following, expression) };
        if let Some(state) = self.states.get_mut(split as usize) {
            (state.next, state.a) = (next, a);
        }
    }

    /// Compiles an expression that is followed by state `next`, and returns the first state of the expression.
    fn compile(&mut self, expression: &Hir, next: u32) -> Result<u32, TooLarge> {
        match expression.kind() {
            HirKind::Empty => Ok(next),
            HirKind::Literal(literal) => {
                let text = String::from_utf8_lossy(&literal.0);
                text.chars().rev().try_fold(next, |next, c| self.state(StateKind::Range, c.into(), c.into(), next))
            }
            HirKind::Class(class) => self.class(class, next),
            HirKind::Look(look) => self.state(StateKind::Look, number(*look), 0, next),
            HirKind::Capture(capture) => {
                let slot = 2 * capture.index - 1; // slot 0 is the begin of the match, whose end has no slot
                let close = self.state(StateKind::Save, slot + 1, 0, next)?;
                let inner = self.compile(&capture.sub, close)?;
                self.state(StateKind::Save, slot, 0, inner)
            }
            HirKind::Concat(parts) => parts.iter().rev().try_fold(next, |next, part| self.compile(part, next)),
            HirKind::Alternation(branches) => {
                let mut starts = Vec::new();
                for branch in branches {
                    starts.push(self.compile(branch, next)?);
                }
                let last = starts.pop().unwrap_or(next);
                starts.into_iter().rev().try_fold(last, |others, first| self.choice(first, others, true))
            }
            HirKind::Repetition(repetition) => self.repeat(repetition, next),
        }
    }

    fn repeat(&mut self, Repetition { min, max, greedy, sub }: &Repetition, next: u32) -> Result<u32, TooLarge> {
        let (greedy, mut required) = (*greedy, *min);
        let mut start = match *max {
            Some(max) => {
                let mut start = next;
                for _ in *min..max {
                    let once = self.compile(sub, start)?;
                    start = self.choice(once, next, greedy)?;
                }
                start
            }
            None => {
                let again = self.state(StateKind::Split, 0, 0, 0)?;
                let once = self.compile(sub, again)?;
                self.choose(again, once, next, greedy);
                if required > 0 {
                    required -= 1;
                    once
                } else if sub.properties().minimum_len().is_some_and(|len| len > 0) {
                    again
                } else {
                    self.choice(once, next, greedy)? // x* is (x+)? if x may be empty
                }
            }
        };
        for _ in 0..required {
            let before = self.states.len();
            start = self.compile(sub, start)?;
            if self.states.len() == before {
                break; // the expression is empty, and further repetitions add nothing
            }
        }
        Ok(start)
    }

    fn class(&mut self, class: &Class, next: u32) -> Result<u32, TooLarge> {
        let class = match class {
            Class::Unicode(class) => class.clone(),
            // Text is UTF-8. In it, a class of bytes can match only ASCII characters.
            Class::Bytes(class) => class.to_unicode_class().unwrap_or_else(ClassUnicode::empty),
        };
        match class.ranges() {
            [one] => self.state(StateKind::Range, one.start().into(), one.end().into(), next),
            _ => {
                let [first, count] = self.add_ranges(&class)?;
                self.state(StateKind::Set, first, count, next)
            }
        }
    }

    /// Adds the ranges of a class, and returns the index of the first range and the number of ranges.
    fn add_ranges(&mut self, class: &ClassUnicode) -> Result<[u32; 2], TooLarge> {
        let new: Vec<[u32; 2]> = class.ranges().iter().map(|one| [one.start().into(), one.end().into()]).collect();
        let known = |state: &&ProgramState| {
            state.kind == StateKind::Set && {
                let first = state.a as usize;
                self.ranges.get(first..first + state.b as usize) == Some(&new)
            }
        };
        if let Some(same) = self.states.iter().find(known) {
            return Ok([same.a, same.b]);
        }
        let first = self.ranges.len() as u32;
        self.ranges.extend(&new);
        if self.ranges.len() > MAX_WORDS { Err(TooLarge) } else { Ok([first, new.len() as u32]) }
    }
}

/// Returns the number of a look-around in kernels, which is the index of its bit.
fn number(look: Look) -> u32 {
    look.as_repr().trailing_zeros()
}

fn word_characters() -> ClassUnicode {
    match regex_syntax::parse(r"\w").map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => class,
        _ => ClassUnicode::empty(),
    }
}
