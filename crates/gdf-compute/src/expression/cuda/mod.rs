//! Runs expression programs on CUDA. One launch computes all outputs of a program.

mod pairs;
mod reduce;

use gdf_core::{Column, ColumnView, Result};
use gdf_engine::cuda::{CudaColumn, CudaOutput, Kernel, in_table, kernel_type, open_outputs, out_table};
use gdf_kernels::generated::expression::{
    ACCUMULATOR, Constant, FIRST_CONSTANT, Lane as LaneCode, MAX_BOOLEANS, MAX_CELLS, MAX_COLUMNS, MAX_OUTPUTS,
    NO_OPERAND, Opcode, Program as Encoded, Project, Step as EncodedStep,
};
use gdf_kernels::{Arguments, Grid, Rows};

pub(super) use self::pairs::CudaPairs;
pub use self::pairs::DeviceMatches;
pub(super) use self::reduce::reduce;
use super::program::{Lane, Operand, Program, Step, Work};
use super::slots::{Reader, Slots};
use crate::Ctx;
use crate::datetime::extraction;

/// Returns the program in the form that the kernel takes.
pub(super) fn encoded(program: &Program) -> Option<Encoded> {
    if program.columns.len() > MAX_COLUMNS || program.outputs.len() > MAX_OUTPUTS {
        return None;
    }
    // The accumulator contains the result of the last step.
    let steps = &program.steps;
    let is_kept = |step: usize, reader: Reader| match reader {
        Reader::Step(at) => at != step + 1 || uses_slots(&steps[step]) || uses_slots(&steps[at]),
        Reader::Output(_) => uses_slots(&steps[step]),
    };
    let emitted = |output: usize| match program.outputs[output].operand {
        Operand::Step(step) => step,
        Operand::Constant(_) => 0,
    };
    // Numbers are kept in cells, which have the first slots. Booleans are kept in the slots after the cells.
    let is_boolean = |step: usize| steps[step].result() == Lane::Boolean;
    let width = |lane: Lane| if lane == Lane::I128 { 2 } else { 1 };
    let cells = Slots::new(program, width, |step, reader| !is_boolean(step) && is_kept(step, reader), emitted);
    let booleans = Slots::new(program, |_| 1, |step, reader| is_boolean(step) && is_kept(step, reader), emitted);
    if cells.count > MAX_CELLS || booleans.count > MAX_BOOLEANS {
        return None;
    }
    let after_cells = |slot: usize| cells.count + slot;
    let slots = cells.of.iter().zip(&booleans.of).map(|(cell, boolean)| cell.or(boolean.map(after_cells)));
    let slots = slots.collect();
    let mut encoder = Encoder { slots, constants: Vec::new(), steps: Vec::new(), last: None };
    encoder.emit(program, None);
    for (at, step) in steps.iter().enumerate() {
        let encoded = encoder.step(step, at);
        encoder.steps.push(encoded);
        encoder.last = (!uses_slots(step)).then_some(at);
        encoder.emit(program, Some(at));
    }
    // A `Decide` step contains the number of the step that emits the output.
    let count = encoder.steps.len();
    let output = encoder.steps.iter().rposition(|step| step.operation == Opcode::Emit as i32).unwrap_or(count);
    for (at, step) in encoder.steps.iter_mut().enumerate() {
        if step.operation == Opcode::Decide as i32 {
            step.extra = if at < output { output } else { count } as i32;
        }
    }
    let mut result = Encoded {
        count: encoder.steps.len() as i32,
        cells: cells.count as i32,
        slots: (cells.count + booleans.count) as i32,
        outputs: program.outputs.len() as i32,
        ..Encoded::default()
    };
    result.steps.get_mut(..encoder.steps.len())?.copy_from_slice(&encoder.steps);
    result.constants.get_mut(..encoder.constants.len())?.copy_from_slice(&encoder.constants);
    Some(result)
}

