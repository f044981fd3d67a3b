//! Tests that need a GPU: Arrow's interfaces, foreign pointers, DLPack, the CUDA array interface, kernels of users, and
//! IPC. The tests run on the device that `GDF_TEST_DEVICE` names. If that device is the CPU, the tests are skipped.
#![cfg(feature = "cuda")]

mod arrow;

use std::sync::Arc;

use gdf_core::{Column, DataType, Error, Table};
use gdf_driver::test_hooks::cuda_device as device;
use gdf_driver::{Device, LaunchConfig, MemoryKind, Module, PointerInfo, Stream};
use gdf_interop::dlpack::{DLDataType, DLDevice, DLManagedTensorVersioned, DLPackVersion, DLTensor};
use gdf_interop::{
    Arguments, CudaArrayInterface, DeviceType, DlpackTensor, InteropError, IpcHandle, SharedBuffer,
    buffer_from_address, device_of, stream_from_number, stream_number,
};
use gdf_memory::{
    Buffer, CudaAsyncResource, CudaResource, DeviceVec, ManagedResource, PinnedResource, PoolOptions, PoolResource,
    Resource, VirtualPoolResource, current_resource,
};

/// The kernel `slow_add` waits for some time, and then adds a number to each value.
const PTX: &str = include_str!("slow_add.ptx");

const SLOWLY: u64 = 20_000_000;

fn values<T: gdf_core::NativeType>(column: &Column, stream: &Stream) -> Vec<T> {
    let width = size_of::<T>();
    let rows = column.buffers()[0].slice(column.offset() * width, column.len() * width).unwrap();
    rows.to_host(stream).unwrap().chunks_exact(width).map(bytemuck::pod_read_unaligned).collect()
}

fn slow_add(column: &mut Column, term: i32, nanoseconds: u64, stream: &Stream) -> gdf_core::Result<()> {
    let kernel = Module::load(stream.device(), PTX.as_bytes())?.function("slow_add")?;
    let count = column.len() as u32;
    let arguments = Arguments::on(stream).column_mut::<i32>(column)?.scalar(count).scalar(term).scalar(nanoseconds);
    // SAFETY: the kernel has these four parameters and writes `count` values of the column.
    unsafe { arguments.launch(&kernel, LaunchConfig::linear(1, count.max(1))) }
}

#[test]
fn addresses_find_their_device() {
    let Some(device) = device("addresses_find_their_device") else { return };
    let stream = Stream::new(device).unwrap();
    let cuda = || Resource::new(CudaResource::new(device).unwrap());
    let mapped = Resource::new(VirtualPoolResource::new(device, PoolOptions::new()).unwrap());
    // The third value of each entry tells whether other processes can open the memory.
    let kinds = [
        (cuda(), MemoryKind::Device, Some(true), true),
        (Resource::new(PoolResource::new(cuda())), MemoryKind::Device, Some(true), true),
        (Resource::new(CudaAsyncResource::new(device).unwrap()), MemoryKind::Device, Some(false), true),
        (mapped, MemoryKind::Device, Some(false), false),
        (Resource::new(ManagedResource::new(device).unwrap()), MemoryKind::Managed, None, true),
        (Resource::new(PinnedResource::new(device).unwrap()), MemoryKind::PinnedHost, None, false),
    ];
    for (resource, kind, ipc, bounded) in kinds {
        let buffer = Buffer::zeroed(1000, &stream, resource.as_ref()).unwrap();
        let address = buffer.read_on(&stream).unwrap().address();
        let info = PointerInfo::of(address + 999).unwrap().unwrap();
        println!("{kind:?}: {info:?}");
        assert_eq!((info.kind, info.device), (kind, device));
        assert!(ipc.is_none_or(|ipc| info.is_ipc_capable == ipc));
        assert!(info.device_address != 0 && (info.host_address != 0) == (kind != MemoryKind::Device));
        assert!(info.range_start <= address && info.range_bytes >= 1000);
        assert_eq!(info.bytes_from(address).is_some_and(|bytes| bytes >= 1000), bounded, "{info:?}");
        assert_eq!(device_of(address).unwrap(), device);
        // SAFETY: the buffer is kept until the last use of the memory, and nobody writes to the memory.
        let shared = unsafe { buffer_from_address(address, 1000, Arc::new(buffer.clone()), &stream) }.unwrap();
        assert_eq!(shared.to_host(&stream).unwrap(), [0; 1000]);
        // SAFETY: the buffer is kept and not written. A refused range is not read.
        let on_cpu = unsafe { buffer_from_address(address, 1000, Arc::new(buffer.clone()), &Stream::cpu()) };
        match kind {
            MemoryKind::Device => assert!(matches!(on_cpu, Err(InteropError::Core(Error::DeviceMismatch { .. })))),
            _ => {
                stream.synchronize().unwrap();
                assert_eq!(on_cpu.unwrap().to_host(&Stream::cpu()).unwrap(), [0; 1000]);
            }
        }
        if ipc == Some(true) {
            // SAFETY: the buffer is kept and not written.
            let long = unsafe { buffer_from_address(address, 1 << 50, Arc::new(buffer.clone()), &stream) };
            assert!(matches!(long, Err(InteropError::Core(Error::OutOfBounds { .. }))));
        }
    }
    let ordinary = Arc::new(vec![1u8; 100]);
    let address = ordinary.as_ptr().expose_provenance() as u64;
    assert_eq!(device_of(address).unwrap(), Device::Cpu);
    // SAFETY: the address is refused and not read.
    let refused = unsafe { buffer_from_address(address, 100, ordinary, &stream) };
    assert!(matches!(refused, Err(InteropError::Core(Error::DeviceMismatch { found: Device::Cpu, .. }))));
}

