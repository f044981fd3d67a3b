//! The components of dates and times.

use gdf_core::DataType;

macro_rules! components {
    ($($(#[$doc:meta])* $name:ident = $sql:literal: $data_type:ident of $part:ident, $libcudf:literal;)*) => {
        /// A component of a date or a time of day.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum Component {
            $($(#[$doc])* $name,)*
        }

        impl Component {
            /// Every component.
            pub const ALL: &'static [Component] = &[$(Component::$name),*];

            /// Returns the type of the result.
            pub const fn data_type(self) -> DataType {
                match self { $(Component::$name => DataType::$data_type,)* }
            }

            /// Returns the name of the component in libcudf.
            pub const fn libcudf_name(self) -> &'static str {
                match self { $(Component::$name => $libcudf,)* }
            }

            /// Returns the name of the component in SQL's `EXTRACT`.
            pub const fn sql_name(self) -> &'static str {
                match self { $(Component::$name => $sql,)* }
            }

            /// Returns the part of a moment that the component belongs to.
            pub const fn part(self) -> Part {
                match self { $(Component::$name => Part::$part,)* }
            }
        }
    };
}

/// The part of a moment that a component belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The date. Dates and timestamps have this part.
    Date,
    /// The time of day. Timestamps and times have this part. Dates have the time of day 0.
    Time,
}

components! {
    /// The year. Years before the year 1 are 0, -1, and so on.
    Year = "YEAR": Int32 of Date, "YEAR";
    /// The month, 1 to 12.
    Month = "MONTH": Int16 of Date, "MONTH";
    /// The day of the month, 1 to 31.
    Day = "DAY": Int16 of Date, "DAY";
    /// The day of the week, 1 for Monday to 7 for Sunday.
    Weekday = "ISODOW": Int16 of Date, "WEEKDAY";
    /// The hour of the day, 0 to 23.
    Hour = "HOUR": Int16 of Time, "HOUR";
    /// The minute of the hour, 0 to 59.
    Minute = "MINUTE": Int16 of Time, "MINUTE";
    /// The second of the minute, 0 to 59.
    Second = "SECOND": Int16 of Time, "SECOND";
    /// The millisecond of the second, 0 to 999.
    Millisecond = "MILLISECOND": Int16 of Time, "MILLISECOND";
    /// The microsecond of the millisecond, 0 to 999.
    Microsecond = "MICROSECOND": Int16 of Time, "MICROSECOND";
    /// The nanosecond of the microsecond, 0 to 999.
    Nanosecond = "NANOSECOND": Int16 of Time, "NANOSECOND";
    /// The day of the year, 1 to 366.
    DayOfYear = "DOY": Int16 of Date, "day_of_year";
    /// The quarter of the year, 1 to 4.
    Quarter = "QUARTER": Int16 of Date, "extract_quarter";
    /// The number of days of the month, 28 to 31.
    DaysInMonth = "DAYS_IN_MONTH": Int16 of Date, "days_in_month";
    /// The week of the year by ISO 8601, 1 to 53.
    IsoWeek = "WEEK": Int16 of Date, "";
    /// The year that the week belongs to by ISO 8601.
    IsoYear = "ISOYEAR": Int32 of Date, "";
    /// Whether the year has a 29th of February.
    IsLeapYear = "IS_LEAP_YEAR": Boolean of Date, "is_leap_year";
    /// The last day of the month.
    LastDayOfMonth = "LAST_DAY": Date32 of Date, "last_day_of_month";
}

impl Component {
    /// Returns whether values of `data_type` have the component. Dates have all components. Timestamps without a time
    /// zone or in UTC also have all components. Times have only the components of the time of day.
    pub fn is_of(self, data_type: &DataType) -> bool {
        match data_type {
            DataType::Date32 | DataType::Date64 | DataType::Timestamp(_, None) => true,
            DataType::Timestamp(_, Some(zone)) => matches!(&**zone, "UTC" | "Z" | "+00:00"),
            DataType::Time32(_) | DataType::Time64(_) => self.part() == Part::Time,
            _ => false,
        }
    }
}
