//! Frames with labels of rows.

use std::fmt;

use gdf_api::groupby::{GroupByAggregation, NullPolicy};
use gdf_core::{Column, Error, Result};
use gdf_expr::Value;

use super::labels::{both, take};
use super::{Index, Label, RangeIndex};
use crate::columns::Columns;
use crate::expr::{Expr, Output, SortBy, col};
use crate::frame::Frame;
use crate::group_by::GroupBy;
use crate::selector::{Selector, cols};

/// A frame with a label for each row. The labels follow the rows through the verbs.
///
/// The type corresponds to `DataFrame` of pandas and cuDF, or to `Series` if there is one column. The verbs of frames
/// can be applied to [`frame`](Self::frame), which has no labels, and to [`reset_index`](Self::reset_index), which has
/// the labels as columns.
///
/// ```
/// use gdf::Column;
/// use gdf::frame::Frame;
///
/// let frame = Frame::try_new([("x", Column::from_slice(&[5, 6, 7])?)])?.with_range_index();
/// assert_eq!(frame.loc(1)?.frame().column("x")?.to_vec::<i32>()?, [Some(6)]);
/// assert_eq!(frame.tail(2).loc(2)?.frame().column("x")?.to_vec::<i32>()?, [Some(7)]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone)]
#[doc(alias("DataFrame", "Series"))]
pub struct IndexedFrame {
    pub(super) frame: Frame,
    pub(super) index: Index,
}

/// # Labels of rows
/// See [`index`](crate::index).
impl Frame {
    /// Returns the frame with the labels 0, 1, 2, …, which need no memory.
    pub fn with_range_index(&self) -> IndexedFrame {
        IndexedFrame { frame: self.clone(), index: RangeIndex::of_rows(self.num_rows()).into() }
    }

    /// Returns the frame with these labels.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::Frame;
    /// use gdf::frame::index::RangeIndex;
    ///
    /// let frame = Frame::try_new([("x", Column::from_slice(&[5, 6])?)])?;
    /// let tens = frame.with_index(RangeIndex::with_step(10, 10, 2)?)?;
    /// assert_eq!(tens.loc(20)?.frame().column("x")?.get(0)?, Some(6));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`LengthMismatch`](Error::LengthMismatch): there is not a label for each row.
    pub fn with_index(&self, index: impl Into<Index>) -> Result<IndexedFrame> {
        let index = index.into();
        match index.len() == self.num_rows() {
            true => Ok(IndexedFrame { frame: self.clone(), index }),
            false => Err(Error::length_mismatch(self.num_rows(), index.len()).in_operation("frame.with_index")),
        }
    }

    /// Turns columns into the labels of the rows. The frame no longer has these columns. Several columns make a
    /// [`MultiIndex`](super::MultiIndex).
    ///
    /// The method corresponds to `set_index` in pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::Frame;
    ///
    /// let frame = Frame::try_new([("k", Column::from_strs(["a", "b"])?), ("x", Column::from_slice(&[1, 2])?)])?;
    /// let indexed = frame.set_index("k")?;
    /// assert_eq!((indexed.index().names(), indexed.frame().num_columns()), (vec!["k"], 1));
    /// assert_eq!(indexed.reset_index()?.to_string(), frame.to_string());
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound).
    /// * [`InvalidArgument`](Error::InvalidArgument): the selector selects no columns.
    pub fn set_index(&self, columns: impl Into<Selector>) -> Result<IndexedFrame> {
        self.indexed_by(&columns.into()).map_err(|error| error.in_operation("frame.set_index"))
    }

    fn indexed_by(&self, columns: &Selector) -> Result<IndexedFrame> {
        let labels = self.columns().positions_of(columns)?;
        let others: Vec<usize> = (0..self.num_columns()).filter(|at| !labels.contains(at)).collect();
        let of = |positions: &[usize]| {
            let fields = positions.iter().map(|at| self.columns().field(*at).clone()).collect();
            Ok::<_, Error>(self.columns().replaced(fields, self.table().select(positions)?))
        };
        let index = Index::of_columns(of(&labels)?)?;
        Ok(IndexedFrame { frame: Frame(of(&others)?), index })
    }
}

