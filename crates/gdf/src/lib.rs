//! Columnar data processing on CPUs and GPUs in plain Rust.
//!
//! `gdf` offers what libcudf, RMM and Arrow's device interface offer in C++: columns and tables in Arrow's layout, the
//! algorithms on them, memory resources, and interoperability. Every operation runs on the CPU and on CUDA devices with
//! the same answer; where the inputs are decides. Nothing is copied to, or computed on, another device unless you say so.
//!
//! ```
//! use gdf::prelude::*;
//! use gdf::{binaryop, reduction, stream_compaction};
//!
//! let device: Device = "cpu".parse()?; // or "cuda:0", or Device::best()
//! let goods = scope::with_device(device, || {
//!     Table::try_new(vec![Column::from_strs(["tea", "rice", "wine"])?, Column::from_slice(&[2.5, 4.0, 10.0])?])
//! })?;
//! let expensive = binaryop::gt(goods.column(1)?, 3.0)?;
//! let kept = stream_compaction::apply_boolean_mask(&goods, &expensive)?;
//! println!("{}", kept.display_with(&["name", "price"]));
//! assert_eq!(reduction::sum(kept.column(1)?)?.value::<f64>()?, Some(14.0));
//! # Ok::<(), gdf::Error>(())
//! ```
//!
//! Data of Arrow come in and go out as arrays and record batches, which share memory on the CPU:
//!
//! ```
//! use std::sync::Arc;
//! use gdf::arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray};
//! use gdf::prelude::*;
//!
//! let names: ArrayRef = Arc::new(StringArray::from(vec!["tea", "rice"]));
//! let prices: ArrayRef = Arc::new(Float64Array::from(vec![2.5, 4.0]));
//! let batch = RecordBatch::try_from_iter([("name", names), ("price", prices)])?;
//! let table = Table::from_batch(&batch)?;
//! assert_eq!(table.to_batch(&batch.schema())?, batch); // or under names: table.to_batch(&["name", "price"])?
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//! * columns, tables, scalars, literals, devices, errors: the root of this crate, and the [`prelude`];
//! * operations: one module per capability, named as in libcudf ([`binaryop`], [`stream_compaction`], …);
//! * [`guide`]: what there is and its name in other libraries, what happens when, errors, memory, streams;
//! * [`scope`]: the device, stream and memory resources that functions without such parameters use; functions whose names end in
//!   `_on` take them from the caller;
//! * [`types`]: Arrow's types and schemas, and what can be asked of a type;
//! * [`core`]: all of `gdf-core`: parts of columns, typed views, bitmasks, text tables;
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
//! | `pretty` (on by default) | `Display` of columns, tables and scalars, [`core::pretty`], and values in `Debug`, by `comfy-table` |
//! | `chrono` (on by default) | dates and times of `chrono` as [`Literal`]s, and out of columns; arrow-rs builds that crate anyway |
//! | `jiff` | dates and times of `jiff` as [`Literal`]s |
//! | `arrow` | in [`arrow`] also arrow-rs's `compute`, `csv`, `ipc`, `json` and `util`, which take longer to build than all of gdf |
//! | `parquet`, `csv`, `json`, `ipc` | readers and writers of these files (module `io`), by the crates of arrow-rs; `parquet` and `ipc` bring Zstandard's C sources, which are built by the C compiler that there is |
//! | `object_store` | Parquet files of S3, Google Cloud, Azure and HTTP |
//! | `cuda` | CUDA devices, with kernels for all that are supported. It needs no toolkit to build and, where no driver is found, opening such a device is an `Err` |
//! | `cuda-sm75`, `cuda-sm80`, `cuda-sm90`, `cuda-sm100`, `cuda-sm120` | CUDA devices, with kernels for those of that major compute capability: smaller programs, where one knows where they run |
//! | `cuda-ptx` | CUDA devices, with kernels as PTX for all others from compute capability 7.5 on, which the driver compiles on first use |
//! | `cuda-driver` | CUDA devices without kernels: they are read from the directory that the variable `GDF_KERNELS_DIR` names, or are those of the command `gdf kernels install` |
//! | `cust` | conversions from and to the crate of that name; it asks for more: see `docs/guide/user-kernels.md` |
//!
//! Code for a compute capability also runs on devices of its later minor versions: that of `cuda-sm80` on 8.6 and 8.9. Where a
//! device has neither code nor PTX, what `gdf kernels install` compiled for it is taken ([`guide::command`]); without that, operations return
//! [`DriverError::KernelsNotBuilt`].
#![forbid(unsafe_code)]

pub mod guide;
#[cfg(feature = "log")]
pub mod log;
#[cfg(test)]
mod thread_safety_tests;

pub use gdf_api::device::DeviceExt;
pub use gdf_api::{
    binaryop, concatenate, contiguous_split, copying, datetime, filling, groupby, hashing, join, labeling, lists,
    null_mask, partitioning, predicate, quantiles, reduction, replace, reshape, rolling, round, scan, scope, search,
    sorting, stream_compaction, strings, transform, unary, validation,
};
#[doc(inline)]
pub use gdf_core as core;
pub use gdf_core::{
    Column, ColumnValue, ColumnView, DataType, Error, Literal, Operand, Result, Scalar, Table, TableView, types,
};
#[doc(inline)]
pub use gdf_driver as driver;
pub use gdf_driver::{Device, DriverError, Stream};
#[doc(inline)]
pub use gdf_expr as expr;
#[doc(inline)]
pub use gdf_interop as interop;
#[cfg(any(feature = "parquet", feature = "csv", feature = "json", feature = "ipc", feature = "object_store"))]
#[doc(inline)]
pub use gdf_io as io;
#[doc(inline)]
pub use gdf_memory as memory;

/// The Arrow crates that gdf's types come from and convert to. Arrays and batches of another major version are other types for Rust: use
/// these, or bring them in by [`interop::from_foreign_stream`].
///
/// arrow-rs's macro `record_batch!` needs the crate `arrow-schema` among the dependencies of whoever calls it;
/// [`RecordBatch::try_from_iter`](arrow_array::RecordBatch::try_from_iter) does not.
pub mod arrow {
    pub use arrow_array as array;
    pub use arrow_array::RecordBatch;
    pub use arrow_buffer as buffer;
    pub use arrow_schema as schema;

    #[cfg(feature = "arrow")]
    pub use ::arrow::{compute, csv, ipc, json, util};
}

/// What most programs need.
pub mod prelude {
    pub use crate::scope;
    pub use gdf_api::device::DeviceExt;
    pub use gdf_core::{Column, ColumnView, DataType, Literal, Operand, Scalar, Table, TableView};
    pub use gdf_driver::{Device, Stream};
    pub use gdf_memory::{Resource, Resources};
}
