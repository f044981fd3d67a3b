//! Text functions on CUDA. If the result fits in memory of the estimated size, one launch both finds the sizes of rows
//! and writes them. Otherwise one launch finds the sizes, the host waits for the total, and another launch writes the
//! rows.

mod columns;
mod elements;
mod lists;

use std::cell::Cell;

use gdf_core::{ColumnView, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::common::{
    BUILD_STRINGS_DETAIL_MIN_TILE, BUILD_STRINGS_DETAIL_MOST_SHARE, BUILD_STRINGS_DETAIL_SCRATCH_TILES,
    BUILD_STRINGS_DETAIL_UNKNOWN_SIZE, TextChunk, TextChunks, TextIn, TileCounts,
};
use gdf_kernels::generated::strings::{ChunkPlaces, ChunkPlacesKernel, ChunkPlacesRequest};
use gdf_kernels::{ColumnOut, FamilyArguments};
use gdf_memory::{Buffer, Mailbox};
use smallvec::SmallVec;

pub(super) use self::columns::columns;
pub(super) use self::elements::{ElementRequest, RetryState, elements};
pub(super) use self::lists::{Lists, lists};
use super::is_large;
use crate::Ctx;
use crate::cuda::{Bytes, CudaColumn, CudaOutput, Kernel, Out};
use crate::elementwise::Inputs;
use crate::input::Input;
use crate::layout::characters;

/// Up to this number of rows, a tile of a warp has 32 rows, so that all warps have work. With larger tiles, the slowest
/// warp would determine the time of the launch.
pub const FEW_ROWS: usize = 1 << 17;

/// If an allocation of more than this many bytes fails, the engine tries a smaller allocation.
const FEW_BYTES: usize = 1 << 24;

/// The number of bytes of a result's memory that may stay unused. If more bytes are unused, the result keeps the memory
/// only if the unused bytes are at most a quarter of the memory.
const MOST_UNUSED: usize = 1 << 16;

/// The mean numbers of bytes of a row from which rows are long: in any column, and in a column of at most
/// [`FEWEST_ROWS`] rows. A warp takes a long row.
const LONG_MEAN: usize = 256;
const FEWEST_ROWS: usize = 1 << 12;
const FEW_LONG_MEAN: usize = 64;

/// An estimate samples one of every `SAMPLED` tiles.
const SAMPLED: usize = 64;

/// The binary logarithm of the number of bytes of a chunk, when chunks of long rows are searched for a text.
const TEXT_CHUNK_SHIFT: u32 = 12;
/// A row of more than this many bytes is cut into chunks.
pub const LONG_TEXT: i64 = 1 << 13;

/// The arguments of launches of kernels that search chunks.
#[derive(Clone, Copy, Debug)]
pub struct ChunkLaunch<'a> {
    pub chunks: TextChunks<'a>,
    /// Whether the kernel that writes chunks must know where the last match before a chunk ends.
    pub links: bool,
    /// The number of units of work for which the grids are made.
    pub units: usize,
}

/// The expected number of elements of a result, for which memory is allocated. 0 stands for an unknown number.
#[derive(Clone, Copy, Debug)]
pub enum Estimate {
    /// The expected number is given directly.
    About(usize),
    /// The number is estimated from the sizes of sampled rows. If there are too few rows for a sample, the expected
    /// number is the given number.
    Sampled(usize),
    /// The number of elements of the first input. The number is exact, unless [`run_in_place`](Launch::run_in_place)
    /// reports that a character becomes longer or shorter.
    InPlace(usize),
}

impl From<usize> for Estimate {
    fn from(elements: usize) -> Self {
        Estimate::About(elements)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Sizes,
    Write,
    Lists,
    InPlace,
}

/// The arguments that all kernels of text functions take.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a, const N: usize> {
    pass: Pass,
    pub stream: &'a Stream,
    pub rows: usize,
    pub inputs: [TextIn<'a>; N],
    pub out: ColumnOut<'a>,
    pub counts: TileCounts<'a>,
    pub mailbox: Out<'a, u64>,
    /// The chunks of the first input. [`chunks_of`] returns their number.
    pub chunks: Out<'a, TextChunk>,
    pub feedback: &'a LaunchFeedback,
}

#[derive(Debug, Default)]
pub struct LaunchFeedback {
    /// The binary logarithm of the number of bytes of a chunk.
    pub(crate) chunk_shift: Cell<Option<u32>>,
    keeps_sizes: Cell<bool>,
}

/// Returns the number of chunks of `1 << shift` bytes in a character buffer of `bytes` bytes.
pub fn chunks_of(bytes: Bytes, shift: u32) -> usize {
    (bytes.get() >> shift) + 1
}

impl<'a, const N: usize> Launch<'a, N> {
    /// Returns the kernel for this pass.
    pub(crate) fn of_spans<K>(&self, [sizes, write, lists]: [K; 3]) -> K {
        if self.pass == Pass::Lists { lists } else { self.of_pass([sizes, write]) }
    }

