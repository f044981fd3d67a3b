//! The types that each operator supports, and the types of the results. Both follow the documentation of `gdf-api`.
//!
//! The test cases are made from these tables, and never from the types that the implementation accepts.

use std::sync::Arc;

use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};
use gdf_api::binaryop::BinaryOperator;
use gdf_api::datetime::Component;
use gdf_api::groupby::{GroupByAggregation, NullPolicy};
use gdf_api::reduction::ReduceAggregation;
use gdf_api::unary::UnaryOperator;
use gdf_core::same_type;

/// The properties of a type that the documented rules use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldKind {
    Boolean,
    Integer {
        signed: bool,
        bits: u32,
    },
    Float {
        bits: u32,
    },
    Decimal {
        bits: u32,
        precision: i32,
        scale: i32,
    },
    Date {
        days: bool,
    },
    Time(TimeUnit),
    Timestamp {
        unit: TimeUnit,
        zone: bool,
    },
    Duration(TimeUnit),
    /// Intervals of months have an order.
    Months,
    Interval,
    Text,
    Bytes,
    Other,
}

fn kind(data_type: &DataType) -> FieldKind {
    let decimal = |bits, precision: &u8, scale: &i8| FieldKind::Decimal {
        bits,
        precision: i32::from(*precision),
        scale: i32::from(*scale),
    };
    match data_type {
        DataType::Boolean => FieldKind::Boolean,
        DataType::Int8 => FieldKind::Integer { signed: true, bits: 8 },
        DataType::Int16 => FieldKind::Integer { signed: true, bits: 16 },
        DataType::Int32 => FieldKind::Integer { signed: true, bits: 32 },
        DataType::Int64 => FieldKind::Integer { signed: true, bits: 64 },
        DataType::UInt8 => FieldKind::Integer { signed: false, bits: 8 },
        DataType::UInt16 => FieldKind::Integer { signed: false, bits: 16 },
        DataType::UInt32 => FieldKind::Integer { signed: false, bits: 32 },
        DataType::UInt64 => FieldKind::Integer { signed: false, bits: 64 },
        DataType::Float16 => FieldKind::Float { bits: 16 },
        DataType::Float32 => FieldKind::Float { bits: 32 },
        DataType::Float64 => FieldKind::Float { bits: 64 },
        DataType::Decimal32(precision, scale) => decimal(32, precision, scale),
        DataType::Decimal64(precision, scale) => decimal(64, precision, scale),
        DataType::Decimal128(precision, scale) => decimal(128, precision, scale),
        DataType::Decimal256(precision, scale) => decimal(256, precision, scale),
        DataType::Date32 => FieldKind::Date { days: true },
        DataType::Date64 => FieldKind::Date { days: false },
        DataType::Time32(unit) | DataType::Time64(unit) => FieldKind::Time(*unit),
        DataType::Timestamp(unit, zone) => FieldKind::Timestamp { unit: *unit, zone: zone.is_some() },
        DataType::Duration(unit) => FieldKind::Duration(*unit),
        DataType::Interval(IntervalUnit::YearMonth) => FieldKind::Months,
        DataType::Interval(_) => FieldKind::Interval,
        DataType::Utf8 | DataType::LargeUtf8 => FieldKind::Text,
        DataType::Binary | DataType::LargeBinary => FieldKind::Bytes,
        _ => FieldKind::Other,
    }
}

impl FieldKind {
    fn is_number(self) -> bool {
        matches!(self, FieldKind::Boolean | FieldKind::Integer { .. } | FieldKind::Float { .. })
    }

    fn is_integer(self) -> bool {
        matches!(self, FieldKind::Integer { .. })
    }

    /// Returns whether the values have an order.
    fn is_ordered(self) -> bool {
        !matches!(self, FieldKind::Interval | FieldKind::Other)
    }
}

