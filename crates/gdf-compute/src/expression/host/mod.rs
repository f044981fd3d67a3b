//! Runs expression programs on the CPU in blocks of 1,024 rows.

/// Expands to `$body`, with `$T` as the Rust type of a lane of numbers.
macro_rules! by_lane {
    ($lane:expr, $T:ident => $body:expr) => {
        match $lane {
            $crate::expression::program::Lane::I64 => {
                type $T = i64;
                $body
            }
            $crate::expression::program::Lane::U64 => {
                type $T = u64;
                $body
            }
            $crate::expression::program::Lane::F32 => {
                type $T = f32;
                $body
            }
            $crate::expression::program::Lane::F64 => {
                type $T = f64;
                $body
            }
            $crate::expression::program::Lane::I128 => {
                type $T = i128;
                $body
            }
            $crate::expression::program::Lane::Boolean => {}
        }
    };
}

mod lanes;
mod output;
mod pairs;
mod projection;
mod reduce;
mod short_text;

use std::ops::Range;

use gdf_core::{PhysicalType, Result, physical_type};
use gdf_engine::elementwise::pack_stored;
use gdf_engine::host::{Bits, HostColumn, HostValues, Number, StringRows};

use self::lanes::{LaneValue, Source, convert, run_arithmetic, run_rounding};
pub(super) use self::output::{one_value, project};
use self::pairs::Outer;
pub(super) use self::pairs::PairProgram;
pub(super) use self::projection::computed_type;
pub use self::projection::{ProjectedBlock, ProjectedBlocks};
pub(super) use self::reduce::reduce;
use super::program::{Decided, Lane, Operand, Program, Step, Work};
use super::slots::{Reader, Slots};
use crate::datetime::{by_unit, component_of};
use gdf_engine::binary::logic::{RowBits, apply};
use gdf_engine::binary::operators::Order;

pub(super) const BLOCK: usize = 1024;
const WORDS: usize = BLOCK / 64;

/// One bit for each row of a block.
pub(super) type RowWords = [u64; WORDS];

const ALL: RowWords = [u64::MAX; WORDS];

/// The result of a step for the rows of a block.
#[derive(Clone, Debug)]
pub(super) struct Register {
    cells: Vec<u128>,
    truth: RowWords,
    /// The validity, or `None` if all rows are valid.
    valid: Option<RowWords>,
}

impl Default for Register {
    fn default() -> Self {
        Register { cells: Vec::new(), truth: [0; WORDS], valid: None }
    }
}

impl Register {
    /// Returns the first `len` cells as values of a lane, for writing.
    fn cells_mut<T: LaneValue>(&mut self, len: usize) -> &mut [T] {
        self.cells.resize((BLOCK * size_of::<T>()).div_ceil(16), 0);
        &mut bytemuck::cast_slice_mut(&mut self.cells)[..len]
    }
}

enum Input<'a> {
    Values(HostValues<'a>),
    Texts(StringRows<'a>),
    /// A column of any other type.
    Other,
}

/// A program, and the columns of the program, open on the CPU.
pub(super) struct Machine<'a> {
    program: &'a Program,
    slots: Slots,
    inputs: Vec<Input<'a>>,
    validity: Vec<Option<Bits<'a>>>,
}

