//! Bytes as Arrow IPC: errors or columns that hold what their types say, whatever the bytes are.
#![no_main]

use gdf_io::{Batch, IpcReader, Result};
use libfuzzer_sys::fuzz_target;

/// What was read can be exported, which validates it.
fn check(read: Result<Batch>) {
    if let Ok(batch) = read {
        batch.to_arrow().expect("what was read");
    }
}

// Panics of decoders become errors, which libFuzzer's hook does not let them; our own leave the target and abort.
fuzz_target!(init: std::panic::set_hook(Box::new(|_| ())), |bytes: &[u8]| {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("gdf-fuzz-ipc-{}", std::process::id()));
    std::fs::write(&path, bytes).expect("a file");
    check(IpcReader::open(&path).and_then(IpcReader::read));
    if let Ok(scan) = IpcReader::open(&path).and_then(|reader| reader.rows(1..9).batch_rows(2).scan()) {
        scan.take(100).for_each(check);
    }
});
