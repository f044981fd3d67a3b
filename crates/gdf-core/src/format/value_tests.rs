//! Tests of the text of values of every type.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::*;
use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano, i256};

use super::*;
use crate::test_arrays::all;

fn check(array: impl Array, expected: &[&str]) {
    let found: Vec<_> = (0..array.len()).map(|row| text(&array, row)).collect();
    assert_eq!(found, expected, "{}", array.data_type());
}

#[test]
fn numbers() {
    check(Int64Array::from(vec![Some(i64::MIN), None]), &["-9223372036854775808", "null"]);
    check(UInt8Array::from(vec![255]), &["255"]);
    check(
        Float64Array::from(vec![1.0, -0.0, 0.1, 1e300, f64::NAN, f64::NEG_INFINITY]),
        &["1.0", "-0.0", "0.1", "1e300", "NaN", "-inf"],
    );
    check(Float32Array::from(vec![0.1]), &["0.1"]);
    check(Float16Array::from(vec![half::f16::from_f32(0.5)]), &["0.5"]);
    check(BooleanArray::from(vec![true, false]), &["true", "false"]);
    check(NullArray::new(1), &["null"]);
}

#[test]
fn decimals() {
    check(Decimal32Array::from(vec![-1, 12345]).with_precision_and_scale(9, 2).unwrap(), &["-0.01", "123.45"]);
    check(Decimal64Array::from(vec![5]).with_precision_and_scale(9, 0).unwrap(), &["5"]);
    check(
        Decimal128Array::from(vec![i128::MAX / 1000]).with_precision_and_scale(38, 10).unwrap(),
        &["17014118346046923173168730.3715884105"],
    );
    check(Decimal32Array::from(vec![1_800_000_000]).with_precision_and_scale(9, 2).unwrap(), &["18000000.00"]);
    check(Decimal64Array::from(vec![7, 0, -12]).with_precision_and_scale(2, -2).unwrap(), &["700", "0", "-1200"]);
    check(
        Decimal128Array::from(vec![i128::MIN, i128::MAX]).with_precision_and_scale(5, 5).unwrap(),
        &["-1701411834604692317316873037158841.05728", "1701411834604692317316873037158841.05727"],
    );
    check(Decimal256Array::from(vec![i256::from_i128(7)]).with_precision_and_scale(76, 3).unwrap(), &["0.007"]);
}

#[test]
fn dates_and_times() {
    check(Date32Array::from(vec![0, -1, i32::MAX]), &["1970-01-01", "1969-12-31", "2147483647"]);
    check(Date64Array::from(vec![86_400_000]), &["1970-01-02"]);
    check(Time32SecondArray::from(vec![3661]), &["01:01:01"]);
    check(Time32MillisecondArray::from(vec![1500]), &["00:00:01.500"]);
    check(Time64MicrosecondArray::from(vec![1]), &["00:00:00.000001"]);
    check(Time64NanosecondArray::from(vec![1, -1]), &["00:00:00.000000001", "-1"]);
    check(TimestampSecondArray::from(vec![-1]), &["1969-12-31T23:59:59"]);
    check(TimestampMillisecondArray::from(vec![1]), &["1970-01-01T00:00:00.001"]);
    check(TimestampMicrosecondArray::from(vec![0]).with_timezone("UTC"), &["1970-01-01T00:00:00Z"]);
    check(TimestampNanosecondArray::from(vec![0]).with_timezone("Europe/Oslo"), &["1970-01-01T00:00:00Z"]);
    check(TimestampSecondArray::from(vec![0]).with_timezone("-05:30"), &["1969-12-31T18:30:00-05:30"]);
    check(TimestampSecondArray::from(vec![i64::MAX]), &["9223372036854775807"]);
    check(DurationMillisecondArray::from(vec![1500]), &["PT1.5S"]);
    check(IntervalYearMonthArray::from(vec![14]), &["P14M"]);
    check(IntervalDayTimeArray::from(vec![IntervalDayTime::new(3, -1250)]), &["P3DT-1.25S"]);
    check(IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(1, 2, 3)]), &["P1M2DT0.000000003S"]);
}

#[test]
fn text_and_bytes() {
    check(
        StringArray::from(vec!["", "grüße", "a\tb\nc\u{7}", "\"quoted\" \\"]),
        &["", "grüße", "a\\tb\\nc\\u{7}", "\"quoted\" \\"],
    );
    check(StringViewArray::from(vec!["a text of more than twelve bytes"]), &["a text of more than twelve bytes"]);
    check(BinaryArray::from(vec![&b"\x00\xff"[..], b""]), &["00ff", ""]);
    check(FixedSizeBinaryArray::try_from_iter([b"ab"].into_iter()).unwrap(), &["6162"]);
}

#[test]
fn nested() {
    let mut lists = ListBuilder::new(StringBuilder::new());
    lists.append_value([Some("a, b"), None]);
    lists.append_null();
    lists.append_value(Vec::<Option<&str>>::new());
    check(lists.finish(), &["[\"a, b\", null]", "null", "[]"]);
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    check(
        StructArray::try_from(vec![("x", numbers.clone()), ("y", numbers)]).unwrap(),
        &["{x: 1, y: 1}", "{x: null, y: null}"],
    );
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    maps.keys().append_value("k");
    maps.values().append_value(1);
    maps.append(true).unwrap();
    check(maps.finish(), &["{\"k\": 1}"]);
    check(["a", "b", "a"].into_iter().collect::<DictionaryArray<types::Int8Type>>(), &["a", "b", "a"]);
    let ends = Int32Array::from(vec![2, 3]);
    let runs = RunArray::try_new(&ends, &StringArray::from(vec!["a", "b"])).unwrap();
    check(runs.slice(1, 2), &["a", "b"]);
}

#[test]
fn every_type_has_a_text() {
    for array in all(40) {
        for row in 0..array.len() {
            let found = text(&array, row);
            assert_eq!(found, text(&array.slice(row, 1), 0), "{} {row}", array.data_type());
            assert!(!found.contains(char::is_control));
        }
    }
}
