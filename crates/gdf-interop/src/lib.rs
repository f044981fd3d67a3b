//! Interoperability of gdf: the layouts by which other libraries exchange device memory.
//!
//! So far this crate holds the data structures of Arrow's C device interface and the numbering of devices. Export and
//! import build on them; until then columns convert from and to arrow-rs arrays through `gdf-core`.
//!
//! ```
//! use gdf_driver::Device;
//! use gdf_interop::DeviceType;
//!
//! let (kind, id) = DeviceType::of(Device::Cuda(1));
//! assert_eq!((kind, id), (DeviceType::CUDA, 1));
//! assert_eq!(kind.device(id), Some(Device::Cuda(1)));
//! ```

mod abi;
mod arguments;
mod array_interface;
#[cfg(feature = "cust")]
#[cfg_attr(docsrs, doc(cfg(feature = "cust")))]
pub mod cust;
pub mod dlpack;
mod foreign;
mod ipc;
mod matrix;
mod stream_number;

pub use abi::{ArrowArray, ArrowDeviceArray, DeviceType};
pub use arguments::Arguments;
pub use array_interface::CudaArrayInterface;
pub use dlpack::DlpackTensor;
pub use foreign::{buffer_from_address, device_of};
pub use ipc::{IpcHandle, SharedBuffer};
pub use stream_number::{stream_from_number, stream_number};
