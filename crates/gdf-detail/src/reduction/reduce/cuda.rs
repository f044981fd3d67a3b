//! `reduction::reduce` on CUDA: one launch writes value, validity and null count into one allocation. Strings take two:
//! which row it is, and how long it is, has to be known before its bytes can be copied.

use gdf_core::{ColumnView, DataType, Error, PhysicalType, Result, Scalar, physical_type};
use gdf_kernels::generated::reduction::{CopyString, ExtremeStrings, MinmaxWords, Reduce, ReduceKernel, ReduceOptions};
use gdf_memory::{Buffer, Mailbox};

use crate::context::Ctx;
use crate::cuda::{CudaColumn, Kernel, Out, Scratch, SingleOutput};
use crate::reduction::reduce::{Arithmetic, KeyWidth, ReducePlan, is_all_null};
use crate::rounding::power_of_ten;

/// Blocks whose partial results fit scratch memory; `max_partials` of the kernels.
const MAX_BLOCKS: u32 = 1280;

/// The sum of integers of `scale` as a float.
fn scaled(scale: i32, mean: bool) -> ReduceOptions {
    let power = power_of_ten(scale.unsigned_abs());
    ReduceOptions { power, divides: i32::from(scale > 0), mean: i32::from(mean), ..ReduceOptions::default() }
}

fn second(second: bool) -> ReduceOptions {
    ReduceOptions { second: i32::from(second), ..ReduceOptions::default() }
}

pub(crate) fn reduce(column: ColumnView<'_>, plan: ReducePlan, output_type: &DataType, ctx: Ctx<'_>) -> Result<Scalar> {
    if let ReducePlan::ExtremeString { minimum } = plan {
        return extreme_string(column, minimum, output_type, ctx);
    }
    let Some((kernel, mut options)) = kernel(plan) else {
        return Err(Error::unsupported("reduce", column.data_type()));
    };
    let masked = plan.can_be_null() && column.has_validity();
    options.nullable = i32::from(masked);
    let mut output = SingleOutput::new(output_type, 1, masked, 0, ctx)?;
    let input = CudaColumn::open(column, ctx.stream)?;
    let (out, access) = output.open(ctx.stream)?;
    let kernel = Kernel::choose(kernel, ctx.stream)?;
    let mut desc = input.desc;
    let mut blocks = kernel.blocks(loads(column, plan)).min(MAX_BLOCKS);
    if let ReducePlan::Count { all } = plan {
        if is_all_null(column) && !all {
            desc.length = 0; // of which the kernel, which looks at no mask, counts all
        }
        if !column.has_validity() || all {
            options.second = 1;
            blocks = 1;
        }
    }
    let arguments = Reduce { input: desc, out, options, scratch: Scratch::of(ctx.stream)? };
    // SAFETY: the input is open for reading and has a row or more of a type that the plan says the kernel takes (counting
    // takes any, and looks at the mask alone); `out` is open for writing, of one row, with mask and null count or neither;
    // partial results of so few blocks fit the scratch memory.
    unsafe { kernel.launch(ctx.stream, blocks, 1, &arguments)? };
    drop(access);
    Scalar::from_column(output.finish(ctx.stream)?)
}

/// The smallest and the largest of values of up to 64 bits, in one launch.
pub(crate) fn minmax_words(column: ColumnView<'_>, plan: ReducePlan, ctx: Ctx<'_>) -> Result<(Scalar, Scalar)> {
    let masked = column.has_validity();
    let options = ReduceOptions { nullable: i32::from(masked), ..ReduceOptions::default() };
    let mut outputs = [
        SingleOutput::new(column.data_type(), 1, masked, 0, ctx)?,
        SingleOutput::new(column.data_type(), 1, masked, 0, ctx)?,
    ];
    let input = CudaColumn::open(column, ctx.stream)?;
    let kernel = Kernel::<MinmaxWords>::find(ctx.stream)?;
    let blocks = kernel.blocks(loads(column, plan)).min(MAX_BLOCKS);
    let [min, max] = &mut outputs;
    let ((min, min_access), (max, max_access)) = (min.open(ctx.stream)?, max.open(ctx.stream)?);
    let arguments =
        MinmaxWords { input: input.desc, min_value: min, max_value: max, options, scratch: Scratch::of(ctx.stream)? };
    // SAFETY: the input is open for reading and has a row or more of a type of up to 64 bits; both results are open for
    // writing, of one row, with mask and null count or neither; partial results of so few blocks fit the scratch memory.
    unsafe { kernel.launch(ctx.stream, blocks, 1, &arguments)? };
    drop((min_access, max_access));
    let [min, max] = outputs.map(|output| Scalar::from_column(output.finish(ctx.stream)?));
    Ok((min?, max?))
}

