//! Columnar data processing on CPUs and GPUs in plain Rust.
//!
//! Tables in Arrow's layout are frames with named columns, queried by SQL, or columns alone. Every operation runs on the
//! CPU and on CUDA devices with the same result. An operation runs on the device of its inputs. Data are copied to
//! another device only if you request a copy.
//!
//! # Frames
//! A [`Frame`] is a table whose columns have names, with verbs as in polars and pandas. See the
//! [page about frames](guide::frames).
//!
//! ```
//! use gdf::prelude::*;
//!
//! let device: Device = "cpu".parse()?; // or "cuda:0", or Device::best()
//! let trips = scope::with_device(device, || {
//!     Frame::try_new([
//!         ("city", Column::from_strs(["Lyon", "Oslo", "Lyon", "Bern"])?),
//!         ("km", Column::from_slice(&[2.5, 40.0, 71.5, 3.0])?),
//!     ])
//! })?;
//! let cities = trips
//!     .lazy()
//!     .filter(col("km").gt(lit(2.5)))
//!     .with([(col("km") * 0.5).alias("price")])
//!     .group_by(["city"])
//!     .agg([col("km").sum(), col("price").max()])
//!     .sort([col("km").desc()])
//!     .collect()?;
//! println!("{cities}");
//! assert_eq!(cities.column("km")?.to_vec::<f64>()?, [Some(71.5), Some(40.0), Some(3.0)]);
//! # Ok::<(), gdf::Error>(())
//! ```
//!
//! # SQL
//! The crate `gdf-datafusion` runs SQL: [DataFusion](https://datafusion.apache.org) plans a query, and gdf runs the
//! parts of the plan that it supports. It is a crate of its own because DataFusion takes long to build.
//!
//! ```text
//! let ctx = SessionContext::new().with_gdf(GdfOptions::on(device));
//! ctx.register_table("trips", Arc::new(GdfFiles::open("trips/*.parquet")?))?;
//! ctx.sql("SELECT city, sum(km) FROM trips WHERE km > 2.5 GROUP BY city").await?.show().await?;
//! ```
//!
//! The command `gdf sql` runs queries over files without a program ([`guide::command`]).
//!
//! # Columns
//! The functions of libcudf, RMM and Arrow's device interface: one function for each operation on columns and tables
//! without names, memory resources, and interoperability.
//!
//! ```
//! use gdf::prelude::*;
//! use gdf::{binaryop, reduction, stream_compaction};
//!
//! let goods =
//!     Table::try_new(vec![Column::from_strs(["tea", "rice", "wine"])?, Column::from_slice(&[2.5, 4.0, 10.0])?])?;
//! let expensive = binaryop::gt(goods.column(1)?, 3.0)?;
//! let kept = stream_compaction::apply_boolean_mask(&goods, &expensive)?;
//! println!("{}", kept.display_with(&["name", "price"]));
//! assert_eq!(reduction::sum(kept.column(1)?)?.value::<f64>()?, Some(14.0));
//! # Ok::<(), gdf::Error>(())
//! ```
//!
//! Arrow arrays and record batches convert to columns and tables and back. On the CPU both share memory:
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
//! * operations: one module for each capability, named as in libcudf ([`binaryop`], [`stream_compaction`], …);
//! * [`guide`]: all functions and their names in other libraries, and pages on errors, memory, streams and more;
//! * [`scope`]: the device, stream and memory resources that functions without such parameters use; functions whose
//!   names end in `_on` take them as parameters;
//! * [`types`]: Arrow's types and schemas, and functions that describe a type;
//! * [`core`]: all of `gdf-core`: parts of columns, typed views, bitmasks, text tables;
//! * [`driver`], [`memory`], [`interop`]: the lower layers, also usable as separate crates;
//! * `frame`: `Frame`, a table with named columns, verbs, and expressions that name columns, enabled by the feature
//!   `frame`;
//! * `external`: joins, group-bys and sorts of tables that do not fit in memory, enabled by the same feature;
//! * `io`: readers and writers of Parquet, CSV, JSON and Arrow IPC, enabled by the features of these names;
//! * [`log`]: the setup of logging and NVTX ranges in an application;
//! * [`arrow`]: the Arrow crates that this version uses. A new major version of the Arrow crates is a new major
//!   version of gdf.
//!
//! # Features
//! Features are additive: no feature removes or changes a function.
//!
//! | feature | adds |
//! |---|---|
//! | `frame` (on by default) | `Frame` and the module `frame`: columns with names, expressions by name, verbs |
//! | `log` (on by default) | [`log`], with `tracing-subscriber`. Without the feature, gdf still emits spans and events |
//! | `pretty` (on by default) | `Display` of columns, tables and scalars, [`core::pretty`], and values in `Debug`, with `comfy-table` |
//! | `chrono` (on by default) | dates and times of `chrono` as [`Literal`]s and as values of columns; arrow-rs builds `chrono` in any case |
//! | `jiff` | dates and times of `jiff` as [`Literal`]s |
//! | `arrow` | in [`arrow`] also arrow-rs's `compute`, `csv`, `ipc`, `json` and `util`, which take longer to build than all of gdf |
//! | `parquet`, `csv`, `json`, `ipc` | readers and writers of these files (module `io`), with the crates of arrow-rs; `parquet` and `ipc` contain the C sources of Zstandard, which need a C compiler |
//! | `object_store` | Parquet files in S3, Google Cloud, Azure and HTTP |
//! | `cuda` | CUDA devices, with kernels for all supported compute capabilities. The build needs no CUDA toolkit. Without a driver, opening a CUDA device returns an `Err` |
//! | `cuda-sm75`, `cuda-sm80`, `cuda-sm90`, `cuda-sm100`, `cuda-sm120` | CUDA devices, with kernels for this compute capability and its later minor versions: smaller programs, for known GPUs |
//! | `cuda-ptx` | CUDA devices, with kernels as PTX for all other devices from compute capability 7.5 on; the driver compiles PTX on first use |
//! | `cuda-driver` | CUDA devices, without kernels in the program: kernels are read from the directory in the variable `GDF_KERNELS_DIR`, or are the kernels that the command `gdf kernels install` compiled |
//! | `cust` | conversions from and to the crate `cust`, which has further requirements: see `docs/guide/user-kernels.md` |
//!
//! Code for a compute capability also runs on devices of its later minor versions: the code of `cuda-sm80` runs on 8.6
//! and 8.9. If the program has neither code nor PTX for a device, gdf uses the kernels that the command `gdf kernels
//! install` has compiled for the device ([`guide::command`]). Without such kernels, operations return
//! [`DriverError::KernelsNotBuilt`].
#![forbid(unsafe_code)]

