//! Joins: rows of two tables that are matched by equal keys, or by a condition.
//!
//! [`inner`], [`left`], [`full`], [`semi`] and [`anti`] return tables. The other functions return row numbers, for
//! computed keys and for columns that are gathered later. Row numbers are columns of `UInt32` (`UInt64` for a left side
//! of 2³²−1 rows and more). The row number [`JOIN_NO_MATCH`] means "no row": [`gather`](crate::copying::gather) with
//! the policy [`Nullify`](crate::copying::OutOfBoundsPolicy::Nullify) makes it a null row. The hash table is built from
//! the right side, so the right side should be the smaller side.
//!
//! Functions whose names begin with `conditional_` match rows by an expression over the columns of both tables.
//! Functions whose names begin with `mixed_` match rows by equal keys and by such an expression. [`cross_join`] pairs
//! all rows, and [`asof_join`] finds the nearest row.
//!
//! For the other functions that return row numbers, all columns of both sides are keys: 1 to 32 columns, of the same
//! types on both sides. Types: integers, booleans, floats, decimals, everything temporal, strings and binary with
//! offsets of either width, structs and lists of these ([how they compare](crate::sorting#structs-and-lists)). NaNs are
//! equal to each other, and 0.0 equals −0.0. [`NullEquality`] states whether nulls are equal to each other. The right
//! side has at most 2³¹−16 rows.
//!
//! Views of text and binary, and dictionaries, are decoded first, as by [`cast`](crate::unary::cast). So a dictionary
//! of text can be joined with text and with other dictionaries. The columns of resulting tables have the types of the
//! input, except for keys of [`full`], which are decoded.
//!
//! Keys that are one column of integers, temporal values or booleans index the table of the right side directly, if the
//! right values have a small range. Other keys are hashed. The cost of a left row is proportional to its number of
//! matches. (Rows of equal keys are grouped as in "HashCSR" of libcudf. Results are distributed over blocks as in merge
//! path, Green et al., ICS 2012.)

use gdf_core::{Column, Result, TableView};
use gdf_detail as detail;
pub use gdf_detail::join::{AsofDirection, AsofKeys, JOIN_NO_MATCH, JoinKeys, JoinKind, NullEquality, Presorted};
use gdf_detail::join::{FilterKind, JoinTable};
use gdf_expr::Expr;

mod asof;
mod conditional;
mod cross;
mod filter_pairs;
mod mark;
mod matches;
mod mixed;
mod semi_condition;
mod sort_merge;
mod tables;

pub use asof::{asof_join, asof_join_rows};
pub use conditional::{
    conditional_full_join, conditional_inner_join, conditional_inner_join_size, conditional_left_anti_join,
    conditional_left_anti_join_size, conditional_left_join, conditional_left_join_size, conditional_left_semi_join,
    conditional_left_semi_join_size, conditional_match_counts,
};
pub use cross::{cross_join, cross_join_rows};
pub use filter_pairs::filter_join_pairs;
pub use mark::mark_join;
pub use matches::JoinPartitions;
pub use mixed::{
    mixed_full_join, mixed_inner_join, mixed_inner_join_size, mixed_left_anti_join, mixed_left_join,
    mixed_left_join_size, mixed_left_semi_join, mixed_match_counts,
};
pub use semi_condition::semi_condition;
pub use sort_merge::{sort_merge_inner_join, sort_merge_left_join};
pub use tables::{anti, full, inner, left, semi};

use crate::scope::{Input, Scope};

/// Returns the pairs of rows of `left` and `right` with equal keys: a column of left row numbers and a column of
/// right row numbers.
///
/// Order: the left row numbers ascend. The right row numbers of one left row ascend on the CPU, and are in any order
/// on CUDA.
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
/// * At most 1 wait for the device, for the number of results.
/// * 1 more wait for some joins with few left rows (on CUDA up to 1,024 per multiprocessor), whose result columns are
///   allocated for a quarter more rows than the larger side has. If there are more results, the join starts again with
///   more memory.
/// * On CUDA, with 1,048,576 right rows or more, 1 more wait for each six text keys, to check whether numbers can
///   replace the texts.
/// * On CUDA, with 1,048,576 left rows or more: 2 more waits for the range of a key of numbers or dates, if there are
///   16 left rows for each right row, and the column stores no bounds; 1 more wait if the join first marks the left
///   rows with a match.
/// * Keys with lists add the [waits of their ranks](crate::sorting#structs-and-lists).
///
/// See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) without columns, with more than 32 columns, and with a
///   right side of more than 2³¹−16 rows.
/// * [`ColumnCount`](gdf_core::Error::ColumnCount), [`TypeMismatch`](gdf_core::Error::TypeMismatch) when the sides
///   differ in number or types of columns; [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
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

