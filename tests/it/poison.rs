//! Tests a fatal error on a device. The test runs in its own process, because a process with such an error cannot use
//! the device again.

use gdf_driver::{Device, DriverError, Stream};
use gdf_kernels::generated::testing::PatternFault;
use gdf_kernels::{Kernel, Out};
use gdf_memory::{Buffer, DeviceScalar, current_resource};
use gdf_test::device::cuda_device;

const CHILD: &str = "GDF_TEST_POISON_CHILD";

fn break_device(device: Device) {
    let stream = Stream::new(device).unwrap();
    let resource = current_resource(device).unwrap();
    let kept = Buffer::from_host(&[1, 2, 3], &stream, resource.as_ref()).unwrap();
    let sink = DeviceScalar::new(0_u64, &stream, resource.as_ref()).unwrap();
    let access = sink.read_on(&stream).unwrap();
    // SAFETY: `access` refers to a device word that lives until `access` is dropped after the launch.
    let arguments = PatternFault { sink: unsafe { Out::danger_from_address(access.address()) } };
    // SAFETY: the kernel causes a fault on purpose. The process ends after the test, so no other code uses the device
    // afterwards.
    unsafe { Kernel::find(&stream).unwrap().launch(&stream, 1, 1, &arguments) }.unwrap();
    drop(access);
    let first = stream.synchronize().unwrap_err();
    assert!(matches!(first, DriverError::Call { .. } | DriverError::Poisoned { .. }), "{first}");
    for _ in 0..2 {
        assert!(matches!(stream.synchronize(), Err(DriverError::Poisoned { .. })));
        assert!(matches!(Stream::new(device), Err(DriverError::Poisoned { .. })));
        assert!(kept.to_host(&stream).is_err());
    }
    assert!(matches!(device.health(), Err(DriverError::Poisoned { .. })));
    let cpu = Stream::cpu();
    let host = current_resource(Device::Cpu).unwrap();
    assert_eq!(Buffer::from_host(&[9], &cpu, host.as_ref()).unwrap().to_host(&cpu).unwrap(), [9]);
    drop((kept, sink, stream));
}

#[test]
fn a_fatal_error_is_contained() {
    let Some(device) = cuda_device("containment of fatal errors") else { return };
    if std::env::var_os(CHILD).is_some() {
        break_device(device);
        return;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "poison::a_fatal_error_is_contained", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
