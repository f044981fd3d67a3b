//! The structs of Arrow's C data, C device and C stream interfaces. The layouts are those of the specifications.
//!
//! A struct owns the resources that it describes.

use std::ffi::{c_char, c_int, c_void};
use std::mem::ManuallyDrop;

use crate::{DeviceType, InteropError, Result};

/// The functions that all structs have. Each struct has a `release` callback. After the struct is released, the
/// callback is null.
macro_rules! released_by_callback {
    ($name:ident, $what:literal) => {
        impl $name {
            #[doc = concat!("Returns a released ", $what, " that a producer can overwrite.")]
            pub const fn empty() -> Self {
                // SAFETY: all-zero bytes are a valid value of every field: null pointers, absent callbacks and the
                // number 0.
                unsafe { std::mem::zeroed() }
            }

            /// Returns whether the struct was released, or was moved to another place.
            pub fn is_released(&self) -> bool {
                self.release.is_none()
            }

            /// Takes the struct at `from`, and leaves a released struct in its place.
            ///
            /// # Safety
            /// - `from` is valid for reads and writes of such a struct, aligned and initialized
            #[doc = concat!("- the struct is released or is a valid ", $what, " by the specification: pointers lead \
                    to")]
            ///   as many values as the counts say, strings end with a zero byte, and the callbacks may be called from
            ///   any thread
            pub unsafe fn from_raw(from: *mut Self) -> Self {
                // SAFETY: the caller promises that `from` is aligned, initialized and valid for reads and writes.
                unsafe { from.replace(Self::empty()) }
            }

            /// Moves the struct to `to`. If `to` already holds a struct, that struct is not released.
            ///
            /// # Safety
            /// - `to` is valid for writes of such a struct, and aligned
            pub unsafe fn write_to(self, to: *mut Self) {
                // SAFETY: the caller promises that `to` is aligned and valid for writes.
                unsafe { to.write(self) };
            }

            /// Converts the struct of another crate. Examples are any version of arrow-rs, polars, and bindings that
            /// bindgen makes. If `F` has another size or alignment, the call does not compile. See
            /// [`from_foreign_stream`](crate::from_foreign_stream).
            ///
            /// # Safety
            /// - `F` is `repr(C)` and has the specification's fields in its order
            /// - `foreign` fulfills the conditions that [`from_raw`](Self::from_raw) requires of the struct at `from`
            pub unsafe fn from_foreign<F>(foreign: F) -> Self {
                const { assert!(size_of::<F>() == size_of::<Self>() && align_of::<F>() == align_of::<Self>()) };
                let foreign = ManuallyDrop::new(foreign);
                // SAFETY: the caller promises that `F` has the layout of `Self`, and the assertion above compares
                // size and alignment. `foreign` is never dropped, so the returned struct is the only owner.
                unsafe { std::ptr::from_ref(&foreign).cast::<Self>().read() }
            }

            /// Converts the struct to the type of another crate. This is the opposite of
            /// [`from_foreign`](Self::from_foreign).
            ///
            /// # Safety
            /// - `F` is `repr(C)`, has the specification's fields in its order, and owns the same resources as this
            ///   type
            pub unsafe fn into_foreign<F>(self) -> F {
                const { assert!(size_of::<F>() == size_of::<Self>() && align_of::<F>() == align_of::<Self>()) };
                let ours = ManuallyDrop::new(self);
                // SAFETY: the caller promises that `F` has the layout of `Self`, and the assertion above compares
                // size and alignment. `ours` is never dropped, so the returned struct is the only owner.
                unsafe { std::ptr::from_ref(&ours).cast::<F>().read() }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: the struct is valid: either gdf made the struct, or the caller of `from_raw` promised
                    // its validity. A non-null callback means that the struct was not released, so this call is the
                    // only one. `&mut self` makes the access exclusive.
                    unsafe { release(self) };
                }
            }
        }

        // SAFETY: the struct owns its resources, and the callbacks may be called from any thread, because `from_raw`
        // requires this of its caller.
        unsafe impl Send for $name {}
    };
}

/// `struct ArrowSchema`: the type of an array, with names and metadata.
#[derive(Debug)]
#[repr(C)]
pub struct ArrowSchema {
    pub(crate) format: *const c_char,
    pub(crate) name: *const c_char,
    pub(crate) metadata: *const c_char,
    pub(crate) flags: i64,
    pub(crate) n_children: i64,
    pub(crate) children: *mut *mut ArrowSchema,
    pub(crate) dictionary: *mut ArrowSchema,
    pub(crate) release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub(crate) private_data: *mut c_void,
}

