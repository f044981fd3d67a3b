//! Makes a column of each type of gdf, with nulls and with the smallest and largest values of the type.

use std::sync::Arc;

use arrow_array::builder::*;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano, NullBuffer, ScalarBuffer, i256};
use arrow_schema::{DataType, Field, UnionFields};
use half::f16;

/// Columns with their names.
pub(crate) type Columns = Vec<(String, ArrayRef)>;

fn is_null(row: usize) -> bool {
    row % 7 == 3
}

fn primitive<T: ArrowPrimitiveType>(rows: usize, edges: &[T::Native], value: impl Fn(usize) -> T::Native) -> ArrayRef {
    let value = |row: usize| edges.get(row).copied().unwrap_or_else(|| value(row));
    let values = (0..rows).map(|row| (!is_null(row)).then(|| value(row)));
    Arc::new(PrimitiveArray::<T>::from_iter(values))
}

macro_rules! integers {
    ($rows:expr, $($name:literal: $type:ty),*) => {
        vec![$(($name.to_owned(), {
            type Native = <$type as ArrowPrimitiveType>::Native;
            primitive::<$type>($rows, &[Native::MIN, Native::MAX, 0], |row| (row % 100) as Native)
        })),*]
    };
}

pub(crate) fn fixed_width(rows: usize) -> Columns {
    let mut columns: Columns = integers!(rows,
        "i8": Int8Type, "i16": Int16Type, "i32": Int32Type, "i64": Int64Type,
        "u8": UInt8Type, "u16": UInt16Type, "u32": UInt32Type, "u64": UInt64Type,
        "date32": Date32Type, "time32_ms": Time32MillisecondType,
        "time64_us": Time64MicrosecondType, "time64_ns": Time64NanosecondType,
        "timestamp_ms": TimestampMillisecondType,
        "timestamp_us": TimestampMicrosecondType, "timestamp_ns": TimestampNanosecondType,
        "duration_s": DurationSecondType, "duration_ms": DurationMillisecondType,
        "duration_us": DurationMicrosecondType, "duration_ns": DurationNanosecondType
    );
    let mut add = |name: &str, array: ArrayRef| columns.push((name.to_owned(), array));
    // Parquet stores seconds as 32-bit milliseconds.
    let ends = [i32::MIN / 1000, i32::MAX / 1000, 0];
    add("time32_s", primitive::<Time32SecondType>(rows, &ends, |row| row as i32));
    let ends = [i64::MIN / 1000, i64::MAX / 1000, 0];
    add("timestamp_s", primitive::<TimestampSecondType>(rows, &ends, |row| row as i64 - 50));
    add("bool", Arc::new(BooleanArray::from_iter((0..rows).map(|row| (!is_null(row)).then_some(row % 3 == 0)))));
    let halves = [f16::NAN, f16::NEG_ZERO, f16::MAX];
    add("f16", primitive::<Float16Type>(rows, &halves, |row| f16::from_f32(row as f32)));
    add("f32", primitive::<Float32Type>(rows, &[f32::NAN, -0.0, f32::MIN], |row| row as f32 / 3.0));
    add("f64", primitive::<Float64Type>(rows, &[f64::INFINITY, -0.0, f64::MAX], |row| row as f64 / 3.0));
    let zoned = primitive::<TimestampMicrosecondType>(rows, &[], |row| row as i64);
    add(
        "timestamp_zoned",
        Arc::new(zoned.as_primitive::<TimestampMicrosecondType>().clone().with_timezone("Europe/Paris")),
    );
    let date64 = primitive::<Date64Type>(rows, &[], |row| row as i64 * 86_400_000);
    add("date64", date64);
    let d32 = primitive::<Decimal32Type>(rows, &[-999_999_999, 999_999_999], |row| row as i32);
    add("decimal32", Arc::new(d32.as_primitive::<Decimal32Type>().clone().with_precision_and_scale(9, 2).unwrap()));
    let d64 = primitive::<Decimal64Type>(rows, &[-999_999_999_999_999_999], |row| row as i64);
    add("decimal64", Arc::new(d64.as_primitive::<Decimal64Type>().clone().with_precision_and_scale(18, 0).unwrap()));
    let d128 = primitive::<Decimal128Type>(rows, &[-10_i128.pow(38) + 1], |row| row as i128);
    add(
        "decimal128",
        Arc::new(d128.as_primitive::<Decimal128Type>().clone().with_precision_and_scale(38, 10).unwrap()),
    );
    let d256 =
        primitive::<Decimal256Type>(rows, &[i256::from_parts(u128::MAX, 1000)], |row| i256::from_i128(row as i128));
    add("decimal256", Arc::new(d256.as_primitive::<Decimal256Type>().clone().with_precision_and_scale(76, 3).unwrap()));
    add("interval_ym", primitive::<IntervalYearMonthType>(rows, &[-1], |row| row as i32));
    add("interval_dt", primitive::<IntervalDayTimeType>(rows, &[], |row| IntervalDayTime::new(row as i32, 5)));
    let fixed = (0..rows).map(|row| (!is_null(row)).then_some([row as u8, 1, 2]));
    add("fixed_binary", Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed, 3).unwrap()));
    columns
}

fn text(row: usize) -> Option<String> {
    let texts = ["", "é", "a longer text than twelve bytes", "x,\"y\"\n", "null"];
    (!is_null(row)).then(|| {
        format!("{}{}", texts[row % 5], if row.is_multiple_of(5) { String::new() } else { (row % 50).to_string() })
    })
}

