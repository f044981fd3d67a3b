//! Conditions on rows. Readers use conditions to skip data and to filter rows.

use std::collections::{HashSet, VecDeque};
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
/// let text = r#"((day >= "2026-01-01" and price is not null) or price < 0.0 or city = "Lyon")"#;
/// assert_eq!(recent.or(odd).to_string(), text);
/// ```
///
/// # Size
/// A chain of conditions joined by `and`, or by `or`, is one list. It may have any number of members. Lists of `or`
/// within lists of `and`, and the reverse, may be nested 64 levels deep. A reader refuses a predicate that is nested
/// more deeply. To compare a column with many values, use [`is_in`](Predicate::is_in).
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    pub(crate) node: Node,
    /// The number of lists around the innermost condition.
    depth: usize,
}

/// The largest number of nested lists. A predicate that is nested more deeply keeps no conditions, so that functions
/// that visit conditions recursively need little stack.
pub(crate) const DEEPEST: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Compare {
        column: String,
        comparison: Comparison,
        literal: Literal,
    },
    In {
        column: String,
        literals: Vec<Literal>,
    },
    Null {
        column: String,
        is_null: bool,
    },
    /// All conditions of a list are true. A queue, because conditions are added at both ends.
    All(VecDeque<Node>),
    /// At least one condition of a list is true.
    Any(VecDeque<Node>),
    /// A predicate that was nested too deeply.
    TooDeep,
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

    /// Does the same as [`neq`](Self::neq), under the name that expressions of frames use.
    pub fn ne(column: impl Into<String>, literal: impl Into<Literal>) -> Predicate {
        Predicate::neq(column, literal)
    }

    /// Returns the condition `column < literal`.
    pub fn lt(column: impl Into<String>, literal: impl Into<Literal>) -> Predicate {
        Self::compare(column, Comparison::Lt, literal)
    }

    /// Returns the condition `column <= literal`.
    pub fn lt_eq(column: impl Into<String>, literal: impl Into<Literal>) -> Predicate {
        Self::compare(column, Comparison::LtEq, literal)
    }

    /// Does the same as [`lt_eq`](Self::lt_eq), under the name that expressions of frames use.
    pub fn le(column: impl Into<String>, literal: impl Into<Literal>) -> Predicate {
        Predicate::lt_eq(column, literal)
    }

    /// Returns the condition `column > literal`.
    pub fn gt(column: impl Into<String>, literal: impl Into<Literal>) -> Predicate {
        Self::compare(column, Comparison::Gt, literal)
    }

    /// Returns the condition `column >= literal`.
    pub fn gt_eq(column: impl Into<String>, literal: impl Into<Literal>) -> Predicate {
        Self::compare(column, Comparison::GtEq, literal)
    }

    /// Does the same as [`gt_eq`](Self::gt_eq), under the name that expressions of frames use.
    pub fn ge(column: impl Into<String>, literal: impl Into<Literal>) -> Predicate {
        Predicate::gt_eq(column, literal)
    }

    /// Returns the condition that the value of the column equals one of `literals`. If there are no literals, the
    /// condition is false.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// use gdf::io::Predicate;
    ///
    /// assert_eq!(Predicate::is_in("city", ["Lyon", "Nantes"]).to_string(), r#"city in ("Lyon", "Nantes")"#);
    /// ```
    pub fn is_in<L: Into<Literal>>(column: impl Into<String>, literals: impl IntoIterator<Item = L>) -> Predicate {
        let literals = literals.into_iter().map(Into::into).collect();
        Self::of(Node::In { column: column.into(), literals })
    }

    /// Returns the condition `column is null`.
    pub fn is_null(column: impl Into<String>) -> Predicate {
        Self::of(Node::Null { column: column.into(), is_null: true })
    }

    /// Returns the condition `column is not null`.
    pub fn is_not_null(column: impl Into<String>) -> Predicate {
        Self::of(Node::Null { column: column.into(), is_null: false })
    }

    /// Returns a condition that is true if both conditions are true.
    #[must_use]
    pub fn and(self, other: Predicate) -> Predicate {
        self.joined(other, true)
    }

    /// Returns a condition that is true if at least one of the two conditions is true.
    #[must_use]
    pub fn or(self, other: Predicate) -> Predicate {
        self.joined(other, false)
    }

    fn of(node: Node) -> Predicate {
        Predicate { node, depth: 0 }
    }

    fn compare(column: impl Into<String>, comparison: Comparison, literal: impl Into<Literal>) -> Predicate {
        Self::of(Node::Compare { column: column.into(), comparison, literal: literal.into() })
    }

    /// Joins two conditions. The members of a list of the same kind become members of the result.
    fn joined(self, other: Predicate, is_all: bool) -> Predicate {
        let (mut first, depth) = self.members(is_all);
        let (mut second, other_depth) = other.members(is_all);
        let depth = depth.max(other_depth) + 1;
        if depth > DEEPEST {
            return Predicate { node: Node::TooDeep, depth };
        }
        // The shorter list is moved, so that a long chain takes linear time from either end.
        let members = if first.len() >= second.len() {
            first.append(&mut second);
            first
        } else {
            first.into_iter().rev().for_each(|node| second.push_front(node));
            second
        };
        Predicate { node: if is_all { Node::All(members) } else { Node::Any(members) }, depth }
    }

    /// Returns the members of a list of the same kind, or the condition itself, with the depth of the deepest member.
    fn members(self, is_all: bool) -> (VecDeque<Node>, usize) {
        match (self.node, is_all) {
            (Node::All(nodes), true) | (Node::Any(nodes), false) => (nodes, self.depth - 1),
            (node, _) => (VecDeque::from([node]), self.depth),
        }
    }

    /// Returns the names of the columns that the predicate needs.
    pub(crate) fn columns(&self) -> Vec<&str> {
        fn visit<'a>(node: &'a Node, known: &mut HashSet<&'a str>, names: &mut Vec<&'a str>) {
            match node {
                Node::Compare { column, .. } | Node::In { column, .. } | Node::Null { column, .. } => {
                    if known.insert(column) {
                        names.push(column);
                    }
                }
                Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| visit(node, known, names)),
                Node::TooDeep => {}
            }
        }
        let mut names = Vec::new();
        visit(&self.node, &mut HashSet::new(), &mut names);
        names
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Compare { column, comparison, literal } => write!(f, "{column} {comparison} {literal}"),
            Node::In { column, literals } => {
                write!(f, "{column} in ")?;
                list(f, literals.iter(), ", ")
            }
            Node::Null { column, is_null: true } => write!(f, "{column} is null"),
            Node::Null { column, is_null: false } => write!(f, "{column} is not null"),
            Node::All(nodes) => list(f, nodes.iter(), " and "),
            Node::Any(nodes) => list(f, nodes.iter(), " or "),
            Node::TooDeep => write!(f, "(conditions nested more than {DEEPEST} levels deep)"),
        }
    }
}