/// Returns whether a step reads all operands from slots and constants, and writes its result to a slot.
fn uses_slots(step: &Step) -> bool {
    step.lane == Lane::I128 || matches!(step.work, Work::Convert { from: Lane::I128 } | Work::Component { .. })
}

struct Encoder {
    /// The slot of the result of each step, or `None` if no step reads the result from a slot.
    slots: Vec<Option<usize>>,
    constants: Vec<Constant>,
    steps: Vec<EncodedStep>,
    /// The step whose result is in the accumulator.
    last: Option<usize>,
}

impl Encoder {
    fn constant(&mut self, low: u64, high: u64) -> i32 {
        let constant = Constant { low, high };
        let known = self.constants.iter().position(|known| *known == constant);
        known.unwrap_or_else(|| self.append(&[constant])) as i32
    }

    fn append(&mut self, constants: &[Constant]) -> usize {
        self.constants.extend(constants);
        self.constants.len() - constants.len()
    }

    fn operand(&mut self, operand: Operand, accumulated: Option<usize>) -> i32 {
        match operand {
            Operand::Constant(bits) => FIRST_CONSTANT - self.constant(bits as u64, (bits >> 64) as u64),
            Operand::Step(step) if accumulated == Some(step) => ACCUMULATOR,
            Operand::Step(step) => self.slots[step].map_or(NO_OPERAND, |slot| slot as i32),
        }
    }

    fn step(&mut self, step: &Step, at: usize) -> EncodedStep {
        let accumulated = self.last.filter(|_| !uses_slots(step));
        let operands: Vec<i32> = step.operands.iter().map(|operand| self.operand(*operand, accumulated)).collect();
        let [a, b, c] = match (step.work, operands.as_slice()) {
            (Work::Select, [condition, yes, no]) => [*yes, *no, *condition],
            (Work::ValidIf, [value, condition]) => [*value, NO_OPERAND, *condition],
            (_, [a, b]) => [*a, *b, NO_OPERAND],
            (_, [a]) => [*a, NO_OPERAND, NO_OPERAND],
            // The step has no operands. The kernel fetches nothing if the first operand is the accumulator.
            _ => [ACCUMULATOR, NO_OPERAND, NO_OPERAND],
        };
        let (operation, code, extra) = self.operation(step);
        let form = match step.work {
            Work::Convert { from: Lane::I128 } => Lane::I128,
            _ => step.lane,
        };
        let store = self.slots[at].map_or(-1, |slot| slot as i32);
        EncodedStep { operation: operation as i32, form: lane_code(form) as i32, code, extra, a, b, c, store }
    }

    /// Returns the opcode of a step, and two numbers whose meaning depends on the opcode.
    fn operation(&mut self, step: &Step) -> (Opcode, i32, i32) {
        let plain = |opcode| (opcode, 0, 0);
        match step.work {
            Work::Load { column } => (Opcode::Load, column as i32, 0),
            Work::ColumnValid { column } => (Opcode::Valid, column as i32, 0),
            Work::Null => plain(Opcode::Null),
            Work::Arithmetic { op, bits } => (Opcode::Arithmetic, op as i32, bits),
            Work::Convert { from: Lane::I128 } => (Opcode::Narrow, lane_code(step.lane) as i32, 0),
            Work::Convert { from } => (Opcode::Convert, lane_code(from) as i32, 0),
            Work::Wrap(physical) => (Opcode::Wrap, kernel_type(physical) as i32, 0),
            Work::Compare { order, negated } => (Opcode::Compare, order as i32, i32::from(negated)),
            Work::NotZero => plain(Opcode::NotZero),
            Work::Logic(op) => (Opcode::Logic, op as i32, 0),
            Work::Invert => plain(Opcode::Invert),
            Work::IsValid => plain(Opcode::IsValid),
            Work::ValidIf => plain(Opcode::ValidIf),
            Work::Select => plain(Opcode::Select),
            Work::Coalesce => plain(Opcode::Coalesce),
            Work::Rounding(function) => (Opcode::Rounding, function as i32, 0),
            Work::Sign { clears } => (Opcode::Sign, i32::from(clears), 0),
            Work::BitCount => plain(Opcode::BitCount),
            // `encoded` sets the second number, which is the step that emits the output.
            Work::Decide(decided) => (Opcode::Decide, decided as i32, 0),
            Work::Component { component, unit } => {
                let how = extraction(component, unit);
                let word = |low: i64, high: u64| Constant { low: low as u64, high };
                let first = self.append(&[
                    word(how.per_day.ticks, how.per_day.inverse),
                    word(how.per_day.shift, how.nanoseconds as u64),
                    word(how.per_second.ticks, how.per_second.inverse),
                    word(how.per_second.shift, 0),
                ]);
                (Opcode::Component, component as i32, first as i32)
            }
            Work::Text { column, prefix, size, words: [low, high] } => {
                let first = self.append(&[Constant { low, high }, Constant { low: size as u64, high: 0 }]);
                (if prefix { Opcode::Prefix } else { Opcode::Text }, column as i32, first as i32)
            }
        }
    }

