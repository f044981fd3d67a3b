//! `reduction::reduce` and `segmented_reduce` on CUDA: the choice of the kernel for a plan.

use gdf_core::{Column, ColumnView, DataType, Error, Result};
use gdf_engine::cuda::{CudaColumn, Kernel, Out, SingleOutput};
use gdf_engine::reduce::cuda::{self as engine, Reads, ReduceResults, SegmentResults};
use gdf_engine::rounding::power_of_ten;
use gdf_kernels::generated::common::REDUCE_MAX_BLOCKS;
use gdf_kernels::generated::reduction::{
    CopyString, ExtremeStrings, MinmaxWords, Reduce, ReduceKernel, ReduceOptions, SegmentedReduce,
    SegmentedReduceKernel,
};
use gdf_memory::{Buffer, Mailbox};

use crate::Ctx;
use crate::reduction::reduce::{Arithmetic, Bitwise, KeyWidth, NullPolicy, OPERATION, ReducePlan, is_all_null};

fn scaled(scale: i32, mean: bool) -> ReduceOptions {
    let power = power_of_ten(scale.unsigned_abs());
    ReduceOptions { power, divides: i32::from(scale > 0), mean: i32::from(mean), ..ReduceOptions::default() }
}

fn second(second: bool) -> ReduceOptions {
    ReduceOptions { second: i32::from(second), ..ReduceOptions::default() }
}

pub(crate) fn reduce(column: ColumnView<'_>, plan: ReducePlan, output_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    if let ReducePlan::ExtremeString { minimum } = plan {
        return extreme_string(column, minimum, output_type, ctx);
    }
    let PlanKernel { whole, mut options, .. } = PlanKernel::of(plan, column)?;
    let results = ReduceResults { data_type: output_type, count: 1, masked: plan.is_masked(column) };
    let reads = match plan {
        ReducePlan::Count { all: false } if is_all_null(column) => Reads::Nothing { rows: 0 },
        ReducePlan::Count { all } if all || !column.has_validity() => Reads::Nothing { rows: column.len() },
        ReducePlan::Count { .. } => Reads::Mask,
        _ => Reads::Values,
    };
    if let Reads::Nothing { .. } = reads {
        options.second = 1; // the kernel counts all rows, whose number is in `reads`
    }
    let kernel = Kernel::choose(whole, ctx.stream)?;
    let launch =
        |launch: &engine::ReduceLaunch<'_, _>| launch.run(&Reduce { input: launch.input, out: launch.out[0], options });
    let mut results = engine::reduce(column, results, reads, &kernel, launch, ctx)?;
    Ok(results.remove(0))
}

/// Computes the smallest and the largest value of a column in one launch.
pub(crate) fn minmax_words(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<(Column, Column)> {
    let results = ReduceResults { data_type: column.data_type(), count: 2, masked: column.has_validity() };
    let options = ReduceOptions::default();
    let kernel = Kernel::find(ctx.stream)?;
    let launch = |launch: &engine::ReduceLaunch<'_, _>| {
        let (input, min_value, max_value) = (launch.input, launch.out[0], launch.out[1]);
        launch.run(&MinmaxWords { input, min_value, max_value, options })
    };
    let mut results = engine::reduce(column, results, Reads::Values, &kernel, launch, ctx)?;
    Ok((results.remove(0), results.remove(0)))
}

pub(crate) fn reduce_segments(
    column: ColumnView<'_>,
    offsets: ColumnView<'_>,
    plan: ReducePlan,
    output_type: &DataType,
    null_policy: NullPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let PlanKernel { segmented, options, words, .. } = PlanKernel::of(plan, column)?;
    let results = SegmentResults {
        data_type: output_type,
        words,
        fewest: plan.fewest(),
        spread: null_policy == NullPolicy::Include && plan.can_be_null(null_policy),
    };
    let kernel = Kernel::choose(segmented, ctx.stream)?;
    let launch = |launch: &engine::SegmentedLaunch<'_, _>| {
        let &engine::SegmentedLaunch { input, offsets, out, plan, mailbox, .. } = launch;
        launch.run(&SegmentedReduce { input, offsets, out, options, plan, mailbox })
    };
    engine::reduce_segments(column, offsets, results, &kernel, launch, ctx)
}

struct PlanKernel {
    whole: ReduceKernel,
    segmented: SegmentedReduceKernel,
    options: ReduceOptions,
    words: usize,
}

