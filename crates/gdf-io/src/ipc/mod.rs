//! Arrow IPC files (Feather version 2) and streams.

mod stream;
mod writer;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, CompressionType, MessageHeader, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use gdf_core::layout::same_named_type;
use rayon::prelude::*;

use crate::batches::{Batches, Decoder, Open, scan_iterator};
use crate::common::{common_schema, common_type};
use crate::contain::{contain, is_unsupported};
use crate::dataset::Dataset;
use crate::error::Format;
use crate::file;
use crate::options::{Options, reader_options};
use crate::{Batch, Error, Position, Result, names};

use self::stream::{Projected, StreamSource};
pub use self::writer::{IpcCompression, IpcWriter, write_ipc};

/// The first bytes of an IPC file.
const MAGIC: &[u8; 6] = b"ARROW1";
/// By default, a batch may have this number of bytes after decompression.
const UNPACKED: usize = 4 << 30;
/// A batch may also have this number of bytes for each of its compressed bytes, whatever the limit.
const UNPACKED_TIMES: usize = 64;
/// The metadata key with which Arrow 0.17 and earlier versions marked compressed buffers.
const OLD_COMPRESSION: &str = "ARROW:experimental_compression";

/// Reads an Arrow IPC file or stream, or all files of a pattern or folder, onto the current device.
///
/// This function is the short form of [`IpcReader`], which has options.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.arrow");
/// # gdf::io::write_ipc(&gdf::io::example_batch()?, &path)?;
/// let trips = gdf::io::read_ipc(&path)?;
/// assert_eq!(trips.column("city")?.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// - The errors of [`IpcReader::read`].
pub fn read_ipc(path: impl AsRef<Path>) -> Result<Batch> {
    IpcReader::open(path)?.read()
}

/// Reads Arrow IPC files or streams batch by batch, in bounded memory. This function is the short form of
/// [`IpcReader::scan`].
///
/// # Errors
/// - The errors of [`IpcReader::scan`].
pub fn scan_ipc(path: impl AsRef<Path>) -> Result<IpcScan> {
    IpcReader::open(path)?.scan()
}

/// Reads Arrow IPC files (also known as Feather version 2) and Arrow IPC streams. The reader detects from the first
/// bytes whether the data are a file or a stream.
///
/// # Files
/// A path names a file, a pattern or a folder. A folder means all files below the folder that end in `.arrow`,
/// `.feather`, `.ipc` or `.arrows`. If folders have names like `key=value`, they give columns; see
/// [`ParquetReader`](crate::ParquetReader).
///
/// # Types
/// The columns have the types of the file. Every Arrow type is allowed. Buffers may be compressed by LZ4 or Zstandard.
/// A stream may replace a dictionary by another dictionary. The result then has one merged dictionary. If there are
/// several files, a field of the result allows nulls if it allows nulls in any of the files, and decimals have the
/// largest precision that their column has in any file. The fields of structs must have the same names in the same
/// order in all files.
///
/// # Work and memory
/// The threads of rayon decode the selected columns of the batches of a file in parallel, into arrays of arrow-rs. The
/// batches of a stream are decoded in order by one thread, with all their columns. After that, the columns are
/// allocated from the memory resource of the current scope of this thread. The reader validates the data of a file
/// before it uses them.
#[derive(Clone, Debug)]
pub struct IpcReader {
    paths: Vec<PathBuf>,
    options: Options,
    unpacked_limit: usize,
}

impl IpcReader {
    /// Makes a reader of a file, a pattern or a folder. The reader looks for the files when `read` or `scan` is
    /// called.
    ///
    /// # Errors
    /// - Currently there are no errors. The function returns a `Result` so that its signature is the same as for the
    ///   other readers.
    pub fn open(path: impl AsRef<Path>) -> Result<IpcReader> {
        Self::open_all([path])
    }

    /// Makes a reader of several paths, whose files are read one path after the other, as the files of a folder are.
    ///
    /// # Errors
    /// - Currently there are no errors, as for [`open`](Self::open).
    pub fn open_all<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<IpcReader> {
        let paths = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        Ok(IpcReader { paths, options: Options::default(), unpacked_limit: UNPACKED })
    }

    reader_options!("Reads only the columns with these names, in the given order.");

    /// Sets the number of bytes that a batch or a dictionary may have after decompression. The default is 4 GiB. Files
    /// with compressed buffers state this number, and the reader checks it before it allocates memory. A few bytes could
    /// claim a thousand times the memory of the machine. Batches of at most 64 times their compressed size are read
    /// whatever the limit.
    #[must_use]
    pub fn unpacked_limit(mut self, bytes: usize) -> Self {
        self.unpacked_limit = bytes;
        self
    }