fn integer(signed: bool, bits: u32) -> DataType {
    match (signed, bits) {
        (true, 8) => DataType::Int8,
        (true, 16) => DataType::Int16,
        (true, 32) => DataType::Int32,
        (true, _) => DataType::Int64,
        (false, 8) => DataType::UInt8,
        (false, 16) => DataType::UInt16,
        (false, 32) => DataType::UInt32,
        (false, _) => DataType::UInt64,
    }
}

/// Returns the common type of two numbers.
fn common(lhs: FieldKind, rhs: FieldKind) -> Option<DataType> {
    let number = |kind| if kind == FieldKind::Boolean { FieldKind::Integer { signed: false, bits: 8 } } else { kind };
    let float = |bits| match bits {
        16 => DataType::Float16,
        32 => DataType::Float32,
        _ => DataType::Float64,
    };
    Some(match (number(lhs), number(rhs)) {
        (FieldKind::Float { bits: a }, FieldKind::Float { bits: b }) => float(a.max(b)),
        (FieldKind::Float { bits: a }, FieldKind::Integer { bits: b, .. })
        | (FieldKind::Integer { bits: b, .. }, FieldKind::Float { bits: a }) => float(a.max(2 * b)),
        (FieldKind::Integer { signed: a, bits: x }, FieldKind::Integer { signed: b, bits: y }) if a == b => {
            integer(a, x.max(y))
        }
        (FieldKind::Integer { signed: true, bits: s }, FieldKind::Integer { bits: u, .. })
        | (FieldKind::Integer { bits: u, .. }, FieldKind::Integer { bits: s, .. }) => integer(true, s.max(2 * u)),
        _ => return None,
    })
}

/// Returns the type of `lhs op rhs`, from the table of `default_output_type`.
pub(crate) fn binary_type(op: BinaryOperator, lhs: &DataType, rhs: &DataType) -> Option<DataType> {
    use BinaryOperator::*;
    let (left, right) = (kind(lhs), kind(rhs));
    let numbers = left.is_number() && right.is_number();
    match op {
        Equal | NotEqual | Less | Greater | LessEqual | GreaterEqual | NullEquals | NullNotEquals => {
            let nested = gdf_core::is_nested(lhs) && same_type(lhs, rhs) && has_order(lhs);
            return (nested || are_comparable(left, right)).then_some(DataType::Boolean);
        }
        NullMax | NullMin if lhs == rhs && matches!(left, FieldKind::Text | FieldKind::Bytes) => {
            return Some(lhs.clone());
        }
        LogicalAnd | LogicalOr | NullLogicalAnd | NullLogicalOr => return numbers.then_some(DataType::Boolean),
        _ => {}
    }
    if !numbers {
        return decimal_type(op, left, right).or_else(|| temporal_type(op, (lhs, left), (rhs, right)));
    }
    let floating = matches!(left, FieldKind::Float { .. }) || matches!(right, FieldKind::Float { .. });
    match op {
        ShiftLeft | ShiftRight | ShiftRightUnsigned => (left.is_integer() && right.is_integer()).then(|| lhs.clone()),
        IntPow if !(left.is_integer() && right.is_integer()) => None,
        BitwiseAnd | BitwiseOr | BitwiseXor if floating => None,
        BitwiseAnd | BitwiseOr | BitwiseXor | NullMax | NullMin
            if (left, right) == (FieldKind::Boolean, FieldKind::Boolean) =>
        {
            Some(DataType::Boolean)
        }
        TrueDiv | Pow | LogBase | Atan2 if !floating => Some(DataType::Float64),
        _ => common(left, right),
    }
}