#[test]
fn kernels_of_users_are_ordered_with_columns() {
    let Some(device) = device("kernels_of_users_are_ordered_with_columns") else { return };
    let (first, second) = (Stream::new(device).unwrap(), Stream::new(device).unwrap());
    let mr = current_resource(device).unwrap();
    let input: Vec<i32> = (0..1000).collect();
    let mut column = Column::from_slice_on(&input, &first, mr.as_ref()).unwrap();
    slow_add(&mut column, 1, SLOWLY, &first).unwrap();
    slow_add(&mut column, 10, 0, &second).unwrap();
    let expected: Vec<i32> = input.iter().map(|value| value + 11).collect();
    assert_eq!(values::<i32>(&column, &first), expected);
    let shared = column.clone();
    assert!(slow_add(&mut column, 1, 0, &first).is_err());
    drop(shared);
    let mut tail = column.slice(10, 5).unwrap();
    drop(column);
    slow_add(&mut tail, -11, 0, &first).unwrap();
    assert_eq!(values::<i32>(&tail, &second), [10, 11, 12, 13, 14]);
    assert!(matches!(Arguments::on(&Stream::cpu()).column::<i32>(tail.view()), Err(Error::DeviceMismatch { .. })));
}

#[test]
fn dlpack_keeps_order_and_memory() {
    let Some(device) = device("dlpack_keeps_order_and_memory") else { return };
    let mr = current_resource(device).unwrap();
    let writer = Stream::new(device).unwrap();
    for number in [None, Some(-1), Some(1), Some(2), stream_number(&writer).map(|handle| handle as i64)] {
        // SAFETY: the handle is a handle of `writer`, which outlives its use.
        let consumer = unsafe { stream_from_number(device, number) }.unwrap();
        let mut column = Column::from_slice_on(&[1i32, 2, 3, 4], &writer, mr.as_ref()).unwrap();
        slow_add(&mut column, 1, SLOWLY, &writer).unwrap();
        let raw = DlpackTensor::from_column(&column.slice(1, 3).unwrap(), &consumer).unwrap().into_raw();
        drop(column);
        // SAFETY: the tensor was made above and is given away once.
        let tensor = unsafe { DlpackTensor::from_raw(raw, &consumer) }.unwrap();
        assert!(tensor.is_read_only());
        let back = tensor.into_column().unwrap();
        assert_eq!(values::<i32>(&back, &consumer), [3, 4, 5], "{number:?}");
    }
    let mut column = Column::from_slice_on(&[1i32, 2, 3, 4], &writer, mr.as_ref()).unwrap();
    slow_add(&mut column, 1, SLOWLY, &writer).unwrap();
    let owned = DlpackTensor::from_owned_column(column, &Stream::legacy(device).unwrap()).unwrap();
    assert!(!owned.is_read_only());
    assert_eq!(values::<i32>(&owned.into_column().unwrap(), &writer), [2, 3, 4, 5]);

    let a = Column::from_slice_on(&[1.5f64, 2.5], &writer, mr.as_ref()).unwrap();
    let b = Column::from_slice_on(&[3.5f64, 4.5], &writer, mr.as_ref()).unwrap();
    let table = Table::try_new(vec![a, b]).unwrap();
    let tensor = DlpackTensor::from_table(table.view(), &writer, mr.as_ref()).unwrap();
    // SAFETY: the tensor is alive while it is copied, and all earlier writes run before the copy in the order of the
    // stream.
    let copy = unsafe { DlpackTensor::copy_tensor(tensor.tensor(), &writer, mr.as_ref()) }.unwrap();
    assert_eq!(values::<f64>(&copy.columns()[1], &writer), [3.5, 4.5]);
    assert_eq!(values::<f64>(&tensor.into_table().unwrap().columns()[0], &writer), [1.5, 2.5]);

    let mut array = Buffer::from_host(bytemuck::cast_slice(&[0_f64; 4]), &writer, mr.as_ref()).unwrap();
    gdf_interop::table_to_array(table.view(), &mut array, &writer).unwrap();
    let bytes = array.to_host(&writer).unwrap();
    let wanted: Vec<u8> = [1.5_f64, 2.5, 3.5, 4.5].iter().flat_map(|value| value.to_ne_bytes()).collect();
    assert_eq!(bytes, wanted);

    let bits = Column::from_slice_on(&[true], &writer, mr.as_ref()).unwrap();
    assert!(matches!(DlpackTensor::from_column(&bits, &writer), Err(InteropError::Core(Error::Unsupported { .. }))));
    let nulls = Column::from_options_on(&[Some(1i32), None], &writer, mr.as_ref()).unwrap();
    assert!(matches!(
        DlpackTensor::from_column(&nulls, &writer),
        Err(InteropError::Core(Error::InvalidArgument { .. }))
    ));
    assert!(matches!(
        DlpackTensor::from_column(&nulls, &Stream::cpu()),
        Err(InteropError::Core(Error::DeviceMismatch { .. }))
    ));
}

