//! The digit passes of a radix sort: their state, and their launches.

use std::cell::RefCell;

use gdf_core::{Error, Result};
use gdf_driver::Stream;
use gdf_kernels::Arguments;
use gdf_kernels::generated::sorting::{
    Codec, DIGITS, MAX_PASSES, PassWork, PassWorkFlags, SortPass, SortPassKernel, Sweep,
};
use gdf_memory::Buffer;

use super::codec;
use crate::Ctx;
use crate::cuda::{Grid, Kernel, Memory, Out, Rows32, Tiles32, Values};

/// The number of bits of a digit. One pass sorts by one digit.
pub(super) const DIGIT_BITS: u32 = DIGITS.ilog2();
/// The number of bytes of the digit counters. Each pass has a 64-bit counter for each value of its digit.
pub(super) const COUNT_BYTES: usize = MAX_PASSES * DIGITS * 8;
/// The number of bytes of the counters of one pass in the shared memory of a block. A block may keep several copies.
const BLOCK_COUNT_BYTES: u32 = 1024;
/// The binary logarithm of the maximum number of copies of the counters. With 32 copies, each lane of a warp has its
/// own copy.
const MAX_SHIFT: u32 = 5;
/// The maximum number of bytes of all counters of a block.
const MAX_BYTES: u32 = 160 << 10;
/// The approximate number of bytes of shared memory that counting kernels use besides the counts.
const STATIC_BYTES: u32 = 2048;
/// The maximum number of rows of one launch. Counts in look-back words have 30 bits.
const PORTION: usize = 1 << 28;

/// The memory of the keys and values that passes move. Pass p reads `keys[p % 2]` and writes the other buffer of keys.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PassBuffers<'m> {
    pub(super) keys: [Memory<'m>; 2],
    pub(super) values: [Memory<'m>; 2],
    /// The values that the first pass reads. If the field is `None`, the values are row numbers, and the first pass
    /// reads none.
    pub(super) first_values: Option<Values<'m>>,
    /// The column that the last pass writes instead of keys: its memory, and the codec that decodes its values from the
    /// keys.
    pub(super) target: Option<(Memory<'m>, Codec)>,
    /// Whether the caller needs only the values. The last pass then does not write keys.
    pub(super) values_only: bool,
}

/// The values of a column, with the codec that converts the values to keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodedValues<'m> {
    pub(super) values: Values<'m>,
    pub(super) codec: Codec,
}

/// The source of the keys of the first pass.
#[derive(Clone, Copy, Debug)]
pub(super) enum FirstKeys<'m> {
    Written(Memory<'m>),
    Made(CodedValues<'m>),
}

/// The parameters of a kernel that counts the digits of keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digits<'m, 'b> {
    pub(super) keys: FirstKeys<'m>,
    /// The number of low bits of the keys that do not take part in the sort.
    pub(super) first_bit: u32,
    /// A mailbox word per pass, or a null pointer. The kernel posts to the word how often the most frequent digit of
    /// the pass occurs.
    pub(super) mailbox: Out<'b, u64>,
}

/// Passes whose digit counters have been filled from the keys that they will sort.
#[derive(Debug)]
pub(super) struct Counted<'m> {
    passes: &'m Passes,
    state: Memory<'m>,
    keys: FirstKeys<'m>,
    first_bit: u32,
}

pub(super) fn passes_for(bits: u32) -> usize {
    bits.div_ceil(DIGIT_BITS) as usize
}

#[derive(Debug)]
pub(super) struct Passes {
    kernel: Kernel<SortPass<'static>>,
    shared: u32,
    rows: usize,
    bits: u32,
    pub(super) key_bytes: usize,
    value_bytes: usize,
    /// Whether row numbers and positions have 64 bits instead of 32.
    wide: bool,
    /// The number of rows of each launch of a pass.
    portion: usize,
}

/// The values that a pass moves together with the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Payload {
    None,
    Four,
    Eight,
}

/// The rows that passes sort, and the widths of their keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct PassInput {
    pub(super) rows: usize,
    pub(super) bits: u32,
    /// 4 or 8 bytes.
    pub(super) key_bytes: usize,
    pub(super) payload: Payload,
    /// Whether row numbers and positions have 64 bits instead of 32.
    pub(super) wide: bool,
}

