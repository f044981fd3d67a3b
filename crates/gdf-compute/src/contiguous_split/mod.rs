//! Packing of a table into one buffer, with metadata that can be sent to another process, and unpacking without a copy.

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

const TASK_BYTES: usize = 1 << 17;

const MANY_TASKS: usize = 1 << 12;

/// The minimum size of a chunk in bytes.
const MIN_CHUNK: usize = 1 << 20;

/// A table in one buffer.
#[derive(Clone, Debug)]
pub struct PackedTable {
    metadata: Metadata,
    data: Buffer,
}

impl PackedTable {
    /// Returns the number of rows.
    pub fn num_rows(&self) -> usize {
        self.metadata.rows
    }

    /// Returns the buffer that holds all columns.
    pub fn data(&self) -> &Buffer {
        &self.data
    }

    /// Returns the metadata that [`unpack`] needs in addition to the data, as bytes that can be sent.
    ///
    /// # Errors
    /// * Only a defect of gdf can cause an error.
    pub fn metadata(&self) -> Result<Vec<u8>> {
        self.metadata.to_bytes()
    }

    /// Returns the table. The table shares the memory of the buffer.
    ///
    /// # Errors
    /// * Only a defect of gdf can cause an error.
    pub fn unpack(&self) -> Result<Table> {
        self.metadata.table(&self.data, Origin::Own)
    }
}

/// Splits a table at the row numbers `splits`, and packs each part into one buffer.
///
/// Implements `gdf_api::contiguous_split::contiguous_split` with the stream and the memory resources of `ctx`. Returns
/// the errors of that function.
pub fn contiguous_split(table: &TableView<'_>, splits: &[usize], ctx: Ctx<'_>) -> Result<Vec<PackedTable>> {
    check::table(table, ctx)?;
    planned(&split(table, splits)?, ctx)?.into_iter().map(|part| packed(part, ctx)).collect()
}

/// Packs the whole table into one buffer in the same way as [`contiguous_split`] without splits.
pub fn pack(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<PackedTable> {
    contiguous_split(table, &[], ctx)?.pop().ok_or_else(|| Error::internal("the packed table has no part"))
}

/// Returns the number of bytes of the buffer that [`pack`] returns.
pub fn packed_size(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<usize> {
    check::table(table, ctx)?;
    Ok(planned(std::slice::from_ref(table), ctx)?.first().map_or(0, |part| part.bytes))
}

/// Returns the table that the packed `data` contain. `metadata` may come from another process. The table shares the
/// memory of `data`.
///
/// Implements `gdf_api::contiguous_split::unpack`. Returns the errors of that function.
pub fn unpack(metadata: &[u8], data: &Buffer) -> Result<Table> {
    Metadata::from_bytes(metadata)?.table(data, Origin::Unknown)
}

fn planned<'a>(tables: &[TableView<'a>], ctx: Ctx<'_>) -> Result<Vec<TablePart<'a>>> {
    parts(tables, |entries| read_offsets(entries, ctx))
}

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
        value.ok_or_else(|| Error::invalid_data("an offset is negative; validate the column"))
    };
    read.as_chunks().0.iter().zip(entries).map(offset).collect()
}

fn packed(part: TablePart<'_>, ctx: Ctx<'_>) -> Result<PackedTable> {
    let mut data = Buffer::uninitialized(part.bytes, ctx.stream, ctx.mr.output)?;
    copy(&part, 0, data.write_on(ctx.stream)?, ctx)?;
    Ok(PackedTable { metadata: part.metadata, data })
}

/// Copies the bytes of the packed buffer from position `first` on to `target`, until `target` is full.
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

/// A table that is packed in chunks. The caller provides the memory to which the chunks are written.
#[derive(Debug)]
pub struct ChunkedPack<'a> {
    part: TablePart<'a>,
    position: usize,
}

/// Prepares to pack the rows of `table` in chunks.
///
/// Implements `gdf_api::contiguous_split::chunked_pack` with the stream and the memory resources of `ctx`. Returns the
/// errors of that function.
pub fn chunked_pack<'a>(table: &TableView<'a>, ctx: Ctx<'_>) -> Result<ChunkedPack<'a>> {
    check::table(table, ctx)?;
    let part = planned(std::slice::from_ref(table), ctx)?.pop();
    Ok(ChunkedPack { part: part.ok_or_else(|| Error::internal("the packed table has no part"))?, position: 0 })
}

impl ChunkedPack<'_> {
    /// Returns the total number of bytes of all chunks.
    pub fn total_size(&self) -> usize {
        self.part.bytes
    }

    /// Returns whether there are chunks that have not been written yet.
    pub fn has_next(&self) -> bool {
        self.position < self.part.bytes
    }

    /// Returns the metadata that [`unpack`] needs in addition to the concatenated chunks.
    ///
    /// # Errors
    /// * Only a defect of gdf can cause an error.
    pub fn metadata(&self) -> Result<Vec<u8>> {
        self.part.metadata.to_bytes()
    }

    /// Writes the next chunk to the beginning of `target`, on the stream of `ctx`, and returns its number of bytes.
    ///
    /// A chunk takes as many bytes of `target` as possible, in multiples of 64. The last chunk may be smaller.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) when `target` has less than 2²⁰ bytes.
    /// * `MemoryError::Shared` when the caller is not the only owner of the buffer `target`.
    /// * Driver and memory errors.
    pub fn next_chunk(&mut self, target: &mut Buffer, ctx: Ctx<'_>) -> Result<usize> {
        if target.len() < MIN_CHUNK {
            return Err(Error::beyond_limit("the number of bytes of a chunk", target.len() as i128, MIN_CHUNK as i128));
        }
        let capacity = target.len() / BUFFER_PADDING * BUFFER_PADDING;
        let bytes = capacity.min(self.part.bytes - self.position);
        copy(&self.part, self.position, target.write_part_on(0, bytes, ctx.stream)?, ctx)?;
        self.position += bytes;
        Ok(bytes)
    }
}