released_by_callback!(ArrowSchema, "schema");

/// `struct ArrowArray`: the data of an array.
#[derive(Debug)]
#[repr(C)]
pub struct ArrowArray {
    pub(crate) length: i64,
    pub(crate) null_count: i64,
    pub(crate) offset: i64,
    pub(crate) n_buffers: i64,
    pub(crate) n_children: i64,
    pub(crate) buffers: *mut *const c_void,
    pub(crate) children: *mut *mut ArrowArray,
    pub(crate) dictionary: *mut ArrowArray,
    pub(crate) release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub(crate) private_data: *mut c_void,
}

released_by_callback!(ArrowArray, "array");

impl ArrowArray {
    /// Returns the number of rows that the producer reports.
    pub fn length(&self) -> i64 {
        self.length
    }

    /// Returns the number of nulls that the producer reports, or -1 if the producer does not know the number.
    pub fn null_count(&self) -> i64 {
        self.null_count
    }

    /// Returns the index of the first row within the buffers, as the producer reports.
    pub fn offset(&self) -> i64 {
        self.offset
    }
}

/// `struct ArrowDeviceArray`: the data of an array, and the device that holds the data.
#[derive(Debug)]
#[repr(C)]
pub struct ArrowDeviceArray {
    pub(crate) array: ArrowArray,
    pub(crate) device_id: i64,
    pub(crate) device_type: DeviceType,
    pub(crate) sync_event: *mut c_void,
    pub(crate) reserved: [i64; 3],
}

// SAFETY: for the field `array`, the proof is that of `ArrowArray`. Any thread may wait for the event.
unsafe impl Send for ArrowDeviceArray {}

impl ArrowDeviceArray {
    /// Returns a released array. A producer can write an array to its place.
    pub const fn empty() -> Self {
        Self {
            array: ArrowArray::empty(),
            device_id: -1,
            device_type: DeviceType::CPU,
            sync_event: std::ptr::null_mut(),
            reserved: [0; 3],
        }
    }

    /// Takes the struct at `from`, and leaves a released struct in its place.
    ///
    /// # Safety
    /// - `from` fulfills the conditions of [`ArrowArray::from_raw`]. The event, if present, lives until the array is
    ///   released.
    pub unsafe fn from_raw(from: *mut Self) -> Self {
        // SAFETY: the caller promises that `from` is aligned, initialized and valid for reads and writes.
        unsafe { from.replace(Self::empty()) }
    }

    /// Moves the struct to `to`. If `to` already holds a struct, that struct is not released.
    ///
    /// # Safety
    /// - `to` is valid for writes of such a struct, and aligned
    pub unsafe fn write_to(self, to: *mut Self) {
        // SAFETY: the caller promises that `to` is aligned and valid for writes.
        unsafe { to.write(self) };
    }

    /// Returns whether the array was released, or was moved to another place.
    pub fn is_released(&self) -> bool {
        self.array.is_released()
    }

    /// Returns the data of the array.
    pub fn array(&self) -> &ArrowArray {
        &self.array
    }

    /// Returns the kind of device that holds the data.
    pub fn device_type(&self) -> DeviceType {
        self.device_type
    }

    /// Returns the index of the device among the devices of its kind, or -1 for the CPU.
    pub fn device_id(&self) -> i64 {
        self.device_id
    }

    /// Returns a pointer to the event (for CUDA, a pointer to a `CUevent`) after which the data may be read. A null
    /// pointer means that the data may be read immediately.
    pub fn sync_event(&self) -> *mut c_void {
        self.sync_event
    }

    /// Returns the data without the device, for consumers that support only the C data interface. If the array is not
    /// on the CPU, the array is released, and the call returns an error.
    ///
    /// # Errors
    /// - [`InteropError::UnsupportedDevice`]: code on the CPU may not read the data.
    pub fn into_array(self) -> Result<ArrowArray> {
        match self.device_type {
            DeviceType::CPU => Ok(self.array),
            device_type => Err(InteropError::UnsupportedDevice { device_type, device_id: self.device_id }),
        }
    }
}

impl From<ArrowArray> for ArrowDeviceArray {
    fn from(array: ArrowArray) -> Self {
        Self { array, ..Self::empty() }
    }
}

/// `struct ArrowArrayStream`: a sequence of arrays of one type on the CPU.
#[derive(Debug)]
#[repr(C)]
pub struct ArrowArrayStream {
    pub(crate) get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    pub(crate) get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    pub(crate) get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub(crate) release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    pub(crate) private_data: *mut c_void,
}

