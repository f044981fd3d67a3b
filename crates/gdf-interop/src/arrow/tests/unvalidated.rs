//! Tests that exports validate unvalidated columns. Safe consumers trust the data that they receive.

use gdf_core::{
    Column, ColumnParts, DataRule, DataType, Error, Field, Fields, NullCount, Schema, Table, Validity,
    make_structs_column,
};
use gdf_driver::{Device, Stream};
use gdf_memory::Buffer;

use super::cpu;
use crate::{ArrowArray, Exportable, Importer, InteropError, to_arrow_device, to_arrow_host, to_arrow_stream};

fn buffer(bytes: &[u8]) -> Buffer {
    let (stream, mr) = cpu();
    Buffer::from_host(bytes, &stream, mr.as_ref()).unwrap()
}

fn text(offsets: &[i32], bytes: &[u8]) -> Column {
    let numbers: Vec<u8> = offsets.iter().flat_map(|offset| offset.to_ne_bytes()).collect();
    let parts = ColumnParts::new(DataType::Utf8, Device::Cpu, offsets.len() - 1);
    Column::try_from_parts(parts.buffer(buffer(&numbers)).buffer(buffer(bytes))).unwrap()
}

/// Exports the table as a stream of arrays, and imports the stream with the reader of arrow-rs.
#[cfg(feature = "arrow-rs")]
fn streamed(table: Table) -> Result<Vec<arrow_array::RecordBatch>, arrow_schema::ArrowError> {
    use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
    let schema = table.schema(&["x"]);
    let tables = vec![Ok::<_, InteropError>(table)].into_iter();
    let stream = to_arrow_stream(&schema, tables, &Stream::cpu());
    ArrowArrayStreamReader::try_new(FFI_ArrowArrayStream::from(stream)).unwrap().collect()
}

#[test]
#[cfg(feature = "arrow-rs")]
fn broken_text_does_not_reach_a_reader_of_streams() {
    let broken = [text(&[0, 1 << 20], &[0xff, 0xfe]), text(&[0, 2], &[0xff, 0xfe]), text(&[0, 2, 1], b"ab")];
    for column in broken {
        let table = Table::try_new(vec![column.clone()]).unwrap();
        assert!(streamed(table.clone()).is_err());
        assert!(to_arrow_host(&table, &Stream::cpu()).is_err());
        assert!(to_arrow_device(&column, &Stream::cpu()).is_err());
        let structs = make_structs_column(vec![column], None).unwrap();
        assert!(to_arrow_device(structs, &Stream::cpu()).is_err());
    }
    let table = Table::try_new(vec![text(&[0, 1, 3], b"abc")]).unwrap();
    assert_eq!(streamed(table).unwrap()[0].num_rows(), 2);
}

/// Consumers may read the offset of an array without rows. Validation does not.
#[test]
fn the_offset_of_an_array_without_rows_is_zero() {
    let (stream, mr) = cpu();
    let strange = text(&[1 << 20], b"ab");
    let empty_slice = text(&[0, 1, 2], b"ab").slice(1, 0).unwrap();
    let large = ColumnParts::new(DataType::LargeBinary, Device::Cpu, 0);
    let large = large.buffer(buffer(&i64::MIN.to_ne_bytes())).buffer(buffer(b"ab"));
    let large = Column::try_from_parts(large).unwrap();
    let numbers = Column::from_slice_on(&[1_i32, 2], &stream, mr.as_ref()).unwrap();
    let lists = ColumnParts::lists(0, buffer(&99_i32.to_ne_bytes()), false, numbers, true);
    let lists = Column::try_from_parts(lists).unwrap();
    for column in [strange, empty_slice, large, lists] {
        let width = if *column.data_type() == DataType::LargeBinary { 8 } else { 4 };
        let check = |array: &ArrowArray| {
            // SAFETY: the array has at least two buffers. The second buffer holds one offset.
            let offset = unsafe { std::slice::from_raw_parts((*array.buffers.add(1)).cast::<u8>(), width) };
            assert_eq!((offset, array.length(), array.offset()), (&[0; 8][..width], 0, 0), "{:?}", column.data_type());
        };
        check(to_arrow_device(&column, &stream).unwrap().array());
        let structs = make_structs_column(vec![column.clone()], None).unwrap();
        let exported = to_arrow_device(structs, &stream).unwrap();
        // SAFETY: the struct has one child.
        check(unsafe { &**exported.array.children });
        // SAFETY: gdf exported the array.
        let again = unsafe {
            let exported = to_arrow_device(&column, &stream).unwrap();
            Importer::of_type(column.data_type().clone()).column(exported, &stream, mr.as_ref()).unwrap()
        };
        assert_eq!((again.len(), again.validated()), (0, true));
    }
}

