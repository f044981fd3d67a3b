//! Reads any bytes as JSON. The reader must return an error or columns that are valid for their types.
#![no_main]

use gdf_fuzz::{check_file, let_panics_unwind};
use gdf_io::JsonReader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: let_panics_unwind(), |bytes: &[u8]| {
    check_file(
        bytes,
        |path| JsonReader::open(path)?.read(),
        |path| JsonReader::open(path)?.rows(1..9).batch_rows(2).scan(),
    );
    // Most members are then unknown. Selected columns are checked in another way than all columns.
    check_file(
        bytes,
        |path| JsonReader::open(path)?.infer_records(1).read(),
        |path| JsonReader::open(path)?.infer_records(1).column_indices([0]).scan(),
    );
});
