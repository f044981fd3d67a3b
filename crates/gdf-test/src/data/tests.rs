//! Tests of the generators.

use arrow_array::Array;

use super::*;
use crate::value::to_values;

#[test]
fn generators_are_repeatable_and_have_the_type_length_and_nulls_asked_for() {
    for data_type in all() {
        for &len in &[0, 1, 33, 257] {
            for &nulls in NullPattern::ALL {
                let array = random_array(&data_type, len, nulls, 7);
                assert_eq!(array.data_type(), &data_type);
                assert_eq!(array.len(), len);
                array.to_data().validate_full().unwrap();
                assert_eq!(to_values(&array), to_values(&random_array(&data_type, len, nulls, 7)));
                // All rows of the null type are null, independently of the pattern.
                if matches!(data_type, DataType::Null | DataType::Union(..)) {
                    continue;
                }
                let missing = to_values(&array).iter().filter(|v| v.is_none()).count();
                let expected = nulls.validity(len, 7).map_or(0, |v| v.null_count());
                assert_eq!(missing, expected, "{data_type} {nulls:?}");
            }
        }
    }
}

#[test]
fn seeds_and_special_values_matter() {
    let a = random_array(&DataType::Float64, 500, NullPattern::None, 1);
    let b = random_array(&DataType::Float64, 500, NullPattern::None, 2);
    assert_ne!(to_values(&a), to_values(&b));
    let doubles: Vec<f64> = to_values(&a).iter().flatten().filter_map(Value::as_f64).collect();
    assert!(doubles.iter().any(|v| v.is_infinite()));
    assert!(doubles.iter().any(|v| *v == 0.0 && v.is_sign_negative()));
    let payloads: std::collections::HashSet<u64> = doubles.iter().filter(|v| v.is_nan()).map(|v| v.to_bits()).collect();
    assert!(payloads.len() > 1);
    let strings = to_values(&random_array(&DataType::Utf8, 500, NullPattern::None, 1));
    let strings: Vec<&str> = strings.iter().flatten().filter_map(Value::as_str).collect();
    assert!(strings.contains(&""));
    assert!(strings.iter().any(|s| !s.is_ascii()));
    let lists = to_values(&random_array(&nested()[0], 200, NullPattern::None, 1));
    assert!(lists.contains(&Some(Value::List(vec![]))));
    let bytes = to_values(&random_array(&DataType::Int8, 500, NullPattern::None, 1));
    assert!(bytes.contains(&Some(Value::Int(-128))) && bytes.contains(&Some(Value::Int(127))));
}

#[test]
fn sliced_and_soiled_arrays_equal_the_plain_one() {
    for data_type in all() {
        for &nulls in NullPattern::ALL {
            let plain = random_array(&data_type, 40, nulls, 3);
            let expected = to_values(&plain);
            for &offset in OFFSETS {
                let other = sliced(&plain, offset);
                assert_eq!(to_values(&other), expected, "{data_type} at {offset}");
                let long = padded(&soiled(&plain), offset, 9, nulls);
                assert_eq!(long.data_type(), &data_type);
                assert_eq!(to_values(&long)[offset..offset + 40], expected[..], "{data_type}");
            }
            assert_eq!(to_values(&soiled(&plain)), expected, "{data_type}");
        }
    }
}

#[test]
fn soiling_puts_text_under_null_strings() {
    use arrow_array::cast::AsArray;
    let plain = random_array(&DataType::Utf8, 40, NullPattern::All, 3);
    assert!(plain.as_string::<i32>().value_data().is_empty());
    let dirty = soiled(&plain);
    assert_eq!(dirty.null_count(), 40);
    assert_eq!(dirty.as_string::<i32>().value(7), "under a null");
}

#[test]
fn soiling_puts_keys_outside_of_a_dictionary_under_nulls() {
    use arrow_array::cast::AsArray;
    for data_type in nested().into_iter().filter(|of| matches!(of, DataType::Dictionary(..))) {
        let plain = random_array(&data_type, 40, NullPattern::Some, 3);
        for dirty in [soiled(&plain), padded(&plain, 3, 9, NullPattern::Some)] {
            let dictionary = dirty.as_any_dictionary();
            let keys = with_validity(&arrow_array::make_array(dictionary.keys().to_data()), None);
            for (row, key) in to_values(&keys).iter().enumerate() {
                let key = key.as_ref().and_then(Value::as_i128).unwrap();
                let is_outside = !(0..dictionary.values().len() as i128).contains(&key);
                assert_eq!(dirty.is_null(row), is_outside, "{data_type}, row {row}");
            }
        }
    }
}

#[test]
fn grids_cover_every_combination_once() {
    let grid = grid(&numeric(), SMALL_BRACKETS);
    assert_eq!(grid.len(), numeric().len() * SMALL_BRACKETS.len() * NullPattern::ALL.len());
    let labels: std::collections::HashSet<_> = grid.iter().map(|(label, _)| label).collect();
    assert_eq!(labels.len(), grid.len());
    assert!(labels.contains(&"Float64/33/Every(3)".to_owned()));
}
