//! Text to and from timestamps, dates and durations: functions of [`strings`](crate::strings).

use gdf_core::{Column, ColumnView, DataType, Result};

use crate::scope::Scope;

/// The timestamps or dates that rows of text are by `format`.
///
/// # Types
/// `Utf8` and `LargeUtf8` to `Date32`, `Date64` and timestamps without a time zone or of UTC.
///
/// Shapes: a row for each row. Nulls stay null, and what is no such text as a whole, no date of the calendar, or beyond the type becomes
/// null: the result's null count beside the column's says whether there was any. Order: that of the input. What the type is too
/// coarse for is cut off, towards the past.
///
/// | in `format` | in the text |
/// |---|---|
/// | `%Y`, `%y` | the year, of up to 4 digits; of 2, 69 to 99 and 00 to 68 are 1969 to 2068 |
/// | `%m`, `%d`, `%j` | month, day of it, day of the year |
/// | `%b`, `%B`, `%a`, `%A` | month, day of the week: English names, in full or the first three letters |
/// | `%U`, `%W` | week of the year from the first Sunday, Monday on; needs a day of the week |
/// | `%u`, `%w` | day of the week, 1 to 7 from Monday on, 0 to 6 from Sunday on |
/// | `%H`, `%I`, `%p` | hour, 0 to 23, 1 to 12; `AM` or `PM` |
/// | `%M`, `%S` | minute, second, to 59 |
/// | `%f`, `%3f` | digits of a fraction of a second, up to 6, up to that number (1 to 9) |
/// | `%z` | offset from UTC: `+hhmm`, `+hh:mm`, `Z`; the result is of UTC |
/// | `%F`, `%R`, `%T` | `%Y-%m-%d`, `%H:%M`, `%H:%M:%S` |
/// | `%%`, others | that character |
///
/// Numbers may have fewer digits, and names letters of any case. A format without a date means 1970-01-01. A day of the week beside
/// a date must be its. In libcudf `strings::to_timestamps`, which gives something for every text.
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
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidPattern`](gdf_core::Error::InvalidPattern): an empty format, a specifier that there is not, with its byte, or one thing given twice.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): a format of more than 128 specifiers and characters.
/// * Driver and memory errors.
#[doc(alias("to_datetime", "strptime", "str.to_date", "STR_TO_DATE", "TO_TIMESTAMP"))]
pub fn to_timestamps<'a>(column: impl Into<ColumnView<'a>>, output_type: &DataType, format: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("to_timestamps", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::to_timestamps(column, output_type, format, ctx))
}

/// Whether each row of text is a date or a timestamp by `format`, as [`to_timestamps`] takes them.
///
/// # Types
/// `Utf8` and `LargeUtf8`; `Boolean`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. Whether a type has the timestamp is not asked. In libcudf
/// `strings::is_timestamp`, to which a text that begins so is one, too.
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
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * As [`to_timestamps`].
#[doc(alias("is_date", "isdate"))]
pub fn is_timestamp<'a>(column: impl Into<ColumnView<'a>>, format: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_timestamp", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::is_timestamp(column, format, ctx))
}

/// The text of each timestamp or date, as UTC has it, by `format`.
///
/// # Types
/// `Date32`, `Date64` and timestamps without a time zone or of UTC; `Utf8`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. Specifiers are those of [`to_timestamps`], and
/// `%V` and `%G`, week of the year by ISO 8601 and the year that it belongs to, and `%Z`, `UTC`. Numbers have leading zeros, years four
/// digits at least and a minus before the year 0, `%z` is `+0000`, `%a` and `%b` have three letters, and `%3f` cuts off after three digits.
/// In libcudf `strings::from_timestamps`, which takes names of other languages.
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
/// At most 1 wait, for the number of bytes; see the table of costs.
///
/// # Errors
/// * As [`to_timestamps`]; a format may give one thing twice.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result has more than 2³¹ − 1 bytes.
#[doc(alias("strftime", "dt.strftime", "dt.to_string", "DATE_FORMAT", "TO_CHAR"))]
pub fn from_timestamps<'a>(column: impl Into<ColumnView<'a>>, format: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("from_timestamps", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::from_timestamps(column, format, ctx))
}

/// The durations that rows of text are by `format`.
///
/// # Types
/// `Utf8` and `LargeUtf8` to durations.
///
/// Shapes: a row for each row. Nulls stay null, and what is no such text as a whole, or beyond the type, becomes null. Order: that
/// of the input.
///
/// | in `format` | in the text |
/// |---|---|
/// | `%D` | days, of any number of digits |
/// | `%H`, `%I`, `%p` | hour, 0 to 23, of half a day; `AM` or `PM` |
/// | `%M`, `%S` | minute; second, to 59, and up to 9 digits behind a point |
/// | `%OH`, `%OI`, `%OM`, `%OS` | the same without a sign or a point |
/// | `%R`, `%T`, `%r` | `%H:%M`, `%H:%M:%S`, `%OI:%OM:%OS %p` |
/// | `%n`, `%t`, `%%`, others | newline, tab, that character |
///
/// Before the first of `%D`, `%H`, `%I`, `%M` and `%S` there may be a sign, which is that of the whole: `-1 days 06:00:00` are
/// thirty hours. In libcudf `strings::to_durations`, which gives something for every text.
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
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * As [`to_timestamps`].
#[doc(alias("to_timedelta", "INTERVAL"))]
pub fn to_durations<'a>(column: impl Into<ColumnView<'a>>, output_type: &DataType, format: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("to_durations", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::to_durations(column, output_type, format, ctx))
}

/// Whether each row of text is a duration by `format`, as [`to_durations`] takes them.
///
/// # Types
/// `Utf8` and `LargeUtf8`; `Boolean`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. Whether a type has the duration is not asked. libcudf has
/// no such test.
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
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * As [`to_timestamps`].
#[doc(alias("is_timedelta"))]
pub fn is_duration<'a>(column: impl Into<ColumnView<'a>>, format: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_duration", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::is_duration(column, format, ctx))
}

/// The text of each duration, by `format`.
///
/// # Types
/// Durations; `Utf8`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. Specifiers are those of [`to_durations`]. `%D` are whole days, the others
/// what is left of them; `%S` has a fraction of as many digits as the unit has, unless that is zero. In libcudf `strings::from_durations`.
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
/// At most 1 wait, for the number of bytes; see the table of costs.
///
/// # Errors
/// * As [`from_timestamps`].
#[doc(alias("timedelta to string", "format duration"))]
pub fn from_durations<'a>(column: impl Into<ColumnView<'a>>, format: &str) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("from_durations", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::from_durations(column, format, ctx))
}
