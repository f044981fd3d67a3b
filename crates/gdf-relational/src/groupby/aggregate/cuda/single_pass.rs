//! Group-by of rows so few that the table of groups has room for all of them. One launch clears the table and inserts
//! the rows.

use gdf_core::Result;
use gdf_engine::cuda::{Grid, Kernel};
use gdf_kernels::generated::groupby::{AggregateFew, AggregateFewKernel};

use super::finish::Finish;
use super::request::{Attempt, BEGINNINGS, Request};
use super::table::{Launch, attempt};

/// Aggregates the rows with a table for `capacity` groups. **Waits** for the number of groups.
pub(super) fn enqueue(request: &Request<'_, '_>, capacity: usize) -> Result<Attempt> {
    attempt(request, &Finish::new(request, None), capacity, |table| {
        if request.plan.words > BEGINNINGS {
            table.clear()?;
        }
        table.fill(insert)
    })
}

fn insert(launch: &Launch<'_, '_>) -> Result<()> {
    let (request, mailbox) = (launch.request, launch.mailbox);
    let kernel = if request.keys.packed { AggregateFewKernel::Packed } else { AggregateFewKernel::Rows };
    let kernel = Kernel::choose(kernel, request.ctx.stream)?;
    let (beginnings, words) = request.beginnings(0);
    // The first launch clears the table, unless other launches have cleared it.
    let clears = launch.is_first && request.plan.words <= BEGINNINGS;
    let arguments =
        AggregateFew { input: launch.input, beginnings, begin_words: if clears { words } else { 0 }, mailbox };
    request.run(&kernel, Grid::Cooperative(kernel.blocks(request.keys.rows), 1), &arguments)
}
