//! One number as another: what `as` does, and the same for half precision.

use gdf_core::f16;

use crate::rounding::nearest_f16;

/// A number as another. Integers wrap; floats become integers towards zero, what does not fit becomes the nearest that
/// does, NaN becomes 0; what becomes a float is rounded to the nearest, ties to even.
pub(super) trait Convert<D>: Copy {
    fn convert(self) -> D;
}

macro_rules! plain {
    ($($from:ty),*) => {$(
        plain!(@ $from => i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);
    )*};
    (@ $from:ty => $($to:ty),*) => {$(
        impl Convert<$to> for $from {
            #[inline]
            fn convert(self) -> $to {
                self as $to
            }
        }
    )*};
}

plain!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

macro_rules! to_half {
    // Any integer below half precision's infinity is exact in single precision, so the way there is harmless.
    ($($from:ty),*) => {$(
        impl Convert<f16> for $from {
            #[inline]
            fn convert(self) -> f16 {
                f16::from_f32(self as f32)
            }
        }
    )*};
}

to_half!(i8, i16, i32, i64, u8, u16, u32, u64, f32);

impl Convert<f16> for f64 {
    #[inline]
    fn convert(self) -> f16 {
        nearest_f16(self)
    }
}

macro_rules! from_half {
    ($($to:ty),*) => {$(
        impl Convert<$to> for f16 {
            #[inline]
            fn convert(self) -> $to {
                self.to_f32() as $to
            }
        }
    )*};
}

from_half!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

impl Convert<f16> for f16 {
    fn convert(self) -> f16 {
        self
    }
}
