//! Tests of columns in device memory on the first GPU: round trips, slices, scalars and text.
#![cfg(feature = "pretty")]

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeListArray, Int64Array, ListArray, StringArray,
    StringViewArray, StructArray,
};
use gdf_core::{Column, DataType, Error, Field, ListsView, Scalar, StringsView, pretty};
use gdf_driver::{Device, Stream};
use gdf_memory::{Resource, current_resource};

/// Returns the first GPU.
fn gpu(test: &str) -> Option<(Stream, Resource)> {
    let device = Device::Cuda(0);
    match device.open() {
        Ok(()) => Some((Stream::default_for(device).unwrap(), current_resource(device).unwrap())),
        Err(error) => {
            let asked = std::env::var("GDF_TEST_DEVICE").is_ok_and(|name| name.starts_with("cuda"));
            assert!(!asked, "{test}: GDF_TEST_DEVICE requests CUDA, but {error}");
            gdf_driver::test_hooks::skip(&format!("{test} ({error})"));
            None
        }
    }
}

fn arrays(n: i64) -> Vec<ArrayRef> {
    let valid = |i: i64| i % 3 != 1;
    let numbers: Int64Array = (0..n).map(|i| valid(i).then_some(i)).collect();
    let flags: BooleanArray = (0..n).map(|i| valid(i).then_some(i % 4 < 2)).collect();
    let text = |i: i64| valid(i).then(|| "text of row ".repeat(i as usize % 3) + &i.to_string());
    let strings: StringArray = (0..n).map(text).collect();
    let views: StringViewArray = (0..n).map(text).collect();
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(
        (0..n).map(|i| valid(i).then(|| (0..i as i32 % 5).map(Some).collect::<Vec<_>>())),
    );
    let sized = FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(
        (0..n).map(|i| valid(i).then(|| vec![Some(i as i32), None])),
        2,
    );
    let fields = vec![
        Field::new("a", DataType::Int64, true),
        Field::new("b", DataType::Boolean, true),
        Field::new("c", lists.data_type().clone(), true),
    ];
    let columns: Vec<ArrayRef> = vec![Arc::new(numbers.clone()), Arc::new(flags.clone()), Arc::new(lists.clone())];
    let structs = StructArray::new(fields.into(), columns, strings.nulls().cloned());
    let dictionary: DictionaryArray<Int32Type> =
        (0..n).map(|i| ["x", "yy", "x"].get(i as usize % 4).copied()).collect();
    vec![
        Arc::new(numbers),
        Arc::new(flags),
        Arc::new(strings),
        Arc::new(views),
        Arc::new(lists),
        Arc::new(sized),
        Arc::new(structs),
        Arc::new(dictionary),
    ]
}

#[test]
fn round_trips() {
    let Some((stream, mr)) = gpu("round_trips") else { return };
    for n in [0, 1, 31, 32, 33, 1000, 100_000] {
        for array in arrays(n) {
            let n = n as usize;
            for (start, len) in [(0, n), (n / 3, n / 2), (n, 0)] {
                let part = array.slice(start, len);
                let column = Column::from_arrow(&part, &stream, mr.as_ref()).unwrap();
                assert_eq!(column.device(), Device::Cuda(0));
                assert_eq!(&column.to_arrow(&stream).unwrap(), &part, "{}", part.data_type());
                let slice = column.slice(len / 5, len / 2).unwrap();
                assert_eq!(&slice.to_arrow(&stream).unwrap(), &part.slice(len / 5, len / 2), "{}", part.data_type());
                let copy = slice.deep_copy(&stream, mr.as_ref()).unwrap();
                assert_eq!(&copy.to_arrow(&stream).unwrap(), &part.slice(len / 5, len / 2));
                assert!(!format!("{column:?}").is_empty());
            }
        }
    }
}

#[test]
fn scalars_views_and_text() {
    let Some((stream, mr)) = gpu("scalars_views_and_text") else { return };
    let scalar = Scalar::new_on(7i32, &stream, mr.as_ref()).unwrap();
    assert_eq!(scalar.value_on::<i32>(&stream).unwrap(), Some(7));
    let null = Scalar::null_on(&DataType::Boolean, &stream, mr.as_ref()).unwrap();
    assert_eq!(null.value_on::<bool>(&stream).unwrap(), None);
    let text = Scalar::new_on(Some("grüße"), &stream, mr.as_ref()).unwrap();
    assert_eq!(text.value_on::<String>(&stream).unwrap().as_deref(), Some("grüße"));
    let strings = Column::from_strs_on(&[Some("ab"), None, Some("cde")], &stream, mr.as_ref()).unwrap();
    let view = StringsView::try_from(strings.view().slice(1, 2).unwrap()).unwrap();
    let before = stream.counters();
    assert_eq!(view.chars_range(&stream).unwrap(), (2, 5));
    assert_eq!((stream.counters() - before).waits, 1, "both ends in one wait");
    assert!(ListsView::try_from(strings.view()).is_err());
    let numbers = Column::from_options_on(&[Some(1i32), None], &stream, mr.as_ref()).unwrap();
    let table = "+------+\n| n    |\n+------+\n| 1    |\n| null |\n+------+";
    assert_eq!(pretty::format_column(numbers.view(), "n", &stream).unwrap(), table);
    assert!(matches!(numbers.to_arrow(&Stream::cpu()), Err(Error::DeviceMismatch { .. })));
    assert_eq!(Column::empty_on(&DataType::Utf8, Device::Cuda(0)).unwrap().to_arrow(&stream).unwrap().len(), 0);
}
