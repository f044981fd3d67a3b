//! Reads any bytes as Parquet. The reader must return an error or columns that are valid for their types.
#![no_main]

use gdf_fuzz::{check, check_scan, let_panics_unwind, limit_memory};
use gdf_io::{ParquetReader, Predicate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: {
    let_panics_unwind();
    limit_memory();
}, |bytes: &[u8]| {
    let Ok(reader) = ParquetReader::from_bytes(bytes) else { return };
    let name = reader.schema().fields().first().map(|field| field.name().clone());
    check(reader.clone().read());
    check(reader.clone().rows(1..3).read());
    if let Some(name) = name {
        check(reader.clone().predicate(Predicate::gt(name.clone(), 1)).read());
        check(reader.clone().predicate(Predicate::is_null(name.clone())).read());
        check(reader.clone().predicate(Predicate::is_in(name.clone(), 0..9)).read());
        let text = Predicate::neq(name.clone(), "").or(Predicate::is_in(name, ["a", "b", "c", "d", "e"]));
        check(reader.clone().predicate(text).read());
    }
    check_scan(reader.clone().batch_rows(2).scan());
    if let Ok(narrow) = reader.narrow_decimals() {
        check(narrow.read());
    }
});
