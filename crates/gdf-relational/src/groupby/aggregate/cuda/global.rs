//! Group-by with a table of groups in global memory, into which every row is inserted.

use gdf_core::Result;
use gdf_engine::cuda::{Grid, Kernel};
use gdf_kernels::generated::groupby::{AggregateMany, AggregateManyKernel};

use super::finish::Finish;
use super::request::{Attempt, Request};
use super::table::{Launch, attempt};

/// Aggregates the rows with a table for `capacity` groups. **Waits** for the number of groups.
pub(super) fn enqueue(request: &Request<'_, '_>, capacity: usize) -> Result<Attempt> {
    attempt(request, &Finish::new(request, None), capacity, |table| {
        table.clear()?;
        table.fill(insert)
    })
}

pub(super) fn insert(launch: &Launch<'_, '_>) -> Result<()> {
    let request = launch.request;
    let kernel = if request.keys.packed { AggregateManyKernel::Packed } else { AggregateManyKernel::Rows };
    let kernel = Kernel::choose(kernel, request.ctx.stream)?;
    let arguments = AggregateMany { input: launch.input, mailbox: launch.mailbox };
    request.run(&kernel, Grid::Blocks(kernel.blocks(request.keys.rows)), &arguments)
}
