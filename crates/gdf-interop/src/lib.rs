//! Interoperability of gdf: the layouts by which other libraries exchange columns in memory of the CPU and of GPUs.
//!
//! [`to_arrow_device`] and [`from_arrow_device`] exchange columns and tables through Arrow's C device data interface, without
//! a copy and without waiting for a device; [`to_arrow_schema`] and [`ArrowSchema`] say their types.
//!
//! | | export | import |
//! |---|---|---|
//! | where the data are | [`to_arrow_device`] | [`from_arrow_device`], [`from_arrow_device_table`], [`with_arrow_device`], [`view_arrow_device`] |
//! | over the CPU | [`to_arrow_host`] | [`from_arrow_host`], [`from_arrow_host_table`] |
//! | types | [`to_arrow_schema`] | [`ArrowSchema::to_schema`], [`Importer`] |
//! | batches | [`to_arrow_device_stream`], [`to_arrow_stream`] | [`from_arrow_device_stream`], [`from_arrow_stream`] |
//! | batches of other versions of arrow-rs, frames of polars | [`ArrowArrayStream::into_foreign`] | [`from_foreign_stream`] |
//!
//! Beside Arrow's structs:
//!
//! | | |
//! |---|---|
//! | arrays of NumPy, CuPy, Numba, PyTorch | [`DlpackTensor`], [`CudaArrayInterface`], [`stream_from_number`] |
//! | memory of other libraries | [`buffer_from_address`], [`device_of`] |
//! | memory of other processes | [`SharedBuffer`], [`IpcHandle`] |
//! | kernels of your own on columns | [`Arguments`] |
//! | `cust` | the module of that name, with the feature `cust` |
//!
//! # Who waits for whom
//! 1. The producer records an event after the last writer of every buffer and passes a pointer to it; null says that all is written.
//! 2. The consumer's stream waits for the event. Nobody's CPU does.
//! 3. The consumer calls `release` when it is done. Import here does so only after everything that read the columns on any
//!    stream has finished, so it is safe with producers that free or reuse memory at once.
//! 4. Export here does not rely on consumers to do likewise: memory of a GPU is kept until everything that was enqueued on
//!    that GPU when `release` was called is done.
//!
//! ```
//! # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
//! use gdf::Device;
//! use gdf::interop::DeviceType;
//!
//! let (kind, id) = DeviceType::of(Device::Cuda(1));
//! assert_eq!((kind, id), (DeviceType::CUDA, 1));
//! assert_eq!(kind.device(id), Some(Device::Cuda(1)));
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

mod abi;
mod arguments;
mod array_interface;
mod arrow;
#[cfg(feature = "cust")]
#[cfg_attr(docsrs, doc(cfg(feature = "cust")))]
pub mod cust;
mod device_type;
pub mod dlpack;
mod error;
mod foreign;
mod ipc;
mod matrix;
mod release;
#[cfg(test)]
mod span_tests;
mod stream_number;

pub use abi::{ArrowArray, ArrowArrayStream, ArrowDeviceArray, ArrowDeviceArrayStream, ArrowSchema};
pub use arguments::Arguments;
pub use array_interface::CudaArrayInterface;
pub use arrow::{
    Exportable, Importer, TableReader, from_arrow_device, from_arrow_device_stream, from_arrow_device_table,
    from_arrow_host, from_arrow_host_table, from_arrow_stream, from_foreign_stream, to_arrow_device,
    to_arrow_device_stream, to_arrow_host, to_arrow_schema, to_arrow_stream, view_arrow_device, with_arrow_device,
    with_arrow_device_table,
};
pub use device_type::DeviceType;
pub use dlpack::DlpackTensor;
pub use error::{InteropError, Result};
pub use foreign::{buffer_from_address, device_of};
pub use ipc::{IpcHandle, SharedBuffer};
pub use stream_number::{stream_from_number, stream_number};
