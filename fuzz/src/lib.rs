//! What the targets of readers of files share; [`texts`]: those of operations on text.

pub mod texts;

use std::path::Path;

use gdf_io::{Batch, Result};

/// Panics of decoders become errors, which libFuzzer's hook does not let them; our own leave the target and abort.
pub fn let_panics_unwind() {
    std::panic::set_hook(Box::new(|_| ()));
}

/// Memory of columns of the CPU is limited: a file may hold billions of equal values in few bytes, and more is an error.
pub fn limit_memory() {
    let cpu = gdf_driver::Device::Cpu;
    let upstream = gdf_memory::current_resource(cpu).expect("the resource of the CPU");
    let limited = gdf_memory::LimitingResource::new(upstream, 1 << 30);
    gdf_memory::set_current_resource(cpu, gdf_memory::Resource::new(limited)).expect("a resource of the CPU");
}

/// What was read can be exported, which validates it.
pub fn check(read: Result<Batch>) {
    if let Ok(batch) = read {
        batch.to_arrow().expect("what was read");
    }
}

/// The batches of a scan, as far as they go.
pub fn check_scan(scan: Result<impl Iterator<Item = Result<Batch>>>) {
    if let Ok(scan) = scan {
        scan.take(100).for_each(check);
    }
}

/// Reads and scans the bytes as a file.
pub fn check_file<S: Iterator<Item = Result<Batch>>>(
    bytes: &[u8],
    read: impl Fn(&Path) -> Result<Batch>,
    scan: impl Fn(&Path) -> Result<S>,
) {
    let path = std::env::temp_dir().join(format!("gdf-fuzz-{}", std::process::id()));
    std::fs::write(&path, bytes).expect("a file");
    check(read(&path));
    check_scan(scan(&path));
}
