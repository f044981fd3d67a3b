//! A tensor, together with the function that frees the tensor.

use std::ptr::NonNull;

use gdf_core::Error;
use gdf_driver::Stream;

use super::abi::{
    DLManagedTensor, DLManagedTensorVersioned, DLPACK_FLAG_BITMASK_IS_COPIED, DLPACK_FLAG_BITMASK_READ_ONLY, DLTensor,
    VERSION,
};
use crate::Result;
use crate::error::malformed;

/// A DLPack tensor of gdf or of another library, and the stream on which the tensor's memory may be used. Dropping the
/// value calls the producer's deleter.
///
/// An exported tensor shares the column's memory and is read-only. There is one exception: [`from_owned_column`] makes
/// a writable tensor if no other reference to the memory exists. The consumer uses the memory on the stream that the
/// consumer has named. That stream waits on the device for the column's writers. If the consumer frees the tensor, gdf
/// keeps the memory until all work has finished that this process enqueued on the GPU before the tensor was freed.
///
/// An imported column or table shares the tensor's memory. gdf frees the tensor after the last use of the memory.
///
/// Values are integers, floats or booleans. DLPack stores one byte per boolean, but a column stores one bit. Therefore
/// booleans on the CPU are copied, and booleans on a GPU are refused. On a GPU, cast booleans to `UInt8` before
/// exporting, and cast `UInt8` to booleans after importing.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::Column;
/// use gdf::{Device, Stream};
/// use gdf::interop::DlpackTensor;
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let column = Column::from_slice_on(&[1i32, 2, 3], &stream, mr.as_ref())?;
/// // A capsule named `dltensor_versioned` holds the pointer `raw`.
/// let raw = DlpackTensor::from_column(&column, &stream)?.into_raw();
/// // SAFETY: `raw` was made just above, and nobody else uses or frees the tensor.
/// let tensor = unsafe { DlpackTensor::from_raw(raw, &stream)? };
/// assert!(tensor.is_read_only());
/// assert_eq!(tensor.into_column()?.len(), 3);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// [`from_owned_column`]: DlpackTensor::from_owned_column
#[derive(Debug)]
pub struct DlpackTensor {
    raw: NonNull<DLManagedTensorVersioned>,
    stream: Stream,
}

// SAFETY: the maker of a tensor promised that its memory may be used, and its deleter called, from any thread.
unsafe impl Send for DlpackTensor {}
// SAFETY: methods that take `&self` only read the struct.
unsafe impl Sync for DlpackTensor {}

impl DlpackTensor {
    /// Wraps a tensor without checking the tensor.
    ///
    /// # Safety
    /// - The conditions of [`from_raw`](Self::from_raw) hold, and `raw` has the layout of [`VERSION`]'s major
    ///   version.
    pub(super) unsafe fn adopt(raw: NonNull<DLManagedTensorVersioned>, stream: &Stream) -> Self {
        Self { raw, stream: stream.clone() }
    }

    /// Takes over a producer's tensor. `stream` must be the stream that the caller has named to the producer, on the
    /// tensor's device. If the tensor is on the CPU, `stream` may be any stream of the CPU. If the memory is pinned,
    /// `stream` must belong to the device that will read the memory.
    ///
    /// If the tensor is refused, the call frees the tensor.
    ///
    /// # Safety
    /// - `raw` is null, or points to a tensor that follows DLPack's rules and that nobody else frees.
    /// - The tensor's memory is valid until the deleter is called, and nobody writes to the memory before then.
    /// - All earlier writes to the memory precede all work that is enqueued on `stream` from now on.
    /// - The deleter may be called from any thread.
    ///
    /// # Errors
    /// - [`InteropError::Malformed`](crate::InteropError::Malformed): `raw` is null, or the tensor has a different
    ///   major version of the layout.
    pub unsafe fn from_raw(raw: *mut DLManagedTensorVersioned, stream: &Stream) -> Result<Self> {
        let raw = NonNull::new(raw).ok_or(malformed("the pointer to the tensor is null"))?;
        // SAFETY: the caller promises the conditions, except that the major version may differ. For a different
        // version, only the fields `version` and `deleter` are read, which precede all fields that depend on the
        // version.
        let tensor = unsafe { Self::adopt(raw, stream) };
        // SAFETY: the caller promises that `raw` points to a live tensor, and `version` is the first field in every
        // version.
        let found = unsafe { raw.as_ref() }.version.major;
        if found != VERSION.major {
            return Err(malformed(format!(
                "the major version of the DLPack tensor must be {}, found {found}; export the tensor with this version",
                VERSION.major
            )));
        }
        Ok(tensor)
    }

