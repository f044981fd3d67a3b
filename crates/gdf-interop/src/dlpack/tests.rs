//! Tests of DLPack on the CPU: round trips, flags, releases, and invalid structs.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gdf_core::{Column, ColumnParts, DataType, Error, NullCount, Table};
use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, HostResource, MemoryError, Resource, SpillManager, SpillOptions};

use super::*;
use crate::{DeviceType, InteropError};

fn setup() -> (Stream, Resource) {
    (Stream::cpu(), Resource::new(HostResource::new()))
}

fn values<T: gdf_core::NativeType>(column: &Column) -> Vec<T> {
    let access = column.buffers()[0].read_on(&Stream::cpu()).unwrap();
    column.view().values::<T>(&access).unwrap().to_vec()
}

fn round_trip(tensor: DlpackTensor) -> DlpackTensor {
    let stream = tensor.stream().clone();
    // SAFETY: `into_raw` gave the tensor away in this expression, so nobody else frees the tensor.
    unsafe { DlpackTensor::from_raw(tensor.into_raw(), &stream) }.unwrap()
}

/// Other owners of the memory cannot let it be spilled while a consumer may read it.
#[test]
fn a_tensor_keeps_its_memory_in_place() {
    let stream = Stream::cpu();
    let manager = SpillManager::new(Resource::new(HostResource::new()), SpillOptions::new());
    let column = Column::from_slice_on(&[7_i64; 5000], &stream, manager.resource().as_ref()).unwrap();
    let tensor = DlpackTensor::from_column(&column, &stream).unwrap();
    column.buffers().iter().for_each(|buffer| {
        manager.watch(buffer);
    });
    assert_eq!(manager.spill(usize::MAX).unwrap(), 0);
    assert_eq!(values::<i64>(&tensor.into_column().unwrap()), [7; 5000]);
    column.buffers().iter().for_each(|buffer| {
        manager.watch(buffer);
    });
    assert!(manager.spill(usize::MAX).unwrap() > 0);
    assert_eq!(values::<i64>(&column), [7; 5000]);
}

#[test]
fn a_column_is_shared_read_only() {
    let (stream, mr) = setup();
    let column = Column::from_slice_on(&[1i64, 2, 3, 4], &stream, mr.as_ref()).unwrap();
    let tail = column.slice(1, 3).unwrap();
    let tensor = round_trip(DlpackTensor::from_column(&tail, &stream).unwrap());
    assert!(tensor.is_read_only() && !tensor.is_copied());
    let DLTensor { ndim, dtype, device, byte_offset, .. } = *tensor.tensor();
    assert_eq!((ndim, byte_offset), (1, 0));
    assert_eq!(device, DLDevice { device_type: DeviceType::CPU, device_id: 0 });
    assert_eq!((dtype, dtype.width()), (DLDataType { code: 0, bits: 64, lanes: 1 }, 8));
    drop((column, tail));
    let back = tensor.into_column().unwrap();
    assert_eq!(values::<i64>(&back), [2, 3, 4]);
    assert!(matches!(back.clone().write_values_on(&stream), Err(Error::Memory(gdf_memory::MemoryError::Shared))));
}

/// Some operations on CUDA put the values, the mask and the null count in one allocation.
#[test]
fn a_mask_without_nulls_does_not_share_the_values() {
    let (stream, mr) = setup();
    let all = Buffer::from_host(&[0xff; 72], &stream, mr.as_ref()).unwrap();
    let parts = ColumnParts::new(DataType::Int8, Device::Cpu, 8).buffer(all.slice(0, 8).unwrap());
    let parts = parts.validity(Some(all.slice(64, 1).unwrap()), NullCount::Unknown);
    drop(all);
    let tensor = DlpackTensor::from_owned_column(Column::try_from_parts(parts).unwrap(), &stream).unwrap();
    assert!(!tensor.is_read_only());
    assert_eq!(values::<i8>(&tensor.into_column().unwrap()), [-1; 8]);
}

#[test]
fn an_old_form_must_be_writable() {
    let (stream, mr) = setup();
    let column = Column::from_slice_on(&[1.5f32, 2.5], &stream, mr.as_ref()).unwrap();
    let refused = DlpackTensor::from_column(&column, &stream).unwrap().into_legacy();
    assert!(matches!(refused, Err(InteropError::Core(Error::InvalidArgument { .. }))));
    let shared = DlpackTensor::from_owned_column(column.clone(), &stream).unwrap();
    assert!(shared.is_read_only());
    drop(shared);
    let tensor = DlpackTensor::from_owned_column(column, &stream).unwrap();
    assert!(!tensor.is_read_only());
    let legacy = tensor.into_legacy().unwrap();
    // SAFETY: nobody else uses the memory, and the memory holds two floats.
    unsafe { (*legacy).dl_tensor.data.cast::<f32>().write(7.5) };
    // SAFETY: the tensor was made above and is given away once.
    let back = unsafe { DlpackTensor::from_legacy(legacy, &stream) }.unwrap();
    assert_eq!(values::<f32>(&back.into_column().unwrap()), [7.5, 2.5]);
}

