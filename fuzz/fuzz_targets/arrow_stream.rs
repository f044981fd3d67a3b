//! Imports of streams of arrays with errors in the schema, the arrays and the return codes. The import must return
//! errors or tables, and must release the stream exactly once.
#![no_main]

#[path = "../../crates/gdf-interop/src/arrow/tests/tree_builder.rs"]
mod tree_builder;

use std::ffi::{c_char, c_int, c_void};

use gdf_driver::{Device, Stream};
use gdf_interop::{ArrowArray, ArrowArrayStream, ArrowSchema, from_arrow_stream};
use gdf_memory::current_resource;
use libfuzzer_sys::fuzz_target;

use crate::tree_builder::Tree;

#[repr(C)]
struct RawStream {
    get_schema: Option<unsafe extern "C" fn(*mut RawStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut RawStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut RawStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut RawStream)>,
    private_data: *mut c_void,
}

/// The remaining contents of the stream, and the answers of its callbacks.
struct Producer {
    schema: ArrowSchema,
    array: ArrowArray,
    answers: [u8; 4],
    released: u32,
}

/// # Safety
/// - `stream` must be a live stream of this program.
unsafe fn producer<'a>(stream: *mut RawStream) -> &'a mut Producer {
    // SAFETY: the caller passes a live stream, whose `private_data` points to a `Producer`. The producer outlives the
    // stream.
    unsafe { &mut *(*stream).private_data.cast::<Producer>() }
}

unsafe extern "C" fn get_schema(stream: *mut RawStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the consumer passes a live stream, and a place for a schema.
    unsafe {
        let producer = producer(stream);
        ArrowSchema::from_raw(&raw mut producer.schema).write_to(out);
        c_int::from(producer.answers[0] > 250)
    }
}

unsafe extern "C" fn get_next(stream: *mut RawStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: the consumer passes a live stream, and a place for an array. `write_to` moves the array out. A second
    // call therefore returns a released array, which ends the stream.
    unsafe {
        let producer = producer(stream);
        ArrowArray::from_raw(&raw mut producer.array).write_to(out);
        c_int::from(producer.answers[1] > 250)
    }
}

unsafe extern "C" fn get_last_error(stream: *mut RawStream) -> *const c_char {
    // SAFETY: the consumer passes a live stream.
    match unsafe { producer(stream) }.answers[2] {
        0..=99 => std::ptr::null(),
        100..=199 => c"broken".as_ptr(),
        _ => c"\xff\xfe".as_ptr(),
    }
}

unsafe extern "C" fn release(stream: *mut RawStream) {
    // SAFETY: the consumer passes a live stream.
    unsafe {
        producer(stream).released += 1;
        (*stream).release = None;
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((answers, bytes)) = bytes.split_first_chunk::<4>() else { return };
    let released = Tree::visit(bytes, |array, schema| {
        // SAFETY: the structs have the layout of `ArrowArray` and `ArrowSchema` and live until this function returns.
        let (array, schema) = unsafe { (ArrowArray::from_raw(array.cast()), ArrowSchema::from_raw(schema.cast())) };
        let mut producer = Producer { schema, array, answers: *answers, released: 0 };
        let has = |bit: u8| answers[3] != bit;
        let mut raw = RawStream {
            get_schema: has(1).then_some(get_schema as _),
            get_next: has(2).then_some(get_next as _),
            get_last_error: has(3).then_some(get_last_error as _),
            release: has(4).then_some(release as _),
            private_data: (&raw mut producer).cast::<c_void>(),
        };
        let had_stream = raw.release.is_some();
        let mr = current_resource(Device::Cpu).expect("the CPU has a memory resource");
        // SAFETY: the struct has the layout of `ArrowArrayStream`. The builder keeps the properties true that the
        // importer cannot check.
        let source = unsafe { ArrowArrayStream::from_raw((&raw mut raw).cast()) };
        // SAFETY: the builder keeps the properties true that the importer cannot check.
        if let Ok(tables) = unsafe { from_arrow_stream(source, &Stream::cpu(), &mr) } {
            for table in tables.take(4).flatten() {
                for column in table.columns() {
                    column.to_arrow(&Stream::cpu()).expect("validated data can be exported");
                }
            }
        }
        assert_eq!(producer.released, u32::from(had_stream));
    });
    assert!(released <= 1, "the tree was released {released} times");
});
