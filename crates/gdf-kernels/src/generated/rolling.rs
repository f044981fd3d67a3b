//! Kernels of kernels/rolling.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Operation {
    Sum = 0,
    Maximum = 1,
    Minimum = 2,
    Count = 3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Outcome {
    /// the aggregate; a window without valid rows is null
    Value = 0,
    /// the aggregate; a window without valid rows has the identity
    Total = 1,
    /// the aggregate divided by the number of valid rows
    Mean = 2,
    /// the sum of squared distances divided by the degrees of freedom
    Variance = 3,
    Deviation = 4,
    /// the number of valid rows
    ValidRows = 5,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Position {
    RowsOfWindow = 0,
    RowNumber = 1,
    /// row `offset` of the window
    FromBegin = 2,
    /// the row `offset` rows from the window's end; -1 is the last row
    FromEnd = 3,
    /// the row `offset` rows after the current row, if the window contains it
    FromRow = 4,
    /// the same as from\_begin among the valid rows; the result is an index among all valid rows
    ValidFromBegin = 5,
    ValidFromEnd = 6,
}

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct PositionPlan {
    pub offset: i64,
    pub kind: i64,
}

const _: () = assert!(size_of::<PositionPlan>() == 16 && align_of::<PositionPlan>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct RangePlan {
    /// not 0: search the end of the window (the row after its last row) instead of its first row
    pub behind: i32,
    /// not 0: rows at exactly the distance `delta` are excluded
    pub open: i32,
    pub descending: i32,
    pub nulls_first: i32,
    /// not 0: there is a column with the first rows of the groups
    pub lower: i32,
    /// not 0: there is a column with the last rows of the groups
    pub upper: i32,
}

const _: () = assert!(size_of::<RangePlan>() == 24 && align_of::<RangePlan>() == 4);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "fixed_windows_extremes_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "fixed_windows_float_extremes_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "fixed_windows_floats_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "fixed_windows_sums_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "long_windows_extremes_kernel", unit: 0, policy: Policy::new(128, 8, 8) },
    KernelInfo { symbol: "long_windows_float_extremes_kernel", unit: 0, policy: Policy::new(128, 8, 8) },
    KernelInfo { symbol: "long_windows_floats_kernel", unit: 0, policy: Policy::new(128, 8, 8) },
    KernelInfo { symbol: "long_windows_sums_kernel", unit: 0, policy: Policy::new(128, 8, 8) },
    KernelInfo { symbol: "medium_windows_extremes_kernel", unit: 0, policy: Policy::new(256, 8, 5) },
    KernelInfo { symbol: "medium_windows_float_extremes_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "medium_windows_floats_kernel", unit: 0, policy: Policy::new(256, 8, 5) },
    KernelInfo { symbol: "medium_windows_sums_kernel", unit: 0, policy: Policy::new(256, 8, 5) },
    KernelInfo { symbol: "range_bounds_floats_kernel", unit: 2, policy: Policy::new(256, 1, 6) },
    KernelInfo { symbol: "range_bounds_integers_kernel", unit: 2, policy: Policy::new(256, 1, 6) },
    KernelInfo { symbol: "short_windows_floats_kernel", unit: 0, policy: Policy::new(256, 4, 5) },
    KernelInfo { symbol: "short_windows_words_kernel", unit: 0, policy: Policy::new(256, 4, 5) },
    KernelInfo { symbol: "window_level_floats_kernel", unit: 0, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "window_level_moments_kernel", unit: 0, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "window_level_strings_kernel", unit: 0, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "window_level_wide_kernel", unit: 0, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "window_level_widest_kernel", unit: 0, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "window_level_words_kernel", unit: 0, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "window_positions_kernel", unit: 1, policy: Policy::new(256, 1, 6) },
    KernelInfo { symbol: "window_rows_floats_kernel", unit: 0, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "window_rows_moments_kernel", unit: 0, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "window_rows_strings_kernel", unit: 0, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "window_rows_wide_kernel", unit: 0, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "window_rows_widest_kernel", unit: 0, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "window_rows_words_kernel", unit: 0, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "window_tiles_extremes_kernel", unit: 0, policy: Policy::new(256, 16, 8) },
    KernelInfo { symbol: "window_tiles_float_extremes_kernel", unit: 0, policy: Policy::new(256, 16, 8) },
    KernelInfo { symbol: "window_tiles_floats_kernel", unit: 0, policy: Policy::new(256, 16, 8) },
    KernelInfo { symbol: "window_tiles_sums_kernel", unit: 0, policy: Policy::new(256, 16, 8) },
];

/// Arguments of `fixed_windows_extremes_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct FixedWindows<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub plan: WindowPlan,
}

arguments!(FixedWindows { input, out, plan } scratch {});

/// The kernels that take [`FixedWindows`](struct@FixedWindows).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FixedWindowsKernel {
    Extremes,
    FloatExtremes,
    Floats,
    Sums,
}

