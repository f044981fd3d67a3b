//! The digit passes of a radix sort: their state, and their launches.

use bytemuck::{Pod, Zeroable};
use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::{Buffer, Resources};

use super::CAPABILITY;
use super::codec::Codec;
use crate::cuda::{Kernel, args};

const DIGITS: usize = 256;
const DIGIT_BITS: u32 = 8;
/// Bytes of the digit counters: a 64-bit word for each digit of eight passes.
pub(super) const COUNT_BYTES: usize = 8 * DIGITS * 8;
/// Bytes of one copy of a pass's counts in a block's memory.
const BLOCK_COUNT_BYTES: u32 = 1024;
/// Of the copies of counts: a lane each.
const MAX_SHIFT: u32 = 5;
/// What all counts of a block take at most; and what kernels that count have besides them, about.
const MOST_BYTES: u32 = 160 << 10;
const STATIC_BYTES: u32 = 2048;
/// Rows of one launch at most: look-back counts in 30 bits.
const PORTION: usize = 1 << 28;

/// `sorting::sweep` of kernels/sorting/sweep.cuh.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Sweep {
    counts: u64,
    offsets: u64,
    lookback: u64,
    lookback_words: i64,
    tickets: u64,
    ticket_count: i32,
    passes: i32,
    wide: i32,
    /// Of the keys that are written, the lowest bit that the passes sort by.
    first_bit: i32,
    /// Receives how often the most frequent digit of each pass is, or 0.
    mailbox: u64,
}

const _: () = assert!(size_of::<Sweep>() == 64);

impl Sweep {
    /// The same with a mailbox of a word per pass, if it is not 0, for how often its most frequent digit is.
    pub(super) fn telling(self, mailbox: u64) -> Self {
        Sweep { mailbox, ..self }
    }

    /// The same for passes that sort by the bits from `first_bit` on.
    pub(super) fn above(self, first_bit: u32) -> Self {
        Sweep { first_bit: first_bit as i32, ..self }
    }
}

/// `sorting_pass::work` of kernels/sorting/onesweep.cuh.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct Work {
    lookback: u64,
    next: u64,
    ticket: u64,
    first_in: u64,
    first_out: u64,
    keys_in: u64,
    keys_out: u64,
    values_in: u64,
    values_out: u64,
    row_number: i64,
    codec: Codec,
    rows: i32,
    bit: i32,
    bits: i32,
    next_tiles: i32,
    flags: i32,
    first_bit: i32,
}

const _: () = assert!(size_of::<Work>() == 120);

const DECODED_IN: i32 = 1;
const DECODED_OUT: i32 = 2;

/// What the passes move. Pass p reads `keys[p % 2]` and writes the other, values likewise.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moved {
    pub(super) keys: [u64; 2],
    /// Bytes of a key.
    pub(super) key_bytes: usize,
    pub(super) values: [u64; 2],
    /// Where the first pass reads its values; 0: they are row numbers.
    pub(super) first_values: u64,
    /// Bytes of a value; 0 without any.
    pub(super) value_bytes: usize,
    /// The column that the first pass makes its keys of, instead of reading `keys[0]`.
    pub(super) source: Option<(u64, Codec)>,
    /// The column that the last pass makes of its keys, instead of writing them.
    pub(super) target: Option<(u64, Codec)>,
    /// Nobody reads the keys of the last pass.
    pub(super) values_only: bool,
    /// Bits of the keys below those that the passes sort by.
    pub(super) first_bit: u32,
}

/// Number of passes that sort by this many bits.
pub(super) fn passes_for(bits: u32) -> usize {
    bits.div_ceil(DIGIT_BITS) as usize
}

/// The passes that sort `rows` rows by a key of `bits` bits.
#[derive(Debug)]
pub(super) struct Passes {
    kernel: Kernel,
    /// Bytes of dynamic shared memory.
    shared: u32,
    rows: usize,
    bits: u32,
    /// 64-bit row numbers and positions.
    wide: bool,
    /// Rows of all launches of a pass but its last.
    portion: usize,
}

/// What goes along with the keys, by its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Payload {
    None,
    Four,
    Eight,
}

impl Passes {
    /// With keys of `key_bytes` (4 or 8) bytes. `wide` numbers have no payload of four bytes. The buffer is their
    /// state: first positions, tickets, and look-back words twice, for alternating launches.
    pub(super) fn new(
        rows: usize,
        bits: u32,
        key_bytes: usize,
        payload: Payload,
        wide: bool,
        stream: &Stream,
        mr: Resources<'_>,
    ) -> Result<(Self, Buffer)> {
        let key = if key_bytes == 4 { "k32" } else { "k64" };
        let values = match payload {
            Payload::None => "",
            Payload::Four => "_v32",
            Payload::Eight => "_v64",
        };
        let name = format!("sort_pass_{key}{values}{}", if wide { "_wide" } else { "" });
        let kernel = Kernel::find(stream, CAPABILITY, &format!("{name}_kernel"), &name)?;
        let portion = PORTION / kernel.tile() * kernel.tile();
        let value_bytes = match payload {
            Payload::None => 0,
            Payload::Four => 4,
            Payload::Eight => 8,
        };
        // `storage` of kernels/sorting/onesweep.cuh: the tile, or counts per warp; then first positions, sums, a number,
        // and with values where rows came from.
        let tile = (kernel.tile() * key_bytes.max(value_bytes)).max(kernel.threads() / 32 * DIGITS * 4);
        let sources = if payload == Payload::None { 2 } else { kernel.tile() };
        let shared = tile + DIGITS * if wide { 8 } else { 4 } + DIGITS / 32 * 4 + 4 + (sources * 2).next_multiple_of(8);
        let shared = shared as u32;
        kernel.allow_shared(shared)?;
        let passes = Self { kernel, shared, rows, bits, wide, portion };
        let state =
            Buffer::uninitialized(passes.lookback_at() + 2 * passes.lookback_words(0) * 4, stream, mr.temporary)?;
        Ok((passes, state))
    }

