//! Makes any number of elements for each row. The first attempts allocate memory for the expected number of elements.
//! The last attempt allocates memory for the number that a launch has counted.

use std::cell::Cell;

use gdf_core::{DataType, Error, Result};
use gdf_kernels::generated::common::{
    BUILD_STRINGS_DETAIL_UNKNOWN_SIZE, COPY_LIST_DETAIL_MIN_SIZE, LongCopy, TextChunk, TextIn, TileCounts,
};
use gdf_kernels::generated::strings::{LongCopies, LongCopiesKernel};
use gdf_memory::{Buffer, Mailbox, ResourceRef};

use super::{Estimate, FEW_BYTES, FEW_LONG_MEAN, FEW_ROWS, Launch, LaunchFeedback, Pass};
use super::{chunks_of, descriptors, entries, is_much, open_all, sample, share_of, sizes_of};
use crate::Ctx;
use crate::cuda::{Bytes, CudaOutput, Kernel, Out};
use crate::elementwise::Inputs;
use crate::layout::{OutputBuffers, RowKind, byte_len, counted_bytes};

/// The number of bytes of a text buffer up to which a result gets memory for all of them, although a slice has fewer.
const SMALL_BUFFER: usize = 1 << 20;

/// Thresholds for the bytes of the inputs. From `MIN_LISTED` bytes on, a warp does not copy long rows itself, but adds
/// them to a list, and a second launch makes the listed copies. From `FEW_LISTED` bytes on, the same holds if the mean
/// row has more than `LISTED_MEAN` bytes.
const MIN_LISTED: i64 = 1 << 22;
const FEW_LISTED: i64 = 1 << 18;
const LISTED_MEAN: usize = 64;

pub(in crate::strings) struct ElementRequest<'a, const N: usize> {
    pub(in crate::strings) inputs: Inputs<'a, N>,
    /// A type of text. The offsets of the elements have the width of the offsets of this type.
    pub(in crate::strings) data_type: &'a DataType,
    pub(in crate::strings) large: bool,
    pub(in crate::strings) nullable: bool,
    pub(in crate::strings) unit: usize,
    /// The memory resource of the elements.
    pub(in crate::strings) mr: ResourceRef<'a>,
    pub(in crate::strings) estimate: Estimate,
    pub(in crate::strings) state: RetryState,
}

#[derive(Debug, Default)]
pub(in crate::strings) struct RetryState {
    pub(super) output: Option<CudaOutput>,
    pub(super) chunk_shift: Option<u32>,
}

/// An attempt to make the elements. The engine makes an attempt only if all attempts before it have failed.
#[derive(Clone, Copy)]
enum Attempt {
    /// One launch that maps bytes on the assumption that each character keeps its number of bytes. The field is the
    /// number of elements for which memory is allocated.
    InPlace(usize),
    /// One launch that finds sizes and writes elements. The field is the number of elements for which memory is
    /// allocated.
    Estimated(usize),
    Counted,
}

/// Makes the elements of a request.
///
/// # Errors
/// * The errors of `launch`; an error if there are more elements than the offsets can represent; driver and memory
///   errors.
pub(in crate::strings) fn elements<const N: usize>(
    request: ElementRequest<'_, N>,
    ctx: Ctx<'_>,
    launch: &dyn Fn(&Launch<'_, N>) -> Result<()>,
) -> Result<OutputBuffers> {
    let ElementRequest { inputs, data_type, large, nullable, unit, mr, estimate, state } = request;
    let rows = inputs.rows();
    let opened = open_all(&inputs, ctx.stream)?;
    let RetryState { output, chunk_shift } = state;
    let feedback = LaunchFeedback { chunk_shift: Cell::new(chunk_shift), ..LaunchFeedback::default() };
    let sizes = sizes_of(descriptors(&opened), rows, ctx.stream, &feedback)?;
    let mut output = output.map_or_else(|| CudaOutput::string_sizes(data_type, rows, ctx), Ok)?;
    let sampled = sample(estimate, &sizes, &mut output, launch)?;
    let has_long_rows = chunk_shift.is_some() || sampled.is_none();
    let expected = if has_long_rows { 0 } else { sampled.unwrap_or(0) };
    let capacity = expected.saturating_add(expected / 32);
    let capacity = if large || capacity <= i32::MAX as usize { capacity } else { 0 };
    // Few short rows are mapped row by row, because a character that changes its number of bytes takes another launch.
    let is_worth_it = rows > FEW_ROWS || expected / rows.max(1) >= FEW_LONG_MEAN;
    let is_in_place = matches!(estimate, Estimate::InPlace(_)) && is_worth_it && capacity > 0;
    // The rows of a slice may be longer than the other rows of its buffer. No slice has more bytes than the buffer.
    let all = sizes.inputs.first().map_or(0, |text| text.bytes.get());
    let capacity_in_place = if all <= SMALL_BUFFER.max(expected.saturating_mul(2)) { all } else { expected };
    let attempts = [
        is_in_place.then_some(Attempt::InPlace(capacity_in_place)),
        (capacity > 0).then_some(Attempt::Estimated(capacity)),
        Some(Attempt::Counted),
    ];
    let counted = None;
    let mut writer = Writer { ctx, launch, sizes, large, nullable, unit, mr, output, has_long_rows, counted };
    for attempt in attempts.into_iter().flatten() {
        if writer.attempt(attempt)? {
            break;
        }
    }
    writer.output.into_buffers()
}

struct Writer<'a, 'l, const N: usize> {
    ctx: Ctx<'a>,
    launch: &'l dyn Fn(&Launch<'_, N>) -> Result<()>,
    /// A launch that only finds sizes. Its output is not set yet.
    sizes: Launch<'l, N>,
    large: bool,
    nullable: bool,
    unit: usize,
    mr: ResourceRef<'a>,
    output: CudaOutput,
    has_long_rows: bool,
    /// The number of elements, or `None` if no launch has counted them yet.
    counted: Option<u64>,
}

