//! Tests of Arrow's interfaces on the CPU: round trips with arrow-rs and within gdf, lifetimes, and structs that the
//! import must refuse.

#[allow(dead_code, unreachable_pub, reason = "shared with gdf-core, which uses all of it")]
#[path = "../../../gdf-core/src/test_arrays.rs"]
mod arrays;
mod lifetimes;
mod malformed;
mod pairs;
mod schemas;
mod scopes;
mod streams;
#[allow(unreachable_pub, reason = "the fuzz target has it at its root")]
mod tree_builder;
mod trees;
mod unvalidated;
mod vouching;

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::{Array, ArrayRef, StructArray, make_array};
use arrow_buffer::NullBuffer;
use gdf_core::{Column, Field, Fields};

use self::arrays::cpu;
use crate::{ArrowArray, ArrowDeviceArray, ArrowSchema, to_arrow_schema};

fn column(array: &dyn Array) -> Column {
    let (stream, mr) = cpu();
    Column::from_arrow(array, &stream, mr.as_ref()).unwrap()
}

fn schema_of(array: &dyn Array) -> ArrowSchema {
    to_arrow_schema(array.data_type()).unwrap()
}

fn without_nulls(array: &ArrayRef) -> ArrayRef {
    // SAFETY: the values of null rows are valid values of these arrays.
    make_array(unsafe { array.to_data().into_builder().nulls(None).build_unchecked() })
}

/// Returns a struct array whose only field is the array.
fn in_struct(array: &ArrayRef) -> ArrayRef {
    let field = Field::new("field", array.data_type().clone(), true);
    let nulls: NullBuffer = (0..array.len()).map(|i| i % 4 != 3).collect();
    Arc::new(StructArray::new(Fields::from(vec![field]), vec![array.clone()], Some(nulls)))
}

/// Makes the array look like a foreign array.
fn as_foreign(array: ArrowDeviceArray, released: &Arc<AtomicUsize>) -> ArrowDeviceArray {
    type Private = (ArrowArray, Arc<AtomicUsize>);
    unsafe extern "C" fn release(array: *mut ArrowArray) {
        // SAFETY: the importer calls the callback once, with the struct that was made below.
        let array = unsafe { &mut *array };
        array.release = None;
        // SAFETY: the pointer came from the box that was made below.
        let (inner, released) = *unsafe { Box::from_raw(array.private_data.cast::<Private>()) };
        released.fetch_add(1, Ordering::SeqCst);
        drop(inner);
    }
    let mut foreign = ArrowArray::empty();
    let inner = array.array;
    foreign.length = inner.length;
    foreign.null_count = inner.null_count;
    foreign.offset = inner.offset;
    foreign.n_buffers = inner.n_buffers;
    foreign.n_children = inner.n_children;
    foreign.buffers = inner.buffers;
    foreign.children = inner.children;
    foreign.dictionary = inner.dictionary;
    foreign.release = Some(release);
    foreign.private_data = Box::into_raw(Box::new((inner, Arc::clone(released)))).cast::<c_void>();
    foreign.into()
}
