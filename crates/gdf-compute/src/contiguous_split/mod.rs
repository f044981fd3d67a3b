//! Tables in one buffer each, with metadata that can be sent; and tables in the memory of such a buffer.

mod cuda;
mod host;
mod metadata;
mod plan;
#[cfg(test)]
mod tests;

use gdf_core::{Error, Result, Table, TableView};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_memory::{AccessMut, BUFFER_PADDING, Buffer};

use self::metadata::{Metadata, Origin};
use self::plan::{Entry, Segment, TablePart, Task, parts};
use crate::Ctx;
use crate::copying::split;

/// The most bytes of one task, of a block or a thread, where there are few.
const TASK_BYTES: usize = 1 << 17;

/// About how many tasks there are where there is much to copy: enough for all blocks of a device, and few to describe.
const MANY_TASKS: usize = 1 << 12;

/// The fewest bytes of a chunk.
const MIN_CHUNK: usize = 1 << 20;

/// A table in one buffer.
#[derive(Clone, Debug)]
pub struct PackedTable {
    metadata: Metadata,
    data: Buffer,
}

impl PackedTable {
    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.metadata.rows
    }

    /// The buffer that holds all columns.
    pub fn data(&self) -> &Buffer {
        &self.data
    }

    /// What [`unpack`] needs besides the data, as bytes that can be sent.
    ///
    /// # Errors
    /// * None that a packed table can cause.
    pub fn metadata(&self) -> Result<Vec<u8>> {
        self.metadata.to_bytes()
    }

    /// The table in the memory of the buffer. Nothing is copied, and nothing has to be validated.
    ///
    /// # Errors
    /// * None that a packed table can cause.
    pub fn unpack(&self) -> Result<Table> {
        self.metadata.table(&self.data, Origin::Own)
    }
}

/// The rows between `splits`, each part in one buffer: the explicit form of `gdf_api::contiguous_split::contiguous_split`,
/// with its errors.
pub fn contiguous_split(table: &TableView<'_>, splits: &[usize], ctx: Ctx<'_>) -> Result<Vec<PackedTable>> {
    check::table(table, ctx)?;
    planned(&split(table, splits)?, ctx)?.into_iter().map(|part| packed(part, ctx)).collect()
}