impl<const N: usize> Writer<'_, '_, N> {
    fn attempt(&mut self, attempt: Attempt) -> Result<bool> {
        let (pass, capacity) = match attempt {
            Attempt::InPlace(capacity) => (Pass::InPlace, capacity),
            Attempt::Estimated(capacity) => (Pass::Write, capacity),
            Attempt::Counted => return self.write_counted().map(|()| true),
        };
        let total = match self.write_estimated(pass, capacity) {
            Err(Error::OutOfMemory { .. }) if capacity.saturating_mul(self.unit) > FEW_BYTES => None,
            total => total?,
        };
        if total.is_some_and(|total| total <= capacity as u64) {
            return Ok(true);
        }
        if pass == Pass::Write {
            let is_unknown = |total: &u64| {
                *total >= BUILD_STRINGS_DETAIL_UNKNOWN_SIZE && self.sizes.feedback.chunk_shift.get().is_some()
            };
            self.has_long_rows |= total.as_ref().is_some_and(is_unknown);
            self.counted = total.filter(|total| !is_unknown(total));
        }
        self.output.drop_elements();
        Ok(false)
    }

    /// Writes elements to memory for `capacity` elements, and keeps the memory if all elements fit. The function
    /// returns the number of elements. The result is `None` if bytes were mapped in place and a character changed its
    /// number of bytes.
    fn write_estimated(&mut self, pass: Pass, capacity: usize) -> Result<Option<u64>> {
        let (ctx, unit) = (self.ctx, self.unit);
        // If the output resource is not the scratch resource, the elements are first written to scratch memory and then
        // copied to memory of the right size.
        let is_apart = self.mr.resource() != ctx.mr.temporary.resource();
        let memory = if is_apart { ctx.mr.temporary } else { self.mr };
        let memory = Buffer::uninitialized(byte_len(capacity, unit, ctx.mr)?, ctx.stream, memory)?;
        let is_in_place = pass == Pass::InPlace;
        let mailbox = if is_in_place { Mailbox::cleared(ctx.stream, 2)? } else { Mailbox::new(ctx.stream, 1)? };
        self.write(memory, capacity, Launch { pass, mailbox: Out::of(&mailbox), ..self.sizes })?;
        let [total, is_other, ..] = mailbox.wait()?;
        if is_in_place && is_other != 0 {
            return Ok(None);
        }
        if total <= capacity as u64 {
            let used = total as usize;
            let is_copied = is_apart || (unit == 1 && is_much(capacity, used));
            self.output.keep_elements(used * unit, is_copied.then_some(self.mr), ctx.stream)?;
        }
        Ok(Some(total))
    }

    fn write_counted(&mut self) -> Result<()> {
        let stream = self.ctx.stream;
        let known = self.counted;
        let mut memory = None;
        let total = match known {
            Some(total) => total,
            None => self.count(&mut memory)?,
        };
        let total = counted_bytes(RowKind::Strings { large: self.large }, total)?;
        let elements = Buffer::uninitialized(byte_len(total, self.unit, self.ctx.mr)?, stream, self.mr)?;
        let chunks = memory.as_mut().map(|memory: &mut Buffer| memory.write_on(stream)).transpose()?;
        let is_sized = known.is_none() && self.sizes.feedback.keeps_sizes.get();
        let counts = TileCounts { sized: i32::from(is_sized), ..self.sizes.counts };
        self.write(
            elements,
            total,
            Launch { pass: Pass::Write, counts, chunks: Out::of_option(chunks.as_ref()), ..self.sizes },
        )
    }

