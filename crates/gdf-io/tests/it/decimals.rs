//! Tests decimals of Parquet files that are read with 64 bits, and intervals with months.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{IntervalDayTimeType, IntervalMonthDayNanoType};
use arrow_array::*;
use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano};
use arrow_schema::{DataType, IntervalUnit};
use gdf_io::{Error, ParquetReader, Predicate, read_parquet};
use parquet::arrow::ArrowWriter;
use parquet::data_type::{ByteArray, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::{Folder, batch, collect};

/// Writes a file of one column in the given form. The values of `None` are null.
fn write(path: &Path, column: &str, values: &[Option<i64>], has_dictionary: bool) {
    let schema = Arc::new(parse_message_type(&format!("message m {{ optional {column}; }}")).unwrap());
    let properties = WriterProperties::builder().set_dictionary_enabled(has_dictionary).build();
    let mut writer = SerializedFileWriter::new(File::create(path).unwrap(), schema, properties.into()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut target = group.next_column().unwrap().unwrap();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let present = values.iter().flatten();
    let size = column.split(['(', ')']).nth(1).and_then(|size| size.parse::<usize>().ok()).unwrap_or(0);
    if column.starts_with("int32") {
        let values: Vec<i32> = present.map(|value| *value as i32).collect();
        target.typed::<Int32Type>().write_batch(&values, Some(&levels), None).unwrap();
    } else if column.starts_with("int64") {
        let values: Vec<i64> = present.copied().collect();
        target.typed::<Int64Type>().write_batch(&values, Some(&levels), None).unwrap();
    } else {
        let bytes = |value: &i64| i128::from(*value).to_be_bytes()[16 - size..].to_vec();
        let values: Vec<FixedLenByteArray> = present.map(|value| ByteArray::from(bytes(value)).into()).collect();
        target.typed::<FixedLenByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
    }
    target.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

const FORMS: [&str; 7] = [
    "int32 d (DECIMAL(7, 2))",
    "int64 d (DECIMAL(7, 2))",
    "fixed_len_byte_array(4) d (DECIMAL(7, 2))",
    "fixed_len_byte_array(5) d (DECIMAL(7, 2))",
    "fixed_len_byte_array(8) d (DECIMAL(7, 2))",
    "fixed_len_byte_array(9) d (DECIMAL(7, 2))",
    "fixed_len_byte_array(16) d (DECIMAL(7, 2))",
];

#[test]
fn decimals_are_read_with_64_bits_from_every_form() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let values: Vec<Option<i64>> =
        (0..3000_i64).map(|row| (row % 5 != 2).then_some((row * 7919 % 20_001 - 10_000) * 999)).collect();
    let expected = Decimal64Array::from(values.clone()).with_precision_and_scale(7, 2).unwrap();
    for form in FORMS {
        for has_dictionary in [false, true] {
            write(&path, form, &values, has_dictionary);
            let narrow = || ParquetReader::open(&path).unwrap().narrow_decimals().unwrap();
            let found = narrow().read().unwrap().to_arrow().unwrap();
            assert_eq!(found.column(0).as_ref(), &expected as &dyn Array, "{form}");
            let scanned = collect(narrow().batch_rows(700).scan().unwrap());
            assert_eq!(scanned[1].column(0).as_ref(), &expected.slice(700, 700) as &dyn Array, "{form}");
            let above = narrow().predicate(Predicate::gt("d", 99_000)).read().unwrap();
            assert_eq!(above.num_rows(), values.iter().flatten().filter(|value| **value > 9_900_000).count());
            let wide = read_parquet(&path).unwrap().to_arrow().unwrap();
            let expected = arrow_cast::cast(&expected, &DataType::Decimal128(7, 2)).unwrap();
            assert_eq!(wide.column(0), &expected, "{form}");
        }
    }
}

#[test]
fn decimals_with_more_digits_than_their_type_are_an_error() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    for form in FORMS {
        for value in [10_000_000, -10_000_000, i64::from(i32::MAX)] {
            for has_dictionary in [false, true] {
                write(&path, form, &[Some(1), None, Some(value)], has_dictionary);
                let narrow = || ParquetReader::open(&path).unwrap().narrow_decimals().unwrap();
                let error = narrow().read().unwrap_err();
                assert!(error.to_string().contains("digits") || matches!(error, Error::Gdf(_)), "{form} {error}");
                assert!(narrow().predicate(Predicate::is_not_null("d")).read().is_err(), "{form}");
            }
        }
    }
}

#[test]
fn intervals_keep_their_months() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let column = "fixed_len_byte_array(12) iv (INTERVAL)";
    let schema = Arc::new(parse_message_type(&format!("message m {{ optional {column}; }}")).unwrap());
    let mut writer = SerializedFileWriter::new(File::create(&path).unwrap(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut target = group.next_column().unwrap().unwrap();
    let bytes = |parts: [u32; 3]| parts.map(u32::to_le_bytes).concat();
    let values = [[2, 3, 14_400_000], [0, 1, 0]].map(|parts| ByteArray::from(bytes(parts)).into());
    target.typed::<FixedLenByteArrayType>().write_batch(&values, Some(&[1, 0, 1]), None).unwrap();
    target.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    let expected =
        [Some(IntervalMonthDayNano::new(2, 3, 14_400_000_000_000)), None, Some(IntervalMonthDayNano::new(0, 1, 0))];
    for reader in
        [ParquetReader::open(&path).unwrap(), ParquetReader::open(&path).unwrap().skip_arrow_metadata().unwrap()]
    {
        let data_type = DataType::Interval(IntervalUnit::MonthDayNano);
        assert_eq!(reader.schema().field(0).data_type(), &data_type);
        let found = reader.clone().read().unwrap().to_arrow().unwrap();
        let found: Vec<_> = found.column(0).as_primitive::<IntervalMonthDayNanoType>().iter().collect();
        assert_eq!(found, expected);
        let some = reader.predicate(Predicate::is_not_null("iv")).read().unwrap();
        assert_eq!(some.num_rows(), 2);
    }
}

/// The Arrow schema of the file says which parts the intervals have.
#[test]
fn intervals_of_arrow_keep_their_type() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let days: ArrayRef = Arc::new(IntervalDayTimeArray::from(vec![Some(IntervalDayTime::new(3, 5)), None]));
    let months: ArrayRef = Arc::new(IntervalYearMonthArray::from(vec![Some(14), None]));
    let of = RecordBatch::try_from_iter([("days", days), ("months", months)]).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), of.schema(), None).unwrap();
    writer.write(&of).unwrap();
    writer.close().unwrap();
    let found = read_parquet(&path).unwrap().to_arrow().unwrap();
    assert_eq!(
        found.column(0).as_primitive::<IntervalDayTimeType>(),
        of.column(0).as_primitive::<IntervalDayTimeType>()
    );
    assert_eq!(found, of);
    gdf_io::write_parquet(&batch(&of), &path).unwrap();
    assert_eq!(read_parquet(&path).unwrap().to_arrow().unwrap(), of);
}

