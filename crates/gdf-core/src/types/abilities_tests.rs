//! Compares the table in the documentation of [`Abilities`] with the implementation, for every type.

use std::sync::Arc;

use arrow_schema::{DataType as T, Field, FieldRef, Fields, IntervalUnit, TimeUnit, UnionFields, UnionMode};

use super::*;

fn field(data_type: T) -> FieldRef {
    Arc::new(Field::new("x", data_type, true))
}

fn types(inner: &T) -> Vec<(&'static str, T)> {
    let unit = TimeUnit::Second;
    vec![
        ("Null", T::Null),
        ("Boolean", T::Boolean),
        ("Int8", T::Int8),
        ("Int16", T::Int16),
        ("Int32", T::Int32),
        ("Int64", T::Int64),
        ("UInt8", T::UInt8),
        ("UInt16", T::UInt16),
        ("UInt32", T::UInt32),
        ("UInt64", T::UInt64),
        ("Float16", T::Float16),
        ("Float32", T::Float32),
        ("Float64", T::Float64),
        ("Decimal32", T::Decimal32(9, 2)),
        ("Decimal64", T::Decimal64(18, 2)),
        ("Decimal128", T::Decimal128(38, 2)),
        ("Decimal256", T::Decimal256(76, 2)),
        ("Date32", T::Date32),
        ("Date64", T::Date64),
        ("Time32", T::Time32(unit)),
        ("Time64", T::Time64(TimeUnit::Nanosecond)),
        ("Timestamp", T::Timestamp(unit, None)),
        ("Duration", T::Duration(unit)),
        ("Interval(YearMonth)", T::Interval(IntervalUnit::YearMonth)),
        ("Interval(DayTime)", T::Interval(IntervalUnit::DayTime)),
        ("Interval(MonthDayNano)", T::Interval(IntervalUnit::MonthDayNano)),
        ("FixedSizeBinary", T::FixedSizeBinary(4)),
        ("Utf8", T::Utf8),
        ("LargeUtf8", T::LargeUtf8),
        ("Utf8View", T::Utf8View),
        ("Binary", T::Binary),
        ("LargeBinary", T::LargeBinary),
        ("BinaryView", T::BinaryView),
        ("List", T::List(field(inner.clone()))),
        ("LargeList", T::LargeList(field(inner.clone()))),
        ("Map", T::Map(field(T::Struct(vec![field(T::Int8), field(inner.clone())].into())), false)),
        ("ListView", T::ListView(field(inner.clone()))),
        ("LargeListView", T::LargeListView(field(inner.clone()))),
        ("FixedSizeList", T::FixedSizeList(field(inner.clone()), 2)),
        ("Struct", T::Struct(vec![field(T::Int8), field(inner.clone())].into())),
        ("Dictionary", T::Dictionary(Box::new(T::UInt8), Box::new(inner.clone()))),
        ("RunEndEncoded", T::RunEndEncoded(field(T::Int32), field(inner.clone()))),
        ("Union", T::Union([(0, field(inner.clone()))].into_iter().collect::<UnionFields>(), UnionMode::Dense)),
    ]
}

fn cells(of: Abilities) -> [String; 11] {
    let yes = |there: bool| if there { "yes".to_owned() } else { String::new() };
    let order = of.order.map_or(String::new(), |order| format!("{order:?}").to_lowercase());
    [
        yes(of.rows),
        yes(of.lists),
        yes(of.composite),
        order,
        yes(of.equality),
        yes(of.hash),
        yes(of.sortable),
        yes(of.arithmetic),
        yes(of.text),
        yes(of.nested),
        yes(of.encoded),
    ]
}

/// Parses the table in the documentation.
fn documented() -> Vec<(&'static str, Vec<&'static str>)> {
    let lines = include_str!("abilities.rs").lines().filter_map(|line| line.strip_prefix("/// | `"));
    let lines = lines.map(|line| {
        let mut parts = line.trim_end_matches('|').split('|').map(str::trim);
        (parts.next().unwrap().trim_end_matches('`'), parts.collect())
    });
    lines.collect()
}

