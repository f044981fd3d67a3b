//! Imports of trees of C structs that contain errors. The import must return an error or a column, must not panic,
//! and must release the tree at most once.
//!
//!     cargo +nightly fuzz run arrow_import
#![no_main]

#[path = "../../crates/gdf-interop/src/arrow/tests/tree_builder.rs"]
mod tree_builder;

use gdf_driver::{Device, Stream};
use gdf_interop::{
    ArrowArray, ArrowSchema, from_arrow_device, from_arrow_device_table, to_arrow_device, to_arrow_schema,
};
use gdf_memory::current_resource;
use libfuzzer_sys::fuzz_target;

use crate::tree_builder::{RawArray, RawSchema, Tree};

fn import(array: *mut RawArray, schema: *mut RawSchema) {
    let stream = Stream::cpu();
    let mr = current_resource(Device::Cpu).expect("the CPU has a memory resource");
    // SAFETY: the structs have the layout of `ArrowArray` and `ArrowSchema` and live until this function returns. The
    // builder keeps the properties true that the importer cannot check.
    let (array, schema) = unsafe { (ArrowArray::from_raw(array.cast()), ArrowSchema::from_raw(schema.cast())) };
    // SAFETY: the structs live until this function returns, and the builder keeps the properties true that the
    // importer cannot check.
    let Ok(column) = (unsafe { from_arrow_device(array.into(), &schema, &stream, mr.as_ref()) }) else { return };
    let values = column.to_arrow(&stream).expect("validated data can be exported");
    let middle = column.slice(column.len() / 3, column.len() / 2).expect("the slice lies within the column");
    assert_eq!(
        &middle.to_arrow(&stream).expect("a slice can be exported"),
        &values.slice(column.len() / 3, column.len() / 2)
    );
    let again = to_arrow_schema(column.data_type()).expect("an imported type can be exported");
    let exported = to_arrow_device(column, &stream).expect("a column on the CPU can be exported");
    // SAFETY: `to_arrow_device` has just made the array, so the array is valid.
    drop(unsafe { from_arrow_device_table(exported, &again, &stream, mr.as_ref()) });
}

fuzz_target!(|bytes: &[u8]| {
    let released = Tree::visit(bytes, import);
    assert!(released <= 1, "the tree was released {released} times");
});
