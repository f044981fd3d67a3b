//! Reads any bytes as Arrow IPC. The reader must return an error or columns that are valid for their types.
#![no_main]

use gdf_fuzz::{check_file, let_panics_unwind};
use gdf_io::IpcReader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: let_panics_unwind(), |bytes: &[u8]| {
    check_file(
        bytes,
        |path| IpcReader::open(path)?.unpacked_limit(1 << 20).read(),
        |path| IpcReader::open(path)?.rows(1..9).batch_rows(2).scan(),
    );
});
