//! Tests of the functions that return properties of a type, for every type of Arrow.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, IntervalUnit, TimeUnit, UnionFields, UnionMode};

use super::*;
use crate::is_nested;
use crate::layout::same_named_type;

/// Returns every type, its width if the type has a fixed width, and its alignment.
pub(crate) fn all() -> Vec<(DataType, Option<usize>, usize)> {
    let field = |t: DataType| Arc::new(Field::new("x", t, true));
    let mut types = vec![
        (DataType::Null, None, 1),
        (DataType::Boolean, None, 1),
        (DataType::Int8, Some(1), 1),
        (DataType::Int16, Some(2), 2),
        (DataType::Int32, Some(4), 4),
        (DataType::Int64, Some(8), 8),
        (DataType::UInt8, Some(1), 1),
        (DataType::UInt16, Some(2), 2),
        (DataType::UInt32, Some(4), 4),
        (DataType::UInt64, Some(8), 8),
        (DataType::Float16, Some(2), 2),
        (DataType::Float32, Some(4), 4),
        (DataType::Float64, Some(8), 8),
        (DataType::Date32, Some(4), 4),
        (DataType::Date64, Some(8), 8),
        (DataType::Time32(TimeUnit::Second), Some(4), 4),
        (DataType::Time32(TimeUnit::Millisecond), Some(4), 4),
        (DataType::Time64(TimeUnit::Microsecond), Some(8), 8),
        (DataType::Time64(TimeUnit::Nanosecond), Some(8), 8),
        (DataType::Interval(IntervalUnit::YearMonth), Some(4), 4),
        (DataType::Interval(IntervalUnit::DayTime), Some(8), 8),
        (DataType::Interval(IntervalUnit::MonthDayNano), Some(16), 16),
        (DataType::Decimal32(9, 2), Some(4), 4),
        (DataType::Decimal64(18, -2), Some(8), 8),
        (DataType::Decimal128(38, 2), Some(16), 16),
        (DataType::Decimal256(76, 2), Some(32), 16),
        (DataType::FixedSizeBinary(5), Some(5), 1),
        (DataType::FixedSizeBinary(0), Some(0), 1),
        (DataType::Utf8, None, 1),
        (DataType::LargeUtf8, None, 1),
        (DataType::Utf8View, None, 16),
        (DataType::Binary, None, 1),
        (DataType::LargeBinary, None, 1),
        (DataType::BinaryView, None, 16),
        (DataType::List(field(DataType::Int32)), None, 1),
        (DataType::LargeList(field(DataType::Int32)), None, 1),
        (DataType::ListView(field(DataType::Int32)), None, 1),
        (DataType::LargeListView(field(DataType::Int32)), None, 1),
        (DataType::FixedSizeList(field(DataType::Int32), 3), None, 1),
        (DataType::Struct(Fields::from(vec![Field::new("a", DataType::Int32, true)])), None, 1),
        (DataType::Dictionary(Box::new(DataType::UInt8), Box::new(DataType::Utf8)), None, 1),
        (DataType::RunEndEncoded(field(DataType::Int32), field(DataType::Utf8)), None, 1),
        (DataType::Map(field(DataType::Struct(Fields::empty())), false), None, 1),
    ];
    for unit in [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond] {
        types.push((DataType::Timestamp(unit, None), Some(8), 8));
        types.push((DataType::Timestamp(unit, Some("Europe/Berlin".into())), Some(8), 8));
        types.push((DataType::Duration(unit), Some(8), 8));
    }
    for mode in [UnionMode::Sparse, UnionMode::Dense] {
        let fields: UnionFields = [(3i8, field(DataType::Int32)), (7, field(DataType::Utf8))].into_iter().collect();
        types.push((DataType::Union(fields, mode), None, 1));
    }
    types
}

#[test]
fn widths_and_alignments() {
    for (data_type, expected, alignment) in all() {
        assert_eq!(width(&data_type), expected, "{data_type}");
        assert_eq!(physical_type(&data_type).alignment(), alignment, "{data_type}");
        assert_eq!(is_fixed_width(&data_type), expected.is_some(), "{data_type}");
    }
}

