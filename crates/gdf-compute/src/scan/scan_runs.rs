//! Scans within runs. The aggregation starts anew with each run.

use gdf_core::{Column, ColumnView, Error, Result, is_floating, is_unsigned_integral};
use gdf_driver::Device;
use gdf_engine::cuda::{CudaColumn, CudaOutput, Kernel};
use gdf_engine::host::{HostColumn, HostMask, HostOutput};
use gdf_engine::rounding::{of_ordered_key, ordered_key};
use gdf_engine::scan::cuda::scan_with;
use gdf_engine::scan::host::Steps;
use gdf_kernels::generated::common::ScanModes;
use gdf_kernels::generated::scan::{RunOperation, RunOptions, Runs as RunsKernel, Scan};

use super::{ScanAggregation, ScanType};
use crate::Ctx;

/// Returns for each row the aggregation of the valid rows of its run up to the row. If `scan_type` is exclusive, the
/// row itself is not included.
pub fn scan_runs(
    input: ColumnView<'_>,
    begins: ColumnView<'_>,
    aggregation: ScanAggregation,
    scan_type: ScanType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    use RunOperation as R;
    use ScanAggregation as A;
    let floats = is_floating(input.data_type());
    let (operation, flip) = match aggregation {
        A::Product => (if floats { R::ProductFloats } else { R::Product }, 0),
        A::Min | A::Max => {
            let sign = if is_unsigned_integral(input.data_type()) { 1 << 63 } else { 0 };
            let flip = if aggregation == A::Min { !sign } else { sign };
            (if floats { R::LargestFloats } else { R::Largest }, flip)
        }
        A::Sum | A::CountValid | A::CountAll => (if floats { R::SumFloats } else { R::Sum }, 0),
        _ => return Err(Error::unsupported("scan", input.data_type()).in_variant(aggregation.name())),
    };
    match ctx.stream.device() {
        Device::Cpu => {
            let integers = |nothing| RunValues { nothing, value: |word| word, word: |value| value };
            let floats = |nothing| RunValues { nothing, value: f64::from_bits, word: f64::to_bits };
            match operation {
                R::Sum => on_host(input, begins, scan_type, integers(0), u64::wrapping_add, ctx),
                R::Product => on_host(input, begins, scan_type, integers(1), u64::wrapping_mul, ctx),
                R::SumFloats => on_host(input, begins, scan_type, floats(0.0), |a, b| a + b, ctx),
                R::ProductFloats => on_host(input, begins, scan_type, floats(1.0), |a, b| a * b, ctx),
                R::Largest => {
                    let value = |word: u64| (word ^ flip) as i64;
                    let values = RunValues { nothing: i64::MIN, value, word: |key| key as u64 ^ flip };
                    on_host(input, begins, scan_type, values, i64::max, ctx)
                }
                R::LargestFloats => {
                    let value = |word: u64| ordered_key(f64::from_bits(word)) ^ flip as i64;
                    let word = |key: i64| of_ordered_key(key ^ flip as i64).to_bits();
                    on_host(input, begins, scan_type, RunValues { nothing: i64::MIN, value, word }, i64::max, ctx)
                }
            }
        }
        Device::Cuda(_) => {
            let output = CudaOutput::fixed_width(input.data_type(), input.len(), ctx)?;
            let options = RunOptions {
                operation: operation as i32,
                exclusive: i32::from(scan_type == ScanType::Exclusive),
                flip,
            };
            let (modes, kernel) = (ScanModes::AllRows as i32, Kernel::find(ctx.stream)?);
            let heads = CudaColumn::open(begins, ctx.stream)?;
            let begins = heads.desc();
            scan_with(input, output, &kernel, 2, ctx, |launch| {
                let Scan { input, out, status, values, .. } = launch.scan;
                launch.run(&RunsKernel { input, begins, out, options, modes, status, values })
            })
        }
    }
}

struct RunValues<C, V, W> {
    nothing: C,
    value: V,
    word: W,
}

fn on_host<C: Copy + Send + Sync, V: Fn(u64) -> C + Sync, W: Fn(C) -> u64 + Sync>(
    input: ColumnView<'_>,
    begins: ColumnView<'_>,
    scan_type: ScanType,
    values: RunValues<C, V, W>,
    combine: impl Fn(C, C) -> C + Sync,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (rows, begins) = (HostColumn::open(input, ctx.stream)?, HostColumn::open(begins, ctx.stream)?);
    let RunValues { nothing, value, word } = values;
    let (words, valid, begins) = (rows.values::<u64>()?, rows.validity()?, begins.bits()?);
    let load = |first: usize, block: &mut [(C, bool)]| {
        for (row, slot) in (first..).zip(block) {
            let is_first = begins.get(row);
            let source = match scan_type {
                ScanType::Inclusive => Some(row),
                ScanType::Exclusive => row.checked_sub(1).filter(|_| !is_first),
            };
            let own = source.filter(|row| valid.is_none_or(|valid| valid.get(*row)));
            *slot = (own.map_or(nothing, |row| combine(nothing, value(words[row]))), is_first);
        }
    };
    let operation = |a: (C, bool), b: (C, bool)| if b.1 { b } else { (combine(a.0, b.0), a.1) };
    let steps = Steps { identity: (nothing, false), load, operation, valid: None, exclusive: false };
    let mut output = HostOutput::<u64>::new(input.len(), ctx)?;
    steps.run(output.values(ctx.stream)?, |all| word(all.0));
    output.finish(input.data_type(), HostMask::none())
}
