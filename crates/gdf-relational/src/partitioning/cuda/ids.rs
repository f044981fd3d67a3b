//! The first launch of a partitioning.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_driver::Stream;
use gdf_engine::cuda::{CudaColumn, Grid, Kernel, Out, Rows};
use gdf_engine::layout::byte_len;
use gdf_engine::row_hash::{self, HashedColumn, Murmur32, OpenTable};
use gdf_kernels::Arguments;
use gdf_kernels::generated::hashing::HashKernel;
use gdf_kernels::generated::partitioning::{
    IdsOut, PartitionHashIds, PartitionHashIdsKernel, PartitionMapIds, PartitionMove,
};
use gdf_memory::Buffer;

use super::copy_rows::is_direct;
use super::words::Words;
use crate::Ctx;
use crate::partitioning::plan::HashFunction;

/// Up to this number of partitions, one byte holds a partition number, and rows are partitioned in one pass.
const FEW: usize = gdf_engine::limits::cuda::PARTITION_COUNTED;
/// Up to this number of partitions, a partition number has two digits, and rows are partitioned in two passes, one for
/// each digit.
const MANY: usize = gdf_engine::limits::cuda::PARTITION_DIGITS;

pub(super) const ERROR_WORDS: usize = 3;

#[derive(Clone, Copy)]
pub(in crate::partitioning) enum Source<'s, 'a> {
    Hash {
        keys: &'s [HashedColumn<'a>],
        function: HashFunction,
        seed: u32,
    },
    Map(ColumnView<'a>),
    /// A column of partition numbers.
    Ids(ColumnView<'a>),
}

/// The format in which partition numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One byte per row, with counts.
    Bytes,
    /// Two digits of one byte each, with counts.
    Digits(u32),
    /// 32 bits per row, without counts.
    Words,
}

