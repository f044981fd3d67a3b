//! Plans casts: the source type and the target type decide what a cast computes.

use arrow_buffer::i256;
use gdf_core::{
    Abilities, DataType, PhysicalType, TimeUnit, ValueOrder, decimal_parts, is_floating, is_integral, physical_type,
    same_type, width,
};

use super::decoded_type;
use super::temporal::{DAY, tick};

/// The computation that a cast applies to each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastPlan {
    /// Nothing is computed. The bytes stay the same, and only the type changes.
    Relabel,
    /// A boolean, integer or float becomes another of these types.
    Numbers,
    /// A boolean or an integer is multiplied or divided. Decimals and temporal values count as integers here.
    Scale(Scale),
    /// An integer of more than 64 bits becomes true unless it is 0.
    NonZero,
    /// A decimal with this scale becomes a float.
    FromDecimal(i32),
    /// A float becomes a decimal with this scale.
    ToDecimal(i32),
    /// The offsets of strings or binary get another width.
    Offsets,
    /// Strings or binary become views.
    ToViews,
    /// Views become strings or binary.
    OfViews,
    /// Dictionary keys become the values of the dictionary, with the layout of the target if the values are text or
    /// bytes of another layout.
    Decode,
}

/// The operation that applies the factor of a [`Scale`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleOperation {
    /// The value is multiplied. The product wraps.
    Multiply,
    /// The value is divided. The quotient is truncated towards zero.
    Divide,
    /// The value is divided. The quotient is rounded down.
    DivideFloor,
}

/// A multiplication or division by `ratio` times ten to the power of `digits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    operation: ScaleOperation,
    ratio: u64,
    digits: u32,
}

impl Scale {
    /// Returns the conversion to a scale that is larger by `digits`, or smaller for negative `digits`.
    fn decimal(digits: i32) -> Scale {
        let operation = if digits >= 0 { ScaleOperation::Multiply } else { ScaleOperation::Divide };
        Scale { operation, ratio: 1, digits: digits.unsigned_abs() }
    }

    /// Returns the conversion from ticks of `from` nanoseconds to ticks of `to` nanoseconds.
    fn ticks(from: u64, to: u64) -> Scale {
        let operation = if from >= to { ScaleOperation::Multiply } else { ScaleOperation::DivideFloor };
        Scale { operation, ratio: if from >= to { from / to } else { to / from }, digits: 0 }
    }

    /// Returns the factor in 256 bits. The factor of a multiplication wraps. Returns `None` for a divisor of more than
    /// 76 digits, which does not fit.
    fn factor(self) -> Option<i256> {
        let power = match self.operation {
            ScaleOperation::Multiply => i256::from_i128(10).wrapping_pow(self.digits),
            _ if self.digits <= 76 => i256::from_i128(10).wrapping_pow(self.digits),
            _ => return None,
        };
        Some(power.wrapping_mul(i256::from_i128(i128::from(self.ratio))))
    }

    /// Returns the operation and the factor for exact results. The largest 256-bit number takes the place of a factor
    /// that does not fit. The results stay right: the product of any value but 0 does not fit either, and every
    /// quotient is 0.
    pub fn exact(self) -> (ScaleOperation, i256) {
        match self.operation {
            ScaleOperation::Multiply if self.digits > 76 => (ScaleOperation::Multiply, i256::MAX),
            operation => (operation, self.factor().unwrap_or(i256::MAX)),
        }
    }

    /// Returns the operation and the factor for 64-bit integers of type `from`. The factor of a multiplication wraps. A
    /// division by more than every value of the type becomes a multiplication by 0.
    pub fn in_64_bits(self, from: PhysicalType) -> (ScaleOperation, u64) {
        let most = if from == PhysicalType::U64 { i128::from(u64::MAX) } else { i128::from(i64::MAX) };
        match (self.operation, self.factor()) {
            (ScaleOperation::Multiply, Some(factor)) => (ScaleOperation::Multiply, factor.as_i128() as u64),
            (operation, Some(factor)) if factor <= i256::from_i128(most) => (operation, factor.as_i128() as u64),
            _ => (ScaleOperation::Multiply, 0),
        }
    }

