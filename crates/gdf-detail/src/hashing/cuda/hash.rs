//! Hashes of all rows: one launch for all columns, up to 32.

use std::ffi::c_void;

use gdf_core::{Column, DataType, Result};
use gdf_driver::Stream;
use gdf_memory::Resources;

use super::OpenTable;
use crate::cuda::{CudaOutput, Kernel};
use crate::hashing::HashedColumn;
use crate::hashing::host::Function;

const CAPABILITY: &str = "hashing";

pub(crate) fn hash<F: Function>(
    operation: &'static str,
    columns: &[HashedColumn<'_>],
    rows: usize,
    data_type: &DataType,
    seed: F::Seed,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Vec<Column>> {
    let policy = if F::WORDS == 1 { "hash" } else { "hash_128" };
    let kernel = Kernel::find(stream, CAPABILITY, &format!("hash_{operation}_kernel"), policy)?;
    let output = || CudaOutput::fixed_width(data_type, rows, false, stream, mr);
    let mut outputs = (0..F::WORDS).map(|_| output()).collect::<Result<Vec<_>>>()?;
    let open = outputs.iter_mut().map(|output| output.open(stream)).collect::<Result<Vec<_>>>()?;
    let addresses: Vec<u64> = open.iter().map(|output| output.desc.data).collect();
    let blocks = kernel.streaming_blocks(rows);
    let rows = rows as i64;
    let (mut left, mut begun) = (columns, 0_i32);
    while !left.is_empty() {
        let (table, later) = OpenTable::open(left, stream)?;
        let mut arguments: Vec<*mut c_void> = vec![
            (&raw const table.desc).cast_mut().cast(),
            (&raw const rows).cast_mut().cast(),
            (&raw const seed).cast_mut().cast(),
            (&raw const begun).cast_mut().cast(),
        ];
        arguments.extend(addresses.iter().map(|address| std::ptr::from_ref(address).cast_mut().cast::<c_void>()));
        // SAFETY: the parameters are (hashed_table<32>, int64 rows, seed, int begun, out* for each word), passed in this
        // order; the seed has the width that the function's kernel takes. All columns have `rows` rows, above 0 (checked
        // by the caller), as do the outputs, of the words that the kernel writes; from the second launch on they hold
        // what the one before wrote. Accesses are held until the launch is enqueued on their stream.
        unsafe { kernel.launch(stream, blocks, 1, &mut arguments)? };
        (left, begun) = (later, 1);
    }
    drop(open);
    outputs.into_iter().map(|output| output.finish(stream)).collect()
}
