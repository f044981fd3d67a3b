//! Conversions between types of numbers. They have the semantics of `as` and also support half precision.

use gdf_core::f16;

use crate::rounding::nearest_f16;

/// Converts a number to the type `D`.
///
/// - Integers wrap.
/// - Floats that become integers are rounded towards zero and saturate. NaN becomes 0.
/// - Results that are floats are rounded to the nearest float, ties to even.
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
    // Single precision represents exactly every integer that half precision rounds to a finite number. The integer is
    // therefore rounded only once.
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
