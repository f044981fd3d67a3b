//! `scan`: checks and choice of backend.

mod cuda;
mod host;
mod plan;

use gdf_core::{Column, ColumnParts, ColumnView, DataType, PhysicalType, Result, Table, TableView, physical_type};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::decoded::Reads;
use gdf_engine::rows::RowPlan;
use gdf_engine::vouch;

use self::plan::ScanPlan;
use super::NullPolicy;
use crate::Ctx;

/// The name of the operation in errors.
pub(super) const OPERATION: &str = "scan";

/// What a row is, of the rows up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScanAggregation {
    /// Their sum; of booleans whether any is true. The same type, integers wrapping.
    Sum,
    /// Their product; of booleans whether all are true. The same type, integers wrapping.
    Product,
    /// The smallest of them; −0.0 comes before 0.0 and NaN after everything else. The same type.
    Min,
    /// The largest of them, in the order of [`Min`](Self::Min). The same type.
    Max,
    /// How many of them are not null, `Int64`.
    CountValid,
    /// How many they are, `Int64`.
    CountAll,
}

impl ScanAggregation {
    /// The part of a dictionary that the aggregation reads.
    pub fn reads(self) -> Reads {
        match self {
            Self::CountAll => Reads::Rows,
            Self::CountValid => Reads::Nulls,
            Self::Sum | Self::Product | Self::Min | Self::Max => Reads::Values,
        }
    }

    /// Its name in errors.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "Sum",
            Self::Product => "Product",
            Self::Min => "Min",
            Self::Max => "Max",
            Self::CountValid => "CountValid",
            Self::CountAll => "CountAll",
        }
    }
}

/// Whether a row is one of the rows up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ScanType {
    /// It is.
    #[default]
    Inclusive,
    /// It is not: the first row is the aggregation of nothing.
    Exclusive,
}

/// What there is to do, once checked. There are rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub(super) input: ColumnView<'a>,
    plan: ScanPlan,
    pub(super) exclusive: bool,
    /// Everything from the first null on is null.
    pub(super) nulls_spread: bool,
}

impl Task<'_> {
    /// Whether the result has a mask.
    pub(super) fn nullable(&self) -> bool {
        self.input.has_validity() && !matches!(self.plan, ScanPlan::Count { .. })
    }

    /// Of a count: whether no row counts, though there is no mask that says so.
    pub(super) fn counts_nothing(&self) -> bool {
        self.plan == ScanPlan::Count { all: false } && physical_type(self.input.data_type()) == PhysicalType::Null
    }

    /// The type of the result.
    pub(super) fn data_type(&self) -> &DataType {
        match self.plan {
            ScanPlan::Count { .. } => &DataType::Int64,
            _ => self.input.data_type(),
        }
    }
}

/// `gdf_api::scan::scan` on the stream and from the resources of `ctx`.
pub fn scan(
    input: ColumnView<'_>,
    aggregation: ScanAggregation,
    scan_type: ScanType,
    null_policy: NullPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check::column(input, ctx)?;
    let decoded = aggregation.reads().decode(input, ctx.scratch())?;
    let input = decoded.view();
    let exclusive = scan_type == ScanType::Exclusive;
    let plan = ScanPlan::new(aggregation, input.data_type(), scan_type)?;
    let nulls_spread = null_policy == NullPolicy::Include;
    let task = Task { input, plan, exclusive, nulls_spread };
    if input.is_empty() {
        return empty(&task, ctx);
    }
    match ctx.stream.device() {
        Device::Cpu => host::scan(&task, ctx),
        Device::Cuda(_) => cuda::scan(&task, ctx),
    }
}

/// The result without rows.
fn empty(task: &Task<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if let ScanPlan::Count { .. } = task.plan {
        let values = gdf_memory::Buffer::uninitialized(0, ctx.stream, ctx.mr.output)?;
        return vouch::result(ColumnParts::new(DataType::Int64, ctx.stream.device(), 0).buffer(values));
    }
    let table: Table = RowPlan::new(OPERATION, &TableView::try_new(vec![task.input])?)?.empty(ctx)?;
    Ok(table.column(0)?.clone())
}

#[cfg(test)]
mod tests;
