//! Conversions between the C structs of gdf and the C structs of arrow-rs. Both have the same layout.
#![cfg(feature = "arrow-rs")]

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;

use crate::{ArrowArray, ArrowArrayStream, ArrowDeviceArray, ArrowSchema};

macro_rules! interchangeable {
    ($ours:ident, $theirs:ident) => {
        const _: () = assert!(size_of::<$ours>() == size_of::<$theirs>());
        const _: () = assert!(align_of::<$ours>() == align_of::<$theirs>());

        impl From<$theirs> for $ours {
            fn from(theirs: $theirs) -> Self {
                // SAFETY: both structs are `repr(C)` with the specification's fields in the same order, and the
                // assertions above compare size and alignment. Both structs own their resources, and `transmute`
                // moves the ownership.
                unsafe { std::mem::transmute::<$theirs, $ours>(theirs) }
            }
        }

        impl From<$ours> for $theirs {
            fn from(ours: $ours) -> Self {
                // SAFETY: the proof is the same as for the conversion above.
                unsafe { std::mem::transmute::<$ours, $theirs>(ours) }
            }
        }
    };
}

interchangeable!(ArrowSchema, FFI_ArrowSchema);
interchangeable!(ArrowArray, FFI_ArrowArray);
interchangeable!(ArrowArrayStream, FFI_ArrowArrayStream);

const _: () = {
    use std::mem::offset_of;

    assert!(offset_of!(FFI_ArrowArray, release) == offset_of!(ArrowArray, release));
    assert!(offset_of!(FFI_ArrowArray, buffers) == offset_of!(ArrowArray, buffers));
    assert!(offset_of!(FFI_ArrowSchema, release) == offset_of!(ArrowSchema, release));
    assert!(offset_of!(FFI_ArrowSchema, flags) == offset_of!(ArrowSchema, flags));
    assert!(offset_of!(FFI_ArrowArrayStream, release) == offset_of!(ArrowArrayStream, release));
};

impl From<FFI_ArrowArray> for ArrowDeviceArray {
    fn from(array: FFI_ArrowArray) -> Self {
        ArrowArray::from(array).into()
    }
}
