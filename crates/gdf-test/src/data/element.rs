//! Makes one random element of a type: a special value, a value from a small range, or a value from the whole range.

use arrow_buffer::i256;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use half::f16;
use rand::Rng;
use rand::rngs::SmallRng;

use crate::value::Value;

enum Kind {
    Special,
    Small,
    Wide,
}

fn kind(rng: &mut SmallRng) -> Kind {
    match rng.random_range(0..4) {
        0 => Kind::Special,
        1 => Kind::Wide,
        _ => Kind::Small,
    }
}

pub(super) fn random(data_type: &DataType, rng: &mut SmallRng) -> Value {
    match data_type {
        DataType::Boolean => Value::Bool(rng.random()),
        DataType::Int8 => int(rng, i8::MIN.into(), i8::MAX.into()),
        DataType::Int16 => int(rng, i16::MIN.into(), i16::MAX.into()),
        DataType::Int32 | DataType::Date32 => int(rng, i32::MIN.into(), i32::MAX.into()),
        DataType::Int64 | DataType::Timestamp(_, _) | DataType::Duration(_) => {
            int(rng, i64::MIN.into(), i64::MAX.into())
        }
        DataType::UInt8 => unsigned(rng, u8::MAX.into()),
        DataType::UInt16 => unsigned(rng, u16::MAX.into()),
        DataType::UInt32 => unsigned(rng, u32::MAX.into()),
        DataType::UInt64 => unsigned(rng, u64::MAX),
        DataType::Float16 => Value::F16(half(rng)),
        DataType::Float32 => Value::F32(single(rng)),
        DataType::Float64 => Value::F64(double(rng)),
        DataType::Decimal32(precision, _)
        | DataType::Decimal64(precision, _)
        | DataType::Decimal128(precision, _)
        | DataType::Decimal256(precision, _) => decimal(rng, *precision),
        // The value is a multiple of the milliseconds of a day, because the value must be a valid date.
        DataType::Date64 => match int(rng, -106_751_991, 106_751_991) {
            Value::Int(days) => Value::Int(days * 86_400_000),
            other => other,
        },
        DataType::Time32(unit) | DataType::Time64(unit) => int(rng, 0, 86_400 * per_second(*unit) - 1),
        DataType::Interval(IntervalUnit::YearMonth) => int(rng, i32::MIN.into(), i32::MAX.into()),
        DataType::Interval(IntervalUnit::DayTime) => {
            Value::Interval { months: 0, days: rng.random(), nanoseconds: i64::from(rng.random::<i32>()) * 1_000_000 }
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            Value::Interval { months: rng.random(), days: rng.random(), nanoseconds: rng.random() }
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Value::Str(string(rng)),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            let len = length(rng, 20);
            Value::Bytes(bytes(rng, len))
        }
        DataType::FixedSizeBinary(width) => Value::Bytes(bytes(rng, size(*width))),
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::Map(field, _) => {
            let len = length(rng, 5);
            list(rng, field.data_type(), field.is_nullable(), len)
        }
        DataType::FixedSizeList(field, width) => list(rng, field.data_type(), field.is_nullable(), size(*width)),
        DataType::Struct(fields) => {
            Value::Struct(fields.iter().map(|field| nullable(rng, field.data_type(), field.is_nullable())).collect())
        }
        // The dictionary has few distinct values, because the keys may have only 8 bits.
        DataType::Dictionary(_, value) => match random(value, rng) {
            Value::Str(value) => Value::Str(value.chars().take(1).filter(|c| *c < 'e').collect()),
            Value::Int(value) => Value::Int(value.rem_euclid(16)),
            Value::UInt(value) => Value::UInt(value % 16),
            other => other,
        },
        DataType::RunEndEncoded(_, field) => match random(field.data_type(), rng) {
            Value::Int(value) => Value::Int(value.rem_euclid(3)),
            other => other,
        },
        DataType::Union(fields, _) => {
            let choice = rng.random_range(0..fields.len().max(1));
            match fields.iter().nth(choice) {
                Some((id, field)) => Value::Union(id, Box::new(nullable(rng, field.data_type(), true))),
                None => Value::Union(0, Box::new(None)),
            }
        }
        DataType::Null => Value::Bool(false),
    }
}

fn nullable(rng: &mut SmallRng, data_type: &DataType, nullable: bool) -> Option<Value> {
    let null = matches!(data_type, DataType::Null) || (nullable && rng.random_range(0..5) == 0);
    let value = random(data_type, rng);
    (!null).then_some(value)
}

fn list(rng: &mut SmallRng, element: &DataType, may_be_null: bool, len: usize) -> Value {
    Value::List((0..len).map(|_| nullable(rng, element, may_be_null)).collect())
}

fn size(width: i32) -> usize {
    usize::try_from(width).unwrap_or_default()
}