impl Passes {
    pub(super) fn new(input: PassInput, ctx: Ctx<'_>) -> Result<(Self, Buffer)> {
        let PassInput { rows, bits, key_bytes, payload, wide } = input;
        let kernel = match (key_bytes, payload, wide) {
            (4, Payload::None, false) => SortPassKernel::K32,
            (4, Payload::None, true) => SortPassKernel::K32Wide,
            (4, Payload::Four, false) => SortPassKernel::K32V32,
            (4, Payload::Eight, false) => SortPassKernel::K32V64,
            (4, Payload::Eight, true) => SortPassKernel::K32V64Wide,
            (_, Payload::None, false) => SortPassKernel::K64,
            (_, Payload::None, true) => SortPassKernel::K64Wide,
            (_, Payload::Four, false) => SortPassKernel::K64V32,
            (_, Payload::Eight, false) => SortPassKernel::K64V64,
            (_, Payload::Eight, true) => SortPassKernel::K64V64Wide,
            (_, Payload::Four, true) => {
                return Err(Error::internal("no radix pass with 64-bit row numbers moves 32-bit values"));
            }
        };
        let kernel = Kernel::choose(kernel, ctx.stream)?;
        let portion = PORTION / kernel.tile() * kernel.tile();
        let value_bytes = match payload {
            Payload::None => 0,
            Payload::Four => 4,
            Payload::Eight => 8,
        };
        // The layout must match `storage` in kernels/sorting/onesweep.cuh.
        let tile = (kernel.tile() * key_bytes.max(value_bytes)).max(kernel.threads() / 32 * DIGITS * 4);
        let sources = if payload == Payload::None { 2 } else { kernel.tile() };
        let shared = tile + DIGITS * if wide { 8 } else { 4 } + DIGITS / 32 * 4 + 4 + (sources * 2).next_multiple_of(8);
        let shared = shared as u32;
        kernel.allow_shared(shared)?;
        let passes = Self { kernel, shared, rows, bits, key_bytes, value_bytes, wide, portion };
        let state = Buffer::uninitialized(
            passes.lookback_at() + 2 * passes.lookback_words(0) * 4,
            ctx.stream,
            ctx.mr.temporary,
        )?;
        Ok((passes, state))
    }

    pub(super) fn count(&self) -> usize {
        passes_for(self.bits)
    }

    /// Returns the binary logarithm of the number of copies of the counters that fit in the shared memory of a block,
    /// and the number of bytes of all copies.
    pub(super) fn block_counts(&self, stream: &Stream) -> Result<(u32, u32)> {
        let one = self.count() as u32 * BLOCK_COUNT_BYTES;
        let capacity = u32::try_from(stream.device().properties()?.shared_bytes_per_block).unwrap_or(u32::MAX);
        let capacity = capacity.saturating_sub(STATIC_BYTES).min(MAX_BYTES);
        let shift = (1..=MAX_SHIFT).rev().find(|shift| one << shift <= capacity).unwrap_or(0);
        Ok((shift, one << shift))
    }

    fn portions(&self) -> usize {
        self.rows.div_ceil(self.portion)
    }

    fn launches(&self) -> usize {
        self.count() * self.portions()
    }

    fn offset_bytes(&self) -> usize {
        DIGITS * if self.wide { 8 } else { 4 }
    }

    fn tickets_at(&self) -> usize {
        self.launches() * self.offset_bytes()
    }

    fn lookback_at(&self) -> usize {
        (self.tickets_at() + self.launches() * 4).next_multiple_of(256)
    }

    /// Returns the number of rows of launch `index`.
    fn launch_rows(&self, index: usize) -> usize {
        let portion = index % self.portions();
        self.portion.min(self.rows - portion * self.portion)
    }

    /// Returns the number of look-back words of launch `index`, or 0 if `index` is beyond the last launch.
    fn lookback_words(&self, index: usize) -> usize {
        if index < self.launches() { self.kernel.tiles(self.launch_rows(index)) * DIGITS } else { 0 }
    }

    /// Returns the arguments of the kernel that counts digits.
    fn sweep<'s>(&self, state: Memory<'s>, counts: Out<'s, u64>) -> Result<Sweep<'s>> {
        Ok(Sweep {
            counts,
            offsets: state.rows(self.launches(), self.offset_bytes())?,
            lookback: state.array(self.lookback_at(), 2 * self.lookback_words(0))?,
            lookback_words: self.lookback_words(0) as i64,
            tickets: state.array(self.tickets_at(), self.launches())?,
            ticket_count: self.launches() as i32,
            passes: self.count() as i32,
            wide: i32::from(self.wide),
            first_bit: 0,
            mailbox: Out::NULL,
        })
    }

    /// Enqueues a kernel that counts the digits of the keys into `counts`, which must be zero. `launch` must enqueue
    /// the kernel by [`count_digits`].
    pub(super) fn counted<'m>(
        &'m self,
        state: Memory<'m>,
        counts: &RefCell<Buffer>,
        digits: Digits<'m, '_>,
        launch: impl FnOnce(Sweep<'_>) -> Result<()>,
        stream: &Stream,
    ) -> Result<Counted<'m>> {
        let mut counts = counts.borrow_mut();
        let counts = counts.write_on(stream)?;
        let sweep = self.sweep(state, Memory::of(&counts).array(0, COUNT_BYTES / 8)?)?;
        // If the first pass encodes the keys, the codec already leaves out the bits below the first bit.
        let first_bit = if let FirstKeys::Written(_) = digits.keys { digits.first_bit as i32 } else { 0 };
        launch(Sweep { mailbox: digits.mailbox, first_bit, ..sweep })?;
        Ok(Counted { passes: self, state, keys: digits.keys, first_bit: digits.first_bit })
    }
}

