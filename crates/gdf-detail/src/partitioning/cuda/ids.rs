//! The first launch: the partition of each row, and, unless there are too many, counts per block.

use bytemuck::{Pod, Zeroable};
use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_driver::Stream;
use gdf_memory::{AccessMut, Buffer, Resources};

use super::super::hash_partition::HashFunction;
use super::words::Words;
use super::{CAPABILITY, FEW, MANY};
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
    upper: u64,
    counts: u64,
    totals: u64,
    partitions: i32,
    checked: i32,
    digit_bits: i32,
    unused: i32,
}

const _: () = assert!(size_of::<IdsOut>() == 56);

/// What rows go by.
#[derive(Clone, Copy)]
pub(super) enum Source<'s, 'a> {
    Hash {
        keys: &'s [HashedColumn<'a>],
        function: HashFunction,
        seed: u32,
    },
    Map(ColumnView<'a>),
    /// Numbers that are all below the number of partitions.
    Ids(ColumnView<'a>),
}

/// How ids are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A byte each, counted: for up to [`FEW`] partitions.
    Bytes,
    /// Two digits, the lower of so many bits, both of which have a byte: counted, for up to [`MANY`] partitions.
    Digits(u32),
    /// 32 bits each, not counted.
    Words,
}

impl Form {
    /// `direct`: all rows can be moved by the digits of their ids.
    pub(super) fn of(partitions: i32, direct: bool) -> Self {
        match partitions as usize {
            0..=FEW => Self::Bytes,
            many if many <= MANY && direct => Self::Digits(many.next_power_of_two().trailing_zeros().div_ceil(2)),
            _ => Self::Words,
        }
    }
}

/// What the launch leaves.
pub(super) struct Ids {
    /// A byte for each row if there are counts, else 32 bits.
    pub(super) ids: Buffer,
    /// The upper digits.
    pub(super) upper: Option<Buffer>,
    /// The first positions of each block, by partition or lower digit.
    pub(super) counts: Option<Buffer>,
    /// Where partitions begin, if there are counts, and errors in a map.
    pub(super) words: Words,
}

pub(super) fn find_ids(
    source: Source<'_, '_>,
    rows: usize,
    partitions: i32,
    form: Form,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Ids> {
    let count = partitions as usize;
    let (counted, digits) = match form {
        Form::Bytes => (count, None),
        Form::Digits(bits) => (1 << bits, Some(bits)),
        Form::Words => (0, None),
    };
    let checked = matches!(source, Source::Map(_));
    let blocks = Kernel::find(stream, CAPABILITY, "partition_move_kernel", "partition")?.blocks(rows);
    let has_counts = form != Form::Words;
    let mut ids = Buffer::uninitialized(byte_len(rows, if has_counts { 1 } else { 4 }, mr)?, stream, mr.temporary)?;
    let mut counts = if has_counts {
        Some(Buffer::uninitialized(counted * blocks as usize * 8, stream, mr.temporary)?)
    } else {
        None
    };
    let (mut upper, mut totals) = match digits {
        Some(_) => (
            Some(Buffer::uninitialized(byte_len(rows, 1, mr)?, stream, mr.temporary)?),
            Some(Buffer::zeroed(count * 8, stream, mr.temporary)?),
        ),
        None => (None, None),
    };
    let errors = if checked { ERROR_WORDS } else { 0 };
    let mut words = Words::new(count - 1 + errors, has_counts, stream, mr)?;

    let ids_out = ids.write_on(stream)?;
    let counts_out = counts.as_mut().map(|counts| counts.write_on(stream)).transpose()?;
    let upper_out = upper.as_mut().map(|upper| upper.write_on(stream)).transpose()?;
    let totals_out = totals.as_mut().map(|totals| totals.write_on(stream)).transpose()?;
    let address = |access: &Option<AccessMut<'_>>| access.as_ref().map_or(0, AccessMut::address);
    let [narrow, wide] = if has_counts { [ids_out.address(), 0] } else { [0, ids_out.address()] };
    let out = IdsOut {
        narrow,
        wide,
        upper: address(&upper_out),
        counts: address(&counts_out),
        totals: address(&totals_out),
        partitions,
        checked: i32::from(checked),
        digit_bits: digits.unwrap_or(0) as i32,
        unused: 0,
    };
    let launch = Launch { out, blocks, shared: if has_counts { count.max(FEW) as u32 * 4 } else { 0 } };
    words.write(stream, |words| match source {
        Source::Hash { keys, function, seed } => {
            let (table, later) = OpenTable::open(keys, stream)?;
            if !later.is_empty() {
                drop(table);
                let hashes = hashes(keys, rows, function, seed, stream, mr)?;
                return launch.map(hashes.view(), words, stream);
            }
            let name = match function {
                HashFunction::Murmur3 => "partition_murmur_ids_kernel",
                HashFunction::Identity => "partition_identity_ids_kernel",
            };
            let kernel = Kernel::find(stream, CAPABILITY, name, "partition")?;
            let (length, scratch) = (rows as i64, stream.scratch()?);
            launch.allow_shared(&kernel)?;
            // SAFETY: the parameters are (hashed_table<32>, int64 rows, uint32 seed, ids_out, scratch*, words*), passed
            // in this order and type. All keys have `rows` rows, above 0; with the identity they are numbers (checked
            // by the caller). There is an id for each row, or two digits of one; where they are counted there is a count
            // for each partition, or lower digit, and block, a zero for each partition if there are digits, a word for
            // each partition but the first, and shared memory for 256 counters, or one for each partition if these are
            // more. Accesses are held until the launch is enqueued on their stream.
            unsafe {
                kernel.launch_shared(
                    stream,
                    blocks,
                    launch.shared,
                    args![table.desc, length, seed, out, scratch, words],
                )
            }
        }
        Source::Map(map) | Source::Ids(map) => launch.map(map, words, stream),
    })?;
    drop((ids_out, counts_out, upper_out, totals_out));
    Ok(Ids { ids, upper, counts, words })
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

/// What all kernels of ids are launched with.
struct Launch {
    out: IdsOut,
    blocks: u32,
    /// Bytes of dynamic shared memory.
    shared: u32,
}

impl Launch {
    /// As much as any number of partitions takes, whoever else launches the kernel.
    fn allow_shared(&self, kernel: &Kernel) -> Result<()> {
        if self.shared > FEW as u32 * 4 { kernel.allow_shared(MANY as u32 * 4) } else { Ok(()) }
    }

    fn map(&self, map: ColumnView<'_>, words: u64, stream: &Stream) -> Result<()> {
        let kernel = Kernel::find(stream, CAPABILITY, "partition_map_ids_kernel", "partition")?;
        let (map, out) = (CudaColumn::open(map, stream)?, self.out);
        let scratch = stream.scratch()?;
        self.allow_shared(&kernel)?;
        // SAFETY: the parameters are (column_in map, ids_out, scratch*, words*), passed in this order and type. The map is
        // of integers, one for each row, above 0 (checked by the caller), or of hashes. There is an id for each row, or two
        // digits of one; where they are counted there is a count for each partition, or lower digit, and block, a zero for
        // each partition if there are digits, a word for each partition but the first, and shared memory for 256 counters,
        // or one for each partition if these are more; if the map is checked, there are three words behind those. Accesses
        // are held until the launch is enqueued on their stream.
        unsafe { kernel.launch_shared(stream, self.blocks, self.shared, args![map.desc, out, scratch, words]) }
    }
}
