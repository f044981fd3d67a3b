//! The matches of a built hash table: lookups, counts, parts, and the rows of the right side. They are part of
//! [`join`](crate::join).

use gdf_core::{Column, Result, TableView};
use gdf_detail as detail;
use gdf_detail::join::{FilterKind, Partitions};

use super::{HashJoin, JoinKind};
use crate::scope::{Input, Scope};

impl<'a> HashJoin<'a> {
    /// Returns for each row of `left` the number of the row of the right side with equal keys, or
    /// [`JOIN_NO_MATCH`](super::JOIN_NO_MATCH). The rows of the right side must be distinct, as primary keys are.
    ///
    /// The result has a row for each row of `left`, in the order of `left`. Types, nulls and NaN: as for
    /// [`inner_join`](super::inner_join()). If the right side has the
    /// [`distinct`](crate::stream_compaction::distinct()) keys of several tables, the result numbers these keys
    /// densely: equal keys get equal numbers in all tables.
    ///
    /// In libcudf `distinct_hash_join::left_join` and `key_remapping`, in polars `join(validate="m:1")`. libcudf's
    /// `distinct_hash_join::inner_join` corresponds to [`inner_join`](Self::inner_join).
    ///
    /// ```
    /// use gdf::join::{HashJoin, JOIN_NO_MATCH, NullEquality};
    /// use gdf::{Column, Table};
    ///
    /// let cities = Table::try_new(vec![Column::from_strs(["Oslo", "Rome", "Bern"])?])?;
    /// let join = HashJoin::try_new(&cities, NullEquality::Unequal)?;
    /// let visits = Table::try_new(vec![Column::from_strs(["Bern", "Paris", "Oslo", "Bern"])?])?;
    /// let city = join.lookup(&visits)?.to_vec::<u32>()?;
    /// assert_eq!(city, [Some(2), Some(JOIN_NO_MATCH), Some(0), Some(2)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// The method has the waits of [`left_join`](Self::left_join).
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) if a row of `left` equals several rows of the right
    ///   side. Equal rows that no row of `left` equals are not noticed.
    /// * The errors of [`inner_join`](super::inner_join()).
    #[doc(alias("distinct_hash_join", "key_remapping", "map_join", "dictionary lookup"))]
    pub fn lookup<'l>(&self, left: impl Into<TableView<'l>>) -> Result<Column> {
        let left = left.into();
        self.scope("hash_join.lookup", &left)?.run(|ctx| detail::join::lookup(&self.0, &left, ctx))
    }

    /// Returns the number of matches of each row of `left`, as `Int64` without nulls. A left join has one pair, with
    /// [`JOIN_NO_MATCH`](super::JOIN_NO_MATCH), for a row with 0 matches.
    ///
    /// The result has a row for each row of `left`, in the order of `left`. The work grows with the number of rows, not
    /// with the number of pairs. Types, nulls and NaN: as for [`inner_join`](super::inner_join()).
    ///
    /// In libcudf the counts of `hash_join::inner_join_match_context`.
    ///
    /// ```
    /// use gdf::join::{HashJoin, NullEquality};
    /// use gdf::{Column, Table};
    ///
    /// let keys = |keys: &[i32]| Table::try_new(vec![Column::from_slice(keys)?]);
    /// let orders = keys(&[7, 8, 7, 7])?;
    /// let join = HashJoin::try_new(&orders, NullEquality::Equal)?;
    /// assert_eq!(join.match_counts(&keys(&[7, 9, 8])?)?.to_vec::<i64>()?, [Some(3), Some(0), Some(1)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// The method has the costs of [`distinct_indices`](crate::stream_compaction::distinct_indices()) of the table's
    /// rows, of two [`left_join`](super::left_join()), of a sort and of two searches.
    ///
    /// # Errors
    /// * The errors of [`inner_join`](super::inner_join()).
    #[doc(alias("match context", "inner_join_match_context"))]
    pub fn match_counts<'l>(&self, left: impl Into<TableView<'l>>) -> Result<Column> {
        let left = left.into();
        self.scope("hash_join.match_counts", &left)?.run(|ctx| detail::join::match_counts(&self.0, &left, ctx))
    }

    /// Returns the pairs of a join in parts of at most `most_pairs` pairs, so that a join with many more pairs than
    /// rows needs bounded memory.
    ///
    /// Each part has the pairs of a range of left rows: a column of left row numbers and a column of right row numbers.
    /// The parts together have the pairs of [`inner_join`](Self::inner_join), [`left_join`](Self::left_join) or
    /// [`full_join`](Self::full_join), in the same order. A left row with more than `most_pairs` pairs is a part of its
    /// own. The rows of the right side without a match are the last part of a full join, whatever their number.
    ///
    /// In libcudf `partitioned_inner_join`, `partitioned_left_join`, `partitioned_full_join` and
    /// `finalize_partitioned_full_join`, for which the caller chooses the ranges by the counts of a match context.
    ///
    /// ```
    /// use gdf::join::{HashJoin, JoinKind, NullEquality};
    /// use gdf::{Column, Table};
    ///
    /// let keys = |keys: &[i32]| Table::try_new(vec![Column::from_slice(keys)?]);
    /// let (left, right) = (keys(&[1, 2, 1, 3])?, keys(&[1, 1, 2])?);
    /// let join = HashJoin::try_new(&right, NullEquality::Equal)?;
    /// let mut sizes = Vec::new();
    /// for part in join.partitions(JoinKind::Inner, &left, 3)? {
    ///     let (left_rows, right_rows) = part?;
    ///     assert_eq!(left_rows.len(), right_rows.len());
    ///     sizes.push(left_rows.len());
    /// }
    /// assert_eq!(sizes, [3, 2]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// The method has the costs of [`match_counts`](Self::match_counts) and takes 8 bytes for each left row. Each part
    /// has 2 waits for its range, and the waits of its join.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) if `most_pairs` is 0.
    /// * The errors of [`match_counts`](Self::match_counts). Each part may return the errors of
    ///   [`inner_join`](super::inner_join()).
    #[doc(alias("partitioned_inner_join", "partitioned_left_join", "partitioned_full_join", "chunked join"))]
    pub fn partitions<'j, 'l>(
        &'j self,
        kind: JoinKind,
        left: impl Into<TableView<'l>>,
        most_pairs: usize,
    ) -> Result<JoinPartitions<'j, 'a, 'l>> {
        let left = left.into();
        let parts = self
            .scope("hash_join.partitions", &left)?
            .run(|ctx| Partitions::new(kind, &self.0, &left, most_pairs, ctx))?;
        Ok(JoinPartitions { join: self, left, parts })
    }

    /// Returns the numbers of the rows of the right side that have a match in `left`, in ascending order.
    ///
    /// Types, nulls and NaN: as for [`inner_join`](super::inner_join()). In libcudf `mark_join::semi_join`, in DuckDB
    /// and DataFusion a right semi join.
    ///
    /// ```
    /// use gdf::join::{HashJoin, NullEquality};
    /// use gdf::{Column, Table};
    ///
    /// let keys = |keys: &[i32]| Table::try_new(vec![Column::from_slice(keys)?]);
    /// let customers = keys(&[5, 6, 7, 6])?;
    /// let join = HashJoin::try_new(&customers, NullEquality::Equal)?;
    /// let orders = keys(&[6, 9, 6])?;
    /// assert_eq!(join.right_semi_join(&orders)?.to_vec::<u32>()?, [Some(1), Some(3)]);
    /// assert_eq!(join.right_anti_join(&orders)?.to_vec::<u32>()?, [Some(0), Some(2)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// The method needs at most 2 waits for the device, and the waits of [`inner_join`](super::inner_join()) for text
    /// and lists.
    ///
    /// # Errors
    /// * The errors of [`inner_join`](super::inner_join()).
    #[doc(alias("mark join", "right semi join"))]
    pub fn right_semi_join<'l>(&self, left: impl Into<TableView<'l>>) -> Result<Column> {
        let left = left.into();
        self.scope("hash_join.right_semi_join", &left)?
            .run(|ctx| detail::join::right_rows(FilterKind::Semi, &self.0, &left, ctx))
    }

    /// Returns the numbers of the rows of the right side that have no match in `left`, in ascending order. These are
    /// the rows that [`right_semi_join`](Self::right_semi_join) does not return.
    ///
    /// In libcudf `mark_join::anti_join`.
    ///
    /// # Errors
    /// * The errors of [`inner_join`](super::inner_join()).
    #[doc(alias("mark join", "right anti join"))]
    pub fn right_anti_join<'l>(&self, left: impl Into<TableView<'l>>) -> Result<Column> {
        let left = left.into();
        self.scope("hash_join.right_anti_join", &left)?
            .run(|ctx| detail::join::right_rows(FilterKind::Anti, &self.0, &left, ctx))
    }
}

/// The parts of a join, in order; see [`HashJoin::partitions`].
#[derive(Debug)]
pub struct JoinPartitions<'j, 'r, 'l> {
    join: &'j HashJoin<'r>,
    left: TableView<'l>,
    parts: Partitions,
}

impl Iterator for JoinPartitions<'_, '_, '_> {
    type Item = Result<(Column, Column)>;

    fn next(&mut self) -> Option<Self::Item> {
        let inputs: [&dyn Input; 2] = [self.join.0.keys(), &self.left];
        let scope = match Scope::for_inputs("hash_join.partition", &inputs) {
            Ok(scope) => scope,
            Err(error) => return Some(Err(error)),
        };
        scope.run(|ctx| self.parts.next_part(&self.join.0, &self.left, ctx)).transpose()
    }
}
