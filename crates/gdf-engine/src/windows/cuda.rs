//! The CUDA half of the engine. For long windows, launches first aggregate units of rows, level by level. The longest
//! window determines the number of levels. A last launch computes the result from the levels.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_kernels::FamilyArguments;
use gdf_kernels::generated::common::{
    Type, WINDOW_DIRECT, WINDOW_GROUP, WINDOW_TILE, WINDOW_UNIT, WINDOW_WARP, WindowPlan,
};
use gdf_kernels::generated::rolling::{
    FixedWindows, FixedWindowsKernel, LongWindows, LongWindowsKernel, MediumWindows, MediumWindowsKernel, Operation,
    ShortWindows, ShortWindowsKernel, WindowLevel, WindowLevelKernel, WindowRows, WindowRowsKernel, WindowTiles,
    WindowTilesKernel,
};
use gdf_memory::Buffer;

use super::{Aggregate, StoredRows, Windows};
use crate::Ctx;
use crate::cuda::{Kernel, Out};
use crate::elementwise::Launch;
use crate::layout::byte_len;

impl StoredRows {
    fn kernels(self) -> (WindowLevelKernel, WindowRowsKernel, usize) {
        match self {
            StoredRows::Words => (WindowLevelKernel::Words, WindowRowsKernel::Words, 1),
            StoredRows::Wide => (WindowLevelKernel::Wide, WindowRowsKernel::Wide, 2),
            StoredRows::Widest => (WindowLevelKernel::Widest, WindowRowsKernel::Widest, 4),
            StoredRows::Floats => (WindowLevelKernel::Floats, WindowRowsKernel::Floats, 1),
            StoredRows::Moments => (WindowLevelKernel::Moments, WindowRowsKernel::Moments, 3),
            StoredRows::Strings => (WindowLevelKernel::Strings, WindowRowsKernel::Strings, 2),
        }
    }
}

/// Returns the number of units of each level, for `rows` rows and windows of at most `longest` rows. If windows are
/// short, there are no levels, and kernels read all rows of each window.
fn levels(rows: usize, longest: usize, mut unit: usize) -> Vec<usize> {
    if longest <= WINDOW_DIRECT {
        return Vec::new();
    }
    let mut levels = vec![rows.div_ceil(unit)];
    while longest / unit > WINDOW_GROUP && levels.last().is_some_and(|units| *units > WINDOW_GROUP) {
        unit *= WINDOW_GROUP;
        levels.push(rows.div_ceil(unit));
    }
    levels
}

#[derive(Clone, Copy)]
enum Sliding {
    Short(ShortWindowsKernel),
    Fixed(FixedWindowsKernel),
    Medium(MediumWindowsKernel),
    Long(WindowTilesKernel, LongWindowsKernel),
}

impl Aggregate {
    fn sliding(&self, windows: &Windows<'_>, rows_type: i32, has_nulls: bool) -> Option<Sliding> {
        use {FixedWindowsKernel as Fixed, LongWindowsKernel as Long, MediumWindowsKernel as Medium};
        use {ShortWindowsKernel as Short, WindowTilesKernel as Tiles};
        let (short, fixed, medium, tiles, long) = match (self.stored, self.operation) {
            (StoredRows::Words, Operation::Count) => return None,
            (StoredRows::Words, Operation::Sum) => (Short::Words, Fixed::Sums, Medium::Sums, Tiles::Sums, Long::Sums),
            (StoredRows::Words, _) if rows_type == Type::F64 as i32 => {
                (Short::Words, Fixed::FloatExtremes, Medium::FloatExtremes, Tiles::FloatExtremes, Long::FloatExtremes)
            }
            (StoredRows::Words, _) => {
                (Short::Words, Fixed::Extremes, Medium::Extremes, Tiles::Extremes, Long::Extremes)
            }
            (StoredRows::Floats, _) => (Short::Floats, Fixed::Floats, Medium::Floats, Tiles::Floats, Long::Floats),
            _ => return None,
        };
        // For means of doubles with nulls, the sum of each window is divided by a different number. For windows of 10
        // of 10⁸ such rows, the kernel for pairs took 0.73 ms, and the other kernel took 0.86 ms (H200).
        let by_pairs = if self.stored == StoredRows::Floats && has_nulls { WINDOW_DIRECT } else { WINDOW_UNIT };
        match windows.fixed_rows() {
            Some(rows) if (2..=by_pairs).contains(&rows) => Some(Sliding::Fixed(fixed)),
            Some(rows) if (by_pairs + 1..=WINDOW_WARP).contains(&rows) => Some(Sliding::Medium(medium)),
            _ if windows.max_rows() <= WINDOW_DIRECT => (!windows.is_relative()).then_some(Sliding::Short(short)),
            Some(_) => Some(Sliding::Long(tiles, long)),
            None => None,
        }
    }
}