/// Writes members in parentheses.
fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, members: impl Iterator<Item = T>, separator: &str) -> fmt::Result {
    f.write_str("(")?;
    for (index, member) in members.enumerate() {
        write!(f, "{}{member}", if index > 0 { separator } else { "" })?;
    }
    f.write_str(")")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_lists_whatever_their_direction() {
        let one = |id: i32| Predicate::eq("id", id);
        let left = (0..4).map(one).reduce(Predicate::or).unwrap();
        let right = (0..4).rev().map(one).reduce(|all, next| next.or(all)).unwrap();
        assert_eq!(left, right);
        assert_eq!(left.to_string(), "(id = 0 or id = 1 or id = 2 or id = 3)");
        let both = left.clone().and(one(7)).and(Predicate::is_null("x").and(right));
        let any = left.to_string();
        assert_eq!(both.to_string(), format!("({any} and id = 7 and x is null and {any})"));
        assert_eq!(both.columns(), ["id", "x"]);
    }

    #[test]
    fn names_of_expressions_are_names_of_comparisons() {
        assert_eq!(Predicate::ne("x", 1), Predicate::neq("x", 1));
        assert_eq!(Predicate::le("x", 1).to_string(), "x <= 1");
        assert_eq!(Predicate::ge("x", 1).to_string(), "x >= 1");
    }

    #[test]
    fn long_chains_take_little_time_and_stack() {
        let many = || (0..100_000).map(|id| Predicate::eq("id", id));
        let chain = many().reduce(Predicate::or).unwrap();
        assert_eq!(chain, many().rev().reduce(|all, next| next.or(all)).unwrap());
        let clone = chain.clone();
        assert_eq!((clone.to_string().len() > 100_000, clone.columns().len()), (true, 1));
        let deep = many().enumerate();
        let join = |all: Predicate, (at, one): (usize, Predicate)| if at % 2 == 0 { all.and(one) } else { all.or(one) };
        let deep = deep.fold(Predicate::is_null("id"), join);
        assert_eq!(deep.node, Node::TooDeep);
        assert_eq!(deep.to_string(), "(conditions nested more than 64 levels deep)");
    }
}