    /// Reads all selected rows and columns.
    ///
    /// # Errors
    /// - [`Error::NotFound`], [`Error::NoFiles`], [`Error::BadPattern`], [`Error::Read`].
    /// - [`Error::NoColumn`], [`Error::ColumnType`], [`Error::Predicate`].
    /// - [`Error::Malformed`], with the index of the batch: a file is truncated, damaged or not Arrow IPC.
    /// - [`Error::Gdf`]: an allocation failed, or the device does not exist.
    pub fn read(self) -> Result<Batch> {
        self.batches()?.read("read_ipc")
    }

    /// Reads the selected rows and columns batch by batch. Memory contains at most one batch of a file per thread, or
    /// one batch of a stream.
    ///
    /// # Errors
    /// - The errors of [`IpcReader::read`]. Errors in the data are returned by the iterator and not by this function.
    pub fn scan(self) -> Result<IpcScan> {
        Ok(IpcScan(self.batches()?))
    }

    fn batches(self) -> Result<Batches> {
        let dataset = Dataset::find(&self.paths, &["arrow", "feather", "ipc", "arrows"])?;
        let schema = merged_schema_of(&dataset.files)?;
        let (expected, limit, first) = (schema.clone(), self.unpacked_limit, dataset.files[0].clone());
        let open: Open = Box::new(move |path, columns| {
            let source = Source::open(path, limit)?;
            let columns = columns.iter().map(|index| position(path, &first, &source, &expected, *index));
            let columns = columns.collect::<Result<_>>()?;
            Ok(source.projected(columns))
        });
        Batches::new(dataset, &schema, &self.options, open)
    }
}

/// Returns the columns of the first file. A field allows nulls if it allows nulls in any of the files. Decimals have
/// the largest precision. A later file that cannot be opened is left out, because the read returns the error when it
/// comes to that file.
fn merged_schema_of(files: &[PathBuf]) -> Result<SchemaRef> {
    let first = Source::schema_at(&files[0])?;
    gdf_core::prepare_threads();
    let others: Vec<_> = files[1..].par_iter().filter_map(|file| Source::schema_at(file).ok()).collect();
    Ok(others.iter().fold(first, |schema, other| common_schema(&schema, other, common_type)))
}

/// Returns the position in this file of the column that has position `index` in the first file.
fn position(path: &Path, first: &Path, source: &Source, expected: &SchemaRef, index: usize) -> Result<usize> {
    let (field, found) = (expected.field(index), source.schema());
    let names = |schema: &SchemaRef| schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    let index = names::matching(&names(expected), index, &names(&found), path)?;
    let other = found.field(index);
    // The type of the field is the common type of all files that have one.
    if common_type(field.data_type(), other.data_type())
        .is_some_and(|common| same_named_type(&common, field.data_type()))
    {
        return Ok(index);
    }
    Err(Error::ColumnType {
        path: path.to_owned(),
        first: Some(Box::new(first.to_owned())),
        column: field.name().clone(),
        expected: field.data_type().clone(),
        found: other.data_type().clone(),
    })
}

enum Source {
    File(FileSource),
    Stream(StreamSource),
}

/// A file whose footer and dictionaries have been read.
struct FileSource {
    path: PathBuf,
    file: File,
    schema: SchemaRef,
    decoder: FileDecoder,
    blocks: Vec<Block>,
    next: usize,
    unpacked_limit: usize,
}

/// The footer of a file.
struct Footer {
    schema: SchemaRef,
    decoder: FileDecoder,
    blocks: Vec<Block>,
    dictionaries: Vec<Block>,
}

impl Footer {
    fn read(path: &Path, file: &mut File, len: u64) -> Result<Footer> {
        let failed = |error| Error::decoding(path, Format::Ipc, None, error);
        let malformed = |what: &str| failed(ArrowError::IpcError(what.to_owned()));
        let mut tail = [0; 10];
        let end = len.checked_sub(10).ok_or_else(|| malformed(&format!("expected 10 or more bytes, found {len}")))?;
        read_at(path, file, end, &mut tail)?;
        let footer_len = read_footer_length(tail).map_err(failed)?;
        let start = end
            .checked_sub(footer_len as u64)
            .ok_or_else(|| malformed(&format!("a footer of {footer_len} bytes does not fit a file of {len} bytes")))?;
        let mut footer = vec![0; footer_len];
        read_at(path, file, start, &mut footer)?;
        let parse = || {
            let footer = root_as_footer(&footer).map_err(|error| ArrowError::IpcError(error.to_string()))?;
            let schema = footer.schema().ok_or_else(|| ArrowError::IpcError("the footer has no schema".to_owned()))?;
            if !schema.endianness().equals_to_target_endianness() {
                return Err(ArrowError::NotYetImplemented(
                    "data in a byte order other than the order of this CPU".to_owned(),
                ));
            }
            let schema: SchemaRef = Arc::new(fb_to_schema(schema));
            let decoder = FileDecoder::new(schema.clone(), footer.version());
            let blocks: Vec<Block> = footer.recordBatches().iter().flatten().copied().collect();
            let dictionaries: Vec<Block> = footer.dictionaries().iter().flatten().copied().collect();
            Ok(Footer { schema, decoder, blocks, dictionaries })
        };
        contained(parse).map_err(failed)
    }
}

