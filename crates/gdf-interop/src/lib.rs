//! Interoperability of gdf with other libraries: exchange of columns in CPU memory and GPU memory.
//!
//! [`to_arrow_device`] and [`from_arrow_device`] exchange columns and tables through Arrow's C device data interface.
//! Neither function copies data or waits for a device. [`to_arrow_schema`] and [`ArrowSchema`] describe the types of
//! the data.
//!
//! | | export | import |
//! |---|---|---|
//! | without moving the data | [`to_arrow_device`] | [`from_arrow_device`], [`from_arrow_device_table`], [`with_arrow_device`], [`view_arrow_device`] |
//! | through CPU memory | [`to_arrow_host`] | [`from_arrow_host`], [`from_arrow_host_table`] |
//! | types | [`to_arrow_schema`] | [`ArrowSchema::to_schema`], [`Importer`] |
//! | streams of batches | [`to_arrow_device_stream`], [`to_arrow_stream`] | [`from_arrow_device_stream`], [`from_arrow_stream`] |
//! | batches of other versions of arrow-rs, data frames of polars | [`ArrowArrayStream::into_foreign`] | [`from_foreign_stream`] |
//!
//! Exchange by other means than Arrow's structs:
//!
//! | | |
//! |---|---|
//! | arrays of NumPy, CuPy, Numba, PyTorch | [`DlpackTensor`], [`CudaArrayInterface`], [`stream_from_number`] |
//! | memory of other libraries | [`buffer_from_address`], [`device_of`] |
//! | memory of other processes | [`SharedBuffer`], [`IpcHandle`] |
//! | user-written kernels on columns | [`Arguments`] |
//! | the crate `cust` | the module `cust`, with the feature `cust` |
//!
//! # Synchronization of producers and consumers
//! 1. The producer records an event after the last writer of every buffer, and passes a pointer to the event. A null
//!    pointer means that all data are already written.
//! 2. The consumer's stream waits for the event on the device. No CPU thread waits.
//! 3. The consumer calls `release` after its last use of the data. If gdf is the consumer, it calls `release` only
//!    after every read of the columns on any stream has finished. Therefore importing is safe even if the producer
//!    frees or reuses the memory inside `release`.
//! 4. If gdf is the producer, it does not expect that the consumer waits before it calls `release`. gdf keeps exported
//!    GPU memory until all work has finished that was enqueued on the GPU when `release` was called.
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
pub use dlpack::{DlpackTensor, table_to_array};
pub use error::{InteropError, Result};
pub use foreign::{buffer_from_address, device_of};
pub use ipc::{IpcHandle, SharedBuffer};
pub use stream_number::{stream_from_number, stream_number};
