//! Conversions between text and timestamps, dates and durations. The functions are part of [`strings`](crate::strings).

use gdf_core::{Column, ColumnView, DataType, Result};

use crate::scope::Scope;

/// Parses each row of text as a timestamp or date in `format`.
///
/// # Types
/// `Utf8` and `LargeUtf8` to `Date32`, `Date64` and timestamps without a time zone or of UTC.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. A text becomes null in three cases: the
/// whole text does not match the format, the date is not a date of the calendar, or the value is out of the range of
/// the type. [`expect_converted`](super::expect_converted) finds such texts. Order: the order of the input. Parts that
/// are finer than the unit of the type are truncated towards the past.
///
/// | in `format` | in the text |
/// |---|---|
/// | `%Y`, `%y` | the year, of up to 4 digits; the year, of 2 digits: 69 to 99 are 1969 to 1999, and 00 to 68 are 2000 to 2068 |
/// | `%m`, `%d`, `%j` | month; day of the month; day of the year |
/// | `%b`, `%B`, `%a`, `%A` | `%b` and `%B` month, `%a` and `%A` day of the week: English names, in full or the first three letters |
/// | `%U`, `%W` | week of the year, counted from the first Sunday, from the first Monday; requires a day of the week |
/// | `%u`, `%w` | day of the week, 1 to 7 from Monday on; 0 to 6 from Sunday on |
/// | `%H`, `%I`, `%p` | hour, 0 to 23; hour, 1 to 12; `AM` or `PM` |
/// | `%M`, `%S` | minute, up to 59; second, up to 59 |
/// | `%f`, `%3f` | the fraction of a second, of up to 6 digits; of up to 3 digits, where any number from 1 to 9 may replace the 3 |
/// | `%z` | offset from UTC: `+hhmm`, `+hh:mm`, `Z`; the result is in UTC |
/// | `%F`, `%R`, `%T` | `%Y-%m-%d`, `%H:%M`, `%H:%M:%S` |
/// | `%%`, other characters | the character itself |
///
/// Numbers may have fewer digits. Names may have letters of any case. A part of the date or time that the format lacks
/// is that of 1970-01-01 00:00:00. A day of the week must agree with the date. In libcudf `strings::to_timestamps`,
/// which returns a value for every text.
///
/// ```
/// use gdf::{Column, DataType};
/// use gdf::strings::to_timestamps;
///
/// let column = Column::from_strs([Some("20/03/2019"), None, Some("30/02/2019")])?;
/// let days = to_timestamps(&column, &DataType::Date32, "%d/%m/%Y")?;
/// assert_eq!(days.to_vec::<i32>()?, [Some(17_975), None, None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidPattern`](gdf_core::Error::InvalidPattern): the format is empty, has a specifier that is unknown or
///   incomplete (with its byte position), gives a part of the date or time twice, has a week without a day of the week,
///   or has `%p` without `%I`.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the format has more than 128 specifiers and characters. A
///   specifier that stands for others, such as `%F`, counts as many times as the parts that it stands for.
/// * Driver and memory errors.
#[doc(alias("to_datetime", "strptime", "str.to_date", "STR_TO_DATE", "TO_TIMESTAMP"))]
pub fn to_timestamps<'a>(column: impl Into<ColumnView<'a>>, output_type: &DataType, format: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("to_timestamps", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::to_timestamps(column, output_type, format, ctx))
}

/// Returns whether each row of text is a date or a timestamp in `format`, as [`to_timestamps`] parses it.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `Boolean`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. The function
/// does not check whether the timestamp is in the range of a type. In libcudf `strings::is_timestamp`, which is also
/// true for a text that has other characters after the timestamp.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::is_timestamp;
///
/// let column = Column::from_strs([Some("2019-03-20"), None, Some("2019-02-29")])?;
/// assert_eq!(is_timestamp(&column, "%F")?.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`to_timestamps`].
#[doc(alias("is_date", "isdate"))]
pub fn is_timestamp<'a>(column: impl Into<ColumnView<'a>>, format: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_timestamp", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::is_timestamp(column, format, ctx))
}

