//! `reduction::reduce` on CUDA: one launch writes value, validity and null count into one allocation. Strings take two:
//! which row it is, and how long it is, has to be known before its bytes can be copied.

use bytemuck::{Pod, Zeroable};
use gdf_core::{ColumnView, DataType, Error, PhysicalType, Result, Scalar, physical_type};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Mailbox, Resources};

use super::super::reduce::{Arithmetic, KeyWidth, Plan, is_all_null};
use crate::cuda::{CudaColumn, Kernel, SingleOutput, args};
use crate::host::power_of_ten;

const CAPABILITY: &str = "reduction";
const POLICY: &str = "reduction_reduce";
const WIDEST_POLICY: &str = "reduction_reduce_widest";
const STRINGS_POLICY: &str = "reduction_strings";

/// Blocks whose partial results fit scratch memory; `most_partials` of the kernels.
const MOST_BLOCKS: u32 = 1280;

/// `options` of the kernels.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct Options {
    power: f64,
    divides: i32,
    mean: i32,
    second: i32,
    nullable: i32,
}

impl Options {
    /// The sum of integers of `scale` as a float.
    fn scaled(scale: i32, mean: bool) -> Options {
        let power = power_of_ten(scale.unsigned_abs());
        Options { power, divides: i32::from(scale > 0), mean: i32::from(mean), ..Options::default() }
    }

    fn second(second: bool) -> Options {
        Options { second: i32::from(second), ..Options::default() }
    }
}

