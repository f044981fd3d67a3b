//! `ewma`: exponentially weighted means, a scan of affine functions.

use gdf_core::{Column, ColumnView, DataType, Error, Result};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::cuda::{CudaOutput, Kernel};
use gdf_engine::host::{Bits, HostColumn, HostMask, HostOutput};
use gdf_engine::scan::cuda::scan_with;
use gdf_engine::scan::host::Steps;
use gdf_kernels::generated::common::ScanModes;
use gdf_kernels::generated::scan::{Ewma, EwmaOptions, Scan};

use crate::Ctx;

/// The assumption about the rows before the first row of an exponentially weighted mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum EwmHistory {
    /// The rows before the first row are missing.
    #[default]
    Infinite,
    /// The first row stands for all earlier rows, and has the sum of their weights. pandas has the same behavior with
    /// `adjust=False`.
    Finite,
}

/// Implements `gdf_api::scan::ewma` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn ewma(input: ColumnView<'_>, center_of_mass: f64, history: EwmHistory, ctx: Ctx<'_>) -> Result<Column> {
    check::column(input, ctx)?;
    if !matches!(input.data_type(), DataType::Float32 | DataType::Float64) {
        return Err(Error::unsupported("ewma", input.data_type()));
    }
    if !(center_of_mass.is_finite() && center_of_mass >= 0.0) {
        return Err(Error::invalid_argument(
            "the number is NaN, infinite or negative; pass a finite number of at least 0",
        )
        .in_argument("center_of_mass"));
    }
    if input.is_empty() {
        return Column::empty_on(input.data_type(), ctx.stream.device());
    }
    let decay = center_of_mass / (1.0 + center_of_mass);
    match ctx.stream.device() {
        Device::Cpu => on_host(input, decay, history, ctx),
        Device::Cuda(_) => {
            let output = CudaOutput::fixed_width(input.data_type(), input.len(), ctx)?;
            let options = EwmaOptions { decay, finite: i64::from(history == EwmHistory::Finite) };
            let kernel = Kernel::find(ctx.stream)?;
            scan_with(input, output, &kernel, 3, ctx, |launch| {
                let Scan { input, out, status, values, .. } = launch.scan;
                launch.run(&Ewma { input, out, options, modes: ScanModes::AllRows as i32, status, values })
            })
        }
    }
}

/// An affine function, given by three numbers.
type Decayed = [f64; 3];

const IDENTITY: Decayed = [1.0, 0.0, 0.0];

fn composed(a: Decayed, b: Decayed) -> Decayed {
    // A decay over many rows becomes 0, but an infinite sum stays infinite.
    let carried = if b[0] == 0.0 && a[1].is_infinite() { a[1] } else { b[0] * a[1] };
    [a[0] * b[0], carried + b[1], b[0] * a[2] + b[2]]
}

fn on_host(input: ColumnView<'_>, decay: f64, history: EwmHistory, ctx: Ctx<'_>) -> Result<Column> {
    let open = HostColumn::open(input, ctx.stream)?;
    let valid = open.validity()?;
    if *input.data_type() == DataType::Float32 {
        let mut output = HostOutput::<f32>::new(input.len(), ctx)?;
        let rows = open.values::<f32>()?;
        run(|row| f64::from(rows[row]), valid, decay, history, output.values(ctx.stream)?, |mean| mean as f32);
        return output.finish(input.data_type(), HostMask::none());
    }
    let mut output = HostOutput::<f64>::new(input.len(), ctx)?;
    let rows = open.values::<f64>()?;
    run(|row| rows[row], valid, decay, history, output.values(ctx.stream)?, |mean| mean);
    output.finish(input.data_type(), HostMask::none())
}

fn run<T: Send>(
    rows: impl Fn(usize) -> f64 + Sync,
    valid: Option<Bits<'_>>,
    decay: f64,
    history: EwmHistory,
    out: &mut [T],
    give: impl Fn(f64) -> T + Sync,
) {
    let is_valid = |row: usize| valid.is_none_or(|valid| valid.get(row));
    let take = |row: usize| match (is_valid(row), history == EwmHistory::Finite) {
        (true, false) => [decay, rows(row), 1.0],
        (false, false) => [decay, 0.0, 0.0],
        (false, true) => IDENTITY,
        (true, true) => {
            let Some(last) = (0..row).rev().find(|&row| is_valid(row)) else { return [0.0, rows(row), 1.0] };
            // The weight of the previous mean has decayed once for each row since the last valid row.
            let old = if row - last == 1 { decay } else { decay.powf((row - last) as f64) };
            let own = 1.0 - decay;
            [old / (old + own), own * rows(row) / (old + own), own / (old + own)]
        }
    };
    let load = |first: usize, block: &mut [Decayed]| {
        for (row, slot) in (first..).zip(block) {
            *slot = take(row);
        }
    };
    let steps = Steps { identity: IDENTITY, load, operation: composed, valid: None, exclusive: false };
    steps.run(out, |all| give(all[1] / all[2]));
}
