//! Columnar data processing on CPUs and GPUs in plain Rust.
//!
//! `gdf` offers what libcudf, RMM and Arrow's device interface offer in C++: columns and tables in Arrow's layout, the
//! algorithms on them, memory resources, and interoperability. Every operation runs on the CPU and on CUDA devices with
//! the same answer; where the inputs are decides. Nothing is copied to, or computed on, another device unless you say so.
//!
//! ```
//! use gdf::binaryop::{BinaryOperator, binary_operation};
//! use gdf::prelude::*;
//! use gdf::stream_compaction::apply_boolean_mask;
//!
//! let device: Device = "cpu".parse()?; // or "cuda:0"
//! let (stream, mr) = (Stream::default_for(device)?, gdf::memory::current_resource(device)?);
//! let ids = gdf::fixed_width_from_slice(&[1, 2, 3], &stream, mr.as_ref())?;
//! let prices = gdf::fixed_width_from_slice(&[2.5, 4.0, 10.0], &stream, mr.as_ref())?;
//! let table = Table::try_new(vec![ids, prices])?;
//!
//! let limit = Scalar::from_value(3.0, &stream, mr.as_ref())?;
//! let expensive = binary_operation(table.column(1)?, &limit, BinaryOperator::Greater, &DataType::Boolean)?;
//! let kept = apply_boolean_mask(&table, &expensive)?;
//! assert_eq!(kept.num_rows(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//! * columns, tables, scalars, errors: the root of this crate, from `gdf-core`;
//! * operations: one module per capability, named as in libcudf ([`binaryop`], [`stream_compaction`], …);
//! * [`guide`]: what there is and its name in other libraries, what happens when, errors, memory, streams;
//! * [`scope`]: which stream and memory resources operations use;
//! * [`driver`], [`memory`], [`interop`]: the lower layers, also usable as crates of their own;
//! * `io`: readers and writers of Parquet, CSV, JSON and Arrow IPC, by features of these names;
//! * [`log`]: setting up logging and NVTX ranges in an application;
//! * [`arrow`]: the Arrow crates of this version, whose major version is part of ours.
//!
//! # Features
//! Features only add.
//!
//! | feature | adds |
//! |---|---|
//! | `log` (on by default) | [`log`], by `tracing-subscriber`; spans and events are there without it |
//! | `pretty` (on by default) | [`pretty`], and values in `Debug`, by `arrow-cast`, a third of the time that building takes |
//! | `parquet`, `csv`, `json`, `ipc` | readers and writers of these files (module `io`), by the crates of arrow-rs; `parquet` brings Zstandard's C sources, which are built by the C compiler that there is |
//! | `object_store` | Parquet files of S3, Google Cloud, Azure and HTTP |
//! | `cuda` | CUDA devices, with kernels for all that are supported. It needs no toolkit to build and, where no driver is found, opening such a device is an `Err` |
//! | `cuda-sm75`, `cuda-sm80`, `cuda-sm90`, `cuda-sm100`, `cuda-sm120` | CUDA devices, with kernels for those of that major compute capability: smaller programs, where one knows where they run |
//! | `cuda-ptx` | CUDA devices, with kernels as PTX for all others from compute capability 7.5 on, which the driver compiles on first use |
//! | `cuda-driver` | CUDA devices without kernels: they are read from the directory that the variable `GDF_KERNELS_DIR` names |
//! | `cust` | conversions from and to the crate of that name; it asks for more: see `docs/guide/user-kernels.md` |
//!
//! Code for a compute capability also runs on devices of its later minor versions: that of `cuda-sm80` on 8.6 and 8.9. Where a
//! device has neither code nor PTX, operations return [`DriverError::KernelsNotBuilt`].
#![forbid(unsafe_code)]

pub mod guide;
#[cfg(feature = "log")]
pub mod log;
#[cfg(test)]
mod thread_safety_tests;

pub use gdf_api::{
    binaryop, concatenate, copying, datetime, groupby, hashing, join, null_mask, partitioning, reduction, replace,
    scan, scope, sorting, stream_compaction, strings, unary, validation,
};
pub use gdf_core::*;
/// The CUDA driver: devices, streams, events, modules. Its documentation calls it `gdf_driver`.
pub use gdf_driver as driver;
pub use gdf_driver::{Device, DriverError, Stream};
/// Exchange with other libraries and processes. Its documentation calls it `gdf_interop`.
pub use gdf_interop as interop;
/// Readers and writers of files. Its documentation calls it `gdf_io`.
#[cfg(any(feature = "parquet", feature = "csv", feature = "json", feature = "ipc", feature = "object_store"))]
pub use gdf_io as io;
/// Memory resources and buffers. Its documentation calls it `gdf_memory`.
pub use gdf_memory as memory;

/// The Arrow crates that gdf's types come from and convert to.
pub mod arrow {
    pub use arrow_array as array;
    pub use arrow_buffer as buffer;
    pub use arrow_schema as schema;
}

/// What most programs need.
pub mod prelude {
    pub use crate::scope;
    pub use gdf_core::{Column, ColumnView, DataType, Operand, Scalar, Table, TableView};
    pub use gdf_driver::{Device, Stream};
    pub use gdf_memory::{Resource, Resources};
}