released_by_callback!(ArrowArrayStream, "stream of arrays");

/// `struct ArrowDeviceArrayStream`: a sequence of arrays of one type on devices of one kind.
#[derive(Debug)]
#[repr(C)]
pub struct ArrowDeviceArrayStream {
    pub(crate) device_type: DeviceType,
    pub(crate) get_schema: Option<unsafe extern "C" fn(*mut ArrowDeviceArrayStream, *mut ArrowSchema) -> c_int>,
    pub(crate) get_next: Option<unsafe extern "C" fn(*mut ArrowDeviceArrayStream, *mut ArrowDeviceArray) -> c_int>,
    pub(crate) get_last_error: Option<unsafe extern "C" fn(*mut ArrowDeviceArrayStream) -> *const c_char>,
    pub(crate) release: Option<unsafe extern "C" fn(*mut ArrowDeviceArrayStream)>,
    pub(crate) private_data: *mut c_void,
}

released_by_callback!(ArrowDeviceArrayStream, "stream of device arrays");

impl ArrowDeviceArrayStream {
    /// Returns the kind of device that holds all arrays.
    pub fn device_type(&self) -> DeviceType {
        self.device_type
    }
}

/// Checks at compile time that the layouts match the specifications on 64-bit machines.
#[cfg(target_pointer_width = "64")]
mod layout {
    use std::mem::offset_of;

    use super::*;

    const _: () = assert!(size_of::<ArrowSchema>() == 72 && align_of::<ArrowSchema>() == 8);
    const _: () = assert!(offset_of!(ArrowSchema, name) == 8 && offset_of!(ArrowSchema, metadata) == 16);
    const _: () = assert!(offset_of!(ArrowSchema, flags) == 24 && offset_of!(ArrowSchema, n_children) == 32);
    const _: () = assert!(offset_of!(ArrowSchema, children) == 40 && offset_of!(ArrowSchema, dictionary) == 48);
    const _: () = assert!(offset_of!(ArrowSchema, release) == 56 && offset_of!(ArrowSchema, private_data) == 64);

    const _: () = assert!(size_of::<ArrowArray>() == 80 && align_of::<ArrowArray>() == 8);
    const _: () = assert!(offset_of!(ArrowArray, null_count) == 8 && offset_of!(ArrowArray, offset) == 16);
    const _: () = assert!(offset_of!(ArrowArray, n_buffers) == 24 && offset_of!(ArrowArray, n_children) == 32);
    const _: () = assert!(offset_of!(ArrowArray, buffers) == 40 && offset_of!(ArrowArray, children) == 48);
    const _: () = assert!(offset_of!(ArrowArray, dictionary) == 56 && offset_of!(ArrowArray, release) == 64);
    const _: () = assert!(offset_of!(ArrowArray, private_data) == 72);

    const _: () = assert!(size_of::<ArrowDeviceArray>() == 128 && align_of::<ArrowDeviceArray>() == 8);
    const _: () = assert!(offset_of!(ArrowDeviceArray, device_id) == 80);
    const _: () = assert!(offset_of!(ArrowDeviceArray, device_type) == 88);
    const _: () = assert!(offset_of!(ArrowDeviceArray, sync_event) == 96);
    const _: () = assert!(offset_of!(ArrowDeviceArray, reserved) == 104);

    const _: () = assert!(size_of::<ArrowArrayStream>() == 40 && offset_of!(ArrowArrayStream, get_next) == 8);
    const _: () = assert!(offset_of!(ArrowArrayStream, get_last_error) == 16);
    const _: () = assert!(offset_of!(ArrowArrayStream, release) == 24);
    const _: () = assert!(offset_of!(ArrowArrayStream, private_data) == 32);

    const _: () = assert!(size_of::<ArrowDeviceArrayStream>() == 48);
    const _: () = assert!(offset_of!(ArrowDeviceArrayStream, get_schema) == 8);
    const _: () = assert!(offset_of!(ArrowDeviceArrayStream, get_next) == 16);
    const _: () = assert!(offset_of!(ArrowDeviceArrayStream, get_last_error) == 24);
    const _: () = assert!(offset_of!(ArrowDeviceArrayStream, release) == 32);
    const _: () = assert!(offset_of!(ArrowDeviceArrayStream, private_data) == 40);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_structs_are_released() {
        assert!(ArrowSchema::empty().is_released() && ArrowArray::empty().is_released());
        assert!(ArrowDeviceArray::empty().is_released() && ArrowArrayStream::empty().is_released());
        assert!(ArrowDeviceArrayStream::empty().is_released());
    }
}
