//! Group-by: groups the rows of a frame by keys, and aggregates the groups.

use std::sync::Arc;

use gdf_core::Result;

use crate::expr::{Expr, Output, exprs};
use crate::frame::Frame;
use crate::lazy::LazyFrame;
use crate::plan::{Grouping, Step};

/// A frame with the keys of a group-by. [`Frame::group_by`] returns this type. The same object can be aggregated
/// several times.
#[derive(Clone, Debug)]
#[must_use = "a group-by computes nothing before `agg`"]
pub struct GroupBy(LazyGroupBy);

/// A lazy frame with the keys of a group-by. [`LazyFrame::group_by`] returns this type.
#[derive(Clone, Debug)]
#[must_use = "a group-by computes nothing before `agg`"]
pub struct LazyGroupBy {
    frame: LazyFrame,
    keys: Vec<Expr>,
    drops_null_keys: bool,
}

impl Frame {
    /// Groups the rows by the values of expressions. [`GroupBy::agg`] aggregates the groups.
    ///
    /// The verb corresponds to `GROUP BY` in SQL, `group_by` in polars, and `groupby` in pandas and cuDF.
    #[doc(alias("groupby"))]
    pub fn group_by(&self, keys: impl IntoIterator<Item = impl Into<Output>>) -> GroupBy {
        GroupBy(self.lazy().group_by(keys))
    }
}

impl LazyFrame {
    /// See [`Frame::group_by`].
    pub fn group_by(self, keys: impl IntoIterator<Item = impl Into<Output>>) -> LazyGroupBy {
        LazyGroupBy { frame: self, keys: exprs(keys), drops_null_keys: false }
    }
}

impl GroupBy {
    /// Leaves out rows with a null in a key. By default, rows with a null in a key form groups, as in SQL and polars.
    #[doc(alias("dropna"))]
    pub fn drop_null_keys(self) -> GroupBy {
        GroupBy(self.0.drop_null_keys())
    }

    /// Returns a row for each group: the keys, then a column for each output.
    ///
    /// An output is an expression of keys, aggregations and literals, for example `col("a").sum() / len()`. Aggregations
    /// have the same types as in [group-by](gdf_api::groupby), except that means of decimals are `Float64`. The groups
    /// are in no particular order.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col, len};
    ///
    /// let frame = Frame::try_new([("k", Column::from_slice(&[1, 2, 1])?), ("x", Column::from_slice(&[5, 7, 8])?)])?;
    /// let by_key = frame.group_by(["k"]);
    /// let sums = by_key.agg([(col("x").max() - col("x").min()).alias("range"), len()])?.sort(["k"])?;
    /// assert_eq!(sums.names().collect::<Vec<_>>(), ["k", "range", "len"]);
    /// assert_eq!(sums.column("range")?.to_vec::<i32>()?, [Some(3), Some(0)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound): no column has a name that an output contains, or an output
    ///   contains a column that is neither a key nor aggregated.
    /// * [`DuplicateName`](gdf_core::Error::DuplicateName): two columns of the result have the same name.
    /// * The errors of [`agg`](gdf_api::pipeline::GroupedPipeline::agg).
    #[doc(alias("aggregate", "summarise"))]
    pub fn agg(&self, outputs: impl IntoIterator<Item = impl Into<Output>>) -> Result<Frame> {
        self.0.clone().agg(outputs).collect()
    }
}

impl GroupBy {
    pub(crate) fn as_lazy(&self) -> &LazyGroupBy {
        &self.0
    }
}

impl LazyGroupBy {
    pub(crate) fn keys(&self) -> &[Expr] {
        &self.keys
    }

    pub(crate) fn drops_null_keys(&self) -> bool {
        self.drops_null_keys
    }

    pub(crate) fn into_frame(self) -> LazyFrame {
        self.frame
    }

    /// See [`GroupBy::drop_null_keys`].
    pub fn drop_null_keys(self) -> LazyGroupBy {
        LazyGroupBy { drops_null_keys: true, ..self }
    }

    /// See [`GroupBy::agg`].
    pub fn agg(self, outputs: impl IntoIterator<Item = impl Into<Output>>) -> LazyFrame {
        let grouping = Grouping { keys: self.keys, values: exprs(outputs), drops_null_keys: self.drops_null_keys };
        self.frame.step(Step::Aggregate(Arc::new(grouping)))
    }
}