#[test]
fn tables_are_column_major() {
    let (stream, mr) = setup();
    let a = Column::from_slice_on(&[1u16, 2, 3], &stream, mr.as_ref()).unwrap();
    let b = Column::from_slice_on(&[9u16, 4, 5, 6], &stream, mr.as_ref()).unwrap().slice(1, 3).unwrap();
    let table = Table::try_new(vec![a.clone(), b]).unwrap();
    let tensor = round_trip(DlpackTensor::from_table(table.view(), &stream, mr.as_ref()).unwrap());
    assert!(tensor.is_copied() && !tensor.is_read_only());
    assert_eq!(tensor.tensor().ndim, 2);
    // SAFETY: two extents and strides, as `ndim` says.
    let (shape, strides) =
        unsafe { (*tensor.tensor().shape.cast::<[i64; 2]>(), *tensor.tensor().strides.cast::<[i64; 2]>()) };
    assert_eq!((shape, strides), ([3, 2], [1, 3]));
    // SAFETY: the tensor is alive, and its memory is written.
    let copy = unsafe { DlpackTensor::copy_tensor(tensor.tensor(), &stream, mr.as_ref()) }.unwrap();
    let back = tensor.into_table().unwrap();
    for table in [copy, back] {
        assert_eq!(values::<u16>(&table.columns()[0]), [1, 2, 3]);
        assert_eq!(values::<u16>(&table.columns()[1]), [4, 5, 6]);
    }
    let one = Table::try_new(vec![a]).unwrap();
    assert_eq!(DlpackTensor::from_table(one.view(), &stream, mr.as_ref()).unwrap().tensor().ndim, 1);
}

#[test]
fn tables_are_copied_to_memory_of_the_caller() {
    let (stream, mr) = setup();
    let column = |values: &[i32]| Column::from_slice_on(values, &stream, mr.as_ref()).unwrap();
    let table = Table::try_new(vec![column(&[1, 2, 3]), column(&[9, 4, 5, 6]).slice(1, 3).unwrap()]).unwrap();
    let mut array = Buffer::from_host(bytemuck::cast_slice(&[7_i32; 7]), &stream, mr.as_ref()).unwrap();
    table_to_array(table.view(), &mut array, &stream).unwrap();
    assert_eq!(array.read_on(&stream).unwrap().as_slice::<i32>().unwrap(), [1, 2, 3, 4, 5, 6, 7]);
    let few = table_to_array(table.view(), &mut Buffer::from_host(&[7_u8; 23], &stream, mr.as_ref()).unwrap(), &stream);
    assert!(matches!(few, Err(InteropError::Core(Error::InvalidArgument { .. }))), "{few:?}");
    let shared = array.clone();
    let refused = table_to_array(table.view(), &mut array, &stream);
    assert!(matches!(refused, Err(InteropError::Core(Error::Memory(MemoryError::Shared)))), "{refused:?}");
    drop(shared);
    let flags = Column::from_slice_on(&[true, false, true], &stream, mr.as_ref()).unwrap();
    let mixed = Table::try_new(vec![flags.clone(), column(&[1, 2, 3])]).unwrap();
    let refused = table_to_array(mixed.view(), &mut array, &stream);
    assert!(matches!(refused, Err(InteropError::Core(Error::TypeMismatch { .. }))), "{refused:?}");
    let flags = Table::try_new(vec![flags]).unwrap();
    table_to_array(flags.view(), &mut array, &stream).unwrap();
    assert_eq!(array.read_on(&stream).unwrap().as_slice::<u8>().unwrap()[..3], [1, 0, 1]);
}

#[test]
fn booleans_become_bytes_and_bits() {
    let (stream, mr) = setup();
    let bits = [true, false, false, true, true, false, true, true, true, false];
    let column = Column::from_slice_on(&bits, &stream, mr.as_ref()).unwrap().slice(3, 7).unwrap();
    let tensor = round_trip(DlpackTensor::from_column(&column, &stream).unwrap());
    assert!(tensor.is_copied());
    assert_eq!(tensor.tensor().dtype, DLDataType::BOOL);
    let back = tensor.into_column().unwrap();
    assert_eq!(back.data_type(), &DataType::Boolean);
    let access = back.buffers()[0].read_on(&stream).unwrap();
    let got: Vec<bool> = gdf_core::bitmask::iter(access.as_slice::<u8>().unwrap(), 0, 7).collect();
    assert_eq!(got, bits[3..]);
    drop(access);
    let table = Table::try_new(vec![column.clone(), column]).unwrap();
    let two = DlpackTensor::from_table(table.view(), &stream, mr.as_ref()).unwrap().into_table().unwrap();
    assert_eq!(two.num_columns(), 2);
}

