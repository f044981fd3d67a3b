//! The first launch: the partition of each row, and, for few partitions, counts per block.

use bytemuck::{Pod, Zeroable};
use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Resources};

use super::super::hash_partition::HashFunction;
use super::words::Words;
use super::{CAPABILITY, FEW};
use crate::cuda::{CudaColumn, Kernel, args};
use crate::hashing::cuda::OpenTable;
use crate::hashing::host::Murmur32;
use crate::hashing::{self, HashedColumn};
use crate::rows::byte_len;

/// Words that tell of errors in a map.
pub(super) const ERROR_WORDS: usize = 3;

/// `partitioning::ids_out`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct IdsOut {
    narrow: u64,
    wide: u64,
    counts: u64,
    partitions: i32,
    checked: i32,
}

const _: () = assert!(size_of::<IdsOut>() == 32);

/// What rows go by.
#[derive(Clone, Copy)]
pub(super) enum Source<'s, 'a> {
    Hash { keys: &'s [HashedColumn<'a>], function: HashFunction, seed: u32 },
    Map(ColumnView<'a>),
}

/// What the launch leaves.
pub(super) struct Ids {
    /// A byte for each row if there are counts, else 32 bits.
    pub(super) ids: Buffer,
    /// The first positions of each block, by partition.
    pub(super) counts: Option<Buffer>,
    /// Where partitions begin, if there are counts, and errors in a map.
    pub(super) words: Words,
}

pub(super) fn find_ids(
    source: Source<'_, '_>,
    rows: usize,
    partitions: i32,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Ids> {
    let count = partitions as usize;
    let few = count <= FEW;
    let checked = matches!(source, Source::Map(_));
    let blocks = Kernel::find(stream, CAPABILITY, "partition_move_kernel", "partition")?.blocks(rows);
    let mut ids = Buffer::uninitialized(byte_len(rows, if few { 1 } else { 4 }, mr)?, stream, mr.temporary)?;
    let counted = || Buffer::uninitialized(count * blocks as usize * 8, stream, mr.temporary);
    let mut counts = if few { Some(counted()?) } else { None };
    let errors = if checked { ERROR_WORDS } else { 0 };
    let mut words = Words::new(count - 1 + errors, few, stream, mr)?;

    let ids_out = ids.write_on(stream)?;
    let counts_out = counts.as_mut().map(|counts| counts.write_on(stream)).transpose()?;
    let [narrow, wide] = if few { [ids_out.address(), 0] } else { [0, ids_out.address()] };
    let counts_at = counts_out.as_ref().map_or(0, |counts| counts.address());
    let out = IdsOut { narrow, wide, counts: counts_at, partitions, checked: i32::from(checked) };
    words.write(stream, |words| match source {
        Source::Hash { keys, function, seed } => {
            let (table, later) = OpenTable::open(keys, stream)?;
            if !later.is_empty() {
                drop(table);
                let hashes = hashes(keys, rows, function, seed, stream, mr)?;
                return launch_map(hashes.view(), out, blocks, words, stream);
            }
            let name = match function {
                HashFunction::Murmur3 => "partition_murmur_ids_kernel",
                HashFunction::Identity => "partition_identity_ids_kernel",
            };
            let kernel = Kernel::find(stream, CAPABILITY, name, "partition")?;
            let (length, scratch) = (rows as i64, stream.scratch()?);
            // SAFETY: the parameters are (hashed_table<32>, int64 rows, uint32 seed, ids_out, scratch*, words*), passed
            // in this order and type. All keys have `rows` rows, above 0; with the identity they are numbers (checked
            // by the caller). There is an id for each row; for few partitions there is a count for each partition and
            // block, and a word for each partition but the first. Accesses are held until the launch is enqueued on
            // their stream.
            unsafe { kernel.launch(stream, blocks, 1, args![table.desc, length, seed, out, scratch, words]) }
        }
        Source::Map(map) => launch_map(map, out, blocks, words, stream),
    })?;
    drop((ids_out, counts_out));
    Ok(Ids { ids, counts, words })
}

/// The hashes of more columns than one launch takes.
fn hashes(
    keys: &[HashedColumn<'_>],
    rows: usize,
    function: HashFunction,
    seed: u32,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Column> {
    let name = match function {
        HashFunction::Murmur3 => "murmurhash3_x86_32",
        HashFunction::Identity => "identity",
    };
    let mut hashes = hashing::cuda::hash::<Murmur32>(name, keys, rows, &DataType::UInt32, seed, stream, mr.scratch())?;
    hashes.pop().ok_or(gdf_core::Error::ColumnCount { expected: 1, found: 0 })
}

fn launch_map(map: ColumnView<'_>, out: IdsOut, blocks: u32, words: u64, stream: &Stream) -> Result<()> {
    let kernel = Kernel::find(stream, CAPABILITY, "partition_map_ids_kernel", "partition")?;
    let map = CudaColumn::open(map, stream)?;
    let scratch = stream.scratch()?;
    // SAFETY: the parameters are (column_in map, ids_out, scratch*, words*), passed in this order and type. The map is
    // of integers, one for each row, above 0 (checked by the caller), or of hashes. There is an id for each row; for
    // few partitions there is a count for each partition and block, and a word for each partition but the first; if
    // the map is checked, there are three words behind those. Accesses are held until the launch is enqueued on their
    // stream.
    unsafe { kernel.launch(stream, blocks, 1, args![map.desc, out, scratch, words]) }
}