    pub(super) fn count(&self) -> usize {
        passes_for(self.bits)
    }

    /// As many copies of the counts as a block has room for, so that few lanes meet in one: how often one doubles, and
    /// the bytes of all.
    pub(super) fn block_counts(&self, stream: &Stream) -> Result<(u32, u32)> {
        let one = self.count() as u32 * BLOCK_COUNT_BYTES;
        let room = u32::try_from(stream.device().properties()?.shared_bytes_per_block).unwrap_or(u32::MAX);
        let room = room.saturating_sub(STATIC_BYTES).min(MOST_BYTES);
        let shift = (1..=MAX_SHIFT).rev().find(|shift| one << shift <= room).unwrap_or(0);
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

    /// Rows of launch `index`, of all passes.
    fn launch_rows(&self, index: usize) -> usize {
        let portion = index % self.portions();
        self.portion.min(self.rows - portion * self.portion)
    }

    /// Look-back words of launch `index`; 0 if there is none.
    fn lookback_words(&self, index: usize) -> usize {
        if index < self.launches() { self.kernel.tiles(self.launch_rows(index)) * DIGITS } else { 0 }
    }

    /// What the kernel that writes the keys is told of the state at `state`; `counts` are the cleared counters.
    pub(super) fn sweep(&self, state: u64, counts: u64) -> Sweep {
        Sweep {
            counts,
            offsets: state,
            lookback: state + self.lookback_at() as u64,
            lookback_words: self.lookback_words(0) as i64,
            tickets: state + self.tickets_at() as u64,
            ticket_count: self.launches() as i32,
            passes: self.count() as i32,
            wide: i32::from(self.wide),
            first_bit: 0,
            mailbox: 0,
        }
    }

    /// Sorts.
    ///
    /// # Safety
    /// A kernel on `stream` has been told [`sweep`](Self::sweep) of this state and of zeroed counters, and has counted
    /// the digits of the keys that it wrote to `keys[0]`, or of those that `source` has. Both `keys` have room for
    /// `rows` keys, `first_values` has `rows` values of the payload unless it is 0, and so have `values`, of which only
    /// the second is written by a single pass; a target has room for `rows` values, a source has as many. A `keys[0]` that
    /// a source replaces is not used if there is a single pass, nor are the keys that a target replaces. They do not
    /// overlap.
    pub(super) unsafe fn run(&self, state: u64, moved: &Moved, stream: &Stream) -> Result<()> {
        let sweep = self.sweep(state, 0);
        let portions = self.portions();
        let lookback = [sweep.lookback, sweep.lookback + self.lookback_words(0) as u64 * 4];
        for launch in 0..self.launches() {
            let (pass, portion) = (launch / portions, launch % portions);
            let rows = self.launch_rows(launch);
            let skipped = portion * self.portion;
            let bins = |portion: usize| state + ((portion * self.count() + pass) * self.offset_bytes()) as u64;
            let bit = pass as u32 * DIGIT_BITS;
            let first_bit = moved.first_bit;
            let (is_first, is_last) = (pass == 0, pass + 1 == self.count());
            let source = moved.source.filter(|_| is_first);
            let target = moved.target.filter(|_| is_last);
            let codec = source.or(target).map_or(Codec::default(), |(_, codec)| codec);
            let (keys_in, width) =
                source.map_or((moved.keys[pass % 2], moved.key_bytes), |(from, codec)| (from, codec.width()));
            let keys_out = match target {
                Some((to, _)) => to,
                None if is_last && moved.values_only => 0,
                None => moved.keys[(pass + 1) % 2],
            };
            let values = if is_first { moved.first_values } else { moved.values[pass % 2] };
            let work = Work {
                lookback: lookback[launch % 2],
                next: lookback[(launch + 1) % 2],
                ticket: sweep.tickets + launch as u64 * 4,
                first_in: bins(portion),
                first_out: if portion + 1 < portions { bins(portion + 1) } else { 0 },
                keys_in: keys_in + (skipped * width) as u64,
                keys_out,
                values_in: if values == 0 { 0 } else { values + (skipped * moved.value_bytes) as u64 },
                values_out: moved.values[(pass + 1) % 2],
                row_number: skipped as i64,
                codec,
                rows: rows as i32,
                bit: (first_bit + bit) as i32,
                bits: (self.bits - bit).min(DIGIT_BITS) as i32,
                next_tiles: (self.lookback_words(launch + 1) / DIGITS) as i32,
                flags: if source.is_some() { DECODED_IN } else { 0 } + if target.is_some() { DECODED_OUT } else { 0 },
                first_bit: first_bit as i32,
            };
            // SAFETY: the parameter is the work, the pointers of it of the types that the kernel's name tells. One block
            // per tile of the kernel's policy. This launch's look-back words and ticket were cleared by the kernel that
            // counted the digits or by the launch before; the next ones are not in use; no launch has more tiles than
            // the first, for which both halves have room. Keys and values have the rows by the caller's promise,
            // positions add up to them as the digits of these very keys were counted.
            unsafe {
                self.kernel.launch_shared(stream, self.kernel.tiles(rows) as u32, self.shared, args![work])?;
            }
        }
        Ok(())
    }
}
