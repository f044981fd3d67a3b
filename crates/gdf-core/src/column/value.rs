//! Reads the values of columns into Rust types. Each call downloads the rows once.

use arrow_schema::DataType;
use gdf_driver::Stream;
use gdf_memory::Buffer;

use crate::host_vec::{host_vec, reserved};
use crate::{
    Column, ColumnView, Error, ExpectedType, NativeValue, PhysicalType, Result, StringsView, bitmask, is_string,
    physical_type, scope,
};

/// The Rust types into which the rows of a column, or the value of a [`Scalar`](crate::Scalar), can be read.
///
/// Every [`NativeType`](crate::NativeType) and `bool` can be read from each column that stores values of that Rust
/// type. For example, `i32` can also be read from dates, and `i128` from decimals. `String` can be read from all types
/// of text and from dictionaries of text.
///
/// If the feature `chrono` is on, these types can be read from columns of any unit: `NaiveDate` from dates, `NaiveTime`
/// from times of day, `NaiveDateTime` from timestamps without a time zone, `DateTime<Utc>` from timestamps with a time
/// zone, and `TimeDelta` from durations.
pub trait ColumnValue: Sized {
    /// Returns an error if a column of this type cannot be read as `Self`.
    #[doc(hidden)]
    fn expect(data_type: &DataType) -> Result<()>;
    /// Returns the rows of a column whose type [`expect`](Self::expect) accepts. Waits for device memory.
    #[doc(hidden)]
    fn read(view: ColumnView<'_>, stream: &Stream) -> Result<Vec<Option<Self>>>;
}

impl<'a> ColumnView<'a> {
    /// Returns the values of the rows in memory of the CPU. A null becomes `None`. If the column is on a GPU, the call
    /// copies the rows once and **waits**.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the column does not store values of `T`; see [`ColumnValue`].
    /// - [`Error::InvalidData`]: the text is not UTF-8, or `T` cannot represent a date or time.
    /// - Driver and memory errors.
    pub fn to_vec<T: ColumnValue>(self) -> Result<Vec<Option<T>>> {
        scope::run_on(self.device(), |ctx| self.to_vec_on(ctx.stream))
    }

    /// Does the work of [`ColumnView::to_vec`] on `stream`.
    ///
    /// # Errors
    /// - The errors of [`ColumnView::to_vec`].
    /// - [`Error::DeviceMismatch`]: `stream` belongs to a different device than the column.
    pub fn to_vec_on<T: ColumnValue>(self, stream: &Stream) -> Result<Vec<Option<T>>> {
        T::expect(self.data_type())?;
        if stream.device() != self.device() {
            return Err(Error::device_mismatch(self.device(), stream.device()));
        }
        T::read(self, stream)
    }
}

impl Column {
    /// Returns the values of the rows in memory of the CPU. A null becomes `None`. If the column is on a GPU, the call
    /// copies the rows once and **waits**.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::{Column, DataType};
    ///
    /// let column = Column::from_options(&[Some(1.5), None])?;
    /// assert_eq!(column.to_vec::<f64>()?, [Some(1.5), None]);
    /// assert_eq!(column.slice(1, 1)?.to_vec::<f64>()?, [None]);
    /// assert!(column.to_vec::<i64>().is_err());
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the column does not store values of `T`; see [`ColumnValue`].
    /// - [`Error::InvalidData`]: the text is not UTF-8, or `T` cannot represent a date or time.
    /// - Driver and memory errors.
    #[doc(alias("values", "to_list", "to_pylist"))]
    pub fn to_vec<T: ColumnValue>(&self) -> Result<Vec<Option<T>>> {
        self.view().to_vec()
    }

    /// Does the work of [`Column::to_vec`] on `stream`.
    ///
    /// # Errors
    /// - The errors of [`Column::to_vec`].
    /// - [`Error::DeviceMismatch`]: `stream` belongs to a different device than the column.
    pub fn to_vec_on<T: ColumnValue>(&self, stream: &Stream) -> Result<Vec<Option<T>>> {
        self.view().to_vec_on(stream)
    }

    /// Returns the rows of a column of text, or of a dictionary of text. **Waits** for device memory.
    ///
    /// # Errors
    /// - The errors of [`Column::to_vec`].
    pub fn to_strings(&self) -> Result<Vec<Option<String>>> {
        self.to_vec()
    }