impl<'a> Machine<'a> {
    /// Opens a program over `columns`, which must be the columns of the program in the program's order.
    pub(super) fn new(program: &'a Program, columns: &'a [HostColumn<'_>]) -> Result<Machine<'a>> {
        let inputs = columns.iter().map(|column| {
            Ok(match physical_type(column.view().data_type()) {
                PhysicalType::String { .. } | PhysicalType::Binary { .. } => Input::Texts(StringRows::open(column)?),
                _ => HostValues::open(column)?.map_or(Input::Other, Input::Values),
            })
        });
        let inputs = inputs.collect::<Result<_>>()?;
        let validity = columns.iter().map(HostColumn::validity).collect::<Result<_>>()?;
        // Outputs are written after all steps of a block, so the slot of an output is kept until the last step.
        let slots = Slots::new(program, |_| 1, |_, _: Reader| true, |_| program.steps.len());
        Ok(Machine { program, slots, inputs, validity })
    }

    pub(super) fn registers(&self) -> Vec<Register> {
        vec![Register::default(); self.slots.count]
    }

    pub(super) fn run(&self, registers: &mut [Register], first: usize, len: usize) -> Result<()> {
        self.run_steps(0..self.program.steps.len(), registers, first, len, None)
    }

    /// Runs a range of the steps.
    fn run_steps(
        &self,
        steps: Range<usize>,
        registers: &mut [Register],
        first: usize,
        len: usize,
        outer: Option<Outer<'_, 'a>>,
    ) -> Result<()> {
        for at in steps {
            if let Work::Decide(decided) = self.program.steps[at].work {
                let block = Block { machine: self, registers, first, len, outer };
                let operand = self.program.steps[at].operands.first().copied();
                if operand.is_some_and(|operand| block.is_decided(decided, operand)) {
                    self.end(decided, registers);
                    return Ok(());
                }
            }
            let Some(slot) = self.slots.of[at] else { continue };
            let mut result = std::mem::take(&mut registers[slot]);
            Block { machine: self, registers, first, len, outer }.step(&self.program.steps[at], &mut result)?;
            registers[slot] = result;
        }
        Ok(())
    }

    /// Sets the output to the result that all rows of a block have.
    fn end(&self, decided: Decided, registers: &mut [Register]) {
        let output = self.program.outputs.first().map(|output| output.operand);
        if let Some(Operand::Step(step)) = output
            && let Some(slot) = self.slots.of[step]
        {
            registers[slot].valid = None;
            registers[slot].truth = match decided {
                Decided::IfFalse => [0; WORDS],
                Decided::IfTrue => ALL,
            };
        }
    }

    /// Returns the values of a load step directly from its column.
    fn borrowed<T: LaneValue>(&self, step: &Step, first: usize, len: usize) -> Option<&[T]> {
        let Work::Load { column } = step.work else { return None };
        let Input::Values(values) = &self.inputs[column] else { return None };
        T::stored(values)?.get(first..first + len)
    }
}

pub(super) struct Block<'m, 'a> {
    pub(super) machine: &'m Machine<'a>,
    pub(super) registers: &'m [Register],
    pub(super) first: usize,
    pub(super) len: usize,
    /// The left row with which all rows of the block are combined, if the program evaluates pairs.
    outer: Option<Outer<'m, 'a>>,
}

impl<'m, 'a> Block<'m, 'a> {
    fn register(&self, step: usize) -> Option<&'m Register> {
        self.machine.slots.of[step].map(|slot| &self.registers[slot])
    }

    pub(super) fn values<T: LaneValue>(&self, operand: Operand) -> Source<'_, T> {
        match operand {
            Operand::Constant(bits) => Source::One(T::of_bits(bits)),
            Operand::Step(step) => {
                if let Some(value) = self.outer.and_then(|outer| outer.value(step)) {
                    return Source::One(value);
                }
                let borrowed = self.machine.borrowed(&self.machine.program.steps[step], self.first, self.len);
                let computed = || Some(&bytemuck::cast_slice(&self.register(step)?.cells)[..self.len]);
                Source::Rows(borrowed.or_else(computed).unwrap_or(&[]))
            }
        }
    }

    pub(super) fn truth(&self, operand: Operand) -> RowWords {
        match operand {
            Operand::Constant(bits) => [u64::from(bits != 0).wrapping_neg(); WORDS],
            Operand::Step(step) => match self.outer.and_then(|outer| outer.truth(step)) {
                Some(truth) => truth,
                None => self.register(step).map_or([0; WORDS], |register| register.truth),
            },
        }
    }

    /// Returns the validity of an operand.
    pub(super) fn valid(&self, operand: Operand) -> Option<RowWords> {
        match operand {
            Operand::Constant(_) => None,
            Operand::Step(step) => match self.outer.and_then(|outer| outer.valid(step)) {
                Some(valid) => valid,
                None => self.register(step).and_then(|register| register.valid),
            },
        }
    }

    fn column_valid(&self, column: usize) -> Option<RowWords> {
        let bits = self.machine.validity[column].as_ref()?;
        Some(std::array::from_fn(|word| bits.word(self.first / 64 + word)))
    }

