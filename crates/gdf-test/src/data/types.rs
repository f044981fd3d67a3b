//! Lists of types for cases that run on several types.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, IntervalUnit, TimeUnit, UnionMode};

const UNITS: [TimeUnit; 4] = [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];

/// Returns the eight integer types.
pub fn integral() -> Vec<DataType> {
    use DataType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    vec![Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64]
}

/// Returns the float types of half, single and double precision.
pub fn floating() -> Vec<DataType> {
    vec![DataType::Float16, DataType::Float32, DataType::Float64]
}

/// Returns the integer types and the float types.
pub fn numeric() -> Vec<DataType> {
    [integral(), floating()].concat()
}

/// Returns decimal types with each of the four widths. The scales are positive, zero and negative.
pub fn decimal() -> Vec<DataType> {
    vec![
        DataType::Decimal32(9, 2),
        DataType::Decimal64(18, 4),
        DataType::Decimal128(38, 10),
        DataType::Decimal128(12, 2),
        DataType::Decimal128(20, -3),
        DataType::Decimal256(76, 0),
    ]
}

/// Returns the types of dates, times, timestamps (with and without time zone) and durations.
pub fn temporal() -> Vec<DataType> {
    let mut types = vec![
        DataType::Date32,
        DataType::Date64,
        DataType::Time32(TimeUnit::Second),
        DataType::Time32(TimeUnit::Millisecond),
        DataType::Time64(TimeUnit::Microsecond),
        DataType::Time64(TimeUnit::Nanosecond),
    ];
    types.extend(UNITS.map(|unit| DataType::Timestamp(unit, None)));
    types.push(DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())));
    types.extend(UNITS.map(DataType::Duration));
    types
}

/// Returns all types whose elements have a fixed width of whole bytes, and the boolean type.
pub fn fixed_width() -> Vec<DataType> {
    let others = vec![
        DataType::Boolean,
        DataType::Interval(IntervalUnit::YearMonth),
        DataType::Interval(IntervalUnit::DayTime),
        DataType::Interval(IntervalUnit::MonthDayNano),
        DataType::FixedSizeBinary(5),
        DataType::FixedSizeBinary(16),
    ];
    [numeric(), decimal(), temporal(), others].concat()
}

/// Returns the string and binary types with offsets of both widths.
pub fn strings() -> Vec<DataType> {
    vec![DataType::Utf8, DataType::LargeUtf8, DataType::Binary, DataType::LargeBinary]
}

/// Returns the types whose rows are ordered and have a single value: numbers, decimals, dates, times, durations, text,
/// bytes and booleans.
pub fn ordered() -> Vec<DataType> {
    [numeric(), decimal(), temporal(), strings(), vec![DataType::Boolean]].concat()
}

/// Returns the string, binary and list types in the view layouts.
pub fn views() -> Vec<DataType> {
    vec![
        DataType::Utf8View,
        DataType::BinaryView,
        DataType::ListView(item(DataType::Int32)),
        DataType::LargeListView(item(DataType::Utf8)),
    ]
}

/// Returns list, map, struct and dictionary types. Some of these types contain others.
pub fn nested() -> Vec<DataType> {
    let entries =
        Fields::from(vec![Field::new("keys", DataType::Utf8, false), Field::new("values", DataType::Int32, true)]);
    let pair = Fields::from(vec![Field::new("a", DataType::Int64, true), Field::new("b", DataType::Utf8, true)]);
    vec![
        DataType::List(item(DataType::Int32)),
        DataType::List(item(DataType::Utf8)),
        DataType::LargeList(item(DataType::Boolean)),
        DataType::LargeList(item(DataType::LargeUtf8)),
        DataType::List(item(DataType::List(item(DataType::Float64)))),
        DataType::FixedSizeList(item(DataType::Int16), 3),
        DataType::FixedSizeList(item(DataType::Utf8), 2),
        DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entries), false)), false),
        DataType::Struct(pair.clone()),
        DataType::List(item(DataType::Struct(pair.clone()))),
        DataType::Struct(Fields::from(vec![
            Field::new("inner", DataType::Struct(pair), true),
            Field::new("list", DataType::List(item(DataType::UInt8)), true),
        ])),
        DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8)),
        DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Int64)),
    ]
}

/// Returns types whose rows can be keys in sorts, groups and joins, although the types are not in [`ordered`]: structs,
/// lists and bytes of a fixed size.
pub fn nested_keys() -> Vec<DataType> {
    let one = Fields::from(vec![Field::new("a", DataType::Int16, true)]);
    let other = [DataType::FixedSizeBinary(5), DataType::List(item(DataType::List(item(DataType::Int8))))];
    let other = other.into_iter().chain([DataType::Struct(one)]);
    let no_order = |data_type: &DataType| match data_type {
        DataType::FixedSizeList(..) | DataType::Dictionary(..) => false,
        DataType::List(field) => *field != item(DataType::List(item(DataType::Float64))),
        _ => true,
    };
    nested().into_iter().filter(no_order).chain(other).collect()
}

/// Returns sparse and dense union types. The type ids differ from the positions of the children.
pub fn unions() -> Vec<DataType> {
    let fields = [
        (3, Arc::new(Field::new("number", DataType::Int32, true))),
        (70, Arc::new(Field::new("text", DataType::Utf8, true))),
    ];
    let of = |mode| DataType::Union(fields.iter().cloned().collect(), mode);
    vec![of(UnionMode::Sparse), of(UnionMode::Dense)]
}

/// Returns at least one type of every kind that a column can have.
pub fn all() -> Vec<DataType> {
    let others = vec![
        DataType::Null,
        DataType::RunEndEncoded(
            Arc::new(Field::new("run_ends", DataType::Int32, false)),
            Arc::new(Field::new("values", DataType::Int64, true)),
        ),
    ];
    [fixed_width(), strings(), views(), nested(), unions(), others].concat()
}

fn item(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new("item", data_type, true))
}