    /// Enqueues a kernel of `gdf::map_strings` or `gdf::write_strings`.
    pub fn run<A: FamilyArguments>(&self, kernel: A::Kernel, arguments: &A) -> Result<()> {
        self.enqueue(kernel, self.spread(self.rows), arguments)
    }

    /// Enqueues the kernel for this pass. The name of the first of `kernels` ends in `sizes`, and this kernel is an
    /// instance of `gdf::size_strings`. The name of the second ends in `write`, and this kernel is an instance of
    /// `gdf::write_strings`.
    pub fn run_twice<A: FamilyArguments>(&self, kernels: [A::Kernel; 2], arguments: &A) -> Result<()> {
        self.run(self.of_pass(kernels), arguments)
    }

    /// Enqueues a kernel in the same way as [`run`](Self::run). The grid has at most as many blocks as the device can
    /// run at a time, because each further block would compute the same data again.
    pub fn run_prepared<A: FamilyArguments>(&self, kernel: A::Kernel, arguments: &A) -> Result<()> {
        self.enqueue_prepared(kernel, self.spread(self.rows), arguments)
    }

    /// Enqueues the kernel for this pass in the same way as [`run_prepared`](Self::run_prepared). `kernels` are the two
    /// kernels that [`run_twice`](Self::run_twice) describes.
    pub fn run_prepared_twice<A: FamilyArguments>(&self, kernels: [A::Kernel; 2], arguments: &A) -> Result<()> {
        self.run_prepared(self.of_pass(kernels), arguments)
    }

    /// Enqueues the kernel for this pass in the same way as [`run_prepared`](Self::run_prepared). The three kernels
    /// find the sizes of spans, write spans, and make lists of spans.
    pub fn run_spans<A: FamilyArguments>(&self, kernels: [A::Kernel; 3], arguments: &A) -> Result<()> {
        self.run_prepared(self.of_spans(kernels), arguments)
    }

    /// Returns the number of rows from which the size of the grid must be computed. A grid for this number has a block
    /// for each tile of the `rows` rows.
    pub fn spread(&self, rows: usize) -> usize {
        rows.saturating_mul(BUILD_STRINGS_DETAIL_MOST_SHARE / self.counts.share as usize)
    }

    /// Enqueues `kernel` in the same way as [`run_prepared`](Self::run_prepared), with a grid for `rows` rows. The
    /// blocks handle all rows in a grid-stride loop.
    pub(crate) fn enqueue_prepared<A: FamilyArguments>(
        &self,
        kernel: A::Kernel,
        rows: usize,
        arguments: &A,
    ) -> Result<()> {
        self.enqueue_by(kernel, arguments, |kernel| kernel.blocks(rows))
    }

    /// In the pass that maps bytes in place, enqueues `bytes`, an instance of `gdf::map_bytes`. In all other passes,
    /// enqueues `write` in the same way as [`run`](Self::run).
    pub fn run_in_place<A: FamilyArguments>(&self, [write, bytes]: [A::Kernel; 2], arguments: &A) -> Result<()> {
        match self.pass {
            Pass::InPlace => self.enqueue(bytes, self.rows.max(self.counts.capacity as usize / 16), arguments),
            _ => self.run(write, arguments),
        }
    }

    /// Returns the kernel for this pass. The first kernel finds sizes, and leaves the sizes in the memory that later
    /// holds the offsets. The second kernel writes elements.
    pub(crate) fn of_pass<K>(&self, [sizes, write]: [K; 2]) -> K {
        if self.pass == Pass::Sizes {
            self.feedback.keeps_sizes.set(true);
        }
        if self.pass == Pass::Sizes { sizes } else { write }
    }

    /// Returns whether the operation must enqueue the kernels that search chunks before the kernel that counts sizes.
    pub(crate) fn counts_chunks(&self) -> bool {
        self.pass == Pass::Sizes && !self.chunks.is_null()
    }

    /// Returns whether the operation must enqueue the kernel that writes the elements of chunks.
    pub(crate) fn writes_chunks(&self) -> bool {
        self.pass == Pass::Write && !self.chunks.is_null()
    }

