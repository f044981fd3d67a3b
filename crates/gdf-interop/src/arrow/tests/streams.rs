//! Tests of streams of tables between gdf and arrow-rs in both directions, and of errors of streams.

use std::sync::Arc;

use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int8Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StringArray,
};
use gdf_core::{Column, DataRule, Error, Field, Schema, SchemaRef, Table};

use super::{arrays, as_foreign, column, cpu};
use crate::{
    ArrowArray, ArrowArrayStream, ArrowDeviceArray, ArrowDeviceArrayStream, ArrowSchema, DeviceType, InteropError,
    from_arrow_device_stream, from_arrow_device_table, from_arrow_stream, to_arrow_device, to_arrow_device_stream,
    to_arrow_host, to_arrow_stream,
};

fn tables() -> (SchemaRef, Vec<Table>) {
    let columns: Vec<Column> = arrays::all(17).iter().map(|array| column(array)).collect();
    let table = Table::try_new(columns).unwrap();
    let parts = [(0, 17), (3, 9), (16, 1), (5, 0)].map(|(start, rows)| table.slice(start, rows).unwrap());
    (table.schema(&["first"]), parts.to_vec())
}

fn batches(schema: &SchemaRef, tables: &[Table]) -> Vec<RecordBatch> {
    tables.iter().map(|table| table.to_arrow(schema, &cpu().0).unwrap()).collect()
}

fn ok(tables: &[Table]) -> impl Iterator<Item = Result<Table, InteropError>> + Send + use<> {
    let tables = tables.to_vec();
    tables.into_iter().map(Ok)
}

#[test]
fn to_and_from_ourselves() {
    let (stream, mr) = cpu();
    let (schema, tables) = tables();
    let host = to_arrow_stream(&schema, ok(&tables), &stream);
    let device = to_arrow_device_stream(&schema, ok(&tables), &stream);
    assert_eq!(device.device_type(), DeviceType::CPU);
    // SAFETY: gdf exported the streams.
    let readers = unsafe {
        [from_arrow_stream(host, &stream, &mr).unwrap(), from_arrow_device_stream(device, &stream, &mr).unwrap()]
    };
    for reader in readers {
        assert_eq!(reader.schema(), &*schema);
        let read: Vec<Table> = reader.map(Result::unwrap).collect();
        assert_eq!(batches(&schema, &read), batches(&schema, &tables));
    }
}

#[test]
fn to_and_from_arrow_rs() {
    let (stream, mr) = cpu();
    let (schema, tables) = tables();
    let expected = batches(&schema, &tables);
    let exported = FFI_ArrowArrayStream::from(to_arrow_stream(&schema, ok(&tables), &stream));
    let reader = ArrowArrayStreamReader::try_new(exported).unwrap();
    assert_eq!(reader.schema(), schema);
    assert_eq!(reader.map(Result::unwrap).collect::<Vec<_>>(), expected);

    let batches = RecordBatchIterator::new(expected.clone().into_iter().map(Ok), schema.clone());
    let theirs = FFI_ArrowArrayStream::new(Box::new(batches));
    // SAFETY: arrow-rs made the stream.
    let reader = unsafe { from_arrow_stream(theirs.into(), &stream, &mr).unwrap() };
    let read: Vec<Table> = reader.map(Result::unwrap).collect();
    assert_eq!(self::batches(&schema, &read), expected);
}

/// Columns on the CPU are exported as columns on the CPU, even if their memory is pinned.
#[test]
fn pinned_memory_is_of_the_cpu_where_its_column_is() {
    let (stream, mr) = cpu();
    let (schema, tables) = tables();
    let types = crate::to_arrow_schema(&*schema).unwrap();
    for (kind, id) in [(DeviceType::CUDA_HOST, 0), (DeviceType::CUDA_HOST, -1), (DeviceType::CUDA_MANAGED, 0)] {
        // The array must look like a foreign array, because only C code could change the device type of an array that
        // gdf exported.
        let mut array = as_foreign(to_arrow_device(&tables[0], &stream).unwrap(), &Arc::default());
        (array.device_type, array.device_id) = (kind, id);
        // SAFETY: gdf exported the array, which lies in memory of the CPU.
        let table = unsafe { from_arrow_device_table(array, &types, &stream, mr.as_ref()).unwrap() };
        let exported = to_arrow_device(&table, &stream).unwrap();
        assert_eq!((exported.device_type(), exported.device_id()), (DeviceType::CPU, -1));
        assert!(to_arrow_host(&table, &stream).unwrap().into_array().is_ok());
        let host = to_arrow_stream(&schema, ok(std::slice::from_ref(&table)), &stream);
        let device = to_arrow_device_stream(&schema, ok(std::slice::from_ref(&table)), &stream);
        // SAFETY: gdf exported the streams.
        let readers = unsafe {
            [from_arrow_stream(host, &stream, &mr).unwrap(), from_arrow_device_stream(device, &stream, &mr).unwrap()]
        };
        for reader in readers {
            let read: Vec<Table> = reader.map(Result::unwrap).collect();
            assert_eq!(batches(&schema, &read), batches(&schema, &tables[..1]));
        }
    }
}