/// Files with other scales have a common type, which may be read with 64 bits.
#[test]
fn decimals_of_several_files_are_narrowed_too() {
    let folder = Folder::new();
    write(&folder.path("a.parquet"), "int64 d (DECIMAL(7, 2))", &[Some(150), None], true);
    write(&folder.path("b.parquet"), "int32 d (DECIMAL(9, 4))", &[Some(25_000)], true);
    let reader = || ParquetReader::open(folder.path("*.parquet")).unwrap();
    let found = reader().read().unwrap().to_arrow().unwrap();
    let expected =
        Decimal128Array::from(vec![Some(15_000), None, Some(25_000)]).with_precision_and_scale(9, 4).unwrap();
    assert_eq!(found.column(0).as_ref(), &expected as &dyn Array);
    let found = reader().narrow_decimals().unwrap().read().unwrap().to_arrow().unwrap();
    let expected = arrow_cast::cast(&expected, &DataType::Decimal64(9, 4)).unwrap();
    assert_eq!(found.column(0), &expected);
}

/// arrow-rs writes only as many digits as the type has, and would leave out the last ones.
#[test]
fn text_files_refuse_decimals_with_more_digits_than_their_type() {
    let folder = Folder::new();
    let of = |value: i32| {
        let decimals = Decimal32Array::from(vec![1, value]).with_precision_and_scale(9, 2).unwrap();
        batch(&RecordBatch::try_from_iter([("x", Arc::new(decimals) as ArrayRef)]).unwrap())
    };
    let refused = |error: Error| {
        assert!(matches!(&error, Error::UnsupportedValue { column, .. } if column == "x"), "{error}");
    };
    refused(gdf_io::write_csv(&of(1_800_000_000), folder.path("t.csv")).unwrap_err());
    refused(gdf_io::write_json(&of(1_800_000_000), folder.path("t.json")).unwrap_err());
    gdf_io::write_csv(&of(999_999_999), folder.path("t.csv")).unwrap();
    assert_eq!(std::fs::read_to_string(folder.path("t.csv")).unwrap(), "x\n0.01\n9999999.99\n");
}
