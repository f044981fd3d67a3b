//! Handles of shared buffers out of bytes: refused, or the same bytes again.
#![no_main]

use gdf_driver::Stream;
use gdf_interop::IpcHandle;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Most inputs should get past the name at the beginning.
    let named = [&b"gdf-ipc1"[..], bytes].concat();
    for bytes in [bytes, &named] {
        let Ok(handle) = IpcHandle::from_bytes(bytes) else { continue };
        assert_eq!(handle.to_bytes(), bytes);
        // SAFETY: on a stream of the CPU nothing is opened.
        assert!(unsafe { handle.open(&Stream::cpu()) }.is_err());
    }
});
