//! Rows of two tables matched by equal keys.
//!
//! [`inner`], [`left`], [`full`], [`semi`] and [`anti`] return tables. The other functions are what these are made of, for keys that are
//! computed, or columns that are gathered later: their results are row numbers, in columns of `UInt32` (of `UInt64` for a left side of 2³²−1 rows and more) to
//! [`gather`](crate::copying::gather) by; "no row" is [`JOIN_NO_MATCH`], of which gather makes nulls with
//! [`Nullify`](crate::copying::OutOfBoundsPolicy::Nullify). The table is built of the right side: let that be the
//! smaller one.
//!
//! All columns of both sides are keys: 1 to 32, of the same types on both sides. Integers, booleans, floats, decimals,
//! everything temporal, strings and binary with offsets of either width. NaNs are equal, and so are 0.0 and −0.0.
//! [`NullEquality`] says whether nulls are. The right side has at most 2³¹−16 rows. Views of text and binary, and
//! dictionaries, are decoded first, as by [`cast`](crate::unary::cast), so that a dictionary of text joins with text
//! and with other dictionaries; tables that result have their columns as they were given, but for such keys of
//! [`full`], which are decoded.
//!
//! Keys of one integer or temporal column, or boolean, whose values lie close together index the table of the right side
//! directly; others are hashed, whole if they fit 64 bits. Where keys of the right side repeat, its rows are grouped by
//! key, so that a row with many matches costs no more than they do. (Grouped as in "HashCSR" of libcudf; results are
//! spread over blocks as in merge path, Green et al., ICS 2012.)

use gdf_core::{Column, Result, TableView};
use gdf_detail as detail;
use gdf_detail::join::{FilterKind, JoinKind, JoinTable};
pub use gdf_detail::join::{JOIN_NO_MATCH, JoinKeys, NullEquality};

mod tables;

pub use tables::{anti, full, inner, left, semi};

use crate::scope::{Input, Scope};

/// Pairs of rows of `left` and `right` with equal keys: a column of left rows and one of right rows.
///
/// Order: that of the left rows; right rows of the same left row are in their order on the CPU and in any on CUDA.
///
/// In libcudf `inner_join` (which promises no order), in SQL `INNER JOIN`.
///
/// ```
/// use gdf::join::{NullEquality, inner_join};
/// use gdf::{Column, Table};
///
/// let orders = Table::try_new(vec![Column::from_slice(&[7, 5, 9, 7])?])?;
/// let customers = Table::try_new(vec![Column::from_slice(&[9, 7])?])?;
/// let (left, right) = inner_join(&orders, &customers, NullEquality::Equal)?;
/// assert_eq!(left.to_vec::<u32>()?, [Some(0), Some(2), Some(3)]);
/// assert_eq!(right.to_vec::<u32>()?, [Some(1), Some(0), Some(1)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait, for the number of results; 1 more where few left rows (on CUDA up to 1,024 per multiprocessor) have
/// more results than the larger side has rows and a quarter: the columns were allocated for that many, and are given
/// back; and on CUDA 1 more for each six text keys, of 1,048,576 right rows and more: whether the texts differ in so few
/// bits that numbers can stand for them. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for no or more than 32 columns, and a right side of more than
///   2³¹−16 rows.
/// * [`ColumnCount`](gdf_core::Error::ColumnCount), [`TypeMismatch`](gdf_core::Error::TypeMismatch) when the sides differ
///   in number or types of columns; [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns of types that cannot be compared.
/// * Driver and memory errors.
#[doc(alias("merge", "join", "equijoin"))]
pub fn inner_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    nulls: NullEquality,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("inner_join", &[&left, &right])?
        .run(|ctx| detail::join::join(JoinKind::Inner, left, right, nulls, ctx))
}

/// As [`inner_join`], and each row of `left` without match, with [`JOIN_NO_MATCH`].
///
/// In libcudf `left_join`, in SQL `LEFT OUTER JOIN`.
///
/// # Errors
/// As [`inner_join`].
#[doc(alias("left outer join", "merge"))]
pub fn left_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    nulls: NullEquality,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("left_join", &[&left, &right])?
        .run(|ctx| detail::join::join(JoinKind::Left, left, right, nulls, ctx))
}

/// As [`left_join`], and behind that [`JOIN_NO_MATCH`] with each row of `right` without match, in their order.
///
/// In libcudf `full_join`, in SQL `FULL OUTER JOIN`.
///
/// # Costs
/// At most 1 wait, for the number of results, and those for text of [`inner_join`]. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// As [`inner_join`].
#[doc(alias("outer join", "full outer join", "merge"))]
pub fn full_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    nulls: NullEquality,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("full_join", &[&left, &right])?
        .run(|ctx| detail::join::join(JoinKind::Full, left, right, nulls, ctx))
}

/// The rows of `left` that have a match in `right`, in their order.
///
/// In libcudf `left_semi_join` (in any order), in SQL `WHERE EXISTS`.
///
/// # Costs
/// At most 1 wait, for the number of results, and those for text of [`inner_join`]. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// As [`inner_join`].
#[doc(alias("semi join", "exists", "isin", "is_in"))]
pub fn left_semi_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    nulls: NullEquality,
) -> Result<Column> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("left_semi_join", &[&left, &right])?
        .run(|ctx| detail::join::filter(FilterKind::Semi, left, right, nulls, ctx))
}

