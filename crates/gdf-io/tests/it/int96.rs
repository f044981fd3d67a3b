//! Tests timestamps of the old physical type INT96, whose range is larger than the range of 64-bit nanoseconds.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::*;
use arrow_schema::{DataType, TimeUnit};
use gdf_io::{Error, ParquetReader, Position};
use parquet::data_type::{Int96, Int96Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

const NOON: u64 = 43_200_000_000_000;

/// Makes a file with timestamps at noon of the given days since 1970.
fn file(days: &[i64]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type("message m { required int96 at; }").unwrap());
    let mut bytes = Vec::new();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let value = |day: &i64| {
        let mut value = Int96::new();
        value.set_data(NOON as u32, (NOON >> 32) as u32, (day + 2_440_588) as u32);
        value
    };
    let values: Vec<Int96> = days.iter().map(value).collect();
    column.typed::<Int96Type>().write_batch(&values, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn nanoseconds_unless_a_value_lies_beyond() {
    let nanoseconds = ParquetReader::from_bytes(file(&[0, -100_000])).unwrap().read().unwrap().to_arrow().unwrap();
    let day = 86_400_000_000_000;
    let expected = TimestampNanosecondArray::from(vec![NOON as i64, NOON as i64 - 100_000 * day]);
    assert_eq!(nanoseconds.column(0).as_ref(), &expected as &dyn Array);

    // The first case contains the last day of the year 9999.
    for days in [&[0, 2_932_896][..], &[106_752], &[-106_753]] {
        let open = || ParquetReader::from_bytes(file(days)).unwrap();
        for error in [open().read().unwrap_err(), open().scan().unwrap().next().unwrap().unwrap_err()] {
            let Error::Malformed { position: Some(Position::RowGroup { column, .. }), what, .. } = &error else {
                panic!("{error}")
            };
            assert!(column.as_deref() == Some("at") && what.contains("int96_unit"), "{error}");
        }
        let expected: Vec<i64> = days.iter().map(|day| (day * 86_400 + 43_200) * 1_000_000).collect();
        let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
        for reader in [open().int96_unit(TimeUnit::Microsecond), open().types([("at", micros.clone())])] {
            let found = reader.unwrap().read().unwrap().to_arrow().unwrap();
            assert_eq!(found.column(0).as_primitive::<TimestampMicrosecondType>().values(), &expected[..]);
        }
    }
}
