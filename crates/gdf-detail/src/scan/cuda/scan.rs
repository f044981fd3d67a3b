//! `scan` on CUDA: one launch. Columns of so many tiles that their state exceeds scratch memory need memory for it, and
//! a launch that clears it.

use gdf_core::{Column, Error, PhysicalType, Result, physical_type};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Resources};

use super::super::plan::Plan;
use super::super::scan::{OPERATION, Task};
use super::strings;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, args};

const CAPABILITY: &str = "scan";

/// Words of scratch memory that are zero: `zeroed` of the kernels.
const SCRATCH_WORDS: usize = 896;
/// Tiles per anchor: `group` of the kernels.
const GROUP: usize = 128;

const EXCLUSIVE: i32 = 1;
const SPREAD: i32 = 2;
const SECOND: i32 = 4;
const ALL_ROWS: i32 = 8;
const NO_ROWS: i32 = 16;

/// A kernel, its policy, and the 64-bit words of a tile's value. A `plain` kernel is told of its own memory as entries:
/// value and status in one.
struct Choice {
    kernel: &'static str,
    policy: &'static str,
    words: usize,
    plain: bool,
}

fn choose(task: &Task<'_>) -> Result<Choice> {
    let physical = physical_type(task.input.data_type());
    let (kernel, policy, words) = match (task.plan, physical) {
        (Plan::Integers { product: false }, PhysicalType::I128) => ("scan_sum_wide_kernel", "scan_wide", 2),
        (Plan::Integers { product: false }, PhysicalType::I256) => ("scan_sum_widest_kernel", "scan_widest", 4),
        (Plan::Integers { .. }, PhysicalType::I128 | PhysicalType::I256) => {
            return Err(Error::unsupported(OPERATION, task.input.data_type()));
        }
        (Plan::Integers { product: false }, _) => ("scan_sum_integers_kernel", "scan", 1),
        (Plan::Integers { product: true }, _) => ("scan_product_integers_kernel", "scan", 1),
        (Plan::Floats { product: false }, _) => ("scan_sum_floats_kernel", "scan", 1),
        (Plan::Floats { product: true }, _) => ("scan_product_floats_kernel", "scan", 1),
        (Plan::Extreme { .. }, PhysicalType::I128) => ("scan_extreme_wide_kernel", "scan_wide", 2),
        (Plan::Extreme { .. }, PhysicalType::I256) => ("scan_extreme_widest_kernel", "scan_widest", 4),
        (Plan::Extreme { .. }, _) => ("scan_extreme_kernel", "scan", 1),
        (Plan::Bits { .. }, _) => ("scan_bits_kernel", "scan_bits", 1),
        (Plan::Strings { .. }, _) => ("scan_strings_kernel", "scan_strings", 2),
        (Plan::Count { .. }, _) => ("scan_count_kernel", "scan", 1),
    };
    let plain = words == 1 && !matches!(task.plan, Plan::Floats { .. });
    Ok(Choice { kernel, policy, words, plain })
}

fn modes(task: &Task<'_>) -> i32 {
    let when = |condition: bool, mode: i32| if condition { mode } else { 0 };
    let second = match task.plan {
        Plan::Extreme { minimum } | Plan::Strings { minimum } => minimum,
        Plan::Bits { all } => all,
        _ => false,
    };
    when(task.exclusive, EXCLUSIVE)
        | when(task.nulls_spread, SPREAD)
        | when(second, SECOND)
        | when(task.plan == Plan::Count { all: true }, ALL_ROWS)
        | when(task.counts_nothing(), NO_ROWS)
}

pub(in super::super) fn scan(task: &Task<'_>, stream: &Stream, mr: Resources<'_>) -> Result<Column> {
    if let Plan::Strings { .. } = task.plan {
        return strings::scan(task, stream, mr);
    }
    let output = CudaOutput::fixed_width(task.data_type(), task.input.len(), task.nullable(), stream, mr)?;
    launch(task, output, stream, mr)
}

/// The kernel of the task, into `output`.
pub(super) fn launch(task: &Task<'_>, mut output: CudaOutput, stream: &Stream, mr: Resources<'_>) -> Result<Column> {
    let Choice { kernel, policy, words, plain } = choose(task)?;
    let kernel = Kernel::find(stream, CAPABILITY, kernel, policy)?;
    let (rows, scratch, modes) = (task.input.len(), stream.scratch()?, modes(task));
    let tiles = kernel.tiles(rows);
    let slots = tiles + tiles / GROUP;
    // Bytes before the status, which is cleared, and its 32-bit words.
    let (before, cleared) = if plain { (0, tiles * 4) } else { (slots * words * 8, slots) };
    let mut state = match slots {
        0..=SCRATCH_WORDS => None,
        _ => Some(Buffer::uninitialized(before + cleared * 4, stream, mr.temporary)?),
    };
    let access = state.as_mut().map(|state| state.write_on(stream)).transpose()?;
    let own = access.as_ref().map_or(0, |access| access.address());
    let (values, status) = match own {
        0 => (0, 0),
        _ if plain => (0, own),
        _ => (own, own + before as u64),
    };
    if status != 0 {
        let clear = Kernel::find(stream, CAPABILITY, "scan_clear_kernel", "scan")?;
        let count = cleared as i64;
        // SAFETY: the parameters are `uint32_t* status, int64_t words`; so many words lie there in a buffer that is open
        // for writing.
        unsafe { clear.launch(stream, clear.blocks(cleared), 1, args![status, count])? };
    }
    let input = CudaColumn::open(task.input, stream)?;
    let open = output.open(stream)?;
    // SAFETY: the parameters of all kernels that `choose` names are `const column_in in, const column_out out, int modes,
    // uint32_t* status, unsigned long long* values, scratch*`, passed in this order and type. The input has a row or more
    // of a type that the plan says the kernel takes (counting takes any, and looks at the mask alone); the output has as
    // many rows of the type that the kernel writes: that of the input, or 64-bit integers. State has a zero word and a
    // value of `words` words for each tile of the policy and each 128 tiles; or, of the kernels that take the plain form
    // (`Op::exact` of at most 8 bytes: all but those of floats and of more words), 16 zero bytes for each tile, aligned as
    // all buffers; or there are none of it and so few tiles that the stream's scratch memory, with 61,440 bytes for values
    // of at most 32, has them in the first form. Accesses are held until the
    // launch is enqueued on their stream.
    unsafe {
        kernel.launch(stream, kernel.blocks(rows), 1, args![input.desc, open.desc, modes, status, values, scratch])?;
    }
    drop((input, open, access));
    output.finish(stream)
}
