//! The verbs of frames.

use std::sync::Arc;

use arrow_schema::Field;
use gdf_api::stream_compaction::DuplicateKeepOption;
use gdf_core::{Column, DataType, Result, Table};

use crate::columns::Columns;
use crate::expr::{Expr, Output, SortBy};
use crate::frame::Frame;
use crate::join::Join;
use crate::selector::Selector;

/// # Verbs
/// Each verb computes its result at once. `lazy` begins a chain of verbs that are executed together.
impl Frame {
    /// Returns the rows for which a condition is true, in their order. Rows for which the condition is null are left
    /// out.
    ///
    /// The verb corresponds to `WHERE` in SQL, `filter` in polars, and `df[mask]` in pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let frame = Frame::try_new([("city", Column::from_strs(["Lyon", "Oslo"])?), ("sum", Column::from_slice(&[3, 5])?)])?;
    /// let found = frame.filter(col("city").str().starts_with("L").and(col("sum").lt(4)))?;
    /// assert_eq!(found.num_rows(), 1);
    ///
    /// let error = frame.filter(col("sum").gt(1).and(col("city").gt(4))).unwrap_err().to_string();
    /// assert!(error.starts_with("frame.filter(Greater): city > 4: "), "{error}");
    /// assert!(error.ends_with("\n  sum > 1 AND city > 4\n              ^^^^^^^^"), "{error}");
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound): no column has a name that the condition contains.
    /// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the condition is not boolean.
    /// * The errors of [`project`](gdf_api::pipeline::Pipeline::project).
    #[doc(alias("where", "query"))]
    pub fn filter(&self, condition: impl Into<Expr>) -> Result<Frame> {
        self.lazy().filter(condition).collect()
    }

    /// Returns the columns and values of a list of outputs, in their order.
    ///
    /// If every output is an aggregation or a value, the result is one row: `select([col("x").sum()])`. If there are
    /// also columns, an aggregation has the same value in every row: `select([col("x") - col("x").mean()])`.
    ///
    /// The verb corresponds to `SELECT` in SQL and `select` in polars.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let frame = Frame::try_new([("a", Column::from_slice(&[1, 2])?), ("b", Column::from_slice(&[10, 20])?)])?;
    /// let sums = frame.select([(col("a") + col("b")).alias("sum"), col("b")])?;
    /// assert_eq!(sums.column("sum")?.to_vec::<i32>()?, [Some(11), Some(22)]);
    /// assert_eq!(frame.select(["b"])?.num_columns(), 1);
    /// assert_eq!(frame.select([col("b").max()])?.column("b")?.get(0)?, Some(20));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound): no column has a name that an expression contains.
    /// * [`DuplicateName`](gdf_core::Error::DuplicateName): two outputs have the same name.
    /// * The errors of [`project`](gdf_api::pipeline::Pipeline::project).
    pub fn select(&self, outputs: impl IntoIterator<Item = impl Into<Output>>) -> Result<Frame> {
        self.lazy().select(outputs).collect()
    }

    /// Returns all columns, and a column for each output. An output replaces the column of the same name.
    ///
    /// The verb corresponds to `with_columns` in polars, `assign` in pandas and cuDF, and `mutate` in dplyr.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let frame = Frame::try_new([("a", Column::from_slice(&[1, 2, 5])?), ("k", Column::from_slice(&[0, 0, 1])?)])?;
    /// let shares = frame.with([(col("a") * 1.0 / col("a").sum().over(["k"])).alias("share")])?;
    /// assert_eq!(shares.column("share")?.get(2)?, Some(1.0));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * The errors of [`select`](Self::select).
    #[doc(alias("with_columns", "assign", "mutate"))]
    pub fn with(&self, outputs: impl IntoIterator<Item = impl Into<Output>>) -> Result<Frame> {
        self.lazy().with(outputs).collect()
    }

    /// Returns the frame with a column that was computed elsewhere, for example by an operation of another module of
    /// `gdf`, or by a function of your own. The column replaces the column of the same name, or comes after the last
    /// column.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::Frame;
    ///
    /// let frame = Frame::try_new([("x", Column::from_slice(&[1.0, 2.0])?)])?;
    /// let own = frame.column("x")?.to_vec::<f64>()?.into_iter().flatten().map(f64::cosh).collect::<Vec<_>>();
    /// let frame = frame.with_column("cosh", Column::from_slice(&own)?)?;
    /// assert_eq!(frame.names().collect::<Vec<_>>(), ["x", "cosh"]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch): the
    ///   column differs from the frame in length or device.
    #[doc(alias("with_columns", "assign", "insert", "hstack"))]
    pub fn with_column(&self, name: impl Into<String>, column: Column) -> Result<Frame> {
        let name = name.into();
        let field = Arc::new(Field::new(&name, column.data_type().clone(), true));
        let (mut fields, mut columns) = (self.schema().fields().to_vec(), self.table().columns().to_vec());
        match self.columns().position(&name) {
            Some(at) => (fields[at], columns[at]) = (field, column),
            None => {
                fields.push(field);
                columns.push(column);
            }
        }
        let is_empty = self.num_columns() == 0 && self.num_rows() == 0;
        let rows = if is_empty { columns[0].len() } else { self.num_rows() };
        let table = Table::try_with_rows(columns, rows).map_err(|error| error.in_operation("frame.with_column"))?;
        self.columns().replaced(fields, table).watched().map(Frame)
    }

    /// Gives columns new names. Each pair consists of an old name and a new name.
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound), [`DuplicateName`](gdf_core::Error::DuplicateName).
    pub fn rename<O: AsRef<str>, N: AsRef<str>>(&self, names: impl IntoIterator<Item = (O, N)>) -> Result<Frame> {
        self.lazy().rename(names).collect()
    }

    /// Leaves out columns.
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound).
    pub fn drop(&self, columns: impl Into<Selector>) -> Result<Frame> {
        self.lazy().drop(columns).collect()
    }

    /// Sorts the rows by keys. The first key is the most significant one.
    ///
    /// A name or an expression is a key in ascending order. [`Expr::desc`] makes a key in descending order. Nulls come
    /// last, unless [`SortBy::nulls_first`] is used. NaN is larger than all numbers. The order of rows with equal keys
    /// is not specified.
    ///
    /// The verb corresponds to `ORDER BY` in SQL, `sort` in polars, and `sort_values` in pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let frame = Frame::try_new([("x", Column::from_options(&[Some(2), None, Some(3)])?)])?;
    /// assert_eq!(frame.sort(["x"])?.column("x")?.to_vec::<i32>()?, [Some(2), Some(3), None]);
    /// assert_eq!(frame.sort([col("x").desc()])?.column("x")?.to_vec::<i32>()?, [Some(3), Some(2), None]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound).
    /// * The errors of [`sort_by`](gdf_api::pipeline::Pipeline::sort_by).
    #[doc(alias("order_by", "sort_values", "arrange"))]
    pub fn sort(&self, keys: impl IntoIterator<Item = impl Into<SortBy>>) -> Result<Frame> {
        self.lazy().sort(keys).collect()
    }

    /// Returns the first rows that [`sort`](Self::sort) would return. Only these rows are sorted.
    ///
    /// # Errors
    /// * The errors of [`sort`](Self::sort).
    #[doc(alias("nlargest", "nsmallest", "limit"))]
    pub fn top_k(&self, rows: usize, keys: impl IntoIterator<Item = impl Into<SortBy>>) -> Result<Frame> {
        self.lazy().top_k(rows, keys).collect()
    }

    /// Returns the first rows, or all rows if the frame has fewer rows. The result shares the memory of the frame.
    #[doc(alias("limit"))]
    #[must_use]
    pub fn head(&self, rows: usize) -> Frame {
        Frame(Columns::trusted(self.schema().clone(), self.table().head(rows)))
    }

    /// Returns the last rows, or all rows if the frame has fewer rows. The result shares the memory of the frame.
    #[must_use]
    pub fn tail(&self, rows: usize) -> Frame {
        Frame(Columns::trusted(self.schema().clone(), self.table().tail(rows)))
    }

    /// Returns at most `len` rows from row `offset` on. The result shares the memory of the frame. Rows beyond the end
    /// are left out.
    ///
    /// The method returns a `Result`, as every verb that the lazy frame executes; [`head`](Self::head) and
    /// [`tail`](Self::tail) of a frame do not.
    ///
    /// # Errors
    /// * None at present.
    pub fn slice(&self, offset: usize, len: usize) -> Result<Frame> {
        self.lazy().slice(offset, len).collect()
    }

    /// Returns one row of all rows that are equal in the columns of a subset. `keep` states which of these rows is
    /// returned, or that none of them is. Nulls are equal to each other, and NaNs are equal to each other. The order of
    /// the rows is not specified.
    ///
    /// The verb corresponds to `DISTINCT ON` in SQL, `unique` in polars, and `drop_duplicates` in pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{DuplicateKeepOption, Frame, all};
    ///
    /// let frame = Frame::try_new([("x", Column::from_slice(&[2, 3, 2])?)])?;
    /// assert_eq!(frame.distinct(all(), DuplicateKeepOption::Any)?.num_rows(), 2);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound).
    /// * The errors of [`distinct`](gdf_api::stream_compaction::distinct).
    #[doc(alias("unique", "drop_duplicates"))]
    pub fn distinct(&self, subset: impl Into<Selector>, keep: DuplicateKeepOption) -> Result<Frame> {
        self.lazy().distinct(subset, keep).collect()
    }

    /// Leaves out rows with a null in the columns of a subset.
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound).
    /// * The errors of [`drop_nulls`](gdf_api::stream_compaction::drop_nulls).
    #[doc(alias("dropna"))]
    pub fn drop_nulls(&self, subset: impl Into<Selector>) -> Result<Frame> {
        self.lazy().drop_nulls(subset).collect()
    }

    /// Replaces nulls by a value, in the columns of a subset.
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound).
    /// * The errors of [`with`](Self::with), for example if the type of the value does not fit the type of a column.
    #[doc(alias("fillna"))]
    pub fn fill_null(&self, subset: impl Into<Selector>, value: impl Into<Expr>) -> Result<Frame> {
        self.lazy().fill_null(subset, value).collect()
    }

    /// Converts columns to a type.
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound).
    /// * The errors of [`with`](Self::with), for example if a column cannot be converted.
    #[doc(alias("astype"))]
    pub fn cast(&self, subset: impl Into<Selector>, data_type: DataType) -> Result<Frame> {
        self.lazy().cast(subset, data_type).collect()
    }

    /// Returns a row for each element of the lists of a column. A list that is null or empty becomes one row with a
    /// null element. The values of the other columns are repeated.
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound).
    /// * The errors of [`explode_outer`](gdf_api::lists::explode_outer).
    pub fn explode(&self, name: &str) -> Result<Frame> {
        self.lazy().explode(name).collect()
    }

    /// Returns the rows in reverse order.
    ///
    /// # Errors
    /// * The errors of [`reverse`](gdf_api::copying::reverse).
    pub fn reverse(&self) -> Result<Frame> {
        self.lazy().reverse().collect()
    }

    /// Combines the rows with the matching rows of another frame. [`Join`] describes the kinds of joins and the columns
    /// of the result.
    ///
    /// The hash table is built from the right side, so the right side should be the smaller side. A right join builds
    /// the hash table from the left side. The rows of the result are in no particular order.
    ///
    /// The verb corresponds to `JOIN` in SQL, `join` in polars, and `merge` in pandas and cuDF.
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound): a side has no column with the name of a key, or no side has a
    ///   column with a name in the condition.
    /// * [`DuplicateName`](gdf_core::Error::DuplicateName): a name with the suffix equals the name of another column.
    /// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the keys of both sides have different types and are neither
    ///   integers nor text, or the condition is not boolean.
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): there are neither keys nor a condition, keys that must
    ///   be distinct are repeated, or the condition consists of more than columns of a row.
    /// * The errors of [`HashJoin`](gdf_api::join::HashJoin), of
    ///   [`mixed_inner_join`](gdf_api::join::mixed_inner_join()) and of
    ///   [`conditional_inner_join`](gdf_api::join::conditional_inner_join()).
    #[doc(alias("merge"))]
    pub fn join(&self, right: &Frame, join: Join) -> Result<Frame> {
        self.lazy().join(right.lazy(), join).collect()
    }

    /// Returns a row for each pair of rows of both frames for which a condition is true. The verb is a
    /// [`join`](Self::join) with [`Join::by_condition`], which also describes the names in the condition. If some
    /// columns of both sides must be equal, [`Join::condition`] beside keys tests far fewer pairs.
    ///
    /// The verb corresponds to `JOIN … ON` in SQL, and `join_where` in polars.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let jobs = Frame::try_new([("job", Column::from_strs(["a", "b"])?), ("size", Column::from_slice(&[3, 8])?)])?;
    /// let hosts = Frame::try_new([("host", Column::from_strs(["x", "y"])?), ("size", Column::from_slice(&[4, 16])?)])?;
    /// let fits = jobs.join_where(&hosts, col("size").le(col("size_right")))?;
    /// assert_eq!(fits.names().collect::<Vec<_>>(), ["job", "size", "host", "size_right"]);
    /// assert_eq!(fits.num_rows(), 3);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * The errors of [`join`](Self::join).
    #[doc(alias("theta join", "non-equi join"))]
    pub fn join_where(&self, right: &Frame, condition: impl Into<Expr>) -> Result<Frame> {
        self.lazy().join_where(right.lazy(), condition).collect()
    }

    /// Appends the rows of other frames. The columns of these frames are found by name, and must have the same types.
    /// Text and bytes get the width of offsets that they have in this frame. The fields of structs must have the same
    /// names in the same order.
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound), [`ColumnCount`](gdf_core::Error::ColumnCount): a frame has
    ///   other columns.
    /// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the fields of a struct have other names.
    /// * The errors of [`concatenate`](gdf_api::concatenate::concatenate).
    #[doc(alias("vstack", "union all", "append"))]
    pub fn concat<'a>(&self, others: impl IntoIterator<Item = &'a Frame>) -> Result<Frame> {
        self.lazy().concat(others.into_iter().map(Frame::lazy)).collect()
    }

    /// Returns the number of occurrences of each value of a column. The result has a column with the values, and the
    /// column `count`. The most frequent value comes first.
    ///
    /// # Errors
    /// * The errors of [`GroupBy::agg`](crate::GroupBy::agg).
    pub fn value_counts(&self, name: &str) -> Result<Frame> {
        self.lazy().value_counts(name).collect()
    }

    /// Returns the number of nulls of each column, as one row.
    ///
    /// # Errors
    /// * The errors of [`select`](Self::select).
    pub fn null_count(&self) -> Result<Frame> {
        self.lazy().null_count().collect()
    }
}
