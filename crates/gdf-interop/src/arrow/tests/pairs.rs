//! Round trips of every type between gdf and arrow-rs, and from gdf to gdf.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::{Array, ArrayRef, Int64Array, StructArray, make_array};
use gdf_core::{Column, DataType, Table};

use super::{arrays, as_foreign, column, cpu, in_struct, schema_of, without_nulls};
use crate::{
    ArrowDeviceArray, InteropError, from_arrow_device, from_arrow_device_table, to_arrow_device, to_arrow_schema,
};

/// Returns arrays of several shapes, such as sliced or nested arrays, each with the name of its shape.
fn cases() -> Vec<(&'static str, ArrayRef)> {
    let rows = if cfg!(miri) { 13 } else { 29 };
    let full = arrays::all(rows);
    if cfg!(miri) {
        // Miri is slow.
        let few = full.iter().step_by(5).map(|array| ("sliced", array.slice(3, rows - 5)));
        return few.chain(full.iter().skip(36).step_by(4).map(|array| ("nested", in_struct(array)))).collect();
    }
    let mut cases: Vec<(&str, ArrayRef)> = Vec::new();
    cases.extend(full.iter().map(|array| ("nulls", array.clone())));
    cases.extend(full.iter().map(|array| ("no nulls", without_nulls(array))));
    cases.extend(full.iter().map(|array| ("sliced", array.slice(3, rows - 5))));
    cases.extend(full.iter().map(|array| ("sliced by bytes", array.slice(8, rows - 8))));
    cases.extend(arrays::all(0).into_iter().map(|array| ("empty", array)));
    cases.extend(full.iter().map(|array| ("nested", in_struct(array))));
    cases.extend(full.iter().map(|array| ("nested, sliced by bytes", in_struct(array).slice(8, rows - 10))));
    cases
}

fn export(column: &Column, owning: bool) -> ArrowDeviceArray {
    let (stream, _) = cpu();
    if owning { to_arrow_device(column.clone(), &stream).unwrap() } else { to_arrow_device(column, &stream).unwrap() }
}

#[test]
fn to_and_from_ourselves() {
    let (stream, mr) = cpu();
    let released = Arc::new(AtomicUsize::new(0));
    let mut pairs = 0;
    for (shape, array) in cases() {
        for (owning, foreign) in [(false, false), (false, true), (true, false), (true, true)] {
            let column = column(&array);
            let mut exported = export(&column, owning);
            if foreign {
                exported = as_foreign(exported, &released);
            }
            let address = |column: &Column| column.buffers().first().map(|buffer| buffer.foreign_owner().is_some());
            // SAFETY: gdf exported the array.
            let again = unsafe { from_arrow_device(exported, &schema_of(&array), &stream, mr.as_ref()) }
                .unwrap_or_else(|error| panic!("{shape} {}: {error}", array.data_type()));
            assert!(again.validated());
            assert_ne!((array.is_empty(), address(&again)), (false, Some(false)), "{shape} {}", array.data_type());
            drop(column);
            assert_eq!(&again.to_arrow(&stream).unwrap(), &array, "{shape} {}", array.data_type());
            pairs += 1;
        }
    }
    assert_eq!(released.load(Ordering::SeqCst), pairs / 2);
    println!("{pairs} pairs with ourselves");
}

#[test]
fn to_arrow_rs() {
    let mut pairs = 0;
    for (shape, array) in cases() {
        for owning in [false, true] {
            let exported = export(&column(&array), owning);
            let (ffi, schema) = (exported.into_array().unwrap(), schema_of(&array));
            // SAFETY: gdf exported the array.
            let data = unsafe { from_ffi(FFI_ArrowArray::from(ffi), &FFI_ArrowSchema::from(schema)) };
            let data = data.unwrap_or_else(|error| panic!("{shape} {}: {error}", array.data_type()));
            data.validate_full().unwrap_or_else(|error| panic!("{shape} {}: {error}", array.data_type()));
            assert_eq!(&make_array(data), &array, "{shape} {}", array.data_type());
            pairs += 1;
        }
    }
    println!("{pairs} pairs to arrow-rs");
}

#[test]
fn from_arrow_rs() {
    let (stream, mr) = cpu();
    let mut pairs = 0;
    for (shape, array) in cases() {
        let data = array.to_data();
        let (ffi, schema) = (FFI_ArrowArray::new(&data), FFI_ArrowSchema::try_from(array.data_type()).unwrap());
        // SAFETY: arrow-rs made the array.
        let column = unsafe { from_arrow_device(ffi.into(), &schema.into(), &stream, mr.as_ref()) };
        let column = column.unwrap_or_else(|error| panic!("{shape} {}: {error}", array.data_type()));
        drop(data);
        assert_eq!(&column.to_arrow(&stream).unwrap(), &array, "{shape} {}", array.data_type());
        pairs += 1;
    }
    println!("{pairs} pairs from arrow-rs");
}