impl IndexedFrame {
    /// Returns the columns, without the labels.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Returns the labels.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the columns and the labels.
    pub fn into_parts(self) -> (Frame, Index) {
        (self.frame, self.index)
    }

    /// Returns the number of rows.
    pub fn num_rows(&self) -> usize {
        self.index.len()
    }

    /// Returns the labels as the first columns of a frame, followed by the columns. A range index without a name
    /// becomes the column `index`.
    ///
    /// The method corresponds to `reset_index` in pandas and cuDF.
    ///
    /// # Errors
    /// * [`DuplicateName`](Error::DuplicateName): a level of the index has the name of a column.
    /// * Driver and memory errors.
    pub fn reset_index(&self) -> Result<Frame> {
        let labels = self.index.columns(self.frame.device())?;
        both(&labels, self.frame.columns()).map(Frame).map_err(|error| error.in_operation("frame.reset_index"))
    }

    /// Returns the rows with this label, in the order of the frame. The label of a [`MultiIndex`](super::MultiIndex) is
    /// a tuple with a value for each level. A label with fewer values stands for all labels that begin with these
    /// values.
    ///
    /// The method corresponds to `df.loc[label]` in pandas and cuDF.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument): no row has the label; the label has too many values.
    /// * [`TypeMismatch`](Error::TypeMismatch): a value is not of the type of its level.
    pub fn loc(&self, label: impl Into<Label>) -> Result<IndexedFrame> {
        self.loc_all([label])
    }

    /// Returns the rows with each of several labels, in the order of the labels. Rows with the same label are in the
    /// order of the frame.
    ///
    /// The method corresponds to `df.loc[[…]]` in pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::Frame;
    ///
    /// let frame = Frame::try_new([
    ///     ("k", Column::from_strs(["a", "a", "b"])?),
    ///     ("year", Column::from_slice(&[2023, 2024, 2024])?),
    ///     ("x", Column::from_slice(&[1, 2, 3])?),
    /// ])?
    /// .set_index(["k", "year"])?;
    /// let found = frame.loc_all([("b", 2024), ("a", 2023)])?;
    /// assert_eq!(found.frame().column("x")?.to_vec::<i32>()?, [Some(3), Some(1)]);
    /// assert_eq!(frame.loc("a")?.num_rows(), 2);
    /// assert!(frame.loc("c").is_err());
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * The errors of [`loc`](Self::loc). [`InvalidArgument`](Error::InvalidArgument): the labels have different
    ///   numbers of values.
    pub fn loc_all<L: Into<Label>>(&self, labels: impl IntoIterator<Item = L>) -> Result<IndexedFrame> {
        let labels: Vec<Label> = labels.into_iter().map(Into::into).collect();
        let found = self.index.rows_of(&labels, self.frame.device()).and_then(|rows| self.take(&rows));
        found.map_err(|error| error.in_operation("frame.loc"))
    }

    /// Returns the rows whose labels lie between two labels, both included, in the order of the frame. The rows need
    /// not be sorted, and the two labels need not exist. The result of a range index shares the memory of the frame.
    ///
    /// The method corresponds to `df.loc[from:to]` of a sorted frame in pandas and cuDF. A null label lies in no
    /// interval.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::Frame;
    ///
    /// let (k, x) = (Column::from_slice(&[3, 1, 9])?, Column::from_slice(&[30, 10, 90])?);
    /// let part = Frame::try_new([("k", k), ("x", x)])?.set_index("k")?.loc_between(2, 9)?;
    /// assert_eq!(part.frame().column("x")?.to_vec::<i32>()?, [Some(30), Some(90)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument): the index has several levels.
    /// * The errors of [`filter`](Frame::filter).
    pub fn loc_between(&self, from: impl Into<Value>, to: impl Into<Value>) -> Result<IndexedFrame> {
        let (from, to) = (from.into(), to.into());
        let number = |value: &Value| value.integer().and_then(|value| i64::try_from(value).ok());
        match (&self.index, number(&from), number(&to)) {
            (Index::Range(range), Some(from), Some(to)) => {
                let rows = range.positions_between(from, to);
                self.slice(rows.start, rows.len())
            }
            (Index::Multi(_), ..) => {
                let error = Error::invalid_argument("labels of several levels have no intervals");
                Err(error.in_operation("frame.loc_between").with_remedy("call `reset_index`, and then `filter`"))
            }
            _ => {
                let name = self.index.names()[0].to_owned();
                self.by_rows(|frame| frame.filter(col(name.as_str()).between(crate::lit(from), crate::lit(to))))
            }
        }
    }

