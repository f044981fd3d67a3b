//! Conversions of numbers to floats with a single rounding, to the nearest float, ties to even. The kernels round in
//! the same way.

use arrow_buffer::i256;
use gdf_core::{I256, NativeType, f16};

/// Returns the half precision number nearest to a double. A conversion through single precision would round twice. This
/// function therefore first truncates the double to a number that single precision represents exactly.
#[inline]
pub fn nearest_f16(value: f64) -> f16 {
    const REST: u64 = 0xffff_ffff;
    let bits = value.to_bits();
    let kept = bits & !REST | u64::from(bits & REST != 0) << 32;
    f16::from_f32(f64::from_bits(kept) as f32)
}

/// Returns the double nearest to the integer. Ties are rounded to even.
pub fn nearest_f64(value: i256) -> f64 {
    if let Some(narrow) = value.to_i128() {
        return narrow as f64;
    }
    // The absolute value of the smallest integer wraps around to the smallest integer. The bits of the smallest
    // integer, read as an unsigned number, are the correct absolute value.
    let size = value.wrapping_abs();
    let (low, high) = size.to_parts();
    let high = high as u128;
    // `leading` has the highest 128 bits. Its last bit is also set if any bit below these 128 bits is set. The
    // conversion then does not mistake the number for a tie.
    let shift = high.leading_zeros();
    let leading = if shift == 0 {
        high | u128::from(low != 0)
    } else if shift == 128 {
        return if value.is_negative() { -(low as f64) } else { low as f64 };
    } else {
        high << shift | low >> (128 - shift) | u128::from(low << shift != 0)
    };
    let result = leading as f64 * 2_f64.powi(128 - shift as i32);
    if value.is_negative() { -result } else { result }
}

/// Returns the double nearest to the power of ten with exponent `digits`. If `digits` is greater than 308, the result
/// is infinity.
pub fn power_of_ten(digits: u32) -> f64 {
    // The parser rounds to the nearest double. `powi` may return another double.
    format!("1e{digits}").parse().unwrap_or(f64::INFINITY)
}

/// Number types that are converted to doubles.
pub trait ToDouble: Copy {
    /// Returns the nearest double.
    fn to_double(self) -> f64;
}

macro_rules! to_double {
    ($($native:ty),*) => {$(
        impl ToDouble for $native {
            fn to_double(self) -> f64 {
                self as f64
            }
        }
    )*};
}

to_double!(i8, i16, i32, i64, u8, u16, u32, u64, i128, f32, f64);

impl ToDouble for f16 {
    fn to_double(self) -> f64 {
        self.to_f64()
    }
}

impl ToDouble for I256 {
    fn to_double(self) -> f64 {
        nearest_f64(self.0)
    }
}

/// Float types to which doubles are converted.
pub trait Float: ToDouble + NativeType {
    const LOWEST: Self;
    const HIGHEST: Self;
    /// Returns the nearest number of this type.
    fn of_double(value: f64) -> Self;
}

macro_rules! float {
    ($($native:ty, $of:expr;)*) => {$(
        impl Float for $native {
            const LOWEST: Self = <$native>::NEG_INFINITY;
            const HIGHEST: Self = <$native>::INFINITY;
            fn of_double(value: f64) -> Self {
                $of(value)
            }
        }
    )*};
}

float! {
    f16, nearest_f16;
    f32, |value| value as f32;
    f64, |value| value;
}

/// Maps a double to an integer so that the integers have the order of the doubles. −0.0 comes before 0.0. All NaNs
/// map to one integer, which comes last. The kernel function `gdf::ordered_key` does the same.
#[inline]
pub fn ordered_key(value: f64) -> i64 {
    flip_negative(if value.is_nan() { f64::NAN.copysign(1.0) } else { value }.to_bits() as i64)
}

/// Returns the double of a key made by [`ordered_key`].
#[inline]
pub fn of_ordered_key(key: i64) -> f64 {
    f64::from_bits(flip_negative(key) as u64)
}

/// Flips all bits but the sign of a negative number. The function is its own inverse.
#[inline]
fn flip_negative(bits: i64) -> i64 {
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_is_rounded_once() {
        let to_half = nearest_f16;
        // The first value is halfway between 1 and the next number of half precision. The second value is slightly
        // larger, and two roundings would make it 1 as well.
        let halfway = 1.0 + 2_f64.powi(-11);
        assert_eq!(to_half(halfway), f16::ONE);
        assert_eq!(to_half(halfway + 2_f64.powi(-50)), f16::from_bits(0x3c01));
        assert_eq!(to_half(65_519.999_999_999), f16::MAX);
        assert_eq!(to_half(65_520.0), f16::INFINITY);
        assert_eq!(to_half(-1e300), f16::NEG_INFINITY);
        assert!(to_half(f64::from_bits(0x7ff0_0000_0000_0001)).is_nan());
        assert_eq!(to_half(2_f64.powi(-25)), f16::ZERO);
        assert_eq!(to_half(2_f64.powi(-25) * 1.000_000_1), f16::from_bits(1));
        assert_eq!(to_half(-0.0).to_bits(), 0x8000);
    }

    #[test]
    fn wide_integers_are_rounded_once() {
        assert_eq!(nearest_f64(i256::MIN), -(2_f64.powi(255)));
        assert_eq!(nearest_f64(i256::MAX), 2_f64.powi(255));
        assert_eq!(nearest_f64(i256::from_i128(-3)), -3.0);
        let power = |n: u32| i256::from_i128(2).wrapping_pow(n);
        for n in [127, 128, 129, 150, 191, 192, 200, 254] {
            let exact = 2_f64.powi(n as i32);
            assert_eq!(nearest_f64(power(n)), exact, "{n}");
            let next = f64::from_bits(exact.to_bits() + 1);
            let halfway = power(n).wrapping_add(power(n - 53));
            assert_eq!(nearest_f64(halfway), exact, "{n}");
            assert_eq!(nearest_f64(halfway.wrapping_add(i256::ONE)), next, "{n}");
            assert_eq!(nearest_f64(halfway.wrapping_add(i256::ONE).wrapping_neg()), -next, "{n}");
        }
    }

    #[test]
    fn powers_are_the_nearest() {
        assert_eq!(power_of_ten(0), 1.0);
        assert_eq!(power_of_ten(22), 1e22);
        assert_eq!(power_of_ten(76), 1e76);
        assert_eq!(power_of_ten(128), 1e128);
    }
}
