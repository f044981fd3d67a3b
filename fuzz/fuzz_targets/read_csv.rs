//! Reads any bytes as CSV. The reader must return an error or columns that are valid for their types.
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
