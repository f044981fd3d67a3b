//! Runs a condition on all pairs of a left row and a right row on the CPU.

use std::ops::Range;

use gdf_core::{DataType, Result};
use gdf_engine::host::{HostColumn, map_tasks};

use super::super::program::{Operand, Output, Program, Step, Wanted, Work};
use super::lanes::LaneValue;
use super::{BLOCK, Block, Machine, Register, RowWords, WORDS, and};

/// The number of pairs of a task.
const TASK_PAIRS: usize = 1 << 18;

/// The maximum number of left rows of a task.
const TASK_ROWS: usize = BLOCK - 64;

/// A row of a block of left rows. The program of the right rows reads the results of this row.
#[derive(Clone, Copy)]
pub(super) struct Outer<'m, 'a> {
    block: &'m Block<'m, 'a>,
    row: usize,
    /// For each step of the program of the right rows, the operand of the left program that replaces the step's result.
    operands: &'m [Option<Operand>],
}

impl Outer<'_, '_> {
    fn operand(&self, step: usize) -> Option<Operand> {
        self.operands.get(step).copied().flatten()
    }

    pub(super) fn value<T: LaneValue>(&self, step: usize) -> Option<T> {
        Some(self.block.values::<T>(self.operand(step)?).get(self.row))
    }

    pub(super) fn truth(&self, step: usize) -> Option<RowWords> {
        let truth = self.block.truth(self.operand(step)?);
        Some([u64::from(self.has(&truth)).wrapping_neg(); WORDS])
    }

    pub(super) fn valid(&self, step: usize) -> Option<Option<RowWords>> {
        let valid = self.block.valid(self.operand(step)?);
        Some(valid.filter(|valid| !self.has(valid)).map(|_| [0; WORDS]))
    }

    fn has(&self, words: &RowWords) -> bool {
        words[self.row / 64] >> (self.row % 64) & 1 == 1
    }
}

/// A condition as one program for left rows and one program for right rows.
#[derive(Debug)]
pub(in crate::expression) struct PairProgram {
    /// The steps that depend only on left columns.
    left: Program,
    /// Three groups of steps. The steps of the first group stand for results of `left` and do not run. The steps of the
    /// second group depend only on right columns. The third group contains all other steps. The first output is the
    /// result of the condition.
    right: Program,
    /// For each step of `right` that does not run, the operand of `left` that replaces its result.
    operands: Vec<Option<Operand>>,
    once: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Both,
}

impl PairProgram {
    /// Divides the program of a condition.
    pub(in crate::expression) fn new(program: &Program, left_columns: usize) -> PairProgram {
        let sides = sides(program, left_columns);
        let of_side = |side: Side| (0..sides.len()).filter(|step| sides[*step] == side).collect::<Vec<_>>();
        let (left_steps, right_steps, both_steps) = (of_side(Side::Left), of_side(Side::Right), of_side(Side::Both));
        let is_left = |operand: &Operand| matches!(operand, Operand::Step(step) if left_steps.contains(step));
        let condition: Vec<Operand> = program.outputs.iter().map(|output| output.operand).collect();
        let readers = both_steps.iter().flat_map(|step| &program.steps[*step].operands).chain(&condition);
        let mut boundary: Vec<usize> = readers.filter(|operand| is_left(operand)).filter_map(step_of).collect();
        boundary.sort_unstable();
        boundary.dedup();

        let left = part(program, 0, &left_steps, boundary.iter().map(|step| Operand::Step(*step)).collect());
        let operands = left.outputs.iter().map(|output| Some(output.operand));
        // The results of the right side are declared as outputs.
        let kept = condition.into_iter().chain(right_steps.iter().map(|step| Operand::Step(*step)));
        let order = [boundary.as_slice(), &right_steps, &both_steps].concat();
        let mut right = part(program, boundary.len(), &order, kept.collect());
        right.columns = right.columns.iter().map(|column| column.saturating_sub(left_columns)).collect();
        let operands = operands.chain(std::iter::repeat(None)).take(order.len()).collect();
        let once = boundary.len()..boundary.len() + right_steps.len();
        PairProgram { left, right, operands, once }
    }

    pub(in crate::expression) fn left_columns(&self) -> &[usize] {
        &self.left.columns
    }

    pub(in crate::expression) fn right_columns(&self) -> &[usize] {
        &self.right.columns
    }

    /// Opens the programs over `right_rows` right rows.
    pub(in crate::expression) fn open<'a>(
        &'a self,
        left: &'a [HostColumn<'_>],
        right: &'a [HostColumn<'_>],
        right_rows: usize,
        wanted: Wanted,
    ) -> Result<Search<'a>> {
        let (left, right) = (Machine::new(&self.left, left)?, Machine::new(&self.right, right)?);
        Ok(Search { program: self, left, right, right_rows, wanted })
    }
}

/// The programs with their columns, open for all threads.
pub(in crate::expression) struct Search<'a> {
    program: &'a PairProgram,
    left: Machine<'a>,
    right: Machine<'a>,
    right_rows: usize,
    wanted: Wanted,
}

