//! Tests of tables and their views.

use arrow_array::{Int64Array, RecordBatch, StringArray};

use super::*;
#[cfg(feature = "pretty")]
use crate::pretty;
use crate::test_arrays::{all, cpu};

fn batch() -> RecordBatch {
    let schema = Schema::new(vec![Field::new("n", DataType::Int64, true), Field::new("text", DataType::Utf8, false)]);
    let columns: Vec<arrow_array::ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])),
        Arc::new(StringArray::from(vec!["a", "grüße", ""])),
    ];
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}

#[test]
fn batches_go_round() {
    let (stream, mr) = cpu();
    let batch = batch();
    let table = Table::from_arrow(&batch, &stream, mr.as_ref()).unwrap();
    assert_eq!((table.num_rows(), table.num_columns()), (3, 2));
    assert_eq!(table.to_arrow(&batch.schema(), &stream).unwrap(), batch);
    let part = table.slice(1, 2).unwrap();
    assert_eq!(part.to_arrow(&batch.schema(), &stream).unwrap(), batch.slice(1, 2));
    let view = table.view().slice(1, 2).unwrap().to_table();
    assert_eq!(view.to_arrow(&batch.schema(), &stream).unwrap(), batch.slice(1, 2));
    let copy = table.deep_copy(&stream, mr.as_ref()).unwrap();
    assert_eq!(copy.to_arrow(&batch.schema(), &stream).unwrap(), batch);
    assert_eq!(copy.alloc_size(), table.alloc_size());
}

#[test]
fn schemas_must_describe_the_table() {
    let (stream, mr) = cpu();
    let table = Table::from_arrow(&batch(), &stream, mr.as_ref()).unwrap();
    let one = table.select(&[1]).unwrap();
    assert!(matches!(one.to_arrow(&batch().schema(), &stream), Err(Error::ColumnCount { expected: 2, found: 1, .. })));
    let swapped = table.select(&[1, 0]).unwrap();
    assert!(matches!(swapped.to_arrow(&batch().schema(), &stream), Err(Error::TypeMismatch { .. })));
    // The schema declares the column without nulls, but the column has a null.
    let strict = Schema::new(vec![Field::new("n", DataType::Int64, false)]);
    assert!(matches!(table.select(&[0]).unwrap().to_arrow(&Arc::new(strict), &stream), Err(Error::Arrow(_))));
}

#[test]
fn lengths_and_positions_are_checked() {
    let (stream, mr) = cpu();
    let column = |n: i64| crate::Column::from_slice_on(&(0..n).collect::<Vec<_>>(), &stream, mr.as_ref()).unwrap();
    let (a, b) = (column(3), column(2));
    assert!(matches!(
        Table::try_new(vec![a.clone(), b.clone()]),
        Err(Error::LengthMismatch { expected: 3, found: 2, .. })
    ));
    assert!(TableView::try_new(vec![a.view(), b.view()]).is_err());
    assert!(TableView::try_new(vec![a.view().slice(1, 2).unwrap(), b.view()]).is_ok());
    assert!(matches!(Table::try_with_rows(vec![a.clone()], 4), Err(Error::LengthMismatch { .. })));
    let table = Table::try_new(vec![a.clone(), a.clone()]).unwrap();
    assert!(table.column(2).is_err() && table.view().column(2).is_err());
    assert!(table.select(&[0, 2]).is_err() && table.view().select(&[2]).is_err());
    assert!(table.slice(2, 2).is_err() && table.view().slice(4, 0).is_err());
    assert_eq!(table.view().select(&[1, 1, 0]).unwrap().num_columns(), 3);
    assert_eq!(table.device(), Some(Device::Cpu));
    let rows_only = Table::try_with_rows(vec![], 7).unwrap();
    assert_eq!((rows_only.num_rows(), rows_only.device()), (7, None));
    assert_eq!(rows_only.slice(2, 3).unwrap().num_rows(), 3);
    let empty = rows_only.to_arrow(&Arc::new(Schema::empty()), &stream).unwrap();
    assert_eq!(empty.num_rows(), 7);
}

#[cfg(feature = "pretty")]
#[test]
fn pretty_text() {
    let (stream, mr) = cpu();
    let table = Table::from_arrow(&batch(), &stream, mr.as_ref()).unwrap();
    let expected = "\
+------+-------+
| n    | 1     |
+------+-------+
| 1    | a     |
| null | grüße |
| 3    |       |
+------+-------+";
    assert_eq!(pretty::format_table(&table.view(), &["n"], &stream).unwrap(), expected);
    for array in all(20) {
        let column = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
        let text = pretty::format_column(column.view(), "x", &stream).unwrap();
        assert_eq!(text.lines().count(), 24, "{}", array.data_type());
    }
}