pub(in super::super) fn reduce(
    column: ColumnView<'_>,
    plan: Plan,
    output_type: &DataType,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Scalar> {
    if let Plan::ExtremeString { minimum } = plan {
        return extreme_string(column, minimum, output_type, stream, mr);
    }
    let (name, policy, mut options) = kernel(plan);
    let masked = plan.can_be_null() && column.has_validity();
    options.nullable = i32::from(masked);
    let mut output = SingleOutput::new(output_type, 1, masked, 0, stream, mr)?;
    let input = CudaColumn::open(column, stream)?;
    let (out, access) = output.open(stream)?;
    let kernel = Kernel::find(stream, CAPABILITY, name, policy)?;
    let mut desc = input.desc;
    let mut blocks = kernel.blocks(loads(column, plan)).min(MOST_BLOCKS);
    if let Plan::Count { all } = plan {
        if is_all_null(column) && !all {
            desc.length = 0; // of which the kernel, which looks at no mask, counts all
        }
        if !column.has_validity() || all {
            options.second = 1;
            blocks = 1;
        }
    }
    let scratch = stream.scratch()?;
    // SAFETY: the parameters of the kernels that `kernel` names. The input is open for reading and has a row or more of
    // a type that the plan says the kernel takes (counting takes any, and looks at the mask alone); `out` is open for
    // writing, of one row, with mask and null count or neither; partial results of so few blocks fit the scratch memory,
    // which is the stream's.
    unsafe { kernel.launch(stream, blocks, 1, args![desc, out, options, scratch])? };
    drop(access);
    Scalar::from_column(output.finish(stream)?)
}

/// The least and the greatest of values of up to 64 bits, in one launch.
pub(in super::super) fn minmax_words(
    column: ColumnView<'_>,
    plan: Plan,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<(Scalar, Scalar)> {
    let masked = column.has_validity();
    let options = Options { nullable: i32::from(masked), ..Options::default() };
    let mut outputs = [
        SingleOutput::new(column.data_type(), 1, masked, 0, stream, mr)?,
        SingleOutput::new(column.data_type(), 1, masked, 0, stream, mr)?,
    ];
    let input = CudaColumn::open(column, stream)?;
    let kernel = Kernel::find(stream, CAPABILITY, "reduction_minmax_words_kernel", POLICY)?;
    let blocks = kernel.blocks(loads(column, plan)).min(MOST_BLOCKS);
    let [least, greatest] = &mut outputs;
    let ((least, least_access), (greatest, greatest_access)) = (least.open(stream)?, greatest.open(stream)?);
    let scratch = stream.scratch()?;
    // SAFETY: the parameters are (column_in, column_out, column_out, options, scratch*), passed in this order and type. The
    // input is open for reading and has a row or more of a type of up to 64 bits; both results are open for writing, of
    // one row, with mask and null count or neither; partial results of so few blocks fit the scratch memory, which is the
    // stream's.
    unsafe { kernel.launch(stream, blocks, 1, args![input.desc, least, greatest, options, scratch])? };
    drop((least_access, greatest_access));
    let [least, greatest] = outputs.map(|output| Scalar::from_column(output.finish(stream)?));
    Ok((least?, greatest?))
}

/// The kernel of a plan, its policy and what it is told.
fn kernel(plan: Plan) -> (&'static str, &'static str, Options) {
    match plan {
        Plan::Words(arithmetic) => {
            let name = match arithmetic {
                Arithmetic::Sum => "reduction_sum_words_kernel",
                Arithmetic::Product => "reduction_product_words_kernel",
                Arithmetic::Squares => "reduction_squares_words_kernel",
            };
            (name, POLICY, Options::default())
        }
        Plan::Floats { arithmetic, mean } => {
            let name = match arithmetic {
                Arithmetic::Sum => "reduction_sum_floats_kernel",
                Arithmetic::Product => "reduction_product_floats_kernel",
                Arithmetic::Squares => "reduction_squares_floats_kernel",
            };
            (name, POLICY, Options::scaled(0, mean))
        }
        Plan::Wide { arithmetic: Arithmetic::Squares, scale, mean } => {
            ("reduction_squares_wide_kernel", POLICY, Options::scaled(scale, mean))
        }
        Plan::Wide { scale, mean, .. } => ("reduction_sum_wide_kernel", POLICY, Options::scaled(scale, mean)),
        Plan::Widest { scale, mean } => ("reduction_sum_widest_kernel", WIDEST_POLICY, Options::scaled(scale, mean)),
        Plan::Extreme { minimum, width } => {
            let (name, policy) = match width {
                KeyWidth::Words => ("reduction_extreme_words_kernel", POLICY),
                KeyWidth::Wide => ("reduction_extreme_wide_kernel", POLICY),
                KeyWidth::Widest => ("reduction_extreme_widest_kernel", WIDEST_POLICY),
            };
            (name, policy, Options::second(minimum))
        }
        Plan::AnyAll { all } => ("reduction_any_all_kernel", POLICY, Options::second(all)),
        Plan::Count { all } => ("reduction_count_kernel", POLICY, Options::second(all)),
        Plan::ExtremeString { minimum } => {
            ("reduction_extreme_strings_kernel", STRINGS_POLICY, Options::second(minimum))
        }
    }
}

/// How many loads the rows take: `rows_per_load` of the kernels, or words of 32 bits.
fn loads(column: ColumnView<'_>, plan: Plan) -> usize {
    let rows = match physical_type(column.data_type()) {
        _ if matches!(plan, Plan::Count { .. }) => 32,
        PhysicalType::Bool => 32,
        physical => match physical.width() {
            Some(1) => 8,
            Some(width @ 2..16) => 16 / width,
            _ => 1,
        },
    };
    column.len().div_ceil(rows)
}

fn extreme_string(
    column: ColumnView<'_>,
    minimum: bool,
    output_type: &DataType,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Scalar> {
    let input = CudaColumn::open(column, stream)?;
    let (name, policy, options) = kernel(Plan::ExtremeString { minimum });
    let find = Kernel::find(stream, CAPABILITY, name, policy)?;
    let mailbox = Mailbox::new(stream, 4)?;
    let (desc, minimum, scratch, words) = (input.desc, options.second, stream.scratch()?, mailbox.address());
    let blocks = find.blocks(column.len()).min(MOST_BLOCKS);
    // SAFETY: the kernel's parameters: a string column of a row or more, open for reading; so few blocks that a word of
    // each fits the stream's scratch memory; a mailbox of four words on this stream.
    unsafe { find.launch(stream, blocks, 1, args![desc, minimum, scratch, words])? };
    let [found, _row, begin, size, ..] = mailbox.wait()?;
    let valid = i32::from(found != 0);
    let chars = usize::try_from(size).unwrap_or(usize::MAX);
    // The column was validated, so that this cannot be; the copy below has no limits of its own.
    let end = usize::try_from(begin).ok().and_then(|begin| begin.checked_add(chars));
    if end.is_none_or(|end| end > column.buffers().get(1).map_or(0, Buffer::len)) {
        return Err(Error::InvalidData { what: "offsets outside of what they point into" });
    }

    let mut output = SingleOutput::new(output_type, 1, column.has_validity(), chars, stream, mr)?;
    let (out, access) = output.open(stream)?;
    let copy = Kernel::find(stream, CAPABILITY, "reduction_copy_string_kernel", STRINGS_POLICY)?;
    let (bytes, size) = (desc.data.wrapping_add(begin), size as i64);
    // SAFETY: the kernel's parameters: `size` bytes of the input, which is still open, from the row's first on, which lie
    // within its characters, as was checked; a string output of one row and as many bytes, open for writing, with mask and null count or neither.
    unsafe { copy.launch(stream, copy.blocks(chars.max(1)), 1, args![bytes, size, valid, out])? };
    drop(access);
    Scalar::from_column(output.finish(stream)?)
}
