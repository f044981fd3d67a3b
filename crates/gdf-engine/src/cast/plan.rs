//! The plan of a cast. Both backends use the same plan, which is computed once from the two types.

use arrow_buffer::i256;
use gdf_core::{
    Abilities, DataType, PhysicalType, TimeUnit, ValueOrder, decimal_parts, is_floating, is_integral, physical_type,
    same_type, width,
};

use crate::rounding::power_of_ten;

/// The name of the operation in errors.
pub(super) const OPERATION: &str = "cast";

/// The operation that a cast applies to each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastPlan {
    /// The bytes stay the same. Only the type changes.
    Relabel,
    /// A boolean, an integer or a float becomes a boolean, an integer or a float.
    Numbers,
    /// A boolean or an integer is multiplied or divided. The stored integers of decimals and temporal types are
    /// scaled in the same way.
    Scale(Scale),
    /// A boolean is made from an integer of more than 64 bits. The boolean is false only for 0.
    NonZero,
    /// A decimal of this scale becomes a float.
    FromDecimal(i32),
    /// A float becomes a decimal of this scale.
    ToDecimal(i32),
    /// Offsets of strings change between 32 and 64 bits.
    Offsets,
    /// Text or bytes become views that point to them.
    ToViews,
    /// Views become the text or bytes that they point to.
    OfViews,
    /// Dictionary keys become the dictionary's values.
    Decode,
}

pub(super) use gdf_kernels::generated::unary::CastDecimalMode as DecimalMode;
pub use gdf_kernels::generated::unary::CastOperation as Operation;

/// A multiplication by `ratio` * 10^`digits`, or a division by that number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    pub(super) operation: Operation,
    ratio: u64,
    digits: u32,
}

impl Scale {
    /// Returns the change of a decimal's scale by `digits`. A positive number adds digits after the decimal point. A
    /// negative number removes digits.
    fn decimal(digits: i32) -> Scale {
        let operation = if digits >= 0 { Operation::Multiply } else { Operation::Divide };
        Scale { operation, ratio: 1, digits: digits.unsigned_abs() }
    }

    /// Returns the conversion of ticks of `from` nanoseconds to ticks of `to` nanoseconds.
    fn ticks(from: u64, to: u64) -> Scale {
        let operation = if from >= to { Operation::Multiply } else { Operation::DivideFloor };
        Scale { operation, ratio: if from >= to { from / to } else { to / from }, digits: 0 }
    }

    /// Returns the factor or divisor. A factor wraps if it overflows. The result is `None` for a divisor of more than
    /// 76 digits.
    fn factor(self) -> Option<i256> {
        let power = match self.operation {
            Operation::Multiply => i256::from_i128(10).wrapping_pow(self.digits),
            _ if self.digits <= 76 => i256::from_i128(10).wrapping_pow(self.digits),
            _ => return None,
        };
        Some(power.wrapping_mul(i256::from_i128(i128::from(self.ratio))))
    }

    /// Returns the operation and the factor for exact arithmetic. If the factor has more than 76 digits, `i256::MAX`
    /// replaces the factor. The product of `i256::MAX` and any number but 0 and ±1 overflows, and the quotient of any
    /// smaller number and `i256::MAX` is 0.
    pub fn exact(self) -> (Operation, i256) {
        match self.operation {
            Operation::Multiply if self.digits > 76 => (Operation::Multiply, i256::MAX),
            operation => (operation, self.factor().unwrap_or(i256::MAX)),
        }
    }

    /// Returns the operation and the factor for 64-bit integers of type `from`. If the divisor is greater than the
    /// largest value of the type, every quotient is 0, and the function returns a multiplication by 0.
    pub(crate) fn in_64_bits(self, from: PhysicalType) -> (Operation, u64) {
        let most = if from == PhysicalType::U64 { i128::from(u64::MAX) } else { i128::from(i64::MAX) };
        match (self.operation, self.factor()) {
            (Operation::Multiply, Some(factor)) => (Operation::Multiply, factor.as_i128() as u64),
            (operation, Some(factor)) if factor <= i256::from_i128(most) => (operation, factor.as_i128() as u64),
            _ => (Operation::Multiply, 0),
        }
    }

    /// Like [`in_64_bits`](Self::in_64_bits), for 128-bit integers.
    pub(super) fn in_128_bits(self) -> (Operation, i128) {
        match (self.operation, self.factor()) {
            (Operation::Multiply, Some(factor)) => (Operation::Multiply, factor.as_i128()),
            (operation, Some(factor)) if factor <= i256::from_i128(i128::MAX) => (operation, factor.as_i128()),
            _ => (Operation::Multiply, 0),
        }
    }

