//! The description of a join of two frames.

use std::sync::Arc;

use gdf_api::join::NullEquality;

use crate::expr::{Expr, Output};

/// The description of a join of two frames: the kind of join, the keys, and the names of the columns of the result.
///
/// A row of the left side matches a row of the right side if all their keys are equal. A null key matches no key,
/// unless [`nulls_equal`](Self::nulls_equal) is set. NaNs are equal to each other.
///
/// # Columns of the result
/// The result has all columns of the left side, followed by the columns of the right side that are not keys. If a
/// column of the right side has the same name as a column of the left side, its name gets the suffix `_right`. The key
/// columns have the names of the left side. In a full join, a row without a match has the key of its own side. Semi and
/// anti joins have only the columns of the left side.
///
/// ```
/// use gdf::Column;
/// use gdf::frame::{Frame, Join};
///
/// let sales = Frame::try_new([("city", Column::from_strs(["Lyon", "Oslo"])?), ("sum", Column::from_slice(&[3, 5])?)])?;
/// let cities = Frame::try_new([("name", Column::from_strs(["Oslo"])?), ("land", Column::from_strs(["NO"])?)])?;
/// let found = sales.join(&cities, Join::inner([("city", "name")]))?;
/// assert_eq!(found.names().collect::<Vec<_>>(), ["city", "sum", "land"]);
/// assert_eq!(found.column("sum")?.to_vec::<i32>()?, [Some(5)]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Join {
    pub(crate) kind: JoinKind,
    pub(crate) keys: Vec<(Expr, Expr)>,
    pub(crate) suffix: Arc<str>,
    pub(crate) validate: Validate,
    pub(crate) nulls_equal: bool,
}

/// The rows that a join returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinKind {
    /// A row for each pair of rows that match.
    Inner,
    /// The rows of an inner join, and the rows of the left side without a match, with nulls in the columns of the right
    /// side.
    Left,
    /// The rows of an inner join, and the rows of the right side without a match, with nulls in the columns of the left
    /// side.
    Right,
    /// The rows of an inner join, and the rows of both sides without a match, with nulls in the columns of the other
    /// side.
    Full,
    /// The rows of the left side that have a match.
    Semi,
    /// The rows of the left side that have no match.
    Anti,
}

/// The sides of a join that must have distinct keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Validate {
    /// Keys may repeat on both sides.
    #[default]
    ManyToMany,
    /// The keys of the left side are distinct.
    OneToMany,
    /// The keys of the right side are distinct.
    ManyToOne,
    /// The keys of each side are distinct.
    OneToOne,
}

impl Validate {
    /// Returns whether the keys of the left side must be distinct.
    pub(crate) fn left(self) -> bool {
        matches!(self, Validate::OneToMany | Validate::OneToOne)
    }

    /// Returns whether the keys of the right side must be distinct.
    pub(crate) fn right(self) -> bool {
        matches!(self, Validate::ManyToOne | Validate::OneToOne)
    }
}

/// A key of a join. A key is the name of a column of both sides, or a pair of names or expressions: one for the left
/// side, and one for the right side.
#[derive(Clone, Debug)]
pub struct JoinKey(Expr, Expr);

impl From<&str> for JoinKey {
    fn from(name: &str) -> JoinKey {
        JoinKey::from((name, name))
    }
}

impl From<&String> for JoinKey {
    fn from(name: &String) -> JoinKey {
        JoinKey::from(name.as_str())
    }
}

impl From<Expr> for JoinKey {
    fn from(key: Expr) -> JoinKey {
        JoinKey(key.clone(), key)
    }
}

impl<L: Into<Output>, R: Into<Output>> From<(L, R)> for JoinKey {
    fn from((left, right): (L, R)) -> JoinKey {
        JoinKey(left.into().0, right.into().0)
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $kind:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name<K: Into<JoinKey>>(keys: impl IntoIterator<Item = K>) -> Join {
            Join::new(JoinKind::$kind, keys)
        }
    )*};
}

impl Join {
    /// Returns a join of this kind.
    pub fn new<K: Into<JoinKey>>(kind: JoinKind, keys: impl IntoIterator<Item = K>) -> Join {
        let keys = keys.into_iter().map(|key| {
            let JoinKey(left, right) = key.into();
            (left, right)
        });
        let (suffix, validate) = ("_right".into(), Validate::default());
        Join { kind, keys: keys.collect(), suffix, validate, nulls_equal: false }
    }

    kinds! {
        /// Returns an inner join: a row for each pair of rows that match.
        inner = Inner;
        /// Returns a left join: also the rows of the left side without a match.
        left = Left;
        /// Returns a right join: also the rows of the right side without a match.
        right = Right;
        /// Returns a full join: also the rows of both sides without a match.
        full = Full;
        /// Returns a semi join: the rows of the left side that have a match.
        semi = Semi;
        /// Returns an anti join: the rows of the left side that have no match.
        anti = Anti;
    }

    pub(crate) fn nulls(&self) -> NullEquality {
        if self.nulls_equal { NullEquality::Equal } else { NullEquality::Unequal }
    }

    /// Sets the suffix for columns of the right side that have the same name as a column of the left side.
    pub fn suffix(self, suffix: impl Into<Arc<str>>) -> Join {
        Join { suffix: suffix.into(), ..self }
    }

    /// Requires that the keys of one side or of both sides are distinct. The join checks this, and **waits** for the
    /// number of distinct keys.
    pub fn validate(self, validate: Validate) -> Join {
        Join { validate, ..self }
    }

    /// Sets whether nulls match each other.
    pub fn nulls_equal(self, nulls_equal: bool) -> Join {
        Join { nulls_equal, ..self }
    }
}