/// The kernel of a plan and its options; none for strings.
fn kernel(plan: ReducePlan) -> Option<(ReduceKernel, ReduceOptions)> {
    use ReduceKernel as K;
    Some(match plan {
        ReducePlan::Words(arithmetic) => {
            let kernel = match arithmetic {
                Arithmetic::Sum => K::SumWords,
                Arithmetic::Product => K::ProductWords,
                Arithmetic::Squares => K::SquaresWords,
            };
            (kernel, ReduceOptions::default())
        }
        ReducePlan::Floats { arithmetic, mean } => {
            let kernel = match arithmetic {
                Arithmetic::Sum => K::SumFloats,
                Arithmetic::Product => K::ProductFloats,
                Arithmetic::Squares => K::SquaresFloats,
            };
            (kernel, scaled(0, mean))
        }
        ReducePlan::Wide { arithmetic: Arithmetic::Squares, scale, mean } => (K::SquaresWide, scaled(scale, mean)),
        ReducePlan::Wide { scale, mean, .. } => (K::SumWide, scaled(scale, mean)),
        ReducePlan::Widest { scale, mean } => (K::SumWidest, scaled(scale, mean)),
        ReducePlan::Extreme { minimum, width } => {
            let kernel = match width {
                KeyWidth::Words => K::ExtremeWords,
                KeyWidth::Wide => K::ExtremeWide,
                KeyWidth::Widest => K::ExtremeWidest,
            };
            (kernel, second(minimum))
        }
        ReducePlan::AnyAll { all } => (K::AnyAll, second(all)),
        ReducePlan::Count { all } => (K::Count, second(all)),
        ReducePlan::ExtremeString { .. } => return None,
    })
}

/// How many loads the rows take: `rows_per_load` of the kernels, or words of 32 bits.
fn loads(column: ColumnView<'_>, plan: ReducePlan) -> usize {
    let rows = match physical_type(column.data_type()) {
        _ if matches!(plan, ReducePlan::Count { .. }) => 32,
        PhysicalType::Bool => 32,
        physical => match physical.width() {
            Some(1) => 8,
            Some(width @ 2..16) => 16 / width,
            _ => 1,
        },
    };
    column.len().div_ceil(rows)
}

fn extreme_string(column: ColumnView<'_>, minimum: bool, output_type: &DataType, ctx: Ctx<'_>) -> Result<Scalar> {
    let input = CudaColumn::open(column, ctx.stream)?;
    let find = Kernel::find(ctx.stream)?;
    let mailbox = Mailbox::new(ctx.stream, 4)?;
    let (minimum, scratch, words) = (i32::from(minimum), Scratch::of(ctx.stream)?, Out::of(&mailbox));
    let blocks = find.blocks(column.len()).min(MAX_BLOCKS);
    let arguments = ExtremeStrings { input: input.desc, minimum, scratch, mailbox: words };
    // SAFETY: a string column of a row or more, open for reading; so few blocks that a word of each fits the stream's
    // scratch memory; a mailbox of four words on this stream.
    unsafe { find.launch(ctx.stream, blocks, 1, &arguments)? };
    let [found, _row, begin, size, ..] = mailbox.wait()?;
    let valid = i32::from(found != 0);
    let chars = usize::try_from(size).unwrap_or(usize::MAX);
    // The column was validated, so that this cannot be; the copy below has no limits of its own.
    let end = usize::try_from(begin).ok().and_then(|begin| begin.checked_add(chars));
    if end.is_none_or(|end| end > column.buffers().get(1).map_or(0, Buffer::len)) {
        return Err(Error::InvalidData { what: "offsets outside of what they point into" });
    }

    let mut output = SingleOutput::new(output_type, 1, column.has_validity(), chars, ctx)?;
    let (out, access) = output.open(ctx.stream)?;
    let copy = Kernel::find(ctx.stream)?;
    let bytes = input.desc.data.element(usize::try_from(begin).unwrap_or(0));
    let arguments = CopyString { bytes, size: size as i64, valid, out };
    // SAFETY: `size` bytes of the input, which is still open, from the row's first on, which lie within its characters, as
    // was checked; a string output of one row and as many bytes, open for writing, with mask and null count or neither.
    unsafe { copy.launch(ctx.stream, copy.blocks(chars.max(1)), 1, &arguments)? };
    drop(access);
    Scalar::from_column(output.finish(ctx.stream)?)
}
