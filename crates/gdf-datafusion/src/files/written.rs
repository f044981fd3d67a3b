//! Writes record batches to the file of a `COPY … TO`.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_plan::SendableRecordBatchStream;
use futures::TryStreamExt;
use gdf_api::scope::enter_device;
use gdf_driver::Device;
use gdf_io::{Batch, CsvWriter, IpcWriter, JsonWriter, ParquetWriter};

use super::FileFormat;
use super::write_options::WriteOptions;
use crate::edge::retyped;
use crate::error::{Failure, IslandError};
use crate::schema::file_schema;

/// The file that a statement writes.
#[derive(Debug)]
pub(crate) struct Destination {
    path: PathBuf,
    format: FileFormat,
    options: WriteOptions,
}

impl Destination {
    /// Returns the file at `path`, which is written with the options of a statement.
    ///
    /// # Errors
    /// * [`DataFusionError::Plan`]: an option is not known, or has a value that it does not take.
    pub(crate) fn new(path: PathBuf, format: FileFormat, options: &HashMap<String, String>) -> Result<Destination> {
        Ok(Destination { path, format, options: WriteOptions::of(format, options)? })
    }

    /// Makes a writer of batches with the columns of `schema`.
    pub(crate) fn begin(&self, schema: &SchemaRef) -> Writing {
        let schema = file_schema(schema);
        Writing { writer: self.writer(&schema), schema, rows: 0 }
    }

    fn writer(&self, schema: &SchemaRef) -> Writer {
        let (path, options) = (&self.path, self.options.clone());
        match self.format {
            FileFormat::Parquet => {
                let mut writer = ParquetWriter::new(path, schema);
                if let Some(compression) = options.parquet_compression {
                    writer = writer.compression(compression);
                }
                if options.for_gpu {
                    writer = writer.for_gpu();
                }
                if let Some(rows) = options.row_group_rows {
                    writer = writer.row_group_rows(rows);
                }
                Writer::Parquet(writer)
            }
            FileFormat::Csv | FileFormat::Tsv => {
                let default = if self.format == FileFormat::Tsv { b'\t' } else { b',' };
                let mut writer = CsvWriter::new(path, schema).delimiter(options.delimiter.unwrap_or(default));
                if let Some(text) = options.null {
                    writer = writer.null(text);
                }
                if let Some(text) = options.true_value {
                    writer = writer.true_value(text);
                }
                if let Some(text) = options.false_value {
                    writer = writer.false_value(text);
                }
                Writer::Csv(writer.has_header(options.has_header.unwrap_or(true)))
            }
            FileFormat::Json => Writer::Json(JsonWriter::new(path, schema).lines(options.lines.unwrap_or(true))),
            FileFormat::Arrow => {
                let is_stream = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("arrows"));
                let writer = IpcWriter::new(path, schema).stream(is_stream);
                Writer::Ipc(writer.compression(options.arrow_compression.unwrap_or_default()))
            }
        }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "path={}, format={}", self.path.display(), self.format.name())
    }
}

#[derive(Debug)]
enum Writer {
    Parquet(ParquetWriter),
    Csv(CsvWriter),
    Json(JsonWriter),
    Ipc(IpcWriter),
}

/// A file that is being written. It has a temporary name, and is removed if the value is dropped.
#[derive(Debug)]
pub(crate) struct Writing {
    writer: Writer,
    schema: SchemaRef,
    rows: u64,
}

impl Writing {
    pub(crate) fn write(&mut self, rows: &RecordBatch) -> Result<()> {
        // The writers read the memory of the CPU.
        let _device = enter_device(Device::Cpu);
        let rows = retyped(rows, &self.schema).map_err(Failure::from)?;
        let batch = Batch::from_arrow(&rows).map_err(IslandError::from)?;
        let written = match &mut self.writer {
            Writer::Parquet(writer) => writer.write(&batch),
            Writer::Csv(writer) => writer.write(&batch),
            Writer::Json(writer) => writer.write(&batch),
            Writer::Ipc(writer) => writer.write(&batch),
        };
        written.map_err(IslandError::from)?;
        self.rows += rows.num_rows() as u64;
        Ok(())
    }

    /// Gives the file its name, and returns the number of rows.
    pub(crate) fn finish(self) -> Result<u64> {
        let finished = match self.writer {
            Writer::Parquet(writer) => writer.finish(),
            Writer::Csv(writer) => writer.finish(),
            Writer::Json(writer) => writer.finish(),
            Writer::Ipc(writer) => writer.finish(),
        };
        finished.map_err(IslandError::from)?;
        Ok(self.rows)
    }
}

/// Writes batches as they come. Returns the number of rows.
pub(crate) async fn written(rows: SendableRecordBatchStream, to: Arc<Destination>) -> Result<u64> {
    let mut rows = rows;
    let mut writing = to.begin(&rows.schema());
    while let Some(batch) = rows.try_next().await? {
        writing = on_thread(move || writing.write(&batch).map(|()| writing)).await?;
    }
    on_thread(move || writing.finish()).await
}

/// Runs work on a thread for blocking work.
async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let task = SpawnedTask::spawn_blocking(work);
    task.join().await.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?
}
