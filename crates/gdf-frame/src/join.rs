//! The description of a join of two frames.

use std::sync::Arc;

use gdf_api::join::NullEquality;

use crate::expr::{Expr, Output};

/// The description of a join of two frames: the kind of join, the keys, and the names of the columns of the result.
///
/// A row of the left side matches a row of the right side if all their keys are equal, and if the
/// [condition](Self::condition) is true for the two rows. A join has keys, a condition, or both. A null key matches no
/// key, unless [`nulls_equal`](Self::nulls_equal) is set. NaNs are equal to each other. A condition that is null is no
/// match.
///
/// # Types of keys
/// The keys of both sides have the same type, or are integers, or are text or bytes with offsets of different widths.
/// Such keys are compared in the wider type. In a right or full join, the key column of the result has the wider type;
/// in all other joins it has the type of the left side. Keys of `UInt64` and of a signed type have no common type.
///
/// # Columns of the result
/// The result has all columns of the left side, followed by the columns of the right side that are not keys. If a
/// column of the right side has the same name as a column of the left side, its name gets the suffix `_right`. The key
/// columns have the names of the left side. In a full or right join, a row without a match has the key of its own side.
/// In these joins, a key column of the right side stays a column of the result if its key of the left side is computed,
/// or is the column of an earlier key. Semi and anti joins have only the columns of the left side.
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
    pub(crate) condition: Option<Expr>,
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
        JoinKey::from(Output::from(name).0)
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
        Join { kind, keys: keys.collect(), condition: None, suffix, validate, nulls_equal: false }
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

    /// Returns a join of this kind without keys: two rows match if the [condition](Self::condition) is true.
    ///
    /// All pairs of rows are tested. If some columns of both sides must be equal, keys for these columns save most
    /// tests.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, Join, JoinKind, col};
    ///
    /// let trips = Frame::try_new([("km", Column::from_slice(&[3, 25, 90])?)])?;
    /// let rates = Frame::try_new([("from", Column::from_slice(&[0, 20])?), ("rate", Column::from_slice(&[5, 4])?)])?;
    /// let rates = rates.with([(col("from") + 20).alias("to")])?;
    /// let join = Join::by_condition(JoinKind::Left, col("km").ge(col("from")).and(col("km").lt(col("to"))));
    /// let found = trips.join(&rates, join)?.sort(["km"])?;
    /// assert_eq!(found.column("rate")?.to_vec::<i32>()?, [Some(5), Some(4), None]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    #[doc(alias("join_where", "theta join", "non-equi join"))]
    pub fn by_condition(kind: JoinKind, condition: impl Into<Expr>) -> Join {
        Join::new(kind, std::iter::empty::<JoinKey>()).condition(condition)
    }

    /// Adds a condition that must be true for two rows to match. The condition is an expression over columns of both
    /// sides. It is tested for the pairs of rows with equal keys only.
    ///
    /// A name in the condition stands for a column of the left side, or of the right side if the left side has no such
    /// column. A column of the right side whose name the left side also has, including a key, is named with the
    /// [suffix](Self::suffix). The condition looks at one row of each side: aggregations and window functions are
    /// computed before the join, using [`with`](crate::Frame::with). A second condition must be true as well.
    ///
    /// If a decimal of the condition may have more digits than its type, the ranges of the columns are measured. The
    /// join is an [`InvalidData`](gdf_core::Error::InvalidData) error unless they show that all results fit.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, Join, col};
    ///
    /// let days = Frame::try_new([("k", Column::from_slice(&[1, 1, 2])?), ("day", Column::from_slice(&[1, 2, 1])?)])?;
    /// let next = days.join(&days, Join::inner(["k"]).condition(col("day").lt(col("day_right"))))?;
    /// assert_eq!(next.column("day_right")?.to_vec::<i32>()?, [Some(2)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    pub fn condition(self, condition: impl Into<Expr>) -> Join {
        let condition = match self.condition {
            Some(first) => first.and(condition.into()),
            None => condition.into(),
        };
        Join { condition: Some(condition), ..self }
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
