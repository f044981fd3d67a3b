//! The structs of Arrow's C data, C device and C stream interfaces, as their specifications lay them out.
//!
//! A struct owns what it describes: dropping one releases it, moving one is what the specification calls moving. Their
//! fields are the producer's, so safe code reads them only; C code, and whoever else takes the responsibility, goes
//! through a pointer to the struct.

use std::ffi::{c_char, c_int, c_void};
use std::mem::ManuallyDrop;

use crate::{DeviceType, InteropError, Result};

/// What the structs have in common: a callback that releases them, and is null afterwards.
macro_rules! released_by_callback {
    ($name:ident, $what:literal) => {
        impl $name {
            #[doc = concat!("A released ", $what, ", for a producer to write to.")]
            pub const fn empty() -> Self {
                // SAFETY: zero is a value of every field: null pointers, no callbacks, numbers.
                unsafe { std::mem::zeroed() }
            }

            /// Whether it was released, or moved elsewhere.
            pub fn is_released(&self) -> bool {
                self.release.is_none()
            }

            /// Takes the struct at `from`, which is left released.
            ///
            /// # Safety
            /// - `from` is valid for reads and writes of such a struct, aligned and initialized
            #[doc = concat!("- unless released, it is what the specification calls a valid ", $what, ": pointers lead to what")]
            ///   the counts beside them say, strings end with a zero byte, and the callbacks may be called from any thread
            pub unsafe fn from_raw(from: *mut Self) -> Self {
                // SAFETY: the caller promises a struct that can be read and written.
                unsafe { from.replace(Self::empty()) }
            }

            /// Moves the struct to `to`. What was there is not released.
            ///
            /// # Safety
            /// - `to` is valid for writes of such a struct, and aligned
            pub unsafe fn write_to(self, to: *mut Self) {
                // SAFETY: the caller promises that the place can be written.
                unsafe { to.write(self) };
            }

            /// The struct as another crate declares it: any version of arrow-rs, polars, bindings made by bindgen. A type of
            /// another size or alignment does not compile. See [`from_foreign_stream`](crate::from_foreign_stream).
            ///
            /// # Safety
            /// - `F` is `repr(C)` and has the specification's fields in its order
            /// - as [`from_raw`](Self::from_raw) of `foreign`
            pub unsafe fn from_foreign<F>(foreign: F) -> Self {
                const { assert!(size_of::<F>() == size_of::<Self>() && align_of::<F>() == align_of::<Self>()) };
                let foreign = ManuallyDrop::new(foreign);
                // SAFETY: the caller promises one layout, sizes are compared above; `foreign` is not dropped, so there is one owner.
                unsafe { std::ptr::from_ref(&foreign).cast::<Self>().read() }
            }

            /// The struct as another crate declares it, as [`from_foreign`](Self::from_foreign) takes it.
            ///
            /// # Safety
            /// - `F` is `repr(C)`, has the specification's fields in its order, and owns what it leads to as this type does
            pub unsafe fn into_foreign<F>(self) -> F {
                const { assert!(size_of::<F>() == size_of::<Self>() && align_of::<F>() == align_of::<Self>()) };
                let ours = ManuallyDrop::new(self);
                // SAFETY: the caller promises one layout, sizes are compared above; `ours` is not dropped, so there is one owner.
                unsafe { std::ptr::from_ref(&ours).cast::<F>().read() }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: the struct is valid (`from_raw`, or ours) and was not released, so its callback may be
                    // called, once; it is borrowed exclusively.
                    unsafe { release(self) };
                }
            }
        }

        // SAFETY: the struct owns what it leads to, and its callbacks may be called from any thread (`from_raw`).
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
    /// Number of rows, as the producer says.
    pub fn length(&self) -> i64 {
        self.length
    }

    /// Number of nulls, as the producer says; -1 when it does not know.
    pub fn null_count(&self) -> i64 {
        self.null_count
    }

    /// First row within the buffers, as the producer says.
    pub fn offset(&self) -> i64 {
        self.offset
    }
}

/// `struct ArrowDeviceArray`: the data of an array, and where they are.
#[derive(Debug)]
#[repr(C)]
pub struct ArrowDeviceArray {
    pub(crate) array: ArrowArray,
    pub(crate) device_id: i64,
    pub(crate) device_type: DeviceType,
    pub(crate) sync_event: *mut c_void,
    pub(crate) reserved: [i64; 3],
}

// SAFETY: as `ArrowArray`; the event may be waited for from any thread.
unsafe impl Send for ArrowDeviceArray {}

impl ArrowDeviceArray {
    /// A released array, for a producer to write to.
    pub const fn empty() -> Self {
        Self {
            array: ArrowArray::empty(),
            device_id: -1,
            device_type: DeviceType::CPU,
            sync_event: std::ptr::null_mut(),
            reserved: [0; 3],
        }
    }

    /// Takes the struct at `from`, which is left released.
    ///
    /// # Safety
    /// - as [`ArrowArray::from_raw`]; the event, if there is one, lives until the array is released
    pub unsafe fn from_raw(from: *mut Self) -> Self {
        // SAFETY: the caller promises a struct that can be read and written.
        unsafe { from.replace(Self::empty()) }
    }

    /// Moves the struct to `to`. What was there is not released.
    ///
    /// # Safety
    /// - `to` is valid for writes of such a struct, and aligned
    pub unsafe fn write_to(self, to: *mut Self) {
        // SAFETY: the caller promises that the place can be written.
        unsafe { to.write(self) };
    }

    /// Whether it was released, or moved elsewhere.
    pub fn is_released(&self) -> bool {
        self.array.is_released()
    }

    /// The data.
    pub fn array(&self) -> &ArrowArray {
        &self.array
    }

    /// Which kind of device the data are on.
    pub fn device_type(&self) -> DeviceType {
        self.device_type
    }

    /// Which device of its kind; -1 for the CPU.
    pub fn device_id(&self) -> i64 {
        self.device_id
    }

    /// Pointer to the event (for CUDA a `CUevent`) after which the data may be read; null when they may be at once.
    pub fn sync_event(&self) -> *mut c_void {
        self.sync_event
    }

    /// The data alone, for those who speak the C data interface only. Released where they are not on the CPU.
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
    /// An array of the CPU.
    fn from(array: ArrowArray) -> Self {
        Self { array, ..Self::empty() }
    }
}

/// `struct ArrowArrayStream`: arrays of one type on the CPU, one after the other.
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

/// `struct ArrowDeviceArrayStream`: arrays of one type on devices of one kind, one after the other.
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
    /// Which kind of device all arrays are on.
    pub fn device_type(&self) -> DeviceType {
        self.device_type
    }
}

/// The specifications' layouts, on 64-bit machines.
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
