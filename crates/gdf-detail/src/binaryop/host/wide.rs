//! 256-bit decimals.

use arrow_buffer::i256;
use gdf_core::{Column, Error, I256, PhysicalType, Result, physical_type};

use super::super::OPERATION;
use super::super::plan::{Arithmetic, Plan, Scaling};
use super::binary_operation::Work;
use crate::host::{HostColumn, HostOutput, NumberReader, for_each_chunk};

/// An operand as 256-bit integers.
pub(super) enum WideReader<'a> {
    Rows(&'a [I256]),
    One(I256),
    Converted(NumberReader<'a, i128>),
}

impl<'a> WideReader<'a> {
    pub(super) fn new(column: &'a HostColumn<'_>) -> Result<Self> {
        if physical_type(column.view().data_type()) != PhysicalType::I256 {
            return Ok(WideReader::Converted(NumberReader::new(column)?));
        }
        match column.values::<I256>()? {
            [one, ..] if column.broadcast() => Ok(WideReader::One(*one)),
            rows => Ok(WideReader::Rows(rows)),
        }
    }

    pub(super) fn get(&self, row: usize) -> I256 {
        match self {
            WideReader::Rows(rows) => rows[row],
            WideReader::One(one) => *one,
            WideReader::Converted(reader) => {
                let mut one = [0];
                reader.load(row, &mut one);
                I256::from(one[0])
            }
        }
    }
}

/// [`Plan::Converted`] in 256 bits.
pub(super) fn arithmetic(work: &Work<'_, '_>, plan: &Plan, op: Arithmetic, scaling: Scaling) -> Result<Column> {
    let f: fn(i256, i256) -> i256 = match op {
        Arithmetic::Add => i256::wrapping_add,
        Arithmetic::Sub => i256::wrapping_sub,
        Arithmetic::Mul => i256::wrapping_mul,
        Arithmetic::Maximum => |a, b| if a > b { a } else { b },
        Arithmetic::Minimum => |a, b| if a < b { a } else { b },
        _ => return Err(Error::unsupported(OPERATION, work.output_type)),
    };
    let times = |value: I256, factor: i256| {
        if factor == i256::ONE { value.0 } else { value.0.wrapping_mul(factor) }
    };
    let (lhs, rhs) = (WideReader::new(&work.lhs)?, WideReader::new(&work.rhs)?);
    let words = work.valid_words()?;
    let either = plan.either();
    let mut output = HostOutput::<I256>::new(work.rows, work.ctx)?;
    for_each_chunk(output.values(work.ctx.stream)?, |first, chunk| {
        for (block, out) in chunk.chunks_mut(64).enumerate() {
            let start = first + block * 64;
            let (left, right) = if either { words(start / 64) } else { (0, 0) };
            for (row, slot) in out.iter_mut().enumerate() {
                let a = times(lhs.get(start + row), scaling.lhs);
                let b = times(rhs.get(start + row), scaling.rhs);
                let result = match (left >> row & 1, right >> row & 1) {
                    (1, 0) => a,
                    (0, 1) => b,
                    _ => f(a, b),
                };
                *slot = I256(if scaling.up == i256::ONE { result } else { result.wrapping_mul(scaling.up) });
            }
        }
    });
    output.finish(work.output_type, work.mask(plan, |_| u64::MAX)?)
}
