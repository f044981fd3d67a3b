//! `scan` on CUDA: one launch. Columns of so many tiles that their state exceeds scratch memory need memory for it, and
//! a launch that clears it.

mod strings;

use gdf_core::{Column, Error, PhysicalType, Result, physical_type};
use gdf_kernels::generated::scan::{Clear, GROUP, Modes, Scan, ScanKernel};
use gdf_memory::Buffer;

use super::plan::ScanPlan;
use crate::context::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, Out, Scratch};
use crate::scan::scan::{OPERATION, Task};

/// Words of scratch memory that are zero: `zeroed` of the kernels.
const SCRATCH_WORDS: usize = 896;

/// A kernel and the 64-bit words of a tile's value. A `plain` kernel takes its own memory as entries: value and status
/// in one.
struct Choice {
    kernel: ScanKernel,
    words: usize,
    plain: bool,
}

fn choose(task: &Task<'_>) -> Result<Choice> {
    let physical = physical_type(task.input.data_type());
    let (kernel, words) = match (task.plan, physical) {
        (ScanPlan::Integers { product: false }, PhysicalType::I128) => (ScanKernel::SumWide, 2),
        (ScanPlan::Integers { product: false }, PhysicalType::I256) => (ScanKernel::SumWidest, 4),
        (ScanPlan::Integers { .. }, PhysicalType::I128 | PhysicalType::I256) => {
            return Err(Error::unsupported(OPERATION, task.input.data_type()));
        }
        (ScanPlan::Integers { product: false }, _) => (ScanKernel::SumIntegers, 1),
        (ScanPlan::Integers { product: true }, _) => (ScanKernel::ProductIntegers, 1),
        (ScanPlan::Floats { product: false }, _) => (ScanKernel::SumFloats, 1),
        (ScanPlan::Floats { product: true }, _) => (ScanKernel::ProductFloats, 1),
        (ScanPlan::Extreme { .. }, PhysicalType::I128) => (ScanKernel::ExtremeWide, 2),
        (ScanPlan::Extreme { .. }, PhysicalType::I256) => (ScanKernel::ExtremeWidest, 4),
        (ScanPlan::Extreme { .. }, _) => (ScanKernel::Extreme, 1),
        (ScanPlan::Bits { .. }, _) => (ScanKernel::Bits, 1),
        (ScanPlan::Strings { .. }, _) => (ScanKernel::Strings, 2),
        (ScanPlan::Count { .. }, _) => (ScanKernel::Count, 1),
    };
    let plain = words == 1 && !matches!(task.plan, ScanPlan::Floats { .. });
    Ok(Choice { kernel, words, plain })
}

fn modes(task: &Task<'_>) -> i32 {
    let when = |condition: bool, mode: Modes| if condition { mode as i32 } else { 0 };
    let second = match task.plan {
        ScanPlan::Extreme { minimum } | ScanPlan::Strings { minimum } => minimum,
        ScanPlan::Bits { all } => all,
        _ => false,
    };
    when(task.exclusive, Modes::Exclusive)
        | when(task.nulls_spread, Modes::Spread)
        | when(second, Modes::Second)
        | when(task.plan == ScanPlan::Count { all: true }, Modes::AllRows)
        | when(task.counts_nothing(), Modes::NoRows)
}

pub(crate) fn scan(task: &Task<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if let ScanPlan::Strings { .. } = task.plan {
        return strings::scan(task, ctx);
    }
    let output = CudaOutput::fixed_width(task.data_type(), task.input.len(), task.nullable(), ctx)?;
    launch(task, output, ctx)
}

/// The kernel of the task, into `output`.
pub(super) fn launch(task: &Task<'_>, mut output: CudaOutput, ctx: Ctx<'_>) -> Result<Column> {
    let Choice { kernel, words, plain } = choose(task)?;
    let kernel = Kernel::choose(kernel, ctx.stream)?;
    let rows = task.input.len();
    let tiles = kernel.tiles(rows);
    let slots = tiles + tiles / GROUP;
    // Bytes before the status, which is cleared, and its 32-bit words.
    let (before, cleared) = if plain { (0, tiles * 4) } else { (slots * words * 8, slots) };
    let mut state = match slots {
        0..=SCRATCH_WORDS => None,
        _ => Some(Buffer::uninitialized(before + cleared * 4, ctx.stream, ctx.mr.temporary)?),
    };
    let access = state.as_mut().map(|state| state.write_on(ctx.stream)).transpose()?;
    let own = Out::<u8>::of_option(access.as_ref());
    let (values, status) = match &access {
        None => (Out::NULL, Out::NULL),
        Some(_) if plain => (Out::NULL, own.cast()),
        Some(_) => (own.cast(), own.at(before)),
    };
    if !status.is_null() {
        let clear = Kernel::find(ctx.stream)?;
        let arguments = Clear { status, words: cleared as i64 };
        // SAFETY: so many words lie there in a buffer that is open for writing.
        unsafe { clear.launch(ctx.stream, clear.blocks(cleared), 1, &arguments)? };
    }
    let input = CudaColumn::open(task.input, ctx.stream)?;
    let open = output.open(ctx.stream)?;
    let (modes, scratch) = (modes(task), Scratch::of(ctx.stream)?);
    let arguments = Scan { input: input.desc, out: open.desc, modes, status, values, scratch };
    // SAFETY: the input has a row or more of a type that the plan says the kernel takes (counting takes any, and looks at
    // the mask alone); the output has as many rows of the type that the kernel writes: that of the input, or 64-bit
    // integers. State has a zero word and a value of `words` words for each tile of the policy and each 128 tiles; or, of
    // the kernels that take the plain form (`Op::exact` of at most 8 bytes: all but those of floats and of more words), 16
    // zero bytes for each tile, aligned as all buffers; or there are none of it and so few tiles that the stream's scratch
    // memory, with 61,440 bytes for values of at most 32, has them in the first form. All are held until the launch is
    // enqueued.
    unsafe { kernel.launch(ctx.stream, kernel.blocks(rows), 1, &arguments)? };
    drop((input, open, access));
    output.finish(ctx.stream)
}