/// Returns the type of `lhs op rhs` in an expression of columns, from the documentation of `Graph::bind`: a date plus
/// or minus a duration is a timestamp of the finer unit, and all other types are those of [`binary_type`].
pub(crate) fn expression_type(op: BinaryOperator, lhs: &DataType, rhs: &DataType) -> Option<DataType> {
    let moved = |date: &DataType, duration: &DataType| match (kind(date), kind(duration)) {
        (FieldKind::Date { days }, FieldKind::Duration(unit)) => {
            let own = if days { TimeUnit::Second } else { TimeUnit::Millisecond };
            Some(DataType::Timestamp(own.max(unit), None))
        }
        _ => None,
    };
    let timestamp = match op {
        BinaryOperator::Add => moved(lhs, rhs).or_else(|| moved(rhs, lhs)),
        BinaryOperator::Sub => moved(lhs, rhs),
        _ => None,
    };
    timestamp.or_else(|| binary_type(op, lhs, rhs))
}

/// Returns whether plain values of one type can be cast to another, from the table of `cast`.
pub(crate) fn is_cast(from: &DataType, to: &DataType) -> bool {
    let is_number = |of: FieldKind| of.is_number() || matches!(of, FieldKind::Decimal { .. });
    let is_moment = |of| matches!(of, FieldKind::Date { .. } | FieldKind::Timestamp { .. });
    let is_time = |of| matches!(of, FieldKind::Time(_));
    let is_duration = |of| matches!(of, FieldKind::Duration(_));
    let is_float = |of| matches!(of, FieldKind::Float { .. });
    let has_ticks = |of| is_moment(of) || is_time(of) || is_duration(of);
    let (from_kind, to_kind) = (kind(from), kind(to));
    let both = |one: &dyn Fn(FieldKind) -> bool, other: &dyn Fn(FieldKind) -> bool| {
        (one(from_kind) && other(to_kind)) || (other(from_kind) && one(to_kind))
    };
    from == to
        || (is_number(from_kind) && is_number(to_kind))
        || both(&|of| is_moment(of) || is_duration(of), &|of| is_moment(of) || is_duration(of))
        || both(&is_time, &|of| is_time(of) || is_duration(of))
        || both(&has_ticks, &FieldKind::is_integer)
        || both(&is_duration, &is_float)
}

/// Returns whether values of the type have a component, from the documentation of `Component::is_of`.
pub(crate) fn has_component(component: Component, data_type: &DataType) -> bool {
    use Component::{Hour, Microsecond, Millisecond, Minute, Nanosecond, Second};
    let of_time = matches!(component, Hour | Minute | Second | Millisecond | Microsecond | Nanosecond);
    match data_type {
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(_, None) => true,
        DataType::Timestamp(_, Some(zone)) => ["UTC", "Z", "+00:00"].contains(&&**zone),
        DataType::Time32(_) | DataType::Time64(_) => of_time,
        _ => false,
    }
}

fn are_comparable(lhs: FieldKind, rhs: FieldKind) -> bool {
    let exact = |kind: FieldKind| kind.is_integer() || matches!(kind, FieldKind::Decimal { .. });
    let local = |kind| matches!(kind, FieldKind::Date { .. } | FieldKind::Timestamp { zone: false, .. });
    let instant = |kind| matches!(kind, FieldKind::Timestamp { zone: true, .. });
    let both = |is: &dyn Fn(FieldKind) -> bool| is(lhs) && is(rhs);
    both(&FieldKind::is_number)
        || both(&exact)
        || both(&local)
        || both(&instant)
        || both(&|kind| matches!(kind, FieldKind::Time(_)))
        || both(&|kind| matches!(kind, FieldKind::Duration(_)))
        || both(&|kind| kind == FieldKind::Text)
        || both(&|kind| kind == FieldKind::Bytes)
}