impl From<FixedWindowsKernel> for KernelId {
    fn from(kernel: FixedWindowsKernel) -> Self {
        KernelId::new(
            image::ROLLING,
            match kernel {
                FixedWindowsKernel::Extremes => 0,
                FixedWindowsKernel::FloatExtremes => 1,
                FixedWindowsKernel::Floats => 2,
                FixedWindowsKernel::Sums => 3,
            },
        )
    }
}

impl Family for FixedWindows<'static> {
    type Kernel = FixedWindowsKernel;
}

/// Arguments of `long_windows_extremes_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct LongWindows<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub plan: WindowPlan,
    pub values: Out<'a, u64>,
    pub counts: Out<'a, u64>,
}

arguments!(LongWindows { input, out, plan, values, counts } scratch {});

/// The kernels that take [`LongWindows`](struct@LongWindows).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LongWindowsKernel {
    Extremes,
    FloatExtremes,
    Floats,
    Sums,
}

impl From<LongWindowsKernel> for KernelId {
    fn from(kernel: LongWindowsKernel) -> Self {
        KernelId::new(
            image::ROLLING,
            match kernel {
                LongWindowsKernel::Extremes => 4,
                LongWindowsKernel::FloatExtremes => 5,
                LongWindowsKernel::Floats => 6,
                LongWindowsKernel::Sums => 7,
            },
        )
    }
}

impl Family for LongWindows<'static> {
    type Kernel = LongWindowsKernel;
}

/// Arguments of `medium_windows_extremes_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct MediumWindows<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub plan: WindowPlan,
}

arguments!(MediumWindows { input, out, plan } scratch {});

/// The kernels that take [`MediumWindows`](struct@MediumWindows).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MediumWindowsKernel {
    Extremes,
    FloatExtremes,
    Floats,
    Sums,
}

impl From<MediumWindowsKernel> for KernelId {
    fn from(kernel: MediumWindowsKernel) -> Self {
        KernelId::new(
            image::ROLLING,
            match kernel {
                MediumWindowsKernel::Extremes => 8,
                MediumWindowsKernel::FloatExtremes => 9,
                MediumWindowsKernel::Floats => 10,
                MediumWindowsKernel::Sums => 11,
            },
        )
    }
}

impl Family for MediumWindows<'static> {
    type Kernel = MediumWindowsKernel;
}

/// Does the same as range\_bounds\_integers\_kernel, for floats.
#[derive(Clone, Copy, Debug)]
pub struct RangeBounds<'a> {
    pub input: ColumnIn<'a>,
    pub lower: ColumnIn<'a>,
    pub upper: ColumnIn<'a>,
    pub delta: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub plan: RangePlan,
}

arguments!(RangeBounds { input, lower, upper, delta, out, plan });

/// The kernels that take [`RangeBounds`](struct@RangeBounds).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RangeBoundsKernel {
    /// Does the same as range\_bounds\_integers\_kernel, for floats.
    Floats,
    /// Writes, for each row of `in`, the first row of its window, or the row after the last row of its window. `in` is
    /// ordered within groups. `delta` is one broadcast row of the type of `in`, or of the same width.
    Integers,
}

impl From<RangeBoundsKernel> for KernelId {
    fn from(kernel: RangeBoundsKernel) -> Self {
        KernelId::new(
            image::ROLLING,
            match kernel {
                RangeBoundsKernel::Floats => 12,
                RangeBoundsKernel::Integers => 13,
            },
        )
    }
}

impl Family for RangeBounds<'static> {
    type Kernel = RangeBoundsKernel;
}

/// Arguments of `short_windows_floats_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct ShortWindows<'a> {
    pub input: ColumnIn<'a>,
    pub lower: ColumnIn<'a>,
    pub upper: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub plan: WindowPlan,
}

arguments!(ShortWindows { input, lower, upper, out, plan } scratch {});

/// The kernels that take [`ShortWindows`](struct@ShortWindows).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShortWindowsKernel {
    Floats,
    /// Aggregates the same types as window\_rows\_words\_kernel, and does not count rows.
    Words,
}

impl From<ShortWindowsKernel> for KernelId {
    fn from(kernel: ShortWindowsKernel) -> Self {
        KernelId::new(
            image::ROLLING,
            match kernel {
                ShortWindowsKernel::Floats => 14,
                ShortWindowsKernel::Words => 15,
            },
        )
    }
}

impl Family for ShortWindows<'static> {
    type Kernel = ShortWindowsKernel;
}

/// Computes sums and means of doubles.
#[derive(Clone, Copy, Debug)]
pub struct WindowLevel<'a> {
    pub input: ColumnIn<'a>,
    pub plan: WindowPlan,
    pub unit: i32,
    pub number: i32,
    pub last: i32,
    pub values: Out<'a, u64>,
    pub counts: Out<'a, u64>,
}

arguments!(WindowLevel { input, plan, unit, number, last, values, counts });

