//! `scan`: the extremes of nested columns are found by the ranks of their rows.

use gdf_core::{Column, ColumnView, Error, Result};
use gdf_engine::check;
use gdf_engine::running::{ScanAggregation, ScanType, running};

use super::NullPolicy;
use super::ranked::by_ranks;
use crate::Ctx;
use crate::keys::is_replaced;

/// Returns for each row the aggregation of all rows up to that row.
///
/// Implements `gdf_api::scan::scan` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn scan(
    input: ColumnView<'_>,
    aggregation: ScanAggregation,
    scan_type: ScanType,
    null_policy: NullPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    const OPERATION: &str = "scan";
    let is_extreme = matches!(aggregation, ScanAggregation::Min | ScanAggregation::Max);
    if !is_extreme || !is_replaced(input.data_type()) {
        return running(input, aggregation, scan_type, null_policy, ctx);
    }
    check::column(input, ctx)?;
    if scan_type == ScanType::Exclusive {
        return Err(Error::unsupported(OPERATION, input.data_type()).in_variant(aggregation.name()));
    }
    by_ranks(OPERATION, input, ctx, |ranks, ctx| running(ranks, aggregation, scan_type, null_policy, ctx))
}
