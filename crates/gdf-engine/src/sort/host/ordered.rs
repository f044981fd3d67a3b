//! Maps values to unsigned integers that have the order of the values, and maps the integers back.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, Not, Shl, Shr, Sub};

use gdf_core::f16;

pub(super) trait Unsigned:
    Copy
    + Ord
    + Debug
    + Send
    + Sync
    + Default
    + Into<u128>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + Sub<Output = Self>
{
    const MAX: Self;
    fn of(wide: u128) -> Self;
    /// Returns an integer whose low bits are `word`.
    fn of_word(word: u64) -> Self;
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn low(self) -> u64;
}

impl Unsigned for u64 {
    const MAX: u64 = u64::MAX;
    fn of(wide: u128) -> Self {
        wide as u64
    }
    fn of_word(word: u64) -> Self {
        word
    }
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    fn subtract(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    fn low(self) -> u64 {
        self
    }
}

impl Unsigned for u128 {
    const MAX: u128 = u128::MAX;
    fn of(wide: u128) -> Self {
        wide
    }
    fn of_word(word: u64) -> Self {
        u128::from(word)
    }
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    fn subtract(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    fn low(self) -> u64 {
        self as u64
    }
}

/// A type of values that can be mapped to unsigned integers of the same order.
pub(super) trait Ordered: Copy + Send + Sync {
    type Unsigned: Unsigned;
    fn ordered(self) -> Self::Unsigned;
    /// Returns a value that is mapped to this integer.
    fn restored(ordered: Self::Unsigned) -> Self;
    /// Returns whether another value is mapped to the same integer, so that `restored` may return that value.
    fn is_lossy(self) -> bool {
        false
    }
}

macro_rules! integers {
    ($($signed:ident $unsigned:ident $wide:ident),*) => {$(
        impl Ordered for $signed {
            type Unsigned = $wide;
            fn ordered(self) -> $wide {
                $wide::from(self.cast_unsigned() ^ (1 << ($unsigned::BITS - 1)))
            }
            fn restored(ordered: $wide) -> Self {
                ((ordered as $unsigned) ^ (1 << ($unsigned::BITS - 1))).cast_signed()
            }
        }
        impl Ordered for $unsigned {
            type Unsigned = $wide;
            fn ordered(self) -> $wide {
                $wide::from(self)
            }
            fn restored(ordered: $wide) -> Self {
                ordered as $unsigned
            }
        }
    )*};
}
integers!(i8 u8 u64, i16 u16 u64, i32 u32 u64, i64 u64 u64, i128 u128 u128);

impl Ordered for bool {
    type Unsigned = u64;
    fn ordered(self) -> u64 {
        u64::from(self)
    }
    fn restored(ordered: u64) -> Self {
        ordered & 1 == 1
    }
}

macro_rules! floats {
    ($($float:ident $bits:ident $nan:literal),*) => {$(
        impl Ordered for $float {
            type Unsigned = u64;
            /// The bits of negative numbers are inverted, and the sign bit of other numbers is set. −0 has the same
            /// integer as 0. Every NaN has the largest integer.
            fn ordered(self) -> u64 {
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                let bits = self.to_bits();
                let bits = if self.is_nan() { $nan } else if bits == SIGN { 0 } else { bits };
                u64::from(if bits & SIGN == 0 { bits | SIGN } else { !bits })
            }
            fn restored(ordered: u64) -> Self {
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                let bits = ordered as $bits;
                Self::from_bits(if bits & SIGN == 0 { !bits } else { bits ^ SIGN })
            }
            fn is_lossy(self) -> bool {
                let bits = self.to_bits();
                bits == 1 << ($bits::BITS - 1) || (self.is_nan() && bits != $nan)
            }
        }
    )*};
}
floats!(f16 u16 0x7e00, f32 u32 0x7fc0_0000, f64 u64 0x7ff8_0000_0000_0000);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_and_values_come_back() {
        let ints = [i64::MIN, -5, -1, 0, 1, 7, i64::MAX];
        assert!(ints.windows(2).all(|pair| pair[0].ordered() < pair[1].ordered()));
        assert!(ints.iter().all(|&value| i64::restored(value.ordered()) == value));
        let floats = [f64::NEG_INFINITY, -1.5, -f64::MIN_POSITIVE, 0.0, 1e-300, 2.0, f64::INFINITY, f64::NAN];
        assert!(floats.windows(2).all(|pair| pair[0].ordered() < pair[1].ordered()));
        assert!(floats.iter().all(|&v| !v.is_lossy() && f64::restored(v.ordered()).to_bits() == v.to_bits()));
        assert_eq!((-0.0_f32).ordered(), 0.0_f32.ordered());
        assert!((-0.0_f32).is_lossy() && f32::from_bits(0xffc0_0000).is_lossy());
        assert_eq!(f16::from_bits(0xfe01).ordered(), f16::from_bits(0x7e00).ordered());
        assert!((-1_i128).ordered() < 0_i128.ordered() && i8::MIN.ordered() == 0);
    }
}
