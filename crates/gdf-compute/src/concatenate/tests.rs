//! Tests that concatenated columns equal their pieces, and that invalid inputs are errors.

use gdf_core::{Column, ColumnParts, DataType, Scalar, Validity, make_structs_column};
use gdf_driver::Stream;
use gdf_memory::Resources;
use gdf_memory::{Resource, StatisticsResource};

use super::*;

fn setup() -> (Stream, Resource) {
    gdf_engine::test_device::setup()
}

fn ints(values: &[Option<i64>]) -> Column {
    let (stream, mr) = setup();
    Column::from_options_on(values, &stream, mr.as_ref()).unwrap()
}

fn run(columns: &[&Column]) -> Result<Column> {
    let (stream, mr) = setup();
    let views: Vec<_> = columns.iter().map(|column| column.view()).collect();
    concatenate_columns(&views, Ctx::new(&stream, &mr))
}

fn int_at(column: &Column, row: usize) -> Option<i64> {
    let (stream, _) = setup();
    Scalar::from_column(column.slice(row, 1).unwrap()).unwrap().value_on(&stream).unwrap()
}

fn text_at(column: &Column, row: usize) -> Option<String> {
    let (stream, _) = setup();
    Scalar::from_column(column.slice(row, 1).unwrap()).unwrap().value_on::<String>(&stream).unwrap()
}

#[test]
fn bits_are_joined_at_any_boundary() {
    let (stream, mr) = setup();
    let value = |row: usize| (!row.is_multiple_of(3)).then_some(row.is_multiple_of(5) || row.is_multiple_of(7));
    for lengths in [&[1, 1, 1][..], &[31, 2, 40], &[64, 64], &[63, 1, 130, 5], &[1000, 7, 33]] {
        let all: Vec<_> = (0..lengths.iter().sum::<usize>() + 3).map(value).collect();
        let whole = Column::from_options_on(&all, &stream, mr.as_ref()).unwrap();
        let mut at = 3;
        let pieces: Vec<_> = lengths
            .iter()
            .map(|&len| {
                at += len;
                whole.slice(at - len, len).unwrap()
            })
            .collect();
        let result = run(&pieces.iter().collect::<Vec<_>>()).unwrap();
        let one = |row| Scalar::from_column(result.slice(row, 1).unwrap()).unwrap().value_on::<bool>(&stream).unwrap();
        assert_eq!((0..result.len()).map(one).collect::<Vec<_>>(), all[3..]);
        assert_eq!(result.null_count_on(&stream).unwrap(), all[3..].iter().filter(|value| value.is_none()).count());
    }
}

#[test]
fn one_input_with_rows_is_shared() {
    let column = ints(&[Some(1), None, Some(3)]);
    let none = ints(&[]);
    for inputs in [&[&column][..], &[&none, &column], &[&column, &none, &none]] {
        let result = run(inputs).unwrap();
        assert_eq!(result.len(), 3);
        assert!(result.buffers()[0].same_allocation(&column.buffers()[0]));
    }
    let result = run(&[&none, &none]).unwrap();
    assert_eq!((result.len(), result.data_type()), (0, &DataType::Int64));
}

#[test]
fn a_mask_is_made_only_if_a_piece_has_one() {
    let (full, holes) = (ints(&[Some(1), Some(2)]), ints(&[None, Some(4)]));
    assert!(!run(&[&full, &full]).unwrap().has_validity());
    let result = run(&[&full, &holes]).unwrap();
    assert_eq!((0..4).map(|row| int_at(&result, row)).collect::<Vec<_>>(), [Some(1), Some(2), None, Some(4)]);
}

#[test]
fn the_type_is_the_firsts() {
    let (stream, mr) = setup();
    let decimal = |precision| {
        let data_type = DataType::Decimal64(precision, 2);
        gdf_core::Column::from_options_typed_on(&[Some(150_i64)], &data_type, &stream, mr.as_ref()).unwrap()
    };
    let none = decimal(12).slice(0, 0).unwrap();
    assert_eq!(run(&[&decimal(9), &decimal(10)]).unwrap().data_type(), &DataType::Decimal64(9, 2));
    assert_eq!(run(&[&none, &decimal(10)]).unwrap().data_type(), &DataType::Decimal64(12, 2));
}

#[test]
fn bytes_under_nulls_are_left_out() {
    let (stream, mr) = setup();
    let text = Column::from_strs_on(&[Some("secret"), Some("b"), Some("c")], &stream, mr.as_ref()).unwrap();
    let mask = Validity::from_bools_on([false, true, true].into_iter(), &stream, mr.as_ref()).unwrap().unwrap();
    let parts = text.clone().into_parts();
    let dirty = ColumnParts { validity: Some(mask.mask), null_count: mask.null_count, sanitized: false, ..parts };
    let dirty = Column::try_from_parts(dirty).unwrap();
    let result = run(&[&text, &dirty]).unwrap();
    let rows: Vec<_> = (0..6).map(|row| text_at(&result, row)).collect();
    let expected = [Some("secret"), Some("b"), Some("c"), None, Some("b"), Some("c")];
    assert_eq!(rows, expected.map(|row| row.map(str::to_owned)));
    assert_eq!(result.buffers()[1].to_host(&stream).unwrap(), b"secretbcbc");
}