    /// Returns the chunks of the first input in the form in which kernels that search for a text take them. Rows of
    /// more than `longest` bytes are searched in chunks.
    pub fn text_chunks(&self, longest: i64) -> TextChunks<'a> {
        let bytes = self.inputs.first().map_or(Bytes::ZERO, |text| text.bytes);
        let cuts = bytes.get() as i64 > longest;
        if cuts {
            self.feedback.chunk_shift.set(Some(TEXT_CHUNK_SHIFT));
        }
        TextChunks {
            chunks: self.chunks,
            count: chunks_of(bytes, TEXT_CHUNK_SHIFT) as i64,
            longest: if cuts { longest } else { i64::MAX },
            token: 0,
            shift: TEXT_CHUNK_SHIFT.into(),
        }
    }

    /// Enqueues the kernel `rows` and the kernels of chunks. In the pass that finds sizes, the kernel that finds the
    /// sizes of chunks comes before `rows`. In the pass that writes, the kernel that writes chunks comes after `rows`.
    pub fn run_chunks<A: FamilyArguments>(
        &self,
        [sizes, write]: [A::Kernel; 2],
        ChunkLaunch { chunks, links, units }: ChunkLaunch<'_>,
        arguments: &A,
        rows: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if self.counts_chunks() {
            self.enqueue(sizes, units, arguments)?;
            let text = self.inputs.first().copied().unwrap_or_default();
            let p = ChunkPlacesRequest { text, chunks, links: links.into(), unused: 0 };
            self.enqueue(ChunkPlacesKernel::All, chunks.count as usize, &ChunkPlaces { p })?;
        }
        rows()?;
        if self.writes_chunks() {
            self.enqueue(write, units, arguments)?;
        }
        Ok(())
    }

    /// Enqueues one of the kernels of a pass, with a grid for `units` units of work.
    pub(crate) fn enqueue<A: FamilyArguments>(&self, kernel: A::Kernel, units: usize, arguments: &A) -> Result<()> {
        self.enqueue_by(kernel, arguments, |kernel| kernel.streaming_blocks(units))
    }

    fn enqueue_by<A: FamilyArguments>(
        &self,
        kernel: A::Kernel,
        arguments: &A,
        blocks: impl FnOnce(&Kernel<A::Static>) -> u32,
    ) -> Result<()> {
        let kernel = Kernel::choose(kernel, self.stream)?;
        // SAFETY: The kernels read the rows of their inputs and parameters, and write the rows of `out`, the mailbox,
        // entries and chunks.
        // - The inputs and parameters have the declared types and numbers of rows.
        // - In the pass that finds sizes, the kernels write the sizes of the rows to `out`. In other passes, the
        //   kernels write offsets, validity, null count, and the elements of tiles that end within the capacity of
        //   `out`.
        // - If each row has the same number of elements, `out` has no offsets, and the kernels write only the
        //   elements.
        // - The kernels write one word of the mailbox. Kernels that map bytes write two words, and their mailbox has
        //   two words.
        // - The entries suffice for tiles of `BUILD_STRINGS_DETAIL_MIN_TILE` rows, and the kernels assert that tiles
        //   are not smaller.
        // - Kernels of chunks write only the chunks that the first input has, before sizes are counted. Afterwards,
        //   kernels of chunks write the elements of long rows.
        // - All memory is open until the engine returns.
        unsafe { kernel.launch(self.stream, blocks(&kernel), 1, arguments)? };
        Ok(())
    }
}

/// An input in the form in which text kernels take it: a column that is open for reading, and the length of its
/// character buffer.
#[derive(Debug)]
pub struct OpenText<'a> {
    column: CudaColumn<'a>,
    bytes: Bytes,
}

impl OpenText<'_> {
    pub fn desc(&self) -> TextIn<'_> {
        TextIn { column: self.column.desc(), bytes: self.bytes }
    }
}

pub fn open_text<'a>(input: Input<'a>, stream: &Stream) -> Result<OpenText<'a>> {
    Ok(OpenText { column: CudaColumn::open_input(input, stream)?, bytes: characters(input.view()) })
}

/// Returns the estimated number of bytes of the texts of a text column. For a slice of a column, the estimate assumes
/// that all rows have the same length.
pub fn estimated_bytes(input: Input<'_>) -> usize {
    let (Input::Column(view), Ok(large)) = (input, is_large("text", input.view())) else { return 0 };
    let offsets = view.buffers().first().map_or(0, |offsets| offsets.len() / if large { 8 } else { 4 });
    let rows = offsets.saturating_sub(1).max(view.len()).max(1) as u128;
    (characters(view).get() as u128 * view.len() as u128).div_ceil(rows) as usize
}

/// Returns whether the rows of a text column are long on average, so that kernels of `gdf::value_long_strings` are
/// faster than kernels of `gdf::value_strings`.
pub fn has_long_rows(column: ColumnView<'_>) -> bool {
    let (rows, bytes) = (column.len(), estimated_bytes(column.into()));
    let mean = if rows <= FEWEST_ROWS { FEW_LONG_MEAN } else { LONG_MEAN };
    bytes / rows.max(1) >= mean
}