#[test]
fn errors_of_the_producer_arrive_with_their_text_and_end_the_stream() {
    let (stream, mr) = cpu();
    let (schema, tables) = tables();
    let failing = |fault: fn() -> Result<Table, InteropError>| {
        let items = vec![Ok(tables[0].clone()), fault(), Ok(tables[1].clone())];
        let exported = to_arrow_device_stream(&schema, items.into_iter(), &stream);
        // SAFETY: gdf exported the stream.
        unsafe { from_arrow_device_stream(exported, &stream, &mr).unwrap() }
    };
    let mut reader = failing(|| Err(InteropError::Escaped));
    assert!(reader.next().unwrap().is_ok());
    match reader.next().unwrap() {
        Err(InteropError::Producer { code: 5, message }) => assert_eq!(message, InteropError::Escaped.to_string()),
        other => panic!("{:?}", other.map(|table| table.num_rows())),
    }
    assert!(reader.next().is_none());
    // The table has no columns, although the promised schema has columns.
    let mut reader = failing(|| Ok(Table::try_new(vec![]).unwrap()));
    assert!(reader.next().unwrap().is_ok());
    assert!(matches!(reader.next(), Some(Err(InteropError::Producer { .. }))));
}

/// Some producers take the schema of their first batch, which may have no nulls, for all batches.
#[test]
fn null_values_of_dictionaries_break_a_declaration_without_nulls() {
    let (stream, mr) = cpu();
    let values = Arc::new(StringArray::from(vec![Some("a"), None]));
    let array: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(Int8Array::from(vec![0, 1, 0]), values));
    for is_nullable in [false, true] {
        let field = Field::new("k", array.data_type().clone(), is_nullable);
        let schema = Arc::new(Schema::new(vec![field]));
        let batch = RecordBatch::try_new(schema.clone(), vec![array.clone()]).unwrap();
        let theirs = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
        // SAFETY: arrow-rs made the stream.
        let mut reader = unsafe { from_arrow_stream(theirs.into(), &stream, &mr).unwrap() };
        match reader.next().unwrap() {
            Ok(table) => assert!(is_nullable && table.num_rows() == 3),
            Err(InteropError::Core(Error::BrokenData { rule: DataRule::NonNullable, row, path, .. })) => {
                assert_eq!((is_nullable, row, path), (false, Some(1), vec![0]));
            }
            Err(other) => panic!("{other}"),
        }
        assert!(reader.next().is_none());
    }
}

#[test]
fn panics_do_not_cross_the_interface() {
    let (stream, mr) = cpu();
    let (schema, _) = tables();
    let panics = std::iter::from_fn(|| -> Option<Result<Table, InteropError>> { panic!("in the producer") });
    let exported = to_arrow_stream(&schema, panics, &stream);
    // SAFETY: gdf exported the stream.
    let mut reader = unsafe { from_arrow_stream(exported, &stream, &mr).unwrap() };
    assert!(matches!(reader.next(), Some(Err(InteropError::Producer { code: 5, .. }))));
}

#[test]
fn released_streams_are_refused() {
    let (stream, mr) = cpu();
    // SAFETY: a released stream is a valid argument.
    unsafe {
        let host = from_arrow_stream(ArrowArrayStream::empty(), &stream, &mr);
        assert!(matches!(host, Err(InteropError::Released { .. })));
        let device = from_arrow_device_stream(ArrowDeviceArrayStream::empty(), &stream, &mr);
        assert!(matches!(device, Err(InteropError::Released { .. })));
    }
}

#[test]
fn callbacks_refuse_streams_without_private_data() {
    let (stream, _) = cpu();
    let (schema, tables) = tables();
    let mut exported = to_arrow_stream(&schema, ok(&tables), &stream);
    let private = std::mem::replace(&mut exported.private_data, std::ptr::null_mut());
    let (mut out, mut array) = (ArrowSchema::empty(), ArrowArray::empty());
    let (get_schema, get_next) = (exported.get_schema.unwrap(), exported.get_next.unwrap());
    // SAFETY: gdf exported the stream, and both targets have room for a struct.
    let codes = unsafe { (get_schema(&mut exported, &mut out), get_next(&mut exported, &mut array)) };
    assert_eq!(codes, (22, 22));
    exported.private_data = private;
    let device = to_arrow_device_stream(&schema, ok(&tables), &stream);
    let mut array = ArrowDeviceArray::empty();
    let next = device.get_next.unwrap();
    // SAFETY: a null pointer is refused.
    assert_eq!(unsafe { next(std::ptr::null_mut(), &mut array) }, 22);
}