#[test]
fn the_array_interface_both_ways() {
    let Some(device) = device("the_array_interface_both_ways") else { return };
    let mr = current_resource(device).unwrap();
    let (stream, other) = (Stream::new(device).unwrap(), Stream::new(device).unwrap());
    let mut column = Column::from_slice_on(&[5i32, 6, 7], &stream, mr.as_ref()).unwrap();
    slow_add(&mut column, 1, SLOWLY, &stream).unwrap();
    let interface = CudaArrayInterface::of_column(column.slice(1, 2).unwrap().view(), &stream).unwrap();
    assert_eq!((interface.shape.as_slice(), interface.typestr.as_str(), interface.version), (&[2][..], "<i4", 3));
    assert!(interface.data.1);
    assert_eq!(interface.device().unwrap(), device);
    // SAFETY: the column is the owner and is not written; the stream is alive.
    let shared = unsafe { interface.clone().into_column(Arc::new(column.clone()), &other) }.unwrap();
    assert_eq!(values::<i32>(&shared, &other), [7, 8]);
    drop(shared);
    // Other code has received the address of the column, and may keep it. Therefore the column cannot be written, but a
    // copy can be written.
    let mut copy = column.deep_copy(&stream, mr.as_ref()).unwrap();
    assert!(
        column.write_values_on(&stream).is_err() && CudaArrayInterface::of_column_mut(&mut column, &stream).is_err()
    );
    assert!(!CudaArrayInterface::of_column_mut(&mut copy, &stream).unwrap().data.1);
    // SAFETY: the interface is refused before any memory is read.
    let on_cpu = unsafe { interface.into_column(Arc::new(()), &Stream::cpu()) };
    assert!(matches!(on_cpu, Err(InteropError::Core(Error::DeviceMismatch { .. }))));
}

#[test]
fn vectors_have_interfaces() {
    let Some(device) = device("vectors_have_interfaces") else { return };
    let (stream, mr) = (Stream::new(device).unwrap(), current_resource(device).unwrap());
    let mut vec = DeviceVec::from_slice(&[1.5f32, 2.5], &stream, mr.as_ref()).unwrap();
    let write = CudaArrayInterface::of_vec_mut(&mut vec, &stream).unwrap();
    let read = CudaArrayInterface::of_vec(&vec, &stream).unwrap();
    assert!(vec.write_on(&stream).is_err() && CudaArrayInterface::of_vec_mut(&mut vec, &stream).is_err());
    assert_eq!((read.data.0, read.data.1, write.data.1), (write.data.0, true, false));
    assert_eq!((read.typestr.as_str(), read.stream), ("<f4", stream_number(&stream)));
    let empty = DeviceVec::<i64>::zeroed(0, &stream, mr.as_ref()).unwrap();
    let empty = CudaArrayInterface::of_vec(&empty, &stream).unwrap();
    assert_eq!((empty.data.0, empty.shape.as_slice()), (0, &[0][..]));
    // SAFETY: the array has no values, so no memory is read.
    let column = unsafe { empty.into_column(Arc::new(()), &stream) }.unwrap();
    assert_eq!(column.data_type(), &DataType::Int64);
}

