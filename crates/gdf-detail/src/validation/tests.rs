//! What the catalog does not single out: what errors say, and what becomes of the marks.

use gdf_core::{Column, ColumnParts, DataRule, DataType, Error, Field, NullCount, Table};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Resources};

use super::{validate, validate_table};

fn with_resource(test: impl FnOnce(&Stream, Resources<'_>)) {
    let (stream, resource) = crate::test_device::setup();
    test(&stream, Resources::from(&resource));
}

fn buffer(bytes: &[u8], stream: &Stream, mr: Resources<'_>) -> Buffer {
    Buffer::from_host(bytes, stream, mr.output).unwrap()
}

fn offsets(numbers: &[i32], stream: &Stream, mr: Resources<'_>) -> Buffer {
    buffer(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>(), stream, mr)
}

fn text(numbers: &[i32], bytes: &[u8], stream: &Stream, mr: Resources<'_>) -> Column {
    let parts = ColumnParts::new(DataType::Utf8, stream.device(), numbers.len() - 1);
    Column::try_from_parts(parts.buffer(offsets(numbers, stream, mr)).buffer(buffer(bytes, stream, mr))).unwrap()
}

fn lists(numbers: &[i32], child: Column, stream: &Stream, mr: Resources<'_>) -> Column {
    let data_type = DataType::List(Field::new("item", child.data_type().clone(), true).into());
    let parts = ColumnParts::new(data_type, stream.device(), numbers.len() - 1);
    Column::try_from_parts(parts.buffer(offsets(numbers, stream, mr)).child(child)).unwrap()
}

#[test]
fn columns_are_marked_with_their_children() {
    with_resource(|stream, mr| {
        let column = lists(&[0, 1, 3], text(&[0, 1, 1, 4], b"abcd", stream, mr), stream, mr);
        assert!(!column.validated());
        let marked = validate(column.view(), stream, mr).unwrap();
        assert!(marked.validated() && marked.children()[0].validated());
        assert!(marked.buffers()[0].same_allocation(&column.buffers()[0]));
        let slice = validate(column.view().slice(1, 1).unwrap(), stream, mr).unwrap();
        assert_eq!((slice.len(), slice.offset(), slice.validated()), (1, 1, true));
        assert_eq!(&slice.to_arrow(stream).unwrap(), &column.to_arrow(stream).unwrap().slice(1, 1));
    });
}

#[test]
fn null_counts_become_known() {
    with_resource(|stream, mr| {
        let mask = buffer(&[0b0110], stream, mr);
        let parts = ColumnParts::new(DataType::Int8, stream.device(), 4).buffer(buffer(&[1, 2, 3, 4], stream, mr));
        let column = Column::try_from_parts(parts.validity(Some(mask), NullCount::Unknown)).unwrap();
        assert_eq!(column.known_null_count(), None);
        assert_eq!(validate(column.view(), stream, mr).unwrap().known_null_count(), Some(2));
    });
}

#[test]
fn errors_name_column_rule_and_row() {
    with_resource(|stream, mr| {
        let good = text(&[0, 1, 2], b"ab", stream, mr);
        let bad = lists(&[0, 1, 2], text(&[0, 1, 3], b"a\xc3(", stream, mr), stream, mr);
        let table = Table::try_new(vec![good, bad]).unwrap();
        let error = validate_table(table.view(), stream, mr).unwrap_err();
        assert_eq!(error.to_string(), "Utf8: text is not UTF-8, first in row 1, at [1, 0]");
        let Error::BrokenData { data_type: DataType::Utf8, rule, row, path } = error else { panic!("{error}") };
        assert_eq!((rule, row, path), (DataRule::Text, Some(1), vec![1, 0]));
    });
}

#[test]
fn the_first_of_many_rows_is_told() {
    with_resource(|stream, mr| {
        let rows = 200_000;
        let mut ends: Vec<i32> = (0..=rows).collect();
        let mut bytes = vec![b'x'; rows as usize];
        for row in [190_001, 70_123, 70_124] {
            bytes[row] = 0x80;
        }
        let fault = |column: &Column| match validate(column.view(), stream, mr) {
            Err(Error::BrokenData { rule, row, .. }) => (rule, row),
            other => panic!("{other:?}"),
        };
        assert_eq!(fault(&text(&ends, &bytes, stream, mr)), (DataRule::Text, Some(70_123)));
        ends[150_000] = 7;
        assert_eq!(fault(&text(&ends, &bytes, stream, mr)), (DataRule::Offsets, Some(149_999)));
    });
}