/// Returns the pairs of [`inner_join`]. In addition, each row of `left` without a match is paired with
/// [`JOIN_NO_MATCH`].
///
/// In libcudf `left_join`, in SQL `LEFT OUTER JOIN`.
///
/// # Errors
/// The errors of [`inner_join`].
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

/// Returns the pairs of [`left_join`], followed by the rows of `right` without a match. These rows are in ascending
/// order and are paired with [`JOIN_NO_MATCH`].
///
/// In libcudf `full_join`, in SQL `FULL OUTER JOIN`.
///
/// # Costs
/// The function needs at most 1 wait for the device, for the number of results, and the waits of [`inner_join`] for
/// text, lists and ranges. With 1,048,576 right rows or more and at least eight for each left row, the right rows that
/// match a left row are found first, which takes the waits of another such join and of a gather. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`inner_join`].
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

/// Returns the numbers of the rows of `left` that have a match in `right`, in ascending order.
///
/// In libcudf `left_semi_join` (in any order), in SQL `WHERE EXISTS`.
///
/// # Costs
/// The function needs at most 1 wait for the device, for the number of results, and the waits of [`inner_join`] for
/// text, lists and ranges. With 1,048,576 right rows or more and at least eight for each left row, the right rows that
/// match a left row are found first, which takes the waits of another such join and of a gather. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`inner_join`].
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

/// Returns the numbers of the rows of `left` that have no match in `right`, in ascending order.
///
/// In libcudf `left_anti_join` (in any order), in SQL `WHERE NOT EXISTS`.
///
/// # Costs
/// The function needs at most 1 wait for the device, for the number of results, and the waits of [`inner_join`] for
/// text, lists and ranges. With 1,048,576 right rows or more and at least eight for each left row, the right rows that
/// match a left row are found first, which takes the waits of another such join and of a gather. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`inner_join`].
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

/// A hash table of the right side of joins. The table is built once, and any thread can probe the table any number of
/// times.
///
/// Lists are compared by ranks among the keys of both sides ([how they compare](crate::sorting#structs-and-lists)).
/// Each probe therefore builds a separate hash table if a key is a list, or a struct that has lists or more than 32
/// fields.
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
pub struct HashJoin<'a>(pub(crate) JoinTable<'a>);

impl<'a> HashJoin<'a> {
    /// Builds the hash table of the rows of `right`, and borrows `right`. The function waits for the device only for
    /// text keys, as [`inner_join`] does. The hash table takes up to 40 bytes for each row. On CUDA, it takes up to 72
    /// bytes for each row if there are at most 65,536 rows. Numbers that replace texts take up to 16 more bytes for
    /// each row.
    ///
    /// In libcudf `hash_join`.
    ///
    /// # Errors
    /// The errors of [`inner_join`].
    pub fn try_new(right: impl Into<TableView<'a>>, nulls: NullEquality) -> Result<Self> {
        let right = right.into();
        Scope::for_inputs("hash_join", &[&right])?.run(|ctx| Ok(Self(JoinTable::new(right, nulls, ctx)?)))
    }

    /// Builds the hash table of [`try_new`](Self::try_new) in the form that is best for looking up `probe_rows` rows.
    ///
    /// For one key column of integers, dates or times, the table may have a place or a bit for each value in the range
    /// of the keys. Places take up to eight bytes for each row that is looked up, and bits take up to 32 bytes for each
    /// row of `right`. The table has this form only if `probe_rows` is much larger than the number of rows of `right`,
    /// or if the column stores bounds. On CUDA the function then waits for the range, unless the column stores bounds.
    ///
    /// ```
    /// use gdf::join::{HashJoin, NullEquality};
    /// use gdf::{Column, Table};
    ///
    /// let keys = |keys: &[i32]| Table::try_new(vec![Column::from_slice(keys)?]);
    /// let (parts, orders) = (keys(&[1, 2, 3])?, keys(&[3, 1, 9, 3])?);
    /// let join = HashJoin::for_rows(&parts, NullEquality::Unequal, orders.num_rows())?;
    /// assert_eq!(join.semi_join(&orders)?.len(), 3);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`inner_join`].
    pub fn for_rows(right: impl Into<TableView<'a>>, nulls: NullEquality, probe_rows: usize) -> Result<Self> {
        let right = right.into();
        Scope::for_inputs("hash_join", &[&right])?
            .run(|ctx| Ok(Self(JoinTable::for_rows(right, nulls, probe_rows, ctx)?)))
    }