    /// Returns whether the operand decides all rows of the block.
    fn is_decided(&self, decided: Decided, operand: Operand) -> bool {
        let truth = self.truth(operand);
        let is_false = matches!(decided, Decided::IfFalse);
        let rows = truth.map(|word| if is_false { !word } else { word });
        let rows = and(&rows, self.valid(operand));
        let existing = self.existing(None);
        rows.iter().zip(&existing).all(|(rows, existing)| rows & existing == *existing)
    }

    fn all_valid(&self, operands: &[Operand]) -> Option<RowWords> {
        operands.iter().map(|operand| self.valid(*operand)).reduce(both).flatten()
    }

    fn step(&self, step: &Step, out: &mut Register) -> Result<()> {
        let operands = step.operands.as_slice();
        let lane = step.lane;
        out.valid = match (step.work, operands) {
            (Work::Load { column } | Work::Text { column, .. }, _) => self.column_valid(column),
            (Work::ColumnValid { .. } | Work::IsValid, _) => None,
            (Work::Null, _) => Some([0; WORDS]),
            (Work::Logic(op), [a, b]) => {
                self.logic(op, *a, *b, out);
                return Ok(());
            }
            (Work::Select, [condition, yes, no]) => {
                self.select(lane, *condition, [*yes, *no], out);
                return Ok(());
            }
            (Work::Coalesce, [a, b]) => {
                self.coalesce(lane, [*a, *b], out);
                return Ok(());
            }
            (Work::ValidIf, [value, condition]) => {
                let condition = RowWords::from(and(&self.truth(*condition), self.valid(*condition)));
                both(self.valid(*value), Some(condition))
            }
            _ => self.all_valid(operands),
        };
        self.compute(step, out)
    }

    /// Computes the values of a step.
    fn compute(&self, step: &Step, out: &mut Register) -> Result<()> {
        let operand = |at: usize| step.operands.get(at).copied().unwrap_or(Operand::Constant(0));
        let (lane, len) = (step.lane, self.len);
        match step.work {
            Work::Load { column } => self.load(step, column, out),
            Work::ColumnValid { column } => out.truth = self.column_valid(column).unwrap_or(ALL),
            Work::IsValid => out.truth = self.valid(operand(0)).unwrap_or(ALL),
            Work::ValidIf => self.copy(lane, operand(0), out),
            Work::Null => self.copy(lane, Operand::Constant(0), out),
            Work::Arithmetic { op, bits } => by_lane!(lane, T => {
                run_arithmetic::<T>(op, bits, self.values(operand(0)), self.values(operand(1)), out.cells_mut(len))?;
            }),
            Work::Convert { from: Lane::Boolean } => {
                let truth = self.truth(operand(0));
                by_lane!(lane, T => {
                    for (row, slot) in out.cells_mut::<T>(len).iter_mut().enumerate() {
                        *slot = T::of_bool(truth[row / 64] >> (row % 64) & 1 == 1);
                    }
                });
            }
            Work::Convert { from } => by_lane!(from, S => by_lane!(lane, T => {
                convert::<S, T>(self.values(operand(0)), out.cells_mut(len));
            })),
            Work::Wrap(PhysicalType::F16) => lanes::wrap_half(self.values(operand(0)), out.cells_mut(len)),
            Work::Wrap(physical) => lanes::wrap(physical, self.values(operand(0)), out.cells_mut(len)),
            Work::Compare { order, negated } => {
                let flip = u64::from(negated).wrapping_neg();
                by_lane!(lane, T => {
                    let (a, b) = (self.values::<T>(operand(0)), self.values::<T>(operand(1)));
                    compare(order, a, b, len, flip, &mut out.truth);
                });
            }
            Work::NotZero => by_lane!(lane, T => {
                let zero = Source::One(T::default());
                compare(Order::Equal, self.values::<T>(operand(0)), zero, len, u64::MAX, &mut out.truth);
            }),
            Work::Invert => out.truth = self.truth(operand(0)).map(|word| !word),
            Work::Rounding(function) => match lane {
                Lane::F32 => run_rounding::<f32>(function, self.values(operand(0)), out.cells_mut(len)),
                _ => run_rounding::<f64>(function, self.values(operand(0)), out.cells_mut(len)),
            },
            Work::Sign { clears } => match lane {
                Lane::F32 => lanes::sign::<f32>(clears, self.values(operand(0)), out.cells_mut(len)),
                _ => lanes::sign::<f64>(clears, self.values(operand(0)), out.cells_mut(len)),
            },
            Work::BitCount => {
                let values: Source<'_, u64> = self.values(operand(0));
                lanes::map(values, out.cells_mut::<i64>(len), |value| i64::from(value.count_ones()));
            }
            Work::Component { component, unit } => {
                let ticks: Source<'_, i64> = self.values(operand(0));
                if step.result() == Lane::Boolean {
                    by_unit!(unit, PER_DAY => {
                        let holds = |row: usize| component_of(component, ticks.get(row), PER_DAY) != 0;
                        out.truth = pack_rows(len, holds);
                    });
                } else {
                    // Components are stored in 16 or 32 bits.
                    by_unit!(unit, PER_DAY => {
                        lanes::map(ticks, out.cells_mut::<i64>(len), |ticks| {
                            i64::from(component_of(component, ticks, PER_DAY) as i32)
                        });
                    });
                }
            }
            Work::Text { column, prefix, size, words } => {
                let mut bytes = [0; 16];
                for (half, word) in bytes.chunks_mut(8).zip(words) {
                    half.copy_from_slice(&word.to_le_bytes());
                }
                if let Input::Texts(texts) = &self.machine.inputs[column] {
                    out.truth = short_text::by_size(&bytes[..size], prefix, TextRows { texts, first: self.first, len });
                }
            }
            Work::Logic(_) | Work::Select | Work::Coalesce | Work::Decide(_) => {}
        }
        Ok(())
    }

