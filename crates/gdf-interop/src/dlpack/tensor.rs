//! A tensor that is to be freed by its producer's function.

use std::ptr::NonNull;

use gdf_core::Error;
use gdf_driver::Stream;

use super::abi::{
    DLManagedTensor, DLManagedTensorVersioned, DLPACK_FLAG_BITMASK_IS_COPIED, DLPACK_FLAG_BITMASK_READ_ONLY, DLTensor,
    VERSION,
};
use crate::Result;
use crate::error::malformed;

/// A DLPack tensor, ours or of another library, and the stream on which its memory can be used. Dropping it gives it back
/// to its producer.
///
/// Exports share the column's memory and are read-only, unless nothing else refers to it ([`from_owned_column`]). The
/// consumer uses the memory on the stream that it named: that stream waits for the column's writers, on the device. When
/// the consumer frees the tensor, the memory is kept until everything that anybody in this process had enqueued on the GPU
/// by then is done. Imports share the tensor's memory and free it when nothing of ours uses it any more.
///
/// Values are integers, floats and booleans. Booleans have a byte each in DLPack and a bit in a column: they are copied on
/// the CPU, and refused on a GPU (cast to and from `UInt8` there).
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::Column;
/// use gdf::{Device, Stream};
/// use gdf::interop::DlpackTensor;
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let column = Column::from_slice_on(&[1i32, 2, 3], &stream, mr.as_ref())?;
/// // `raw` is what goes into a capsule named `dltensor_versioned`, and comes out of one.
/// let raw = DlpackTensor::from_column(&column, &stream)?.into_raw();
/// // SAFETY: made just above, and not used otherwise.
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

// SAFETY: whoever made a tensor promised that its memory and its function may be used from any thread.
unsafe impl Send for DlpackTensor {}
// SAFETY: shared use only reads the struct.
unsafe impl Sync for DlpackTensor {}

impl DlpackTensor {
    /// # Safety
    /// As [`from_raw`](Self::from_raw), of this layout's version.
    pub(super) unsafe fn adopt(raw: NonNull<DLManagedTensorVersioned>, stream: &Stream) -> Self {
        Self { raw, stream: stream.clone() }
    }

    /// Takes over a tensor of a producer. `stream`, one of the tensor's device, is the one that was named to the producer;
    /// for tensors of the CPU any stream of the CPU, and for pinned memory a stream of whichever device is to read it.
    ///
    /// Where it is refused, the tensor is freed.
    ///
    /// # Safety
    /// - `raw` is null or a tensor that follows DLPack's rules, which nobody else frees.
    /// - The memory that it describes is valid until its deleter is called. Nobody writes there meanwhile, and everything
    ///   that wrote there precedes what is enqueued on `stream` from now on.
    /// - Its deleter may be called from any thread.
    ///
    /// # Errors
    /// - [`InteropError::Malformed`](crate::InteropError::Malformed): a null pointer, or a layout of another major version.
    pub unsafe fn from_raw(raw: *mut DLManagedTensorVersioned, stream: &Stream) -> Result<Self> {
        let raw = NonNull::new(raw).ok_or(malformed("a null tensor"))?;
        // SAFETY: the caller's promises; of a tensor of another version only version and deleter are looked at.
        let tensor = unsafe { Self::adopt(raw, stream) };
        // SAFETY: the version comes first in every version.
        if unsafe { raw.as_ref() }.version.major != VERSION.major {
            return Err(malformed("a DLPack tensor of another major version"));
        }
        Ok(tensor)
    }

    /// As [`from_raw`](Self::from_raw), of the form before version 1 (a capsule named `dltensor`).
    ///
    /// # Safety
    /// As [`from_raw`](Self::from_raw).
    ///
    /// # Errors
    /// - [`InteropError::Malformed`](crate::InteropError::Malformed): a null pointer.
    pub unsafe fn from_legacy(raw: *mut DLManagedTensor, stream: &Stream) -> Result<Self> {
        let raw = NonNull::new(raw).ok_or(malformed("a null tensor"))?;
        let boxed = Box::new(DLManagedTensorVersioned {
            version: VERSION,
            manager_ctx: raw.as_ptr().cast(),
            deleter: Some(delete_adopted),
            flags: 0,
            // SAFETY: the caller promises a live tensor.
            dl_tensor: unsafe { raw.as_ref() }.dl_tensor,
        });
        // SAFETY: the box is a tensor of our version, which `delete_adopted` frees together with the one behind it.
        Ok(unsafe { Self::adopt(NonNull::from(Box::leak(boxed)), stream) })
    }

