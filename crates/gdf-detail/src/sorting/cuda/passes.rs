//! The digit passes of a radix sort: their state, and their launches.

use bytemuck::{Pod, Zeroable};
use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::{Buffer, Resources};

use super::CAPABILITY;
use crate::cuda::{Kernel, args};

const DIGITS: usize = 256;
const DIGIT_BITS: u32 = 8;
/// Bytes of the digit counters: a 64-bit word for each digit of eight passes.
pub(super) const COUNT_BYTES: usize = 8 * DIGITS * 8;
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
    unused: i32,
}

const _: () = assert!(size_of::<Sweep>() == 56);

/// Number of passes that sort by this many bits.
pub(super) fn passes_for(bits: u32) -> usize {
    bits.div_ceil(DIGIT_BITS) as usize
}

/// The passes that sort `rows` rows by a key of `bits` bits.
#[derive(Debug)]
pub(super) struct Passes {
    kernel: Kernel,
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
        let passes = Self { kernel, rows, bits, wide, portion };
        let state =
            Buffer::uninitialized(passes.lookback_at() + 2 * passes.lookback_words(0) * 4, stream, mr.temporary)?;
        Ok((passes, state))
    }

    pub(super) fn count(&self) -> usize {
        passes_for(self.bits)
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
            unused: 0,
        }
    }

    /// Sorts: pass p reads `keys[p % 2]` and writes the other, values likewise; the first pass reads its values at
    /// `first_values`.
    ///
    /// # Safety
    /// A kernel on `stream` has been told [`sweep`](Self::sweep) of this state and of zeroed counters, and has counted
    /// the digits of the keys that it wrote to `keys[0]`. Both `keys` have room for `rows` keys, `first_values` has
    /// `rows` values of the payload, and so have `values`, of which only the second is written by a single pass. They
    /// do not overlap.
    pub(super) unsafe fn run(
        &self,
        state: u64,
        keys: [u64; 2],
        values: [u64; 2],
        first_values: u64,
        widths: (usize, usize),
        stream: &Stream,
    ) -> Result<()> {
        let sweep = self.sweep(state, 0);
        let portions = self.portions();
        let lookback = [sweep.lookback, sweep.lookback + self.lookback_words(0) as u64 * 4];
        for launch in 0..self.launches() {
            let (pass, portion) = (launch / portions, launch % portions);
            let rows = self.launch_rows(launch);
            let skipped = (portion * self.portion) as u64;
            let bins = |portion: usize| state + ((portion * self.count() + pass) * self.offset_bytes()) as u64;
            let bins_in = bins(portion);
            let bins_out = if portion + 1 < portions { bins(portion + 1) } else { 0 };
            let ticket = sweep.tickets + launch as u64 * 4;
            let keys_in = keys[pass % 2] + skipped * widths.0 as u64;
            let keys_out = keys[(pass + 1) % 2];
            let source = if pass == 0 { first_values } else { values[pass % 2] };
            let values_in = source + skipped * widths.1 as u64;
            let values_out = values[(pass + 1) % 2];
            let bit = pass as u32 * DIGIT_BITS;
            let (length, first_bit, bits) = (rows as i32, bit as i32, (self.bits - bit).min(DIGIT_BITS) as i32);
            let (state_in, next) = (lookback[launch % 2], lookback[(launch + 1) % 2]);
            let next_words = self.lookback_words(launch + 1) as i64;
            // SAFETY: the parameters are (lookback*, ticket*, bins_out*, bins_in*, keys_out*, keys_in*, values_out*,
            // values_in*, int rows, int bit, int bits, next*, int64 next_words), passed in this order and type, the
            // pointers of the types that the kernel's name tells. One block per tile of the kernel's policy. This
            // launch's look-back words and ticket were cleared by the kernel that wrote the keys or by the launch
            // before; the next ones are not in use; no launch has more tiles than the first, for which both halves have
            // room. Keys and values have the rows by the caller's promise, positions add up to them as the digits of
            // these very keys were counted.
            unsafe {
                self.kernel.launch(
                    stream,
                    self.kernel.tiles(rows) as u32,
                    1,
                    args![
                        state_in, ticket, bins_out, bins_in, keys_out, keys_in, values_out, values_in, length,
                        first_bit, bits, next, next_words
                    ],
                )?;
            }
        }
        Ok(())
    }
}
