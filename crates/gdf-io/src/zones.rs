//! Timestamps with a time zone as text. In RFC 3339, offsets from UTC have no seconds, but until 1972 some zones had
//! offsets with seconds.

use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::as_datetime_with_timezone;
use arrow_array::timezone::Tz;
use arrow_array::types::{Int64Type, TimestampSecondType};
use arrow_array::{Array, Int64Array};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType, TimeUnit};

/// The last second at which the offset of a zone had seconds: in Liberia, on 1972-01-07.
const LAST: i64 = 63_593_069;

/// Formats timestamps with a time zone.
pub(crate) struct ZonedTimes<'a> {
    array: &'a dyn Array,
    numbers: Int64Array,
    in_second: i64,
    zone: Tz,
    local: ArrayFormatter<'a>,
}

impl<'a> ZonedTimes<'a> {
    /// Returns `None` if the array has no timestamps with a time zone.
    ///
    /// # Errors
    /// - The time zone is unknown.
    pub(crate) fn of(array: &'a dyn Array) -> Result<Option<ZonedTimes<'a>>, ArrowError> {
        let DataType::Timestamp(unit, Some(zone)) = array.data_type() else { return Ok(None) };
        let in_second = match unit {
            TimeUnit::Second => 1,
            TimeUnit::Millisecond => 1_000,
            TimeUnit::Microsecond => 1_000_000,
            TimeUnit::Nanosecond => 1_000_000_000,
        };
        let numbers = arrow_cast::cast(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone();
        let local = ArrayFormatter::try_new(array, &FormatOptions::new().with_display_error(false))?;
        Ok(Some(ZonedTimes { array, numbers, in_second, zone: zone.parse()?, local }))
    }

    /// Returns whether the offset from UTC has seconds. The row must not be null.
    pub(crate) fn has_seconds(&self, row: usize) -> bool {
        let second = self.numbers.value(row).div_euclid(self.in_second);
        // The offset is `+01:00` or `+00:09:21`.
        let is_long = |offset: String| offset.len() > "+01:00".len();
        second <= LAST
            && as_datetime_with_timezone::<TimestampSecondType>(second, self.zone)
                .is_some_and(|time| is_long(time.offset().to_string()))
    }

    /// Returns the text of a row that is not null: the local time with its offset, or the time in UTC if the offset has
    /// seconds.
    ///
    /// # Errors
    /// - The time is outside of the calendar.
    pub(crate) fn text(&self, row: usize) -> Result<String, ArrowError> {
        if !self.has_seconds(row) {
            return self.local.value(row).try_to_string();
        }
        let DataType::Timestamp(unit, _) = self.array.data_type() else { return Ok(String::new()) };
        let utc = arrow_cast::cast(&self.array.slice(row, 1), &DataType::Timestamp(*unit, Some("UTC".into())))?;
        ArrayFormatter::try_new(&utc, &FormatOptions::new().with_display_error(false))?.value(0).try_to_string()
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{TimestampMillisecondArray, TimestampSecondArray};

    use super::*;

    #[test]
    fn offsets_with_seconds_are_replaced_by_utc() {
        // Liberia changed its offset one second after the first time.
        let array = TimestampSecondArray::from(vec![LAST, LAST + 1]).with_timezone("Africa/Monrovia");
        let times = ZonedTimes::of(&array).unwrap().unwrap();
        let texts = [0, 1].map(|row| times.text(row).unwrap());
        assert_eq!(texts, ["1972-01-07T00:44:29Z", "1972-01-07T00:44:30Z"].map(str::to_owned));
        assert_eq!([0, 1].map(|row| times.has_seconds(row)), [true, false]);
        // Paris had the offset 00:09:21 until 1911.
        let array = TimestampMillisecondArray::from(vec![-2_208_988_799_999, 0]).with_timezone("Europe/Paris");
        let times = ZonedTimes::of(&array).unwrap().unwrap();
        let texts = [0, 1].map(|row| times.text(row).unwrap());
        assert_eq!(texts, ["1900-01-01T00:00:00.001Z", "1970-01-01T01:00:00+01:00"].map(str::to_owned));
        // The last millisecond of that offset. It lies in the second before the change, not in the second of the change.
        let change = -1_855_958_961_000;
        let array = TimestampMillisecondArray::from(vec![change - 1, change]).with_timezone("Europe/Paris");
        let times = ZonedTimes::of(&array).unwrap().unwrap();
        assert_eq!([0, 1].map(|row| times.has_seconds(row)), [true, false]);
        assert_eq!(times.text(0).unwrap(), "1911-03-10T23:50:38.999Z");
    }
}
