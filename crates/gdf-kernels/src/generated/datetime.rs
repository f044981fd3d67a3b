//! Kernels of kernels/datetime.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Component {
    Year = 0,
    Month = 1,
    Day = 2,
    Weekday = 3,
    Hour = 4,
    Minute = 5,
    Second = 6,
    Millisecond = 7,
    Microsecond = 8,
    Nanosecond = 9,
    DayOfYear = 10,
    Quarter = 11,
    DaysInMonth = 12,
    IsoWeek = 13,
    IsoYear = 14,
    IsLeapYear = 15,
    LastDayOfMonth = 16,
}

/// Local times for which the caller makes a choice. An ambiguous time occurs twice on clocks, and a nonexistent time
/// never occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum LocalTime {
    Ambiguous = 1,
    Nonexistent = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Rounding {
    Floor = 0,
    Ceil = 1,
    Round = 2,
}

/// The unit of a row. Dates and timestamps are numbers of units since 1970-01-01, and times are numbers of units since
/// midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Unit {
    Day = 0,
    Second = 1,
    Millisecond = 2,
    Microsecond = 3,
    Nanosecond = 4,
}

/// A number of ticks by which other numbers of ticks are divided. The division is a multiplication and a shift
/// (Granlund and Montgomery, 1994). The host fills the struct.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Divisor {
    pub ticks: i64,
    /// 2^(64 + shift) / ticks, rounded up
    pub inverse: u64,
    /// number of bits of ticks - 1, minus one; not used if ticks is 1
    pub shift: i64,
}

const _: () = assert!(size_of::<Divisor>() == 24 && align_of::<Divisor>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Extraction {
    pub per_day: Divisor,
    /// days have one second
    pub per_second: Divisor,
    /// nanoseconds of a tick of less than a second
    pub nanoseconds: i64,
    pub component: i64,
}

const _: () = assert!(size_of::<Extraction>() == 64 && align_of::<Extraction>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct MonthTicks {
    pub per_day: Divisor,
}

const _: () = assert!(size_of::<MonthTicks>() == 24 && align_of::<MonthTicks>() == 8);

/// A period, which is a number of ticks or a number of months. For months, `by` has the ticks of a day.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Period {
    /// the ticks of a period, or of a day if `months` is not 0
    pub by: Divisor,
    /// a multiple of the period: 0, or the first Monday; less than `ticks`
    pub origin: i64,
    /// 0, 1, 3 or 12
    pub months: i32,
    pub rounding: i32,
}

const _: () = assert!(size_of::<Period>() == 40 && align_of::<Period>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ZoneConversion {
    /// the first second after the table; from there on, the last `cycle` seconds repeat
    pub end: i64,
    pub cycle: i64,
    pub unit: i32,
    /// the kinds of `local_time` for which the later moment is chosen, not the earlier one
    pub latest: i32,
    /// the kinds of `local_time` that become null
    pub nulls: i32,
    /// the kinds of `local_time` that are reported to the host
    pub reports: i32,
}

const _: () = assert!(size_of::<ZoneConversion>() == 32 && align_of::<ZoneConversion>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "add_calendrical_months_days_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "add_calendrical_months_ticks_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "extract_component_boolean_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "extract_component_short_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "extract_component_wide_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "round_datetimes_days_kernel", unit: 2, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "round_datetimes_ticks_kernel", unit: 2, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "to_utc_kernel", unit: 3, policy: Policy::new(256, 4, 4) },
];

/// Arguments of `add_calendrical_months_days_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct AddCalendricalMonths<'a> {
    pub lhs: ColumnIn<'a>,
    pub rhs: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub p: MonthTicks,
}

arguments!(AddCalendricalMonths { lhs, rhs, out, p } scratch {});

/// The kernels that take [`AddCalendricalMonths`](struct@AddCalendricalMonths).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddCalendricalMonthsKernel {
    Days,
    Ticks,
}

impl From<AddCalendricalMonthsKernel> for KernelId {
    fn from(kernel: AddCalendricalMonthsKernel) -> Self {
        KernelId::new(
            image::DATETIME,
            match kernel {
                AddCalendricalMonthsKernel::Days => 0,
                AddCalendricalMonthsKernel::Ticks => 1,
            },
        )
    }
}

impl Family for AddCalendricalMonths<'static> {
    type Kernel = AddCalendricalMonthsKernel;
}

/// Writes components as booleans.
#[derive(Clone, Copy, Debug)]
pub struct ExtractComponent<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub p: Extraction,
}

arguments!(ExtractComponent { input, out, p } scratch {});

/// The kernels that take [`ExtractComponent`](struct@ExtractComponent).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExtractComponentKernel {
    /// Writes components as booleans.
    Boolean,
    /// Writes components of dates, timestamps and times of day as 16-bit numbers.
    Short,
    /// Writes components as 32-bit numbers. The components are years, which wrap around, or days.
    Wide,
}

impl From<ExtractComponentKernel> for KernelId {
    fn from(kernel: ExtractComponentKernel) -> Self {
        KernelId::new(
            image::DATETIME,
            match kernel {
                ExtractComponentKernel::Boolean => 2,
                ExtractComponentKernel::Short => 3,
                ExtractComponentKernel::Wide => 4,
            },
        )
    }
}

impl Family for ExtractComponent<'static> {
    type Kernel = ExtractComponentKernel;
}

/// Arguments of `round_datetimes_days_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct RoundDatetimes<'a> {
    pub input: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub p: Period,
}

arguments!(RoundDatetimes { input, out, p } scratch {});

/// The kernels that take [`RoundDatetimes`](struct@RoundDatetimes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoundDatetimesKernel {
    Days,
    Ticks,
}

impl From<RoundDatetimesKernel> for KernelId {
    fn from(kernel: RoundDatetimesKernel) -> Self {
        KernelId::new(
            image::DATETIME,
            match kernel {
                RoundDatetimesKernel::Days => 5,
                RoundDatetimesKernel::Ticks => 6,
            },
        )
    }
}

impl Family for RoundDatetimes<'static> {
    type Kernel = RoundDatetimesKernel;
}

/// Converts times to UTC or from UTC, according to `table`. The rows of `in`, `out` and `table` have 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct ToUtc<'a> {
    pub input: ColumnIn<'a>,
    pub table: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub p: ZoneConversion,
    pub mailbox: Out<'a, u64>,
}

arguments!(ToUtc { input, table, out, p } scratch { mailbox });

impl OneKernel for ToUtc<'static> {
    const ID: KernelId = KernelId::new(image::DATETIME, 7);
}