    /// Returns the operation and the factor for 128-bit integers, by the same rule as
    /// [`in_64_bits`](Self::in_64_bits).
    pub fn in_128_bits(self) -> (ScaleOperation, i128) {
        match (self.operation, self.factor()) {
            (ScaleOperation::Multiply, Some(factor)) => (ScaleOperation::Multiply, factor.as_i128()),
            (operation, Some(factor)) if factor <= i256::from_i128(i128::MAX) => (operation, factor.as_i128()),
            _ => (ScaleOperation::Multiply, 0),
        }
    }

    /// Returns the operation and the factor for 256-bit integers, by the same rule as [`in_64_bits`](Self::in_64_bits),
    /// and the exponent of the factor's power of ten.
    pub fn in_256_bits(self) -> (ScaleOperation, i256, i32) {
        match self.factor() {
            Some(factor) => (self.operation, factor, self.digits as i32),
            None => (ScaleOperation::Multiply, i256::ZERO, 0),
        }
    }
}

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
    /// Returns the plan of the cast between two types, or `None` if there is no such cast.
    pub fn new(from: &DataType, to: &DataType) -> Option<CastPlan> {
        use Class::{Boolean, Bytes, Decimal, Duration, Float, Integer, Moment, Text, TimeOfDay};
        if same_type(from, to) {
            return Some(CastPlan::Relabel);
        }
        if let DataType::Dictionary(_, values) = from {
            let of_bytes = matches!(Class::of(values), Some(Class::Text | Class::Bytes));
            let is_decoded = same_type(values, to) || of_bytes && CastPlan::new(values, to).is_some();
            return is_decoded.then_some(CastPlan::Decode);
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

/// Returns the types of keys and values if a cast from one type to another encodes rows as a dictionary of distinct
/// values. A dictionary that has the type already is not encoded.
pub fn encoded_types<'t>(from: &DataType, to: &'t DataType) -> Option<(&'t DataType, &'t DataType)> {
    let DataType::Dictionary(key_type, values) = to else { return None };
    let (abilities, decoded) = (Abilities::of(values), decoded_type(from));
    let is_value = abilities.sortable && !abilities.encoded;
    let is_cast = same_type(decoded, values) || CastPlan::new(decoded, values).is_some();
    (!same_type(from, to) && is_integral(key_type) && is_value && is_cast).then_some((&**key_type, &**values))
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
        assert_eq!(up.in_64_bits(PhysicalType::I64), (ScaleOperation::Multiply, 1000));
        let down = scaled(&Decimal128(38, 5), &Int16);
        assert_eq!(down.in_128_bits(), (ScaleOperation::Divide, 100_000));
        let far = scaled(&Decimal64(18, 18), &Decimal64(18, -18));
        assert_eq!(far.in_64_bits(PhysicalType::I64), (ScaleOperation::Multiply, 0));
        assert_eq!(far.in_128_bits(), (ScaleOperation::Divide, 10_i128.pow(36)));
        assert_eq!(
            scaled(&UInt64, &Decimal64(18, -19)).in_64_bits(PhysicalType::U64),
            (ScaleOperation::Divide, 10_u64.pow(19))
        );
        let beyond = scaled(&Decimal256(76, 76), &Decimal256(76, -76));
        assert_eq!(beyond.in_256_bits(), (ScaleOperation::Multiply, i256::ZERO, 0));
        let days = scaled(&Timestamp(TimeUnit::Nanosecond, None), &Date32);
        assert_eq!(days.in_64_bits(PhysicalType::I64), (ScaleOperation::DivideFloor, DAY));
        assert_eq!(scaled(&Date32, &Date64).in_64_bits(PhysicalType::I64), (ScaleOperation::Multiply, 86_400_000));
        assert_eq!(scaled(&Int8, &Decimal128(38, 0)).in_128_bits(), (ScaleOperation::Multiply, 1));
    }

    #[test]
    fn dictionaries_of_text_become_text_of_every_layout() {
        use DataType::*;
        let dictionary = |values: DataType| Dictionary(Box::new(UInt8), Box::new(values));
        for (values, to) in
            [(LargeUtf8, Utf8), (Utf8View, Utf8), (Utf8, LargeUtf8), (Utf8, Utf8View), (BinaryView, LargeBinary)]
        {
            assert_eq!(CastPlan::new(&dictionary(values), &to), Some(CastPlan::Decode), "{to}");
        }
        for (values, to) in [(Binary, Utf8), (Utf8, Int32), (Int32, Int64), (Utf8, dictionary(LargeUtf8))] {
            assert_eq!(CastPlan::new(&dictionary(values), &to), None, "{to}");
        }
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
