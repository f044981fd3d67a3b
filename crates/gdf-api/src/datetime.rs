//! Operations on dates and times.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_detail::datetime as detail;
use gdf_detail::datetime::DatetimeRounding;
pub use gdf_detail::datetime::{Component, Frequency, LocalTimeChoice, LocalTimePolicy, TimeZone};

use crate::scope::Scope;

/// Extracts a component of the date or of the time of day of each row. [`Component::data_type`] returns the type of
/// the result.
///
/// For each component, there is also a function: [`extract_year`], [`extract_month`], …
///
/// # Types
/// `Date32`, `Date64`, and timestamps of every unit without a time zone or of zone `UTC`, in the proleptic Gregorian
/// calendar. Hours and smaller components also take `Time32` and `Time64`. A date stands for its midnight. A component
/// smaller than the unit of the rows is 0. Years and days that do not fit 32 bits, which only timestamps in seconds can
/// have, wrap.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
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

/// Defines a function for each component. `$value` is the result for the moment of the example.
macro_rules! components {
    ($($(#[$doc:meta])* $name:ident => $component:ident, $text:literal, $value:literal, [$($alias:literal),*];)*) => {$(
        $(#[$doc])*
        ///
        /// Types, nulls, costs and errors are those of [`extract_component`] with
        #[doc = concat!("[`Component::", stringify!($component), "`].")]
        ///
        /// ```
        #[doc = concat!("use gdf::datetime::", $text, ";")]
        /// use gdf::types::TimeUnit;
        /// use gdf::{Column, DataType};
        ///
        /// let nanoseconds = DataType::Timestamp(TimeUnit::Nanosecond, None);
        /// // 2024-02-29 13:45:59.123456789
        /// let moments = Column::from_slice_typed(&[1_709_214_359_123_456_789_i64], &nanoseconds)?;
        #[doc = concat!("assert_eq!(", $text, "(&moments)?.to_vec()?, [Some(", $value, ")]);")]
        /// # Ok::<(), gdf::Error>(())
        /// ```
        ///
        /// # Errors
        /// * The errors of [`extract_component`].
        #[doc(alias($($alias),*))]
        pub fn $name<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
            extract($text, column.into(), Component::$component)
        }
    )*};
}

components! {
    /// Returns the year of each row.
    extract_year => Year, "extract_year", "2024_i32", ["year", "dt.year"];
    /// Returns the month, 1 to 12, of each row.
    extract_month => Month, "extract_month", "2_i16", ["month", "dt.month"];
    /// Returns the day of the month, 1 to 31, of each row.
    extract_day => Day, "extract_day", "29_i16", ["day", "dt.day", "dayofmonth"];
    /// Returns the day of the week, 1 for Monday to 7 for Sunday, of each row.
    extract_weekday => Weekday, "extract_weekday", "4_i16", ["weekday", "dayofweek", "dt.weekday", "isodow"];
    /// Returns the hour of the day, 0 to 23, of each row.
    extract_hour => Hour, "extract_hour", "13_i16", ["hour", "dt.hour"];
    /// Returns the minute of the hour, 0 to 59, of each row.
    extract_minute => Minute, "extract_minute", "45_i16", ["minute", "dt.minute"];
    /// Returns the second of the minute, 0 to 59, of each row.
    extract_second => Second, "extract_second", "59_i16", ["second", "dt.second"];
    /// Returns the millisecond of the second, 0 to 999, of each row.
    extract_millisecond => Millisecond, "extract_millisecond", "123_i16", ["millisecond", "millisecond_fraction"];
    /// Returns the microsecond of the millisecond, 0 to 999, of each row.
    extract_microsecond => Microsecond, "extract_microsecond", "456_i16", ["microsecond", "microsecond_fraction"];
    /// Returns the nanosecond of the microsecond, 0 to 999, of each row.
    extract_nanosecond => Nanosecond, "extract_nanosecond", "789_i16", ["nanosecond", "nanosecond_fraction"];
    /// Returns the day of the year, 1 to 366, of each row.
    day_of_year => DayOfYear, "day_of_year", "60_i16", ["dayofyear", "ordinal_day", "doy"];
    /// Returns the quarter of the year, 1 to 4, of each row.
    extract_quarter => Quarter, "extract_quarter", "1_i16", ["quarter", "dt.quarter"];
    /// Returns the number of days of the month of each row, 28 to 31.
    days_in_month => DaysInMonth, "days_in_month", "29_i16", ["daysinmonth", "dt.days_in_month"];
    /// Returns the week of the year by ISO 8601, 1 to 53, of each row.
    extract_iso_week => IsoWeek, "extract_iso_week", "9_i16", ["isocalendar", "week", "weekofyear"];
    /// Returns the ISO 8601 year of the week of each row.
    extract_iso_year => IsoYear, "extract_iso_year", "2024_i32", ["isocalendar", "isoyear"];
    /// Returns whether the year of each row has a 29th of February, as a boolean.
    is_leap_year => IsLeapYear, "is_leap_year", "true", ["dt.is_leap_year"];
    /// Returns the last day of the month of each row, as `Date32`.
    last_day_of_month => LastDayOfMonth, "last_day_of_month", "19_782_i32", ["month_end", "last_day", "dt.month_end"];
}

/// Rounds each row down to a multiple of a period: the last multiple that is not after the row. The result has the
/// type of the column.
///
/// # Types
/// `Date32`, `Date64`, and timestamps of every unit without a time zone or of zone `UTC`. Multiples of days and of
/// shorter periods are counted from 1970-01-01. Weeks begin on Mondays. Months, quarters and years are those of the
/// calendar. If the unit of the column is longer than the period, the rows stay as they are. Results out of the range
/// of the type wrap.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("date_trunc", "truncate", "dt.floor", "dt.truncate"))]
pub fn floor_datetimes<'a>(column: impl Into<ColumnView<'a>>, frequency: Frequency) -> Result<Column> {
    rounded("floor_datetimes", column.into(), DatetimeRounding::Floor, frequency)
}

