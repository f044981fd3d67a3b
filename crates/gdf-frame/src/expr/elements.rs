//! Functions that evaluate an expression for each element of lists.

use std::sync::Arc;

use super::{Aggregation, ElementFunction, Elements, Expr, Leaf, ListExpr};

/// Returns the element of a list, in the expressions of [`transform`](ListExpr::transform),
/// [`filter`](ListExpr::filter) and [`aggregate`](ListExpr::aggregate).
#[doc(alias("lambda"))]
pub fn element() -> Expr {
    Expr::leaf(Leaf::Element)
}

/// # Expressions over elements
/// The argument of these functions is an expression over [`element`] and the columns of the row in which the list is.
/// Other columns have the same value for all elements of a list. An aggregation in the expression aggregates all rows
/// of the frame, not the elements of the list.
impl ListExpr {
    /// Returns the lists in which each element is replaced by the value of an expression. Null lists stay null.
    ///
    /// The method corresponds to `list.eval` in polars, and to `list_transform` in DuckDB.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::core::make_lists_column;
    /// use gdf::frame::{Frame, col, element};
    ///
    /// let prices = make_lists_column(&Column::from_slice(&[0, 2, 3])?, Column::from_slice(&[10, 20, 30])?, None)?;
    /// let orders = Frame::try_new([("count", Column::from_slice(&[2, 3])?), ("prices", prices)])?;
    /// let costs = orders.select([col("prices").list().transform(element() * col("count"))])?;
    /// assert_eq!(costs.column("prices")?.children()[0].to_vec::<i32>()?, [Some(20), Some(40), Some(90)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    #[doc(alias("eval", "list_transform", "map"))]
    pub fn transform(self, value: impl Into<Expr>) -> Expr {
        self.elements(ElementFunction::Transform, value.into())
    }

    /// Returns the lists with the elements for which a condition is true. An element is left out if the condition is
    /// null. Null lists stay null.
    ///
    /// The method corresponds to `list.filter` in polars, and to `list_filter` in DuckDB.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::core::make_lists_column;
    /// use gdf::frame::{Frame, col, element};
    ///
    /// let prices = make_lists_column(&Column::from_slice(&[0, 2, 3])?, Column::from_slice(&[10, 20, 30])?, None)?;
    /// let orders = Frame::try_new([("prices", prices)])?;
    /// let high = orders.select([col("prices").list().filter(element().gt(15)).list().len()])?;
    /// assert_eq!(high.column("prices")?.to_vec::<i32>()?, [Some(1), Some(1)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    #[doc(alias("list_filter"))]
    pub fn filter(self, condition: impl Into<Expr>) -> Expr {
        self.elements(ElementFunction::Filter, condition.into())
    }

    /// Returns an aggregation of the values of an expression over the elements of each list. The result of a null list
    /// is null. The lists of values are not made.
    ///
    /// The method corresponds to `list.agg` in polars, and to `list_aggregate` of `list_transform` in DuckDB.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::core::make_lists_column;
    /// use gdf::frame::{Aggregation, Frame, col, element};
    ///
    /// let prices = make_lists_column(&Column::from_slice(&[0, 2, 3])?, Column::from_slice(&[10, 20, 30])?, None)?;
    /// let orders = Frame::try_new([("count", Column::from_slice(&[2, 3])?), ("prices", prices)])?;
    /// let cost = col("prices").list().aggregate(element() * col("count"), Aggregation::Sum);
    /// assert_eq!(orders.select([cost])?.column("prices")?.to_vec::<i64>()?, [Some(60), Some(90)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    #[doc(alias("list_aggregate", "list_reduce", "agg"))]
    pub fn aggregate(self, value: impl Into<Expr>, aggregation: Aggregation) -> Expr {
        self.elements(ElementFunction::Aggregate(aggregation), value.into())
    }

    fn elements(self, function: ElementFunction, body: Expr) -> Expr {
        let ListExpr(lists) = self;
        Expr::leaf(Leaf::Elements(Arc::new(Elements { function, lists, body })))
    }
}