unsafe extern "C" fn forget(_: *mut DLManagedTensorVersioned) {}

#[test]
fn pinned_tensors_are_read_on_either_side() {
    let Some(device) = device("pinned_tensors_are_read_on_either_side") else { return };
    let stream = Stream::new(device).unwrap();
    let pinned = Resource::new(PinnedResource::new(device).unwrap());
    let three = DeviceVec::from_slice(&[1i16, 2, 3], &stream, pinned.as_ref()).unwrap();
    let address = three.read_on(&stream).unwrap().address();
    stream.synchronize().unwrap();
    let mut shape = [3i64];
    let mut managed = DLManagedTensorVersioned {
        version: DLPackVersion { major: 1, minor: 0 },
        manager_ctx: std::ptr::null_mut(),
        deleter: Some(forget),
        flags: 0,
        dl_tensor: DLTensor {
            data: std::ptr::with_exposed_provenance_mut(address as usize),
            device: DLDevice { device_type: DeviceType::CUDA_HOST, device_id: 0 },
            ndim: 1,
            dtype: DLDataType { code: 0, bits: 16, lanes: 1 },
            shape: shape.as_mut_ptr(),
            strides: std::ptr::null_mut(),
            byte_offset: 0,
        },
    };
    for stream in [&stream, &Stream::cpu()] {
        // SAFETY: the tensor describes the vector. The vector is already written, and outlives the columns made of
        // the tensor here.
        let tensor = unsafe { DlpackTensor::from_raw(&raw mut managed, stream) }.unwrap();
        let column = tensor.into_column().unwrap();
        assert_eq!(column.device(), stream.device());
        assert_eq!(values::<i16>(&column, stream), [1, 2, 3]);
    }
    // A tensor may claim that memory of the CPU is memory of the device.
    let there = Buffer::zeroed(6, &stream, current_resource(device).unwrap().as_ref()).unwrap();
    let ordinary = [1i16, 2, 3];
    let Device::Cuda(ordinal) = device else { panic!("{device} is no GPU") };
    managed.dl_tensor.device = DLDevice { device_type: DeviceType::CUDA, device_id: ordinal as i32 };
    managed.dl_tensor.data = (&raw const ordinary).cast_mut().cast();
    // SAFETY: a refused tensor is not read.
    let refused = unsafe { DlpackTensor::from_raw(&raw mut managed, &stream) }.unwrap().into_column();
    assert!(matches!(refused, Err(InteropError::Core(Error::DeviceMismatch { found: Device::Cpu, .. }))));
    managed.dl_tensor.data = std::ptr::with_exposed_provenance_mut(there.read_on(&stream).unwrap().address() as usize);
    // SAFETY: the buffer is alive and already written.
    let column = unsafe { DlpackTensor::from_raw(&raw mut managed, &stream) }.unwrap().into_column().unwrap();
    assert_eq!(values::<i16>(&column, &stream), [0, 0, 0]);
}

