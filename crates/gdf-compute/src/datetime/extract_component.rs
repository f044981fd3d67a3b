//! Extracts a component of the date or of the time of day from each row.

use gdf_core::{Column, ColumnView, DataType, Error, Result};
use gdf_engine::elementwise::{self, Launch, Nulls};
use gdf_kernels::generated::datetime::{
    self as kernels, ExtractComponent, ExtractComponentKernel as Kernel, Extraction, Unit,
};

use super::civil::{self, civil};
use super::moment::{by_unit, divisor, moment_unit, ticks_per_day, time_unit};
use crate::Ctx;

/// Declares the components. Each component has a result type, the part of a moment that it belongs to, and a name in
/// libcudf.
macro_rules! components {
    ($($(#[$doc:meta])* $name:ident: $data_type:ident of $part:ident, $libcudf:literal;)*) => {
        /// A component that `extract_component` extracts.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Component {
            $($(#[$doc])* $name,)*
        }

        impl Component {
            /// All components.
            pub const ALL: &'static [Component] = &[$(Component::$name),*];

            /// Returns the type of the result.
            pub const fn data_type(self) -> DataType {
                match self { $(Component::$name => DataType::$data_type,)* }
            }

            /// Returns the name of the component in libcudf, which is empty if libcudf has no such component.
            pub const fn libcudf_name(self) -> &'static str {
                match self { $(Component::$name => $libcudf,)* }
            }

            const fn part(self) -> Part {
                match self { $(Component::$name => Part::$part,)* }
            }

            const fn kernel(self) -> kernels::Component {
                match self { $(Component::$name => kernels::Component::$name,)* }
            }
        }
    };
}

/// The part of a moment that a component belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Date,
    /// The time of day. Columns of times have a time of day, too. The time of day of a date is 0.
    Time,
}

components! {
    /// The year. The years before 1 are 0, -1, and so on.
    Year: Int32 of Date, "YEAR";
    /// The month, 1 to 12.
    Month: Int16 of Date, "MONTH";
    /// The day of the month, 1 to 31.
    Day: Int16 of Date, "DAY";
    /// The day of the week, 1 for Monday to 7 for Sunday.
    Weekday: Int16 of Date, "WEEKDAY";
    /// The hour of the day, 0 to 23.
    Hour: Int16 of Time, "HOUR";
    /// The minute of the hour, 0 to 59.
    Minute: Int16 of Time, "MINUTE";
    /// The second of the minute, 0 to 59.
    Second: Int16 of Time, "SECOND";
    /// The millisecond of the second, 0 to 999.
    Millisecond: Int16 of Time, "MILLISECOND";
    /// The microsecond of the millisecond, 0 to 999.
    Microsecond: Int16 of Time, "MICROSECOND";
    /// The nanosecond of the microsecond, 0 to 999.
    Nanosecond: Int16 of Time, "NANOSECOND";
    /// The day of the year, 1 to 366.
    DayOfYear: Int16 of Date, "day_of_year";
    /// The quarter of the year, 1 to 4.
    Quarter: Int16 of Date, "extract_quarter";
    /// The number of days of the month, 28 to 31.
    DaysInMonth: Int16 of Date, "days_in_month";
    /// The week of the year by ISO 8601, 1 to 53.
    IsoWeek: Int16 of Date, "";
    /// The year that the week belongs to by ISO 8601.
    IsoYear: Int32 of Date, "";
    /// Whether the year has a 29th of February.
    IsLeapYear: Boolean of Date, "is_leap_year";
    /// The last day of the month.
    LastDayOfMonth: Date32 of Date, "last_day_of_month";
}

impl Component {
    /// Returns the component of a moment of `ticks` ticks. A day has `per_day` ticks.
    #[inline(always)]
    fn of(self, ticks: i64, per_day: i64) -> i64 {
        let (days, of_day) = (ticks.div_euclid(per_day), ticks.rem_euclid(per_day));
        let date = || civil(days);
        let second = (per_day / 86_400).max(1);
        // Returns how many thousandths of `parts` ticks have passed, or 0 if the unit is coarser than such a
        // thousandth.
        let thousandth = |parts: i64| if parts < 1000 { 0 } else { of_day % parts / (parts / 1000) };
        match self {
            Component::Year => date().year,
            Component::Month => date().month,
            Component::Day => date().day,
            Component::Weekday => civil::iso_weekday(days),
            Component::Hour => of_day / (second * 3600),
            Component::Minute => of_day / (second * 60) % 60,
            Component::Second => of_day / second % 60,
            Component::Millisecond => thousandth(second),
            Component::Microsecond => thousandth(second / 1000),
            Component::Nanosecond => thousandth(second / 1_000_000),
            Component::DayOfYear => days - civil::first_of_month(date().year, 1) + 1,
            Component::Quarter => (date().month + 2) / 3,
            Component::DaysInMonth => days_in_month(date()),
            Component::IsoWeek => {
                let thursday = civil::iso_thursday(days);
                (thursday - civil::first_of_month(civil(thursday).year, 1)) / 7 + 1
            }
            Component::IsoYear => civil(civil::iso_thursday(days)).year,
            Component::IsLeapYear => i64::from(civil::is_leap(date().year)),
            Component::LastDayOfMonth => days - date().day + days_in_month(date()),
        }
    }

    /// Returns the unit of the type if values of the type have the component, and `None` otherwise.
    fn unit(self, data_type: &DataType) -> Option<Unit> {
        moment_unit(data_type).or_else(|| time_unit(data_type).filter(|_| self.part() == Part::Time))
    }
}

fn days_in_month(date: civil::CivilDate) -> i64 {
    civil::days_in_month(date.year, date.month)
}

/// Implements `gdf_api::datetime::extract_component` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn extract_component(column: ColumnView<'_>, component: Component, ctx: Ctx<'_>) -> Result<Column> {
    let data_type = column.data_type();
    let unit = component.unit(data_type).ok_or_else(|| Error::unsupported("extract_component", data_type))?;
    let result = component.data_type();
    let kernel = match result {
        DataType::Boolean => Kernel::Boolean,
        DataType::Int16 => Kernel::Short,
        DataType::Int32 | DataType::Date32 => Kernel::Wide,
        _ => return Err(Error::internal("no kernel writes the type of this component")),
    };
    elementwise::map_column(
        column,
        &result,
        Nulls::Keep,
        ctx,
        |rows| {
            by_unit!(unit, PER_DAY => match kernel {
                Kernel::Boolean => rows.test_numbers(|ticks: i64| component.of(ticks, PER_DAY) != 0),
                Kernel::Short => rows.convert(|ticks: i64| component.of(ticks, PER_DAY) as i16),
                Kernel::Wide => rows.convert(|ticks: i64| component.of(ticks, PER_DAY) as i32),
            })
        },
        |launch| {
            let Launch { inputs: [input], out, .. } = *launch;
            let ticks = ticks_per_day(unit);
            let second = (ticks / 86_400).max(1);
            let p = Extraction {
                per_day: divisor(ticks),
                per_second: divisor(second),
                nanoseconds: 1_000_000_000 / second,
                component: component.kernel() as i64,
            };
            launch.run(kernel, launch.rows, &ExtractComponent { input, out, p })
        },
    )
}
