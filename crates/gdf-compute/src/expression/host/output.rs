//! Writes the results of programs to columns.

use gdf_core::bitmask::low_bits;
use gdf_core::{Column, Error, PhysicalType, Result, f16, physical_type};
use gdf_driver::Stream;
use gdf_engine::host::{FromNumber, HostColumn, HostMask, Number, column, map_tasks, task_rows};
use gdf_memory::{Buffer, MemoryError};

use gdf_expr::Value;

use super::super::leaves::value_of;
use super::super::program::{Lane, Output, Program};
use super::lanes::{LaneValue, Source};
use super::{BLOCK, Block, Machine, RowWords, WORDS, and};
use crate::Ctx;

struct OutputBuffers {
    values: Buffer,
    mask: Option<Buffer>,
}

impl OutputBuffers {
    fn new(output: &Output, rows: usize, ctx: Ctx<'_>) -> Result<OutputBuffers> {
        let words = rows.div_ceil(64) * 8;
        let bytes = match output.lane {
            Lane::Boolean => Some(words),
            _ => physical_type(&output.data_type).width().unwrap_or(0).checked_mul(rows),
        };
        let bytes = bytes.ok_or(MemoryError::OutOfMemory {
            requested: usize::MAX,
            free: None,
            resource: ctx.mr.output.resource().name(),
        })?;
        let buffer = |bytes: usize| Buffer::uninitialized(bytes, ctx.stream, ctx.mr.output);
        Ok(OutputBuffers { values: buffer(bytes)?, mask: output.nullable.then(|| buffer(words)).transpose()? })
    }

    fn parts(&mut self, output: &Output, task: usize, stream: &Stream) -> Result<Vec<Part<'_>>> {
        let width = match output.lane {
            Lane::Boolean => None,
            _ => physical_type(&output.data_type).width(),
        };
        let bytes = width.map_or(task / 8, |width| width * task);
        let values = self.values.write_on(stream)?.into_mut_slice::<u8>()?.chunks_mut(bytes);
        let mut masks = self.mask.as_mut().map(|mask| mask.write_on(stream)?.into_mut_slice::<u64>()).transpose()?;
        let mut masks = masks.as_mut().map(|words| std::mem::take(words).chunks_mut(task / 64));
        Ok(values.map(|values| Part { values, mask: masks.as_mut().and_then(Iterator::next) }).collect())
    }
}

pub(super) struct Part<'a> {
    pub(super) values: &'a mut [u8],
    pub(super) mask: Option<&'a mut [u64]>,
}

/// Computes the outputs of the program as columns of `rows` rows.
pub(crate) fn project(program: &Program, columns: &[HostColumn<'_>], rows: usize, ctx: Ctx<'_>) -> Result<Vec<Column>> {
    let machine = Machine::new(program, columns)?;
    let task = task_rows();
    let outputs = &program.outputs;
    let buffers = outputs.iter().map(|output| OutputBuffers::new(output, rows, ctx));
    let mut buffers = buffers.collect::<Result<Vec<_>>>()?;
    let mut tasks: Vec<Vec<Part<'_>>> = Vec::new();
    tasks.resize_with(rows.div_ceil(task), Vec::new);
    for (buffers, output) in buffers.iter_mut().zip(outputs) {
        for (task, part) in tasks.iter_mut().zip(buffers.parts(output, task, ctx.stream)?) {
            task.push(part);
        }
    }
    let run = |index: usize, mut parts: Vec<Part<'_>>| -> Result<Vec<usize>> {
        let (start, end) = (index * task, rows.min((index + 1) * task));
        let mut registers = machine.registers();
        let mut valid_rows = vec![0; parts.len()];
        for first in (start..end).step_by(BLOCK) {
            let len = BLOCK.min(end - first);
            machine.run(&mut registers, first, len)?;
            let block = Block { machine: &machine, registers: &registers, first, len, outer: None };
            for ((part, output), valid_rows) in parts.iter_mut().zip(outputs).zip(&mut valid_rows) {
                *valid_rows += block.write(output, part, first - start)?;
            }
        }
        Ok(valid_rows)
    };
    let valid_rows = map_tasks(tasks, &run).into_iter().collect::<Result<Vec<_>>>()?;
    let finish = |(index, (output, buffers)): (usize, (&Output, OutputBuffers))| {
        let valid: usize = valid_rows.iter().map(|of_task| of_task[index]).sum();
        let nulls = if output.nullable { rows - valid } else { 0 };
        let values = match output.lane {
            Lane::Boolean => buffers.values.slice(0, rows.div_ceil(8))?,
            _ => buffers.values,
        };
        column(&output.data_type, rows, [values], HostMask { validity: buffers.mask, nulls })
    };
    outputs.iter().zip(buffers).enumerate().map(finish).collect()
}