    /// Returns the first rows, or all rows of a shorter frame. The result shares the memory of the frame.
    #[must_use]
    pub fn head(&self, rows: usize) -> IndexedFrame {
        IndexedFrame { frame: self.frame.head(rows), index: self.index.head(rows) }
    }

    /// Returns the last rows, or all rows of a shorter frame. The result shares the memory of the frame.
    #[must_use]
    pub fn tail(&self, rows: usize) -> IndexedFrame {
        IndexedFrame { frame: self.frame.tail(rows), index: self.index.tail(rows) }
    }

    /// Returns `len` rows from row `offset` on, with their labels. The result shares the memory of the frame.
    ///
    /// # Errors
    /// * [`OutOfBounds`](Error::OutOfBounds).
    #[doc(alias = "iloc")]
    pub fn slice(&self, offset: usize, len: usize) -> Result<IndexedFrame> {
        let index = self.index.slice(offset, len)?;
        Ok(IndexedFrame { frame: self.frame.slice(offset, len)?, index })
    }

    /// Returns the rows for which a condition is true, with their labels. The condition can also name the levels of the
    /// index.
    ///
    /// # Errors
    /// * The errors of [`Frame::filter`] and [`reset_index`](Self::reset_index).
    pub fn filter(&self, condition: impl Into<Expr>) -> Result<IndexedFrame> {
        self.by_rows(|frame| frame.filter(condition))
    }

    /// Sorts the rows by keys, with their labels. The keys can also name the levels of the index.
    ///
    /// # Errors
    /// * The errors of [`Frame::sort`] and [`reset_index`](Self::reset_index).
    #[doc(alias = "sort_values")]
    pub fn sort(&self, keys: impl IntoIterator<Item = impl Into<SortBy>>) -> Result<IndexedFrame> {
        self.by_rows(|frame| frame.sort(keys))
    }

    /// Sorts the rows by their labels. A range index that ascends is sorted already.
    ///
    /// # Errors
    /// * The errors of [`sort`](Self::sort).
    pub fn sort_index(&self) -> Result<IndexedFrame> {
        match &self.index {
            Index::Range(range) if range.step() > 0 => Ok(self.clone()),
            index => self.sort(index.names()),
        }
    }

    /// Computes columns, with the labels of the rows; see [`Frame::select`].
    ///
    /// # Errors
    /// * [`LengthMismatch`](Error::LengthMismatch): all outputs are aggregations, so that the result has one row.
    /// * The errors of [`Frame::select`].
    pub fn select(&self, outputs: impl IntoIterator<Item = impl Into<Output>>) -> Result<IndexedFrame> {
        self.frame.select(outputs)?.with_index(self.index.clone())
    }

    /// Adds or replaces columns, with the labels of the rows; see [`Frame::with`].
    ///
    /// # Errors
    /// * The errors of [`Frame::with`].
    pub fn with(&self, outputs: impl IntoIterator<Item = impl Into<Output>>) -> Result<IndexedFrame> {
        self.frame.with(outputs)?.with_index(self.index.clone())
    }