/// Returns the result type for two decimals, or for a decimal and an integer.
fn decimal_type(op: BinaryOperator, lhs: FieldKind, rhs: FieldKind) -> Option<DataType> {
    use BinaryOperator::*;
    let parts = |of: FieldKind| match of {
        FieldKind::Decimal { bits, precision, scale } => Some((bits, precision, scale)),
        FieldKind::Integer { bits, signed } => Some((
            0,
            match (bits, signed) {
                (8, _) => 3,
                (16, _) => 5,
                (32, _) => 10,
                (_, true) => 19,
                (_, false) => 20,
            },
            0,
        )),
        _ => None,
    };
    let ((a, p1, s1), (b, p2, s2)) = (parts(lhs)?, parts(rhs)?);
    let bits = a.max(b);
    let most = match bits {
        0 => return None,
        32 => 9,
        64 => 18,
        128 => 38,
        _ => 76,
    };
    let larger = s1.max(s2);
    let (precision, scale) = match op {
        Add | Sub => ((p1 - s1).max(p2 - s2) + larger + 1, larger),
        Mul => (p1 + p2 + 1, s1 + s2),
        NullMax | NullMin => ((p1 - s1).max(p2 - s2) + larger, larger),
        Div => {
            let scale = (s1 + 4).min(most);
            (p1 + scale - s1 + s2, scale)
        }
        Mod | PMod | PyMod => ((p1 - s1).min(p2 - s2) + larger, larger),
        FloorDiv => (p1 - s1 + s2 + 1, 0),
        _ => return None,
    };
    if scale > most {
        return None;
    }
    let (precision, scale) = (precision.clamp(1, most).max(scale) as u8, i8::try_from(scale).ok()?);
    Some(match bits {
        32 => DataType::Decimal32(precision, scale),
        64 => DataType::Decimal64(precision, scale),
        128 => DataType::Decimal128(precision, scale),
        _ => DataType::Decimal256(precision, scale),
    })
}

/// Returns the result type for dates, times, timestamps and durations, and for a duration with an integer.
fn temporal_type(
    op: BinaryOperator,
    (lhs, left): (&DataType, FieldKind),
    (rhs, right): (&DataType, FieldKind),
) -> Option<DataType> {
    use BinaryOperator::*;
    // Arrow has no time unit of days. The unit of a date in days is therefore the second.
    let unit = |kind| match kind {
        FieldKind::Date { days: true } => Some(TimeUnit::Second),
        FieldKind::Date { days: false } => Some(TimeUnit::Millisecond),
        FieldKind::Time(unit) | FieldKind::Timestamp { unit, .. } | FieldKind::Duration(unit) => Some(unit),
        _ => None,
    };
    let duration = |kind| matches!(kind, FieldKind::Duration(_));
    match op {
        Mul | Div | FloorDiv if duration(left) && right.is_integer() => return Some(lhs.clone()),
        Mul if left.is_integer() && duration(right) => return Some(rhs.clone()),
        _ => {}
    }
    let finer = unit(left)?.max(unit(right)?);
    let same = match (left, right) {
        (FieldKind::Timestamp { zone: a, .. }, FieldKind::Timestamp { zone: b, .. }) => a == b,
        _ => std::mem::discriminant(&left) == std::mem::discriminant(&right),
    };
    match (op, left, right) {
        (Add | Sub, FieldKind::Timestamp { .. }, FieldKind::Duration(_)) => with_unit(lhs, finer),
        (Add, FieldKind::Duration(_), FieldKind::Timestamp { .. }) => with_unit(rhs, finer),
        (Sub, FieldKind::Timestamp { .. } | FieldKind::Date { .. }, _) if same => Some(DataType::Duration(finer)),
        (Add | Sub | Mod | PMod | PyMod, FieldKind::Duration(_), FieldKind::Duration(_)) => {
            Some(DataType::Duration(finer))
        }
        (Div | FloorDiv, FieldKind::Duration(_), FieldKind::Duration(_)) => Some(DataType::Int64),
        (NullMax | NullMin, ..) if same => Some(if unit(left) == Some(finer) { lhs.clone() } else { rhs.clone() }),
        _ => None,
    }
}

