//! Type inference from the first records of a file.

use arrow_array::timezone::Tz;
use arrow_array::types::Date32Type;
use arrow_cast::parse::{Parser, string_to_datetime};
use arrow_schema::{DataType, TimeUnit};

use super::CsvReader;
use super::cells::Cells;
use crate::pieces::Piece;

const INTEGER: u16 = 1;
const FLOAT: u16 = 1 << 1;
const DAY: u16 = 1 << 2;
/// Timestamps with at most six fractional digits of a second.
const INSTANT: u16 = 1 << 3;
/// Timestamps with more than six fractional digits of a second.
const FINE_INSTANT: u16 = 1 << 4;
const TEXT: u16 = 1 << 5;
/// Integers that fit `u64` but not `i64`.
const LARGE_INTEGER: u16 = 1 << 6;
/// A flag that is set if a number is negative.
const NEGATIVE: u16 = 1 << 7;

/// The kinds of values that inference has found in a column.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    kinds: u16,
    /// Whether at least one value is neither a text for true nor a text for false.
    has_others: bool,
}

impl Seen {
    fn add(&mut self, text: &str, reader: &CsvReader) {
        self.kinds |= kind(text, reader);
        self.has_others |= reader.truth(text).is_none();
    }

    /// Returns a type that can represent all values that inference has found, or `Null` if there are no values.
    fn data_type(self) -> DataType {
        if self.kinds == 0 && !self.has_others {
            return DataType::Null;
        }
        let instant = |unit| DataType::Timestamp(unit, None);
        if self.kinds != 0 && !self.has_others {
            return DataType::Boolean;
        }
        let only = |kinds: u16| self.kinds != 0 && self.kinds & !kinds == 0;
        match self.kinds {
            _ if only(INTEGER | NEGATIVE) => DataType::Int64,
            _ if only(INTEGER | LARGE_INTEGER) => DataType::UInt64,
            _ if only(INTEGER | FLOAT | NEGATIVE) => DataType::Float64,
            DAY => DataType::Date32,
            // Later records may have more digits than the first records.
            bits if only(DAY | INSTANT | FINE_INSTANT) => match bits & FINE_INSTANT {
                0 => instant(TimeUnit::Microsecond),
                _ => instant(TimeUnit::Nanosecond),
            },
            _ => DataType::Utf8,
        }
    }
}

pub(super) struct Inference<'a> {
    reader: &'a CsvReader,
    names: Option<Vec<String>>,
    seen: Vec<Seen>,
    records: usize,
}

impl<'a> Inference<'a> {
    pub(super) fn new(reader: &'a CsvReader) -> Inference<'a> {
        Inference { reader, names: None, seen: Vec::new(), records: 0 }
    }

    /// Returns whether inference needs more records: fewer than `wanted` records were read, or the names of the columns
    /// are not known yet.
    pub(super) fn wants_more(&self, wanted: usize) -> bool {
        self.names.is_none() || self.records < wanted
    }

    pub(super) fn see(&mut self, piece: &Piece, wanted: usize) {
        let mut cells = Cells::new(self.reader.dialect, &piece.bytes);
        while self.wants_more(wanted)
            && let Some(record) = cells.next()
        {
            if self.names.is_none() {
                self.seen = vec![Seen::default(); record.len()];
                if self.reader.has_header {
                    self.names = Some(record);
                    continue;
                }
                self.names = Some((1..=record.len()).map(|number| format!("column_{number}")).collect());
            }
            if self.records < wanted {
                self.records += 1;
                // If the record has another number of cells, that is not an error here.
                let values = self.seen.iter_mut().zip(&record);
                values
                    .filter(|(_, text)| !self.reader.is_null(text))
                    .for_each(|(seen, text)| seen.add(text, self.reader));
            }
        }
    }

    /// Returns the names and types of the columns, or `None` if the file has neither a header nor a record.
    pub(super) fn columns(self) -> Option<Vec<(String, DataType)>> {
        Some(self.names?.into_iter().zip(self.seen.iter().map(|seen| seen.data_type())).collect())
    }
}

impl CsvReader {
    /// Returns the boolean that the text means, or `None` if the text does not mean a boolean.
    pub(super) fn truth(&self, text: &str) -> Option<bool> {
        let is = |words: &[String], own| text.eq_ignore_ascii_case(own) || words.iter().any(|word| word == text);
        if is(&self.trues, "true") { Some(true) } else { is(&self.falses, "false").then_some(false) }
    }

