//! Operations on dates and times.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_detail::datetime as detail;
use gdf_detail::datetime::DatetimeRounding;
pub use gdf_detail::datetime::{Component, Frequency, LocalTimeChoice, LocalTimePolicy, TimeZone};

use crate::scope::Scope;

/// A component of the date or the time of day of each row, of the type that [`Component::data_type`] names.
///
/// There is a function for each component, too: [`extract_year`], [`extract_month`], …
///
/// # Types
/// `Date32`, `Date64`, and timestamps of every unit without a time zone or of zone `UTC`, in the proleptic Gregorian calendar;
/// of hours and what is smaller, also `Time32` and `Time64`. Dates are their midnights. A component smaller than the unit of the
/// rows is 0. Years and days beyond 32 bits, which only timestamps in seconds have, wrap.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input.
///
/// In libcudf `extract_datetime_component`, in polars `dt.year` and so on, in arrow-rs `date_part`, in SQL `EXTRACT`.
///
/// ```
/// use gdf::datetime::{Component, extract_component};
/// use gdf::{Column, DataType};
///
/// let days = Column::from_slice_typed(&[0, -1, 19_782], &DataType::Date32)?; // 1970-01-01, 1969-12-31, 2024-02-29
/// let years = extract_component(&days, Component::Year)?;
/// assert_eq!(years.to_vec::<i32>()?, [Some(1970), Some(1969), Some(2024)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("date_part", "datepart", "extract", "extract_datetime_component"))]
pub fn extract_component<'a>(column: impl Into<ColumnView<'a>>, component: Component) -> Result<Column> {
    extract("extract_component", column.into(), component)
}

fn extract(name: &'static str, column: ColumnView<'_>, component: Component) -> Result<Column> {
    Scope::for_inputs(name, &[&column])?.run(|ctx| detail::extract_component(column, component, ctx))
}

/// A function for each component, with its example: what it is of one moment.
macro_rules! components {
    ($($(#[$doc:meta])* $name:ident => $component:ident, $text:literal, $value:literal, [$($alias:literal),*];)*) => {$(
        $(#[$doc])*
        ///
        #[doc = concat!("Types, nulls, costs and errors are those of [`extract_component`] with [`Component::", stringify!($component), "`].")]
        ///
        /// ```
        #[doc = concat!("use gdf::datetime::", $text, ";")]
        /// use gdf::types::TimeUnit;
        /// use gdf::{Column, DataType};
        ///
        /// let nanoseconds = DataType::Timestamp(TimeUnit::Nanosecond, None);
        /// let moments = Column::from_slice_typed(&[1_709_214_359_123_456_789_i64], &nanoseconds)?; // 2024-02-29 13:45:59.123456789
        #[doc = concat!("assert_eq!(", $text, "(&moments)?.to_vec()?, [Some(", $value, ")]);")]
        /// # Ok::<(), gdf::Error>(())
        /// ```
        ///
        /// # Errors
        /// * Those of [`extract_component`].
        #[doc(alias($($alias),*))]
        pub fn $name<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
            extract($text, column.into(), Component::$component)
        }
    )*};
}

components! {
    /// The year of each row.
    extract_year => Year, "extract_year", "2024_i32", ["year", "dt.year"];
    /// The month, 1 to 12, of each row.
    extract_month => Month, "extract_month", "2_i16", ["month", "dt.month"];
    /// The day of the month, 1 to 31, of each row.
    extract_day => Day, "extract_day", "29_i16", ["day", "dt.day", "dayofmonth"];
    /// The day of the week, 1 for Monday to 7 for Sunday, of each row.
    extract_weekday => Weekday, "extract_weekday", "4_i16", ["weekday", "dayofweek", "dt.weekday", "isodow"];
    /// The hour of the day, 0 to 23, of each row.
    extract_hour => Hour, "extract_hour", "13_i16", ["hour", "dt.hour"];
    /// The minute of the hour, 0 to 59, of each row.
    extract_minute => Minute, "extract_minute", "45_i16", ["minute", "dt.minute"];
    /// The second of the minute, 0 to 59, of each row.
    extract_second => Second, "extract_second", "59_i16", ["second", "dt.second"];
    /// The millisecond of the second, 0 to 999, of each row.
    extract_millisecond => Millisecond, "extract_millisecond", "123_i16", ["millisecond", "millisecond_fraction"];
    /// The microsecond of the millisecond, 0 to 999, of each row.
    extract_microsecond => Microsecond, "extract_microsecond", "456_i16", ["microsecond", "microsecond_fraction"];
    /// The nanosecond of the microsecond, 0 to 999, of each row.
    extract_nanosecond => Nanosecond, "extract_nanosecond", "789_i16", ["nanosecond", "nanosecond_fraction"];
    /// The day of the year, 1 to 366, of each row.
    day_of_year => DayOfYear, "day_of_year", "60_i16", ["dayofyear", "ordinal_day", "doy"];
    /// The quarter of the year, 1 to 4, of each row.
    extract_quarter => Quarter, "extract_quarter", "1_i16", ["quarter", "dt.quarter"];
    /// How many days the month of each row has, 28 to 31.
    days_in_month => DaysInMonth, "days_in_month", "29_i16", ["daysinmonth", "dt.days_in_month"];
    /// The week of the year by ISO 8601, 1 to 53, of each row.
    extract_iso_week => IsoWeek, "extract_iso_week", "9_i16", ["isocalendar", "week", "weekofyear"];
    /// The year that the week belongs to by ISO 8601 of each row.
    extract_iso_year => IsoYear, "extract_iso_year", "2024_i32", ["isocalendar", "isoyear"];
    /// Whether the year of each row has a 29th of February, as a boolean.
    is_leap_year => IsLeapYear, "is_leap_year", "true", ["dt.is_leap_year"];
    /// The last day of the month of each row, as `Date32`.
    last_day_of_month => LastDayOfMonth, "last_day_of_month", "19_782_i32", ["month_end", "last_day", "dt.month_end"];
}

/// The last multiple of a period that is not after each row, of the row's type.
///
/// # Types
/// `Date32`, `Date64`, and timestamps of every unit without a time zone or of zone `UTC`. Multiples of days and of what is
/// shorter are counted from 1970-01-01, weeks begin on Mondays; months, quarters and years are those of the calendar. Rows of a
/// unit that is longer than the period stay as they are. Results beyond the type wrap.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input.
///
/// In libcudf `floor_datetimes`, in polars `dt.truncate`, in arrow-rs and SQL `date_trunc`.
///
/// ```
/// use gdf::datetime::{Frequency, ceil_datetimes, floor_datetimes, round_datetimes};
/// use gdf::{Column, DataType};
///
/// let day = Column::from_slice_typed(&[19_782], &DataType::Date32)?; // 2024-02-29
/// assert_eq!(floor_datetimes(&day, Frequency::Month)?.to_vec::<i32>()?, [Some(19_754)]); // 2024-02-01
/// assert_eq!(ceil_datetimes(&day, Frequency::Month)?.to_vec::<i32>()?, [Some(19_783)]); // 2024-03-01
/// assert_eq!(round_datetimes(&day, Frequency::Year)?.to_vec::<i32>()?, [Some(19_723)]); // 2024-01-01
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("date_trunc", "truncate", "dt.floor", "dt.truncate"))]
pub fn floor_datetimes<'a>(column: impl Into<ColumnView<'a>>, frequency: Frequency) -> Result<Column> {
    rounded("floor_datetimes", column.into(), DatetimeRounding::Floor, frequency)
}