fn with_unit(data_type: &DataType, unit: TimeUnit) -> Option<DataType> {
    match data_type {
        DataType::Timestamp(_, zone) => Some(DataType::Timestamp(unit, zone.clone())),
        _ => None,
    }
}

/// Returns the type of `op` on a column, from the table of `unary_operation`.
pub(crate) fn unary_type(op: UnaryOperator, data_type: &DataType) -> Option<DataType> {
    use UnaryOperator::*;
    let kind = kind(data_type);
    let float = matches!(kind, FieldKind::Float { .. });
    let is_there = match op {
        Ceil | Floor => float || kind.is_integer() || matches!(kind, FieldKind::Decimal { .. }),
        Rint | Trunc => float,
        Abs => kind.is_number() || matches!(kind, FieldKind::Decimal { .. }),
        Negate => {
            let signed = matches!(kind, FieldKind::Integer { signed: true, .. });
            float || signed || matches!(kind, FieldKind::Decimal { .. } | FieldKind::Duration(_))
        }
        BitInvert => kind.is_integer(),
        BitCount => kind.is_integer() || kind == FieldKind::Boolean,
        Not => kind.is_number(),
        _ => float || kind.is_integer(),
    };
    is_there.then(|| match op {
        BitCount => DataType::Int32,
        Not => DataType::Boolean,
        _ => data_type.clone(),
    })
}

/// Returns the type to which a column is decoded: the plain type of a view, or the type of a dictionary's values.
pub(crate) fn decoded(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Utf8View => &DataType::Utf8,
        DataType::BinaryView => &DataType::Binary,
        DataType::Dictionary(_, values) => decoded(values),
        _ => data_type,
    }
}

/// Returns the default type of a reduction, from the table of `reduction::default_output_type`.
pub(crate) fn reduced_type(aggregation: ReduceAggregation, data_type: &DataType) -> Option<DataType> {
    use ReduceAggregation::*;
    let kind = kind(data_type);
    match (aggregation, kind) {
        (CountAll, _) => Some(DataType::Int64),
        (CountValid, _) => {
            let has_nulls_below = matches!(data_type, DataType::Union(..) | DataType::RunEndEncoded(..));
            (!has_nulls_below).then_some(DataType::Int64)
        }
        (NthElement { .. }, _) => Some(data_type.clone()),
        (CollectList { .. }, _) => Some(list_of(data_type)),
        (CollectSet { .. }, _) => is_key(data_type).then(|| list_of(data_type)),
        (MergeLists, _) => merged_lists(data_type),
        (MergeSets { .. }, _) => merged_lists(data_type).filter(|_| elements(data_type).is_some_and(is_key)),
        (MergeHistogram, _) => merged_histograms(data_type),
        (SumOverflow, FieldKind::Boolean | FieldKind::Integer { .. }) => Some(overflow_type()),
        (Nunique(_), _) => is_key(data_type).then_some(DataType::Int64),
        (ArgMin | ArgMax, _) => has_order(data_type).then_some(DataType::Int64),
        (Variance { .. } | Std { .. }, _) => kind.is_number().then_some(DataType::Float64),
        (Median | Quantile { .. }, FieldKind::Decimal { .. }) => Some(DataType::Float64),
        (Median | Quantile { .. }, _) => kind.is_number().then_some(DataType::Float64),
        (BitwiseAnd | BitwiseOr | BitwiseXor, FieldKind::Boolean | FieldKind::Integer { .. }) => {
            Some(data_type.clone())
        }
        (Any | All, _) if kind.is_number() => Some(DataType::Boolean),
        (Any | All, FieldKind::Decimal { .. }) => Some(DataType::Boolean),
        (Mean, FieldKind::Decimal { .. }) => Some(DataType::Float64),
        (Mean, _) if kind.is_number() => Some(DataType::Float64),
        (Min | Max, _) if has_order(data_type) => Some(data_type.clone()),
        (Sum | Product | SumOfSquares, FieldKind::Boolean | FieldKind::Integer { signed: true, .. }) => {
            Some(DataType::Int64)
        }
        (Sum | Product | SumOfSquares, FieldKind::Integer { .. }) => Some(DataType::UInt64),
        (Sum | Product | SumOfSquares, FieldKind::Float { .. }) => Some(data_type.clone()),
        (Sum, FieldKind::Decimal { bits: 256, scale, .. }) => Some(DataType::Decimal256(76, scale as i8)),
        (Sum, FieldKind::Decimal { scale, .. }) => Some(DataType::Decimal128(38, scale as i8)),
        (Sum, FieldKind::Duration(_)) => Some(data_type.clone()),
        (SumOfSquares, FieldKind::Decimal { bits: ..=128, scale, .. }) => {
            Some(DataType::Decimal128(38, i8::try_from(2 * scale).ok()?))
        }
        _ => None,
    }
}

