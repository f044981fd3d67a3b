//! Makes lists of parts of text in one launch.

use gdf_core::{Column, ColumnParts, DataType, Error, Result};
use gdf_kernels::generated::common::{BUILD_STRINGS_DETAIL_UNLISTED, TileCounts};
use gdf_kernels::{ColumnOut, WIDE_OFFSETS};
use gdf_memory::{Buffer, Mailbox};

use super::{Estimate, FEW_BYTES, Launch, LaunchFeedback, Pass, RetryState};
use super::{descriptors, entries, estimated_bytes, is_large, is_much, open_all, sample, share_of, sizes_of};
use crate::Ctx;
use crate::cuda::{CudaOutput, Out};
use crate::elementwise::{Inputs, Nulls};
use crate::layout::{OutputBuffers, RowKind, byte_len, characters, check_offsets};
use crate::vouch;

/// The maximum mean number of bytes of a row. Up to this number, the rows of a warp fit in shared memory.
const MOST_MEAN: usize = 28;

pub(crate) enum Lists {
    Made(Column),
    /// No lists have been made, because the texts are too long or too many for one launch.
    NotMade(RetryState),
}

/// Makes lists of the parts of text that a functor finds in each row, in one launch.
pub(crate) fn lists<const N: usize>(
    inputs: &Inputs<'_, N>,
    nulls: Nulls,
    ctx: Ctx<'_>,
    launch: &dyn Fn(&Launch<'_, N>) -> Result<()>,
) -> Result<Lists> {
    let (stream, rows, source) = (ctx.stream, inputs.rows(), inputs.operands[0]);
    let large = is_large("lists", source.view())?;
    let bytes = estimated_bytes(source);
    let most = characters(source.view()).get() as u64 + 2 * rows as u64;
    if bytes > rows * MOST_MEAN || most >= u64::from(u32::MAX) {
        return Ok(Lists::NotMade(RetryState::default()));
    }
    let opened = open_all(inputs, stream)?;
    let feedback = LaunchFeedback::default();
    let sizes = sizes_of(descriptors(&opened), rows, stream, &feedback)?;
    let mut output = CudaOutput::string_sizes(&DataType::Utf8, rows, ctx)?;
    let Some(count) = sample(Estimate::Sampled(rows.saturating_mul(8)), &sizes, &mut output, launch)? else {
        return Ok(Lists::NotMade(RetryState { output: Some(output), chunk_shift: feedback.chunk_shift.get() }));
    };
    let is_apart = ctx.mr.output.resource() != ctx.mr.temporary.resource();
    let width = if large { 8 } else { 4 };
    // Runs the launch with memory for `count` elements and `bytes` bytes.
    let run = |output: &mut CudaOutput, count: usize, bytes: usize| -> Result<(u64, Buffer)> {
        let mut offsets = Buffer::uninitialized(byte_len(count + 1, width, ctx.mr)?, stream, ctx.mr.temporary)?;
        output.add_elements(Buffer::uninitialized(bytes, stream, ctx.mr.temporary)?);
        if inputs.nullable(nulls) {
            output.add_mask(ctx)?;
        }
        let mut entries = entries(rows, share_of(rows), 1, ctx)?;
        let mailbox = Mailbox::new(stream, 1)?;
        let entries = entries.as_mut().map(|entries| entries.write_on(stream)).transpose()?;
        let (open, elements) = (output.open(stream)?, offsets.write_on(stream)?);
        let counts = TileCounts {
            entries: Out::of_option(entries.as_ref()),
            capacity: bytes as i64,
            elements: Out::of(&elements),
            most_elements: count as i64,
            ..sizes.counts
        };
        let out = ColumnOut { flags: if large { WIDE_OFFSETS } else { 0 }, ..open.desc() };
        launch(&Launch { pass: Pass::Lists, out, counts, mailbox: Out::of(&mailbox), ..sizes })?;
        drop((entries, open, elements));
        Ok((mailbox.wait()?[0], offsets))
    };
    let (mut count, mut bytes) = (count.min(i32::MAX as usize), bytes + bytes / 32);
    let (elements, used, mut offsets) = loop {
        let (total, offsets) = match run(&mut output, count, bytes) {
            Err(Error::OutOfMemory { .. }) if count * width + bytes > FEW_BYTES => (0, None),
            found => found.map(|(total, offsets)| (total, Some(offsets)))?,
        };
        let has_long_rows = total == BUILD_STRINGS_DETAIL_UNLISTED;
        let Some(offsets) = offsets.filter(|_| !has_long_rows) else {
            output.drop_elements();
            let chunk_shift = feedback.chunk_shift.get().filter(|_| has_long_rows);
            return Ok(Lists::NotMade(RetryState { output: Some(output), chunk_shift }));
        };
        let (elements, used) = (total >> 32, total as u32 as usize);
        check_offsets(RowKind::Strings { large: false }, elements)?;
        let elements = elements as usize;
        if elements <= count && used <= bytes {
            break (elements, used, offsets);
        }
        (count, bytes) = (elements, used);
    };
    output.keep_elements(used, (is_apart || is_much(bytes, used)).then_some(ctx.mr.output), stream)?;
    offsets = offsets.slice(0, (elements + 1) * width)?;
    if is_apart || is_much((count + 1) * width, offsets.len()) {
        offsets = offsets.deep_copy(stream, ctx.mr.output)?;
    }
    let OutputBuffers { mut buffers, validity, null_count, .. } = output.into_buffers()?;
    let data_type = source.view().data_type().clone();
    let (Some(chars), Some(list_offsets)) = (buffers.pop(), buffers.pop()) else {
        return Err(Error::buffer_count(&data_type, 2, buffers.len()));
    };
    let texts = ColumnParts::new(data_type, stream.device(), elements).buffer(offsets).buffer(chars);
    let lists = ColumnParts::lists(rows, list_offsets, false, vouch::result(texts)?, true);
    Ok(Lists::Made(vouch::result(lists.validity(validity, null_count))?))
}