    /// Like [`in_64_bits`](Self::in_64_bits), for 256-bit integers. The last element is the exponent of the power of
    /// ten to divide by.
    pub(super) fn in_256_bits(self) -> (Operation, i256, i32) {
        match self.factor() {
            Some(factor) => (self.operation, factor, self.digits as i32),
            None => (Operation::Multiply, i256::ZERO, 0),
        }
    }
}

/// Classes of types. Casts treat all types of a class alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Boolean,
    Integer,
    Float,
    Decimal {
        scale: i32,
    },
    /// Dates and timestamps. `tick` is the number of nanoseconds per tick.
    Moment {
        tick: u64,
    },
    Duration {
        tick: u64,
    },
    TimeOfDay {
        tick: u64,
    },
    Text,
    Bytes,
}

const DAY: u64 = 86_400_000_000_000;

fn tick(unit: TimeUnit) -> u64 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

impl Class {
    fn of(data_type: &DataType) -> Option<Class> {
        Some(match data_type {
            DataType::Boolean => Class::Boolean,
            DataType::Date32 => Class::Moment { tick: DAY },
            DataType::Date64 => Class::Moment { tick: tick(TimeUnit::Millisecond) },
            DataType::Timestamp(unit, _) => Class::Moment { tick: tick(*unit) },
            DataType::Duration(unit) => Class::Duration { tick: tick(*unit) },
            DataType::Time32(unit) | DataType::Time64(unit) => Class::TimeOfDay { tick: tick(*unit) },
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Class::Text,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Class::Bytes,
            other if is_integral(other) => Class::Integer,
            other if is_floating(other) => Class::Float,
            other => Class::Decimal { scale: i32::from(decimal_parts(other)?.2) },
        })
    }
}

impl CastPlan {
    /// Returns the plan for casting `from` to `to`, or `None` if the cast is not supported.
    pub fn new(from: &DataType, to: &DataType) -> Option<CastPlan> {
        use Class::{Boolean, Bytes, Decimal, Duration, Float, Integer, Moment, Text, TimeOfDay};
        if same_type(from, to) {
            return Some(CastPlan::Relabel);
        }
        if let DataType::Dictionary(_, values) = from {
            return same_type(values, to).then_some(CastPlan::Decode);
        }
        let same_width = width(from).is_some() && width(from) == width(to);
        let relabel_or = |plan: CastPlan| if same_width { CastPlan::Relabel } else { plan };
        let scale = |scale: Scale| {
            if scale.ratio == 1 && scale.digits == 0 {
                relabel_or(CastPlan::Scale(scale))
            } else {
                CastPlan::Scale(scale)
            }
        };
        Some(match (Class::of(from)?, Class::of(to)?) {
            (Integer | Duration { .. }, Integer) | (Integer, Duration { .. }) => relabel_or(CastPlan::Numbers),
            (Moment { .. } | TimeOfDay { .. }, Integer) | (Integer, Moment { .. } | TimeOfDay { .. }) => {
                relabel_or(CastPlan::Numbers)
            }
            (Boolean | Integer | Float, Boolean | Integer | Float)
            | (Duration { .. }, Float)
            | (Float, Duration { .. }) => CastPlan::Numbers,
            (Boolean | Integer, Decimal { scale: digits }) => scale(Scale::decimal(digits)),
            (Decimal { scale: digits }, Integer) => scale(Scale::decimal(-digits)),
            (Decimal { .. }, Boolean) if Abilities::of(from).order == Some(ValueOrder::Wide) => CastPlan::NonZero,
            (Decimal { .. }, Boolean) => CastPlan::Numbers,
            (Decimal { scale: old }, Decimal { scale: new }) => scale(Scale::decimal(new - old)),
            (Decimal { scale }, Float) => CastPlan::FromDecimal(scale),
            (Float, Decimal { scale }) => CastPlan::ToDecimal(scale),
            (Moment { tick: old }, Moment { tick: new })
            | (Moment { tick: old }, Duration { tick: new })
            | (Duration { tick: old }, Moment { tick: new })
            | (Duration { tick: old }, Duration { tick: new })
            | (TimeOfDay { tick: old }, TimeOfDay { tick: new } | Duration { tick: new })
            | (Duration { tick: old }, TimeOfDay { tick: new }) => scale(Scale::ticks(old, new)),
            (Text, Text | Bytes) | (Bytes, Bytes) => {
                let is_large = |of: &DataType| physical_type(of).is_large();
                match [from, to].map(|of| Abilities::of(of).encoded) {
                    [true, false] => CastPlan::OfViews,
                    [false, true] => CastPlan::ToViews,
                    _ if is_large(from) == is_large(to) => CastPlan::Relabel,
                    _ => CastPlan::Offsets,
                }
            }
            _ => return None,
        })
    }
}