/// Writes each timestamp or date as text in `format`, in UTC.
///
/// # Types
/// `Date32`, `Date64` and timestamps without a time zone or of UTC; the result is `Utf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. Specifiers
/// are those of [`to_timestamps`], and also `%V`, the ISO 8601 week of the year, `%G`, the year of that week, and
/// `%Z`, which is `UTC`. Numbers have leading zeros. Years have at least four digits, and a minus before the year 0.
/// `%z` is `+0000`. `%a` and `%b` have three letters. `%3f` truncates the fraction to three digits. In libcudf
/// `strings::from_timestamps`, which accepts names of other languages.
///
/// ```
/// use gdf::strings::from_timestamps;
/// use gdf::types::TimeUnit;
/// use gdf::{Column, DataType};
///
/// let moments = DataType::Timestamp(TimeUnit::Millisecond, None);
/// let column = Column::from_slice_typed(&[1_553_085_296_789_i64], &moments)?;
/// let texts = from_timestamps(&column, "%a %d %b %Y, %H:%M:%S.%3f")?;
/// assert_eq!(texts.to_strings()?, [Some("Wed 20 Mar 2019, 12:34:56.789".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most once, for the number of bytes. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`to_timestamps`], except that a format may give a part of the date or time twice, may have a week
///   without a day of the week, and may have `%p` without `%I`.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result has more than 2³¹ − 1 bytes.
#[doc(alias("strftime", "dt.strftime", "dt.to_string", "DATE_FORMAT", "TO_CHAR"))]
pub fn from_timestamps<'a>(column: impl Into<ColumnView<'a>>, format: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("from_timestamps", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::from_timestamps(column, format, ctx))
}

/// Parses each row of text as a duration in `format`.
///
/// # Types
/// `Utf8` and `LargeUtf8` to durations.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. A text becomes null if the whole text
/// does not match the format, or if the value is out of the range of the type. Order: the order of the input.
///
/// | in `format` | in the text |
/// |---|---|
/// | `%D` | days, of up to 18 digits |
/// | `%H`, `%I`, `%p` | hour, 0 to 23; hour of half a day, 0 to 12, where 12 means 0; `AM` or `PM` |
/// | `%M`, `%S` | minute; second, up to 59, and up to 9 digits after a point |
/// | `%OH`, `%OI`, `%OM`, `%OS` | the same without a sign or a point |
/// | `%R`, `%T`, `%r` | `%H:%M`, `%H:%M:%S`, `%OI:%OM:%OS %p` |
/// | `%n`, `%t`, `%%`, other characters | newline; tab; the character itself |
///
/// A sign may stand before the first of `%D`, `%H`, `%I`, `%M` and `%S`. The sign applies to the whole duration:
/// `-1 days 06:00:00` is minus thirty hours. In libcudf `strings::to_durations`, which returns a value for every
/// text.
///
/// ```
/// use gdf::strings::to_durations;
/// use gdf::types::TimeUnit;
/// use gdf::{Column, DataType};
///
/// let column = Column::from_strs([Some("-1 days 06:00:00.5"), None, Some("1 day")])?;
/// let durations = to_durations(&column, &DataType::Duration(TimeUnit::Millisecond), "%D days %H:%M:%S")?;
/// assert_eq!(durations.to_vec::<i64>()?, [Some(-108_000_500), None, None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`to_timestamps`].
#[doc(alias("to_timedelta", "INTERVAL"))]
pub fn to_durations<'a>(column: impl Into<ColumnView<'a>>, output_type: &DataType, format: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("to_durations", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::to_durations(column, output_type, format, ctx))
}

/// Returns whether each row of text is a duration in `format`, as [`to_durations`] parses it.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `Boolean`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. The
/// function does not check whether the duration is in the range of a type. libcudf has no such function.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::is_duration;
///
/// let column = Column::from_strs([Some("-12:34:56"), None, Some("12:60:00")])?;
/// assert_eq!(is_duration(&column, "%T")?.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`to_timestamps`].
#[doc(alias("is_timedelta"))]
pub fn is_duration<'a>(column: impl Into<ColumnView<'a>>, format: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_duration", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::is_duration(column, format, ctx))
}

/// Writes each duration as text in `format`.
///
/// # Types
/// Durations; the result is `Utf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. Specifiers
/// are those of [`to_durations`]. `%D` writes the whole days, and the other specifiers write the rest. `%S` writes a
/// fraction with as many digits as the unit has, unless the fraction is zero. In libcudf `strings::from_durations`.
///
/// ```
/// use gdf::strings::from_durations;
/// use gdf::types::TimeUnit;
/// use gdf::{Column, DataType};
///
/// let column = Column::from_slice_typed(&[-108_000_500_i64, 0], &DataType::Duration(TimeUnit::Millisecond))?;
/// let texts = ["-1 days 06:00:00.500", "0 days 00:00:00"].map(|text| Some(text.to_owned()));
/// assert_eq!(from_durations(&column, "%D days %H:%M:%S")?.to_strings()?, texts);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most once, for the number of bytes. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`from_timestamps`].
#[doc(alias("timedelta to string", "format duration"))]
pub fn from_durations<'a>(column: impl Into<ColumnView<'a>>, format: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("from_durations", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::from_durations(column, format, ctx))
}
