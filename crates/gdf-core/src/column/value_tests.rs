//! Tests that read values from columns of every type, from slices, from columns with nulls, and from invalid data.

use std::sync::Arc;

use arrow_array::types::{Int8Type, UInt64Type};
use arrow_array::{ArrayRef, DictionaryArray, LargeStringArray, StringArray, StringViewArray};

use gdf_driver::Device;

use super::*;
use crate::{ColumnParts, DataType};

#[test]
fn numbers_of_slices_with_nulls() {
    for len in [0, 1, 7, 8, 9, 31, 33, 64, 70] {
        let rows: Vec<Option<i64>> = (0..len).map(|row| (row % 3 != 1).then_some(row - 5)).collect();
        let column = Column::from_options(&rows).unwrap();
        let flags: Vec<Option<bool>> = rows.iter().map(|row| row.map(|n| n % 2 == 0)).collect();
        let bools = Column::from_options(&flags).unwrap();
        for start in [0, 1, 8, 13] {
            let Ok(slice) = column.slice(start, rows.len().saturating_sub(start)) else { continue };
            assert_eq!(slice.to_vec::<i64>().unwrap(), rows[start..]);
            assert_eq!(bools.view().slice(start, slice.len()).unwrap().to_vec::<bool>().unwrap(), flags[start..]);
            for row in 0..slice.len() {
                assert_eq!(slice.get::<i64>(row).unwrap(), rows[start + row]);
            }
            assert!(matches!(slice.get::<i64>(slice.len()), Err(Error::OutOfBounds { .. })));
        }
        assert_eq!(column.iter::<i64>().unwrap().len(), rows.len());
    }
}

#[test]
fn text_of_every_layout() {
    let rows = [Some("one"), None, Some(""), Some("a text of more than twelve bytes"), Some("grüße"), Some("one")];
    let expected: Vec<Option<String>> = rows.iter().map(|row| row.map(str::to_owned)).collect();
    let arrays: [ArrayRef; 5] = [
        Arc::new(StringArray::from_iter(rows)),
        Arc::new(LargeStringArray::from_iter(rows)),
        Arc::new(StringViewArray::from_iter(rows)),
        Arc::new(rows.into_iter().collect::<DictionaryArray<Int8Type>>()),
        Arc::new(rows.into_iter().collect::<DictionaryArray<UInt64Type>>()),
    ];
    for array in arrays {
        let column = Column::from_array(&array).unwrap();
        for start in 0..rows.len() {
            for len in 0..=rows.len() - start {
                let found = column.slice(start, len).unwrap().to_strings().unwrap();
                assert_eq!(found, expected[start..start + len], "{} {start} {len}", array.data_type());
            }
        }
    }
}

#[test]
fn bytes_under_a_null_do_not_matter() {
    let buffer = |bytes: &[u8]| {
        Buffer::from_host(bytes, &Stream::cpu(), gdf_memory::current_resource(Device::Cpu).unwrap().as_ref()).unwrap()
    };
    let offsets = buffer(bytemuck::cast_slice(&[0_i32, 1, 3]));
    let parts = ColumnParts::new(DataType::Utf8, Device::Cpu, 2).buffer(offsets).buffer(buffer(b"a\xff\xfe"));
    let column = Column::try_from_parts(parts.clone()).unwrap();
    assert!(matches!(column.to_strings(), Err(Error::InvalidData { .. })));
    let parts = parts.validity(Some(buffer(&[0b01])), crate::NullCount::Unknown);
    let column = Column::try_from_parts(parts).unwrap();
    assert_eq!(column.to_strings().unwrap(), [Some("a".to_owned()), None]);
}

#[test]
fn other_types_are_refused() {
    let numbers = Column::from_slice(&[1, 2]).unwrap();
    assert!(matches!(numbers.to_vec::<i64>(), Err(Error::TypeMismatch { .. })));
    let text = "expected a column of i64, found Int32; `cast` the column to the type that is read, or read the type that \
                it has";
    assert_eq!(numbers.to_vec::<i64>().unwrap_err().to_string(), text);
    assert!(matches!(numbers.to_vec::<bool>(), Err(Error::TypeMismatch { .. })));
    assert!(matches!(numbers.to_strings(), Err(Error::TypeMismatch { .. })));
    assert!(matches!(Column::from_strs(["a"]).unwrap().get::<i32>(0), Err(Error::TypeMismatch { .. })));
    assert_eq!(numbers.with_type(DataType::Date32).unwrap().to_vec::<i32>().unwrap(), [Some(1), Some(2)]);
}

#[cfg(feature = "chrono")]
#[test]
fn dates_of_every_unit() {
    use crate::TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
    fn read<T: ColumnValue>(ticks: i64, data_type: DataType) -> Result<Option<T>> {
        Column::from_slice_typed(&[ticks], &data_type).unwrap().get(0)
    }
    let date: NaiveDate = "1969-12-31".parse().unwrap();
    assert_eq!(read::<NaiveDate>(-1, DataType::Date64).unwrap(), Some(date));
    for (unit, ticks) in [(Second, -1), (Millisecond, -1_000), (Microsecond, -1_000_000), (Nanosecond, -1_000_000_000)]
    {
        let local = read::<NaiveDateTime>(ticks, DataType::Timestamp(unit, None)).unwrap();
        assert_eq!(local, date.and_hms_opt(23, 59, 59));
        let instant = read::<DateTime<Utc>>(ticks, DataType::Timestamp(unit, Some("Europe/Oslo".into()))).unwrap();
        assert_eq!(instant.map(|instant| instant.naive_utc()), local);
        assert_eq!(read::<TimeDelta>(ticks, DataType::Duration(unit)).unwrap(), Some(TimeDelta::seconds(-1)));
    }
    let noon = read::<NaiveTime>(43_200_000_001, DataType::Time64(Microsecond)).unwrap();
    assert_eq!(noon, NaiveTime::from_hms_micro_opt(12, 0, 0, 1));
    // The types of chrono cannot represent these values.
    assert!(matches!(
        read::<NaiveDateTime>(i64::MAX, DataType::Timestamp(Second, None)),
        Err(Error::InvalidData { .. })
    ));
    assert!(matches!(read::<NaiveTime>(-1, DataType::Time64(Nanosecond)), Err(Error::InvalidData { .. })));
    assert!(matches!(read::<NaiveDate>(0, DataType::Int64), Err(Error::TypeMismatch { .. })));
}