/// Returns a random length of at most `most`.
fn length(rng: &mut SmallRng, most: usize) -> usize {
    match kind(rng) {
        Kind::Special => 0,
        Kind::Small => rng.random_range(0..=most.min(6)),
        Kind::Wide => rng.random_range(0..=most),
    }
}

fn per_second(unit: TimeUnit) -> i128 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

fn int(rng: &mut SmallRng, min: i128, max: i128) -> Value {
    let value = match kind(rng) {
        Kind::Special => [min, max, min + 1, max - 1, 0, 1, -1][rng.random_range(0..7)].clamp(min, max),
        Kind::Small => rng.random_range(-10..=10).clamp(min, max),
        Kind::Wide => rng.random_range(min..=max),
    };
    Value::Int(value)
}

fn unsigned(rng: &mut SmallRng, max: u64) -> Value {
    Value::UInt(match kind(rng) {
        Kind::Special => [0, 1, max, max - 1, max / 2, max / 2 + 1][rng.random_range(0..6)],
        Kind::Small => rng.random_range(0..=20),
        Kind::Wide => rng.random_range(0..=max),
    })
}

fn decimal(rng: &mut SmallRng, precision: u8) -> Value {
    let ten = i256::from_i128(10);
    let mut max = i256::ONE;
    for _ in 0..precision {
        max = max.wrapping_mul(ten);
    }
    let max = max.wrapping_sub(i256::ONE);
    Value::Decimal(match kind(rng) {
        Kind::Special => {
            let zero = i256::ZERO;
            [max, zero.wrapping_sub(max), zero, i256::ONE, i256::MINUS_ONE][rng.random_range(0..5)]
        }
        Kind::Small => i256::from_i128(rng.random_range(-10..=10)),
        Kind::Wide => {
            // The remainder has the sign of the dividend, and its absolute value is less than `max`.
            let bits = i256::from_parts(rng.random(), rng.random());
            bits.wrapping_rem(max)
        }
    })
}

fn half(rng: &mut SmallRng) -> f16 {
    match kind(rng) {
        Kind::Special => {
            let bits = [0x7e00, 0x7e01, 0xfe00, 0x8000, 0, 0x7c00, 0xfc00, 0x7bff, 0xfbff, 1];
            f16::from_bits(bits[rng.random_range(0..bits.len())])
        }
        Kind::Small => f16::from_f32(rng.random_range(-10i8..=10).into()),
        Kind::Wide => f16::from_bits(rng.random()),
    }
}

fn single(rng: &mut SmallRng) -> f32 {
    let special = [
        f32::NAN,
        f32::from_bits(0x7fc0_1234),
        f32::from_bits(0xffc0_0001),
        -0.0,
        0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MIN,
        f32::MAX,
        f32::MIN_POSITIVE,
        f32::from_bits(1),
    ];
    match kind(rng) {
        Kind::Special => special[rng.random_range(0..special.len())],
        Kind::Small => f32::from(rng.random_range(-20i8..=20)) / 2.0,
        Kind::Wide => f32::from_bits(rng.random()),
    }
}

fn double(rng: &mut SmallRng) -> f64 {
    let special = [
        f64::NAN,
        f64::from_bits(0x7ff8_0000_dead_beef),
        f64::from_bits(0xfff8_0000_0000_0001),
        -0.0,
        0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
    ];
    match kind(rng) {
        Kind::Special => special[rng.random_range(0..special.len())],
        Kind::Small => f64::from(rng.random_range(-20i8..=20)) / 2.0,
        Kind::Wide => f64::from_bits(rng.random()),
    }
}

fn string(rng: &mut SmallRng) -> String {
    // The special strings have these properties: they are longer than the 12 bytes that a view holds inline, have
    // characters of several bytes, have a zero byte, are a prefix of another string, or have the largest code point.
    const SPECIAL: [&str; 8] =
        ["", "é", "日本語テキスト", "🦀🦀🦀🦀", "a\0b", "prefix", "prefix and a longer tail", "\u{10ffff}"];
    const LETTERS: [char; 9] = ['a', 'b', 'c', 'A', ' ', '0', 'ß', 'Ж', '漢'];
    match kind(rng) {
        Kind::Special => SPECIAL[rng.random_range(0..SPECIAL.len())].to_owned(),
        Kind::Small => {
            let len = rng.random_range(0..3);
            (0..len).map(|_| LETTERS[rng.random_range(0..3)]).collect()
        }
        Kind::Wide => {
            let len = rng.random_range(0..24);
            (0..len).map(|_| LETTERS[rng.random_range(0..LETTERS.len())]).collect()
        }
    }
}

fn bytes(rng: &mut SmallRng, len: usize) -> Vec<u8> {
    let top = if rng.random() { 2 } else { 255 };
    (0..len).map(|_| rng.random_range(0..=top)).collect()
}