impl Block<'_, '_> {
    fn write(&self, output: &Output, part: &mut Part<'_>, at: usize) -> Result<usize> {
        self.write_as(physical_type(&output.data_type), output, part, at)
    }

    /// Writes the rows of an output as values of the type `stored`. Returns the number of valid rows.
    pub(super) fn write_as(
        &self,
        stored: PhysicalType,
        output: &Output,
        part: &mut Part<'_>,
        at: usize,
    ) -> Result<usize> {
        let valid = self.existing(self.valid(output.operand));
        let valid_rows = valid.iter().map(|word| word.count_ones() as usize).sum();
        let words = self.len.div_ceil(64);
        if let Some(mask) = &mut part.mask {
            for (slot, word) in mask[at / 64..].iter_mut().zip(&valid[..words]) {
                *slot = word.to_le();
            }
        }
        if output.lane == Lane::Boolean {
            let truth = and(&self.truth(output.operand), Some(valid));
            for (slot, word) in part.values[at / 8..].chunks_mut(8).zip(&truth[..words]) {
                slot.copy_from_slice(&word.to_le_bytes()[..slot.len()]);
            }
            return Ok(valid_rows);
        }
        match output.lane {
            Lane::I64 => self.store::<i64>(stored, output, part, at)?,
            Lane::U64 => self.store::<u64>(stored, output, part, at)?,
            Lane::F32 => self.store::<f32>(stored, output, part, at)?,
            Lane::F64 => self.store::<f64>(stored, output, part, at)?,
            Lane::I128 => self.store::<i128>(stored, output, part, at)?,
            Lane::Boolean => {}
        }
        Ok(valid_rows)
    }

    pub(super) fn existing(&self, valid: Option<RowWords>) -> RowWords {
        let valid = valid.unwrap_or([u64::MAX; WORDS]);
        std::array::from_fn(|word| match self.len.saturating_sub(word * 64) {
            0 => 0,
            rows => valid[word] & low_bits(rows.min(64)),
        })
    }

    fn store<C: LaneValue>(&self, stored: PhysicalType, output: &Output, part: &mut Part<'_>, at: usize) -> Result<()> {
        let from = self.values::<C>(output.operand);
        gdf_core::dispatch_arms!(
            stored,
            O => store_rows::<C, O>(from, part.values, at, self.len),
            Err(Error::internal("a result of a program does not have a fixed width")),
            [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 f16, F32 f32, F64 f64, I128 i128]
        )
    }
}

fn store_rows<C: Number, O: FromNumber>(from: Source<'_, C>, to: &mut [u8], at: usize, len: usize) -> Result<()> {
    let to = bytemuck::try_cast_slice_mut::<u8, O>(to)
        .map_err(|_| Error::internal("the buffer of a result is misaligned"))?;
    super::lanes::convert(from, &mut to[at..at + len]);
    Ok(())
}

/// Returns the first output of a program without columns.
pub(crate) fn one_value(program: &Program) -> Result<Option<Value>> {
    let machine = Machine::new(program, &[])?;
    let mut registers = machine.registers();
    machine.run(&mut registers, 0, 1)?;
    let block = Block { machine: &machine, registers: &registers, first: 0, len: 1, outer: None };
    let Some(output) = program.outputs.first() else { return Ok(None) };
    let width = physical_type(&output.data_type).width().unwrap_or(1);
    // A `u128` is aligned for every value type.
    let mut cell = [0_u128; 1];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut cell);
    let mut part = Part { values: &mut bytes[..width], mask: None };
    let is_valid = block.write(output, &mut part, 0)? == 1;
    Ok(value_of(&output.data_type, is_valid.then_some(&*part.values)))
}
