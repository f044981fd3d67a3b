//! Results and answers as CSV: a header, commas, null as nothing at all and the empty string as `""`.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

/// Why text or a result is no CSV table.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CsvError {
    /// There is not even a header.
    #[error("no header line")]
    NoHeader,
    /// A line has another number of cells than the header.
    #[error("line {line} has {found} cells, the header has {expected}")]
    Ragged {
        /// Which row, the header being 1.
        line: usize,
        /// Cells of the header.
        expected: usize,
        /// Cells of the row.
        found: usize,
    },
    /// A quoted cell does not end, or goes on behind its closing quote.
    #[error("line {line} has a stray quote")]
    Quote {
        /// Which row, the header being 1.
        line: usize,
    },
    /// A result has a type that has no text here.
    #[error("column {column} is {data_type}, which has no text form here")]
    Unsupported {
        /// The column.
        column: String,
        /// Its type.
        data_type: DataType,
    },
}

/// A cell; `None` is null.
pub(crate) type Cell = Option<String>;

/// A table of texts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sheet {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Sheet {
    /// Reads CSV text.
    ///
    /// # Errors
    /// - the text has no header, rows of unequal length, or stray quotes.
    pub(crate) fn parse(text: &str) -> Result<Sheet, CsvError> {
        let mut lines = split(text)?.into_iter();
        let header: Vec<String> =
            lines.next().ok_or(CsvError::NoHeader)?.into_iter().map(Option::unwrap_or_default).collect();
        let rows: Vec<Vec<Cell>> = lines.collect();
        match rows.iter().position(|row| row.len() != header.len()) {
            Some(at) => Err(CsvError::Ragged { line: at + 2, expected: header.len(), found: rows[at].len() }),
            None => Ok(Sheet { header, rows }),
        }
    }

    /// The texts of a result.
    ///
    /// # Errors
    /// - a column's type has no text form here.
    pub(crate) fn from_batch(batch: &RecordBatch) -> Result<Sheet, CsvError> {
        let schema = batch.schema();
        let mut rows = vec![Vec::with_capacity(batch.num_columns()); batch.num_rows()];
        for (field, column) in schema.fields().iter().zip(batch.columns()) {
            for (index, row) in rows.iter_mut().enumerate() {
                row.push(cell(column, index).ok_or_else(|| CsvError::Unsupported {
                    column: field.name().clone(),
                    data_type: field.data_type().clone(),
                })?);
            }
        }
        Ok(Sheet { header: schema.fields().iter().map(|field| field.name().clone()).collect(), rows })
    }

    /// Writes CSV text.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        let header: Vec<Cell> = self.header.iter().cloned().map(Some).collect();
        for row in std::iter::once(&header).chain(&self.rows) {
            for (index, cell) in row.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                match cell {
                    None => {}
                    Some(cell) if cell.is_empty() || cell.contains([',', '"', '\n', '\r', '#']) => {
                        text.push('"');
                        text.push_str(&cell.replace('"', "\"\""));
                        text.push('"');
                    }
                    Some(cell) => text.push_str(cell),
                }
            }
            text.push('\n');
        }
        text
    }
}

