//! Packing of tables: each table is copied to one buffer, which can be sent or stored. Unpacking needs no copy.

use gdf_core::{Result, Table, TableView};
use gdf_detail::contiguous_split as detail;
pub use gdf_detail::contiguous_split::PackedTable;
use gdf_memory::Buffer;

use crate::scope::Scope;

/// Splits `table` at the row numbers `splits`, and copies each part to one buffer. `n` splits give `n + 1` parts.
///
/// Every type can be packed. Each part contains all values of its dictionaries, and all buffers of its views and list
/// views. All buffers of a part begin at multiples of 64 bytes, with zeros between them. Hidden data of null rows are
/// copied.
///
/// In libcudf `contiguous_split`; [`copying::split`](crate::copying::split) gives views and copies nothing.
///
/// ```
/// use gdf::contiguous_split::{contiguous_split, unpack};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_strs(["a", "bc", "def"])?])?;
/// let parts = contiguous_split(&table, &[1])?;
/// let (metadata, data) = (parts[1].metadata()?, parts[1].data()); // sent somewhere
/// let rows = unpack(&metadata, data)?;
/// assert_eq!(rows.column(0)?.to_strings()?, [Some("bc".into()), Some("def".into())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs one launch for each part. It waits for the device once for each level of nested strings and
/// lists, whatever the number of parts. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when a split is less than the previous split.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) when a split is beyond the last row.
/// * Driver and memory errors.
#[doc(alias("serialize", "partition", "shuffle"))]
pub fn contiguous_split<'a>(table: impl Into<TableView<'a>>, splits: &[usize]) -> Result<Vec<PackedTable>> {
    let table = table.into();
    Scope::for_inputs("contiguous_split", &[&table])?.run(|ctx| detail::contiguous_split(&table, splits, ctx))
}

/// Packs the whole table in the same way as [`contiguous_split`] without splits.
///
/// ```
/// use gdf::contiguous_split::pack;
/// use gdf::{Column, Table};
///
/// let packed = pack(&Table::try_new(vec![Column::from_slice(&[1, 2])?])?)?;
/// assert_eq!(packed.unpack()?.column(0)?.to_vec::<i32>()?, [Some(1), Some(2)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * Driver and memory errors.
#[doc(alias("serialize", "to_bytes"))]
pub fn pack<'a>(table: impl Into<TableView<'a>>) -> Result<PackedTable> {
    let table = table.into();
    Scope::for_inputs("pack", &[&table])?.run(|ctx| detail::pack(&table, ctx))
}

/// Returns the number of bytes of the buffer that [`pack`] returns, without packing.
///
/// # Costs
/// The function has the waits of [`contiguous_split`].
///
/// # Errors
/// * Driver and memory errors.
pub fn packed_size<'a>(table: impl Into<TableView<'a>>) -> Result<usize> {
    let table = table.into();
    Scope::for_inputs("packed_size", &[&table])?.run(|ctx| detail::packed_size(&table, ctx))
}

/// Returns the table in the memory of `data`, which [`metadata`](PackedTable::metadata) describes. Nothing is copied.
///
/// The function trusts neither the metadata nor the data. It checks the sizes. The first operation that gets the table
/// checks the data ([validation](gdf_core::Column::validated)). [`PackedTable::unpack`] trusts its own metadata and
/// data, because this process packed the table. In libcudf `unpack`, which trusts both.
///
/// # Errors
/// * [`InvalidData`](gdf_core::Error::InvalidData), [`InvalidArgument`](gdf_core::Error::InvalidArgument): `metadata`
///   is not metadata, or has another version.
/// * [`BufferTooSmall`](gdf_core::Error::BufferTooSmall), [`Memory`](gdf_core::Error::Memory): the metadata describes
///   more bytes than `data` has.
/// * All errors of [`Column::try_from_parts`](gdf_core::Column::try_from_parts).
#[doc(alias("deserialize", "from_bytes"))]
pub fn unpack(metadata: &[u8], data: &Buffer) -> Result<Table> {
    Scope::on("unpack", data.device())?.run(|_| detail::unpack(metadata, data))
}

/// A table that is packed in pieces, into memory of the caller.
#[derive(Debug)]
pub struct ChunkedPack<'a>(detail::ChunkedPack<'a>);

/// Prepares `table` for packing in pieces, with bounded memory.
///
/// The concatenated pieces are the data of [`pack`]. In libcudf `chunked_pack`.
///
/// ```
/// use gdf::contiguous_split::{chunked_pack, unpack};
/// use gdf::memory::{Buffer, current_resource};
/// use gdf::{Column, Device, Stream, Table};
///
/// let table = Table::try_new(vec![Column::sequence(0_i64, 1, 200_000)?])?;
/// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
/// let mut chunk = Buffer::zeroed(1 << 20, &stream, &mr)?;
/// let (mut packed, mut data) = (chunked_pack(&table)?, Vec::new());
/// while packed.has_next() {
///     let bytes = packed.next_chunk(&mut chunk)?;
///     data.extend_from_slice(&chunk.to_host(&stream)?[..bytes]); // or sent
/// }
/// let table = unpack(&packed.metadata()?, &Buffer::from_host(&data, &stream, &mr)?)?;
/// assert_eq!(table.num_rows(), 200_000);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`contiguous_split`]. Each piece needs one launch.
///
/// # Errors
/// * Driver and memory errors.
#[doc(alias("serialize", "chunks"))]
pub fn chunked_pack<'a>(table: impl Into<TableView<'a>>) -> Result<ChunkedPack<'a>> {
    let table = table.into();
    Scope::for_inputs("chunked_pack", &[&table])?.run(|ctx| detail::chunked_pack(&table, ctx)).map(ChunkedPack)
}

impl ChunkedPack<'_> {
    /// Returns the number of bytes of all pieces together.
    pub fn total_size(&self) -> usize {
        self.0.total_size()
    }

    /// Returns whether another piece is left.
    pub fn has_next(&self) -> bool {
        self.0.has_next()
    }

    /// Returns the metadata that [`unpack`] needs in addition to the pieces.
    ///
    /// # Errors
    /// * Only a defect of gdf can cause an error.
    pub fn metadata(&self) -> Result<Vec<u8>> {
        self.0.metadata()
    }

    /// Writes the next piece to the beginning of `target`, and returns the number of bytes of the piece. The piece
    /// fills `target`, rounded down to a multiple of 64 bytes. The last piece may be shorter. The copy is enqueued on
    /// the current stream of the device of `target`.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `target` has less than 2²⁰ bytes.
    /// * [`Memory`](gdf_core::Error::Memory): another owner shares the memory of `target`.
    /// * Driver and memory errors.
    pub fn next_chunk(&mut self, target: &mut Buffer) -> Result<usize> {
        Scope::on("next_chunk", target.device())?.run(|ctx| self.0.next_chunk(target, ctx))
    }
}
