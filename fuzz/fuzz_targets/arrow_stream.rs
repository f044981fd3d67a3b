//! Streams of arrays whose schema, arrays and answers are wrong in places: errors or tables, and released exactly once.
#![no_main]

#[path = "../../crates/gdf-interop/src/arrow/tests/tree_builder.rs"]
mod tree_builder;

use std::ffi::{c_char, c_int, c_void};

use gdf_driver::{Device, Stream};
use gdf_interop::{ArrowArray, ArrowArrayStream, ArrowSchema, from_arrow_stream};
use gdf_memory::current_resource;
use libfuzzer_sys::fuzz_target;

use crate::tree_builder::Tree;

/// `struct ArrowArrayStream`.
#[repr(C)]
struct RawStream {
    get_schema: Option<unsafe extern "C" fn(*mut RawStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut RawStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut RawStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut RawStream)>,
    private_data: *mut c_void,
}

/// What the stream has left, and how it answers.
struct Producer {
    schema: ArrowSchema,
    array: ArrowArray,
    answers: [u8; 4],
    released: u32,
}

/// # Safety
/// - A stream of this program that is alive.
unsafe fn producer<'a>(stream: *mut RawStream) -> &'a mut Producer {
    // SAFETY: the caller's promise; the producer outlives the stream.
    unsafe { &mut *(*stream).private_data.cast::<Producer>() }
}

unsafe extern "C" fn get_schema(stream: *mut RawStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: called with a stream that is alive, and a place for a schema.
    unsafe {
        let producer = producer(stream);
        ArrowSchema::from_raw(&raw mut producer.schema).write_to(out);
        c_int::from(producer.answers[0] > 250)
    }
}

unsafe extern "C" fn get_next(stream: *mut RawStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: called with a stream that is alive, and a place for an array; the second one is released, which ends
    // the stream.
    unsafe {
        let producer = producer(stream);
        ArrowArray::from_raw(&raw mut producer.array).write_to(out);
        c_int::from(producer.answers[1] > 250)
    }
}

unsafe extern "C" fn get_last_error(stream: *mut RawStream) -> *const c_char {
    // SAFETY: called with a stream that is alive.
    match unsafe { producer(stream) }.answers[2] {
        0..=99 => std::ptr::null(),
        100..=199 => c"broken".as_ptr(),
        _ => c"\xff\xfe".as_ptr(),
    }
}

unsafe extern "C" fn release(stream: *mut RawStream) {
    // SAFETY: called with a stream that is alive.
    unsafe {
        producer(stream).released += 1;
        (*stream).release = None;
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((answers, bytes)) = bytes.split_first_chunk::<4>() else { return };
    let released = Tree::visit(bytes, |array, schema| {
        // SAFETY: the structs have the layout of ours and live until this function returns.
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
        let mr = current_resource(Device::Cpu).expect("memory of the CPU");
        // SAFETY: the struct has the layout of ours; the builder keeps what cannot be checked.
        let source = unsafe { ArrowArrayStream::from_raw((&raw mut raw).cast()) };
        // SAFETY: as above.
        if let Ok(tables) = unsafe { from_arrow_stream(source, &Stream::cpu(), &mr) } {
            for table in tables.take(4).flatten() {
                for column in table.columns() {
                    column.to_arrow(&Stream::cpu()).expect("what was validated");
                }
            }
        }
        assert_eq!(producer.released, u32::from(had_stream));
    });
    assert!(released <= 1, "released {released} times");
});