    fn load(&self, step: &Step, column: usize, out: &mut Register) {
        let Input::Values(values) = &self.machine.inputs[column] else { return };
        let (first, len) = (self.first, self.len);
        match (step.lane, values) {
            (Lane::Boolean, HostValues::Bool(bits)) => {
                out.truth = std::array::from_fn(|word| bits.word(first / 64 + word));
            }
            (Lane::F32, HostValues::F16(from)) => {
                lanes::map(Source::Rows(&from[first..first + len]), out.cells_mut::<f32>(len), f32::from);
            }
            (Lane::I64, HostValues::I128(from)) => {
                lanes::map(Source::Rows(&from[first..first + len]), out.cells_mut::<i64>(len), |value| value as i64);
            }
            (Lane::I64, _) => lanes::load_integers(values, first, out.cells_mut(len)),
            // Steps read the values of all other types directly from the column, so nothing is loaded here.
            _ => {}
        }
    }

    fn copy(&self, lane: Lane, operand: Operand, out: &mut Register) {
        if lane == Lane::Boolean {
            out.truth = self.truth(operand);
            return;
        }
        by_lane!(lane, T => lanes::map(self.values::<T>(operand), out.cells_mut::<T>(self.len), |value| value));
    }

    fn logic(&self, op: gdf_engine::binary::operators::Logic, a: Operand, b: Operand, out: &mut Register) {
        let (left, right) = (self.truth(a), self.truth(b));
        let (left_valid, right_valid) = (self.valid(a), self.valid(b));
        let is_valid = left_valid.is_none() && right_valid.is_none();
        let (left_valid, right_valid) = (left_valid.unwrap_or(ALL), right_valid.unwrap_or(ALL));
        let mut valid = ALL;
        for word in 0..WORDS {
            let row_bits = |values, valid| RowBits { values, valid };
            let (lhs, rhs) = (row_bits(left[word], left_valid[word]), row_bits(right[word], right_valid[word]));
            (out.truth[word], valid[word]) = apply(op, lhs, rhs);
        }
        out.valid = (!is_valid).then_some(valid);
    }

    fn select(&self, lane: Lane, condition: Operand, [yes, no]: [Operand; 2], out: &mut Register) {
        let first = and(&self.truth(condition), self.valid(condition));
        self.choose(lane, &first, [yes, no], out);
    }

    fn coalesce(&self, lane: Lane, [a, b]: [Operand; 2], out: &mut Register) {
        let first = self.valid(a).unwrap_or(ALL);
        self.choose(lane, &first, [a, b], out);
    }

