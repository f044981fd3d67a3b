//! Group-by with a table of groups that is larger than the cache. Rows are first moved to partitions, one for each part
//! of the table. Then the rows are inserted into the table.

use gdf_core::Result;
use gdf_engine::cuda::{Grid, Kernel};
use gdf_kernels::generated::groupby::AggregateParts;

use super::finish::Finish;
use super::partition::{PartRule, PartitionedRows};
use super::request::{Attempt, Groups, Request};
use super::table::{Launch, attempt};

/// Aggregates the rows with a table for `capacity` groups. **Waits** for the number of groups.
pub(super) fn enqueue(request: &Request<'_, '_>, capacity: usize) -> Result<Attempt> {
    // The rows have packed keys in place of row numbers, so the keys of the result are unpacked from them.
    let finish = Finish::new(request, request.packing);
    attempt(request, &finish, capacity, |table| {
        table.clear()?;
        table.fill(|launch| insert(launch, &table.groups))
    })
}

fn insert(launch: &Launch<'_, '_>, groups: &Groups<'_>) -> Result<()> {
    let (request, open) = (launch.request, launch.open);
    let rule = PartRule::of_table(groups, request.plan.words);
    let rows = PartitionedRows::new(request, open, rule)?;
    let partitioned = rows.open(request.ctx.stream)?;
    let kernel = Kernel::find(request.ctx.stream)?;
    let arguments = AggregateParts {
        words: partitioned.words(),
        rows: partitioned.rows(),
        values: open.values(),
        partitioned: partitioned.values(),
        steps: open.steps,
        table: groups.table,
        acc: groups.acc,
        mailbox: launch.mailbox,
    };
    request.run(&kernel, Grid::Blocks(kernel.blocks(request.keys.rows)), &arguments)
}
