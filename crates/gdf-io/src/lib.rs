//! Readers and writers of gdf for Parquet, CSV, JSON and Arrow IPC.
//!
//! For each format, there is a function that reads a whole file, a function that reads batch by batch in bounded
//! memory, and a function that writes a file. A reader and a writer offer all options. A read returns a [`Batch`],
//! which is a table with the names of its columns.
//!
//! | format | whole | batch by batch | writes |
//! |---|---|---|---|
//! | Parquet | `read_parquet`, `ParquetReader` | `scan_parquet` | `write_parquet`, `ParquetWriter` |
//! | CSV | `read_csv`, `CsvReader` | `scan_csv` | `write_csv`, `CsvWriter` |
//! | JSON, lines or an array of objects | `read_json`, `JsonReader` | `scan_json` | `write_json`, `JsonWriter` |
//! | Arrow IPC, file and stream | `read_ipc`, `IpcReader` | `scan_ipc` | `write_ipc`, `IpcWriter` |
//!
//! ```
//! # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
//! # #[cfg(all(feature = "csv", feature = "parquet"))] {
//! use gdf::io::{CsvReader, ParquetReader, Predicate, write_parquet};
//!
//! # let folder = tempfile::tempdir()?;
//! # let (csv, parquet) = (folder.path().join("t.csv"), folder.path().join("t.parquet"));
//! std::fs::write(&csv, "city,day,price\nLyon,2026-01-31,2.5\nNantes,2026-02-01,4\n,2026-02-01,\n")?;
//! let trips = gdf::io::read_csv(&csv)?;
//! write_parquet(&trips, &parquet)?;
//!
//! let late = Predicate::gt_eq("day", "2026-02-01").and(Predicate::is_not_null("price"));
//! let late = ParquetReader::open(&parquet)?.columns(["city", "price"]).predicate(late).read()?;
//! assert_eq!(late.num_rows(), 1);
//! println!("{late}");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Devices and memory
//! Columns are allocated on the current device, or on the device that the caller passes to `on`. The stream and the
//! memory resource come from the thread's [`scope`](gdf_api::scope). The crates of arrow-rs decode on the CPU, with the
//! threads of rayon. Decoders that run on a device may later replace this work behind the same functions. Every byte of
//! a returned batch is allocated from the memory resource of the scope. Therefore the limits of that resource apply.
//! Temporary memory for decoding comes from the global allocator.
//!
//! # Bad files
//! A read of any file returns either columns, or an [`Error`] that names the file and the position in the file. Some
//! decoders panic if a file is damaged in certain ways. A reader converts such a panic to an error. The message of the
//! panic is part of the error, and is not printed: before the first call of a decoder, the crate puts a panic hook
//! before the hook of the program, which passes on all other panics. If the program is built with `panic = "abort"`, the
//! panic ends the program. If a file claims to contain more data than it has, the read is refused before memory is allocated.
//! Some formats do not allow this check in all cases.
//!
//! # Features
//! | feature | adds |
//! |---|---|
//! | `parquet` (on by default) | Parquet, with all codecs except LZO; the build of Zstandard needs a C compiler |
//! | `csv`, `json`, `ipc` (on by default) | these formats; CSV and JSON files may be compressed by gzip |
//! | `zstd` (with `parquet` and `ipc`) | CSV and JSON files that are compressed by Zstandard |
//! | `object_store` | `ParquetReader::open_object`, by the crate of that name and a small runtime of tokio |
//! | `cuda` | columns on CUDA devices |
#![forbid(unsafe_code)]

mod batch;
#[cfg(any(feature = "csv", feature = "json", feature = "ipc"))]
mod batches;
#[doc(hidden)]
pub mod command;
mod common;
mod condition;
mod contain;
#[cfg(feature = "csv")]
mod csv;
mod dataset;
#[cfg(any(feature = "csv", feature = "json", feature = "parquet"))]
mod digits;
mod error;
mod exact;
#[cfg(any(feature = "csv", feature = "json", feature = "ipc"))]
mod file;
mod filter;
#[doc(hidden)]
pub mod hidden;
#[cfg(feature = "ipc")]
mod ipc;
#[cfg(feature = "json")]
mod json;
mod keys;
mod large;
mod merge;
mod names;
mod options;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(any(feature = "csv", feature = "json"))]
mod pieces;
mod predicate;
#[cfg(any(feature = "csv", feature = "json"))]
mod source;
mod target;
#[cfg(any(feature = "csv", feature = "json"))]
mod text_input;
#[cfg(any(feature = "csv", feature = "json"))]
mod text_output;
mod write;
#[cfg(any(feature = "csv", feature = "json"))]
mod zones;

pub use batch::Batch;
pub use error::{Error, Format, Position, Result};
#[doc(hidden)]
pub use merge::merged_schema;
pub use output::remove_unfinished_files;
pub use predicate::{Literal, Predicate};

#[cfg(feature = "csv")]
pub use self::csv::{CsvReader, CsvScan, CsvWriter, QuoteStyle, read_csv, scan_csv, write_csv};
#[cfg(feature = "ipc")]
pub use self::ipc::{IpcCompression, IpcReader, IpcScan, IpcWriter, read_ipc, scan_ipc, write_ipc};
#[cfg(feature = "json")]
pub use self::json::{JsonReader, JsonScan, JsonWriter, read_json, scan_json, write_json};

#[cfg(feature = "object_store")]
pub use object_store;

#[cfg(feature = "parquet")]
pub use self::parquet::{
    Compression, ParquetColumnStatistics, ParquetEncoding, ParquetPiece, ParquetReader, ParquetScan, ParquetWriter,
    read_parquet, scan_parquet, write_parquet,
};

/// Returns three trips with an identifier and a city, for examples.
#[doc(hidden)]
pub fn example_batch() -> gdf_core::Result<Batch> {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    let id: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let city: ArrayRef = Arc::new(StringArray::from(vec![Some("Lyon"), None, Some("Nantes")]));
    Batch::from_arrow(&RecordBatch::try_from_iter([("id", id), ("city", city)])?)
}