/// As [`contiguous_split`], of the whole table.
pub fn pack(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<PackedTable> {
    contiguous_split(table, &[], ctx)?.pop().ok_or_else(|| Error::internal("no part of a table"))
}

/// Bytes of the data of [`pack`].
pub fn packed_size(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<usize> {
    check::table(table, ctx)?;
    Ok(planned(std::slice::from_ref(table), ctx)?.first().map_or(0, |part| part.bytes))
}

/// The table in the memory of `data`, made of metadata from anywhere: the explicit form of
/// `gdf_api::contiguous_split::unpack`, with its errors.
pub fn unpack(metadata: &[u8], data: &Buffer) -> Result<Table> {
    Metadata::from_bytes(metadata)?.table(data, Origin::Unknown)
}

fn planned<'a>(tables: &[TableView<'a>], ctx: Ctx<'_>) -> Result<Vec<TablePart<'a>>> {
    parts(tables, |entries| read_offsets(entries, ctx))
}

/// The offsets, each copied to a segment of its own. Waits.
fn read_offsets(entries: &[Entry<'_>], ctx: Ctx<'_>) -> Result<Vec<usize>> {
    let tasks = entries.iter().enumerate().map(|(i, &(buffer, from, bytes))| {
        let segment = Segment { buffer, from, bytes, to: i * BUFFER_PADDING, width: 0 };
        Task { segment, skip: 0, bytes, padding: BUFFER_PADDING - bytes }
    });
    let tasks: Vec<_> = tasks.collect();
    let mut out = Buffer::uninitialized(tasks.len() * BUFFER_PADDING, ctx.stream, ctx.mr.temporary)?;
    copy_tasks(&tasks, 0, out.write_on(ctx.stream)?, ctx)?;
    let read = out.to_host(ctx.stream)?;
    let offset = |(segment, &(_, _, width)): (&[u8; BUFFER_PADDING], &Entry<'_>)| {
        let value = match width {
            8 => segment.first_chunk().map(|bytes| i64::from_ne_bytes(*bytes)),
            _ => segment.first_chunk().map(|bytes| i32::from_ne_bytes(*bytes).into()),
        };
        let value = value.and_then(|value| usize::try_from(value).ok());
        value.ok_or_else(|| Error::invalid_data("an offset lies outside of the values that it points into"))
    };
    read.as_chunks().0.iter().zip(entries).map(offset).collect()
}

fn packed(part: TablePart<'_>, ctx: Ctx<'_>) -> Result<PackedTable> {
    let mut data = Buffer::uninitialized(part.bytes, ctx.stream, ctx.mr.output)?;
    copy(&part, 0, data.write_on(ctx.stream)?, ctx)?;
    Ok(PackedTable { metadata: part.metadata, data })
}

/// Bytes of the packed buffer, from `first` on, as many as `target` has.
fn copy(part: &TablePart<'_>, first: usize, target: AccessMut<'_>, ctx: Ctx<'_>) -> Result<()> {
    let most = TASK_BYTES.max(target.len().div_ceil(MANY_TASKS).next_multiple_of(BUFFER_PADDING));
    copy_tasks(&part.tasks(first, first + target.len(), most), first, target, ctx)
}

fn copy_tasks(tasks: &[Task<'_>], first: usize, target: AccessMut<'_>, ctx: Ctx<'_>) -> Result<()> {
    match ctx.stream.device() {
        Device::Cpu => host::copy(tasks, target, ctx.stream),
        Device::Cuda(_) => cuda::copy(tasks, first, &target, ctx),
    }
}

/// A table that is packed piece by piece, in memory of the caller.
#[derive(Debug)]
pub struct ChunkedPack<'a> {
    part: TablePart<'a>,
    position: usize,
}

/// The rows of `table`, to be packed piece by piece: the explicit form of `gdf_api::contiguous_split::chunked_pack`, with its
/// errors.
pub fn chunked_pack<'a>(table: &TableView<'a>, ctx: Ctx<'_>) -> Result<ChunkedPack<'a>> {
    check::table(table, ctx)?;
    let part = planned(std::slice::from_ref(table), ctx)?.pop();
    Ok(ChunkedPack { part: part.ok_or_else(|| Error::internal("no part of a table"))?, position: 0 })
}

impl ChunkedPack<'_> {
    /// Bytes of all pieces together.
    pub fn total_size(&self) -> usize {
        self.part.bytes
    }

    /// Whether there is something left.
    pub fn has_next(&self) -> bool {
        self.position < self.part.bytes
    }

    /// What [`unpack`] needs besides the pieces, one behind the other.
    ///
    /// # Errors
    /// * None that a table can cause.
    pub fn metadata(&self) -> Result<Vec<u8>> {
        self.part.metadata.to_bytes()
    }

    /// Writes the next piece to the beginning of `target`, on the stream of `ctx`, and says how many bytes it has: as many as
    /// fit, down to a multiple of 64.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument): `target` has less than 2²⁰ bytes.
    /// * `MemoryError::Shared`: it is not the caller's alone; driver and memory errors.
    pub fn next_chunk(&mut self, target: &mut Buffer, ctx: Ctx<'_>) -> Result<usize> {
        if target.len() < MIN_CHUNK {
            return Err(Error::beyond_limit("bytes of a chunk", target.len() as i128, MIN_CHUNK as i128));
        }
        let capacity = target.len() / BUFFER_PADDING * BUFFER_PADDING;
        let bytes = capacity.min(self.part.bytes - self.position);
        copy(&self.part, self.position, target.write_part_on(0, bytes, ctx.stream)?, ctx)?;
        self.position += bytes;
        Ok(bytes)
    }
}
