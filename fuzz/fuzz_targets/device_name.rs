//! Names of devices, as `GDF_TEST_DEVICE` and the flags of programs have them: refused, or a device of that name.
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