impl Source {
    fn open(path: &Path, unpacked_limit: usize) -> Result<Source> {
        let (mut file, len, is_file) = Self::begin(path)?;
        if !is_file {
            return StreamSource::open(path, file, len, unpacked_limit).map(Source::Stream);
        }
        let Footer { schema, mut decoder, blocks, dictionaries } = Footer::read(path, &mut file, len)?;
        for block in &dictionaries {
            let bytes = read_block(path, &mut file, block, len, unpacked_limit)?;
            let read = contained(|| decoder.read_dictionary(block, &bytes));
            read.map_err(|error| Error::decoding(path, Format::Ipc, None, error))?;
        }
        let path = path.to_owned();
        Ok(Source::File(FileSource { path, file, schema, decoder, blocks, next: 0, unpacked_limit }))
    }

    /// Returns the schema of a file or stream. Of a file, only the footer is read.
    fn schema_at(path: &Path) -> Result<SchemaRef> {
        let (mut file, len, is_file) = Self::begin(path)?;
        if is_file {
            return Ok(Footer::read(path, &mut file, len)?.schema);
        }
        Ok(Source::Stream(StreamSource::open(path, file, len, UNPACKED)?).schema())
    }

    /// Opens a file, and returns the file, its number of bytes, and whether the file is no stream.
    fn begin(path: &Path) -> Result<(File, u64, bool)> {
        let mut file = file::open(path)?;
        let len = file.metadata().map_err(|error| Error::reading(path, error))?.len();
        let mut magic = [0; MAGIC.len()];
        let is_file = file.read_exact(&mut magic).is_ok() && magic == *MAGIC;
        file.rewind().map_err(|error| Error::reading(path, error))?;
        Ok((file, len, is_file))
    }

    fn schema(&self) -> SchemaRef {
        match self {
            Source::File(file) => file.schema.clone(),
            Source::Stream(stream) => stream.schema.clone().unwrap_or_else(|| Arc::new(Schema::empty())),
        }
    }

    /// Returns a decoder of the columns at these positions, in this order.
    fn projected(self, mut columns: Vec<usize>) -> Box<dyn Decoder> {
        match self {
            Source::Stream(stream) => Box::new(Projected { stream, columns }),
            Source::File(file) => {
                // Only the rows of a column with buffers prove the number of rows that a batch claims.
                let fields = file.schema.fields();
                let has_buffers = |at: &usize| *fields[*at].data_type() != arrow_schema::DataType::Null;
                if !columns.iter().any(has_buffers) {
                    columns.extend((0..fields.len()).find(has_buffers));
                }
                let decoder = file.decoder.with_projection(columns);
                Box::new(FileSource { decoder, ..file })
            }
        }
    }
}

impl Decoder for FileSource {
    fn next(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        let FileSource { path, file, decoder, blocks, next, unpacked_limit, .. } = self;
        let len = file.metadata().map_err(|error| Error::reading(path, error))?.len();
        let mut read = Vec::new();
        while read.len() < gdf_core::thread_count() && *next < blocks.len() {
            let block = blocks[*next];
            read.push((*next, block, read_block(path, file, &block, len, *unpacked_limit)?));
            *next += 1;
        }
        if read.is_empty() {
            return Ok(None);
        }
        let decode = |(index, block, bytes): &(usize, Block, Buffer)| {
            let failed = |error| Error::decoding(path, Format::Ipc, Some(Position::Batch(*index)), error);
            let batch = contained(|| decoder.read_record_batch(block, bytes)).map_err(failed)?;
            batch.ok_or_else(|| {
                failed(ArrowError::IpcError("a block of the footer does not point to a record batch".to_owned()))
            })
        };
        read.par_iter().map(decode).collect::<Result<_>>().map(Some)
    }
}

fn read_at(path: &Path, file: &mut File, start: u64, into: &mut [u8]) -> Result<()> {
    let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(into));
    read.map_err(|error| Error::reading(path, error))
}

