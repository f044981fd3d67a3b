//! Searches on CUDA: the tables of a pattern on a device, memory for the simulation of the NFA, and launches.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use gdf_core::{Error, Result};
use gdf_driver::Device;
use gdf_kernels::generated::common::{
    RegexDfa, RegexPattern, STAGED_TEXT_DETAIL_LONG_ROW, TaggedDfa as TaggedTable, TextChunk, TextChunks, TextIn,
};
use gdf_kernels::generated::strings::{
    RegexChain, RegexChainKernel, RegexChainRequest, RegexSearch, RegexSearchKernel, RegexSearchQuestion,
};
use gdf_kernels::{Arguments, FamilyArguments, WIDE_OFFSETS};
use gdf_memory::{Access, Buffer};
use regex_automata::nfa::thompson::{self, NFA};

use super::dfa::{self, Dfa};
use super::program::Program;
use super::tagged_dfa::{TaggedDfa, Tags};
use super::{Answer, Inner};
use crate::Ctx;
use crate::cuda::{Bytes, In, Kernel, Out};
use crate::elementwise::Launch;
use crate::strings::{self, chunks_of};

/// The maximum number of bytes of memory for the simulation of the NFA in a launch. If one block needs more, the launch
/// has one block.
const MEMORY: usize = 64 << 20;

/// The maximum number of threads of a launch that searches chunks, which is about the number that a device runs at a
/// time.
pub(super) const CHUNK_THREADS: usize = 1 << 18;

/// The binary logarithm of the number of bytes of a chunk.
const CHUNK_SHIFT: u32 = 7;

/// The maximum number of 32-bit words of a small table, which every block loads into shared memory.
const SMALL_TABLE: i32 = 512;

/// A search without a wait does not cut the rows of a column of fewer bytes into chunks. For such a column, the two
/// additional launches would take longer than a search of each long row by one thread.
const MIN_CHUNKED: i64 = 1 << 15;

/// The copies of some bytes in the memory of devices.
#[derive(Default)]
struct Uploads(Mutex<Vec<(Device, Buffer)>>);

pub(super) struct Tables {
    /// The forward DFA and the reverse DFA, or `None` if either is too large.
    dfa: Option<[Dfa; 2]>,
    bytes: Vec<u8>,
    /// The position in `bytes` at which each table begins.
    begins: Vec<usize>,
    uploads: Uploads,
    tagged: [OnceLock<(Option<TaggedDfa>, Uploads)>; Tags::ALL.len()],
}

impl Uploads {
    fn get(&self, bytes: &[u8], ctx: Ctx<'_>) -> Result<Buffer> {
        let device = ctx.stream.device();
        let mut uploads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, buffer)) = uploads.iter().find(|(of, _)| *of == device) {
            return Ok(buffer.clone());
        }
        let buffer = Buffer::from_host(bytes, ctx.stream, ctx.mr.temporary)?;
        uploads.push((device, buffer.clone()));
        Ok(buffer)
    }
}

impl Tables {
    pub(super) fn new(regex: &Inner) -> Self {
        let program = &regex.program;
        let dfa = [false, true].map(|reverse| {
            let config = thompson::Config::new().reverse(reverse).which_captures(thompson::WhichCaptures::None);
            let nfa =
                NFA::compiler().configure(config.nfa_size_limit(Some(super::NFA_LIMIT))).build_from_hir(&regex.meaning);
            dfa::build(&nfa.ok()?)
        });
        let dfa = match dfa {
            [Some(forward), Some(reverse)] => Some([forward, reverse]),
            _ => None,
        };
        let (uploads, tagged) = Default::default();
        let mut tables = Self { dfa: None, bytes: Vec::new(), begins: Vec::new(), uploads, tagged };
        let states: Vec<_> =
            program.states.iter().map(|state| [state.kind as u32, state.a, state.b, state.next]).collect();
        tables.add(bytemuck::cast_slice(&states));
        tables.add(bytemuck::cast_slice(&program.ranges));
        for dfa in dfa.iter().flatten() {
            tables.add(&dfa.classes);
            tables.add(bytemuck::cast_slice(&dfa.starts));
            tables.add(bytemuck::cast_slice(&dfa.next));
        }
        tables.dfa = dfa;
        tables
    }

    /// Returns whether the pattern has DFAs that never give up.
    fn never_quit(&self) -> bool {
        self.dfa.as_ref().is_some_and(|both| both.iter().all(|dfa| !dfa.quits))
    }