/// Returns the type of t-digests: `struct{ list<struct{mean, weight}>, min, max }`, where all numbers are doubles.
pub fn digest_type() -> DataType {
    let fields = |fields: &[(&str, DataType)]| {
        DataType::Struct(fields.iter().map(|(name, of)| Field::new(*name, of.clone(), true)).collect())
    };
    let centroid = fields(&[("mean", DataType::Float64), ("weight", DataType::Float64)]);
    let list = DataType::List(Arc::new(Field::new_list_field(centroid, true)));
    fields(&[("centroids", list), ("min", DataType::Float64), ("max", DataType::Float64)])
}

fn list_of(data_type: &DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(data_type.clone(), true)))
}

/// Returns the type of histograms of values of the type: `list<struct{value, count}>`.
pub(crate) fn histogram_of(data_type: &DataType) -> DataType {
    let count = Field::new("count", DataType::Int64, false);
    list_of(&DataType::Struct([Field::new("value", data_type.clone(), true), count].into_iter().collect()))
}

/// Returns the type of sums that say whether they overflow.
pub(crate) fn overflow_type() -> DataType {
    let sum = Field::new("sum", DataType::Int64, true);
    DataType::Struct([sum, Field::new("overflow", DataType::Boolean, true)].into_iter().collect())
}

fn merged_histograms(data_type: &DataType) -> Option<DataType> {
    merged_lists(data_type).filter(|_| match elements(data_type) {
        Some(DataType::Struct(of)) => {
            of.len() == 2 && has_order(of[0].data_type()) && *of[1].data_type() == DataType::Int64
        }
        _ => false,
    })
}

fn elements(lists: &DataType) -> Option<&DataType> {
    match lists {
        DataType::List(of) | DataType::LargeList(of) | DataType::FixedSizeList(of, _) => Some(of.data_type()),
        _ => None,
    }
}

/// Returns the type of concatenated lists, in which lists of a fixed size have offsets.
fn merged_lists(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::FixedSizeList(of, _) => Some(DataType::List(of.clone())),
        other => elements(other).map(|_| other.clone()),
    }
}

/// Returns whether values of the type can be sorted.
fn has_order(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(of) | DataType::LargeList(of) | DataType::FixedSizeList(of, _) | DataType::Map(of, _) => {
            has_order(of.data_type())
        }
        DataType::Struct(fields) => fields.iter().all(|field| has_order(field.data_type())),
        DataType::Dictionary(_, values) => has_order(values),
        DataType::FixedSizeBinary(_) | DataType::Utf8View | DataType::BinaryView => true,
        other => kind(other).is_ordered(),
    }
}

/// Returns whether the type is neither a view nor a dictionary. Operations read the values of such a type without
/// decoding.
fn is_plain(data_type: &DataType) -> bool {
    !matches!(data_type, DataType::Utf8View | DataType::BinaryView | DataType::Dictionary(..))
}

