//! Formats of dates, times and durations.

use gdf_core::{Error, Result};
use gdf_kernels::generated::strings::{DateSource, MAX_TIME_FIELDS, TimeField, TimeFormat};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    ReadTimestamps,
    WriteTimestamps,
    ReadDurations,
    WriteDurations,
}

impl Direction {
    fn is_duration(self) -> bool {
        matches!(self, Self::ReadDurations | Self::WriteDurations)
    }

    fn reads(self) -> bool {
        matches!(self, Self::ReadTimestamps | Self::ReadDurations)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FormatField {
    pub(super) kind: TimeField,
    /// The literal byte of a byte field, or a number of digits.
    pub(super) argument: u8,
}

/// The expansion of a specifier: one or more fields, or other specifiers.
enum FieldKind {
    Field(TimeField),
    /// A field that begins with the sign of a duration, unless an earlier field already has the sign.
    Signed(TimeField),
    Format(&'static str),
    Byte(u8),
}

#[derive(Clone, Debug)]
pub(super) struct Format {
    pub(super) fields: Vec<FormatField>,
    pub(super) source: DateSource,
    is_duration: bool,
}

impl Format {
    /// Parses a format.
    ///
    /// # Errors
    /// * [`InvalidPattern`](Error::InvalidPattern), with the byte at which the fault begins.
    pub(super) fn new(format: &str, direction: Direction, unit_digits: u8) -> Result<Self> {
        if format.is_empty() {
            return Err(
                Error::invalid_pattern(format, None, "the format is empty; add a specifier").in_argument("format")
            );
        }
        let source = DateSource::Month;
        let mut this = Self { fields: Vec::new(), source, is_duration: direction.is_duration() };
        this.push_all(format, direction, unit_digits)
            .and_then(|()| if direction.reads() { this.check() } else { Ok(()) })
            .map_err(|(offset, what)| Error::invalid_pattern(format, offset, what).in_argument("format"))?;
        if this.fields.len() > MAX_TIME_FIELDS {
            return Err(Error::beyond_limit(
                "the number of fields of the format",
                this.fields.len() as i128,
                MAX_TIME_FIELDS as i128,
            )
            .in_argument("format"));
        }
        Ok(this)
    }

    /// Returns the format as an argument of kernels, for a type with `ticks_per_day` ticks of `nanoseconds`
    /// nanoseconds each.
    pub(super) fn for_ticks(&self, ticks_per_day: i64, nanoseconds: i64) -> TimeFormat {
        let mut fields = [0; MAX_TIME_FIELDS];
        for (slot, field) in fields.iter_mut().zip(&self.fields) {
            *slot = field.kind as u16 | u16::from(field.argument) << 8;
        }
        TimeFormat {
            ticks_per_day,
            nanoseconds,
            count: self.fields.len() as i32,
            source: self.source as i32,
            is_duration: i32::from(self.is_duration),
            unused: 0,
            fields,
        }
    }

    fn push(&mut self, kind: TimeField, argument: u8) {
        self.fields.push(FormatField { kind, argument });
    }

    fn push_all(
        &mut self,
        format: &str,
        direction: Direction,
        unit_digits: u8,
    ) -> Result<(), (Option<usize>, &'static str)> {
        let mut rest = format.bytes().enumerate().peekable();
        while let Some((at, byte)) = rest.next() {
            if byte != b'%' {
                self.push(TimeField::Byte, byte);
                continue;
            }
            let Some((_, mut specifier)) = rest.next() else {
                return Err((Some(at), "no specifier follows %; add a specifier, or write %% for a percent sign"));
            };
            let mut digits = None;
            if specifier.is_ascii_digit() && rest.peek().is_some_and(|(_, next)| *next == b'f') {
                digits = Some(specifier - b'0').filter(|digits| *digits != 0);
                if digits.is_none() {
                    return Err((Some(at), "the number of digits of a fraction must be in the range from 1 to 9"));
                }
                rest.next();
                specifier = b'f';
            }
            let unsigned = specifier == b'O' && direction.is_duration();
            if unsigned {
                specifier = rest.next().map(|(_, byte)| byte).filter(|byte| b"HIMS".contains(byte)).unwrap_or(0);
            }
            match field_kind(specifier, direction)
                .ok_or((Some(at), "the type has no such specifier; write %% for a percent sign"))?
            {
                FieldKind::Byte(byte) => self.push(TimeField::Byte, byte),
                FieldKind::Field(kind) => self.push(kind, digits.unwrap_or(6)),
                FieldKind::Format(format) => self.push_all(format, direction, unit_digits)?,
                FieldKind::Signed(kind) => {
                    if !unsigned && !self.has(&[TimeField::Sign]) {
                        self.push(TimeField::Sign, 0);
                    }
                    self.push(kind, 0);
                    if kind == TimeField::Second && !unsigned && (direction.reads() || unit_digits > 0) {
                        self.push(TimeField::SecondFraction, unit_digits);
                    }
                }
            }
        }
        Ok(())
    }

    fn has(&self, kinds: &[TimeField]) -> bool {
        self.fields.iter().any(|field| kinds.contains(&field.kind))
    }

    /// Returns an error if the format has a component twice, or has a component that needs a missing component.
    fn check(&mut self) -> Result<(), (Option<usize>, &'static str)> {
        use TimeField as F;
        let once: [&[TimeField]; 13] = [
            &[F::Year, F::YearOfCentury],
            &[F::Month, F::MonthName, F::ShortMonthName],
            &[F::Day],
            &[F::DayOfYear],
            &[F::SundayWeek, F::MondayWeek],
            &[F::IsoWeekday, F::Weekday, F::WeekdayName, F::ShortWeekdayName],
            &[F::Days],
            &[F::Hour, F::HourOfHalf, F::HourFromZero],
            &[F::Half],
            &[F::Minute],
            &[F::Second],
            &[F::Fraction, F::SecondFraction],
            &[F::Offset],
        ];
        let count = |kinds: &[TimeField]| self.fields.iter().filter(|field| kinds.contains(&field.kind)).count();
        if once.iter().any(|kinds| count(kinds) > 1) {
            return Err((None, "two specifiers stand for the same part of the date or time; remove one of them"));
        }
        if self.has(&[F::Half]) && !self.has(&[F::HourOfHalf, F::HourFromZero]) {
            return Err((None, "%p needs an hour; add %I"));
        }
        let (by_month, by_day) =
            (self.has(&[F::Month, F::MonthName, F::ShortMonthName, F::Day]), self.has(&[F::DayOfYear]));
        self.source = match (self.has(&[F::SundayWeek]), self.has(&[F::MondayWeek])) {
            (true, _) => DateSource::SundayWeek,
            (_, true) => DateSource::MondayWeek,
            _ if by_day => DateSource::DayOfYear,
            _ => DateSource::Month,
        };
        let by_week = matches!(self.source, DateSource::SundayWeek | DateSource::MondayWeek);
        if usize::from(by_month) + usize::from(by_day) + usize::from(by_week) > 1 {
            return Err((
                None,
                "the format describes the date twice; use either month and day, or the day of the year, or the week",
            ));
        }
        if by_week && !self.has(once[5]) {
            return Err((None, "a week needs a day of the week; add %u, %w, %a or %A"));
        }
        Ok(())
    }
}

fn field_kind(specifier: u8, direction: Direction) -> Option<FieldKind> {
    use FieldKind::{Byte, Field, Format, Signed};
    use TimeField as F;
    if specifier == b'%' {
        return Some(Byte(b'%'));
    }
    let is_duration = direction.is_duration();
    Some(match specifier {
        b'n' if is_duration => Byte(b'\n'),
        b't' if is_duration => Byte(b'\t'),
        b'D' if is_duration => Signed(F::Days),
        b'H' if is_duration => Signed(F::Hour),
        b'I' if is_duration => Signed(F::HourFromZero),
        b'M' if is_duration => Signed(F::Minute),
        b'S' if is_duration => Signed(F::Second),
        b'p' => Field(F::Half),
        b'R' => Format("%H:%M"),
        b'T' => Format("%H:%M:%S"),
        b'r' if is_duration => Format("%OI:%OM:%OS %p"),
        _ if is_duration => return None,
        b'Y' => Field(F::Year),
        b'y' => Field(F::YearOfCentury),
        b'm' => Field(F::Month),
        b'B' => Field(F::MonthName),
        b'b' => Field(F::ShortMonthName),
        b'd' => Field(F::Day),
        b'j' => Field(F::DayOfYear),
        b'U' => Field(F::SundayWeek),
        b'W' => Field(F::MondayWeek),
        b'u' => Field(F::IsoWeekday),
        b'w' => Field(F::Weekday),
        b'A' => Field(F::WeekdayName),
        b'a' => Field(F::ShortWeekdayName),
        b'H' => Field(F::Hour),
        b'I' => Field(F::HourOfHalf),
        b'M' => Field(F::Minute),
        b'S' => Field(F::Second),
        b'f' => Field(F::Fraction),
        b'z' => Field(F::Offset),
        b'F' => Format("%Y-%m-%d"),
        b'V' if !direction.reads() => Field(F::IsoWeek),
        b'G' if !direction.reads() => Field(F::IsoYear),
        b'Z' if !direction.reads() => Field(F::ZoneName),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the byte position and the text of the error for an invalid format.
    fn refusal(format: &str, direction: Direction) -> (Option<usize>, String) {
        match Format::new(format, direction, 0) {
            Err(Error::InvalidPattern { offset, what, .. }) => (offset, what.into()),
            other => panic!("{format}: {other:?}"),
        }
    }

    #[test]
    fn formats_are_refused_where_they_are_wrong() {
        let read = |format| refusal(format, Direction::ReadTimestamps);
        assert_eq!(read("%Y-%Q"), (Some(3), "the type has no such specifier; write %% for a percent sign".to_owned()));
        assert_eq!(
            read("%Y%"),
            (Some(2), "no specifier follows %; add a specifier, or write %% for a percent sign".to_owned())
        );
        assert_eq!(
            read("%0f"),
            (Some(0), "the number of digits of a fraction must be in the range from 1 to 9".to_owned())
        );
        assert_eq!(read("%Z").0, Some(0));
        for format in ["", "%Y %y", "%H %p", "%m %j", "%U", "%j %W %u", "%d %d"] {
            assert_eq!(read(format).0, None, "{format}");
        }
        assert_eq!(refusal("%H %Y", Direction::ReadDurations).0, Some(3));
        assert_eq!(refusal("%OD", Direction::WriteDurations).0, Some(0));
        assert!(Format::new("%Y %y %Z%%", Direction::WriteTimestamps, 0).is_ok());
    }

    #[test]
    fn a_duration_has_one_sign() {
        let format = Format::new("%D %T", Direction::WriteDurations, 3).unwrap();
        let signs = format.fields.iter().filter(|field| field.kind == TimeField::Sign).count();
        assert_eq!((signs, format.fields[0].kind), (1, TimeField::Sign));
        assert_eq!(format.fields.last().map(|field| field.argument), Some(3));
    }
}
