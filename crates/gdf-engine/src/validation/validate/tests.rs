//! Tests that the catalog does not contain: the fields of errors, and the validation state that columns keep.

use gdf_core::{Column, ColumnParts, DataRule, DataType, Error, Field, NullCount, Table};
use gdf_memory::Buffer;

use crate::Ctx;
use crate::validation::{validate, validate_table};

fn with_resource(test: impl FnOnce(Ctx<'_>)) {
    let (stream, resource) = crate::test_device::setup();
    test(Ctx::new(&stream, &resource));
}

fn buffer(bytes: &[u8], ctx: Ctx<'_>) -> Buffer {
    Buffer::from_host(bytes, ctx.stream, ctx.mr.output).unwrap()
}

fn offsets(numbers: &[i32], ctx: Ctx<'_>) -> Buffer {
    buffer(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>(), ctx)
}

fn text(numbers: &[i32], bytes: &[u8], ctx: Ctx<'_>) -> Column {
    let parts = ColumnParts::new(DataType::Utf8, ctx.stream.device(), numbers.len() - 1);
    Column::try_from_parts(parts.buffer(offsets(numbers, ctx)).buffer(buffer(bytes, ctx))).unwrap()
}

fn lists(numbers: &[i32], child: Column, ctx: Ctx<'_>) -> Column {
    let data_type = DataType::List(Field::new("item", child.data_type().clone(), true).into());
    let parts = ColumnParts::new(data_type, ctx.stream.device(), numbers.len() - 1);
    Column::try_from_parts(parts.buffer(offsets(numbers, ctx)).child(child)).unwrap()
}

#[test]
fn columns_are_marked_with_their_children() {
    with_resource(|ctx| {
        let column = lists(&[0, 1, 3], text(&[0, 1, 1, 4], b"abcd", ctx), ctx);
        assert!(!column.validated());
        let marked = validate(column.view(), ctx).unwrap();
        assert!(marked.validated() && marked.children()[0].validated());
        assert!(marked.buffers()[0].same_allocation(&column.buffers()[0]));
        let slice = validate(column.view().slice(1, 1).unwrap(), ctx).unwrap();
        assert_eq!((slice.len(), slice.offset(), slice.validated()), (1, 1, true));
        assert_eq!(&slice.to_arrow(ctx.stream).unwrap(), &column.to_arrow(ctx.stream).unwrap().slice(1, 1));
    });
}

#[test]
fn null_counts_become_known() {
    with_resource(|ctx| {
        let mask = buffer(&[0b0110], ctx);
        let parts = ColumnParts::new(DataType::Int8, ctx.stream.device(), 4).buffer(buffer(&[1, 2, 3, 4], ctx));
        let column = Column::try_from_parts(parts.validity(Some(mask), NullCount::Unknown)).unwrap();
        assert_eq!(column.known_null_count(), None);
        assert_eq!(validate(column.view(), ctx).unwrap().known_null_count(), Some(2));
    });
}

#[test]
fn errors_name_column_rule_and_row() {
    with_resource(|ctx| {
        let good = text(&[0, 1, 2], b"ab", ctx);
        let bad = lists(&[0, 1, 2], text(&[0, 1, 3], b"a\xc3(", ctx), ctx);
        let table = Table::try_new(vec![good, bad]).unwrap();
        let error = validate_table(table.view(), ctx).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Utf8: text is not UTF-8, first in row 1, at path [1, 0] of columns and children"
        );
        let Error::BrokenData { data_type: DataType::Utf8, rule, row, path, .. } = error else { panic!("{error}") };
        assert_eq!((rule, row, path), (DataRule::Text, Some(1), vec![1, 0]));
    });
}

#[test]
fn fields_without_nulls_have_none() {
    with_resource(|ctx| {
        let numbers = |nulls: u8| {
            let parts = ColumnParts::new(DataType::Int8, ctx.stream.device(), 7).buffer(buffer(&[0; 7], ctx));
            Column::try_from_parts(parts.validity(Some(buffer(&[!nulls], ctx)), NullCount::Unknown)).unwrap()
        };
        let structs = |nulls: u8, child: Column| {
            let fields = vec![Field::new("a", DataType::Int8, true), Field::new("b", DataType::Int8, false)];
            let parts = ColumnParts::new(DataType::Struct(fields.into()), ctx.stream.device(), 7);
            let parts = parts.child(numbers(0x0f)).child(child);
            Column::try_from_parts(parts.validity(Some(buffer(&[!nulls], ctx)), NullCount::Unknown)).unwrap()
        };
        let fault = |column: &Column| match validate(column.view(), ctx) {
            Err(Error::BrokenData { rule: DataRule::NonNullable, row: Some(row), path, .. }) => Some((row, path)),
            other => other.map(|marked| assert!(marked.validated())).map(|()| None).unwrap(),
        };
        assert_eq!(fault(&structs(0, numbers(0))), None);
        assert_eq!(fault(&structs(0b0110_0100, numbers(0b0010_0100))), None);
        let bad = structs(0b0010_0000, numbers(0b0110_0000));
        assert_eq!(fault(&bad), Some((6, vec![1])));
        assert_eq!(fault(&bad.slice(1, 5).unwrap()), None);
        // The check at the start of an operation also finds the fault.
        assert!(crate::check::column(bad.view(), ctx).is_err());

        let required = |child: Column| {
            let data_type = DataType::List(Field::new("item", DataType::Int8, false).into());
            let parts = ColumnParts::new(data_type, ctx.stream.device(), 2).buffer(offsets(&[0, 3, 7], ctx));
            Column::try_from_parts(parts.child(child)).unwrap()
        };
        assert_eq!(fault(&required(numbers(0))), None);
        assert_eq!(fault(&required(numbers(0b0001_0000))), Some((4, vec![0])));
    });
}

#[test]
fn the_first_of_many_rows_is_reported() {
    with_resource(|ctx| {
        let rows = 200_000;
        let mut ends: Vec<i32> = (0..=rows).collect();
        let mut bytes = vec![b'x'; rows as usize];
        for row in [190_001, 70_123, 70_124] {
            bytes[row] = 0x80;
        }
        let fault = |column: &Column| match validate(column.view(), ctx) {
            Err(Error::BrokenData { rule, row, .. }) => (rule, row),
            other => panic!("{other:?}"),
        };
        assert_eq!(fault(&text(&ends, &bytes, ctx)), (DataRule::Text, Some(70_123)));
        ends[150_000] = 7;
        assert_eq!(fault(&text(&ends, &bytes, ctx)), (DataRule::Offsets, Some(149_999)));
    });
}
