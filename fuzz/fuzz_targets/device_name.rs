//! Names of devices, as in `GDF_TEST_DEVICE` and in the flags of programs. A name must be refused, or must give a
//! device. The printed name of the device must give the same device.
#![no_main]

use gdf_driver::Device;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for text in [text, &format!("cuda:{text}")] {
        let Ok(device) = text.parse::<Device>() else { continue };
        assert_eq!(device.to_string().parse::<Device>(), Ok(device));
        assert_eq!(device.is_cpu(), text == "cpu");
    }
});