pub mod guide;
#[cfg(feature = "log")]
pub mod log;
#[cfg(test)]
mod thread_safety_tests;

pub use gdf_api::device::DeviceExt;
pub use gdf_api::{
    binaryop, concatenate, contiguous_split, copying, datetime, dictionary, filling, groupby, hashing, join, json,
    labeling, lists, maps, merge, null_mask, partitioning, pipeline, predicate, quantiles, reduction, replace, reshape,
    rolling, round, scan, scope, search, sorting, stream_compaction, strings, structs, transform, unary, validation,
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
#[cfg(feature = "frame")]
#[doc(inline)]
pub use gdf_external as external;
#[cfg(feature = "frame")]
#[doc(inline)]
pub use gdf_frame as frame;
#[cfg(feature = "frame")]
pub use gdf_frame::Frame;
#[doc(inline)]
pub use gdf_interop as interop;
#[cfg(any(feature = "parquet", feature = "csv", feature = "json", feature = "ipc", feature = "object_store"))]
#[doc(inline)]
pub use gdf_io as io;
#[doc(inline)]
pub use gdf_memory as memory;

/// The Arrow crates whose types gdf uses and converts to. For Rust, the arrays and batches of another major version are
/// different types. Use these crates, or import data of another version with [`interop::from_foreign_stream`].
///
/// The macro `record_batch!` of arrow-rs needs a dependency on the crate `arrow-schema`. The function
/// [`RecordBatch::try_from_iter`](arrow_array::RecordBatch::try_from_iter) does not.
pub mod arrow {
    pub use arrow_array as array;
    pub use arrow_array::RecordBatch;
    pub use arrow_buffer as buffer;
    pub use arrow_schema as schema;

    #[cfg(feature = "arrow")]
    pub use ::arrow::{compute, csv, ipc, json, util};
}

/// The items that most programs need.
///
/// With feature `frame`, `col` and `lit` are those of [`frame`], which name columns. A program that also
/// uses [`expr::col`], whose columns have positions, must import it by name, because two imports by
/// `*` would be ambiguous.
pub mod prelude {
    pub use crate::scope;
    pub use gdf_api::device::DeviceExt;
    pub use gdf_core::{Column, ColumnView, DataType, Literal, Operand, Scalar, Table, TableView};
    pub use gdf_driver::{Device, Stream};
    #[cfg(feature = "frame")]
    pub use gdf_frame::{Frame, col, lit};
    pub use gdf_memory::{Resource, Resources};
}
