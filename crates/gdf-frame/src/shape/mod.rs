//! Verbs that change the rows and columns of a frame: pivots, samples, cross joins, and columns of structs.

mod columns;
mod lazy;

use gdf_api::copying::Replacement;
use gdf_api::groupby::GroupByAggregation;

use gdf_core::Result;

use crate::frame::Frame;
use crate::selector::Selector;

/// # Verbs that change the shape
impl Frame {
    /// Returns random rows, in random order. The same seed and the same number of rows give the same row numbers on
    /// every device.
    ///
    /// The verb corresponds to `TABLESAMPLE` in SQL, and to `sample` in polars, pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::copying::Replacement;
    /// use gdf::frame::Frame;
    ///
    /// let frame = Frame::try_new([("x", Column::from_slice(&[1, 2, 3, 4])?)])?;
    /// assert_eq!(frame.sample(2, Replacement::Without, 7)?.num_rows(), 2);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * The errors of [`sample`](gdf_api::copying::sample), for example if more rows are requested than there are.
    #[doc(alias("shuffle"))]
    pub fn sample(&self, rows: usize, replacement: Replacement, seed: u64) -> Result<Frame> {
        self.lazy().sample(rows, replacement, seed).collect()
    }

    /// Turns columns into rows. The result has a row for each row of the frame and each column of `on`. Such a row has
    /// the columns of `index`, the name of the column of `on` in `variable`, and the value of that column in `value`.
    /// All rows of the first column of `on` come first, in the order of the frame. Columns in neither list are left
    /// out.
    ///
    /// The verb corresponds to `UNPIVOT` in SQL, `unpivot` in polars, and `melt` in pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::Frame;
    ///
    /// let frame = Frame::try_new([
    ///     ("id", Column::from_slice(&[7, 8])?),
    ///     ("height", Column::from_slice(&[180, 165])?),
    ///     ("weight", Column::from_slice(&[70, 60])?),
    /// ])?;
    /// let long = frame.unpivot("id", ["height", "weight"])?;
    /// assert_eq!(long.names().collect::<Vec<_>>(), ["id", "variable", "value"]);
    /// assert_eq!(long.column("value")?.to_vec::<i32>()?, [180, 165, 70, 60].map(Some));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound). [`DuplicateName`](gdf_core::Error::DuplicateName): a column
    ///   of `index` is called `variable` or `value`.
    /// * The errors of [`unpivot`](gdf_api::reshape::unpivot), for example if the columns of `on` have different types.
    #[doc(alias("melt", "stack"))]
    pub fn unpivot(&self, index: impl Into<Selector>, on: impl Into<Selector>) -> Result<Frame> {
        self.lazy().unpivot(index, on).collect()
    }

    /// Turns rows into columns. The result has a row for each distinct row of the columns of `index`, and a column for
    /// each value of the column `on`, named after the value (a date as `2026-01-31`) and in the order of the values. An
    /// element is the aggregation of the column `values` over the rows with that index and that value. Without such
    /// rows, a count is 0 and any other element is null. Rows in which `on` is null have the last column, which is
    /// called `null`. The order of the rows is not specified. **Waits** for the values of `on`.
    ///
    /// The verb corresponds to `PIVOT` in SQL, `pivot` in polars, and `pivot_table` in pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::Frame;
    /// use gdf::groupby::GroupByAggregation;
    ///
    /// let frame = Frame::try_new([
    ///     ("id", Column::from_slice(&[7, 7, 7])?),
    ///     ("kind", Column::from_strs(["b", "a", "b"])?),
    ///     ("sum", Column::from_slice(&[1_i64, 2, 3])?),
    /// ])?;
    /// let wide = frame.pivot("id", "kind", "sum", GroupByAggregation::Sum)?;
    /// assert_eq!(wide.names().collect::<Vec<_>>(), ["id", "a", "b"]);
    /// assert_eq!(wide.column("b")?.get(0)?, Some(4_i64));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound). [`DuplicateName`](gdf_core::Error::DuplicateName): a value of
    ///   `on` is the name of a column of `index`, or `on` has nulls and the text `null`.
    /// * [`Unsupported`](gdf_core::Error::Unsupported): `on` has no text (also in a dictionary), integers,
    ///   booleans or dates. Times become dates or text with `dt().truncate` and `cast`, or `strings::from_timestamps`.
    /// * The errors of [`pivot`](gdf_api::reshape::pivot), for example if `on` has more than 4,096 different values.
    #[doc(alias("pivot_table", "unstack", "crosstab"))]
    pub fn pivot(
        &self,
        index: impl Into<Selector>,
        on: &str,
        values: &str,
        aggregation: GroupByAggregation,
    ) -> Result<Frame> {
        self.lazy().pivot(index, on, values, aggregation).collect()
    }

