//! Group-by of few rows in one launch of one block, which writes the results, too.

use gdf_core::Result;
use gdf_engine::cuda::{Grid, Kernel, Memory, Out};
use gdf_kernels::generated::groupby::AggregateTiny;
use gdf_memory::Mailbox;

use super::finish::{Finish, Written};
use super::request::{Attempt, Groups, Request};
use super::table::memory;

/// Aggregates the rows if the launch can write all columns of the result. **Waits** for the number of groups.
pub(super) fn enqueue(request: &Request<'_, '_>) -> Result<Attempt> {
    let ([steps], Some(packing)) = (&request.launches()[..], request.plain_packing()) else {
        return Ok(Attempt::Unsuitable);
    };
    let finish = Finish::new(request, Some(packing));
    if !finish.is_direct() {
        return Ok(Attempt::Unsuitable);
    }
    let (rows, stream) = (request.keys.rows, request.ctx.stream);
    let (mut table, mut acc) = memory(request, rows)?;
    let (table, acc) = (table.write_on(stream)?, acc.write_on(stream)?);
    let groups = Groups::new(rows, request.plan.words, Memory::of(&table), Memory::of(&acc))?;
    let open = request.open(steps)?;
    let (beginnings, begin_words) = request.beginnings(0);
    let kernel = Kernel::find(stream)?;
    let launch = |written: Written<'_>| {
        let mailbox = Mailbox::new(stream, 1)?;
        let arguments = AggregateTiny {
            input: request.accumulation(&open, &groups),
            beginnings,
            begin_words,
            results: written.results,
            out: written.out,
            columns: written.columns,
            mailbox: Out::of(&mailbox),
        };
        request.run(&kernel, Grid::Blocks(1), &arguments)?;
        Ok(usize::try_from(mailbox.wait()?[0]).unwrap_or(0))
    };
    finish.write_within(rows, launch, request.ctx).map(Attempt::Complete)
}