#[test]
fn empty_columns_have_tensors() {
    let (stream, mr) = setup();
    let column = Column::from_slice_on::<f64>(&[], &stream, mr.as_ref()).unwrap();
    let three = Column::from_slice_on(&[1.5f64, 2.5, 3.5], &stream, mr.as_ref()).unwrap();
    let table = Table::try_new(vec![column.clone(), column.clone()]).unwrap();
    let bools = Column::from_slice_on::<bool>(&[], &stream, mr.as_ref()).unwrap();
    let tensors = [
        DlpackTensor::from_column(&column, &stream),
        DlpackTensor::from_column(&three.slice(2, 0).unwrap(), &stream),
        DlpackTensor::from_owned_column(three.slice(1, 0).unwrap(), &stream),
        DlpackTensor::from_owned_column(column, &stream),
        DlpackTensor::from_table(table.view(), &stream, mr.as_ref()),
        DlpackTensor::from_column(&bools, &stream),
    ];
    for (i, tensor) in tensors.into_iter().enumerate() {
        let tensor = round_trip(tensor.unwrap());
        assert!(tensor.tensor().data.is_null(), "tensor {i}");
        let back = tensor.into_table().unwrap();
        let data_type = if i == 5 { DataType::Boolean } else { DataType::Float64 };
        assert_eq!((back.num_rows(), back.columns()[0].data_type()), (0, &data_type), "tensor {i}");
        assert_eq!(back.num_columns(), if i == 4 { 2 } else { 1 });
    }
    assert!(!DlpackTensor::from_column(&three, &stream).unwrap().tensor().data.is_null());
}

/// Dropping a foreign owner may run any code.
#[test]
#[cfg_attr(miri, ignore = "a buffer whose owner panics loses its block")]
fn panics_of_owners_do_not_leave_the_deleter() {
    #[derive(Debug)]
    struct Panics(Vec<i32>);
    impl Drop for Panics {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Ordering::SeqCst);
            panic!("in the owner");
        }
    }
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    let stream = Stream::cpu();
    let tensor = || {
        let owner = Arc::new(Panics(vec![1, 2, 3]));
        let address = owner.0.as_ptr().expose_provenance() as u64;
        // SAFETY: the vector has three values, which the owner keeps, and which nobody writes.
        let buffer = unsafe { crate::buffer_from_address(address, 12, owner, &stream) }.unwrap();
        let column = Column::try_from_parts(ColumnParts::new(DataType::Int32, Device::Cpu, 3).buffer(buffer)).unwrap();
        DlpackTensor::from_column(&column, &stream).unwrap()
    };
    drop(tensor());
    assert_eq!(DROPPED.load(Ordering::SeqCst), 1);
    // The first tensor becomes the foreign owner of a column's memory. The second tensor is an export of that column.
    let outer = DlpackTensor::from_column(&tensor().into_column().unwrap(), &stream).unwrap();
    drop(round_trip(outer));
    assert_eq!(DROPPED.load(Ordering::SeqCst), 2);
}

#[test]
fn what_dlpack_cannot_say_is_refused() {
    let (stream, mr) = setup();
    let nulls = Column::from_options_on(&[Some(1i32), None], &stream, mr.as_ref()).unwrap();
    assert!(matches!(
        DlpackTensor::from_column(&nulls, &stream),
        Err(InteropError::Core(Error::InvalidArgument { .. }))
    ));
    // The slice has a mask, but no zeros in it.
    assert!(DlpackTensor::from_column(&nulls.slice(0, 1).unwrap(), &stream).is_ok());
    let dates = Column::from_slice_on(&[1i32], &stream, mr.as_ref()).unwrap().bit_cast(DataType::Date32).unwrap();
    assert!(matches!(DlpackTensor::from_column(&dates, &stream), Err(InteropError::Core(Error::Unsupported { .. }))));
    let (a, b) = (dates.bit_cast(DataType::Int32).unwrap(), dates.bit_cast(DataType::UInt32).unwrap());
    let table = Table::try_new(vec![a, b]).unwrap();
    let mixed = DlpackTensor::from_table(table.view(), &stream, mr.as_ref());
    assert!(matches!(mixed, Err(InteropError::Core(Error::TypeMismatch { .. }))));
}