/// The conversion of a float to a decimal.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecimalScale {
    pub(super) mode: DecimalMode,
    /// 10^scale, for [`DecimalMode::Exact`].
    pub(super) power: u128,
    /// 10^|scale|, for the other modes.
    pub(super) factor: f64,
}

impl DecimalScale {
    pub(super) fn new(scale: i32) -> DecimalScale {
        let factor = power_of_ten(scale.unsigned_abs());
        match scale {
            0..=22 => DecimalScale { mode: DecimalMode::Exact, power: 10_u128.pow(scale as u32), factor },
            23.. => DecimalScale { mode: DecimalMode::Times, power: 0, factor },
            ..0 => DecimalScale { mode: DecimalMode::DividedBy, power: 0, factor },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(from: &DataType, to: &DataType) -> Scale {
        match CastPlan::new(from, to) {
            Some(CastPlan::Scale(scale)) => scale,
            other => panic!("{from} to {to}: {other:?}"),
        }
    }

    #[test]
    fn same_bytes_are_relabeled() {
        use DataType::*;
        let utc = Some("UTC".into());
        for (from, to) in [
            (Int32, UInt32),
            (Int64, Duration(TimeUnit::Second)),
            (Date32, Int32),
            (UInt64, Date64),
            (Timestamp(TimeUnit::Second, None), Timestamp(TimeUnit::Second, utc)),
            (Timestamp(TimeUnit::Nanosecond, None), Duration(TimeUnit::Nanosecond)),
            (Date64, Timestamp(TimeUnit::Millisecond, None)),
            (Decimal64(18, 0), Int64),
            (Decimal128(38, 2), Decimal128(10, 2)),
            (Utf8, Binary),
            (Null, Null),
        ] {
            assert_eq!(CastPlan::new(&from, &to), Some(CastPlan::Relabel), "{from} to {to}");
        }
    }

    #[test]
    fn factors_of_each_width() {
        use DataType::*;
        let up = scaled(&Decimal32(9, 2), &Decimal64(18, 5));
        assert_eq!(up.in_64_bits(PhysicalType::I64), (Operation::Multiply, 1000));
        let down = scaled(&Decimal128(38, 5), &Int16);
        assert_eq!(down.in_128_bits(), (Operation::Divide, 100_000));
        let far = scaled(&Decimal64(18, 18), &Decimal64(18, -18));
        assert_eq!(far.in_64_bits(PhysicalType::I64), (Operation::Multiply, 0));
        assert_eq!(far.in_128_bits(), (Operation::Divide, 10_i128.pow(36)));
        assert_eq!(
            scaled(&UInt64, &Decimal64(18, -19)).in_64_bits(PhysicalType::U64),
            (Operation::Divide, 10_u64.pow(19))
        );
        let beyond = scaled(&Decimal256(76, 76), &Decimal256(76, -76));
        assert_eq!(beyond.in_256_bits(), (Operation::Multiply, i256::ZERO, 0));
        let days = scaled(&Timestamp(TimeUnit::Nanosecond, None), &Date32);
        assert_eq!(days.in_64_bits(PhysicalType::I64), (Operation::DivideFloor, DAY));
        assert_eq!(scaled(&Date32, &Date64).in_64_bits(PhysicalType::I64), (Operation::Multiply, 86_400_000));
        assert_eq!(scaled(&Int8, &Decimal128(38, 0)).in_128_bits(), (Operation::Multiply, 1));
    }

    #[test]
    fn what_cannot_be_cast() {
        use DataType::*;
        for (from, to) in [
            (Utf8, Int32),
            (Int32, Utf8),
            (Binary, Utf8),
            (Boolean, Date32),
            (Float32, Timestamp(TimeUnit::Second, None)),
            (Decimal64(18, 2), Date32),
            (Date32, Float64),
            (Time32(TimeUnit::Second), Date32),
            (Int32, Null),
        ] {
            assert_eq!(CastPlan::new(&from, &to), None, "{from} to {to}");
        }
    }
}
