//! Texts of errors that depend on which fields are set.

use std::fmt;

use arrow_schema::DataType;

use super::context::{Context, Counted, ExpectedType};

pub(crate) struct Counts(pub(crate) usize, pub(crate) &'static str);

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number, one) = self;
        write!(f, "{number} {one}{}", if *number == 1 { "" } else { "s" })
    }
}

/// The text of another error, followed by the texts of its causes.
pub(crate) struct WithCauses<'a>(pub(crate) &'a (dyn std::error::Error + 'static));

impl fmt::Display for WithCauses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

pub(crate) struct Offset(pub(crate) Option<usize>);

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(offset) => write!(f, " at byte {offset}"),
            None => Ok(()),
        }
    }
}

/// The largest number of names in the text of [`NameNotFound`](crate::Error::NameNotFound).
const NAMES: usize = 12;

/// The suggestions for an unknown name: the most similar name, or otherwise the first names.
pub(crate) struct Names<'a> {
    pub(crate) nearest: &'a Option<Box<str>>,
    pub(crate) names: &'a [Box<str>],
}

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(nearest) = self.nearest {
            return write!(f, "; a column has the similar name `{nearest}`");
        }
        let Some((first, further)) = self.names.split_first() else { return f.write_str("; there are no columns") };
        write!(f, "; the columns are `{first}`")?;
        for name in further.iter().take(NAMES - 1) {
            write!(f, ", `{name}`")?;
        }
        match self.names.len().saturating_sub(NAMES) {
            0 => Ok(()),
            others => write!(f, " and {others} more"),
        }
    }
}

/// The text of [`ColumnCount`](crate::Error::ColumnCount): both numbers, each with the noun for its items.
pub(crate) struct Numbers(pub(crate) (usize, &'static str), pub(crate) (usize, &'static str));

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self((expected, one), (found, other)) if one == other => {
                write!(f, "expected {}, found {found}", Counts(*expected, one))
            }
            Self((expected, one), (found, other)) => {
                write!(f, "{} but {}", Counts(*expected, one), Counts(*found, other))
            }
        }
    }
}

pub(crate) struct Refused<'a> {
    pub(crate) operation: &'static str,
    pub(crate) data_type: &'a DataType,
    pub(crate) other: &'a Option<DataType>,
    pub(crate) to: &'a Option<DataType>,
    pub(crate) context: &'a Context,
}

impl fmt::Display for Refused<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.context.operation().is_none() && self.context.variant() != Some(self.operation) {
            write!(f, "{}: ", self.operation)?;
        }
        self.context.fmt(f)?;
        let data_type = self.data_type;
        match (self.other, self.to) {
            (None, None) => write!(f, "{data_type} is not supported"),
            (Some(other), None) => write!(f, "{data_type} and {other} are not supported"),
            (None, Some(to)) => write!(f, "the conversion from {data_type} to {to} is not supported"),
            (Some(other), Some(to)) => write!(f, "{data_type} and {other} to {to} are not supported"),
        }
    }
}

pub(crate) struct Mismatch<'a>(pub(crate) &'a ExpectedType, pub(crate) &'a DataType);

impl fmt::Display for Mismatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(ExpectedType::CompatibleWith(left), right) => write!(f, "{left} and {right} cannot be combined"),
            Self(ExpectedType::Storing(name), found) => write!(f, "{name} cannot be stored as {found}"),
            Self(expected, found) => write!(f, "expected {expected}, found {found}"),
        }
    }
}

pub(crate) struct Bounds<'a> {
    pub(crate) index: i128,
    pub(crate) offset: Option<usize>,
    pub(crate) len: usize,
    pub(crate) of: Counted,
    pub(crate) context: &'a Context,
}

impl fmt::Display for Bounds<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, offset, len, of, context } = self;
        context.call().fmt(f)?;
        match (of, offset) {
            (_, Some(offset)) => write!(f, "offset {offset} + length {}", index - *offset as i128)?,
            (Counted::Rows | Counted::Bytes, None) => write!(f, "{index}")?,
            (of, None) => write!(f, "{} {index}", of.word(1))?,
        }
        if let Some(subject) = context.subject() {
            write!(f, " in {subject}")?;
        }
        match (of, offset) {
            (Counted::Columns, None) => write!(f, " is out of bounds for a table of {len} {}", of.word(*len)),
            _ => write!(f, " is out of bounds for {len} {}", of.word(*len)),
        }
    }
}

pub(crate) struct Limit {
    pub(crate) what: &'static str,
    pub(crate) value: Option<i128>,
    pub(crate) limit: Option<i128>,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.what;
        match (self.value, self.limit) {
            (Some(value), Some(limit)) if value < limit => write!(f, "{what} must be at least {limit}, found {value}"),
            (Some(value), Some(limit)) => write!(f, "{what} must be at most {limit}, found {value}"),
            (Some(value), None) => write!(f, "invalid argument: {what}, found {value}"),
            (None, _) => write!(f, "invalid argument: {what}"),
        }
    }
}

/// Writes the `{:?}` text of an error: its own text, followed by the texts of its causes.
#[doc(hidden)]
pub fn fmt_with_causes(error: &dyn std::error::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{error}")?;
    let mut cause = error.source();
    while let Some(error) = cause {
        write!(f, "\ncaused by: {error}")?;
        cause = error.source();
    }
    Ok(())
}
