//! Runs a condition on all pairs of a left row and a right row on CUDA. The kernel reads the columns of both tables in
//! place, so no values are gathered first.

use std::ops::Range;

use gdf_core::{Column, ColumnView, Error, Result, Table};
use gdf_engine::cuda::{CudaColumn, Kernel, Memory, Out, in_table};
use gdf_kernels::generated::expression::{Match, PairRange, Program as Encoded};
use gdf_kernels::{Grid, Rows};
use gdf_memory::Buffer;

use super::super::program::{Program, Wanted};
use crate::Ctx;
use crate::vouch;

/// The maximum number of words of right rows that a warp handles at a time.
const MOST_WORDS: usize = 8;

const MOST_SHARE: usize = 64;

/// A condition as a program for the kernel.
#[derive(Debug)]
pub(in crate::expression) struct CudaPairs {
    encoded: Box<Encoded>,
    /// The columns that the program reads.
    columns: Vec<usize>,
    left_columns: usize,
}

/// The matches between a range of left rows and all right rows.
pub struct DeviceMatches {
    /// The number of matches of each left row, as `Int64`. If only a first match was wanted, the number may be too
    /// small, but it is 0 only for a left row without matches.
    pub counts: Column,
    /// A bit for each right row of each left row, if bits were wanted. The bits of a left row begin with a new word of
    /// 32 bits.
    pub bits: Option<Buffer>,
}

impl CudaPairs {
    /// Returns the condition for the kernel.
    pub(in crate::expression) fn new(program: &Program, left_columns: usize) -> Option<CudaPairs> {
        let encoded = Box::new(super::encoded(program)?);
        Some(CudaPairs { encoded, columns: program.columns.clone(), left_columns })
    }

    pub(in crate::expression) fn find(
        &self,
        [left, right]: [&Table; 2],
        rows: Range<usize>,
        wanted: Wanted,
        has_bits: bool,
        ctx: Ctx<'_>,
    ) -> Result<DeviceMatches> {
        let (stream, right_rows) = (ctx.stream, right.num_rows());
        let column = |position: &usize| -> Result<ColumnView<'_>> {
            let column = match position.checked_sub(self.left_columns) {
                None => left.column(*position)?,
                Some(position) => right.column(position)?,
            };
            Ok(column.view())
        };
        let views = self.columns.iter().map(column).collect::<Result<Vec<_>>>()?;
        let columns = views.iter().map(|view| CudaColumn::open(*view, stream)).collect::<Result<Vec<_>>>()?;
        let is_left = self.columns.iter().map(|position| u32::from(*position < self.left_columns));
        let words = right_rows.div_ceil(32);
        let too_large =
            || Error::invalid_argument("the bits for the row pairs of a join exceed the address space; use fewer rows");
        let bytes = if has_bits { words.checked_mul(rows.len() * 4).ok_or_else(too_large)? } else { 0 };
        let mut bits = Buffer::uninitialized(bytes, stream, ctx.mr.temporary)?;
        let mut counts = Buffer::zeroed(rows.len() * 8, stream, ctx.mr.temporary)?;
        {
            let (bits, counts) = (bits.write_on(stream)?, counts.write_on(stream)?);
            let kernel = Kernel::<Match>::find(stream)?;
            let tile_words = words.next_power_of_two().min(MOST_WORDS);
            let right_tiles = words.div_ceil(tile_words);
            let left_steps = rows.len().div_ceil(MOST_WORDS / tile_words);
            let warps = kernel.threads() / 32;
            let shares = (kernel.resident() * warps * 4).div_ceil(right_tiles).max(1);
            let share = left_steps.div_ceil(shares).clamp(1, MOST_SHARE);
            let units = left_steps.div_ceil(share).saturating_mul(right_tiles);
            let pairs = PairRange {
                left_columns: is_left.enumerate().fold(0, |all, (column, is_left)| all | is_left << column),
                shift: tile_words.ilog2() as i32,
                share: share as i32,
                first_only: i32::from(wanted == Wanted::First),
                first: rows.start as i64,
                end: rows.end as i64,
            };
            let shared = super::shared_bytes(&self.encoded, &kernel);
            kernel.allow_shared(shared)?;
            let blocks = units.div_ceil(warps).min(kernel.resident()) as u32;
            let memory = Memory::of(&bits);
            let arguments = Match {
                table: in_table(&columns)?,
                p: *self.encoded,
                pairs,
                left_rows: Rows::new(left.num_rows()),
                right_rows: Rows::new(right_rows),
                bits: if has_bits { memory.array(0, words * rows.len())? } else { Out::default() },
                counts: Memory::of(&counts).array(0, rows.len())?,
            };
            // SAFETY: The kernel reads columns and writes bits and counts.
            // - Each column has the rows of its table and stays open until after the launch. The left rows of the range
            //   are rows of the left table.
            // - `encoded` was made from the program. Therefore, all columns, slots and constants in `encoded` exist,
            //   and `encoded` has opcodes for the types of all loaded columns.
            // - `bits` is null or has words for all right rows of each left row of the range. `counts` has a word for
            //   each left row of the range. `Memory` has checked both sizes.
            // - The launch has shared memory for all slots.
            unsafe { kernel.launch_grid(stream, Grid::Shared(blocks, shared), &arguments)? };
        }
        drop(columns);
        let counts = vouch::numbers(gdf_core::DataType::Int64, counts, rows.len(), stream)?;
        Ok(DeviceMatches { counts, bits: has_bits.then_some(bits) })
    }
}