    /// Gives the tensor away: to be freed once, by calling its deleter.
    pub fn into_raw(self) -> *mut DLManagedTensorVersioned {
        let raw = self.raw.as_ptr();
        let mut this = std::mem::ManuallyDrop::new(self);
        // SAFETY: the field is not used again, since `this` is never dropped.
        unsafe { std::ptr::drop_in_place(&raw mut this.stream) };
        raw
    }

    /// As [`into_raw`](Self::into_raw), in the form before version 1, which cannot say that a tensor is read-only.
    ///
    /// # Errors
    /// - [`Error::InvalidArgument`]: the tensor is read-only.
    pub fn into_legacy(self) -> Result<*mut DLManagedTensor> {
        if self.is_read_only() {
            return Err(Error::invalid_argument("an unversioned DLPack tensor cannot be marked read-only").into());
        }
        let dl_tensor = *self.tensor();
        let manager_ctx = self.into_raw().cast();
        Ok(Box::into_raw(Box::new(DLManagedTensor { dl_tensor, manager_ctx, deleter: Some(delete_legacy) })))
    }

    fn managed(&self) -> &DLManagedTensorVersioned {
        // SAFETY: the tensor is alive until it is dropped or given away; nobody writes the struct meanwhile.
        unsafe { self.raw.as_ref() }
    }

    /// The tensor, as its producer describes it.
    pub fn tensor(&self) -> &DLTensor {
        &self.managed().dl_tensor
    }

    /// The stream on which its memory can be used.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Whether the consumer must not write.
    pub fn is_read_only(&self) -> bool {
        self.managed().flags & DLPACK_FLAG_BITMASK_READ_ONLY != 0
    }

    /// Whether the memory is a copy that the producer made for the consumer.
    pub fn is_copied(&self) -> bool {
        self.managed().flags & DLPACK_FLAG_BITMASK_IS_COPIED != 0
    }
}

impl Drop for DlpackTensor {
    fn drop(&mut self) {
        if let Some(deleter) = self.managed().deleter {
            // SAFETY: the tensor is alive and freed once, here.
            unsafe { deleter(self.raw.as_ptr()) };
        }
    }
}

/// Frees a box of ours around a tensor of the form before version 1, and that.
///
/// # Safety
/// - `this` came from [`DlpackTensor::from_legacy`] and is freed once.
unsafe extern "C" fn delete_adopted(this: *mut DLManagedTensorVersioned) {
    // SAFETY: the caller promises the box of `from_legacy`.
    let this = unsafe { Box::from_raw(this) };
    let inner = this.manager_ctx.cast::<DLManagedTensor>();
    // SAFETY: `from_legacy` put a live tensor there, which nobody else frees.
    if let Some(deleter) = unsafe { (*inner).deleter } {
        // SAFETY: as above; this is the one call.
        unsafe { deleter(inner) };
    }
}

/// Frees a box of ours in the form before version 1, and the tensor behind it.
///
/// # Safety
/// - `this` came from [`DlpackTensor::into_legacy`] and is freed once.
unsafe extern "C" fn delete_legacy(this: *mut DLManagedTensor) {
    // SAFETY: the caller promises the box of `into_legacy`.
    let this = unsafe { Box::from_raw(this) };
    let inner = this.manager_ctx.cast::<DLManagedTensorVersioned>();
    // SAFETY: `into_legacy` put a live tensor there, which nobody else frees.
    if let Some(deleter) = unsafe { (*inner).deleter } {
        // SAFETY: as above; this is the one call.
        unsafe { deleter(inner) };
    }
}
