//! Assigns slots to the results that later steps read, by a linear scan over the steps.

use super::program::{Lane, Operand, Program};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slots {
    /// The slot of the result of each step, or `None` if no reader takes the result from a slot.
    pub(super) of: Vec<Option<usize>>,
    pub(super) count: usize,
}

impl Slots {
    /// Assigns slots. `width(lane)` is the number of adjacent slots that a result takes. `is_kept(step, reader)`
    /// returns whether `reader` reads the result of `step` from a slot.
    ///
    /// `emitted(output)` is the number of the step after which an output is read.
    pub(super) fn new(
        program: &Program,
        width: impl Fn(Lane) -> usize,
        is_kept: impl Fn(usize, Reader) -> bool,
        emitted: impl Fn(usize) -> usize,
    ) -> Slots {
        let mut last_reader: Vec<Option<usize>> = vec![None; program.steps.len()];
        let mut note = |operand: &Operand, reader: Reader, at: usize| match operand {
            Operand::Step(step) if is_kept(*step, reader) => last_reader[*step] = last_reader[*step].max(Some(at)),
            _ => {}
        };
        for (at, step) in program.steps.iter().enumerate() {
            step.operands.iter().for_each(|operand| note(operand, Reader::Step(at), at));
        }
        for (index, output) in program.outputs.iter().enumerate() {
            note(&output.operand, Reader::Output(index), emitted(index));
        }
        let mut used_until: Vec<Option<usize>> = Vec::new();
        let mut of = vec![None; program.steps.len()];
        for (at, step) in program.steps.iter().enumerate() {
            let Some(last) = last_reader[at] else { continue };
            let width = width(step.result());
            let is_free = |slot: usize| used_until.get(slot).is_none_or(|until| until.is_none_or(|until| until < at));
            let first = (0..).find(|first| (*first..first + width).all(is_free)).unwrap_or(used_until.len());
            used_until.resize(used_until.len().max(first + width), None);
            used_until[first..first + width].fill(Some(last));
            of[at] = Some(first);
        }
        Slots { of, count: used_until.len() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    Step(usize),
    Output(usize),
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::super::program::{Step, Work};
    use super::*;

    fn step(operands: &[usize]) -> Step {
        let operands = operands.iter().map(|step| Operand::Step(*step)).collect();
        Step { work: Work::Coalesce, lane: Lane::I64, operands }
    }

    #[test]
    fn slots_are_used_again_after_the_last_reader() {
        let steps = vec![step(&[]), step(&[]), step(&[0, 1]), step(&[2]), step(&[3, 0])];
        let program = Program { steps, ..Program::default() };
        let slots = Slots::new(&program, |_| 1, |_, _| true, |_| 0);
        // The third result cannot reuse a slot of its operands.
        assert_eq!(slots.of, [Some(0), Some(1), Some(2), Some(1), None]);
        assert_eq!(slots.count, 3);
        let wide = Slots::new(&program, |_| 2, |_, _| true, |_| 0);
        assert_eq!((wide.of[1], wide.of[2], wide.count), (Some(2), Some(4), 6));
        let forwarded = Slots::new(&program, |_| 1, |step, reader| reader != Reader::Step(step + 1), |_| 0);
        assert_eq!(forwarded.of, [Some(0), None, None, None, None]);
        let none = Program {
            steps: vec![Step { work: Work::Null, lane: Lane::I64, operands: smallvec![] }],
            ..Program::default()
        };
        assert_eq!(Slots::new(&none, |_| 1, |_, _| true, |_| 0).count, 0);
    }
}