    #[cfg(test)]
    pub(super) fn dfas(&self) -> Option<&[Dfa; 2]> {
        self.dfa.as_ref()
    }

    fn add(&mut self, bytes: &[u8]) {
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
        self.begins.push(self.bytes.len());
        self.bytes.extend(bytes);
    }

    /// Returns the pattern in the form that kernels take.
    fn pattern<'p>(&self, program: &Program, access: &'p Access<'_>) -> RegexPattern<'p> {
        let first = In::<u8>::of(access);
        let at = |part: usize| self.begins.get(part).copied().unwrap_or(0);
        let [words, word_ranges] = program.words;
        let dfa = |index: usize| match self.dfa.as_ref().and_then(|both| both.get(index)) {
            None => RegexDfa::default(),
            Some(dfa) => RegexDfa {
                classes: first.at(at(2 + 3 * index)),
                starts: first.at(at(3 + 3 * index)),
                next: first.at(at(4 + 3 * index)),
                stride: dfa.stride as i32,
                first_match: dfa.first_match.into(),
            },
        };
        RegexPattern {
            forward: dfa(0),
            reverse: dfa(1),
            tagged: TaggedTable::default(),
            states: first.at(at(0)),
            ranges: first.at(at(1)),
            memory: Out::NULL,
            words: program.words_per_thread() as i32,
            state_count: program.states.len() as i32,
            start: program.start as i32,
            waiting: program.waiting() as i32,
            groups: program.groups as i32,
            first_word_range: words as i32,
            word_ranges: word_ranges as i32,
        }
    }
}

impl Inner {
    pub(super) fn tables(&self) -> &Tables {
        self.tables.get_or_init(|| Tables::new(self))
    }

    fn tagged(&self, tags: Tags) -> &(Option<TaggedDfa>, Uploads) {
        let table = &self.tables().tagged[tags as usize];
        table.get_or_init(|| (TaggedDfa::new(&self.meaning, tags), Uploads::default()))
    }

    pub(super) fn takes_staged(&self, tags: Tags) -> bool {
        self.tagged(tags).0.as_ref().is_some_and(|table| !table.quits)
    }

    /// Returns whether a kernel may simulate the NFA, for which the kernel needs memory.
    fn may_simulate(&self, tags: Tags, text: &TextIn<'_>) -> bool {
        let finds_groups = tags != Tags::Groups || (self.takes_staged(tags) && !may_be_far(text));
        !finds_groups || !self.tables().never_quit()
    }

