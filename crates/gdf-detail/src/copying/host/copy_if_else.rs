//! `copy_if_else` on the CPU: blocks of 64 rows, whose condition is one word.

use bytemuck::Pod;
use gdf_core::{Column, PhysicalType, Result, bitmask::low_bits, physical_type};
use gdf_memory::Buffer;

use super::super::copy_if_else::{Condition, Selection};
use crate::context::Ctx;
use crate::host::{
    Bits, HostColumn, HostMask, HostOutput, StringRows, column, for_each_chunk, for_each_task, mask_from_words,
    strings_by_row, task_rows, vectorized,
};
use crate::rows::{RowKind, byte_len};

/// The condition's words: bits are set where the left input's rows are taken; those past the end hold anything.
#[derive(Clone, Copy)]
struct Choice<'a> {
    values: Option<Bits<'a>>,
    validity: Option<Bits<'a>>,
}

impl Choice<'_> {
    fn word(&self, index: usize) -> u64 {
        self.values.map_or(u64::MAX, |bits| bits.word(index)) & self.validity.map_or(u64::MAX, |bits| bits.word(index))
    }

    fn get(&self, row: usize) -> bool {
        self.values.is_none_or(|bits| bits.get(row)) && self.validity.is_none_or(|bits| bits.get(row))
    }
}

/// The two inputs and the condition, open for reading.
struct Inputs<'s, 'a> {
    lhs: &'s HostColumn<'a>,
    rhs: &'s HostColumn<'a>,
    choice: Choice<'s>,
    rows: usize,
}

fn select_bits(choice: u64, lhs: u64, rhs: u64) -> u64 {
    (choice & lhs) | (!choice & rhs)
}

pub(in super::super) fn copy_if_else(selection: Selection<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let Selection { rows, kind, .. } = selection;
    let data_type = selection.lhs.data_type();
    let lhs = HostColumn::open_operand(selection.lhs, ctx.stream)?;
    let rhs = HostColumn::open_operand(selection.rhs, ctx.stream)?;
    let condition = HostColumn::open(selection.condition.view(), ctx.stream)?;
    let values = match selection.condition {
        Condition::True(_) => Some(condition.bits()?),
        Condition::Valid(_) => None,
    };
    let choice = Choice { values, validity: condition.validity()? };
    let inputs = Inputs { lhs: &lhs, rhs: &rhs, choice, rows };

    let mask = if selection.nullable {
        let left = BitWords::open(lhs.validity()?, lhs.broadcast());
        let right = BitWords::open(rhs.validity()?, rhs.broadcast());
        let words = |word| select_bits(choice.word(word), left.word(word), right.word(word));
        HostMask::from_words(rows, ctx.stream, ctx.mr.output, words)?
    } else {
        HostMask::none()
    };
    match kind {
        RowKind::Bits => {
            let left = BitWords::open(Some(lhs.bits()?), lhs.broadcast());
            let right = BitWords::open(Some(rhs.bits()?), rhs.broadcast());
            let words = |word| select_bits(choice.word(word), left.word(word), right.word(word));
            let (bits, _) = mask_from_words(rows, ctx.stream, ctx.mr.output, words)?;
            column(data_type, rows, [bits.slice(0, rows.div_ceil(8))?], mask)
        }
        RowKind::Strings { large } => {
            let (left, right) = (StringRows::open(&lhs, large)?, StringRows::open(&rhs, large)?);
            let row = |row| if choice.get(row) { left.get(row) } else { right.get(row) };
            column(data_type, rows, strings_by_row(large, rows, ctx, row)?, mask)
        }
        RowKind::Bytes(width) => {
            let values = match physical_type(data_type) {
                PhysicalType::FixedBinary(_) => inputs.select_bytes(width, ctx)?,
                // In pieces no more aligned than the type is.
                PhysicalType::IntervalDayTime => inputs.select_values::<[u32; 2]>(ctx)?,
                _ => match width {
                    1 => inputs.select_values::<u8>(ctx)?,
                    2 => inputs.select_values::<u16>(ctx)?,
                    4 => inputs.select_values::<u32>(ctx)?,
                    8 => inputs.select_values::<u64>(ctx)?,
                    16 => inputs.select_values::<[u64; 2]>(ctx)?,
                    32 => inputs.select_values::<[u64; 4]>(ctx)?,
                    _ => inputs.select_bytes(width, ctx)?,
                },
            };
            column(data_type, rows, [values], mask)
        }
        RowKind::Validity | RowKind::Null => column(data_type, rows, [], mask),
    }
}