/// One value as text; the outer `None` says that its type has no text here.
fn cell(column: &dyn Array, index: usize) -> Option<Cell> {
    if column.is_null(index) {
        return Some(None);
    }
    let text = match column.data_type() {
        DataType::Boolean => column.as_boolean().value(index).to_string(),
        DataType::Int8 => column.as_primitive::<Int8Type>().value(index).to_string(),
        DataType::Int16 => column.as_primitive::<Int16Type>().value(index).to_string(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(index).to_string(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(index).to_string(),
        DataType::UInt8 => column.as_primitive::<UInt8Type>().value(index).to_string(),
        DataType::UInt16 => column.as_primitive::<UInt16Type>().value(index).to_string(),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(index).to_string(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(index).to_string(),
        DataType::Float32 => column.as_primitive::<Float32Type>().value(index).to_string(),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(index).to_string(),
        DataType::Decimal128(_, scale) => decimal_text(column.as_primitive::<Decimal128Type>().value(index), *scale),
        DataType::Date32 => date_text(column.as_primitive::<Date32Type>().value(index)),
        DataType::Utf8 => column.as_string::<i32>().value(index).to_owned(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(index).to_owned(),
        DataType::Utf8View => column.as_string_view().value(index).to_owned(),
        _ => return None,
    };
    Some(Some(text))
}

/// All digits of `unscaled` · 10^−`scale`.
fn decimal_text(unscaled: i128, scale: i8) -> String {
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = unscaled.unsigned_abs().to_string();
    match usize::try_from(scale) {
        Ok(0) => format!("{sign}{digits}"),
        Ok(scale) => {
            let digits = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = digits.split_at(digits.len() - scale);
            format!("{sign}{whole}.{fraction}")
        }
        Err(_) if unscaled == 0 => digits,
        Err(_) => format!("{sign}{digits}{}", "0".repeat(usize::from(scale.unsigned_abs()))),
    }
}

/// The ISO date of a day counted from 1970-01-01.
fn date_text(days: i32) -> String {
    // Counted from 1 March of year 0, in eras of 400 years, so that leap days come last.
    let days = i64::from(days) + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day_of_month:02}")
}

fn split(text: &str) -> Result<Vec<Vec<Cell>>, CsvError> {
    let mut lines = Vec::new();
    let mut row: Vec<Cell> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() || !row.is_empty() {
        let (cell, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_cell(quoted).ok_or(CsvError::Quote { line: lines.len() + 1 })?,
            None => {
                let end = rest.find([',', '\n']).unwrap_or(rest.len());
                let plain =
                    if rest[end..].starts_with(',') { &rest[..end] } else { rest[..end].trim_end_matches('\r') };
                ((!plain.is_empty()).then(|| plain.to_owned()), &rest[end..])
            }
        };
        row.push(cell);
        let after_line = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n'));
        rest = match (after.strip_prefix(','), after_line) {
            (Some(next), _) => next,
            (None, Some(next)) => {
                lines.push(std::mem::take(&mut row));
                next
            }
            (None, None) if after.is_empty() => {
                lines.push(std::mem::take(&mut row));
                after
            }
            (None, None) => return Err(CsvError::Quote { line: lines.len() + 1 }),
        };
    }
    Ok(lines)
}

/// The cell whose opening quote was just read, and what follows its closing quote.
fn quoted_cell(mut rest: &str) -> Option<(Cell, &str)> {
    let mut cell = String::new();
    loop {
        let (before, after) = rest.split_once('"')?;
        cell.push_str(before);
        match after.strip_prefix('"') {
            Some(next) => {
                cell.push('"');
                rest = next;
            }
            None => return Some((Some(cell), after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, BinaryArray, Date32Array, Decimal128Array, Float64Array, Int64Array, StringArray, StringViewArray,
    };

    use super::*;

    fn sheet(rows: &[&[Option<&str>]]) -> Sheet {
        let rows: Vec<Vec<Cell>> =
            rows.iter().map(|row| row.iter().map(|cell| cell.map(str::to_owned)).collect()).collect();
        Sheet { header: vec!["a".into(), "b".into()], rows }
    }

    #[test]
    fn text_survives_writing_and_reading() {
        let all = sheet(&[
            &[Some("1"), None],
            &[None, None],
            &[Some(""), Some("x,\"y\"\nz")],
            &[Some("Brand#1"), Some(" ends with blanks ")],
            &[Some("é"), Some("\r")],
        ]);
        let text = all.to_text();
        assert_eq!(Sheet::parse(&text).unwrap(), all);
        assert_eq!(Sheet::parse(text.trim_end_matches('\n')).unwrap(), all);
        assert!(text.contains("\"Brand#1\", ends with blanks \n"));
    }

    #[test]
    fn line_ends_of_either_kind() {
        let expected = sheet(&[&[Some("1"), Some("2")], &[Some("3"), None]]);
        for text in ["a,b\n1,2\n3,\n", "a,b\r\n1,2\r\n\"3\",\r\n", "a,b\n1,\"2\"\n3,"] {
            assert_eq!(Sheet::parse(text).unwrap(), expected, "{text:?}");
        }
        assert_eq!(Sheet::parse("a,b\n").unwrap(), sheet(&[]));
    }

    #[test]
    fn bad_text_is_an_error() {
        assert_eq!(Sheet::parse(""), Err(CsvError::NoHeader));
        assert_eq!(Sheet::parse("a,b\n1\n"), Err(CsvError::Ragged { line: 2, expected: 2, found: 1 }));
        assert_eq!(Sheet::parse("a,b\n1,2,3"), Err(CsvError::Ragged { line: 2, expected: 2, found: 3 }));
        assert_eq!(Sheet::parse("a,b\n1,\"2"), Err(CsvError::Quote { line: 2 }));
        assert_eq!(Sheet::parse("a,b\n\"1\"x,2"), Err(CsvError::Quote { line: 2 }));
    }

    #[test]
    fn decimals_keep_their_digits() {
        for (unscaled, scale, text) in [
            (118_034_202_534, 4, "11803420.2534"),
            (0, 2, "0.00"),
            (-5, 2, "-0.05"),
            (100, 0, "100"),
            (12, -2, "1200"),
            (0, -2, "0"),
            (i128::MIN, 4, "-17014118346046923173168730371588410.5728"),
        ] {
            assert_eq!(decimal_text(unscaled, scale), text);
        }
    }

    #[test]
    fn dates_are_iso() {
        for (day, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (8_766, "1994-01-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (-719_468, "0000-03-01"),
        ] {
            assert_eq!(date_text(day), text);
        }
        for day in [i32::MIN, i32::MAX] {
            assert!(!date_text(day).is_empty());
        }
    }

    #[test]
    fn results_become_text() {
        let money = Decimal128Array::from(vec![Some(150), None]).with_precision_and_scale(38, 2).unwrap();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("money", Arc::new(money)),
            ("day", Arc::new(Date32Array::from(vec![0, 1]))),
            ("mean", Arc::new(Float64Array::from(vec![0.1, -2.0]))),
            ("count", Arc::new(Int64Array::from(vec![7, -7]))),
            ("name", Arc::new(StringArray::from(vec![Some("x"), None]))),
            ("view", Arc::new(StringViewArray::from(vec![Some("y#"), Some("")]))),
        ];
        let text = Sheet::from_batch(&RecordBatch::try_from_iter(columns).unwrap()).unwrap().to_text();
        assert_eq!(text, "money,day,mean,count,name,view\n1.50,1970-01-01,0.1,7,x,\"y#\"\n,1970-01-02,-2,-7,,\"\"\n");

        let bytes: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"x"]));
        let error = Sheet::from_batch(&RecordBatch::try_from_iter([("raw", bytes)]).unwrap()).unwrap_err();
        assert_eq!(error, CsvError::Unsupported { column: "raw".into(), data_type: DataType::Binary });
    }
}
