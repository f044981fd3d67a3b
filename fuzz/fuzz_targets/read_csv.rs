//! Bytes as CSV: errors or columns that hold what their types say, whatever the bytes are.
#![no_main]

use gdf_fuzz::{check_file, let_panics_unwind};
use gdf_io::CsvReader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: let_panics_unwind(), |bytes: &[u8]| {
    check_file(
        bytes,
        |path| CsvReader::open(path)?.read(),
        |path| CsvReader::open(path)?.rows(1..9).batch_rows(2).scan(),
    );
});
