//! Scans: aggregations of all rows up to each row. The rows are numbers, booleans, times, text or bytes.

mod cuda;
mod host;
mod plan;

use gdf_core::{Column, ColumnParts, ColumnView, DataType, PhysicalType, Result, Table, TableView, physical_type};
use gdf_driver::Device;

use self::plan::ScanPlan;
use crate::check;
use crate::decoded::Reads;
use crate::policy::NullPolicy;
use crate::rows::RowPlan;
use crate::{Ctx, vouch};

pub(super) const OPERATION: &str = "scan";

/// The aggregation of a scan. The result of a row is the aggregation of all rows up to that row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScanAggregation {
    /// The sum, in the type of the rows. Integers wrap. The sum of booleans is true if any row is true.
    Sum,
    /// The product, in the type of the rows. Integers wrap. The product of booleans is true if all rows are true.
    Product,
    /// The smallest value, in the type of the rows. −0.0 comes before 0.0, and NaN comes after all other values.
    Min,
    /// The largest value, in the type of the rows and in the order of [`Min`](Self::Min).
    Max,
    /// The number of rows that are not null, as `Int64`.
    CountValid,
    /// The number of rows, as `Int64`.
    CountAll,
}

impl ScanAggregation {
    /// Returns the part of a dictionary that the aggregation reads.
    pub fn reads(self) -> Reads {
        match self {
            Self::CountAll => Reads::Rows,
            Self::CountValid => Reads::Nulls,
            Self::Sum | Self::Product | Self::Min | Self::Max => Reads::Values,
        }
    }

    /// Returns the name of the aggregation in errors.
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

/// Whether the aggregation of a row includes the row itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ScanType {
    /// The row is included.
    #[default]
    Inclusive,
    /// The row is not included. The result of the first row is the aggregation of no rows.
    Exclusive,
}

/// The arguments of a scan, after all checks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub(super) input: ColumnView<'a>,
    plan: ScanPlan,
    pub(super) exclusive: bool,
    /// Whether all rows from the first null on are null.
    pub(super) nulls_spread: bool,
}

impl Task<'_> {
    pub(super) fn nullable(&self) -> bool {
        self.input.has_validity() && !matches!(self.plan, ScanPlan::Count { .. })
    }

    /// Returns whether the scan counts the valid rows of a column of type `Null`.
    pub(super) fn counts_nothing(&self) -> bool {
        self.plan == ScanPlan::Count { all: false } && physical_type(self.input.data_type()) == PhysicalType::Null
    }

    pub(super) fn data_type(&self) -> &DataType {
        match self.plan {
            ScanPlan::Count { .. } => &DataType::Int64,
            _ => self.input.data_type(),
        }
    }
}

/// Returns for each row the aggregation of all rows up to that row.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the aggregation does not take the type.
/// * Driver and memory errors.
pub fn running(
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
