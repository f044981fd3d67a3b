//! Attempts that insert the rows into a table of groups in global memory. The first launches clear the table and the
//! accumulators. Then one pass over the rows fills both.

use gdf_core::Result;
use gdf_engine::cuda::{Memory, Out};
use gdf_kernels::generated::groupby::Accumulation;
use gdf_memory::{Buffer, DeviceVec, Mailbox};

use super::finish::{Finish, STATE_WORDS, Strings};
use super::nunique::nunique;
use super::request::{Attempt, Groups, OpenSteps, Request};
use super::spread::correct_variance;
use crate::groupby::aggregate::plan::Accumulator;

/// A table of groups that launches fill.
pub(super) struct Table<'t, 'a> {
    pub(super) request: &'t Request<'t, 'a>,
    pub(super) groups: Groups<'t>,
    mailbox: Out<'t, u64>,
}

/// A launch that inserts the rows into a table and updates the accumulators `steps`.
pub(super) struct Launch<'l, 'a> {
    pub(super) request: &'l Request<'l, 'a>,
    pub(super) steps: &'l [Accumulator],
    pub(super) open: &'l OpenSteps<'a>,
    pub(super) input: Accumulation<'l>,
    pub(super) is_first: bool,
    /// The words for the state of the table, which only the first launch posts.
    pub(super) mailbox: Out<'l, u64>,
}

impl<'t, 'a> Table<'t, 'a> {
    /// Enqueues the launches that clear the table and initialize the accumulators.
    pub(super) fn clear(&self) -> Result<()> {
        self.request.clear(&self.groups)
    }

    /// Calls `enqueue` for each launch that fills the table.
    pub(super) fn fill(&self, enqueue: impl Fn(&Launch<'_, 'a>) -> Result<()>) -> Result<()> {
        for (index, steps) in self.request.launches().into_iter().enumerate() {
            let is_first = index == 0;
            let open = &self.request.open(steps)?;
            let input = self.request.accumulation(open, &self.groups);
            let mailbox = if is_first { self.mailbox } else { Out::NULL };
            enqueue(&Launch { request: self.request, steps, open, input, is_first, mailbox })?;
        }
        Ok(())
    }
}

/// Returns the memory of a table for `capacity` groups, and the memory of its accumulators.
pub(super) fn memory(request: &Request<'_, '_>, capacity: usize) -> Result<(Buffer, DeviceVec<u64>)> {
    let (stream, mr) = (request.ctx.stream, request.ctx.mr);
    let table = Buffer::uninitialized(Groups::table_bytes(capacity), stream, mr.temporary)?;
    let words = request.plan.words.saturating_mul(capacity);
    Ok((table, DeviceVec::uninitialized(words, stream, mr.temporary)?))
}

/// Aggregates with a table for `capacity` groups, which `fill` clears and fills. **Waits** for the number of groups.
pub(super) fn attempt(
    request: &Request<'_, '_>,
    finish: &Finish<'_>,
    capacity: usize,
    fill: impl FnOnce(&Table<'_, '_>) -> Result<()>,
) -> Result<Attempt> {
    finish.check_strings()?;
    let (stream, plan) = (request.ctx.stream, request.plan);
    let (mut table, mut acc) = memory(request, capacity)?;
    let (table, acc) = (table.write_on(stream)?, acc.write_on(stream)?);
    let groups = Groups::new(capacity, plan.words, Memory::of(&table), Memory::of(&acc))?;
    let mailbox = Mailbox::new(stream, STATE_WORDS + finish.strings())?;
    let words = Out::of(&mailbox);

    fill(&Table { request, groups, mailbox: words })?;
    let counts = finish.sizes(&groups, words.element(STATE_WORDS), request.ctx)?;
    let posted = mailbox.wait()?;

    if posted[1] != 0 {
        return Ok(Attempt::Overflow { groups: posted[0], rows: posted[2] });
    }
    let found = usize::try_from(posted[0]).unwrap_or(usize::MAX);
    if found == 0 {
        return Ok(Attempt::Complete(finish.empty(request.ctx)?));
    }
    for distinct in &plan.distincts {
        nunique(request, *distinct, &groups)?;
    }
    for index in 0..plan.corrections.len() {
        correct_variance(request, index, found, &groups)?;
    }
    let strings = Strings { counts: counts.as_ref(), bytes: &posted[STATE_WORDS..] };
    Ok(Attempt::Complete(finish.write(found, &groups, strings, request.ctx)?))
}
