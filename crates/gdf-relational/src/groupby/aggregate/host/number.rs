//! Conversions of numbers of any type to the inputs of accumulators.

use gdf_core::{NativeType, f16};
use gdf_engine::rounding::nearest_f16;

/// A value of up to eight bytes.
pub(super) trait HostNumber: NativeType {
    /// Returns the value as a 64-bit integer.
    fn integer(self) -> i64;
    /// Returns the value as a 128-bit integer, for types of integers.
    fn wide(self) -> i128 {
        i128::from(self.integer())
    }
    fn number(self) -> f64;
    /// Returns an unsigned integer that compares like the value. −0.0 comes before 0.0, and NaN comes last.
    fn order(self) -> u64;
    fn from_order(order: u64) -> Self;
    /// Converts an `f64` to the float type.
    fn from_number(number: f64) -> Self;
}

macro_rules! signed {
    ($($native:ty)*) => {$(
        impl HostNumber for $native {
            fn integer(self) -> i64 {
                i64::from(self)
            }
            fn number(self) -> f64 {
                self as f64
            }
            fn order(self) -> u64 {
                (i64::from(self) as u64) ^ (1 << 63)
            }
            fn from_order(order: u64) -> Self {
                (order ^ (1 << 63)) as Self
            }
            fn from_number(number: f64) -> Self {
                number as Self
            }
        }
    )*};
}

macro_rules! unsigned {
    ($($native:ty)*) => {$(
        impl HostNumber for $native {
            fn integer(self) -> i64 {
                self as i64
            }
            fn wide(self) -> i128 {
                i128::from(self)
            }
            fn number(self) -> f64 {
                self as f64
            }
            fn order(self) -> u64 {
                u64::from(self)
            }
            fn from_order(order: u64) -> Self {
                order as Self
            }
            fn from_number(number: f64) -> Self {
                number as Self
            }
        }
    )*};
}

macro_rules! floating {
    ($($native:ty, $bits:ty, $number:expr, $from:expr;)*) => {$(
        impl HostNumber for $native {
            fn integer(self) -> i64 {
                self.number() as i64
            }
            fn number(self) -> f64 {
                $number(self)
            }
            fn order(self) -> u64 {
                let sign = 1 << (<$bits>::BITS - 1);
                let bits = if self.is_nan() { <$native>::NAN.to_bits() & !sign } else { self.to_bits() };
                u64::from(if bits & sign == 0 { bits | sign } else { !bits })
            }
            fn from_order(order: u64) -> Self {
                let (order, sign) = (order as $bits, 1 << (<$bits>::BITS - 1));
                <$native>::from_bits(if order & sign == 0 { !order } else { order & !sign })
            }
            fn from_number(number: f64) -> Self {
                $from(number)
            }
        }
    )*};
}

signed!(i8 i16 i32 i64);
unsigned!(u8 u16 u32 u64);
floating! {
    f16, u16, f16::to_f64, nearest_f16;
    f32, u32, f64::from, |number: f64| number as f32;
    f64, u64, |number| number, |number| number;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_orders() {
        let floats = [f64::NEG_INFINITY, -1.5, -0.0, 0.0, 1e-300, 2.0, f64::INFINITY, f64::NAN];
        assert!(floats.windows(2).all(|pair| pair[0].order() < pair[1].order()));
        for value in floats {
            assert_eq!(f64::from_order(value.order()).to_bits() << 1, value.to_bits() << 1);
        }
        assert_eq!((-f64::NAN).order(), f64::NAN.order());
        let ints = [i8::MIN, -1, 0, 1, i8::MAX];
        assert!(ints.windows(2).all(|pair| pair[0].order() < pair[1].order()));
        assert!(ints.iter().all(|value| i8::from_order(value.order()) == *value));
        assert!(f16::from_f64(-2.0).order() < f16::from_f64(0.5).order());
    }
}