    /// Takes over a producer's tensor in the layout before version 1. In Python, such a tensor is in a capsule named
    /// `dltensor`. In all other respects the function does the same as [`from_raw`](Self::from_raw).
    ///
    /// # Safety
    /// The conditions of [`from_raw`](Self::from_raw).
    ///
    /// # Errors
    /// - [`InteropError::Malformed`](crate::InteropError::Malformed): `raw` is null.
    pub unsafe fn from_legacy(raw: *mut DLManagedTensor, stream: &Stream) -> Result<Self> {
        let raw = NonNull::new(raw).ok_or(malformed("the pointer to the tensor is null"))?;
        let boxed = Box::new(DLManagedTensorVersioned {
            version: VERSION,
            manager_ctx: raw.as_ptr().cast(),
            deleter: Some(delete_adopted),
            flags: 0,
            // SAFETY: the caller promises that `raw` points to a live tensor.
            dl_tensor: unsafe { raw.as_ref() }.dl_tensor,
        });
        // SAFETY: the box holds a tensor of version [`VERSION`] that describes the caller's memory. `delete_adopted`
        // frees the box and the caller's tensor.
        Ok(unsafe { Self::adopt(NonNull::from(Box::leak(boxed)), stream) })
    }

    /// Gives the tensor to a new owner. The new owner must free the tensor once, by calling the deleter.
    pub fn into_raw(self) -> *mut DLManagedTensorVersioned {
        let raw = self.raw.as_ptr();
        let mut this = std::mem::ManuallyDrop::new(self);
        // SAFETY: `stream` is dropped once, here, because `this` is never dropped. The field is not used afterwards.
        unsafe { std::ptr::drop_in_place(&raw mut this.stream) };
        raw
    }

    /// Gives the tensor to a new owner, in the layout before version 1. The old layout has no flag for read-only
    /// memory, so read-only tensors are refused. In all other respects the function does the same as
    /// [`into_raw`](Self::into_raw).
    ///
    /// # Errors
    /// - [`Error::InvalidArgument`]: the tensor is read-only.
    pub fn into_legacy(self) -> Result<*mut DLManagedTensor> {
        if self.is_read_only() {
            return Err(Error::invalid_argument(
                "the tensor is read-only, and DLPack before version 1 has no flag for read-only memory; use `into_raw`",
            )
            .into());
        }
        let dl_tensor = *self.tensor();
        let manager_ctx = self.into_raw().cast();
        Ok(Box::into_raw(Box::new(DLManagedTensor { dl_tensor, manager_ctx, deleter: Some(delete_legacy) })))
    }

    fn managed(&self) -> &DLManagedTensorVersioned {
        // SAFETY: `self` keeps the tensor alive, and nobody writes to the struct while `self` exists.
        unsafe { self.raw.as_ref() }
    }

    /// Returns the tensor's description by its producer.
    pub fn tensor(&self) -> &DLTensor {
        &self.managed().dl_tensor
    }

    /// Returns the stream on which the tensor's memory may be used.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns whether the consumer must not write to the memory.
    pub fn is_read_only(&self) -> bool {
        self.managed().flags & DLPACK_FLAG_BITMASK_READ_ONLY != 0
    }

    /// Returns whether the memory is a copy that the producer made for the consumer.
    pub fn is_copied(&self) -> bool {
        self.managed().flags & DLPACK_FLAG_BITMASK_IS_COPIED != 0
    }
}

impl Drop for DlpackTensor {
    fn drop(&mut self) {
        if let Some(deleter) = self.managed().deleter {
            // SAFETY: the tensor is alive, and `self` is its only owner, so this call is the only one.
            unsafe { deleter(self.raw.as_ptr()) };
        }
    }
}

/// Frees the box that `from_legacy` made, and the producer's tensor to which the box refers.
///
/// # Safety
/// - [`DlpackTensor::from_legacy`] made `this`, and `this` is freed once.
unsafe extern "C" fn delete_adopted(this: *mut DLManagedTensorVersioned) {
    // SAFETY: the caller promises that `this` is the box that `from_legacy` made, and is freed once.
    let this = unsafe { Box::from_raw(this) };
    let inner = this.manager_ctx.cast::<DLManagedTensor>();
    // SAFETY: `from_legacy` stored a pointer to a live tensor in `manager_ctx`, and nobody else frees that tensor.
    if let Some(deleter) = unsafe { (*inner).deleter } {
        // SAFETY: `inner` is alive, and this call is the only call of its deleter.
        unsafe { deleter(inner) };
    }
}

/// Frees the box that `into_legacy` made, and the tensor to which the box refers.
///
/// # Safety
/// - [`DlpackTensor::into_legacy`] made `this`, and `this` is freed once.
unsafe extern "C" fn delete_legacy(this: *mut DLManagedTensor) {
    // SAFETY: the caller promises that `this` is the box that `into_legacy` made, and is freed once.
    let this = unsafe { Box::from_raw(this) };
    let inner = this.manager_ctx.cast::<DLManagedTensorVersioned>();
    // SAFETY: `into_legacy` stored a pointer to a live tensor in `manager_ctx`, and nobody else frees that tensor.
    if let Some(deleter) = unsafe { (*inner).deleter } {
        // SAFETY: `inner` is alive, and this call is the only call of its deleter.
        unsafe { deleter(inner) };
    }
}