    /// Calls `launch` with the pattern in the form that kernels take, and with the number of rows for which the grid is
    /// to be made.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) if the NFA is simulated and a row of the text may have 4
    ///   GiB − 1 bytes or more.
    pub(super) fn on_device<S: Arguments<Static = S>>(
        &self,
        tags: Tags,
        found: &Kernel<S>,
        text: &TextIn<'_>,
        rows: usize,
        ctx: Ctx<'_>,
        launch: impl FnOnce(RegexPattern<'_>, usize) -> Result<()>,
    ) -> Result<()> {
        let tables = self.tables();
        let buffer = tables.uploads.get(&tables.bytes, ctx)?;
        let access = buffer.read_on(ctx.stream)?;
        let mut pattern = tables.pattern(&self.program, &access);
        let (tagged, uploads) = self.tagged(tags);
        let words = tagged.as_ref().map(|table| uploads.get(bytemuck::cast_slice(&table.words), ctx)).transpose()?;
        let words = words.as_ref().map(|words| words.read_on(ctx.stream)).transpose()?;
        if let (Some(table), Some(words)) = (tagged, &words) {
            pattern.tagged = TaggedTable {
                table: In::of(words),
                words: table.words.len() as i32,
                stride: table.stride as i32,
                transitions: table.transitions as i32,
                moves: table.moves as i32,
                quits: table.quits.into(),
                start: table.start as i32,
            };
        }
        if !self.may_simulate(tags, text) {
            return launch(pattern, rows);
        }
        if may_be_huge(text) {
            let what = "this search needs a column with less than 4 GiB of text on a GPU; split the column into \
                        several columns";
            return Err(Error::invalid_argument(what).in_argument("column"));
        }
        let bytes = found.threads() * self.program.words_per_thread() * 4;
        let blocks = rows.div_ceil(found.tile()).min(MEMORY / bytes).max(1);
        let mut memory = Buffer::uninitialized(blocks * bytes, ctx.stream, ctx.mr.temporary)?;
        let memory = memory.write_on(ctx.stream)?;
        pattern.memory = Out::of(&memory);
        launch(pattern, rows.min(blocks * found.tile()))
    }

    /// Returns the parameters by which kernels cut rows into chunks.
    fn chunks<'c>(&self, text: &TextIn<'_>, chunks: Out<'c, TextChunk>, token: i64) -> TextChunks<'c> {
        // A row of at most this many bytes is not cut, because a thread may search it in shared memory.
        let longest = if self.tables().never_quit() { STAGED_TEXT_DETAIL_LONG_ROW } else { i64::MAX };
        TextChunks {
            chunks,
            count: chunks_of(text.bytes, CHUNK_SHIFT) as i64,
            longest,
            token,
            shift: CHUNK_SHIFT.into(),
        }
    }

    /// Calls `launch` in the same way as [`on_device`](Self::on_device), for kernels of two passes.
    pub(super) fn on_device_twice<S: Arguments<Static = S>>(
        &self,
        tags: Tags,
        found: &Kernel<S>,
        passes: &strings::Launch<'_, 1>,
        ctx: Ctx<'_>,
        launch: impl FnOnce(RegexChainRequest<'_>, usize) -> Result<()>,
    ) -> Result<()> {
        let (text, values) = (passes.inputs[0], Out::NULL);
        let chunks = self.chunks(&text, passes.chunks, 0);
        let units = if passes.chunks.is_null() { 0 } else { chunks.count as usize };
        if chunks.longest < text.bytes.get() as i64 {
            passes.feedback.chunk_shift.set(Some(CHUNK_SHIFT));
        }
        self.on_device(tags, found, &text, passes.spread(passes.rows).max(units), ctx, |pattern, most| {
            let p = RegexChainRequest { text, pattern, chunks, values, ..Default::default() };
            if passes.counts_chunks() {
                let units = units.min(CHUNK_THREADS);
                passes.enqueue(RegexChainKernel::Guess, units, &RegexChain { p })?;
                passes.enqueue(RegexChainKernel::Link, units, &RegexChain { p })?;
            }
            launch(p, most)
        })
    }

    /// Calls `launch` in the same way as [`on_device`](Self::on_device), for kernels of one pass.
    pub(super) fn on_device_at_once<S: Arguments<Static = S>>(
        &self,
        tags: Tags,
        found: &Kernel<S>,
        text: TextIn<'_>,
        rows: usize,
        ctx: Ctx<'_>,
        launch: impl FnOnce(RegexChainRequest<'_>, usize) -> Result<()>,
    ) -> Result<()> {
        let mut chunks = self.chunks(&text, Out::NULL, TOKENS.fetch_add(1, Ordering::Relaxed));
        let (mut memory, mut access, mut units, bytes) = (None, None, 0, text.bytes.get() as i64);
        if tags != Tags::Test && bytes >= MIN_CHUNKED && chunks.longest < bytes {
            units = CHUNK_THREADS.min(chunks.count as usize);
            let bytes = (chunks_of(text.bytes, CHUNK_SHIFT) + 1) * size_of::<TextChunk>();
            let memory = memory.insert(Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)?);
            chunks.chunks = Out::of(&*access.insert(memory.write_on(ctx.stream)?));
        } else {
            chunks.longest = i64::MAX;
        }
        self.on_device(tags, found, &text, rows.max(units), ctx, |pattern, most| {
            launch(RegexChainRequest { text, pattern, chunks, ..Default::default() }, most)
        })
    }
}

/// Returns whether a row may have 2 GiB or more. Kernels search these rows without the tagged DFA, and so find their
/// groups by the simulation of the NFA.
fn may_be_far(text: &TextIn<'_>) -> bool {
    text.column.flags & WIDE_OFFSETS != 0 && text.bytes.get() >= 1 << 31
}

/// Returns whether a row may have 4 GiB − 1 bytes or more. The simulation of the NFA stores positions in 32 bits, and
/// so cannot search these rows.
fn may_be_huge(text: &TextIn<'_>) -> bool {
    text.column.flags & WIDE_OFFSETS != 0 && text.bytes.get() >= u32::MAX as usize
}

fn is_small(chain: &RegexChainRequest<'_>) -> bool {
    chain.pattern.tagged.words <= SMALL_TABLE
}

/// Enqueues a kernel that searches `rows` rows.
pub(super) fn enqueue<A: FamilyArguments>(
    launch: &strings::Launch<'_, 1>,
    chain: &RegexChainRequest<'_>,
    kernel: A::Kernel,
    rows: usize,
    arguments: &A,
) -> Result<()> {
    match is_small(chain) {
        true => launch.enqueue(kernel, rows, arguments),
        false => launch.enqueue_prepared(kernel, rows, arguments),
    }
}

/// Returns a limit of the number of matches in the form that kernels take.
pub(super) fn limit_of(limit: Option<usize>) -> i64 {
    limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(i64::MAX)
}

/// The token of the next search. If the first kernel of a search finds long rows, the kernel writes the token to
/// memory. The other kernels of the search have work only if they find the token there.
static TOKENS: AtomicI64 = AtomicI64::new(1);

/// Enqueues a search. `has_long_rows` states whether rows are long on average.
pub(super) fn search(
    launch: &Launch<'_, 1>,
    bytes: Bytes,
    has_long_rows: bool,
    regex: &Inner,
    answer: Answer,
    ctx: Ctx<'_>,
) -> Result<()> {
    let text = TextIn { column: launch.inputs[0], bytes };
    let (kernel, tags) = match answer {
        Answer::Contains if has_long_rows => (RegexSearchKernel::TestLongRows, Tags::Test),
        Answer::Contains | Answer::Matches => (RegexSearchKernel::Test, Tags::Test),
        Answer::Count => (RegexSearchKernel::Number, Tags::Nothing),
        Answer::Find => (RegexSearchKernel::Number, Tags::Begin),
    };
    let found: Kernel<RegexSearch> = Kernel::choose(kernel, ctx.stream)?;
    let rows = match kernel {
        RegexSearchKernel::TestLongRows => launch.rows.saturating_mul(32), // a warp for each row
        RegexSearchKernel::Test => launch.spread_prepared(&found),
        RegexSearchKernel::Number => launch.rows,
    };
    regex.on_device_at_once(tags, &found, text, rows, ctx, |chain, most| {
        let chain = RegexChainRequest { values: launch.out.data.cast(), answer: answer as i32, ..chain };
        let RegexChainRequest { pattern, chunks, answer, .. } = chain;
        let p = RegexSearchQuestion { pattern, chunks, answer };
        let arguments = RegexSearch { input: text.column, bytes, out: launch.out, p };
        let held = found.blocks(rows) as usize * found.tile();
        let is_streamed = tags != Tags::Test && is_small(&chain); // each block of a test computes a byte table
        launch.run(kernel, if is_streamed { most } else { most.min(held) }, &arguments)?;
        if !chunks.chunks.is_null() {
            let units = CHUNK_THREADS.min(chunks.count as usize);
            launch.run(RegexChainKernel::Guess, units, &RegexChain { p: chain })?;
            launch.run(RegexChainKernel::Link, units, &RegexChain { p: chain })?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use gdf_kernels::ColumnIn;

    use super::super::{Regex, RegexFlags};
    use super::*;

    fn text(flags: i32, bytes: usize) -> TextIn<'static> {
        TextIn { column: ColumnIn { flags, ..ColumnIn::default() }, bytes: Bytes::new(bytes) }
    }

    #[test]
    fn rows_of_4_gib_are_in_text_of_64_bit_offsets_alone() {
        let is_huge = |flags, bytes| may_be_huge(&text(flags, bytes));
        assert!(is_huge(WIDE_OFFSETS, 0xffff_ffff) && is_huge(WIDE_OFFSETS, 1 << 40));
        assert!(!is_huge(WIDE_OFFSETS, 0xffff_fffe) && !is_huge(0, 1 << 40));
    }

    #[test]
    fn groups_of_rows_of_2_gib_need_memory() {
        let regex = Regex::new("(a+)(b)?", RegexFlags::new()).unwrap();
        let needs = |tags, flags, bytes| regex.0.may_simulate(tags, &text(flags, bytes));
        assert!(needs(Tags::Groups, WIDE_OFFSETS, 1 << 31));
        assert!(!needs(Tags::Groups, WIDE_OFFSETS, (1 << 31) - 1) && !needs(Tags::Groups, 0, 1 << 40));
        assert!(!needs(Tags::Begin, WIDE_OFFSETS, 1 << 40));
        let quits = Regex::new(r"\ba", RegexFlags::new()).unwrap();
        assert!(quits.0.may_simulate(Tags::Begin, &text(0, 9)));
    }
}
