//! Bytes as Parquet: errors or columns that hold what their types say, whatever the bytes are.
#![no_main]

use gdf_io::{Batch, ParquetReader, Predicate, Result};
use libfuzzer_sys::fuzz_target;

/// What was read can be exported, which validates it.
fn check(read: Result<Batch>) {
    if let Ok(batch) = read {
        batch.to_arrow().expect("what was read");
    }
}

// Panics of decoders become errors, which libFuzzer's hook does not let them; our own leave the target and abort.
fuzz_target!(init: std::panic::set_hook(Box::new(|_| ())), |bytes: &[u8]| {
    let Ok(reader) = ParquetReader::from_bytes(bytes) else { return };
    let name = reader.schema().fields().first().map(|field| field.name().clone());
    check(reader.clone().read());
    check(reader.clone().rows(1..3).read());
    if let Some(name) = name {
        check(reader.clone().predicate(Predicate::gt(name.clone(), 1)).read());
        check(reader.clone().predicate(Predicate::is_null(name)).read());
    }
    if let Ok(scan) = reader.batch_rows(2).scan() {
        scan.take(100).for_each(check);
    }
});
