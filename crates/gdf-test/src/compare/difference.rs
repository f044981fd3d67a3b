//! The differences between an expected and an actual result, with readable messages.

use std::fmt;

use arrow_schema::DataType;

use crate::value::Value;

/// The first difference between an expected result and the actual result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Difference {
    /// The tables have different numbers of columns.
    ColumnCount {
        /// The expected number of columns.
        expected: usize,
        /// The actual number of columns.
        got: usize,
    },
    /// The types of a column differ.
    Type {
        /// The position of the column.
        column: usize,
        /// The expected type.
        expected: DataType,
        /// The actual type.
        got: DataType,
    },
    /// The lengths of a column differ.
    Length {
        /// The position of the column.
        column: usize,
        /// The expected number of rows.
        expected: usize,
        /// The actual number of rows.
        got: usize,
    },
    /// The values of a row differ.
    Row {
        /// The position of the column.
        column: usize,
        /// The first row that differs.
        row: usize,
        /// The expected value of the row. `None` is null.
        expected: Box<Option<Value>>,
        /// The actual value of the row.
        got: Box<Option<Value>>,
        /// The number of rows that differ.
        rows: usize,
        /// The number of rows of the column.
        of: usize,
    },
    /// The tables have different rows, even if the order of rows does not count.
    Rows {
        /// A row that the expected result has more often than the actual result.
        missing: Option<Vec<Option<Value>>>,
        /// A row that the actual result has more often than the expected result.
        surplus: Option<Vec<Option<Value>>>,
    },
}

/// Shows a value.
struct Shown<'a>(&'a Option<Value>);

const LONGEST: usize = 160;

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.0 {
            None => "null".to_owned(),
            Some(Value::F32(value)) => format!("{value:?} (bits {:#010x})", value.to_bits()),
            Some(Value::F64(value)) => format!("{value:?} (bits {:#018x})", value.to_bits()),
            Some(Value::Decimal(value)) => format!("{value} unscaled"),
            Some(value) => format!("{value:?}"),
        };
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => write!(f, "{}… ({} bytes)", &text[..end], text.len()),
            None => f.write_str(&text),
        }
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, row: &[Option<Value>]) -> fmt::Result {
    for (i, value) in row.iter().enumerate() {
        write!(f, "{}{}", if i > 0 { " | " } else { "" }, Shown(value))?;
    }
    Ok(())
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::ColumnCount { expected, got } => {
                write!(f, "expected {expected} columns, got {got}")
            }
            Difference::Type { column, expected, got } => {
                write!(f, "column {column}: expected type {expected}, got {got}")
            }
            Difference::Length { column, expected, got } => {
                write!(f, "column {column}: expected {expected} rows, got {got}")
            }
            Difference::Row { column, row, expected, got, rows, of } => write!(
                f,
                "column {column}, row {row}: expected {}, got {} ({rows} of {of} rows differ)",
                Shown(expected),
                Shown(got)
            ),
            Difference::Rows { missing, surplus } => {
                if let Some(row) = missing {
                    f.write_str("missing row ")?;
                    write_row(f, row)?;
                }
                if let Some(row) = surplus {
                    f.write_str("surplus row ")?;
                    write_row(f, row)?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for Difference {}
