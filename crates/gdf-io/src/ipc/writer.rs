//! Writes Arrow IPC files and streams.

use std::io::Write;
use std::path::{Path, PathBuf};

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{ArrowError, SchemaRef};

use crate::contain::contained;
use crate::error::Format;
use crate::hidden::{Remove, cleared_batch};
use crate::keys::{KeysExceeded, Unified};
use crate::output::{Output, failed_earlier};
use crate::write::check_schema;
use crate::{Batch, Error, Result};

/// The compression of the buffers of an Arrow IPC file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum IpcCompression {
    /// No compression. This is the default, because a file with uncompressed buffers can be memory-mapped.
    #[default]
    Uncompressed,
    /// LZ4, which is faster than Zstandard.
    Lz4,
    /// Zstandard, which makes smaller files than LZ4.
    Zstd,
}

/// Writes a batch to an Arrow IPC file. This function is the short form of [`IpcWriter`].
///
/// # Errors
/// - The errors of [`IpcWriter::write`] and [`IpcWriter::finish`].
pub fn write_ipc(batch: &Batch, path: impl AsRef<Path>) -> Result<()> {
    let mut writer = IpcWriter::new(path, batch.schema());
    writer.write(batch)?;
    writer.finish()
}

/// Writes batches to an Arrow IPC file or stream.
///
/// While the writer works, the file has a temporary name. `finish` gives the file its final name. If anything fails,
/// the file does not appear under that name.
///
/// Values that null rows hide are not written: they become zeros, empty texts and empty lists. If the batches of a file
/// have different dictionaries for a column, the file has one dictionary, to which later batches add values. Keys change
/// accordingly.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
/// use gdf::io::{IpcCompression, IpcWriter};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.arrows");
/// let batch = gdf::io::example_batch()?;
/// let mut writer = IpcWriter::new(&path, batch.schema()).stream(true).compression(IpcCompression::Lz4);
/// writer.write(&batch)?;
/// writer.finish()?;
/// assert_eq!(gdf::io::read_ipc(&path)?.to_arrow()?, batch.to_arrow()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct IpcWriter {
    path: PathBuf,
    schema: SchemaRef,
    is_stream: bool,
    compression: IpcCompression,
    writer: Option<Encoder>,
    unified: Unified,
    has_failed: bool,
}

enum Encoder {
    File(FileWriter<Output>),
    Stream(StreamWriter<Output>),
}

impl IpcWriter {
    /// Makes a writer of batches with the columns of `schema`. The file is not opened yet.
    pub fn new(path: impl AsRef<Path>, schema: &SchemaRef) -> IpcWriter {
        IpcWriter {
            path: path.as_ref().to_owned(),
            schema: schema.clone(),
            is_stream: false,
            compression: IpcCompression::default(),
            writer: None,
            unified: Unified::default(),
            has_failed: false,
        }
    }

    /// Sets whether a stream is written instead of a file. Call this method before the first batch is written.
    #[must_use]
    pub fn stream(mut self, is_stream: bool) -> Self {
        self.is_stream = is_stream;
        self
    }

    /// Sets the compression of the buffers. Call this method before the first batch is written.
    #[must_use]
    pub fn compression(mut self, compression: IpcCompression) -> Self {
        self.compression = compression;
        self
    }

    /// Writes a batch. **Waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::SchemaMismatch`]: the batch has other columns.
    /// - [`Error::Write`]: the file cannot be written. All later calls also return this error.
    /// - [`Error::UnsupportedValue`]: in a file, in contrast to a stream, the dictionaries of all batches together have
    ///   more values than the keys of the column can number.
    /// - [`Error::Gdf`]: the batch cannot be copied to the CPU.
    pub fn write(&mut self, batch: &Batch) -> Result<()> {
        check_schema(&self.schema, batch.schema())?;
        let (_, table) = batch.clone().into_parts();
        let batch = Batch::try_new(self.schema.clone(), table)?.to_arrow()?;
        let written = cleared_batch(&batch, Remove::All).map_err(gdf_core::Error::from)?;
        let batch = if self.is_stream { written } else { self.unified(&written)? };
        let written = self.open().and_then(|writer| {
            let write = || match writer {
                Encoder::File(writer) => writer.write(&batch),
                Encoder::Stream(writer) => writer.write(&batch),
            };
            contained(write, ArrowError::IpcError)
        });
        written.map_err(|error| {
            (self.writer, self.has_failed) = (None, true);
            Error::encoding(&self.path, error)
        })
    }

    /// Returns the batch with one dictionary for each column, the dictionary of all batches so far.
    fn unified(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns = self.unified.columns(batch.columns()).map_err(|(column, KeysExceeded)| {
            let field = self.schema.field(column);
            let what = "the batches together have more values than the keys of the dictionary can number; cast the \
                        column to a dictionary with wider keys, or write a stream";
            Error::UnsupportedValue {
                format: Format::Ipc,
                column: field.name().clone(),
                data_type: field.data_type().clone(),
                what,
            }
        })?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let unified = RecordBatch::try_new_with_options(batch.schema(), columns, &options);
        Ok(unified.map_err(gdf_core::Error::from)?)
    }

    /// Completes the file and gives it its final name. If a file with that name exists, it is replaced.
    ///
    /// # Errors
    /// - [`Error::Write`].
    pub fn finish(mut self) -> Result<()> {
        let path = self.path.clone();
        self.open().map_err(|error| Error::encoding(&path, error))?;
        let output = match self.writer.take() {
            Some(Encoder::File(writer)) => writer.into_inner(),
            Some(Encoder::Stream(writer)) => writer.into_inner(),
            None => return Ok(()),
        };
        let mut output = output.map_err(|error| Error::encoding(&self.path, error))?;
        output.flush().map_err(|error| Error::writing(&self.path, error))?;
        output.persist()
    }

    fn open(&mut self) -> Result<&mut Encoder, ArrowError> {
        if self.writer.is_none() && !self.has_failed {
            let compression = match self.compression {
                IpcCompression::Uncompressed => None,
                IpcCompression::Lz4 => Some(CompressionType::LZ4_FRAME),
                IpcCompression::Zstd => Some(CompressionType::ZSTD),
            };
            let options = IpcWriteOptions::default().try_with_compression(compression)?.with_dictionary_handling(
                match self.is_stream {
                    true => DictionaryHandling::Resend,
                    false => DictionaryHandling::Delta,
                },
            );
            let output = Output::create(&self.path).map_err(|error| match error {
                Error::Write { source, .. } => source.into(),
                error => ArrowError::ExternalError(Box::new(error)),
            })?;
            self.writer = Some(if self.is_stream {
                Encoder::Stream(StreamWriter::try_new_with_options(output, &self.schema, options)?)
            } else {
                Encoder::File(FileWriter::try_new_with_options(output, &self.schema, options)?)
            });
        }
        self.writer.as_mut().ok_or_else(|| failed_earlier().into())
    }
}

impl std::fmt::Debug for IpcWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IpcWriter").field("path", &self.path).finish_non_exhaustive()
    }
}