/// Words of boolean values or of validity, a scalar's repeated; bits past the end hold anything.
enum BitWords<'a> {
    Rows(Bits<'a>),
    One(u64),
}

impl<'a> BitWords<'a> {
    fn open(bits: Option<Bits<'a>>, broadcast: bool) -> Self {
        match bits {
            None => BitWords::One(u64::MAX),
            Some(bits) if broadcast => BitWords::One(if bits.get(0) { u64::MAX } else { 0 }),
            Some(bits) => BitWords::Rows(bits),
        }
    }

    fn word(&self, index: usize) -> u64 {
        match self {
            BitWords::Rows(bits) => bits.word(index),
            BitWords::One(word) => *word,
        }
    }
}

/// Values of an input, a scalar's repeated as often as a block has rows.
enum Values<'a, T> {
    Rows(&'a [T]),
    One([T; 64]),
}

impl<'a, T: Pod> Values<'a, T> {
    fn open(input: &'a HostColumn<'_>) -> Result<Self> {
        let values = input.values::<T>()?;
        Ok(match values {
            [value, ..] if input.broadcast() => Values::One([*value; 64]),
            _ => Values::Rows(values),
        })
    }

    /// `len` (at most 64) rows from `row` on.
    fn block(&self, row: usize, len: usize) -> &[T] {
        match self {
            Values::Rows(values) => &values[row..row + len],
            Values::One(values) => &values[..len],
        }
    }
}

vectorized! {
    /// Rows of `left` where bits are set, of `right` where not.
    fn select_rows[T: Copy](bits: u64, left: &[T], right: &[T], out: &mut [T]) {
        for (i, ((out, left), right)) in out.iter_mut().zip(left).zip(right).enumerate() {
            *out = if bits >> i & 1 == 1 { *left } else { *right };
        }
    }
}

impl Inputs<'_, '_> {
    /// The rows' values, which `T` is the size of.
    fn select_values<T: Pod + Send + Sync>(&self, ctx: Ctx<'_>) -> Result<Buffer> {
        let (lhs, rhs) = (Values::<T>::open(self.lhs)?, Values::<T>::open(self.rhs)?);
        let choice = self.choice;
        let mut output = HostOutput::<T>::new(self.rows, ctx)?;
        for_each_chunk(output.values(ctx.stream)?, |first, chunk| {
            for (block, out) in chunk.chunks_mut(64).enumerate() {
                let (row, len) = (first + block * 64, out.len());
                let (left, right) = (lhs.block(row, len), rhs.block(row, len));
                let bits = choice.word(row / 64) & low_bits(len);
                if bits == low_bits(len) {
                    out.copy_from_slice(left);
                } else if bits == 0 {
                    out.copy_from_slice(right);
                } else {
                    select_rows(bits, left, right, out);
                }
            }
        });
        Ok(output.into_buffer())
    }

    /// The rows' values of any width, without alignment.
    fn select_bytes(&self, width: usize, ctx: Ctx<'_>) -> Result<Buffer> {
        let mut buffer = Buffer::uninitialized(byte_len(self.rows, width, ctx.mr)?, ctx.stream, ctx.mr.output)?;
        if width == 0 {
            return Ok(buffer);
        }
        let (lhs, rhs) = (self.lhs.row_bytes(width)?, self.rhs.row_bytes(width)?);
        let step = |input: &HostColumn<'_>| if input.broadcast() { 0 } else { width };
        let (left_step, right_step, choice) = (step(self.lhs), step(self.rhs), self.choice);
        let rows = task_rows();
        let tasks =
            buffer.write_on(ctx.stream)?.into_mut_slice::<u8>()?.chunks_mut(width.saturating_mul(rows)).collect();
        for_each_task(tasks, |task, chunk: &mut [u8]| {
            for (i, out) in chunk.chunks_exact_mut(width).enumerate() {
                let row = task * rows + i;
                let source = if choice.get(row) { &lhs[row * left_step..] } else { &rhs[row * right_step..] };
                out.copy_from_slice(&source[..width]);
            }
        });
        Ok(buffer)
    }
}