#[test]
fn text_that_offsets_cannot_say_is_not_copied() {
    let (stream, mr) = setup();
    let counted = StatisticsResource::new(mr.clone());
    let resource = Resource::new(counted.clone());
    let (many, long) = (32, "x".repeat(1 << 26));
    let text = |rows: [&str; 2]| Column::from_strs_on(&rows.map(Some), &stream, mr.as_ref()).unwrap();
    let whole = text([&long, ""]);
    let hiding = |column: Column, valid: [bool; 2]| {
        let mask = Validity::from_bools_on(valid.into_iter(), &stream, mr.as_ref()).unwrap().unwrap();
        let (validity, null_count) = (Some(mask.mask), mask.null_count);
        Column::try_from_parts(ColumnParts { validity, null_count, sanitized: false, ..column.into_parts() }).unwrap()
    };
    let joined = |text: &Column| {
        let mut columns = vec![ints(&[Some(1), None]); 40];
        columns.push(text.clone());
        let table = Table::try_new(columns).unwrap();
        gdf_engine::check::table(&table.view(), Ctx::new(&stream, &mr)).unwrap();
        counted.push();
        let result = concatenate(&vec![table.view(); many], Ctx::new(&stream, &resource));
        (result, counted.pop().unwrap().bytes.total)
    };
    for (text, needed) in [(&whole, 1_u64 << 31), (&hiding(text([&long, "y"]), [true, false]), 1 << 31)] {
        let (result, bytes) = joined(text);
        assert!(
            matches!(result, Err(Error::OffsetOverflow { needed: reported, .. }) if reported == needed),
            "{:?}",
            result.err()
        );
        assert!(bytes < 1 << 20 && (bytes == 0 || stream.device().is_cuda()), "{bytes} bytes were allocated");
    }
    // The bytes of null rows do not count as bytes of the result.
    let (result, _) = joined(&hiding(text([&long, "ab"]), [false, true]));
    let result = result.unwrap();
    assert_eq!(result.columns()[40].buffers()[1].to_host(&stream).unwrap(), "ab".repeat(many).as_bytes());
}

#[test]
fn nulls_of_structs_reach_their_fields() {
    let (stream, mr) = setup();
    let field = ints(&[Some(1), Some(2)]);
    let mask = Validity::from_bools_on([false, true].into_iter(), &stream, mr.as_ref()).unwrap();
    let column = make_structs_column(vec![field], mask).unwrap();
    let result = run(&[&column, &column]).unwrap();
    assert_eq!(result.null_count_on(&stream).unwrap(), 2);
    let child = &result.children()[0];
    assert_eq!((0..4).map(|row| int_at(child, row)).collect::<Vec<_>>(), [None, Some(2), None, Some(2)]);
}

#[test]
fn dictionaries_share_their_values() {
    let (stream, mr) = setup();
    let make = || {
        let keys = Column::from_slice_on(&[0_i32, 1, 0], &stream, mr.as_ref()).unwrap();
        let values = Column::from_strs_on(&[Some("x"), Some("y")], &stream, mr.as_ref()).unwrap();
        Column::try_from_parts(ColumnParts::dictionary(keys, values)).unwrap()
    };
    let column = make();
    let result = run(&[&column.slice(1, 2).unwrap(), &column]).unwrap();
    assert_eq!(
        result.buffers()[0].to_host(&stream).unwrap(),
        [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    );
    assert!(result.children()[0].buffers()[1].same_allocation(&column.children()[0].buffers()[1]));
    let apart = run(&[&column, &make()]).unwrap();
    assert_eq!((apart.len(), apart.children()[0].len()), (6, 2));
}

#[test]
fn tables_without_columns_add_their_rows() {
    let (stream, mr) = setup();
    let table = |rows| TableView::try_with_rows(vec![], rows).unwrap();
    let tables: Vec<_> = (0..50).map(table).collect();
    let result = concatenate(&tables, Ctx::new(&stream, &mr)).unwrap();
    assert_eq!((result.num_columns(), result.num_rows()), (0, 49 * 50 / 2));
    let tables = [table(usize::MAX - 1), table(usize::MAX - 1)];
    assert!(matches!(concatenate(&tables, Ctx::new(&stream, &mr)), Err(Error::InvalidArgument { .. })));
}

#[test]
fn differences_are_typed_errors() {
    let (stream, mr) = setup();
    let resources = Resources::from(&mr);
    assert!(matches!(concatenate(&[], Ctx::new(&stream, resources)), Err(Error::InvalidArgument { .. })));
    let (number, text) = (ints(&[Some(1)]), Column::from_strs_on(&[Some("a")], &stream, mr.as_ref()).unwrap());
    assert!(matches!(run(&[&number, &text]), Err(Error::TypeMismatch { .. })));
    let tables = [
        TableView::try_new(vec![number.view()]).unwrap(),
        TableView::try_new(vec![number.view(), number.view()]).unwrap(),
    ];
    assert!(matches!(
        concatenate(&tables, Ctx::new(&stream, resources)),
        Err(Error::ColumnCount { expected: 1, found: 2, .. })
    ));
    let list = DataType::ListView(std::sync::Arc::new(gdf_core::Field::new_list_field(DataType::Int32, true)));
    let list = Column::nulls_on(&list, 2, &stream, mr.as_ref()).unwrap();
    assert_eq!(run(&[&list, &list]).unwrap().null_count_on(&stream).unwrap(), 4);
    assert_eq!(run(&[&list]).unwrap().len(), 2);
}
