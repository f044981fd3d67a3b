//! Imports of DLPack tensors with errors. The import must return an error or a table whose values can be read, and
//! must free the tensor exactly once.
#![no_main]

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Once;

use gdf_driver::{Device, Stream};
use gdf_interop::DeviceType;
use gdf_interop::DlpackTensor;
use gdf_interop::dlpack::{DLDataType, DLDevice, DLManagedTensorVersioned, DLPackVersion, DLTensor};
use gdf_memory::{LimitingResource, Resource, current_resource, set_current_resource};
use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;

/// The values, extents and strides of a tensor, and the number of times that the tensor was freed.
struct Producer {
    values: [u64; 512],
    extents: [i64; 4],
    strides: [i64; 4],
    freed: u32,
}

unsafe extern "C" fn free(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: the target boxes the tensor below, and the tensor's context outlives the tensor.
    unsafe {
        (*(*tensor).manager_ctx.cast::<Producer>()).freed += 1;
        drop(Box::from_raw(tensor));
    }
}

/// Returns a small number or, rarely, any number.
fn number(bytes: &mut Unstructured<'_>, most: i64) -> Result<i64> {
    if bytes.ratio(1, 16)? { i64::arbitrary(bytes) } else { bytes.int_in_range(-1..=most) }
}

fn tensor(bytes: &mut Unstructured<'_>, producer: &mut Producer) -> Result<DLManagedTensorVersioned> {
    for extent in &mut producer.extents {
        *extent = number(bytes, 8)?;
    }
    for stride in &mut producer.strides {
        *stride = number(bytes, 8)?;
    }
    let dtype = DLDataType {
        code: bytes.int_in_range(0..=7)?,
        bits: *bytes.choose(&[1, 4, 8, 16, 32, 64, 128, 0, 255])?,
        lanes: if bytes.ratio(1, 16)? { u16::arbitrary(bytes)? } else { 1 },
    };
    // The number of dimensions is at most the number of extents, or a number that the importer rejects on its own.
    // The importer cannot check other numbers.
    let ndim = *bytes.choose(&[1, 2, 2, 2, 1, 0, 3, 4, -1, i32::MIN, i32::MAX])?;
    let has_strides = bool::arbitrary(bytes)?;
    let small = |value: &i64| value.unsigned_abs() <= 8;
    // The importer cannot check that the memory is as long as the extents and strides state. Therefore either all
    // extents and strides are small enough for 512 words, or one of them is too large for any memory.
    let all_small = producer.extents.iter().chain(&producer.strides).all(small);
    if !all_small {
        for value in producer.extents.iter_mut().chain(&mut producer.strides).filter(|value| **value > 8) {
            *value |= 1 << 60;
        }
    }
    let byte_offset =
        if bytes.ratio(1, 8)? { u64::MAX - u64::arbitrary(bytes)? % 8 } else { bytes.int_in_range(0..=64)? };
    let device_type = DeviceType(*bytes.choose(&[1, 1, 1, 1, 3, 2, 13, 10, 0, -1])?);
    Ok(DLManagedTensorVersioned {
        version: DLPackVersion { major: if bytes.ratio(1, 32)? { 2 } else { 1 }, minor: u32::arbitrary(bytes)? },
        manager_ctx: (&raw mut *producer).cast::<c_void>(),
        deleter: Some(free),
        flags: u64::arbitrary(bytes)?,
        dl_tensor: DLTensor {
            data: if bytes.ratio(1, 16)? { null_mut() } else { producer.values.as_mut_ptr().cast::<c_void>() },
            device: DLDevice { device_type, device_id: bytes.int_in_range(-1..=1)? },
            ndim,
            dtype,
            shape: if bytes.ratio(1, 32)? { null_mut() } else { producer.extents.as_mut_ptr() },
            strides: if has_strides { producer.strides.as_mut_ptr() } else { null_mut() },
            byte_offset,
        },
    })
}

/// Limits the memory. Extents that no memory can hold must give an error. Without the limit, the sanitizer would stop
/// the program for the request.
fn limit_memory() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let limited =
            LimitingResource::new(current_resource(Device::Cpu).expect("the CPU has a memory resource"), 1 << 28);
        set_current_resource(Device::Cpu, Resource::new(limited)).expect("the resource allocates CPU memory");
    });
}

fuzz_target!(|bytes: &[u8]| {
    limit_memory();
    let producer = Box::into_raw(Box::new(Producer {
        values: std::array::from_fn(|i| i as u64),
        extents: [0; 4],
        strides: [0; 4],
        freed: 0,
    }));
    let stream = Stream::cpu();
    // SAFETY: the producer lives until the target drops it below, and nothing else refers to the producer now.
    if let Ok(managed) = tensor(&mut Unstructured::new(bytes), unsafe { &mut *producer }) {
        // SAFETY: the tensor is boxed, and its deleter frees the box. The tensor describes the producer's values,
        // except for errors that the importer finds.
        let table =
            unsafe { DlpackTensor::from_raw(Box::into_raw(Box::new(managed)), &stream) }.and_then(|t| t.into_table());
        if let Ok(table) = table {
            for column in table.columns() {
                column.to_arrow(&stream).expect("an imported column can be exported");
            }
        }
        // SAFETY: the tensor is freed, so nothing else refers to the producer.
        assert_eq!(unsafe { (*producer).freed }, 1);
    }
    // SAFETY: the producer comes from `Box::into_raw` above, and is dropped only here.
    drop(unsafe { Box::from_raw(producer) });
});
