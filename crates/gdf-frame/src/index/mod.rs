//! Indexes: labels of rows, as in pandas and cuDF.
//!
//! Frames have no index. This module is a thin layer over frames, and no other part of the library depends on the
//! module. An [`IndexedFrame`] is a [`Frame`](crate::Frame) with an [`Index`], a label for each row. Rows are found by
//! label ([`loc`](IndexedFrame::loc)), and [`align`](IndexedFrame::align) gives two frames the same labels.
//!
//! | type | labels | cuDF |
//! |---|---|---|
//! | [`RangeIndex`] | numbers with equal distances, which are not stored in a column | `RangeIndex` |
//! | [`ColumnIndex`] | the values of a column of any type that can be a key | `Index`, `DatetimeIndex`, … |
//! | [`MultiIndex`] | the rows of several columns, for example the keys of a group-by | `MultiIndex` |
//! | [`Index`] | one of these | `BaseIndex` |
//!
//! ```
//! use gdf::Column;
//! use gdf::frame::{Frame, col};
//!
//! let cities = Frame::try_new([
//!     ("city", Column::from_strs(["Lyon", "Oslo", "Bern"])?),
//!     ("people", Column::from_slice(&[520, 710, 130])?),
//! ])?
//! .set_index(["city"])?;
//! assert_eq!(cities.loc("Oslo")?.frame().column("people")?.to_vec::<i32>()?, [Some(710)]);
//! let small = cities.filter(col("people").lt(600))?.reset_index()?;
//! assert_eq!(small.names().collect::<Vec<_>>(), ["city", "people"]);
//! assert_eq!(small.column("city")?.to_strings()?, [Some("Lyon".to_owned()), Some("Bern".to_owned())]);
//! # Ok::<(), gdf::Error>(())
//! ```

mod align;
mod frame;
mod labels;
mod range;

pub use self::align::Alignment;
pub use self::frame::IndexedFrame;
pub use self::labels::{ColumnIndex, Index, Label, MultiIndex};
pub use self::range::RangeIndex;
