//! `replace_nulls_by_policy`: a scan of the mask finds the nearest valid row of each row, and a gather copies these
//! rows.

use bytemuck::Pod;
use gdf_core::{Column, ColumnView, DataType, Result, TableView};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::cuda::CudaOutput;
use gdf_engine::host::{Bits, HostColumn, HostMask, HostOutput, for_each_chunk, map_chunks, task_rows};
use gdf_engine::keys::row_indices;
use gdf_engine::scan::cuda::{Choice, scan};
use gdf_kernels::generated::scan::ScanKernel;

use crate::Ctx;
use crate::copying::{OutOfBoundsPolicy, gather};

/// The row whose value replaces a null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplacePolicy {
    /// The last valid row before the null.
    Preceding,
    /// The first valid row after the null.
    Following,
}

/// Implements `gdf_api::replace::replace_nulls_by_policy` on the stream of `ctx`, with memory from the resources of
/// `ctx`.
pub fn replace_nulls_by_policy(column: ColumnView<'_>, policy: ReplacePolicy, ctx: Ctx<'_>) -> Result<Column> {
    check::column(column, ctx)?;
    if !column.has_validity() || column.is_empty() {
        return Ok(column.to_column());
    }
    let rows = nearest_valid(column, policy, ctx.scratch())?;
    let filled = gather(TableView::try_new(vec![column])?, rows.view(), OutOfBoundsPolicy::Nullify, ctx)?;
    Ok(filled.column(0)?.clone())
}

/// Returns for each row the number of the nearest valid row, in the direction of `policy`. For a valid row, that is the
/// row itself. If there is no valid row in that direction, all bits of the number are set. The column must have a mask.
pub fn nearest_valid(column: ColumnView<'_>, policy: ReplacePolicy, ctx: Ctx<'_>) -> Result<Column> {
    match ctx.stream.device() {
        Device::Cpu => on_host(column, policy, ctx),
        Device::Cuda(_) => on_cuda(column, policy, ctx),
    }
}

fn on_cuda(column: ColumnView<'_>, policy: ReplacePolicy, ctx: Ctx<'_>) -> Result<Column> {
    let output = CudaOutput::fixed_width(&row_indices(column.len()), column.len(), ctx)?;
    let kernel = match policy {
        ReplacePolicy::Preceding => ScanKernel::PrecedingValid,
        ReplacePolicy::Following => ScanKernel::FollowingValid,
    };
    scan(column, output, Choice { kernel, words: 1 }, 0, ctx)
}

fn on_host(column: ColumnView<'_>, policy: ReplacePolicy, ctx: Ctx<'_>) -> Result<Column> {
    let (open, data_type) = (HostColumn::open(column, ctx.stream)?, row_indices(column.len()));
    let Some(valid) = open.validity()? else { return Column::empty_on(&data_type, Device::Cpu) };
    if data_type == DataType::UInt32 {
        let mut output = HostOutput::<u32>::new(column.len(), ctx)?;
        nearest(valid, policy, output.values(ctx.stream)?, u32::MAX, |row| row as u32);
        return output.finish(&data_type, HostMask::none());
    }
    let mut output = HostOutput::<u64>::new(column.len(), ctx)?;
    nearest(valid, policy, output.values(ctx.stream)?, u64::MAX, |row| row as u64);
    output.finish(&data_type, HostMask::none())
}

/// Writes the nearest valid row of each row, which may be the row itself.
fn nearest<T: Pod + Send + Sync>(
    valid: Bits<'_>,
    policy: ReplacePolicy,
    out: &mut [T],
    none: T,
    number: impl Fn(usize) -> T + Sync,
) {
    // `own` has, for each chunk, the last valid row that the scan finds within the chunk.
    let own = map_chunks(out.len(), |rows| {
        let row = last_scanned(valid.slice(rows.start, rows.len()), policy)?;
        Some(number(rows.start + row))
    });
    let mut carried = vec![none; own.len()];
    let mut carry = none;
    for step in 0..own.len() {
        let chunk = if policy == ReplacePolicy::Following { own.len() - 1 - step } else { step };
        carried[chunk] = carry;
        carry = own[chunk].unwrap_or(carry);
    }
    let task = task_rows();
    for_each_chunk(out, |first, chunk| {
        let mut nearest = carried[first / task];
        let mut fill = |(at, slot): (usize, &mut T)| {
            if valid.get(first + at) {
                nearest = number(first + at);
            }
            *slot = nearest;
        };
        match policy {
            ReplacePolicy::Preceding => chunk.iter_mut().enumerate().for_each(&mut fill),
            ReplacePolicy::Following => chunk.iter_mut().enumerate().rev().for_each(&mut fill),
        }
    });
}

fn last_scanned(valid: Bits<'_>, policy: ReplacePolicy) -> Option<usize> {
    let mut words = (0..valid.words()).map(|index| (index * 64, valid.word(index))).filter(|(_, word)| *word != 0);
    match policy {
        ReplacePolicy::Preceding => words.next_back().map(|(first, word)| first + 63 - word.leading_zeros() as usize),
        ReplacePolicy::Following => words.next().map(|(first, word)| first + word.trailing_zeros() as usize),
    }
}
