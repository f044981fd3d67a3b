//! The common types of columns that have other types in other files of a folder.

use std::sync::Arc;

use arrow_schema::{DECIMAL128_MAX_PRECISION, DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};
use gdf_core::layout::same_named_type;

use crate::merge::{merged_field, merged_type};
use crate::names;

/// Returns a type that has all values of both types, or `None` if there is no such type.
///
/// - Integers get the width of the wider type, and a sign if one of them has a sign.
/// - Floats get the wider width. An integer and a float have a common type if the float has all integers.
/// - Times get the finer unit. Their time zones must be the same.
/// - Text and binary get plain types: a dictionary and a view become text, with 64-bit offsets if a type has them.
/// - Decimals get the digits of both before and after the point.
pub(crate) fn common_type(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType as T;
    if same_named_type(a, b) {
        return Some(merged_type(a, b));
    }
    if let (Some(a), Some(b)) = (text_kind(a), text_kind(b)) {
        return (a.0 == b.0).then_some(match (a.0, a.1 || b.1) {
            (Kind::Text, false) => T::Utf8,
            (Kind::Text, true) => T::LargeUtf8,
            (Kind::Binary, false) => T::Binary,
            (Kind::Binary, true) => T::LargeBinary,
        });
    }
    match (a, b) {
        (T::Null, other) | (other, T::Null) => Some(other.clone()),
        (T::Dictionary(_, values), other) | (other, T::Dictionary(_, values)) if text_kind(values).is_none() => {
            common_type(values, other)
        }
        (T::Timestamp(one, zone), T::Timestamp(other, also)) if zone == also => {
            Some(T::Timestamp(finer(*one, *other), zone.clone()))
        }
        (T::Time32(one) | T::Time64(one), T::Time32(other) | T::Time64(other)) => Some(match finer(*one, *other) {
            unit @ (TimeUnit::Second | TimeUnit::Millisecond) => T::Time32(unit),
            unit => T::Time64(unit),
        }),
        (T::Duration(one), T::Duration(other)) => Some(T::Duration(finer(*one, *other))),
        (T::Date32, T::Date64) | (T::Date64, T::Date32) => Some(T::Date64),
        (T::List(a), T::List(b)) => Some(T::List(common_field(a, b)?)),
        (T::LargeList(a) | T::List(a), T::LargeList(b) | T::List(b)) => Some(T::LargeList(common_field(a, b)?)),
        (T::FixedSizeList(a, size), T::FixedSizeList(b, other)) if size == other => {
            Some(T::FixedSizeList(common_field(a, b)?, *size))
        }
        (T::Struct(a), T::Struct(b)) if a.len() == b.len() => {
            Some(T::Struct(a.iter().zip(b).map(|(a, b)| common_field(a, b)).collect::<Option<_>>()?))
        }
        _ => common_number(a, b).or_else(|| common_decimal(a, b)),
    }
}

