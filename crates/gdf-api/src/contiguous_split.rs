//! Tables in one buffer each, to be sent or stored, and back without a copy.

use gdf_core::{Result, Table, TableView};
use gdf_detail::contiguous_split as detail;
pub use gdf_detail::contiguous_split::PackedTable;
use gdf_memory::Buffer;

use crate::scope::Scope;

/// The parts of `table` between `splits`, with that before the first and that after the last, each copied to one buffer.
///
/// Every type can be packed. Values of dictionaries, and what views and list views point to, are in each part whole. All
/// buffers of a part begin at multiples of 64 bytes, with zeros between them. What null rows hide is copied with them.
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
/// A launch for each part; 1 wait for each level of strings and lists in each other, whatever the number of parts. See the
/// table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when a split lies before the one before it;
///   [`OutOfBounds`](gdf_core::Error::OutOfBounds) when one is beyond the last row.
/// * Driver and memory errors.
#[doc(alias("serialize", "partition", "shuffle"))]
pub fn contiguous_split<'a>(table: impl Into<TableView<'a>>, splits: &[usize]) -> Result<Vec<PackedTable>> {
    let table = table.into();
    Scope::for_inputs("contiguous_split", &[&table])?.run(|ctx| detail::contiguous_split(&table, splits, ctx))
}

/// As [`contiguous_split`], of the whole table.
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

/// Bytes of the data of [`pack`], without packing.
///
/// # Costs
/// The waits of [`contiguous_split`].
///
/// # Errors
/// * Driver and memory errors.
pub fn packed_size<'a>(table: impl Into<TableView<'a>>) -> Result<usize> {
    let table = table.into();
    Scope::for_inputs("packed_size", &[&table])?.run(|ctx| detail::packed_size(&table, ctx))
}

/// The table in the memory of `data`, which [`metadata`](PackedTable::metadata) describes. Nothing is copied.
///
/// Neither is believed: sizes are checked here, and data by the first operation that gets the table
/// ([validation](gdf_core::Column::validated)). [`PackedTable::unpack`] needs neither. In libcudf `unpack`, which believes
/// both.
///
/// # Errors
/// * [`InvalidData`](gdf_core::Error::InvalidData), [`InvalidArgument`](gdf_core::Error::InvalidArgument): no metadata, or of
///   another version.
/// * [`BufferTooSmall`](gdf_core::Error::BufferTooSmall), [`Memory`](gdf_core::Error::Memory) (out of range): of more data than
///   there are; and all errors of [`Column::try_from_parts`](gdf_core::Column::try_from_parts).
#[doc(alias("deserialize", "from_bytes"))]
pub fn unpack(metadata: &[u8], data: &Buffer) -> Result<Table> {
    Scope::on("unpack", data.device())?.run(|_| detail::unpack(metadata, data))
}

/// A table that is packed piece by piece, in memory of the caller.
#[derive(Debug)]
pub struct ChunkedPack<'a>(detail::ChunkedPack<'a>);

/// The rows of `table`, to be packed piece by piece in bounded memory.
///
/// The pieces one behind the other are the data of [`pack`]. In libcudf `chunked_pack`.
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
/// The waits of [`contiguous_split`]; a launch for each piece.
///
/// # Errors
/// * Driver and memory errors.
#[doc(alias("serialize", "chunks"))]
pub fn chunked_pack<'a>(table: impl Into<TableView<'a>>) -> Result<ChunkedPack<'a>> {
    let table = table.into();
    Scope::for_inputs("chunked_pack", &[&table])?.run(|ctx| detail::chunked_pack(&table, ctx)).map(ChunkedPack)
}

impl ChunkedPack<'_> {
    /// Bytes of all pieces together.
    pub fn total_size(&self) -> usize {
        self.0.total_size()
    }

    /// Whether there is something left.
    pub fn has_next(&self) -> bool {
        self.0.has_next()
    }

    /// What [`unpack`] needs besides the pieces.
    ///
    /// # Errors
    /// * None that a table can cause.
    pub fn metadata(&self) -> Result<Vec<u8>> {
        self.0.metadata()
    }

    /// Writes the next piece to the beginning of `target`, on the current stream of its device, and says how many bytes it
    /// has: as many as fit, down to a multiple of 64.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `target` has less than 2²⁰ bytes.
    /// * [`Memory`](gdf_core::Error::Memory) (shared): it is not the caller's alone. Driver and memory errors.
    pub fn next_chunk(&mut self, target: &mut Buffer) -> Result<usize> {
        Scope::on("next_chunk", target.device())?.run(|ctx| self.0.next_chunk(target, ctx))
    }
}
