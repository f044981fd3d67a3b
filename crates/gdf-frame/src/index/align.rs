//! Frames with the labels of other frames.

use gdf_api::concatenate::concatenate;
use gdf_api::join::{NullEquality, left_anti_join, left_semi_join};
use gdf_core::{Error, Result};

use super::labels::{matching_rows, take};
use super::{Index, IndexedFrame};
use crate::columns::Columns;
use crate::frame::Frame;

/// The labels that two frames have after [`IndexedFrame::align`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Alignment {
    /// The labels of the left frame, followed by the labels that only the right frame has.
    #[default]
    Outer,
    /// The labels that both frames have, in the order of the left frame.
    Inner,
    /// The labels of the left frame.
    Left,
    /// The labels of the right frame.
    Right,
}

impl IndexedFrame {
    /// Returns the rows of this frame and of another frame, with the same labels in the same order. A row is null if
    /// its frame does not have the label.
    ///
    /// Frames that already have the same range index are returned as they are, and share all memory. If the range index
    /// of a frame has the step and all labels of the result, the rows are a slice of the frame, which also shares
    /// memory.
    ///
    /// The method corresponds to `align` in pandas and cuDF. Operators of pandas and cuDF align their operands in this
    /// way.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::index::Alignment;
    /// use gdf::frame::{Frame, col};
    ///
    /// let of = |labels: [&str; 2], values: &[i32]| {
    ///     Frame::try_new([("k", Column::from_strs(labels)?), ("x", Column::from_slice(values)?)])?.set_index("k")
    /// };
    /// let (a, b) = of(["u", "v"], &[1, 2])?.align(&of(["v", "w"], &[10, 20])?, Alignment::Outer)?;
    /// assert_eq!(a.frame().column("x")?.to_vec::<i32>()?, [Some(1), Some(2), None]);
    /// assert_eq!(b.frame().column("x")?.to_vec::<i32>()?, [None, Some(10), Some(20)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument): a frame that is reordered has a label twice.
    /// * [`ColumnCount`](Error::ColumnCount), [`TypeMismatch`](Error::TypeMismatch): the labels differ in type.
    /// * The errors of joins and of [`gather`](gdf_api::copying::gather).
    pub fn align(&self, other: &IndexedFrame, alignment: Alignment) -> Result<(IndexedFrame, IndexedFrame)> {
        let index = match alignment {
            Alignment::Left => Ok(self.index.clone()),
            Alignment::Right => Ok(other.index.clone()),
            Alignment::Inner => self.common_labels(other),
            Alignment::Outer => self.all_labels(other),
        };
        let aligned = index.and_then(|index| Ok((self.with_labels(&index)?, other.with_labels(&index)?)));
        aligned.map_err(|error| error.in_operation("frame.align"))
    }

    /// Returns the rows with the labels of an index, in the order of the index. A row is null for a label that this
    /// frame does not have.
    ///
    /// The method corresponds to `reindex` in pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::Frame;
    /// use gdf::frame::index::RangeIndex;
    ///
    /// let frame = Frame::try_new([("x", Column::from_slice(&[5, 6])?)])?.with_range_index();
    /// let later = frame.reindex(RangeIndex::with_step(1, 1, 2)?)?;
    /// assert_eq!(later.frame().column("x")?.to_vec::<i32>()?, [Some(6), None]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * The errors of [`align`](Self::align).
    pub fn reindex(&self, index: impl Into<Index>) -> Result<IndexedFrame> {
        self.with_labels(&index.into()).map_err(|error| error.in_operation("frame.reindex"))
    }

    fn with_labels(&self, index: &Index) -> Result<IndexedFrame> {
        let result = |columns: Columns| IndexedFrame { frame: Frame(columns), index: index.clone() };
        if let (Index::Range(own), Index::Range(wanted)) = (&self.index, index) {
            if own.start() == wanted.start() && own.step() == wanted.step() && own.len() == wanted.len() {
                return Ok(result(self.frame.columns().clone()));
            }
            // Consecutive rows of this frame need no copy.
            if let (true, Some(first)) = (own.step() == wanted.step(), own.position(wanted.start()))
                && first + wanted.len() <= own.len()
            {
                return Ok(result(self.frame.slice(first, wanted.len())?.0));
            }
        }
        if !self.index.is_unique()? {
            let error = Error::invalid_argument("a label occurs twice in the frame that is reordered");
            return Err(error.with_remedy("aggregate the rows of equal labels first"));
        }
        let device = self.frame.device();
        let (wanted, own) = (index.columns(device)?, self.index.columns(device)?);
        let rows = matching_rows(wanted.table(), own.table())?;
        Ok(result(take(self.frame.columns(), &rows, true)?))
    }

    fn common_labels(&self, other: &IndexedFrame) -> Result<Index> {
        if let (Index::Range(own), Index::Range(found)) = (&self.index, &other.index)
            && let Some(range) = own.intersection(found)
        {
            return Ok(range.into());
        }
        let device = self.frame.device();
        let (own, found) = (self.index.columns(device)?, other.index.columns(device)?);
        let rows = left_semi_join(own.table(), found.table(), NullEquality::Equal)?;
        Index::of_columns(take(&own, &rows, false)?)
    }

    fn all_labels(&self, other: &IndexedFrame) -> Result<Index> {
        if let (Index::Range(own), Index::Range(found)) = (&self.index, &other.index)
            && let Some(both) = own.intersection(found)
            && both.len() == found.len()
        {
            return Ok(self.index.clone());
        }
        let device = self.frame.device();
        let (own, found) = (self.index.columns(device)?, other.index.columns(device)?);
        let rows = left_anti_join(found.table(), own.table(), NullEquality::Equal)?;
        let further = take(&found, &rows, false)?;
        let table = concatenate(&[own.table().view(), further.table().view()])?;
        let fields = own.schema().fields().iter().zip(further.schema().fields()).map(|(own, further)| {
            let is_nullable = own.is_nullable() || further.is_nullable();
            std::sync::Arc::new(arrow_schema::Field::clone(own).with_nullable(is_nullable))
        });
        Index::of_columns(own.replaced(fields.collect(), table))
    }
}