    /// Turns a level of the index into columns; see [`Frame::pivot`]. The other levels stay.
    ///
    /// The method corresponds to `unstack` in pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let frame = Frame::try_new([
    ///     ("shop", Column::from_strs(["a", "a", "b"])?),
    ///     ("year", Column::from_slice(&[2023, 2024, 2024])?),
    ///     ("sold", Column::from_slice(&[1, 2, 3])?),
    /// ])?;
    /// let wide = frame.set_index(["shop", "year"])?.unstack("year", "sold")?.sort_index()?;
    /// assert_eq!(wide.frame().column("2023")?.to_vec::<i32>()?, [Some(1), None]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument): the index has no level of this name, has no other level, or has a
    ///   label twice.
    /// * The errors of [`Frame::pivot`].
    pub fn unstack(&self, level: &str, values: &str) -> Result<IndexedFrame> {
        let kept: Vec<&str> = self.index.names().into_iter().filter(|name| *name != level).collect();
        let first = GroupByAggregation::NthElement { n: 0, nulls: NullPolicy::Exclude };
        if kept.len() == self.index.num_levels() || kept.is_empty() {
            let error = Error::invalid_argument("the index has no level of this name, or has no other level");
            return Err(error
                .in_operation("frame.unstack")
                .in_argument("level")
                .with_remedy("pass the name of a level, and use an index of at least 2 levels"));
        }
        if !self.index.is_unique()? {
            let error =
                Error::invalid_argument("a label occurs twice, so that two values have the same row and column");
            return Err(error.in_operation("frame.unstack").with_remedy("use `pivot` with an aggregation"));
        }
        self.reset_index()?.pivot(cols(&kept), level, values, first)?.set_index(cols(&kept))
    }

    /// Applies a verb to the frame with the labels as columns. In the result of the verb, these columns become the
    /// labels again.
    fn by_rows(&self, verb: impl FnOnce(&Frame) -> Result<Frame>) -> Result<IndexedFrame> {
        let frame = verb(&self.reset_index()?)?;
        frame.indexed_by(&cols(self.index.names()))
    }

    fn take(&self, rows: &Column) -> Result<IndexedFrame> {
        let labels = take(&self.index.columns(self.frame.device())?, rows, false)?;
        let columns: Columns = take(self.frame.columns(), rows, false)?;
        Ok(IndexedFrame { frame: Frame(columns), index: Index::of_columns(labels)? })
    }
}

impl GroupBy {
    /// Does the same as [`agg`](GroupBy::agg), but the keys become the labels of the result: a
    /// [`MultiIndex`](super::MultiIndex) if there are several. The labels are distinct, and sorted.
    ///
    /// The method corresponds to `groupby(…).agg(…)` in pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let frame = Frame::try_new([("k", Column::from_slice(&[2, 1, 2])?), ("x", Column::from_slice(&[1, 2, 3])?)])?;
    /// let sums = frame.group_by(["k"]).agg_indexed([col("x").sum()])?;
    /// assert_eq!(sums.loc(2)?.frame().column("x")?.to_vec::<i64>()?, [Some(4)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * The errors of [`agg`](GroupBy::agg). [`InvalidArgument`](Error::InvalidArgument): there are no keys.
    pub fn agg_indexed(&self, outputs: impl IntoIterator<Item = impl Into<Output>>) -> Result<IndexedFrame> {
        let names: Vec<_> = self.as_lazy().keys().iter().map(Expr::name).collect();
        let keys = || names.iter().map(|name| col(name.clone()).asc());
        if names.is_empty() || self.as_lazy().keys().iter().any(Expr::has_selector) {
            let error = Error::invalid_argument(match names.is_empty() {
                true => "the group-by has no keys; pass at least 1 key",
                false => "a key of the group-by is a selector; name each key",
            });
            return Err(error.in_operation("frame.group_by"));
        }
        self.agg(outputs)?.sort(keys())?.indexed_by(&cols(&names))
    }
}

/// Formats the labels as the first columns, like a [`Frame`]. **Waits** for device memory.
impl fmt::Display for IndexedFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reset_index() {
            Ok(frame) => frame.fmt(f),
            Err(_) => self.frame.fmt(f),
        }
    }
}

impl fmt::Debug for IndexedFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexedFrame").field("index", &self.index).field("frame", &self.frame).finish()
    }
}