#[test]
fn the_documented_table_is_true() {
    let documented = documented();
    assert_eq!(
        documented.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        types(&T::Int8).iter().map(|(name, _)| *name).collect::<Vec<_>>()
    );
    let one_of_each = types(&T::Int8);
    for (_, inner) in &one_of_each {
        let inside = cells(Abilities::of(inner));
        for ((name, data_type), (_, documented)) in types(inner).iter().zip(&documented) {
            let found = cells(Abilities::of(data_type));
            assert_eq!(documented.len(), found.len(), "{name}");
            for (i, (documented, found)) in documented.iter().zip(&found).enumerate() {
                let expected = match *documented {
                    // The other field of the struct is an integer. An integer has the ability `rows`, but neither
                    // the ability `lists` nor the ability `composite`.
                    "all fields" | "any field" | "values" => inside[i].as_str(),
                    says => says,
                };
                assert_eq!(found, expected, "{name} of {inner}, column {i}");
            }
        }
    }
}

#[test]
fn every_type_is_in_the_table() {
    let named: Vec<_> = types(&T::Int8).into_iter().map(|(_, data_type)| std::mem::discriminant(&data_type)).collect();
    for (data_type, ..) in super::super::data_type::tests::all() {
        assert!(named.contains(&std::mem::discriminant(&data_type)), "{data_type}");
    }
}

#[test]
fn orders_are_of_the_widths_of_values() {
    for (name, data_type) in types(&T::Int8) {
        let of = Abilities::of(&data_type);
        let physical = crate::physical_type(&data_type);
        match of.as_stored().order {
            Some(ValueOrder::Words) => assert!(physical.width().is_none_or(|width| width <= 8), "{name}"),
            Some(ValueOrder::Wide) => assert!(physical.width().is_some_and(|width| width > 8), "{name}"),
            Some(ValueOrder::Bytes) => assert!(physical.has_byte_offsets(), "{name}"),
            None => assert!(!of.arithmetic || of.encoded, "{name}"),
        }
        // An order implies equality and `sortable`, and equality implies `hash`.
        assert!(of.order.is_none() || of.equality && of.sortable, "{name}");
        assert!(!of.equality || of.hash, "{name}");
    }
}

#[test]
fn structs_and_dictionaries_within_each_other() {
    let structs = |fields: Vec<T>| T::Struct(fields.into_iter().map(field).collect::<Fields>());
    let list = T::List(field(T::Union(UnionFields::empty(), UnionMode::Dense)));
    let deep = Abilities::of(&structs(vec![T::Int8, structs(vec![T::Utf8View, list.clone()])]));
    assert!(deep.lists && !deep.rows && !deep.encoded && deep.nested);
    let runs = T::RunEndEncoded(field(T::Int32), field(T::Utf8));
    let composite = Abilities::of(&structs(vec![T::Int8, structs(vec![runs.clone(), list.clone()])]));
    assert!(composite.composite && composite.lists && !composite.rows && composite.is_movable());
    assert!(
        !Abilities::of(&list).composite && !Abilities::of(&T::Dictionary(Box::new(T::Int8), Box::new(runs))).composite
    );
    let plain = Abilities::of(&structs(vec![structs(vec![]), T::Utf8View]));
    assert!(plain.rows && !plain.lists && !plain.equality && plain.sortable && !deep.sortable);
    let dictionary = |values| T::Dictionary(Box::new(T::Int8), Box::new(values));
    let text = Abilities::of(&dictionary(dictionary(T::LargeUtf8)));
    assert!(text.text && text.equality && !text.as_stored().equality && text.as_stored().rows);
    let lists = Abilities::of(&dictionary(list));
    assert!(lists.rows && lists.nested && !lists.lists && lists.order.is_none());
}

#[test]
fn a_dictionary_has_rows_by_its_keys() {
    assert!(!Abilities::of(&T::Dictionary(Box::new(T::Utf8), Box::new(T::Int8))).rows);
}