/// The rows of `left` that have no match in `right`, in their order.
///
/// In libcudf `left_anti_join` (in any order), in SQL `WHERE NOT EXISTS`.
///
/// # Costs
/// At most 1 wait, for the number of results, and those for text of [`inner_join`]. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// As [`inner_join`].
#[doc(alias("anti join", "not exists", "except"))]
pub fn left_anti_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    nulls: NullEquality,
) -> Result<Column> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("left_anti_join", &[&left, &right])?
        .run(|ctx| detail::join::filter(FilterKind::Anti, left, right, nulls, ctx))
}

/// A hash table of the right side of joins, built once and probed any number of times, from any thread.
///
/// ```
/// use gdf::join::{HashJoin, NullEquality};
/// use gdf::{Column, Table};
///
/// let keys = |keys: &[i32]| Table::try_new(vec![Column::from_slice(keys)?]);
/// let parts = keys(&[1, 2, 3])?;
/// let join = HashJoin::try_new(&parts, NullEquality::Equal)?;
/// for batch in [keys(&[3, 3, 8])?, keys(&[1])?] {
///     let (_, right) = join.left_join(&batch)?;
///     assert_eq!(right.len(), batch.num_rows());
/// }
/// assert_eq!(join.inner_join_size(&keys(&[3, 3, 8])?)?, 2);
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Debug)]
pub struct HashJoin<'a>(JoinTable<'a>);

impl<'a> HashJoin<'a> {
    /// Builds the table of the rows of `right`, which is borrowed. No wait but those for text of [`inner_join`]; 40 bytes
    /// of memory per row, 72 of up to 65,536 rows, and up to 16 for numbers of texts.
    ///
    /// In libcudf `hash_join`.
    ///
    /// # Errors
    /// As [`inner_join`].
    pub fn try_new(right: impl Into<TableView<'a>>, nulls: NullEquality) -> Result<Self> {
        let right = right.into();
        Scope::for_inputs("hash_join", &[&right])?.run(|ctx| Ok(Self(JoinTable::new(right, nulls, ctx)?)))
    }

    /// The keys that the table was built of.
    pub fn keys(&self) -> &TableView<'a> {
        self.0.keys()
    }

    /// The bytes that the table keeps.
    pub fn memory_size(&self) -> usize {
        self.0.memory_size()
    }

    fn scope(&self, name: &'static str, left: &TableView<'_>) -> Result<Scope> {
        let inputs: [&dyn Input; 2] = [self.0.keys(), left];
        Scope::for_inputs(name, &inputs)
    }

    /// As [`inner_join`].
    ///
    /// # Errors
    /// As [`inner_join`].
    #[doc(alias("merge", "join", "equijoin"))]
    pub fn inner_join<'l>(&self, left: impl Into<TableView<'l>>) -> Result<(Column, Column)> {
        let left = left.into();
        self.scope("hash_join.inner_join", &left)?.run(|ctx| self.0.join(JoinKind::Inner, left, ctx))
    }

    /// As [`left_join`].
    ///
    /// # Errors
    /// As [`inner_join`].
    #[doc(alias("left outer join", "merge"))]
    pub fn left_join<'l>(&self, left: impl Into<TableView<'l>>) -> Result<(Column, Column)> {
        let left = left.into();
        self.scope("hash_join.left_join", &left)?.run(|ctx| self.0.join(JoinKind::Left, left, ctx))
    }

    /// As [`full_join`].
    ///
    /// # Errors
    /// As [`inner_join`].
    #[doc(alias("outer join", "full outer join", "merge"))]
    pub fn full_join<'l>(&self, left: impl Into<TableView<'l>>) -> Result<(Column, Column)> {
        let left = left.into();
        self.scope("hash_join.full_join", &left)?.run(|ctx| self.0.join(JoinKind::Full, left, ctx))
    }

    /// As [`left_semi_join`].
    ///
    /// # Errors
    /// As [`inner_join`].
    #[doc(alias("left_semi_join", "exists", "isin"))]
    pub fn semi_join<'l>(&self, left: impl Into<TableView<'l>>) -> Result<Column> {
        let left = left.into();
        self.scope("hash_join.semi_join", &left)?.run(|ctx| self.0.filter(FilterKind::Semi, left, ctx))
    }

    /// As [`left_anti_join`].
    ///
    /// # Errors
    /// As [`inner_join`].
    #[doc(alias("left_anti_join", "not exists"))]
    pub fn anti_join<'l>(&self, left: impl Into<TableView<'l>>) -> Result<Column> {
        let left = left.into();
        self.scope("hash_join.anti_join", &left)?.run(|ctx| self.0.filter(FilterKind::Anti, left, ctx))
    }

    /// How many pairs [`inner_join`](Self::inner_join) gives. 1 wait.
    ///
    /// # Errors
    /// As [`inner_join`].
    pub fn inner_join_size<'l>(&self, left: impl Into<TableView<'l>>) -> Result<usize> {
        let left = left.into();
        self.scope("hash_join.inner_join_size", &left)?.run(|ctx| self.0.size(JoinKind::Inner, left, ctx))
    }

    /// How many pairs [`left_join`](Self::left_join) gives. 1 wait.
    ///
    /// # Errors
    /// As [`inner_join`].
    pub fn left_join_size<'l>(&self, left: impl Into<TableView<'l>>) -> Result<usize> {
        let left = left.into();
        self.scope("hash_join.left_join_size", &left)?.run(|ctx| self.0.size(JoinKind::Left, left, ctx))
    }

    /// How many pairs [`full_join`](Self::full_join) gives. 1 wait.
    ///
    /// # Errors
    /// As [`inner_join`].
    pub fn full_join_size<'l>(&self, left: impl Into<TableView<'l>>) -> Result<usize> {
        let left = left.into();
        self.scope("hash_join.full_join_size", &left)?.run(|ctx| self.0.size(JoinKind::Full, left, ctx))
    }
}