/// Returns whether values of the type can be keys. Keys are values with an order, and intervals.
fn is_key(data_type: &DataType) -> bool {
    kind(data_type) == FieldKind::Interval || has_order(data_type)
}

/// Returns whether the type supports the policy. Only the nulls of a type with a mask can be excluded.
fn excludes(nulls: NullPolicy, data_type: &DataType) -> bool {
    let has_mask = !matches!(data_type, DataType::Null | DataType::Union(..) | DataType::RunEndEncoded(..));
    nulls == NullPolicy::Include || has_mask
}

/// Returns the type of an aggregation of groups, from the documentation of `GroupByAggregation`.
pub(crate) fn group_type(aggregation: GroupByAggregation, data_type: &DataType) -> Option<DataType> {
    use GroupByAggregation::*;
    let kind = kind(data_type);
    match (aggregation, kind) {
        (CountAll, _) => Some(DataType::Int64),
        (CountValid, _) => {
            let none = matches!(
                data_type,
                DataType::Null | DataType::Union(..) | DataType::RunEndEncoded(..) | DataType::Dictionary(..)
            );
            (!none).then_some(DataType::Int64)
        }
        (NthElement { nulls, .. }, _) => excludes(nulls, data_type).then(|| data_type.clone()),
        (CollectList { nulls }, _) => excludes(nulls, data_type).then(|| list_of(data_type)),
        (CollectSet { .. }, _) => is_key(data_type).then(|| list_of(data_type)),
        (MergeLists, _) => merged_lists(data_type),
        (MergeSets { .. }, _) => merged_lists(data_type).filter(|_| elements(data_type).is_some_and(is_key)),
        (TopK { .. }, _) => has_order(data_type).then(|| list_of(data_type)),
        (Histogram, _) => has_order(data_type).then(|| histogram_of(data_type)),
        (MergeHistogram, _) => merged_histograms(data_type),
        (SumOverflow, FieldKind::Boolean | FieldKind::Integer { .. }) => Some(overflow_type()),
        (SumOfSquares, FieldKind::Decimal { bits: ..=128, scale, .. }) => {
            Some(DataType::Decimal128(38, i8::try_from(2 * scale).ok()?))
        }
        (Product, FieldKind::Decimal { bits: ..=128, scale: 0, .. }) => Some(DataType::Decimal128(38, 0)),
        (TDigest { .. }, FieldKind::Decimal { bits: ..=128, .. }) => Some(digest_type()),
        (TDigest { .. }, _) => kind.is_number().then(digest_type),
        (MergeTDigest { .. }, _) => same_type(data_type, &digest_type()).then(digest_type),
        (Median | Quantile { .. }, FieldKind::Boolean | FieldKind::Integer { .. } | FieldKind::Float { .. }) => {
            Some(DataType::Float64)
        }
        (Nunique(_), _) => (is_plain(data_type) && is_key(data_type)).then_some(DataType::Int64),
        (Min | Max, _) => (is_plain(data_type) && has_order(data_type)).then(|| data_type.clone()),
        (ArgMin | ArgMax, _) => (is_plain(data_type) && has_order(data_type)).then_some(DataType::UInt32),
        (Sum | SumOfSquares, FieldKind::Boolean | FieldKind::Integer { .. }) => Some(DataType::Int64),
        (Product, FieldKind::Integer { .. }) => Some(DataType::Int64),
        (Sum | SumOfSquares | Product, FieldKind::Float { .. }) => Some(data_type.clone()),
        (Sum, FieldKind::Duration(_)) => Some(data_type.clone()),
        (Sum, FieldKind::Decimal { bits: ..=128, scale, .. }) => Some(DataType::Decimal128(38, scale as i8)),
        (Mean, FieldKind::Duration(_) | FieldKind::Decimal { bits: ..=128, .. }) => Some(data_type.clone()),
        (Mean | Variance { .. } | Std { .. } | M2, _) if kind.is_number() => Some(DataType::Float64),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