    /// Appends steps that emit the outputs.
    fn emit(&mut self, program: &Program, after: Option<usize>) {
        for (index, output) in program.outputs.iter().enumerate() {
            let is_complete = match output.operand {
                Operand::Step(step) => after == Some(step),
                Operand::Constant(_) => after.is_none(),
            };
            if is_complete {
                let a = self.operand(output.operand, self.last);
                let operation = Opcode::Emit as i32;
                let form = lane_code(output.lane) as i32;
                let (code, b, c) = (index as i32, NO_OPERAND, NO_OPERAND);
                self.steps.push(EncodedStep { operation, form, code, extra: 0, a, b, c, store: -1 });
            }
        }
    }
}

fn lane_code(lane: Lane) -> LaneCode {
    match lane {
        Lane::Boolean => LaneCode::Boolean,
        Lane::I64 => LaneCode::I64,
        Lane::U64 => LaneCode::U64,
        Lane::F32 => LaneCode::F32,
        Lane::F64 => LaneCode::F64,
        Lane::I128 => LaneCode::I128,
    }
}

/// Returns the bytes of shared memory of a block that runs the program.
fn shared_bytes<A: Arguments<Static = A>>(encoded: &Encoded, kernel: &Kernel<A>) -> u32 {
    8 * (encoded.cells as u32 * kernel.tile() as u32 + encoded.slots as u32 * kernel.threads() as u32)
}

/// Computes the outputs of the program as columns of `rows` rows.
pub(super) fn project(
    program: &Program,
    encoded: &Encoded,
    views: &[ColumnView<'_>],
    rows: usize,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    let stream = ctx.stream;
    let columns = views.iter().map(|view| CudaColumn::open(*view, stream)).collect::<Result<Vec<_>>>()?;
    let outputs = program
        .outputs
        .iter()
        .map(|output| CudaOutput::fixed_width(&output.data_type, rows, ctx)?.nullable(output.nullable, ctx));
    let mut outputs = outputs.collect::<Result<Vec<_>>>()?;
    let open = open_outputs(&mut outputs, stream)?;
    let kernel = Kernel::<Project>::find(stream)?;
    let shared = shared_bytes(encoded, &kernel);
    kernel.allow_shared(shared)?;
    let arguments = Project { table: in_table(&columns)?, p: *encoded, out: out_table(&open)?, rows: Rows::new(rows) };
    // SAFETY: The kernel reads columns and writes outputs.
    // - Every column and every output has `rows` rows and stays open until after the launch.
    // - `encoded` was made from the program. Therefore, all columns, slots, constants and outputs in `encoded` exist,
    //   and `encoded` has opcodes for the types of all loaded columns.
    // - The launch has shared memory for all slots.
    unsafe { kernel.launch_grid(stream, Grid::Shared(kernel.counting_blocks(rows), shared), &arguments)? };
    drop((columns, open));
    outputs.into_iter().map(|output| output.finish(stream)).collect()
}