fn entries(rows: usize, share: usize, columns: usize, ctx: Ctx<'_>) -> Result<Option<Buffer>> {
    let tiles = rows.div_ceil(BUILD_STRINGS_DETAIL_MIN_TILE * share) * columns;
    Ok((tiles > BUILD_STRINGS_DETAIL_SCRATCH_TILES)
        .then(|| Buffer::zeroed(tiles * 16, ctx.stream, ctx.mr.temporary))
        .transpose()?)
}

/// Finds a fixed number of spans for each row of `source` by a launch of `launch`, and writes them to `spans`.
pub(super) fn fixed_spans(
    source: Input<'_>,
    rows: usize,
    spans: &mut Buffer,
    ctx: Ctx<'_>,
    launch: impl FnOnce(&Launch<'_, 1>) -> Result<()>,
) -> Result<()> {
    let text = open_text(source, ctx.stream)?;
    let spans = spans.write_on(ctx.stream)?;
    launch(&Launch {
        pass: Pass::Write,
        stream: ctx.stream,
        rows,
        inputs: [text.desc()],
        out: ColumnOut { data: Out::of(&spans), length: rows as i64, ..ColumnOut::default() },
        counts: TileCounts { share: BUILD_STRINGS_DETAIL_MOST_SHARE as i32, ..TileCounts::default() },
        mailbox: Out::NULL,
        chunks: Out::NULL,
        feedback: &LaunchFeedback::default(),
    })
}

/// Returns the number of times that a warp handles 32 rows, which is the number of rows of its tile divided by 32.
fn share_of(rows: usize) -> usize {
    if rows <= FEW_ROWS { 1 } else { BUILD_STRINGS_DETAIL_MOST_SHARE }
}

/// Returns whether too many bytes of a memory are unused. `capacity` is the size of the memory, and `total` is the
/// number of used bytes.
fn is_much(capacity: usize, total: usize) -> bool {
    capacity - total > MOST_UNUSED && capacity - total > total / 3
}

fn open_all<'a, const N: usize>(inputs: &Inputs<'a, N>, stream: &Stream) -> Result<SmallVec<[OpenText<'a>; N]>> {
    inputs.operands.into_iter().map(|input| open_text(input, stream)).collect()
}

fn descriptors<'o, const N: usize>(opened: &'o SmallVec<[OpenText<'_>; N]>) -> [TextIn<'o>; N] {
    std::array::from_fn(|index| opened[index].desc())
}

/// Returns a launch that only finds sizes.
fn sizes_of<'a, const N: usize>(
    inputs: [TextIn<'a>; N],
    rows: usize,
    stream: &'a Stream,
    feedback: &'a LaunchFeedback,
) -> Result<Launch<'a, N>> {
    Ok(Launch {
        pass: Pass::Sizes,
        stream,
        rows,
        inputs,
        out: ColumnOut::default(),
        counts: TileCounts { share: share_of(rows) as i32, every: 1, ..TileCounts::default() },
        mailbox: Out::NULL,
        chunks: Out::NULL,
        feedback,
    })
}

/// Returns the number of elements that an estimate expects, or `None` if the sizes of sampled rows are unknown.
fn sample<const N: usize>(
    estimate: Estimate,
    sizes: &Launch<'_, N>,
    output: &mut CudaOutput,
    launch: &dyn Fn(&Launch<'_, N>) -> Result<()>,
) -> Result<Option<usize>> {
    let (about, rows) = match estimate {
        Estimate::Sampled(_) if sizes.rows > FEW_ROWS => (0, sizes.rows),
        Estimate::About(about) | Estimate::Sampled(about) | Estimate::InPlace(about) => return Ok(Some(about)),
    };
    let open = output.open(sizes.stream)?;
    let mailbox = Mailbox::new(sizes.stream, 1)?;
    launch(&Launch {
        rows: rows.div_ceil(SAMPLED),
        out: open.desc(),
        counts: TileCounts { every: SAMPLED as i64, ..sizes.counts },
        mailbox: Out::of(&mailbox),
        ..*sizes
    })?;
    let total = mailbox.wait()?[0];
    if total >= BUILD_STRINGS_DETAIL_UNKNOWN_SIZE {
        return Ok(None);
    }
    let tile = BUILD_STRINGS_DETAIL_MIN_TILE * share_of(rows);
    let sampled = rows.div_ceil(tile).div_ceil(SAMPLED) * tile;
    let total = (u128::from(total) * rows as u128 / sampled.min(rows) as u128) as usize;
    Ok(Some(about + total + total / 16 + rows / 64))
}