/// Makes text and binary columns.
pub(crate) fn text_and_binary(rows: usize) -> Columns {
    let texts: Vec<Option<String>> = (0..rows).map(text).collect();
    let bytes: Vec<Option<Vec<u8>>> =
        texts.iter().map(|text| text.as_ref().map(|text| [&[0xff, 0][..], text.as_bytes()].concat())).collect();
    vec![
        ("utf8".to_owned(), Arc::new(StringArray::from_iter(&texts)) as ArrayRef),
        ("large_utf8".to_owned(), Arc::new(LargeStringArray::from_iter(&texts))),
        ("binary".to_owned(), Arc::new(BinaryArray::from_iter(&bytes))),
        ("large_binary".to_owned(), Arc::new(LargeBinaryArray::from_iter(&bytes))),
    ]
}

pub(crate) fn nested(rows: usize) -> Columns {
    let lists = || {
        (0..rows).map(|row| (!is_null(row)).then(|| (0..row % 4).map(move |i| (i != 1).then_some((row + i) as i64))))
    };
    let list = ListArray::from_iter_primitive::<Int64Type, _, _>(lists());
    let large = LargeListArray::from_iter_primitive::<Int64Type, _, _>(lists());
    let pairs = (0..rows).map(|row| (!is_null(row)).then(|| vec![Some(row as i32), None]));
    let fixed = FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(pairs, 2);
    let texts: ArrayRef = Arc::new(StringArray::from_iter((0..rows).map(text)));
    let numbers = primitive::<Int32Type>(rows, &[], |row| row as i32);
    let fields = vec![Field::new("number", DataType::Int32, true), Field::new("text", DataType::Utf8, true)];
    let nulls = NullBuffer::from_iter((0..rows).map(|row| row % 5 != 1));
    let of_struct = StructArray::new(fields.into(), vec![numbers, texts.clone()], Some(nulls));
    let of_struct = arrow_cast::cast(&of_struct, of_struct.data_type()).unwrap();
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    for row in 0..rows {
        for i in 0..row % 3 {
            map.keys().append_value(format!("k{i}"));
            map.values().append_option((row % 2 == 0).then_some(row as i64));
        }
        map.append(!is_null(row)).unwrap();
    }
    let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
    (0..rows).for_each(|row| dictionary.append_option((!is_null(row)).then(|| ["a", "b", "c"][row % 3])));
    let mut of_lists = ListBuilder::new(ListBuilder::new(StringBuilder::new()));
    for row in 0..rows {
        for i in 0..row % 3 {
            for k in 0..i {
                of_lists.values().values().append_value(format!("{row}{k}"));
            }
            of_lists.values().append(true);
        }
        of_lists.append(!is_null(row));
    }
    vec![
        ("list".to_owned(), Arc::new(list) as ArrayRef),
        ("large_list".to_owned(), Arc::new(large)),
        ("fixed_list".to_owned(), Arc::new(fixed)),
        ("struct".to_owned(), of_struct),
        ("map".to_owned(), Arc::new(map.finish())),
        ("dictionary".to_owned(), Arc::new(dictionary.finish())),
        ("list_of_lists".to_owned(), Arc::new(of_lists.finish())),
        ("nulls".to_owned(), Arc::new(NullArray::new(rows))),
    ]
}

/// Makes columns of types that Parquet and JSON cannot represent.
pub(crate) fn only_ipc(rows: usize) -> Columns {
    let texts: Vec<Option<String>> = (0..rows).map(text).collect();
    let months = primitive::<IntervalMonthDayNanoType>(rows, &[], |row| IntervalMonthDayNano::new(row as i32, 2, 3));
    let mut runs = StringRunBuilder::<Int32Type>::new();
    (0..rows).for_each(|row| runs.append_value(["a", "b"][row / 3 % 2]));
    let offsets: Vec<i32> = (0..rows).map(|row| row as i32 / 2).collect();
    let sizes: Vec<i32> = (0..rows).map(|row| (row % 2) as i32).collect();
    let item = Arc::new(Field::new_list_field(DataType::Int32, true));
    let values = primitive::<Int32Type>(rows + 1, &[], |row| row as i32);
    let views = ListViewArray::new(item, offsets.into(), sizes.into(), values, None);
    let fields = UnionFields::try_new(
        [0, 1],
        [Field::new("number", DataType::Int32, true), Field::new("text", DataType::Utf8, true)],
    );
    let ids: ScalarBuffer<i8> = (0..rows).map(|row| (row % 2) as i8).collect();
    let children =
        vec![primitive::<Int32Type>(rows, &[], |row| row as i32), Arc::new(StringArray::from_iter(&texts)) as ArrayRef];
    let union = UnionArray::try_new(fields.unwrap(), ids, None, children).unwrap();
    let bytes = texts.iter().map(|text| text.as_deref().map(str::as_bytes));
    vec![
        ("utf8_view".to_owned(), Arc::new(StringViewArray::from_iter(&texts)) as ArrayRef),
        ("binary_view".to_owned(), Arc::new(BinaryViewArray::from_iter(bytes))),
        ("interval_mdn".to_owned(), months),
        ("runs".to_owned(), Arc::new(runs.finish())),
        ("list_view".to_owned(), Arc::new(views)),
        ("union".to_owned(), Arc::new(union)),
    ]
}

/// Makes a batch of columns.
pub(crate) fn batch_of(columns: Columns) -> RecordBatch {
    let fields = columns.iter().map(|(name, array)| Field::new(name, array.data_type().clone(), true));
    let schema = arrow_schema::Schema::new(fields.collect::<Vec<_>>());
    RecordBatch::try_new(schema.into(), columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

pub(crate) fn for_parquet(rows: usize) -> RecordBatch {
    batch_of([fixed_width(rows), text_and_binary(rows), nested(rows)].concat())
}
