//! Computes aggregates of windows of rows, and positions in windows.

mod cuda;
mod folds;
mod host;
mod plan;
mod slide;

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_kernels::generated::common::WindowPlan;
use gdf_kernels::generated::rolling::{PositionPlan, WindowPositions};

pub use gdf_kernels::generated::common::WindowBound;
pub use gdf_kernels::generated::rolling::{Operation, Outcome, Position};
pub use host::storage_type;
pub use plan::Windows;

use crate::Ctx;
use crate::elementwise::{self, Inputs, Launch, Nulls};

/// The form in which the aggregated values are stored and combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredRows {
    /// 64-bit integers, doubles whose minimum or maximum is computed, or values of any type that are counted.
    Words,
    /// 128-bit integers.
    Wide,
    /// 256-bit integers.
    Widest,
    /// Doubles whose sum or mean is computed.
    Floats,
    /// Doubles whose variance is computed.
    Moments,
    /// Text, whose minimum or maximum is computed. The result is a row number.
    Strings,
}

#[derive(Clone, Copy, Debug)]
pub struct Aggregate {
    pub stored: StoredRows,
    pub operation: Operation,
    pub outcome: Outcome,
    pub ddof: u32,
    /// The minimum number of valid rows of a window. If the outcome is `Outcome::ValidRows`, null rows count as well. A
    /// window with fewer rows is null.
    pub min_periods: usize,
}

impl Aggregate {
    fn nullable(&self, windows: &Windows<'_>, has_validity: bool) -> bool {
        let rows = if self.outcome == Outcome::ValidRows || !has_validity { windows.min_rows() } else { 0 };
        let needed = match self.outcome {
            Outcome::ValidRows | Outcome::Total => 0,
            Outcome::Variance | Outcome::Deviation => self.ddof as usize + 1,
            Outcome::Value | Outcome::Mean => 1,
        };
        rows < needed.max(self.min_periods)
    }

    fn suffices(&self, count: u64, rows: usize) -> bool {
        match self.outcome {
            Outcome::ValidRows => rows >= self.min_periods,
            Outcome::Variance | Outcome::Deviation if count <= u64::from(self.ddof) => false,
            outcome => count >= self.min_periods as u64 && (count > 0 || outcome == Outcome::Total),
        }
    }
}

/// Computes a row of `output_type` for each window. `input` has one row for each window, and the caller has checked it.
///
/// # Errors
/// * Driver and memory errors.
pub fn aggregate(
    input: ColumnView<'_>,
    windows: &Windows<'_>,
    aggregate: &Aggregate,
    output_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let nullable = aggregate.nullable(windows, input.has_validity());
    let inputs = Inputs::for_rows(windows.inputs(input), windows.rows, ctx)?;
    elementwise::map(
        inputs,
        output_type,
        Nulls::Own { nullable },
        ctx,
        |rows| host::aggregate(rows, windows, aggregate),
        |launch| cuda::aggregate(launch, windows, aggregate, ctx),
    )
}

/// The kind of position that is computed from the bounds of each window.
#[derive(Clone, Copy, Debug)]
pub struct RowPositions {
    pub kind: Position,
    pub offset: i64,
    /// The minimum number of rows of a window. Windows with fewer rows are null. `Position::FromRow` ignores this
    /// number.
    pub min_periods: usize,
}

impl RowPositions {
    fn nullable(self, windows: &Windows<'_>) -> bool {
        let counts_rows = matches!(self.kind, Position::RowsOfWindow | Position::RowNumber);
        !counts_rows || windows.min_rows() < self.min_periods
    }
}

/// Computes a position for each window, as `Int64`. If `wanted` is a position among the valid rows, `counts` contains
/// the number of valid rows up to each row.
///
/// # Errors
/// * Driver and memory errors.
pub fn positions(counts: ColumnView<'_>, windows: &Windows<'_>, wanted: RowPositions, ctx: Ctx<'_>) -> Result<Column> {
    let nullable = wanted.nullable(windows);
    let inputs = Inputs::for_rows(windows.inputs(counts), windows.rows, ctx)?;
    // The limit is greater than every row number. Its sum with a row number does not overflow.
    let limit = windows.rows as i64 + 1;
    let wanted = RowPositions { offset: wanted.offset.clamp(-limit, limit), ..wanted };
    elementwise::map(
        inputs,
        &DataType::Int64,
        Nulls::Own { nullable },
        ctx,
        |rows| host::positions(rows, windows, wanted),
        |launch| {
            let Launch { inputs: [counts, lower, upper], out, .. } = *launch;
            let RowPositions { kind, offset, min_periods } = wanted;
            let plan = WindowPlan { min_periods: i64::try_from(min_periods).unwrap_or(i64::MAX), ..windows.plan() };
            let p = PositionPlan { offset, kind: kind as i64 };
            launch.run_only(&WindowPositions { counts, lower, upper, out, plan, p })
        },
    )
}