#[test]
fn widths_agree_with_arrow() {
    for (data_type, expected, _) in all() {
        if let Some(arrow) = data_type.primitive_width() {
            assert_eq!(expected, Some(arrow), "{data_type}");
        }
        assert_eq!(
            is_nested(&data_type),
            data_type.is_nested() && !matches!(data_type, DataType::Dictionary(..) | DataType::RunEndEncoded(..)),
            "{data_type}"
        );
        assert_eq!(is_integral(&data_type), data_type.is_integer(), "{data_type}");
        assert_eq!(is_floating(&data_type), data_type.is_floating(), "{data_type}");
        assert_eq!(is_temporal(&data_type), data_type.is_temporal(), "{data_type}");
        assert_eq!(is_numeric(&data_type), data_type.is_numeric(), "{data_type}");
    }
}

#[test]
fn a_type_is_the_same_as_itself_only() {
    let types = all();
    for (i, (a, ..)) in types.iter().enumerate() {
        for (j, (b, ..)) in types.iter().enumerate() {
            assert_eq!(same_type(a, b), i == j, "{a} {b}");
        }
    }
}

#[test]
fn names_nullability_metadata_and_precision_do_not_count() {
    let list = |name: &str, nullable, t| DataType::List(Arc::new(Field::new(name, t, nullable)));
    assert!(same_type(&list("item", true, DataType::Int8), &list("element", false, DataType::Int8)));
    assert!(!same_type(&list("item", true, DataType::Int8), &list("item", true, DataType::Int16)));
    assert!(same_type(&DataType::Decimal128(10, 2), &DataType::Decimal128(38, 2)));
    assert!(!same_type(&DataType::Decimal128(10, 2), &DataType::Decimal128(10, 3)));
    assert!(!same_type(&DataType::Decimal128(10, 2), &DataType::Decimal64(10, 2)));
    let metadata = Field::new("a", DataType::Int32, true).with_metadata([("k".into(), "v".into())].into());
    let a = DataType::Struct(Fields::from(vec![metadata]));
    let b = DataType::Struct(Fields::from(vec![Field::new("b", DataType::Int32, false)]));
    assert!(same_type(&a, &b));
    let sorted = |s| DataType::Map(Arc::new(Field::new("entries", a.clone(), false)), s);
    assert!(same_type(&sorted(true), &sorted(false)));
    assert!(!same_type(&a, &DataType::Struct(Fields::empty())));
}

#[test]
fn only_elements_of_lists_and_maps_may_have_other_names() {
    let field = |name: &str, t, nullable| Arc::new(Field::new(name, t, nullable));
    let int = |name: &str| field(name, DataType::Int32, true);
    let of_struct = |names: [&str; 2]| DataType::Struct(names.map(int).into_iter().collect());
    let map = |names: [&str; 3], value: DataType| {
        let entries = [field(names[1], DataType::Utf8, false), field(names[2], value, true)];
        DataType::Map(field(names[0], DataType::Struct(entries.into_iter().collect()), false), false)
    };
    let (xy, yx) = (of_struct(["x", "y"]), of_struct(["y", "x"]));
    let (one, other) = (["entries", "key", "value"], ["key_value", "keys", "values"]);
    assert!(same_named_type(&map(one, xy.clone()), &map(other, xy.clone())));
    assert!(same_named_type(&DataType::List(int("item")), &DataType::List(int("element"))));
    let list = |of: &DataType| DataType::List(field("item", of.clone(), true));
    assert!(!same_named_type(&xy, &yx) && !same_named_type(&list(&xy), &list(&yx)));
    assert!(!same_named_type(&map(one, xy), &map(one, yx)));
}

#[test]
fn negative_sizes_do_not_panic() {
    assert_eq!(width(&DataType::FixedSizeBinary(-1)), Some(0));
    let list = DataType::FixedSizeList(Arc::new(Field::new("x", DataType::Int8, true)), -1);
    assert_eq!(physical_type(&list), PhysicalType::FixedSizeList(0));
}