static FREED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count(this: *mut DLManagedTensorVersioned) {
    FREED.fetch_add(1, Ordering::SeqCst);
    // SAFETY: `foreign` made the pointer from a box, and the box is freed once.
    drop(unsafe { Box::from_raw(this) });
}

/// Makes a valid tensor of six `i32` values.
fn foreign(spoil: impl FnOnce(&mut DLManagedTensorVersioned)) -> crate::Result<Table> {
    static VALUES: [i32; 6] = [1, 2, 3, 4, 5, 6];
    let (mut shape, mut strides) = ([3i64, 2], [1i64, 3]);
    let mut managed = Box::new(DLManagedTensorVersioned {
        version: DLPackVersion { major: 1, minor: 3 },
        manager_ctx: std::ptr::null_mut(),
        deleter: Some(count),
        flags: 0,
        dl_tensor: DLTensor {
            data: (&raw const VALUES).cast_mut().cast::<c_void>(),
            device: DLDevice { device_type: DeviceType::CPU, device_id: 0 },
            ndim: 2,
            dtype: DLDataType { code: 0, bits: 32, lanes: 1 },
            shape: shape.as_mut_ptr(),
            strides: strides.as_mut_ptr(),
            byte_offset: 0,
        },
    });
    spoil(&mut managed);
    // SAFETY: the tensor describes a static array, except for the field that `spoil` changed. The import must refuse
    // the changed field before reading the memory.
    unsafe { DlpackTensor::from_raw(Box::into_raw(managed), &Stream::cpu()) }?.into_table()
}

#[test]
fn structs_are_looked_at_before_memory_is() {
    let before = FREED.load(Ordering::SeqCst);
    let table = foreign(|_| {}).unwrap();
    assert_eq!(values::<i32>(&table.columns()[1]), [4, 5, 6]);
    assert_eq!(FREED.load(Ordering::SeqCst), before);
    drop(table);
    assert_eq!(FREED.load(Ordering::SeqCst), before + 1);
    let pinned = foreign(|managed| managed.dl_tensor.device.device_type = DeviceType::CUDA_HOST).unwrap();
    assert_eq!(pinned.device(), Some(Device::Cpu));
    let offset = foreign(|managed| {
        managed.dl_tensor.byte_offset = 4;
        managed.dl_tensor.ndim = 1;
        managed.dl_tensor.strides = std::ptr::null_mut();
    });
    assert_eq!(values::<i32>(&offset.unwrap().columns()[0]), [2, 3, 4]);

    type Spoil = fn(&mut DLManagedTensorVersioned);
    let spoils: [Spoil; 18] = [
        |managed| managed.version.major = 2,
        |managed| managed.dl_tensor.data = std::ptr::null_mut(),
        |managed| managed.dl_tensor.byte_offset = u64::MAX,
        |managed| managed.dl_tensor.byte_offset = 1 << 60,
        |managed| managed.dl_tensor.byte_offset = 1,
        |managed| managed.dl_tensor.ndim = 3,
        |managed| managed.dl_tensor.ndim = 0,
        |managed| managed.dl_tensor.ndim = -1,
        |managed| managed.dl_tensor.dtype.lanes = 2,
        |managed| managed.dl_tensor.dtype.bits = 12,
        |managed| managed.dl_tensor.dtype.code = 4,
        |managed| managed.dl_tensor.shape = std::ptr::null_mut(),
        |managed| managed.dl_tensor.strides = std::ptr::null_mut(),
        |managed| managed.dl_tensor.device.device_type = DeviceType(10),
        |managed| managed.dl_tensor.device.device_type = DeviceType::CUDA,
        // SAFETY: `shape` points to two extents, as `ndim` says.
        |managed| unsafe { *managed.dl_tensor.shape = -1 },
        // SAFETY: `shape` points to two extents, as `ndim` says.
        |managed| unsafe { *managed.dl_tensor.shape = i64::MAX },
        // SAFETY: `strides` points to two strides.
        |managed| unsafe { *managed.dl_tensor.strides = 2 },
    ];
    for (i, spoil) in spoils.into_iter().enumerate() {
        let before = FREED.load(Ordering::SeqCst);
        assert!(foreign(spoil).is_err(), "case {i}");
        assert_eq!(FREED.load(Ordering::SeqCst), before + 1, "case {i}");
    }
    // SAFETY: a null pointer is refused before anything is read.
    assert!(unsafe { DlpackTensor::from_raw(std::ptr::null_mut(), &Stream::cpu()) }.is_err());
    // SAFETY: a null pointer is refused before anything is read.
    assert!(unsafe { DlpackTensor::from_legacy(std::ptr::null_mut(), &Stream::cpu()) }.is_err());
}