#[test]
fn buffers_cross_devices() {
    let Some(device) = device("buffers_cross_devices") else { return };
    let (stream, cpu) = (Stream::new(device).unwrap(), Stream::cpu());
    let (mr, host) = (current_resource(device).unwrap(), current_resource(Device::Cpu).unwrap());
    let bytes: Vec<u8> = (0..9_000_001u32).map(|i| (i * 7 + i / 256) as u8).collect();
    let on_cpu = Buffer::from_host(&bytes, &cpu, host.as_ref()).unwrap();
    let there = on_cpu.copy_to(&stream, mr.as_ref()).unwrap();
    let back = there.slice(1, 9_000_000).unwrap().copy_to(&cpu, host.as_ref()).unwrap();
    assert_eq!(back.read_on(&cpu).unwrap().as_slice::<u8>().unwrap(), &bytes[1..]);
    assert!(there.copy_to(&cpu, mr.as_ref()).is_err());
    let mut target = Buffer::zeroed(bytes.len(), &stream, mr.as_ref()).unwrap();
    let (source, access) = (there.read_on(&stream).unwrap(), target.write_on(&stream).unwrap());
    // SAFETY: both buffers have the same number of bytes and are on this device, and the accesses are held.
    unsafe { stream.copy_between(device, access.address(), device, source.address(), bytes.len()) }.unwrap();
    drop((source, access));
    assert!(target.to_host(&stream).unwrap() == bytes);
    let text = [Some("a"), None, Some("longer text"), Some("")];
    let column = gdf_core::Column::from_strs_on(&text, &cpu, host.as_ref()).unwrap().slice(1, 3).unwrap();
    let there_and_back = column.copy_to(&stream, mr.as_ref()).unwrap().copy_to(&cpu, host.as_ref()).unwrap();
    assert_eq!(there_and_back.device(), Device::Cpu);
    assert_eq!(&there_and_back.to_arrow(&cpu).unwrap(), &column.to_arrow(&cpu).unwrap());
    let count = Device::cuda_count().unwrap();
    for peer in (0..count).map(Device::Cuda).filter(|peer| *peer != device) {
        let (away, mr) = (Stream::new(peer).unwrap(), current_resource(peer).unwrap());
        let copy = there.copy_to(&away, mr.as_ref()).unwrap();
        assert_eq!(copy.device(), peer);
        assert!(copy.to_host(&away).unwrap() == bytes);
        println!("copied from {device} to {peer}");
    }
}

#[test]
fn shared_with_another_process() {
    const HANDLE: &str = "GDF_TEST_IPC_HANDLE";
    let Some(device) = device("shared_with_another_process") else { return };
    let (stream, mr) = (Stream::new(device).unwrap(), current_resource(device).unwrap());
    if let Ok(text) = std::env::var(HANDLE) {
        let byte = |i| u8::from_str_radix(&text[i..i + 2], 16).unwrap();
        let handle = IpcHandle::from_bytes(&(0..text.len()).step_by(2).map(byte).collect::<Vec<_>>()).unwrap();
        // SAFETY: the parent process waits for this process, and keeps the buffer until then.
        let buffer = unsafe { handle.open(&stream) }.unwrap();
        let expected: Vec<i32> = (2..802).collect();
        assert_eq!(buffer.to_host(&stream).unwrap(), bytemuck::cast_slice::<i32, u8>(&expected));
        println!("the child saw what the parent's kernel wrote");
        return;
    }
    let _before = Buffer::zeroed(4096, &stream, mr.as_ref()).unwrap();
    let input: Vec<i32> = (1..801).collect();
    let mut column = Column::from_slice_on(&input, &stream, mr.as_ref()).unwrap();
    slow_add(&mut column, 1, 500_000_000, &stream).unwrap();
    let buffer = column.buffers()[0].slice(0, 3200).unwrap();
    let shared = SharedBuffer::new(&buffer, &stream).unwrap();
    let text: String = shared.handle().to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "shared_with_another_process", "--nocapture"]).env(HANDLE, text);
    let output = child.output().unwrap();
    println!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("the child saw"));
    // SAFETY: the driver refuses a handle of the same process.
    assert!(unsafe { shared.handle().open(&stream) }.is_err());
    let pools: [Resource; 2] = [
        Resource::new(CudaAsyncResource::new(device).unwrap()),
        Resource::new(VirtualPoolResource::new(device, PoolOptions::new()).unwrap()),
    ];
    for resource in pools {
        let buffer = Buffer::zeroed(100, &stream, resource.as_ref()).unwrap();
        assert!(matches!(SharedBuffer::new(&buffer, &stream), Err(InteropError::Core(Error::InvalidArgument { .. }))));
    }
}

#[test]
fn devices_are_reported() {
    let Some(device) = device("devices_are_reported") else { return };
    assert!(Device::cuda_count().unwrap() > 0);
    assert_eq!(Device::current().unwrap(), None, "no context is left current on this thread");
    assert!(!device.raw_context().unwrap().is_null());
    assert_eq!(Device::current().unwrap(), None);
    assert_eq!(
        Column::from_slice_on(&[1u8], &Stream::new(device).unwrap(), current_resource(device).unwrap().as_ref())
            .unwrap()
            .data_type(),
        &DataType::UInt8
    );
}
