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

/// What becomes of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Outcome {
    /// a window without valid rows is null
    Value = 0,
    /// a window without valid rows has the identity
    Total = 1,
    /// divided by the number of valid rows
    Mean = 2,
    /// divided by the degrees of freedom
    Variance = 3,
    Deviation = 4,
    /// how many rows are valid
    ValidRows = 5,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Position {
    RowsOfWindow = 0,
    /// of the row in its window, from 1 on; of a row before it or after it as if it were longer
    RowNumber = 1,
    /// row `offset` of the window
    FromBegin = 2,
    /// row `offset` from its end on, -1 being the last
    FromEnd = 3,
    /// the row `offset` rows after the window's own, if the window has it
    FromRow = 4,
    /// of the valid rows; the result is which of all valid rows
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

/// Which bound of a range is searched, and the order that the rows are in.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct RangePlan {
    /// the row behind the last one, not the first one
    pub behind: i32,
    /// rows just as far away are out
    pub open: i32,
    pub descending: i32,
    pub nulls_first: i32,
    /// there are first rows of groups
    pub lower: i32,
    /// and last rows
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

/// Floats.
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
    /// Floats.
    Floats,
    /// For each row of `in`, which is ordered within groups, the first row of the window or the one behind its last: an integer.
    /// `delta` is one row of the type of `in`, or as wide, and broadcast. Integers of up to 128 bits.
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
    /// Of the same, but not of counts.
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

/// Sums and means of doubles.
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
    /// Sums and means of doubles.
    Floats,
    /// Variances of doubles.
    Moments,
    /// Of strings and binary; results are row numbers.
    Strings,
    /// Of 128-bit integers.
    Wide,
    /// Of 256-bit integers.
    Widest,
    /// Makes level `number`, from 1 on, of `in`, which has rows and is not broadcast; those below are there. A unit of level 1 is
    /// `unit` rows (8, if that is the level to be made), of others 32 units of the level below. `values` has three values for each
    /// unit of each level up to it, and `counts`, where `in` has a mask, three words.
    /// A row of `out`, as long as `in`, for each window of `plan`, whose levels `values` and `counts` have; null where it has
    /// fewer rows than it must, if there is a mask. `lower` and `upper` are as long, of integers, where the plan says so.
    /// As the kernels of rows, of at most 32 rows, or all of `in`; not bounded by relative columns.
    /// Level 1 of units of window\_tile rows, as the kernels of levels make others.
    /// As the kernels of rows, of 2 to window\_direct rows, which no columns bound.
    /// As the kernels of rows, of more than window\_unit rows and at most window\_warp, which no columns bound.
    /// As the kernels of rows, of more than window\_warp rows, which no columns bound. The first level is of window\_tiles.
    /// Of 64-bit integers; of doubles their extremes alone. Of counts any type.
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

/// Integers, 32 or 64 bits wide. `counts` says of each row how many rows up to it are valid, where the kind is one of the valid
/// rows; else it is anything as long as `out`.
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
    /// Sums and means of integers, extremes of integers, and those of doubles: in one kernel they would have too few registers.
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
