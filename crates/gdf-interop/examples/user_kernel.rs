//! Runs a PTX kernel of the user on a column: `cargo run -p gdf-interop --features cuda --example user_kernel`. On a
//! machine without a GPU, the example prints a message and succeeds.

use gdf_core::Column;
use gdf_driver::{Device, DriverError, LaunchConfig, Module, Stream};
use gdf_interop::Arguments;

/// `void saxpy(float* y, const float* x, const uint8_t* valid, uint64_t first_bit, float a, uint32_t count)`: adds `a *
/// x` to `y` in the rows that `valid` marks as valid. If `valid` is null, all rows are valid.
const PTX: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry saxpy(
    .param .u64 y, .param .u64 x, .param .u64 valid, .param .u64 first_bit, .param .f32 a, .param .u32 count)
{
    .reg .pred %p<4>;
    .reg .b16 %h<2>;
    .reg .b32 %r<9>;
    .reg .f32 %f<5>;
    .reg .b64 %rd<14>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [count];
    setp.ge.u32 %p1, %r4, %r5;
    @%p1 bra done;
    cvt.u64.u32 %rd1, %r4;
    ld.param.u64 %rd2, [valid];
    setp.eq.u64 %p2, %rd2, 0;
    @%p2 bra is_valid;
    ld.param.u64 %rd3, [first_bit];
    add.s64 %rd4, %rd3, %rd1;
    shr.u64 %rd5, %rd4, 3;
    cvta.to.global.u64 %rd6, %rd2;
    add.s64 %rd7, %rd6, %rd5;
    ld.global.u8 %r6, [%rd7];
    cvt.u32.u64 %r7, %rd4;
    and.b32 %r7, %r7, 7;
    shr.u32 %r8, %r6, %r7;
    and.b32 %r8, %r8, 1;
    setp.eq.u32 %p3, %r8, 0;
    @%p3 bra done;
is_valid:
    ld.param.u64 %rd8, [x];
    cvta.to.global.u64 %rd9, %rd8;
    ld.param.u64 %rd10, [y];
    cvta.to.global.u64 %rd11, %rd10;
    shl.b64 %rd12, %rd1, 2;
    add.s64 %rd13, %rd9, %rd12;
    ld.global.f32 %f1, [%rd13];
    add.s64 %rd13, %rd11, %rd12;
    ld.global.f32 %f2, [%rd13];
    ld.param.f32 %f3, [a];
    fma.rn.f32 %f4, %f3, %f1, %f2;
    st.global.f32 [%rd13], %f4;
done:
    ret;
}
";

fn main() -> gdf_core::Result<()> {
    let device = Device::Cuda(0);
    match device.open() {
        Err(error @ (DriverError::NoDriver { .. } | DriverError::InvalidDevice { .. })) => {
            println!("there is no GPU to run a kernel on: {error}");
            return Ok(());
        }
        opened => opened?,
    }
    let (stream, mr) = (Stream::new(device)?, gdf_memory::current_resource(device)?);
    let mut y = Column::from_slice_on(&[1.0f32, 2.0, 3.0, 4.0], &stream, mr.as_ref())?;
    let x = Column::from_options_on(&[Some(10.0f32), None, Some(30.0), Some(40.0)], &stream, mr.as_ref())?;

    let kernel = Module::load(device, PTX.as_bytes())?.function("saxpy")?;
    let count = y.len() as u32;
    let arguments = Arguments::on(&stream).column_mut::<f32>(&mut y)?.column::<f32>(x.view())?.validity(x.view())?;
    let arguments = arguments.scalar(0.5f32).scalar(count);
    // SAFETY: the kernel has these six parameters. The kernel writes `count` values of `y`, and reads `count` values
    // of `x` and `count` bits of the mask of `x`.
    unsafe { arguments.launch(&kernel, LaunchConfig::linear(count.div_ceil(256), 256)) }?;
    // Work that is enqueued later runs after the kernel.
    drop(x);

    let sums = y.to_arrow(&stream)?;
    println!("{sums:?}");
    assert_eq!(y.buffers()[0].to_host(&stream)?, bytemuck::cast_slice::<f32, u8>(&[6.0, 2.0, 18.0, 24.0]));
    Ok(())
}
