//! Conditions on rows. Readers use conditions to skip data and to filter rows.

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, BooleanArray, Float64Array, Int64Array, StringArray, UInt64Array};

/// A condition on the rows of a file. Its columns must not be nested.
///
/// A reader returns exactly the rows for which the condition is true. If the condition is null for a row, the row is
/// left out, as in SQL. Row groups and pages of Parquet files have statistics, and partition folders have values. If
/// the statistics or values show that no row satisfies the condition, the reader does not read the row group, page or
/// file.
///
/// Comparisons follow [`binary_operation`](gdf_api::binaryop::binary_operation). Floats compare by IEEE 754, so for
/// NaN only `neq` is true. Text and binary values compare byte by byte. A null value is neither equal nor unequal to
/// any value.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
/// use gdf::io::Predicate;
///
/// let recent = Predicate::gt_eq("day", "2026-01-01").and(Predicate::is_not_null("price"));
/// let odd = Predicate::lt("price", 0.0).or(Predicate::eq("city", "Lyon"));
/// let text = r#"((day >= "2026-01-01" and price is not null) or (price < 0.0 or city = "Lyon"))"#;
/// assert_eq!(recent.or(odd).to_string(), text);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate(pub(crate) Node);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Compare { column: String, comparison: Comparison, literal: Literal },
    Null { column: String, is_null: bool },
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Eq,
    Neq,
    Lt,
    LtEq,
    Gt,
    GtEq,
}

impl Predicate {
    /// Returns the condition `column = literal`.
    pub fn eq(column: impl Into<String>, literal: impl Into<Literal>) -> Predicate {
        Self::compare(column, Comparison::Eq, literal)
    }

    /// Returns the condition `column != literal`. A row with a null value does not satisfy the condition.
    pub fn neq(column: impl Into<String>, literal: impl Into<Literal>) -> Predicate {
        Self::compare(column, Comparison::Neq, literal)
    }

    /// Returns the condition `column < literal`.
    pub fn lt(column: impl Into<String>, literal: impl Into<Literal>) -> Predicate {
        Self::compare(column, Comparison::Lt, literal)
    }

    /// Returns the condition `column <= literal`.
    pub fn lt_eq(column: impl Into<String>, literal: impl Into<Literal>) -> Predicate {
        Self::compare(column, Comparison::LtEq, literal)
    }

    /// Returns the condition `column > literal`.
    pub fn gt(column: impl Into<String>, literal: impl Into<Literal>) -> Predicate {
        Self::compare(column, Comparison::Gt, literal)
    }

    /// Returns the condition `column >= literal`.
    pub fn gt_eq(column: impl Into<String>, literal: impl Into<Literal>) -> Predicate {
        Self::compare(column, Comparison::GtEq, literal)
    }

    /// Returns the condition `column is null`.
    pub fn is_null(column: impl Into<String>) -> Predicate {
        Predicate(Node::Null { column: column.into(), is_null: true })
    }

    /// Returns the condition `column is not null`.
    pub fn is_not_null(column: impl Into<String>) -> Predicate {
        Predicate(Node::Null { column: column.into(), is_null: false })
    }

    /// Returns a condition that is true if both conditions are true.
    #[must_use]
    pub fn and(self, other: Predicate) -> Predicate {
        Predicate(Node::And(Box::new(self.0), Box::new(other.0)))
    }

    /// Returns a condition that is true if at least one of the two conditions is true.
    #[must_use]
    pub fn or(self, other: Predicate) -> Predicate {
        Predicate(Node::Or(Box::new(self.0), Box::new(other.0)))
    }

    fn compare(column: impl Into<String>, comparison: Comparison, literal: impl Into<Literal>) -> Predicate {
        Predicate(Node::Compare { column: column.into(), comparison, literal: literal.into() })
    }

    /// Returns the names of the columns that the predicate needs.
    pub(crate) fn columns(&self) -> Vec<&str> {
        fn visit<'a>(node: &'a Node, names: &mut Vec<&'a str>) {
            match node {
                Node::Compare { column, .. } | Node::Null { column, .. } => {
                    if !names.contains(&column.as_str()) {
                        names.push(column);
                    }
                }
                Node::And(a, b) | Node::Or(a, b) => {
                    visit(a, names);
                    visit(b, names);
                }
            }
        }
        let mut names = Vec::new();
        visit(&self.0, &mut names);
        names
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Compare { column, comparison, literal } => write!(f, "{column} {comparison} {literal}"),
            Node::Null { column, is_null: true } => write!(f, "{column} is null"),
            Node::Null { column, is_null: false } => write!(f, "{column} is not null"),
            Node::And(a, b) => write!(f, "({a} and {b})"),
            Node::Or(a, b) => write!(f, "({a} or {b})"),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Comparison::Eq => "=",
            Comparison::Neq => "!=",
            Comparison::Lt => "<",
            Comparison::LtEq => "<=",
            Comparison::Gt => ">",
            Comparison::GtEq => ">=",
        })
    }
}

/// A value with which a column is compared. The value is converted to the type of the column.
///
/// A text is parsed as a value of the column's type. Days and times are in ISO 8601 (`"2026-01-31"`). Decimals are
/// exact (`"0.05"`).
///
/// If the column has a time zone, a time may have an offset (`"2000-01-01T00:00:00Z"`, `"…+02:00"`). A time without
/// an offset is a local time in the zone of the column. If a local time occurs twice or never in the zone, the result
/// is an error. If the column has no time zone, a time with an offset is converted to UTC.
///
/// If a literal does not fit the column's type, the result is an error. Examples are 300 for an 8-bit integer, and 0.5
/// for an integer. Literals are never rounded, except for fractions that are compared with floats.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Literal {
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer that is not negative.
    UInt(u64),
    /// A float.
    Float(f64),
    /// A number in digits, such as `-12345678901234567.89` or `1e-3`. Integers and decimals are compared with exactly
    /// this number. If the number has a point or an exponent, floats are compared with the float that is nearest to it.
    Number(String),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Literal {
    pub(crate) fn to_array(&self) -> ArrayRef {
        match self {
            Literal::Bool(value) => Arc::new(BooleanArray::from(vec![*value])),
            Literal::Int(value) => Arc::new(Int64Array::from(vec![*value])),
            Literal::UInt(value) => Arc::new(UInt64Array::from(vec![*value])),
            Literal::Float(value) => Arc::new(Float64Array::from(vec![*value])),
            Literal::Number(value) | Literal::Text(value) => Arc::new(StringArray::from(vec![value.as_str()])),
            Literal::Bytes(value) => Arc::new(BinaryArray::from(vec![value.as_slice()])),
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Bool(value) => write!(f, "{value}"),
            Literal::Int(value) => write!(f, "{value}"),
            Literal::UInt(value) => write!(f, "{value}"),
            Literal::Float(value) => write!(f, "{value:?}"),
            Literal::Number(value) => write!(f, "{value}"),
            Literal::Text(value) => write!(f, "{value:?}"),
            Literal::Bytes(value) => write!(f, "{value:02x?}"),
        }
    }
}

macro_rules! literal_from {
    ($($from:ty => $variant:ident),* $(,)?) => {
        $(impl From<$from> for Literal {
            fn from(value: $from) -> Literal {
                Literal::$variant(value.into())
            }
        })*
    };
}

literal_from!(
    bool => Bool,
    i8 => Int, i16 => Int, i32 => Int, i64 => Int,
    u8 => UInt, u16 => UInt, u32 => UInt, u64 => UInt,
    f32 => Float, f64 => Float,
    &str => Text, String => Text,
    &[u8] => Bytes, Vec<u8> => Bytes,
);