/// Rounds each row up to a multiple of a period: the first multiple that is not before the row. In all other respects,
/// the function is like [`floor_datetimes`], which has an example.
///
/// # Errors
/// * The errors of [`floor_datetimes`].
#[doc(alias("dt.ceil", "dt.offset_by"))]
pub fn ceil_datetimes<'a>(column: impl Into<ColumnView<'a>>, frequency: Frequency) -> Result<Column> {
    rounded("ceil_datetimes", column.into(), DatetimeRounding::Ceil, frequency)
}

/// Rounds each row to the nearest multiple of a period. A row halfway between two multiples is rounded to the even
/// multiple, as `std::chrono::round` does. If the period is a month, a quarter or a year, such a row is rounded to the
/// later multiple. In all other respects, the function is like [`floor_datetimes`], which has an example.
///
/// # Errors
/// * The errors of [`floor_datetimes`].
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

/// Adds months to each row: returns the same day and time of day, `months` months later. If that month does not have
/// the day, the result is the last day of the month.
///
/// # Types
/// `Date32`, `Date64`, and timestamps of every unit without a time zone or of zone `UTC`. Months are integers of any
/// width, a column or a scalar, and may be negative. Months of `UInt64` from 2⁶³ on count as negative, because numbers
/// of months wrap at 64 bits. Results out of the range of the type wrap, too.
///
/// Shapes: the result has a row for each row of the input. A row of the result is null where either input is null.
/// Order: the order of the input.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for months that are not integers;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch).
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

/// Converts the local times of a time zone to instants, as timestamps of UTC.
///
/// # Types
/// Timestamps of every unit without a time zone; the result has the zone `UTC`. The changes of the clocks come from
/// the IANA database of [`TimeZone`]. After the last recorded change, the rule of the zone applies. Before the first
/// recorded change, the clocks show local mean time. Results out of the range of the type wrap.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. `policy` decides the result for local times
/// that the clocks showed twice or skipped. By default, such times are an error. Order: the order of the input.
///
/// In pandas and polars `tz_localize`, `dt.replace_time_zone`, in DuckDB `timezone`, in Spark `to_utc_timestamp`.
/// libcudf only has the table of clock changes, `make_timezone_transition_table`.
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
/// The function waits for the device at most once, to check whether a row is an error under the policy. The table of
/// the zone, about 25 KB, is copied to a GPU with each call.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types, and for timestamps with a time zone, because
///   these are instants already.
/// * [`InvalidData`](gdf_core::Error::InvalidData): the clocks showed a local time twice or never, and the policy
///   makes this case an error.
/// * Driver and memory errors.
#[doc(alias("tz_localize", "replace_time_zone", "timezone", "to_utc_timestamp", "convert_timestamp_to_utc"))]
pub fn to_utc<'a>(column: impl Into<ColumnView<'a>>, zone: &TimeZone, policy: LocalTimePolicy) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("to_utc", &[&column])?.run(|ctx| detail::to_utc(column, zone, policy, ctx))
}

/// Converts instants to the local times of a time zone, as timestamps without a time zone.
///
/// # Types
/// Timestamps of every unit. A timestamp without a time zone is taken as UTC. A timestamp with any time zone is an
/// instant. To get components of the local time, extract the components from the result. The changes of the clocks
/// are those of [`to_utc`]. Results out of the range of the type wrap.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input.
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
/// The function does not wait for the device. The table of the zone, about 25 KB, is copied to a GPU with each call.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("tz_convert", "convert_time_zone", "at_time_zone", "from_utc_timestamp"))]
pub fn from_utc<'a>(column: impl Into<ColumnView<'a>>, zone: &TimeZone) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("from_utc", &[&column])?.run(|ctx| detail::from_utc(column, zone, ctx))
}
