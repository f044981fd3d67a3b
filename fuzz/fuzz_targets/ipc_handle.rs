//! Handles of shared buffers, read from bytes. The bytes must be refused, or the handle must give the same bytes
//! again.
#![no_main]

use gdf_driver::Stream;
use gdf_interop::IpcHandle;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Most inputs should pass the check of the name at the beginning.
    let named = [&b"gdf-ipc1"[..], bytes].concat();
    for bytes in [bytes, &named] {
        let Ok(handle) = IpcHandle::from_bytes(bytes) else { continue };
        assert_eq!(handle.to_bytes(), bytes);
        // SAFETY: `open` opens no memory for a stream of the CPU.
        assert!(unsafe { handle.open(&Stream::cpu()) }.is_err());
    }
});