impl Search<'_> {
    /// Looks for the matches of the left rows from `start` on, one for each element of `counts`.
    pub(in crate::expression) fn find(&self, start: usize, counts: &mut [u64], bits: &mut [u64]) -> Result<()> {
        let task = (TASK_PAIRS / self.right_rows.max(1)).clamp(1, TASK_ROWS);
        let mut bits = bits.chunks_mut(task * self.right_rows.div_ceil(64).max(1));
        let tasks = counts.chunks_mut(task).map(|counts| (counts, bits.next().unwrap_or_default()));
        let run =
            |index: usize, (counts, bits): (&mut [u64], &mut [u64])| self.find_few(start + index * task, counts, bits);
        map_tasks(tasks.collect(), &run).into_iter().collect()
    }

    fn find_few(&self, start: usize, counts: &mut [u64], bits: &mut [u64]) -> Result<()> {
        let (mut left, mut right) = (self.left.registers(), self.right.registers());
        let first = start / 64 * 64;
        let len = start - first + counts.len();
        self.left.run(&mut left, first, len)?;
        let rows = Block { machine: &self.left, registers: &left, first, len, outer: None };
        for right_first in (0..self.right_rows).step_by(BLOCK) {
            let right_len = BLOCK.min(self.right_rows - right_first);
            if self.wanted == Wanted::First && counts.iter().all(|count| *count > 0) {
                break;
            }
            self.right.run_steps(self.program.once.clone(), &mut right, right_first, right_len, None)?;
            for (row, count) in counts.iter_mut().enumerate() {
                if self.wanted == Wanted::First && *count > 0 {
                    continue;
                }
                let outer = Outer { block: &rows, row: start - first + row, operands: &self.program.operands };
                let found = self.matches(outer, &mut right, right_first, right_len)?;
                *count += found.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
                if !bits.is_empty() {
                    let place = row * self.right_rows.div_ceil(64) + right_first / 64;
                    let words = right_len.div_ceil(64);
                    bits[place..place + words].copy_from_slice(&found[..words]);
                }
            }
        }
        Ok(())
    }

    /// Returns the rows of a block of right rows that match one left row.
    fn matches(&self, outer: Outer<'_, '_>, registers: &mut [Register], first: usize, len: usize) -> Result<RowWords> {
        let steps = self.program.once.end..self.program.right.steps.len();
        self.right.run_steps(steps, registers, first, len, Some(outer))?;
        let block = Block { machine: &self.right, registers, first, len, outer: Some(outer) };
        let Some(output) = self.program.right.outputs.first() else { return Ok([0; WORDS]) };
        Ok(and(&block.truth(output.operand), Some(block.existing(block.valid(output.operand)))))
    }
}

fn step_of(operand: &Operand) -> Option<usize> {
    match operand {
        Operand::Step(step) => Some(*step),
        Operand::Constant(_) => None,
    }
}

/// Returns the side that each step depends on.
fn sides(program: &Program, left_columns: usize) -> Vec<Side> {
    let mut sides: Vec<Side> = Vec::with_capacity(program.steps.len());
    for step in &program.steps {
        let side = match step.work {
            Work::Load { column } | Work::ColumnValid { column } | Work::Text { column, .. } => {
                if program.columns[column] < left_columns { Side::Left } else { Side::Right }
            }
            _ => {
                let operands = step.operands.iter().filter_map(step_of).map(|step| sides[step]);
                operands.reduce(|a, b| if a == b { a } else { Side::Both }).unwrap_or(Side::Right)
            }
        };
        sides.push(side);
    }
    sides
}

/// Returns the program of some steps, in this order, with these operands as outputs.
fn part(program: &Program, absent: usize, order: &[usize], outputs: Vec<Operand>) -> Program {
    let mut columns: Vec<usize> = Vec::new();
    let mut place = |column: usize| {
        let position = program.columns[column];
        let known = columns.iter().position(|known| *known == position);
        known.unwrap_or_else(|| {
            columns.push(position);
            columns.len() - 1
        })
    };
    let moved = |operand: Operand| match operand {
        Operand::Step(step) => Operand::Step(order.iter().position(|own| *own == step).unwrap_or(usize::MAX)),
        constant => constant,
    };
    let steps = order.iter().enumerate().map(|(at, step)| {
        let mut step = program.steps[*step].clone();
        if at < absent {
            return Step { work: Work::Null, lane: step.result(), operands: Default::default() };
        }
        if let Work::Load { column } | Work::ColumnValid { column } | Work::Text { column, .. } = &mut step.work {
            *column = place(*column);
        }
        step.operands.iter_mut().for_each(|operand| *operand = moved(*operand));
        step
    });
    let steps = steps.collect();
    let outputs = outputs.into_iter().map(|operand| {
        let lane = step_of(&operand).map_or(super::Lane::Boolean, |step| program.steps[step].result());
        Output { operand: moved(operand), lane, data_type: DataType::Boolean, nullable: true }
    });
    let outputs = outputs.collect();
    Program { columns, steps, outputs }
}