/// The kernels that take [`WindowLevel`](struct@WindowLevel).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WindowLevelKernel {
    /// Computes sums and means of doubles.
    Floats,
    /// Computes variances of doubles.
    Moments,
    /// Aggregates strings and binary. The results are row numbers.
    Strings,
    /// Aggregates 128-bit integers.
    Wide,
    /// Aggregates 256-bit integers.
    Widest,
    /// Builds level `number` (from 1 on) of `in`, which has rows and is not broadcast. The lower levels must have been
    /// built. `values` has three values for each unit of each level up to this one.
    /// Writes a row of `out` for each window of `plan`. `values` and `counts` have the levels of the plan.
    /// Does the same as the kernels of GDF\_WINDOW\_ROWS, for windows that have at most window\_direct rows of `in`. The
    /// kernels do not support windows that relative columns bound.
    /// Builds level 1 with units of window\_tile rows. The kernels of GDF\_WINDOW\_LEVEL build the other levels.
    /// Does the same as the kernels of GDF\_WINDOW\_ROWS, for windows of 2 to window\_direct rows whose bounds are constants.
    /// Does the same as the kernels of GDF\_WINDOW\_ROWS, for windows of more than window\_unit and at most window\_warp rows
    /// whose bounds are constants.
    /// Does the same as the kernels of GDF\_WINDOW\_ROWS, for windows of more than window\_warp rows whose bounds are
    /// constants. The kernels of GDF\_WINDOW\_TILES must have built the first level.
    /// Aggregates 64-bit integers, finds minima and maxima of doubles, and counts rows of any type.
    Words,
}

impl From<WindowLevelKernel> for KernelId {
    fn from(kernel: WindowLevelKernel) -> Self {
        KernelId::new(
            image::ROLLING,
            match kernel {
                WindowLevelKernel::Floats => 16,
                WindowLevelKernel::Moments => 17,
                WindowLevelKernel::Strings => 18,
                WindowLevelKernel::Wide => 19,
                WindowLevelKernel::Widest => 20,
                WindowLevelKernel::Words => 21,
            },
        )
    }
}

impl Family for WindowLevel<'static> {
    type Kernel = WindowLevelKernel;
}

/// Writes integers of 32 or 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct WindowPositions<'a> {
    pub counts: ColumnIn<'a>,
    pub lower: ColumnIn<'a>,
    pub upper: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub plan: WindowPlan,
    pub p: PositionPlan,
}

arguments!(WindowPositions { counts, lower, upper, out, plan, p } scratch {});

impl OneKernel for WindowPositions<'static> {
    const ID: KernelId = KernelId::new(image::ROLLING, 22);
}

/// Arguments of `window_rows_floats_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct WindowRows<'a> {
    pub input: ColumnIn<'a>,
    pub lower: ColumnIn<'a>,
    pub upper: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub plan: WindowPlan,
    pub values: Out<'a, u64>,
    pub counts: Out<'a, u64>,
}

arguments!(WindowRows { input, lower, upper, out, plan, values, counts } scratch {});

/// The kernels that take [`WindowRows`](struct@WindowRows).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WindowRowsKernel {
    Floats,
    Moments,
    Strings,
    Wide,
    Widest,
    Words,
}

impl From<WindowRowsKernel> for KernelId {
    fn from(kernel: WindowRowsKernel) -> Self {
        KernelId::new(
            image::ROLLING,
            match kernel {
                WindowRowsKernel::Floats => 23,
                WindowRowsKernel::Moments => 24,
                WindowRowsKernel::Strings => 25,
                WindowRowsKernel::Wide => 26,
                WindowRowsKernel::Widest => 27,
                WindowRowsKernel::Words => 28,
            },
        )
    }
}

impl Family for WindowRows<'static> {
    type Kernel = WindowRowsKernel;
}

/// Arguments of `window_tiles_extremes_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct WindowTiles<'a> {
    pub input: ColumnIn<'a>,
    pub plan: WindowPlan,
    pub last: i32,
    pub values: Out<'a, u64>,
    pub counts: Out<'a, u64>,
}

arguments!(WindowTiles { input, plan, last, values, counts });

/// The kernels that take [`WindowTiles`](struct@WindowTiles).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WindowTilesKernel {
    Extremes,
    FloatExtremes,
    Floats,
    /// Computes sums and means of integers, minima and maxima of integers, or minima and maxima of doubles. The kernels are
    /// separate, because the registers would not suffice for a common kernel.
    Sums,
}

impl From<WindowTilesKernel> for KernelId {
    fn from(kernel: WindowTilesKernel) -> Self {
        KernelId::new(
            image::ROLLING,
            match kernel {
                WindowTilesKernel::Extremes => 29,
                WindowTilesKernel::FloatExtremes => 30,
                WindowTilesKernel::Floats => 31,
                WindowTilesKernel::Sums => 32,
            },
        )
    }
}

impl Family for WindowTiles<'static> {
    type Kernel = WindowTilesKernel;
}
