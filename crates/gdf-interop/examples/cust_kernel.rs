//! Uses the same column with gdf and with `cust`. `cust` loads a module, launches a kernel with `launch!`, and copies
//! on a stream of gdf. After that, a buffer of `cust` becomes a column of gdf. The example needs the feature `cust`.
//! docs/guide/user-kernels.md lists the requirements.

use cust::event::{Event, EventFlags};
use cust::launch;
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::module::Module;
use gdf_core::Column;
use gdf_driver::{Device, DriverError, LaunchConfig, Stream};
use gdf_interop::Arguments;
use gdf_interop::cust::{
    BorrowedStream, column_from_cust, device_of_context, device_pointer, device_pointer_mut, stream_from_cust,
    to_cust_context,
};

/// `void add(const int* a, int* sum, unsigned count)`: adds `a` to `sum`.
const PTX: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 sum, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [count];
    setp.ge.u32 %p1, %r4, %r5;
    @%p1 bra done;
    mul.wide.u32 %rd1, %r4, 4;
    ld.param.u64 %rd2, [a];
    cvta.to.global.u64 %rd3, %rd2;
    ld.param.u64 %rd4, [sum];
    cvta.to.global.u64 %rd5, %rd4;
    add.s64 %rd6, %rd3, %rd1;
    add.s64 %rd7, %rd5, %rd1;
    ld.global.u32 %r6, [%rd6];
    ld.global.u32 %r7, [%rd7];
    add.s32 %r7, %r7, %r6;
    st.global.u32 [%rd7], %r7;
done:
    ret;
}
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::Cuda(0);
    match device.open() {
        Err(error @ (DriverError::NoDriver { .. } | DriverError::InvalidDevice { .. })) => {
            println!("there is no GPU to run a kernel on: {error}");
            return Ok(());
        }
        opened => opened?,
    }
    // Contexts: `cust` uses the same primary context as gdf.
    let context = to_cust_context(device)?;
    assert_eq!(device_of_context(&context)?, device);

    let (ours, mr) = (Stream::new(device)?, gdf_memory::current_resource(device)?);
    let a = Column::from_slice_on(&[1i32, 2, 3], &ours, mr.as_ref())?;
    let mut sum = Column::from_slice_on(&[10i32, 20, 30], &ours, mr.as_ref())?;
    let module = Module::from_ptx(PTX, &[])?;
    let function = module.get_function("add")?;

    // Kernels: `cust`'s macro launches a kernel on a stream of gdf.
    let stream = BorrowedStream::new(&ours)?;
    let read = a.buffers()[0].read_on(&ours)?;
    let mut write = sum.write_values_on(&ours)?;
    let (from, to) = (device_pointer::<i32>(&read), device_pointer_mut::<i32>(&mut write));
    // SAFETY: the kernel has these parameters. The accesses are held until the launch is enqueued.
    unsafe { launch!(function<<<1, 32, 0, stream>>>(from, to, 3u32)) }?;
    drop((read, write));

    // This launch does the same with gdf's `Arguments`.
    let arguments = Arguments::on(&ours).column::<i32>(a.view())?.column_mut::<i32>(&mut sum)?.scalar(3u32);
    // SAFETY: the kernel has these parameters. `Arguments` holds the accesses until the launch is enqueued.
    unsafe { gdf_interop::cust::launch(arguments, &function, LaunchConfig::linear(1, 32)) }?;

    // Events and streams: a stream of `cust` waits for a stream of gdf, and then gdf reads the column on the stream
    // of `cust`.
    let theirs = cust::stream::Stream::new(cust::stream::StreamFlags::NON_BLOCKING, None)?;
    let event = Event::new(EventFlags::DISABLE_TIMING)?;
    event.record(&stream)?;
    theirs.wait_event(event, cust::stream::StreamWaitEventFlags::DEFAULT)?;
    // SAFETY: the stream belongs to this device. The stream is destroyed at the end, after everything that was used
    // with the stream.
    let as_ours = unsafe { stream_from_cust(&theirs, device) }?;
    let bytes = sum.buffers()[0].to_host(&as_ours)?;
    assert_eq!(bytes, bytemuck::cast_slice::<i32, u8>(&[12, 24, 36]));

    // Buffers: a buffer of `cust` becomes a column that shares the memory.
    let buffer = DeviceBuffer::from_slice(&[7i32, 8, 9])?;
    let mut copy = [0i32; 3];
    buffer.copy_to(&mut copy)?;
    // SAFETY: `from_slice` has waited for the copy, and nobody writes to the buffer later.
    let column = unsafe { column_from_cust(buffer, &ours) }?;
    println!("{:?} {:?} {copy:?}", sum.to_arrow(&ours)?, column.to_arrow(&ours)?);
    drop((sum, column, as_ours));
    theirs.synchronize()?;
    Ok(())
}