#[test]
fn tables_go_as_struct_arrays() {
    let (stream, mr) = cpu();
    let columns: Vec<Column> = arrays::all(13).iter().map(|array| column(array)).collect();
    let table = Table::try_new(columns).unwrap().slice(2, 9).unwrap();
    let schema = table.schema(&[]);
    let exported = to_arrow_device(&table, &stream).unwrap();
    // SAFETY: gdf exported the array.
    let again = unsafe {
        from_arrow_device_table(exported, &to_arrow_schema(&*schema).unwrap(), &stream, mr.as_ref()).unwrap()
    };
    assert_eq!(again.to_arrow(&schema, &stream).unwrap(), table.to_arrow(&schema, &stream).unwrap());
    // The table has no columns, but it has rows.
    let none = Table::try_with_rows(vec![], 7).unwrap();
    let exported = to_arrow_device(none, &stream).unwrap();
    let schema = to_arrow_schema(&DataType::Struct(gdf_core::Fields::empty())).unwrap();
    // SAFETY: gdf exported the array.
    let again = unsafe { from_arrow_device_table(exported, &schema, &stream, mr.as_ref()).unwrap() };
    assert_eq!(again.num_rows(), 7);
}

#[test]
fn a_struct_with_null_rows_is_no_table() {
    let (stream, mr) = cpu();
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..8));
    let array = in_struct(&numbers);
    for null_count in [2, -1] {
        let mut exported = to_arrow_device(column(&array), &stream).unwrap();
        exported.array.null_count = null_count;
        // SAFETY: gdf exported the array.
        let table = unsafe { from_arrow_device_table(exported, &schema_of(&array), &stream, mr.as_ref()) };
        assert!(matches!(table, Err(InteropError::TopLevelNulls { count: 2 })), "{null_count}");
    }
    // The mask marks only rows outside of the slice as null.
    let exported = to_arrow_device(column(&array).slice(4, 3).unwrap(), &stream).unwrap();
    // SAFETY: gdf exported the array.
    let table = unsafe { from_arrow_device_table(exported, &schema_of(&array), &stream, mr.as_ref()).unwrap() };
    assert_eq!(&table.column(0).unwrap().to_arrow(&stream).unwrap(), &numbers.slice(4, 3));
}

#[test]
fn misaligned_buffers_are_copied_and_counted() {
    let (stream, mr) = cpu();
    let bytes: Vec<u8> = (0..81).collect();
    let shifted = arrow_buffer::Buffer::from_vec(bytes).slice(1);
    let build = |data_type: DataType, len| {
        let builder = arrow_data::ArrayData::builder(data_type).len(len).add_buffer(shifted.clone());
        // SAFETY: all bytes are valid integers. Only the address of the integers is misaligned.
        unsafe { builder.build_unchecked() }
    };
    for (data_type, copies) in [(DataType::Int8, 0), (DataType::Int64, 1)] {
        let data = build(data_type.clone(), 10);
        let before = gdf_core::copied_misaligned();
        let schema = to_arrow_schema(&data_type).unwrap();
        // SAFETY: arrow-rs made the array.
        let column =
            unsafe { from_arrow_device(FFI_ArrowArray::new(&data).into(), &schema, &stream, mr.as_ref()).unwrap() };
        assert!(gdf_core::copied_misaligned() >= before + copies);
        assert_eq!(column.buffers()[0].foreign_owner().is_some(), copies == 0);
        let mut expected = data;
        expected.align_buffers();
        assert_eq!(&column.to_arrow(&stream).unwrap(), &make_array(expected));
    }
}

#[test]
fn offsets_of_structs_reach_their_children() {
    let (stream, _) = cpu();
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..40));
    let array = in_struct(&numbers);
    let exported = to_arrow_device(column(&array).slice(13, 20).unwrap(), &stream).unwrap();
    // A mask can only move by whole bytes.
    assert_eq!(exported.array.offset, 5);
    let array: StructArray = array.slice(13, 20).to_data().into();
    let (ffi, schema) = (exported.into_array().unwrap(), schema_of(&array));
    // SAFETY: gdf exported the array.
    let data = unsafe { from_ffi(ffi.into(), &schema.into()).unwrap() };
    assert_eq!(StructArray::from(data), array);
}