    /// Pairs each row with each row of another frame. The result has the order of the left rows, and for each left row
    /// the order of the right rows. If a column of the right side has the name of a column of the left side, its name
    /// gets the suffix.
    ///
    /// The verb corresponds to `CROSS JOIN` in SQL, and to `how="cross"` in polars and pandas.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::Frame;
    ///
    /// let letters = Frame::try_new([("x", Column::from_strs(["a", "b"])?)])?;
    /// let numbers = Frame::try_new([("x", Column::from_slice(&[1, 2])?)])?;
    /// let pairs = letters.cross_join(&numbers, "_right")?;
    /// assert_eq!(pairs.column("x_right")?.to_vec::<i32>()?, [1, 2, 1, 2].map(Some));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`DuplicateName`](gdf_core::Error::DuplicateName): a name with the suffix is the name of another column.
    /// * The errors of [`cross_join`](gdf_api::join::cross_join).
    #[doc(alias("cartesian product"))]
    pub fn cross_join(&self, right: &Frame, suffix: &str) -> Result<Frame> {
        self.lazy().cross_join(right.lazy(), suffix).collect()
    }

    /// Replaces a column by a boolean column for each of its values. A boolean column is named after the column and the
    /// value, as in `city_Oslo`, and is true in the rows with that value. The boolean columns are in the order of the
    /// values. Nulls have no column. **Waits** for the values.
    ///
    /// The verb corresponds to `to_dummies` in polars, and to `get_dummies` in pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::Frame;
    ///
    /// let frame = Frame::try_new([("city", Column::from_strs(["Oslo", "Lyon", "Oslo"])?)])?;
    /// let dummies = frame.to_dummies("city")?;
    /// assert_eq!(dummies.names().collect::<Vec<_>>(), ["city_Lyon", "city_Oslo"]);
    /// assert_eq!(dummies.column("city_Oslo")?.to_vec::<bool>()?, [true, false, true].map(Some));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound). [`DuplicateName`](gdf_core::Error::DuplicateName): a name is
    ///   that of another column.
    /// * [`Unsupported`](gdf_core::Error::Unsupported): the column has no text (also in a dictionary),
    ///   integers, booleans or dates.
    /// * The errors of [`one_hot_encode`](gdf_api::transform::one_hot_encode).
    #[doc(alias("get_dummies", "one hot"))]
    pub fn to_dummies(&self, name: &str) -> Result<Frame> {
        self.lazy().to_dummies(name).collect()
    }

    /// Replaces a column of structs by its fields. A field is null in the rows in which the struct is null.
    ///
    /// The verb corresponds to `SELECT s.*` in SQL, `unnest` in polars, and `struct.explode` in cuDF.
    ///
    /// ```
    /// use gdf::core::ColumnParts;
    /// use gdf::frame::Frame;
    /// use gdf::{Column, Device};
    ///
    /// let fields = [("low", Column::from_slice(&[1, 2])?), ("high", Column::from_slice(&[5, 6])?)];
    /// let ranges = Column::try_from_parts(ColumnParts::structs(Device::Cpu, 2, fields))?;
    /// let frame = Frame::try_new([("range", ranges)])?;
    /// assert_eq!(frame.unnest("range")?.names().collect::<Vec<_>>(), ["low", "high"]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound). [`DuplicateName`](gdf_core::Error::DuplicateName): a field
    ///   has the name of another column.
    /// * [`Unsupported`](gdf_core::Error::Unsupported): the column has no structs.
    /// * The errors of [`purge_nonempty_nulls`](gdf_api::copying::purge_nonempty_nulls).
    #[doc(alias("struct.explode", "flatten"))]
    pub fn unnest(&self, name: &str) -> Result<Frame> {
        self.lazy().unnest(name).collect()
    }
}
