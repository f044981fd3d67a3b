//! Decodes pages of Parquet columns to columns, on the CPU and on CUDA.
//!
//! The crate knows neither files nor Thrift. A reader plans what to read, reads pages into one buffer, and describes them
//! by a [`Batch`]. Pages may be compressed by Snappy or LZ4. [`decode`] makes columns of all its pages. A column that it cannot decode is
//! [`Refused`], and the other columns are not: the reader decodes a refused column in another form, and finds out there
//! what is wrong with the file.
//!
//! A reader on the CPU decompresses page after page into the cache, and passes each to a [`PageDecoder`] at once.
#![deny(missing_docs)]

mod spare;

mod batch;
mod conversion;
mod nesting;
mod vouch;

mod assemble;

mod plan;

mod host;

mod cuda;

mod decode;

pub use assemble::assemble;
pub use batch::{
    Batch, Chunk, Codec, ColumnPages, Compression, DecodedColumn, DecodedNode, DictionaryPage, Encoding, Flaw, Levels,
    Nesting, Node, Page, PageHeader, Refused, Stored,
};
pub use conversion::supports;
pub use decode::{Memory, decode, memory};
pub use host::{PageDecoder, RowValidity, Slot, skip_deltas};
pub use plan::{PADDING, PAGE_ALIGNMENT};
pub use spare::Spare;

pub use gdf_engine::Ctx;