/// The first multiple of a period that is not before each row. As [`floor_datetimes`], where the example is.
///
/// # Errors
/// * As of [`floor_datetimes`].
#[doc(alias("dt.ceil", "dt.offset_by"))]
pub fn ceil_datetimes<'a>(column: impl Into<ColumnView<'a>>, frequency: Frequency) -> Result<Column> {
    rounded("ceil_datetimes", column.into(), DatetimeRounding::Ceil, frequency)
}

/// The multiple of a period nearest to each row: halfway between two the even one, as `std::chrono::round`, and of months,
/// quarters and years the later. As [`floor_datetimes`], where the example is.
///
/// # Errors
/// * As of [`floor_datetimes`].
#[doc(alias("dt.round"))]
pub fn round_datetimes<'a>(column: impl Into<ColumnView<'a>>, frequency: Frequency) -> Result<Column> {
    rounded("round_datetimes", column.into(), DatetimeRounding::Nearest, frequency)
}

fn rounded(
    name: &'static str,
    column: ColumnView<'_>,
    rounding: DatetimeRounding,
    frequency: Frequency,
) -> Result<Column> {
    Scope::for_inputs(name, &[&column])?.run(|ctx| detail::round_datetimes(column, rounding, frequency, ctx))
}

/// The same day and time so many months later, or the last day of that month if it has no such day.
///
/// # Types
/// `Date32`, `Date64`, and timestamps of every unit without a time zone or of zone `UTC`; months are integers of any width, a
/// column or a scalar, and may be negative. Results beyond the type wrap.
///
/// Shapes: a row for each row. Null where either is. Order: that of the input.
///
/// In libcudf `add_calendrical_months`, in polars `dt.offset_by`, in SQL `+ INTERVAL n MONTH`, in pandas `DateOffset`.
///
/// ```
/// use gdf::datetime::add_calendrical_months;
/// use gdf::{Column, DataType};
///
/// let days = Column::from_slice_typed(&[19_753, 19_446], &DataType::Date32)?; // 2024-01-31, 2023-03-30
/// let later = add_calendrical_months(&days, 1)?;
/// assert_eq!(later.to_vec::<i32>()?, [Some(19_782), Some(19_477)]); // 2024-02-29, 2023-04-30
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types; [`TypeMismatch`](gdf_core::Error::TypeMismatch) for months
///   that are no integers; [`LengthMismatch`](gdf_core::Error::LengthMismatch).
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("offset_by", "DateOffset", "add_months", "interval"))]
pub fn add_calendrical_months<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    months: impl Into<Operand<'b>>,
) -> Result<Column> {
    let (column, months) = (column.into(), months.into());
    Scope::for_inputs("add_calendrical_months", &[&column, &months])?
        .run(|ctx| detail::add_calendrical_months(column, months, ctx))
}