/// Reads the bytes of a block.
fn read_block(path: &Path, file: &mut File, block: &Block, len: u64, unpacked_limit: usize) -> Result<Buffer> {
    let malformed =
        |what: String| Error::Malformed { path: path.to_owned(), format: Format::Ipc, position: None, what };
    let (offset, metadata, body) = (block.offset(), i64::from(block.metaDataLength()), block.bodyLength());
    let end = offset.checked_add(metadata).and_then(|end| end.checked_add(body));
    let is_within = offset >= 0 && metadata >= 8 && body >= 0 && end.is_some_and(|end| end as u64 <= len);
    if !is_within {
        return Err(malformed(format!(
            "a block claims {metadata} bytes of metadata and {body} bytes of data from byte {offset} on; a block must \
             have at least 8 bytes of metadata, and must lie within the {len} bytes of the file"
        )));
    }
    let mut bytes = MutableBuffer::from_len_zeroed((metadata + body) as usize);
    read_at(path, file, offset as u64, bytes.as_slice_mut())?;
    let (head, body) = bytes.as_slice().split_at(metadata as usize);
    let metadata = if head[..4] == [0xff; 4] { &head[8..] } else { &head[4..] };
    contained(|| check_sizes(metadata, body, unpacked_limit))
        .map_err(|error| Error::decoding(path, Format::Ipc, None, error))?;
    Ok(bytes.into())
}

/// Returns an error in two cases:
///
/// - Arrow 0.17 or an earlier version has compressed the buffers. The decoder would read the buffers as uncompressed.
/// - A compressed buffer claims a larger size than its codec can produce from its bytes. The decoder would allocate the
///   claimed size.
fn check_sizes(metadata: &[u8], body: &[u8], unpacked_limit: usize) -> Result<(), ArrowError> {
    let message = root_as_message(metadata).map_err(|error| ArrowError::IpcError(error.to_string()))?;
    let mut notes = message.custom_metadata().into_iter().flatten();
    if notes.any(|note| note.key() == Some(OLD_COMPRESSION)) {
        let what = "the compression of Arrow 0.17 and before; write the file again with a newer version of Arrow";
        return Err(ArrowError::NotYetImplemented(what.to_owned()));
    }
    let batch = match message.header_type() {
        MessageHeader::RecordBatch => message.header_as_record_batch(),
        MessageHeader::DictionaryBatch => message.header_as_dictionary_batch().and_then(|batch| batch.data()),
        _ => None,
    };
    let Some((batch, compression)) = batch.and_then(|batch| Some((batch, batch.compression()?))) else { return Ok(()) };
    // The largest ratios of the two codecs. Equal bytes have these ratios.
    let ratio = if compression.codec() == CompressionType::LZ4_FRAME { 256 } else { 1 << 15 };
    let mut unpacked = 0_usize;
    for buffer in batch.buffers().iter().flatten() {
        if buffer.length() <= 0 {
            continue;
        }
        let start = usize::try_from(buffer.offset()).ok();
        let Some(bytes) = start.and_then(|start| body.get(start..)) else { continue };
        let Some(claim) = bytes.first_chunk::<8>().map(|bytes| i64::from_le_bytes(*bytes)) else { continue };
        if claim > buffer.length().saturating_mul(ratio).saturating_add(1 << 17) {
            let length = buffer.length();
            return Err(ArrowError::IpcError(format!(
                "a buffer claims {claim} bytes, but its {length} compressed bytes cannot hold that many bytes"
            )));
        }
        // The prefix of an uncompressed buffer is -1.
        unpacked = unpacked.saturating_add(usize::try_from(claim).unwrap_or(0));
    }
    if unpacked > unpacked_limit && unpacked / UNPACKED_TIMES > body.len() {
        return Err(ArrowError::IpcError(format!(
            "{} compressed bytes of a batch claim {unpacked} bytes, but a batch may have {unpacked_limit} bytes; raise the \
             limit with `IpcReader::unpacked_limit`",
            body.len()
        )));
    }
    // If an allocation of arrow-rs fails, the process ends.
    Vec::<u8>::new().try_reserve_exact(unpacked).map_err(|_| {
        ArrowError::IpcError(format!("a batch claims {unpacked} bytes after decompression, which exceed the memory"))
    })
}

/// Runs a function of arrow-ipc and turns a panic into an error.
fn contained<T>(decode: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    contain(decode).unwrap_or_else(|what| {
        Err(if is_unsupported(&what) { ArrowError::NotYetImplemented(what) } else { ArrowError::IpcError(what) })
    })
}

scan_iterator!(
    /// An iterator over batches of Arrow IPC files. [`IpcReader::scan`] makes the iterator.
    IpcScan,
    "scan_ipc"
);
