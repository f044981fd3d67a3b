//! Shared code of the targets that read files. [`texts`] is the shared code of the targets for operations on text.

pub mod texts;

use std::path::Path;

use gdf_io::{Batch, Result};

/// Lets panics unwind, so that readers can convert panics of decoders to errors. libFuzzer's panic hook would abort
/// the process. A panic of gdf's own code unwinds out of the target and aborts there.
pub fn let_panics_unwind() {
    std::panic::set_hook(Box::new(|_| ()));
}

/// Limits the memory of columns on the CPU. A file of a few bytes may state billions of equal values, which must give
/// an error.
pub fn limit_memory() {
    let cpu = gdf_driver::Device::Cpu;
    let upstream = gdf_memory::current_resource(cpu).expect("the CPU has a memory resource");
    let limited = gdf_memory::LimitingResource::new(upstream, 1 << 30);
    gdf_memory::set_current_resource(cpu, gdf_memory::Resource::new(limited))
        .expect("the resource allocates CPU memory");
}

/// Checks that a batch can be exported. The export validates the batch. An error of the reader is a valid result.
pub fn check(read: Result<Batch>) {
    if let Ok(batch) = read {
        batch.to_arrow().expect("a batch from a file can be exported");
    }
}

/// Checks at most 100 batches of a scan. An error of the scan or of a batch is a valid result.
pub fn check_scan(scan: Result<impl Iterator<Item = Result<Batch>>>) {
    if let Ok(scan) = scan {
        scan.take(100).for_each(check);
    }
}

/// Writes the bytes to a file, and reads and scans the file.
pub fn check_file<S: Iterator<Item = Result<Batch>>>(
    bytes: &[u8],
    read: impl Fn(&Path) -> Result<Batch>,
    scan: impl Fn(&Path) -> Result<S>,
) {
    let path = std::env::temp_dir().join(format!("gdf-fuzz-{}", std::process::id()));
    std::fs::write(&path, bytes).expect("the file can be written");
    check(read(&path));
    check_scan(scan(&path));
}