/// Enqueues a kernel that counts the digits of keys. The closure `launch` of [`counted`](Passes::counted) calls this
/// function.
pub(super) fn count_digits<A: Arguments>(
    kernel: &Kernel<A::Static>,
    grid: Grid,
    arguments: &A,
    stream: &Stream,
) -> Result<()> {
    // SAFETY: The kernels read keys, values or rows, write keys and row numbers, and change counters.
    // - `SortColumns` has checked the number of rows of key columns. `Values` has compared the number of values with
    //   their memory. The launch before has marked the rows that still tie.
    // - The kernels write the same number of keys and row numbers. `Memory` has compared this number with their
    //   memory.
    // - There are no more fields than the descriptor holds.
    // - The counters are zero. The launch that measured the columns has cleared the counters, and each kernel that
    //   used the counters has cleared the counters again.
    // - If the kernel uses dynamic shared memory, the size of this memory is that of `block_counts` of these passes.
    // - The caller holds the memory of the arguments until the launch is enqueued.
    unsafe { kernel.launch_grid(stream, grid, arguments)? };
    Ok(())
}

impl Counted<'_> {
    /// Sorts the keys. The function returns an error if a buffer that the passes read or write has too few bytes for
    /// the number of rows.
    pub(super) fn run(&self, buffers: &PassBuffers<'_>, stream: &Stream) -> Result<()> {
        let Self { passes, state, keys: first_keys, first_bit } = *self;
        let sweep = passes.sweep(state, Out::NULL)?;
        let (portions, all) = (passes.portions(), passes.rows);
        let lookback = [sweep.lookback, sweep.lookback.element(passes.lookback_words(0))];
        for launch in 0..passes.launches() {
            let (pass, portion) = (launch / portions, launch % portions);
            let rows = passes.launch_rows(launch);
            let skipped = portion * passes.portion;
            let bins = |portion: usize| sweep.offsets.at((portion * passes.count() + pass) * passes.offset_bytes());
            let bit = pass as u32 * DIGIT_BITS;
            let (is_first, is_last) = (pass == 0, pass + 1 == passes.count());
            let (keys_in, width, source) = match first_keys {
                FirstKeys::Made(CodedValues { values, codec }) if is_first => {
                    (values, codec::width(codec), Some(codec))
                }
                FirstKeys::Written(keys) if is_first => (keys.read(), passes.key_bytes, None),
                _ => (buffers.keys[pass % 2].read(), passes.key_bytes, None),
            };
            let target = buffers.target.filter(|_| is_last);
            let keys_out = match target {
                Some((to, codec)) => to.rows(all, codec::width(codec))?,
                None if is_last && buffers.values_only => Out::NULL,
                None => buffers.keys[(pass + 1) % 2].rows(all, passes.key_bytes)?,
            };
            let values = if is_first { buffers.first_values } else { Some(buffers.values[pass % 2].read()) };
            let values = values.map(|values| values.rows(all, passes.value_bytes)).transpose()?.unwrap_or_default();
            let flag = |is_set: bool, flag: PassWorkFlags| if is_set { flag as i32 } else { 0 };
            let work = PassWork {
                lookback: lookback[launch % 2],
                next: lookback[(launch + 1) % 2],
                ticket: sweep.tickets.element(launch),
                first_in: bins(portion).read(),
                first_out: if portion + 1 < portions { bins(portion + 1) } else { Out::NULL },
                keys_in: keys_in.rows(all, width)?.at(skipped * width),
                keys_out,
                values_in: if values.is_null() { values } else { values.at(skipped * passes.value_bytes) },
                values_out: buffers.values[(pass + 1) % 2].rows(all, passes.value_bytes)?,
                row_number: skipped as i64,
                of: source.or(target.map(|(_, codec)| codec)).unwrap_or_default(),
                rows: Rows32::new(rows),
                bit: (first_bit + bit) as i32,
                bits: (passes.bits - bit).min(DIGIT_BITS) as i32,
                next_tiles: Tiles32::new(passes.lookback_words(launch + 1) / DIGITS),
                flags: flag(source.is_some(), PassWorkFlags::DecodedIn)
                    + flag(target.is_some(), PassWorkFlags::DecodedOut),
                first_bit: first_bit as i32,
            };
            let blocks = passes.kernel.tiles(rows) as u32;
            // SAFETY: The kernel reads and writes keys, values, positions, look-back words and tickets.
            // - Keys, values and positions have the widths for which the kernel was chosen. `Memory` has compared
            //   their memory with the number of all rows.
            // - There is one block for each tile of the kernel's policy. A block has shared memory for `storage`.
            // - The kernel that counted the digits, or the launch before, has cleared this launch's look-back words
            //   and ticket. The next launch's look-back words are not in use.
            // - No launch has more tiles than the first launch. Both halves of the look-back memory have room for
            //   this number of tiles.
            // - The positions of a pass add up to the number of rows, because the counted digits are the digits of
            //   these keys (`Counted`).
            unsafe { passes.kernel.launch_grid(stream, Grid::Shared(blocks, passes.shared), &SortPass { work })? };
        }
        Ok(())
    }
}
