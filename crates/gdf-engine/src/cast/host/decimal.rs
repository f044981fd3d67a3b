//! Converts floats to decimals. A float stands for the shortest decimal number that parses to that float. Digits beyond
//! the scale are truncated.

use arrow_buffer::i256;
use gdf_core::PhysicalType;

use super::super::plan::{DecimalMode, DecimalScale};

#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    precision: i32,
    min_exponent: i32,
}

impl Format {
    pub(super) fn of(physical: PhysicalType) -> Format {
        match physical {
            PhysicalType::F16 => Format { precision: 11, min_exponent: -24 },
            PhysicalType::F32 => Format { precision: 24, min_exponent: -149 },
            _ => Format { precision: 53, min_exponent: -1074 },
        }
    }
}

/// The number `digits` * 2^`exponent`. The fraction is truncated later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scaled {
    digits: u128,
    exponent: i32,
}

impl Scaled {
    fn fits(self, bits: u32) -> bool {
        let length = (u128::BITS - self.digits.leading_zeros()) as i32;
        self.digits == 0 || length + self.exponent <= bits as i32
    }
}

fn parts(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let (biased, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) }
}

/// Returns |value| * 10^scale.
fn scaled(value: f64, scale: &DecimalScale, format: Format) -> Scaled {
    let size = value.abs();
    if scale.mode != DecimalMode::Exact {
        let mut product = if scale.mode == DecimalMode::Times { size * scale.factor } else { size / scale.factor };
        // The factor is inexact, so the product may be slightly less than an integer. The next larger float compensates
        // for the error.
        if scale.mode == DecimalMode::Times && product > 0.0 && product < 9_007_199_254_740_992.0 {
            product = product.next_up();
        }
        let (mantissa, exponent) = parts(product);
        return Scaled { digits: u128::from(mantissa), exponent };
    }
    let (mantissa, exponent) = parts(size);
    let digits = u128::from(mantissa) * 2 * scale.power; // below 2^54 * 10^22 < 2^128
    let cut = 1 - exponent;
    if (1..128).contains(&cut) {
        let unit = (exponent + 53 - format.precision).max(format.min_exponent);
        let half = (1_u128 << (unit - exponent)) * scale.power;
        let inexact = digits & ((1 << cut) - 1) != 0;
        if inexact && half >> (cut - 1) == 0 {
            return Scaled { digits: digits + half, exponent: -cut };
        }
    }
    Scaled { digits, exponent: -cut }
}

/// Returns the integer of at most `bits` bits and a sign. `bits` is at most 127. Values that do not fit saturate. NaN
/// becomes 0.
pub(super) fn to_i128(value: f64, scale: &DecimalScale, format: Format, bits: u32) -> i128 {
    if value.is_nan() {
        return 0;
    }
    let exactly = scaled(value, scale, format);
    if value.is_infinite() || !exactly.fits(bits) {
        let most = i128::MAX >> (127 - bits);
        return if value < 0.0 { -most - 1 } else { most };
    }
    let size = match exactly.exponent {
        0.. => exactly.digits << exactly.exponent,
        -127..0 => exactly.digits >> -exactly.exponent,
        _ => 0,
    } as i128;
    if value < 0.0 { -size } else { size }
}

/// Returns the integer of at most 255 bits and a sign.
pub(super) fn to_i256(value: f64, scale: &DecimalScale, format: Format) -> i256 {
    if value.is_nan() {
        return i256::ZERO;
    }
    let exactly = scaled(value, scale, format);
    if value.is_infinite() || !exactly.fits(255) {
        return if value < 0.0 { i256::MIN } else { i256::MAX };
    }
    let size = match exactly.exponent {
        0.. => {
            i256::from_parts(exactly.digits, 0).wrapping_mul(i256::from_i128(2).wrapping_pow(exactly.exponent as u32))
        }
        -127..0 => i256::from_parts(exactly.digits >> -exactly.exponent, 0),
        _ => i256::ZERO,
    };
    if value < 0.0 { size.wrapping_neg() } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOUBLE: PhysicalType = PhysicalType::F64;

    fn decimal(value: f64, scale: i32, physical: PhysicalType) -> i128 {
        to_i128(value, &DecimalScale::new(scale), Format::of(physical), 127)
    }

    #[test]
    fn digits_are_those_of_the_shortest_number() {
        for (value, scale, expected) in [
            (1.15, 2, 115),
            (-1.15, 2, -115),
            (1.15, 1, 11),
            (1.2, 1, 12),
            (0.1, 1, 1),
            (0.1, 17, 10_000_000_000_000_000),
            (0.3, 16, 3_000_000_000_000_000),
            (0.3, 17, 29_999_999_999_999_998),
            (1.23456, 4, 12_345),
            (9.999_999_999_999_999, 2, 999),
            (1e22, 2, 10_i128.pow(24)),
            (123_456.0, -3, 123),
            (0.3, 0, 0),
            (5e-324, 22, 0),
            (0.0, 5, 0),
        ] {
            assert_eq!(decimal(value, scale, DOUBLE), expected, "{value} at {scale}");
        }
        assert_eq!(decimal(f64::from(0.7_f32), 1, PhysicalType::F32), 7);
        assert_eq!(decimal(f64::from(0.7_f32), 1, DOUBLE), 6);
        assert_eq!(decimal(gdf_core::f16::from_f32(3e-5).to_f64(), 5, PhysicalType::F16), 3);
    }

    #[test]
    fn more_digits_than_the_float_has_are_exact() {
        assert_eq!(decimal(0.1, 22, DOUBLE), 1_000_000_000_000_000_055_511);
        assert_eq!(decimal(0.5, 17, DOUBLE), 5 * 10_i128.pow(16));
        // Doubles represent powers of ten exactly only up to 10^22.
        assert_eq!(decimal(0.5, 30, DOUBLE), (0.5 * 1e30) as i128);
        assert_eq!(decimal(1e-30, 30, DOUBLE), 1);
    }

    #[test]
    fn what_does_not_fit_is_saturated() {
        let small = |value| to_i128(value, &DecimalScale::new(2), Format::of(DOUBLE), 31) as i32;
        assert_eq!(small(21_474_836.47), i32::MAX);
        assert_eq!(small(21_474_836.46), i32::MAX - 1);
        assert_eq!(small(21_474_836.48), i32::MAX);
        assert_eq!(small(-21_474_836.49), i32::MIN);
        assert_eq!(small(f64::NEG_INFINITY), i32::MIN);
        assert_eq!(small(f64::NAN), 0);
        assert_eq!(decimal(1e300, 38, DOUBLE), i128::MAX);
        assert_eq!(decimal(f64::INFINITY, 0, DOUBLE), i128::MAX);
        assert_eq!(decimal(1.7e38, 0, DOUBLE), 169_999_999_999_999_998_061_923_293_023_115_935_744);
        let wide = |value, scale| to_i256(value, &DecimalScale::new(scale), Format::of(DOUBLE));
        assert_eq!(wide(-1e300, 0), i256::MIN);
        assert_eq!(wide(2_f64.powi(200), 0), i256::from_i128(2).wrapping_pow(200));
        assert_eq!(wide(-1.5, 1), i256::from_i128(-15));
        assert_eq!(wide(1e50, 0).to_string(), "100000000000000007629769841091887003294964970946560");
    }
}