/// Returns the first field with the common type of both. The names must be the same.
fn common_field(a: &FieldRef, b: &FieldRef) -> Option<FieldRef> {
    if a.name() != b.name() {
        return None;
    }
    let is_nullable = a.is_nullable() || b.is_nullable();
    let data_type = common_type(a.data_type(), b.data_type())?;
    Some(Arc::new(Field::clone(a).with_nullable(is_nullable).with_data_type(data_type)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Binary,
}

/// Returns whether the values are text or binary, and whether they have 64-bit offsets.
fn text_kind(data_type: &DataType) -> Option<(Kind, bool)> {
    match data_type {
        DataType::Utf8 | DataType::Utf8View => Some((Kind::Text, false)),
        DataType::LargeUtf8 => Some((Kind::Text, true)),
        DataType::Binary | DataType::BinaryView => Some((Kind::Binary, false)),
        DataType::LargeBinary => Some((Kind::Binary, true)),
        DataType::Dictionary(_, values) => text_kind(values),
        _ => None,
    }
}

fn finer(one: TimeUnit, other: TimeUnit) -> TimeUnit {
    one.max(other)
}

fn common_number(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType as T;
    let bits = |data_type: &DataType| gdf_core::width(data_type).map(|bytes| 8 * bytes);
    let wide = bits(a)?.max(bits(b)?);
    let signed = |bits: usize| match bits {
        8 => Some(T::Int8),
        16 => Some(T::Int16),
        32 => Some(T::Int32),
        64 => Some(T::Int64),
        _ => None,
    };
    let is_float = gdf_core::is_floating;
    match (a.is_integer(), b.is_integer()) {
        (true, true) => match (a.is_unsigned_integer(), b.is_unsigned_integer()) {
            (false, false) => signed(wide),
            (true, true) => Some(if bits(a) == Some(wide) { a.clone() } else { b.clone() }),
            (is_unsigned, _) => {
                let (unsigned, with_sign) = if is_unsigned { (a, b) } else { (b, a) };
                signed((2 * bits(unsigned)?).max(bits(with_sign)?))
            }
        },
        (false, false) if is_float(a) && is_float(b) => Some(if bits(a) == Some(wide) { a.clone() } else { b.clone() }),
        (true, false) | (false, true) if is_float(a) || is_float(b) => {
            let (integer, float) = if a.is_integer() { (a, b) } else { (b, a) };
            let digits = |data_type: &DataType| match bits(data_type) {
                Some(16) => 11,
                Some(32) => 24,
                _ => 53,
            };
            // A float has all integers with as many bits as its significand.
            let needed = bits(integer)?;
            [float, &T::Float32, &T::Float64]
                .into_iter()
                .find(|float_type| digits(float_type) >= needed && bits(float_type) >= bits(float))
                .cloned()
        }
        _ => None,
    }
}

fn common_decimal(a: &DataType, b: &DataType) -> Option<DataType> {
    let (Some((_, precision, scale)), Some((_, other, other_scale))) =
        (gdf_core::decimal_parts(a), gdf_core::decimal_parts(b))
    else {
        return None;
    };
    let before = (i16::from(precision) - i16::from(scale)).max(i16::from(other) - i16::from(other_scale));
    let scale = scale.max(other_scale);
    let precision = u8::try_from(before + i16::from(scale)).ok()?;
    (precision <= DECIMAL128_MAX_PRECISION).then_some(DataType::Decimal128(precision, scale))
}

/// Returns the first schema with the common types of the columns that both schemas have. Columns without a common type
/// keep their type.
#[cfg(any(feature = "csv", feature = "json", feature = "ipc"))]
pub(crate) fn common_schema(
    first: &SchemaRef,
    other: &Schema,
    common: impl Fn(&DataType, &DataType) -> Option<DataType>,
) -> SchemaRef {
    let names_of = |schema: &Schema| schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    let (known, found) = (names_of(first), names_of(other));
    let of_field = |(index, field): (usize, &FieldRef)| {
        // The path occurs only in the error, which is dropped.
        let place = names::matching(&known, index, &found, std::path::Path::new("")).ok();
        let other = place.map(|place| other.field(place));
        let data_type = other.and_then(|other| common(field.data_type(), other.data_type()));
        match (other, data_type) {
            (Some(other), Some(data_type)) if same_named_type(field.data_type(), &data_type) => {
                let field = merged_field(field, other);
                Arc::new(Field::clone(&field).with_data_type(merged_type(field.data_type(), &data_type)))
            }
            (Some(other), Some(data_type)) => {
                let is_nullable = field.is_nullable() || other.is_nullable();
                Arc::new(Field::clone(field).with_nullable(is_nullable).with_data_type(data_type))
            }
            _ => field.clone(),
        }
    };
    let fields: Vec<FieldRef> = first.fields().iter().enumerate().map(of_field).collect();
    if fields[..] == first.fields()[..] {
        return first.clone();
    }
    Arc::new(Schema::new_with_metadata(fields, first.metadata().clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_types_have_all_values() {
        use DataType::*;
        let micros = |zone: Option<&str>| Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
        let coded = |values: DataType| Dictionary(Box::new(Int8), Box::new(values));
        let list = |item: DataType| List(Arc::new(Field::new_list_field(item, true)));
        let point = |fields: &[(&str, DataType)]| {
            Struct(fields.iter().map(|(name, of)| Field::new(*name, of.clone(), true)).collect())
        };
        for (a, b, expected) in [
            (Int32, Int64, Some(Int64)),
            (UInt8, UInt32, Some(UInt32)),
            (UInt8, Int8, Some(Int16)),
            (UInt32, Int16, Some(Int64)),
            (UInt64, Int64, None),
            (Float32, Float64, Some(Float64)),
            (Int32, Float64, Some(Float64)),
            (Int32, Float32, Some(Float64)),
            (Int16, Float32, Some(Float32)),
            (Int64, Float64, None),
            (Utf8, LargeUtf8, Some(LargeUtf8)),
            (coded(Utf8), Utf8, Some(Utf8)),
            (coded(Utf8), Dictionary(Box::new(Int32), Box::new(LargeUtf8)), Some(LargeUtf8)),
            (coded(Int32), Int64, Some(Int64)),
            (Utf8View, BinaryView, None),
            (Utf8, Int64, None),
            (Null, Int64, Some(Int64)),
            (micros(None), Timestamp(TimeUnit::Nanosecond, None), Some(Timestamp(TimeUnit::Nanosecond, None))),
            (micros(None), Timestamp(TimeUnit::Nanosecond, Some("UTC".into())), None),
            (Time32(TimeUnit::Second), Time64(TimeUnit::Nanosecond), Some(Time64(TimeUnit::Nanosecond))),
            (Decimal128(9, 2), Decimal128(12, 6), Some(Decimal128(13, 6))),
            (Decimal128(38, 2), Decimal128(38, 6), None),
            (list(Int32), list(Int64), Some(list(Int64))),
            (list(Int32), Int64, None),
            (
                point(&[("x", Int32), ("y", Float32)]),
                point(&[("x", Int64), ("y", Float64)]),
                Some(point(&[("x", Int64), ("y", Float64)])),
            ),
            (point(&[("x", Int32)]), point(&[("x", Int64), ("y", Int32)]), None),
            (point(&[("x", Int32)]), point(&[("y", Int64)]), None),
        ] {
            assert_eq!(common_type(&a, &b), expected, "{a} {b}");
            assert_eq!(common_type(&b, &a), expected, "{b} {a}");
        }
    }
}