    /// Writes for each row the value of `a` if the bit of the row is set in `first`, and the value of `b` otherwise.
    fn choose(&self, lane: Lane, first: &RowWords, [a, b]: [Operand; 2], out: &mut Register) {
        let mix = |a: &RowWords, b: &RowWords| -> RowWords {
            std::array::from_fn(|word| (a[word] & first[word]) | (b[word] & !first[word]))
        };
        out.valid = match (self.valid(a), self.valid(b)) {
            (None, None) => None,
            (a, b) => Some(mix(&a.unwrap_or(ALL), &b.unwrap_or(ALL))),
        };
        if lane == Lane::Boolean {
            out.truth = mix(&self.truth(a), &self.truth(b));
            return;
        }
        by_lane!(lane, T => {
            lanes::choose(first, self.values::<T>(a), self.values::<T>(b), out.cells_mut::<T>(self.len));
        });
    }
}

/// Returns the bits that are set in both `a` and `b`.
fn both(a: Option<RowWords>, b: Option<RowWords>) -> Option<RowWords> {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(a), Some(b)) => Some(and(&a, Some(b))),
    }
}

fn and(a: &RowWords, b: Option<RowWords>) -> RowWords {
    match b {
        None => *a,
        Some(b) => std::array::from_fn(|word| a[word] & b[word]),
    }
}

/// The rows of a block of a text column.
struct TextRows<'t, 'a> {
    texts: &'t StringRows<'a>,
    first: usize,
    len: usize,
}

impl short_text::Run for TextRows<'_, '_> {
    type Output = RowWords;

    fn run(self, holds: impl Fn(&[u8]) -> bool) -> RowWords {
        pack_rows(self.len, |row| holds(self.texts.get_valid(self.first + row)))
    }
}

/// Returns a bit for each row.
fn pack_rows(len: usize, holds: impl Fn(usize) -> bool) -> RowWords {
    let mut words = [0; WORDS];
    for row in 0..len {
        words[row / 64] |= u64::from(holds(row)) << (row % 64);
    }
    words
}

gdf_engine::host::vectorized! {
    /// Compares two operands row by row.
    fn compare[T: LaneValue](
        order: Order,
        a: Source<'_, T>,
        b: Source<'_, T>,
        len: usize,
        flip: u64,
        out: &mut RowWords,
    ) -> () {
        for (word, out) in out.iter_mut().enumerate().take(len.div_ceil(64)) {
            let rows = word * 64..len.min(word * 64 + 64);
            *out = flip ^ match (a, b) {
                (Source::Rows(a), Source::Rows(b)) => pack_by(order, &a[rows.clone()], &b[rows]),
                (Source::Rows(a), Source::One(b)) => pack_one(order, &a[rows], b, false),
                (Source::One(a), Source::Rows(b)) => pack_one(order, &b[rows], a, true),
                (Source::One(a), Source::One(b)) => u64::from(holds(order, a, b)).wrapping_neg(),
            };
        }
    }
}

#[inline(always)]
fn holds<T: PartialOrd>(order: Order, a: T, b: T) -> bool {
    match order {
        Order::Equal => a == b,
        Order::Less => a < b,
        Order::LessEqual => a <= b,
    }
}

#[inline(always)]
fn pack_by<T: LaneValue>(order: Order, a: &[T], b: &[T]) -> u64 {
    match order {
        Order::Equal => pack_stored(a, b, |a, b| a == b),
        Order::Less => pack_stored(a, b, |a, b| a < b),
        Order::LessEqual => pack_stored(a, b, |a, b| a <= b),
    }
}

/// Does the same as `pack_by`, with the single value `b` as the right operand of each row or, if `swapped` is set, as
/// the left operand.
#[inline(always)]
fn pack_one<T: LaneValue>(order: Order, a: &[T], b: T, swapped: bool) -> u64 {
    match (order, swapped) {
        (Order::Equal, _) => pack_stored(a, a, |a, _| a == b),
        (Order::Less, false) => pack_stored(a, a, |a, _| a < b),
        (Order::Less, true) => pack_stored(a, a, |a, _| b < a),
        (Order::LessEqual, false) => pack_stored(a, a, |a, _| a <= b),
        (Order::LessEqual, true) => pack_stored(a, a, |a, _| b <= a),
    }
}