#[test]
fn fields_without_nulls_have_none() {
    let (stream, mr) = cpu();
    let child = gdf_core::Column::from_options_on(&[Some(1_i32), None, Some(3)], &stream, mr.as_ref()).unwrap();
    let loose = make_structs_column(vec![text(&[0, 1, 2, 3], b"abc"), child], None).unwrap();
    let fields = [Field::new("0", DataType::Utf8, true), Field::new("1", DataType::Int32, false)];
    let strict = DataType::Struct(Fields::from(fields.to_vec()));
    let reported = |result: Result<Column, InteropError>| match result {
        Err(InteropError::Core(Error::BrokenData { rule: DataRule::NonNullable, row: Some(row), path, .. })) => {
            (row, path)
        }
        other => panic!("{other:?}"),
    };
    let strict_column = loose.with_type(strict.clone()).unwrap();
    assert_eq!(reported(to_arrow_device(&strict_column, &stream).map(|_| loose.clone())), (1, vec![1]));
    let table = Table::try_new(vec![loose.clone(), strict_column]).unwrap();
    assert_eq!(reported(to_arrow_host(&table, &stream).map(|_| loose.clone())), (1, vec![1, 1]));
    let import = |importer: Importer| {
        let array = to_arrow_device(&loose, &stream).unwrap();
        // SAFETY: gdf exported the array. The nullability in the schema does not affect the layout of memory.
        unsafe { importer.column(array, &stream, mr.as_ref()) }
    };
    assert_eq!(reported(import(Importer::of_type(strict.clone()))), (1, vec![1]));
    assert!(import(Importer::of_type(loose.data_type().clone())).is_ok());
    let left = import(Importer::of_type(strict.clone()).without_validation()).unwrap();
    assert!(left.to_arrow(&stream).is_err());
    assert_eq!(reported(to_arrow_device(&left, &stream).map(|_| left.clone())), (1, vec![1]));
    // The schema of the table also declares the column without nulls.
    let schema = Schema::new(Fields::from(fields.to_vec()));
    let array = to_arrow_device(&loose, &stream).unwrap();
    // SAFETY: gdf exported the array. The nullability in the schema does not affect the layout of memory.
    let table = unsafe { Importer::of_schema(&schema).table(array, &stream, mr.as_ref()) };
    assert_eq!(reported(table.map(|_| loose.clone())), (1, vec![1]));
}

#[test]
fn claimed_null_counts_do_not_go_out() {
    let (stream, mr) = cpu();
    let child = Column::from_slice_on(&[1_i32; 8], &stream, mr.as_ref()).unwrap();
    let claiming = |null_count| {
        let validity = Validity { mask: buffer(&[0]), null_count };
        make_structs_column(vec![child.clone()], Some(validity)).unwrap()
    };
    assert!(to_arrow_device(claiming(NullCount::Known(0)), &stream).is_err());
    let exported = to_arrow_device(claiming(NullCount::Known(8)), &stream).unwrap();
    assert_eq!(exported.array().null_count(), 8);
}

#[test]
fn counting_nulls_keeps_the_mark() {
    let (stream, mr) = cpu();
    let column = gdf_core::Column::from_strs_on(&[Some("a"), None, Some("c")], &stream, mr.as_ref()).unwrap();
    let counted = Exportable::from(column.slice(1, 2).unwrap()).with_null_counts(&stream).unwrap();
    assert!(counted.columns().iter().all(Column::validated));
    let counted = Exportable::from(text(&[0, 1], b"a")).with_null_counts(&stream).unwrap();
    assert!(!counted.columns()[0].validated());
}

#[test]
fn data_are_believed_where_somebody_promises() {
    let (stream, mr) = cpu();
    let export = || to_arrow_device(text(&[0, 1, 3], b"abc"), &stream).unwrap();
    let importer = Importer::of_type(DataType::Utf8);
    // SAFETY: gdf exported the arrays, after validating them.
    let (left, assumed) = unsafe {
        let left = importer.clone().without_validation().column(export(), &stream, mr.as_ref()).unwrap();
        (left, importer.assume_validated().column(export(), &stream, mr.as_ref()).unwrap())
    };
    assert!(!left.validated() && assumed.validated());
}