    fn is_null(&self, text: &str) -> bool {
        text.is_empty() || self.nulls.iter().any(|null| null == text)
    }
}

fn kind(text: &str, reader: &CsvReader) -> u16 {
    let sign = if text.starts_with('-') { NEGATIVE } else { 0 };
    match number(text.as_bytes(), reader.decimal_point) {
        // A text of 19 or more characters may be a number beyond the range of `i64`.
        Some(INTEGER) if text.len() >= 19 && text.parse::<i64>().is_err() => match text.parse::<u64>() {
            Ok(_) => LARGE_INTEGER,
            Err(_) => TEXT,
        },
        Some(number) => number | sign,
        None if matches!(text, "NaN" | "nan" | "inf" | "-inf") => FLOAT | sign,
        None if !reader.parses_dates => TEXT,
        None => day_or_instant(text).unwrap_or(TEXT),
    }
}

/// If the text is a number, returns the kind: an integer, or a number with a fraction or an exponent.
fn number(text: &[u8], point: u8) -> Option<u16> {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(text);
    let mut rest = &text[whole..];
    if whole > 0 && rest.is_empty() {
        return Some(INTEGER);
    }
    let mut count = whole;
    if let Some(fraction) = rest.strip_prefix(&[point]) {
        count += digits(fraction);
        rest = &fraction[digits(fraction)..];
    }
    if count == 0 {
        return None;
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = exponent.strip_prefix(b"-").or(exponent.strip_prefix(b"+")).unwrap_or(exponent);
        return (!exponent.is_empty() && digits(exponent) == exponent.len()).then_some(FLOAT);
    }
    rest.is_empty().then_some(FLOAT)
}

/// If the text is a valid day or timestamp in ISO 8601, returns the kind.
fn day_or_instant(text: &str) -> Option<u16> {
    let has_form = |text: &[u8], form: &[u8]| {
        let fits = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
        text.len() == form.len() && text.iter().zip(form).all(fits)
    };
    let bytes = text.as_bytes();
    if has_form(bytes, b"0000-00-00") {
        return Date32Type::parse(text).map(|_| DAY);
    }
    let (day, rest) = bytes.split_at_checked(10)?;
    let (time, rest) = rest.split_at_checked(9)?;
    if !has_form(day, b"0000-00-00") || !matches!(time[0], b'T' | b' ') || !has_form(&time[1..], b"00:00:00") {
        return None;
    }
    let kind = match rest {
        [b'.', fraction @ ..] => match fraction.iter().take_while(|byte| byte.is_ascii_digit()).count() {
            1..=6 => INSTANT,
            7..=9 => FINE_INSTANT,
            _ => return None,
        },
        [b'0'..=b'9', ..] => return None,
        _ => INSTANT,
    };
    let utc: Tz = "+00:00".parse().ok()?;
    string_to_datetime(&utc, text).is_ok().then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str], with: impl Fn(CsvReader) -> CsvReader) -> DataType {
        let reader = with(CsvReader::open("").unwrap());
        let mut seen = Seen::default();
        texts.iter().for_each(|text| seen.add(text, &reader));
        seen.data_type()
    }

    #[test]
    fn values_decide_types() {
        use DataType::*;
        let instant = |unit| Timestamp(unit, None);
        for (texts, expected) in [
            (&[][..], Null),
            (&["true", "FALSE"], Boolean),
            (&["1", "-9223372036854775808"], Int64),
            (&["1", "18446744073709551615"], UInt64),
            (&["9223372036854775808", "-1"], Utf8),
            (&["9223372036854775808", "1.5"], Utf8),
            (&["18446744073709551616"], Utf8),
            (&["1", "2.", "-.5", "1e5", "1.5E-10", "inf", "NaN"], Float64),
            (&["1", "true"], Utf8),
            (&["+1"], Utf8),
            (&["1e"], Utf8),
            (&["."], Utf8),
            (&["-"], Utf8),
            (&["1,5"], Utf8),
            (&["2024-02-29"], Date32),
            (&["2023-02-29"], Utf8),
            (&["2024-13-45"], Utf8),
            (&["2024-02-29", "2024-02-29 10:11:12"], instant(TimeUnit::Microsecond)),
            (&["9999-12-31T23:59:59"], instant(TimeUnit::Microsecond)),
            (&["2024-02-29T10:11:12Z", "2024-02-29T10:11:12.5"], instant(TimeUnit::Microsecond)),
            (&["2024-02-29T10:11:12.123456+02:00"], instant(TimeUnit::Microsecond)),
            (&["2024-02-29T10:11:12.1234567", "2024-02-29T10:11:12.1"], instant(TimeUnit::Nanosecond)),
            (&["2024-02-29T25:11:12"], Utf8),
            (&["2024-02-29T10:11:12", "1"], Utf8),
        ] {
            assert_eq!(of(texts, |reader| reader), expected, "{texts:?}");
        }
        assert_eq!(of(&["2024-02-29", "2024-02-29"], |reader| reader.parse_dates(false)), Utf8);
        assert_eq!(of(&["2024", "1.5"], |reader| reader.parse_dates(false)), Float64);
        assert_eq!(of(&["1,5", "2"], |reader| reader.decimal_point(b',')), Float64);
        assert_eq!(of(&["1.5"], |reader| reader.decimal_point(b',')), Utf8);
        let words = |reader: CsvReader| reader.true_value("ja").true_value("1").false_value("0");
        assert_eq!(of(&["ja", "false"], words), Boolean);
        assert_eq!(of(&["1", "0"], words), Boolean);
        assert_eq!(of(&["1", "2"], words), Int64);
    }
}