/// Enqueues the kernel of one level of [`aggregate`].
fn run_level<A: FamilyArguments>(kernel: A::Kernel, items: usize, arguments: &A, stream: &Stream) -> Result<()> {
    let kernel = Kernel::choose(kernel, stream)?;
    // SAFETY: The kernel reads the input and the level below, and writes a level.
    // - The input is open until the caller's launch is enqueued. The input has rows and is not a scalar.
    // - The type of the input is a type for which `StoredRows` selects this kernel.
    // - The memory of the levels has three entries for each unit of each level. An entry has a value with the number
    //   of words that `StoredRows` specifies, and a count if the input has a mask.
    // - The levels below have been written, because their kernels precede this kernel on the stream.
    unsafe { kernel.launch(stream, kernel.streaming_blocks(items), 1, arguments)? };
    Ok(())
}

pub(super) fn aggregate(
    launch: &Launch<'_, 3>,
    windows: &Windows<'_>,
    aggregate: &Aggregate,
    ctx: Ctx<'_>,
) -> Result<()> {
    let stream = launch.stream;
    let [input, lower, upper] = launch.inputs;
    let (level, rows, words) = aggregate.stored.kernels();
    let sliding = aggregate.sliding(windows, input.data_type, !input.validity.is_null());
    let unit = if matches!(sliding, Some(Sliding::Long(..))) { WINDOW_TILE } else { WINDOW_UNIT };
    let levels = match sliding {
        Some(Sliding::Short(_) | Sliding::Fixed(_) | Sliding::Medium(_)) => Vec::new(),
        Some(Sliding::Long(..)) | None => levels(windows.rows, windows.max_rows(), unit),
    };
    let plan = WindowPlan {
        min_periods: i64::try_from(aggregate.min_periods).unwrap_or(i64::MAX),
        levels: levels.len() as i32,
        operation: aggregate.operation as i32,
        outcome: aggregate.outcome as i32,
        ddof: i32::try_from(aggregate.ddof).unwrap_or(i32::MAX),
        ..windows.plan()
    };
    let entries = 3 * levels.iter().sum::<usize>();
    let per_entry = words + usize::from(!input.validity.is_null());
    let mut memory = match entries {
        0 => None,
        _ => Some(Buffer::uninitialized(byte_len(entries, per_entry * 8, ctx.mr)?, stream, ctx.mr.temporary)?),
    };
    let access = memory.as_mut().map(|memory| memory.write_on(stream)).transpose()?;
    let values = Out::<u64>::of_option(access.as_ref());
    let counts = if per_entry > words && !values.is_null() { values.at(entries * words * 8) } else { Out::NULL };
    for (below, &units) in levels.iter().enumerate() {
        let last = i32::from(below + 1 == levels.len());
        if let (0, Some(Sliding::Long(tiles, _))) = (below, sliding) {
            run_level(tiles, windows.rows, &WindowTiles { input, plan, last, values, counts }, stream)?;
        } else {
            let (unit, number) = (unit as i32, below as i32 + 1);
            run_level(level, units, &WindowLevel { input, plan, unit, number, last, values, counts }, stream)?;
        }
    }
    let out = launch.out;
    match sliding {
        Some(Sliding::Short(kernel)) => {
            launch.run(kernel, windows.rows, &ShortWindows { input, lower, upper, out, plan })
        }
        Some(Sliding::Fixed(kernel)) => launch.run(kernel, windows.rows, &FixedWindows { input, out, plan }),
        Some(Sliding::Medium(kernel)) => launch.run(kernel, windows.rows, &MediumWindows { input, out, plan }),
        Some(Sliding::Long(_, kernel)) => {
            launch.run(kernel, windows.rows, &LongWindows { input, out, plan, values, counts })
        }
        None => {
            let arguments = WindowRows { input, lower, upper, out, plan, values, counts };
            launch.run(rows, windows.rows, &arguments)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::levels;

    #[test]
    fn a_window_has_few_units_of_the_last_level() {
        assert!(levels(1000, 32, 8).is_empty());
        assert_eq!(levels(1000, 33, 8), [125]);
        assert_eq!(levels(100_000, 264, 8), [12_500, 391]);
        assert_eq!(levels(100_000_000, 100_000, 8), [12_500_000, 390_625, 12_208]);
        assert_eq!(levels(2000, 2000, 8), [250, 8]);
        assert_eq!(levels(100_000_000, 100_000, 128), [781_250, 24_415]);
    }
}
