//! Tests that `Debug` never fails, and prints only what is available without waiting.

use gdf_memory::Buffer;

use super::*;
use crate::test_arrays::{all, cpu};
use crate::{Column, ColumnParts, DataType, StringsView};

#[cfg(feature = "pretty")]
#[test]
fn readable() {
    let (stream, mr) = cpu();
    let column = Column::from_options_on(&[Some(1i32), None, Some(3)], &stream, mr.as_ref()).unwrap();
    assert_eq!(format!("{column:?}"), "Column(Int32, 3 rows, cpu, 1 nulls) [1, null, 3]");
    let table = Table::try_new(vec![column.clone()]).unwrap();
    assert_eq!(format!("{table:?}"), "Table(3 rows) [Column(Int32, 3 rows, cpu, 1 nulls) [1, null, 3]]");
    let scalar = Scalar::new_on(Some("a"), &stream, mr.as_ref()).unwrap();
    assert_eq!(format!("{scalar:?}"), "Scalar(Utf8, cpu) a");
    assert_eq!(format!("{:?}", Operand::from(&scalar)), format!("{scalar:?}"));
    let text = Column::from_strs_on(&[Some("x")], &stream, mr.as_ref()).unwrap();
    let view = StringsView::try_from(text.view()).unwrap();
    assert_eq!(format!("{view:?}"), "StringsView of Column(Utf8, 1 rows, cpu) [x]");
}

#[test]
fn every_type_and_wrong_data() {
    let (stream, mr) = cpu();
    for n in [0, 5, 100] {
        for array in all(n) {
            let column = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
            let text = format!("{column:?}");
            assert!(text.ends_with(if n > SHOWN { ", …]" } else { "]" }), "{text}");
        }
    }
    let offsets = Buffer::from_host(&[0xff; 8], &stream, mr.as_ref()).unwrap();
    let chars = Buffer::from_host(b"", &stream, mr.as_ref()).unwrap();
    let wrong = ColumnParts::new(DataType::Utf8, gdf_driver::Device::Cpu, 1).buffer(offsets).buffer(chars);
    let wrong = Column::try_from_parts(wrong).unwrap();
    assert_eq!(format!("{wrong:?}"), "Column(Utf8, 1 rows, cpu)");
}
