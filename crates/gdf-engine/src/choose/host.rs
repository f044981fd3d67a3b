//! `copy_if_else` on the CPU, in blocks of 64 rows.

use std::hint::select_unpredictable;

use bytemuck::Pod;
use gdf_core::{Column, PhysicalType, Result, bitmask::low_bits, physical_type};
use gdf_memory::Buffer;

use super::Condition;
use crate::Ctx;
use crate::elementwise::{self, BitWords, Block, Inputs, Nulls, Rows};
use crate::host::{
    Bits, HostColumn, HostMask, StringRows, column, for_each_task, strings_by_row, task_rows, vectorized,
};
use crate::layout::{RowKind, byte_len};

/// The condition, in words of 64 rows.
#[derive(Clone, Copy)]
struct Choice<'a> {
    values: Option<Bits<'a>>,
    validity: Option<Bits<'a>>,
}

impl<'a> Choice<'a> {
    fn open(column: &'a HostColumn<'_>, condition: Condition<'_>) -> Result<Self> {
        let values = if condition.by_validity() { None } else { Some(column.bits()?) };
        Ok(Self { values, validity: column.validity()? })
    }

    fn word(&self, index: usize) -> u64 {
        self.values.map_or(u64::MAX, |bits| bits.word(index)) & self.validity.map_or(u64::MAX, |bits| bits.word(index))
    }

    fn get(&self, row: usize) -> bool {
        self.values.is_none_or(|bits| bits.get(row)) && self.validity.is_none_or(|bits| bits.get(row))
    }
}

fn select_bits(choice: u64, lhs: u64, rhs: u64) -> u64 {
    (choice & lhs) | (!choice & rhs)
}

fn mask(rows: &Rows<'_, 3>, choice: Choice<'_>) -> Result<HostMask> {
    rows.mask_by(|index, [_, lhs, rhs]| select_bits(choice.word(index), lhs, rhs))
}

pub(super) fn select(rows: &Rows<'_, 3>, kind: RowKind, condition: Condition<'_>) -> Result<Column> {
    let [column, lhs, rhs] = rows.columns();
    let choice = Choice::open(column, condition)?;
    let RowKind::Bytes(width) = kind else {
        let (lhs, rhs) = (BitWords::values(lhs)?, BitWords::values(rhs)?);
        return rows
            .bits(|| mask(rows, choice), |index| select_bits(choice.word(index), lhs.word(index), rhs.word(index)));
    };
    match (physical_type(rows.output_type), width) {
        (PhysicalType::FixedBinary(_), _) => select_bytes(rows, choice, width),
        // The value is read as two integers of 32 bits, because an integer of 64 bits would need a stricter alignment
        // than the column has.
        (PhysicalType::IntervalDayTime, _) => select_values::<[u32; 2]>(rows, choice),
        (_, 1) => select_values::<u8>(rows, choice),
        (_, 2) => select_values::<u16>(rows, choice),
        (_, 4) => select_values::<u32>(rows, choice),
        (_, 8) => select_values::<u64>(rows, choice),
        (_, 16) => select_values::<[u64; 2]>(rows, choice),
        (_, 32) => select_values::<[u64; 4]>(rows, choice),
        _ => select_bytes(rows, choice, width),
    }
}

pub(super) fn strings(inputs: Inputs<'_, 3>, condition: Condition<'_>, nulls: Nulls, ctx: Ctx<'_>) -> Result<Column> {
    let data_type = inputs.operands[1].data_type();
    elementwise::on_host(inputs, data_type, nulls, ctx, &|rows: &Rows<'_, 3>| {
        let [chosen, lhs, rhs] = rows.columns();
        let choice = Choice::open(chosen, condition)?;
        let mask = mask(rows, choice)?;
        let (left, right) = (StringRows::open(lhs)?, StringRows::open(rhs)?);
        let row = |row| if choice.get(row) { left.get(row) } else { right.get(row) };
        column(data_type, rows.len(), strings_by_row(data_type, rows.len(), ctx, row)?, mask)
    })
}

fn select_values<T: Pod + Send + Sync>(rows: &Rows<'_, 3>, choice: Choice<'_>) -> Result<Column> {
    let [_, lhs, rhs] = rows.columns();
    let (lhs, rhs) = (Block::<T>::open(lhs)?, Block::<T>::open(rhs)?);
    let mask = mask(rows, choice)?;
    rows.filled::<T>(|| Ok(mask), |first, chunk| select_rows(choice, first, &lhs, &rhs, chunk))
}

vectorized! {
    /// Selects the rows from `first` on, which is a multiple of 64.
    fn select_rows[T: Pod](choice: Choice<'_>, first: usize, lhs: &Block<'_, T>, rhs: &Block<'_, T>, chunk: &mut [T]) {
        for (block, out) in chunk.chunks_mut(64).enumerate() {
            let (row, len) = (first + block * 64, out.len());
            let (left, right) = (lhs.rows(row, len), rhs.rows(row, len));
            let bits = choice.word(row / 64) & low_bits(len);
            if bits == low_bits(len) {
                out.copy_from_slice(left);
            } else if bits == 0 {
                out.copy_from_slice(right);
            } else if let (Ok(out), Ok(left), Ok(right)) =
                (<&mut [T; 64]>::try_from(&mut *out), <&[T; 64]>::try_from(left), <&[T; 64]>::try_from(right))
            {
                // The loop loads both values and then selects one of them.
                for i in 0..64 {
                    out[i] = select_unpredictable(bits & 1 << i == 0, right[i], left[i]);
                }
            } else {
                for (i, ((out, left), right)) in out.iter_mut().zip(left).zip(right).enumerate() {
                    *out = if bits & 1 << i == 0 { *right } else { *left };
                }
            }
        }
    }
}

fn select_bytes(rows: &Rows<'_, 3>, choice: Choice<'_>, width: usize) -> Result<Column> {
    let (len, ctx) = (rows.len(), rows.ctx);
    let mut buffer = Buffer::uninitialized(byte_len(len, width, ctx.mr)?, ctx.stream, ctx.mr.output)?;
    if width > 0 {
        let [_, lhs, rhs] = rows.columns();
        let step = |input: &HostColumn<'_>| if input.broadcast() { 0 } else { width };
        let (left_step, right_step) = (step(lhs), step(rhs));
        let (lhs, rhs) = (lhs.row_bytes(width)?, rhs.row_bytes(width)?);
        let task_rows = task_rows();
        let bytes = buffer.write_on(ctx.stream)?.into_mut_slice::<u8>()?;
        for_each_task(bytes.chunks_mut(width.saturating_mul(task_rows)).collect(), |task, chunk: &mut [u8]| {
            for (i, out) in chunk.chunks_exact_mut(width).enumerate() {
                let row = task * task_rows + i;
                let source = if choice.get(row) { &lhs[row * left_step..] } else { &rhs[row * right_step..] };
                out.copy_from_slice(&source[..width]);
            }
        });
    }
    column(rows.output_type, len, [buffer], mask(rows, choice)?)
}
