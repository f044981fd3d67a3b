//! Partitions rows on the CPU.

use bytemuck::Pod;
use gdf_core::{Column, DataType, Error, Result, TableView};
use gdf_driver::Stream;
use gdf_engine::host::{HostColumn, for_each_task, split_mut, task_rows};
use gdf_engine::keys::{order_column, row_indices};
use gdf_engine::layout::{OutputBuffers, byte_len};
use gdf_engine::rows::host::{by_width, values_buffer};
use gdf_engine::rows::{Leaf, RowPlan};
use gdf_memory::Buffer;
use smallvec::SmallVec;

use super::plan::{Partitioned, is_short, joined, offsets, split, width};
use crate::Ctx;
use crate::vouch::gather_trusted;

pub(super) struct Ids {
    buffer: Buffer,
}

impl Ids {
    pub(super) fn new(rows: usize, ctx: Ctx<'_>) -> Result<Self> {
        Ok(Self { buffer: Buffer::uninitialized(byte_len(rows, 4, ctx.mr)?, ctx.stream, ctx.mr.temporary)? })
    }

    pub(super) fn values(&mut self, stream: &Stream) -> Result<&mut [u32]> {
        Ok(self.buffer.write_on(stream)?.into_mut_slice()?)
    }
}

/// Returns the rows of `table`, ordered by partition.
pub(super) fn copy_rows(table: &TableView<'_>, ids: Ids, partitions: usize, ctx: Ctx<'_>) -> Result<Partitioned> {
    let rows = table.num_rows();
    let ids = ids.buffer.read_on(ctx.stream)?;
    let ids = ids.as_slice::<u32>()?;
    // A chunk has enough rows that the memory for its counts is small compared with the memory for its rows.
    let chunk = task_rows().max(partitions.saturating_mul(64));
    let chunks = rows.div_ceil(chunk);
    let mut counts = Buffer::zeroed(byte_len(chunks * partitions, 8, ctx.mr)?, ctx.stream, ctx.mr.temporary)?;
    let counts = counts.write_on(ctx.stream)?.into_mut_slice::<u64>()?;
    for_each_task(counts.chunks_mut(partitions).zip(ids.chunks(chunk)).collect(), |_, (counts, ids)| {
        for id in ids {
            counts[*id as usize] += 1;
        }
    });
    let scatter = Scatter { ids, counts, chunk, partitions, ctx };
    let mut begin = 0;
    let begins = (0..partitions).map(|partition| {
        begin += scatter.lengths(partition).sum::<usize>();
        begin
    });
    let offsets = offsets(partitions, rows, begins)?;

    let is_staged: Vec<_> = table.columns().iter().map(|column| is_short(column) && !column.has_validity()).collect();
    let [these, others] = split(table, &is_staged)?;
    let plan = RowPlan::new("partition", &these)?;
    let output_buffers = plan.leaves().iter().map(|leaf| scatter.leaf(leaf)).collect::<Result<Vec<_>>>()?;
    let these = plan.finish(rows, ctx.stream.device(), output_buffers)?;
    let others = match others.num_columns() {
        0 => None,
        _ => Some(gather_trusted(&others, scatter.order()?.view(), ctx)?),
    };
    Ok((joined(&is_staged, rows, these, others)?, offsets))
}

struct Scatter<'a> {
    ids: &'a [u32],
    counts: &'a [u64],
    chunk: usize,
    partitions: usize,
    ctx: Ctx<'a>,
}

impl Scatter<'_> {
    fn lengths(&self, partition: usize) -> impl Iterator<Item = usize> {
        self.counts.chunks(self.partitions).map(move |counts| counts[partition] as usize)
    }

    /// Writes all rows to `out`.
    fn write<T: Pod + Send + Sync>(&self, out: &mut [T], row: impl Fn(usize) -> T + Sync) {
        let lengths = (0..self.partitions).flat_map(|partition| self.lengths(partition));
        let chunks = self.ids.len().div_ceil(self.chunk);
        let mut tasks: Vec<Vec<std::slice::IterMut<'_, T>>> = Vec::new();
        tasks.resize_with(chunks, || Vec::with_capacity(self.partitions));
        for (at, piece) in split_mut(out, lengths).into_iter().enumerate() {
            tasks[at % chunks].push(piece.iter_mut());
        }
        for_each_task(tasks, |chunk, mut pieces| {
            let first = chunk * self.chunk;
            let rows = first..(first + self.chunk).min(self.ids.len());
            for (at, id) in rows.clone().zip(&self.ids[rows]) {
                if let Some(slot) = pieces[*id as usize].next() {
                    *slot = row(at);
                }
            }
        });
    }

    fn leaf(&self, leaf: &Leaf<'_>) -> Result<OutputBuffers> {
        let column = HostColumn::open(leaf.view, self.ctx.stream)?;
        let width = width(leaf);
        let mut buffer = values_buffer(self.ids.len(), width, self.ctx)?;
        let access = buffer.write_on(self.ctx.stream)?;
        by_width!(
            width,
            T => {
                let source = column.values::<T>()?;
                self.write(access.into_mut_slice()?, |row| source[row]);
            },
            else => return Err(Error::unsupported("partition", leaf.view.data_type()))
        );
        Ok(OutputBuffers { buffers: SmallVec::from_iter([buffer]), ..OutputBuffers::without_data() })
    }

    fn order(&self) -> Result<Column> {
        let rows = self.ids.len();
        let wide = row_indices(rows) == DataType::UInt64;
        let bytes = byte_len(rows, if wide { 8 } else { 4 }, self.ctx.mr)?;
        let mut order = Buffer::uninitialized(bytes, self.ctx.stream, self.ctx.mr.temporary)?;
        if wide {
            self.write(order.write_on(self.ctx.stream)?.into_mut_slice::<u64>()?, |row| row as u64);
        } else {
            self.write(order.write_on(self.ctx.stream)?.into_mut_slice::<u32>()?, |row| row as u32);
        }
        order_column(order, rows, self.ctx.stream)
    }
}