impl Form {
    /// Returns the format for `partitions` partitions of rows of these columns.
    pub(super) fn of(partitions: i32, columns: &[ColumnView<'_>]) -> Self {
        match partitions as usize {
            0..=FEW => Self::Bytes,
            many if many <= MANY && columns.iter().all(is_direct) => {
                Self::Digits(many.next_power_of_two().trailing_zeros().div_ceil(2))
            }
            _ => Self::Words,
        }
    }
}

pub(super) struct Ids {
    /// The partition numbers or the lower digits.
    pub(super) ids: Buffer,
    pub(super) upper: Option<Buffer>,
    /// The first output position of each block, for each partition or lower digit.
    pub(super) counts: Option<Buffer>,
    /// The first row of each partition but the first, and the errors in a map. Without counts, the first rows are
    /// written by a later launch.
    pub(super) words: Words,
}

pub(super) fn find_ids(source: Source<'_, '_>, rows: usize, partitions: i32, form: Form, ctx: Ctx<'_>) -> Result<Ids> {
    let count = partitions as usize;
    let (counted, digits) = match form {
        Form::Bytes => (count, None),
        Form::Digits(bits) => (1 << bits, Some(bits)),
        Form::Words => (0, None),
    };
    let checked = matches!(source, Source::Map(_));
    let blocks = Kernel::<PartitionMove>::find(ctx.stream)?.blocks(rows);
    let has_counts = form != Form::Words;
    let mut ids =
        Buffer::uninitialized(byte_len(rows, if has_counts { 1 } else { 4 }, ctx.mr)?, ctx.stream, ctx.mr.temporary)?;
    let mut counts = if has_counts {
        Some(Buffer::uninitialized(counted * blocks as usize * 8, ctx.stream, ctx.mr.temporary)?)
    } else {
        None
    };
    let (mut upper, mut totals) = match digits {
        Some(_) => (
            Some(Buffer::uninitialized(byte_len(rows, 1, ctx.mr)?, ctx.stream, ctx.mr.temporary)?),
            Some(Buffer::zeroed(count * 8, ctx.stream, ctx.mr.temporary)?),
        ),
        None => (None, None),
    };
    let errors = if checked { ERROR_WORDS } else { 0 };
    let word_count = count - 1 + errors;
    let mut words = if has_counts { Words::new(word_count, ctx) } else { Words::in_memory(word_count, ctx) }?;

    let ids_out = ids.write_on(ctx.stream)?;
    let counts_out = counts.as_mut().map(|counts| counts.write_on(ctx.stream)).transpose()?;
    let upper_out = upper.as_mut().map(|upper| upper.write_on(ctx.stream)).transpose()?;
    let totals_out = totals.as_mut().map(|totals| totals.write_on(ctx.stream)).transpose()?;
    let out = IdsOut {
        narrow: if has_counts { Out::of(&ids_out) } else { Out::NULL },
        wide: if has_counts { Out::NULL } else { Out::of(&ids_out) },
        upper: Out::of_option(upper_out.as_ref()),
        counts: Out::of_option(counts_out.as_ref()),
        totals: Out::of_option(totals_out.as_ref()),
        partitions,
        checked: i32::from(checked),
        digit_bits: digits.unwrap_or(0) as i32,
        unused: 0,
    };
    let launch = IdsLaunch { out, blocks, shared: if has_counts { count.max(FEW) as u32 * 4 } else { 0 } };
    words.write(ctx.stream, |words| match source {
        Source::Hash { keys, function, seed } => {
            let (table, later) = OpenTable::open(keys, ctx.stream)?;
            if !later.is_empty() {
                drop(table);
                let hashes = hashes(keys, rows, function, seed, ctx)?;
                return launch.map(hashes.view(), words, ctx.stream);
            }
            let kernel = match function {
                HashFunction::Murmur3 => PartitionHashIdsKernel::Murmur,
                HashFunction::Identity => PartitionHashIdsKernel::Identity,
            };
            let kernel = Kernel::choose(kernel, ctx.stream)?;
            let rows = Rows::new(rows);
            let arguments = PartitionHashIds { table: table.desc(), rows, seed, out, words };
            launch.run(&kernel, ctx.stream, &arguments)
        }
        Source::Map(map) | Source::Ids(map) => launch.map(map, words, ctx.stream),
    })?;
    drop((ids_out, counts_out, upper_out, totals_out));
    Ok(Ids { ids, upper, counts, words })
}

/// Returns the hashes of rows that have more key columns than one launch takes.
fn hashes(keys: &[HashedColumn<'_>], rows: usize, function: HashFunction, seed: u32, ctx: Ctx<'_>) -> Result<Column> {
    let kernel = match function {
        HashFunction::Murmur3 => HashKernel::Murmurhash3X8632,
        HashFunction::Identity => HashKernel::Identity,
    };
    let mut hashes = row_hash::cuda::hash::<Murmur32>(kernel, keys, rows, &DataType::UInt32, seed, ctx.scratch())?;
    hashes.pop().ok_or(gdf_core::Error::column_count(1, 0))
}

/// The launch parameters that all kernels for partition numbers share.
struct IdsLaunch<'a> {
    out: IdsOut<'a>,
    blocks: u32,
    shared: u32,
}

impl IdsLaunch<'_> {
    fn run<A: Arguments>(&self, kernel: &Kernel<A::Static>, stream: &Stream, arguments: &A) -> Result<()> {
        if self.shared > FEW as u32 * 4 {
            // CUDA sets the limit of shared memory per function, and other threads may launch the same function with
            // more partitions.
            kernel.allow_shared(MANY as u32 * 4)?;
        }
        // SAFETY: The kernels read keys or a map, and write ids, counts and words.
        // - There is at least one row. All key columns have a row for each id. A map of integers or hashes also has a
        //   row for each id. With the identity hash, keys are numbers, as the caller has checked.
        // - There is an id for each row. With two digits, both digits have an element for each row.
        // - If rows are counted, there is a count for each block and each partition or lower digit, and a word for
        //   each partition but the first. With two digits, a word that is zero exists for each partition.
        // - Shared memory has a counter for each partition, and at least 256 counters.
        // - If the map is checked, three words follow the words of the partitions.
        // - All memory is held until the launch is enqueued.
        unsafe { kernel.launch_grid(stream, Grid::Shared(self.blocks, self.shared), arguments)? };
        Ok(())
    }

    fn map(&self, map: ColumnView<'_>, words: Out<'_, u64>, stream: &Stream) -> Result<()> {
        let map = CudaColumn::open(map, stream)?;
        let arguments = PartitionMapIds { map: map.desc(), out: self.out, words };
        self.run(&Kernel::find(stream)?, stream, &arguments)
    }
}