    /// Returns the keys from which the hash table was built.
    pub fn keys(&self) -> &TableView<'a> {
        self.0.keys()
    }

    /// Returns whether the construction of the hash table has shown that no two rows of the right side have equal keys.
    ///
    /// If nulls are unequal, rows with null keys count as different. A result of false does not mean that keys repeat:
    /// on CUDA, and for keys of nested types, the construction does not tell.
    ///
    /// ```
    /// use gdf::join::{HashJoin, NullEquality};
    /// use gdf::{Column, Table};
    ///
    /// let keys = |keys: &[i32]| Table::try_new(vec![Column::from_slice(keys)?]);
    /// let (parts, orders) = (keys(&[1, 2, 3])?, keys(&[3, 1, 9, 3])?);
    /// assert!(HashJoin::try_new(&parts, NullEquality::Unequal)?.has_distinct_keys());
    /// assert!(!HashJoin::try_new(&orders, NullEquality::Unequal)?.has_distinct_keys());
    /// # Ok::<(), gdf::Error>(())
    /// ```
    pub fn has_distinct_keys(&self) -> bool {
        self.0.has_distinct_keys()
    }

    /// Returns the size of the hash table in bytes.
    pub fn memory_size(&self) -> usize {
        self.0.memory_size()
    }

    /// Returns a condition that is true for every row with a match in the hash table, and false for most other rows.
    /// `columns` are the positions of the keys in the table whose rows are to be filtered.
    ///
    /// If rows are filtered by this condition before a probe, later steps get fewer rows. The condition has a copy of
    /// the keys in the form of bits. It may therefore be used after the hash table is dropped, but only on the device
    /// of the hash table.
    ///
    /// | keys | the condition is false for |
    /// |---|---|
    /// | a column of integers, dates, times or decimals of at most 64 bits, whose range has at most 64 values for each key, or 65,536, and at most 2³² | all rows without a match |
    /// | other keys, up to 2²⁸ rows | rows outside of the range of a key of numbers, dates or times, and at least 15 of 16 other rows without a match (a Bloom filter with one hash) |
    /// | keys with lists or structs | no row |
    ///
    /// For null keys, the condition is true if null keys are equal and the table has null keys, and otherwise null or
    /// false. For keys with lists or structs, the condition is always true. A condition with bits cannot be serialized.
    /// The method waits for the range of each key whose range it uses.
    ///
    /// In DuckDB and DataFusion join filters and dynamic filters are such conditions.
    ///
    /// ```
    /// use gdf::join::{HashJoin, NullEquality};
    /// use gdf::{Column, Table, stream_compaction};
    ///
    /// let parts = Table::try_new(vec![Column::from_slice(&[20, 30, 25])?])?;
    /// let join = HashJoin::try_new(&parts, NullEquality::Unequal)?;
    /// let orders = Table::try_new(vec![Column::from_strs(["a", "b", "c"])?, Column::from_slice(&[7, 28, 20])?])?;
    /// let condition = join.filter(&[1])?;
    /// assert_eq!(condition.to_string(), "#1 IN (keys of 3 rows)");
    /// assert_eq!(stream_compaction::filter(&orders, &condition)?.num_rows(), 1);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`ColumnCount`](gdf_core::Error::ColumnCount) if `columns` does not have a position for each key.
    /// * Driver and memory errors.
    #[doc(alias("dynamic filter", "join filter pushdown", "runtime filter", "bloom filter"))]
    pub fn filter(&self, columns: &[usize]) -> Result<Expr> {
        let inputs: [&dyn Input; 1] = [self.0.keys()];
        Scope::for_inputs("hash_join.filter", &inputs)?.run(|ctx| detail::join::key_filter(&self.0, columns, ctx))
    }

    fn scope(&self, name: &'static str, left: &TableView<'_>) -> Result<Scope> {
        let inputs: [&dyn Input; 2] = [self.0.keys(), left];
        Scope::for_inputs(name, &inputs)
    }

    /// Does the same as the function [`inner_join`].
    ///
    /// # Errors
    /// The errors of [`inner_join`].
    #[doc(alias("merge", "join", "equijoin"))]
    pub fn inner_join<'l>(&self, left: impl Into<TableView<'l>>) -> Result<(Column, Column)> {
        let left = left.into();
        self.scope("hash_join.inner_join", &left)?.run(|ctx| self.0.join(JoinKind::Inner, left, ctx))
    }

    /// Does the same as the function [`left_join`].
    ///
    /// # Errors
    /// The errors of [`inner_join`].
    #[doc(alias("left outer join", "merge"))]
    pub fn left_join<'l>(&self, left: impl Into<TableView<'l>>) -> Result<(Column, Column)> {
        let left = left.into();
        self.scope("hash_join.left_join", &left)?.run(|ctx| self.0.join(JoinKind::Left, left, ctx))
    }

    /// Does the same as the function [`full_join`].
    ///
    /// # Errors
    /// The errors of [`inner_join`].
    #[doc(alias("outer join", "full outer join", "merge"))]
    pub fn full_join<'l>(&self, left: impl Into<TableView<'l>>) -> Result<(Column, Column)> {
        let left = left.into();
        self.scope("hash_join.full_join", &left)?.run(|ctx| self.0.join(JoinKind::Full, left, ctx))
    }

    /// Does the same as the function [`left_semi_join`].
    ///
    /// # Errors
    /// The errors of [`inner_join`].
    #[doc(alias("left_semi_join", "exists", "isin"))]
    pub fn semi_join<'l>(&self, left: impl Into<TableView<'l>>) -> Result<Column> {
        let left = left.into();
        self.scope("hash_join.semi_join", &left)?.run(|ctx| self.0.filter(FilterKind::Semi, left, ctx))
    }

    /// Does the same as the function [`left_anti_join`].
    ///
    /// # Errors
    /// The errors of [`inner_join`].
    #[doc(alias("left_anti_join", "not exists"))]
    pub fn anti_join<'l>(&self, left: impl Into<TableView<'l>>) -> Result<Column> {
        let left = left.into();
        self.scope("hash_join.anti_join", &left)?.run(|ctx| self.0.filter(FilterKind::Anti, left, ctx))
    }

    /// Does the same as the function [`mark_join`].
    ///
    /// # Errors
    /// The errors of [`inner_join`].
    #[doc(alias("mark join", "contains"))]
    pub fn mark_join<'l>(&self, left: impl Into<TableView<'l>>) -> Result<Column> {
        let left = left.into();
        self.scope("hash_join.mark_join", &left)?.run(|ctx| detail::join::probe_marks(&self.0, &left, ctx))
    }

    /// Returns the number of pairs that [`inner_join`](Self::inner_join) returns. The method waits once.
    ///
    /// # Errors
    /// The errors of [`inner_join`].
    pub fn inner_join_size<'l>(&self, left: impl Into<TableView<'l>>) -> Result<usize> {
        let left = left.into();
        self.scope("hash_join.inner_join_size", &left)?.run(|ctx| self.0.size(JoinKind::Inner, left, ctx))
    }

    /// Returns the number of pairs that [`left_join`](Self::left_join) returns. The method waits once.
    ///
    /// # Errors
    /// The errors of [`inner_join`].
    pub fn left_join_size<'l>(&self, left: impl Into<TableView<'l>>) -> Result<usize> {
        let left = left.into();
        self.scope("hash_join.left_join_size", &left)?.run(|ctx| self.0.size(JoinKind::Left, left, ctx))
    }

    /// Returns the number of pairs that [`full_join`](Self::full_join) returns. The method waits once.
    ///
    /// # Errors
    /// The errors of [`inner_join`].
    pub fn full_join_size<'l>(&self, left: impl Into<TableView<'l>>) -> Result<usize> {
        let left = left.into();
        self.scope("hash_join.full_join_size", &left)?.run(|ctx| self.0.size(JoinKind::Full, left, ctx))
    }
}