    /// Counts the elements.
    fn count(&mut self, memory: &mut Option<Buffer>) -> Result<u64> {
        let (ctx, sizes) = (self.ctx, self.sizes);
        let open = self.output.open(ctx.stream)?;
        let mut entries = entries(sizes.rows, share_of(sizes.rows), 1, ctx)?;
        let entries = entries.as_mut().map(|entries| entries.write_on(ctx.stream)).transpose()?;
        let counts = TileCounts { entries: Out::of_option(entries.as_ref()), ..sizes.counts };
        let count = |chunks: Out<'_, TextChunk>| {
            let mailbox = Mailbox::new(ctx.stream, 1)?;
            (self.launch)(&Launch { out: open.desc(), counts, mailbox: Out::of(&mailbox), chunks, ..sizes })?;
            Ok::<_, Error>(mailbox.wait()?[0])
        };
        let mut total = 0;
        if !self.has_long_rows {
            total = count(Out::NULL)?;
            self.has_long_rows = total >= BUILD_STRINGS_DETAIL_UNKNOWN_SIZE;
        }
        if let (true, Some(shift)) = (self.has_long_rows, sizes.feedback.chunk_shift.get()) {
            let bytes = sizes.inputs.first().map_or(Bytes::ZERO, |text| text.bytes);
            let bytes = chunks_of(bytes, shift) * size_of::<TextChunk>();
            let memory = memory.insert(Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)?);
            let chunks = memory.write_on(ctx.stream)?;
            total = count(Out::of(&chunks))?;
        }
        Ok(total)
    }

    /// Writes elements to `memory`, which has space for `capacity` elements.
    fn write(&mut self, memory: Buffer, capacity: usize, planned: Launch<'_, N>) -> Result<()> {
        let (ctx, rows) = (self.ctx, planned.rows);
        self.output.add_elements(memory);
        if self.nullable {
            self.output.add_mask(ctx)?;
        }
        let mut entries = entries(rows, share_of(rows), 1, ctx)?;
        let entries = entries.as_mut().map(|entries| entries.write_on(ctx.stream)).transpose()?;
        let mut copies = if self.unit == 1 { list(&planned.inputs, rows, capacity, ctx)? } else { None };
        let copies = copies.as_mut().map(|copies| copies.write_on(ctx.stream)).transpose()?;
        let most_copies = if copies.is_some() { copies_of(capacity) as i64 } else { 0 };
        let open = self.output.open(ctx.stream)?;
        let counts = TileCounts {
            entries: Out::of_option(entries.as_ref()),
            capacity: capacity as i64,
            share: planned.counts.share,
            sized: planned.counts.sized,
            copies: Out::of_option(copies.as_ref()),
            most_copies,
            ..TileCounts::default()
        };
        // The launch that lists copies increments a counter that is zero between operations, and only this kernel sets
        // the counter back to zero. Therefore the kernel is chosen before that launch, and also runs if a launch behind
        // that launch fails.
        let kernel: Option<Kernel<LongCopies>> =
            copies.as_ref().map(|_| Kernel::choose(LongCopiesKernel::All, ctx.stream)).transpose()?;
        let launched = (self.launch)(&Launch { out: open.desc(), counts, ..planned });
        if let (Some(kernel), Some(copies)) = (kernel, &copies) {
            let arguments = LongCopies { copies: Out::of(copies), capacity: most_copies };
            // SAFETY: the launch before has listed the copies. If no launch has listed copies, the counter is zero, and
            // the kernel reads no copy.
            unsafe { kernel.launch(ctx.stream, kernel.blocks(capacity), 1, &arguments)? };
        }
        launched
    }
}

fn copies_of(capacity: usize) -> usize {
    capacity / COPY_LIST_DETAIL_MIN_SIZE as usize + 1
}

/// Allocates memory for a list of copies, if rows may be so long that a warp lists their copies for another launch.
fn list(inputs: &[TextIn<'_>], rows: usize, capacity: usize, ctx: Ctx<'_>) -> Result<Option<Buffer>> {
    let bytes = inputs.iter().map(|text| text.bytes.get() as i64).sum::<i64>();
    let is_listed = bytes >= MIN_LISTED || (bytes >= FEW_LISTED && bytes as usize / rows.max(1) > LISTED_MEAN);
    let bytes = copies_of(capacity) * size_of::<LongCopy>();
    Ok(is_listed.then(|| Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)).transpose()?)
}
