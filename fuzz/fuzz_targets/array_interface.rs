//! Imports of a foreign CUDA array interface. The importer checks the stated type, shape and strides before any access
//! to memory.
//!
//! Without a GPU, every import returns an error. The checks come before that error, so the target still tests
//! them.
#![no_main]

use std::sync::Arc;

use gdf_driver::Stream;
use gdf_interop::CudaArrayInterface;
use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;

#[derive(Debug)]
struct Any(CudaArrayInterface);

const TYPES: [&str; 16] =
    ["<i1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u8", "<f2", "<f4", "<f8", "|b1", ">i4", "<c8", "<U4", "|V16"];

impl<'a> Arbitrary<'a> for Any {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let typestr = if bytes.ratio(1, 8)? { String::arbitrary(bytes)? } else { (*bytes.choose(&TYPES)?).to_owned() };
        let extent = |bytes: &mut Unstructured<'a>| {
            if bytes.ratio(1, 8)? { usize::arbitrary(bytes) } else { bytes.int_in_range(0..=9) }
        };
        let dimensions = bytes.int_in_range(0..=3)?;
        let shape = (0..dimensions).map(|_| extent(bytes)).collect::<Result<Vec<_>>>()?;
        let strides = if bool::arbitrary(bytes)? {
            let stride = |bytes: &mut Unstructured<'a>| {
                if bytes.ratio(1, 8)? { i64::arbitrary(bytes) } else { bytes.int_in_range(-16..=64) }
            };
            let count = if bytes.ratio(1, 16)? { bytes.int_in_range(0..=4)? } else { dimensions };
            Some((0..count).map(|_| stride(bytes)).collect::<Result<Vec<_>>>()?)
        } else {
            None
        };
        Ok(Any(CudaArrayInterface {
            shape,
            typestr,
            data: Arbitrary::arbitrary(bytes)?,
            strides,
            stream: Arbitrary::arbitrary(bytes)?,
            version: Arbitrary::arbitrary(bytes)?,
            has_mask: bytes.ratio(1, 16)?,
        }))
    }
}

fuzz_target!(|array: Any| {
    let _ = array.0.data_type();
    // SAFETY: `into_table` rejects a stream of the CPU before `into_table` accesses memory.
    assert!(unsafe { array.0.into_table(Arc::new(()), &Stream::cpu()) }.is_err());
});