/// The instants, as timestamps of UTC, at which the clocks of a time zone show each row.
///
/// # Types
/// Timestamps of every unit without a time zone become those of the zone `UTC`. Changes of the clocks are those of the IANA
/// database of [`TimeZone`], from the first recorded one on, and by the zone's rule for ever; before the first one clocks show
/// local mean time. Results beyond the type wrap.
///
/// Shapes: a row for each row. Nulls stay null; times that clocks showed twice, or passed over, are what `policy` says, by
/// default an error. Order: that of the input.
///
/// In pandas and polars `tz_localize`, `dt.replace_time_zone`, in DuckDB `timezone`, in Spark `to_utc_timestamp`; libcudf has
/// the table alone, `make_timezone_transition_table`.
///
/// ```
/// use gdf::datetime::{LocalTimeChoice, LocalTimePolicy, TimeZone, from_utc, to_utc};
/// use gdf::types::TimeUnit;
/// use gdf::{Column, DataType};
///
/// let berlin = TimeZone::new("Europe/Berlin")?;
/// let seconds = DataType::Timestamp(TimeUnit::Second, None);
/// let local = Column::from_slice_typed(&[1_720_008_000_i64], &seconds)?; // 2024-07-03 12:00
/// let utc = to_utc(&local, &berlin, LocalTimePolicy::default())?;
/// assert_eq!(utc.to_vec::<i64>()?, [Some(1_720_000_800)]); // 2024-07-03 10:00
/// assert_eq!(from_utc(&utc, &berlin)?.to_vec::<i64>()?, local.to_vec::<i64>()?);
///
/// // 2024-10-27 02:30, which clocks in Berlin showed twice.
/// let twice = Column::from_slice_typed(&[1_729_996_200_i64], &seconds)?;
/// let earliest = LocalTimePolicy { ambiguous: LocalTimeChoice::Earliest, ..Default::default() };
/// assert!(to_utc(&twice, &berlin, LocalTimePolicy::default()).is_err());
/// assert_eq!(to_utc(&twice, &berlin, earliest)?.to_vec::<i64>()?, [Some(1_729_989_000)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait, for what the policy makes an error; the zone's table, some 25 KB, goes to a GPU with each call.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types, also timestamps with a time zone, which are instants.
/// * [`InvalidData`](gdf_core::Error::InvalidData): a local time is not one moment, and the policy says that this is an error.
/// * Driver and memory errors.
#[doc(alias("tz_localize", "replace_time_zone", "timezone", "to_utc_timestamp", "convert_timestamp_to_utc"))]
pub fn to_utc<'a>(column: impl Into<ColumnView<'a>>, zone: &TimeZone, policy: LocalTimePolicy) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("to_utc", &[&column])?.run(|ctx| detail::to_utc(column, zone, policy, ctx))
}

/// What the clocks of a time zone show at each instant, as timestamps without a time zone.
///
/// # Types
/// Timestamps of every unit, those without a time zone taken as UTC; one with a time zone is an instant, whichever that is.
/// Components of what clocks show are extracted of the result. Changes of the clocks are those that [`to_utc`] knows.
/// Results beyond the type wrap.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input.
///
/// In pandas and polars `tz_convert`, `dt.convert_time_zone`, in SQL `AT TIME ZONE`, in Spark `from_utc_timestamp`.
///
/// ```
/// use gdf::datetime::{TimeZone, extract_hour, from_utc};
/// use gdf::types::TimeUnit;
/// use gdf::{Column, DataType};
///
/// let utc = DataType::Timestamp(TimeUnit::Second, Some("UTC".into()));
/// let instants = Column::from_slice_typed(&[0_i64, 1_720_000_800], &utc)?;
/// let local = from_utc(&instants, &TimeZone::new("America/New_York")?)?;
/// assert_eq!(extract_hour(&local)?.to_vec::<i16>()?, [Some(19), Some(6)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 0 waits; the zone's table, some 25 KB, goes to a GPU with each call.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("tz_convert", "convert_time_zone", "at_time_zone", "from_utc_timestamp"))]
pub fn from_utc<'a>(column: impl Into<ColumnView<'a>>, zone: &TimeZone) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("from_utc", &[&column])?.run(|ctx| detail::from_utc(column, zone, ctx))
}