    /// Returns the value of a row. Returns `None` if the row is null.
    ///
    /// **Waits** for device memory at each call. To read many rows, use [`Column::to_vec`].
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::Column;
    ///
    /// let cities = Column::from_strs([Some("Oslo"), None])?;
    /// assert_eq!(cities.get::<String>(0)?.as_deref(), Some("Oslo"));
    /// assert_eq!(cities.get::<String>(1)?, None);
    /// assert!(cities.get::<String>(2).is_err());
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`]: there is no such row.
    /// - The errors of [`Column::to_vec`].
    pub fn get<T: ColumnValue>(&self, row: usize) -> Result<Option<T>> {
        if row >= self.len() {
            return Err(Error::out_of_bounds(row as i128, self.len()));
        }
        Ok(self.view().slice(row, 1)?.to_vec()?.pop().flatten())
    }

    /// Returns an iterator over the rows. A null becomes `None`.
    ///
    /// This call downloads all rows, and **waits** for device memory. The iterator does not wait.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::Column;
    ///
    /// let column = Column::from_options(&[Some(1), None, Some(3)])?;
    /// assert_eq!(column.iter::<i32>()?.flatten().sum::<i32>(), 4);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - The errors of [`Column::to_vec`].
    pub fn iter<T: ColumnValue>(&self) -> Result<std::vec::IntoIter<Option<T>>> {
        Ok(self.to_vec()?.into_iter())
    }
}

enum Valid {
    All,
    None,
    Bits { bits: Vec<u8>, first: usize },
}

impl Valid {
    fn of(view: ColumnView<'_>, stream: &Stream) -> Result<Valid> {
        match (view.known_null_count(), view.validity()) {
            (Some(0), _) | (None, None) => Ok(Valid::All),
            (Some(count), _) if count == view.len() => Ok(Valid::None),
            (_, None) => Ok(Valid::All),
            (_, Some(validity)) => {
                let (start, first) = (view.offset() / 8, view.offset() % 8);
                let bits = validity.slice(start, bitmask::used_bytes(first + view.len()))?.to_host(stream)?;
                Ok(Valid::Bits { bits, first })
            }
        }
    }

    fn is_valid(&self, row: usize) -> bool {
        match self {
            Valid::All => true,
            Valid::None => false,
            Valid::Bits { bits, first } => bitmask::get_bit(bits, first + row),
        }
    }

    /// Returns one item per row of `values`.
    fn apply<T>(&self, values: impl ExactSizeIterator<Item = T>) -> Result<Vec<Option<T>>> {
        host_vec(values.enumerate().map(|(row, value)| self.is_valid(row).then_some(value)))
    }
}

impl<T: NativeValue> ColumnValue for T {
    fn expect(data_type: &DataType) -> Result<()> {
        if physical_type(data_type) == T::PHYSICAL {
            return Ok(());
        }
        // The name in the error message is the simplest type from which `T` can be read.
        let error = Error::type_mismatch(ExpectedType::ValuesOf(T::TYPE_NAME), data_type);
        Err(error.with_remedy("`cast` the column to the type that is read, or read the type that it has"))
    }

    fn read(view: ColumnView<'_>, stream: &Stream) -> Result<Vec<Option<T>>> {
        let valid = Valid::of(view, stream)?;
        if matches!(valid, Valid::None) {
            return host_vec((0..view.len()).map(|_| None));
        }
        let values = T::download(view.buffer(0)?, view.offset(), view.len(), stream)?;
        valid.apply(values.into_iter())
    }
}

impl ColumnValue for String {
    fn expect(data_type: &DataType) -> Result<()> {
        match data_type {
            DataType::Dictionary(_, values) if is_string(values) => Ok(()),
            _ if is_string(data_type) => Ok(()),
            _ => Err(Error::type_mismatch("a type of strings, such as Utf8", data_type)),
        }
    }

    fn read(view: ColumnView<'_>, stream: &Stream) -> Result<Vec<Option<String>>> {
        if let DataType::Dictionary(_, _) = view.data_type() {
            return of_dictionary(view, stream);
        }
        let valid = Valid::of(view, stream)?;
        let text = Text::download(view, stream)?;
        let mut rows = reserved(view.len())?;
        for row in 0..view.len() {
            rows.push(if valid.is_valid(row) { Some(text.row(row)?) } else { None });
        }
        Ok(rows)
    }
}

/// Returns for each row the text that the key of the row selects.
fn of_dictionary(view: ColumnView<'_>, stream: &Stream) -> Result<Vec<Option<String>>> {
    let values = String::read(view.child(0)?, stream)?;
    let keys = integers(view, stream)?;
    let invalid =
        Error::invalid_data("a dictionary key is negative, or is not less than the number of dictionary values");
    let text = |key: Option<i64>| match key {
        None => Some(None),
        Some(key) => usize::try_from(key).ok().and_then(|key| values.get(key).cloned()),
    };
    keys.into_iter().map(text).collect::<Option<_>>().ok_or(invalid)
}

/// Returns the values of a column of integers of up to 64 bits, or the keys of a dictionary column.
fn integers(view: ColumnView<'_>, stream: &Stream) -> Result<Vec<Option<i64>>> {
    fn read<T: NativeValue>(view: ColumnView<'_>, stream: &Stream, wide: fn(T) -> i64) -> Result<Vec<Option<i64>>> {
        let rows = T::read(view, stream)?;
        host_vec(rows.into_iter().map(|row| row.map(wide)))
    }
    let stored = match view.data_type() {
        DataType::Dictionary(keys, _) => physical_type(keys),
        other => physical_type(other),
    };
    match stored {
        PhysicalType::I8 => read(view, stream, |x: i8| x.into()),
        PhysicalType::I16 => read(view, stream, |x: i16| x.into()),
        PhysicalType::I32 => read(view, stream, |x: i32| x.into()),
        PhysicalType::I64 => read(view, stream, |x: i64| x),
        PhysicalType::U8 => read(view, stream, |x: u8| x.into()),
        PhysicalType::U16 => read(view, stream, |x: u16| x.into()),
        PhysicalType::U32 => read(view, stream, |x: u32| x.into()),
        // Unsigned keys beyond the range of `i64` are invalid in any dictionary.
        PhysicalType::U64 => read(view, stream, |x: u64| i64::try_from(x).unwrap_or(-1)),
        _ => Err(Error::type_mismatch("a type whose values are stored as integers", view.data_type())),
    }
}

enum Text {
    Offsets { offsets: Vec<i64>, bytes: Vec<u8> },
    Views { views: Vec<u8>, buffers: Vec<Vec<u8>> },
}

impl Text {
    fn download(view: ColumnView<'_>, stream: &Stream) -> Result<Text> {
        let Ok(strings) = StringsView::try_from(view) else {
            let views = view.buffer(0)?.slice(view.offset() * 16, view.len() * 16)?.to_host(stream)?;
            let download = |buffer: &Buffer| Ok(buffer.to_host(stream)?);
            let buffers = view.buffers()[1..].iter().map(download).collect::<Result<_>>()?;
            return Ok(Text::Views { views, buffers });
        };
        if view.is_empty() {
            // Arrow allows a column without rows to have no offsets at all.
            return Ok(Text::Offsets { offsets: Vec::new(), bytes: Vec::new() });
        }
        let (first, len) = (view.offset(), view.len() + 1);
        let offsets = if strings.is_large() {
            i64::download(strings.offsets(), first, len, stream)?
        } else {
            host_vec(i32::download(strings.offsets(), first, len, stream)?.into_iter().map(i64::from))?
        };
        let invalid = || Error::invalid_data("an offset points outside of the bytes of the column");
        let at = |row: usize| usize::try_from(offsets[row]).map_err(|_| invalid());
        let (start, end) = (at(0)?, at(view.len())?);
        let len = end.checked_sub(start).filter(|_| end <= strings.chars().len()).ok_or_else(invalid)?;
        Ok(Text::Offsets { bytes: strings.chars().slice(start, len)?.to_host(stream)?, offsets })
    }

    fn row(&self, row: usize) -> Result<String> {
        let bytes =
            self.bytes(row).ok_or_else(|| Error::invalid_data("a string view points outside of its data buffer"))?;
        let text =
            std::str::from_utf8(bytes).map_err(|_| Error::invalid_data("the bytes of a string are not UTF-8"))?;
        Ok(text.to_owned())
    }

    fn bytes(&self, row: usize) -> Option<&[u8]> {
        match self {
            Text::Offsets { offsets, bytes } => {
                let at = |row: usize| usize::try_from(offsets.get(row)?.checked_sub(offsets[0])?).ok();
                bytes.get(at(row)?..at(row + 1)?)
            }
            Text::Views { views, buffers } => {
                let view = views.get(row * 16..row * 16 + 16)?;
                let ([size, _, buffer, start], []) = view.as_chunks::<4>() else { return None };
                let word = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes) as usize;
                let size = word(size);
                match view[4..].get(..size) {
                    Some(inline) => Some(inline),
                    None => buffers.get(word(buffer))?.get(word(start)..)?.get(..size),
                }
            }
        }
    }
}

/// Values of the types of chrono, read from dates and times.
#[cfg(feature = "chrono")]
mod of_chrono {
    use arrow_schema::TimeUnit;
    use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};

    use super::*;

    const DAY: i64 = 86_400;

    fn per_second(unit: &TimeUnit) -> i64 {
        match unit {
            TimeUnit::Second => 1,
            TimeUnit::Millisecond => 1_000,
            TimeUnit::Microsecond => 1_000_000,
            TimeUnit::Nanosecond => 1_000_000_000,
        }
    }

    fn split(ticks: i64, per_second: i64) -> (i64, u32) {
        (ticks.div_euclid(per_second), (ticks.rem_euclid(per_second) * (1_000_000_000 / per_second)) as u32)
    }

    fn date(data_type: &DataType, ticks: i64) -> Option<NaiveDate> {
        let seconds = if *data_type == DataType::Date32 { ticks * DAY } else { ticks.div_euclid(1000) };
        Some(DateTime::from_timestamp(seconds, 0)?.date_naive())
    }

    fn time(data_type: &DataType, ticks: i64) -> Option<NaiveTime> {
        let (DataType::Time32(unit) | DataType::Time64(unit)) = data_type else { return None };
        let (seconds, nanos) = split(ticks, per_second(unit));
        NaiveTime::from_num_seconds_from_midnight_opt(u32::try_from(seconds).ok()?, nanos)
    }

    fn instant(data_type: &DataType, ticks: i64) -> Option<DateTime<Utc>> {
        let DataType::Timestamp(unit, _) = data_type else { return None };
        let (seconds, nanos) = split(ticks, per_second(unit));
        DateTime::from_timestamp(seconds, nanos)
    }

    fn local(data_type: &DataType, ticks: i64) -> Option<NaiveDateTime> {
        Some(instant(data_type, ticks)?.naive_utc())
    }

    fn duration(data_type: &DataType, ticks: i64) -> Option<TimeDelta> {
        let DataType::Duration(unit) = data_type else { return None };
        let (seconds, nanos) = split(ticks, per_second(unit));
        TimeDelta::new(seconds, nanos)
    }

    macro_rules! dates {
        ($($kind:ty: $name:literal, $types:pat => $value:ident;)*) => {$(
            impl ColumnValue for $kind {
                fn expect(data_type: &DataType) -> Result<()> {
                    match data_type {
                        $types => Ok(()),
                        _ => Err(Error::type_mismatch($name, data_type)),
                    }
                }

                fn read(view: ColumnView<'_>, stream: &Stream) -> Result<Vec<Option<Self>>> {
                    let value = |ticks: Option<i64>| match ticks {
                        Some(ticks) => $value(view.data_type(), ticks).map(Some),
                        None => Some(None),
                    };
                    let rows = integers(view, stream)?.into_iter().map(value).collect::<Option<_>>();
                    rows.ok_or_else(|| Error::invalid_data("a date or time exceeds the range of chrono; read the \
                            values as integers instead"))
                }
            }
        )*};
    }

    dates! {
        NaiveDate: "a date", DataType::Date32 | DataType::Date64 => date;
        NaiveTime: "a time of day", DataType::Time32(_) | DataType::Time64(_) => time;
        NaiveDateTime: "a timestamp without time zone", DataType::Timestamp(_, None) => local;
        DateTime<Utc>: "a timestamp with time zone", DataType::Timestamp(_, Some(_)) => instant;
        TimeDelta: "a duration", DataType::Duration(_) => duration;
    }
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