impl PlanKernel {
    fn of(plan: ReducePlan, column: ColumnView<'_>) -> Result<Self> {
        macro_rules! kernel {
            ($name:ident, $words:expr, $options:expr) => {
                PlanKernel {
                    whole: ReduceKernel::$name,
                    segmented: SegmentedReduceKernel::$name,
                    options: $options,
                    words: $words,
                }
            };
        }
        Ok(match plan {
            ReducePlan::Words(Arithmetic::Sum) => kernel!(SumWords, 1, second(false)),
            ReducePlan::Words(Arithmetic::Product) => kernel!(ProductWords, 1, second(false)),
            ReducePlan::Words(Arithmetic::Squares) => kernel!(SquaresWords, 1, second(false)),
            ReducePlan::Floats { arithmetic: Arithmetic::Sum, mean } => kernel!(SumFloats, 1, scaled(0, mean)),
            ReducePlan::Floats { arithmetic: Arithmetic::Product, mean } => kernel!(ProductFloats, 1, scaled(0, mean)),
            ReducePlan::Floats { arithmetic: Arithmetic::Squares, mean } => kernel!(SquaresFloats, 1, scaled(0, mean)),
            ReducePlan::Wide { arithmetic: Arithmetic::Squares, scale, mean } => {
                kernel!(SquaresWide, 2, scaled(scale, mean))
            }
            ReducePlan::Wide { arithmetic: Arithmetic::Product, .. } => kernel!(ProductWide, 2, second(false)),
            ReducePlan::Wide { scale, mean, .. } => kernel!(SumWide, 2, scaled(scale, mean)),
            ReducePlan::Widest { scale, mean } => kernel!(SumWidest, 4, scaled(scale, mean)),
            ReducePlan::Extreme { minimum, width: KeyWidth::Words } => kernel!(ExtremeWords, 1, second(minimum)),
            ReducePlan::Extreme { minimum, width: KeyWidth::Wide } => kernel!(ExtremeWide, 2, second(minimum)),
            ReducePlan::Extreme { minimum, width: KeyWidth::Widest } => kernel!(ExtremeWidest, 4, second(minimum)),
            ReducePlan::AnyAll { all } => kernel!(AnyAll, 1, second(all)),
            ReducePlan::Count { all } => kernel!(Count, 1, second(all)),
            ReducePlan::Bitwise(operator) => {
                let exclusive = i32::from(operator == Bitwise::Xor);
                kernel!(Bitwise, 1, ReduceOptions { exclusive, ..second(operator == Bitwise::And) })
            }
            ReducePlan::Variance { ddof, root } => {
                kernel!(Variance, 3, ReduceOptions { fewest: i64::from(ddof), ..second(root) })
            }
            ReducePlan::ExtremeString { .. } => return Err(Error::unsupported(OPERATION, column.data_type())),
        })
    }
}

fn extreme_string(column: ColumnView<'_>, minimum: bool, output_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let input = CudaColumn::open(column, ctx.stream)?;
    let find = Kernel::find(ctx.stream)?;
    let mailbox = Mailbox::new(ctx.stream, 4)?;
    let (minimum, words) = (i32::from(minimum), Out::of(&mailbox));
    let blocks = find.blocks(column.len()).min(REDUCE_MAX_BLOCKS as u32);
    let arguments = ExtremeStrings { input: input.desc(), minimum, mailbox: words };
    // SAFETY: the input is a string column with at least one row, open for reading. The number of blocks is so small
    // that one word for each block fits the stream's scratch memory. The mailbox has four words and is on this stream.
    unsafe { find.launch(ctx.stream, blocks, 1, &arguments)? };
    let [found, _row, begin, size, ..] = mailbox.wait()?;
    let valid = i32::from(found != 0);
    let chars = usize::try_from(size).unwrap_or(usize::MAX);
    // The bytes of a validated column always pass this check.
    let end = usize::try_from(begin).ok().and_then(|begin| begin.checked_add(chars));
    if end.is_none_or(|end| end > column.buffers().get(1).map_or(0, Buffer::len)) {
        return Err(Error::invalid_data("an offset points outside of the bytes of the column; validate the column"));
    }

    let mut output = SingleOutput::new(output_type, 1, column.has_validity(), chars, ctx)?;
    let open = output.open(ctx.stream)?;
    let copy = Kernel::find(ctx.stream)?;
    let bytes = input.desc().data.element(usize::try_from(begin).unwrap_or(0));
    let arguments = CopyString { bytes, size: size as i64, valid, out: open.desc() };
    // SAFETY: the input is still open, and its `size` bytes from `begin` on lie within its characters, as was checked
    // above. The output is a string output of one row and `size` bytes, open for writing. The output has either both
    // a mask and a null count or neither.
    unsafe { copy.launch(ctx.stream, copy.blocks(chars.max(1)), 1, &arguments)? };
    drop(open);
    output.finish(ctx.stream)
}
