//! As-of joins of frames.

use std::sync::Arc;

use arrow_schema::{Field, FieldRef};
use gdf_api::join::{AsofDirection, AsofKeys, JoinKeys, asof_join};
use gdf_core::{Result, Table};
use gdf_expr::Value;

use crate::columns::Columns;
use crate::frame::Frame;
use crate::lazy::LazyFrame;
use crate::names::check_names;
use crate::plan::{Whole, widen_pairs};

/// The description of an as-of join of two frames: the ordered keys, the direction, the columns that must be equal, and
/// the largest distance.
///
/// Each row of the left side is joined with the right row that has the nearest key, in one direction or in both. By
/// default, this is the right row with the greatest key that is not greater than the key of the left row. Neither side
/// needs to be sorted.
///
/// ```
/// use gdf::Column;
/// use gdf::frame::{AsofJoin, Frame};
///
/// let trades = Frame::try_new([("time", Column::from_slice(&[3, 5])?), ("trade", Column::from_strs(["a", "b"])?)])?;
/// let quotes = Frame::try_new([("time", Column::from_slice(&[1, 5])?), ("price", Column::from_slice(&[10, 20])?)])?;
/// let priced = trades.asof_join(&quotes, AsofJoin::new("time", "time"))?;
/// assert_eq!(priced.names().collect::<Vec<_>>(), ["time", "trade", "time_right", "price"]);
/// assert_eq!(priced.column("price")?.to_vec::<i32>()?, [Some(10), Some(20)]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct AsofJoin {
    on: (Arc<str>, Arc<str>),
    by: Vec<(Arc<str>, Arc<str>)>,
    direction: AsofDirection,
    tolerance: Option<Value>,
    suffix: Arc<str>,
}

impl AsofJoin {
    /// Returns a join by the ordered keys with these names, backward and without a limit.
    pub fn new(left: impl Into<Arc<str>>, right: impl Into<Arc<str>>) -> AsofJoin {
        let on = (left.into(), right.into());
        AsofJoin { on, by: Vec::new(), direction: AsofDirection::default(), tolerance: None, suffix: "_right".into() }
    }

    /// Adds a pair of columns that must be equal in both rows. Nulls are not equal.
    pub fn by(mut self, left: impl Into<Arc<str>>, right: impl Into<Arc<str>>) -> AsofJoin {
        self.by.push((left.into(), right.into()));
        self
    }

    /// Sets the direction in which the right row is searched.
    pub fn direction(self, direction: AsofDirection) -> AsofJoin {
        AsofJoin { direction, ..self }
    }

    /// Sets the largest distance of the keys of both rows: a number, or a duration (such as a
    /// `chrono::TimeDelta`) for keys that are times.
    pub fn within(self, tolerance: impl Into<Value>) -> AsofJoin {
        AsofJoin { tolerance: Some(tolerance.into()), ..self }
    }

    /// Sets the suffix for columns of the right side that have the name of a column of the left side.
    pub fn suffix(self, suffix: impl Into<Arc<str>>) -> AsofJoin {
        AsofJoin { suffix: suffix.into(), ..self }
    }
}

/// # As-of joins
impl Frame {
    /// Joins each row with the row of another frame that has the nearest key, in one direction or in both. [`AsofJoin`]
    /// describes the keys.
    ///
    /// The result has all rows and columns of this frame, in their order, followed by the columns of the right side,
    /// except for the columns of [`AsofJoin::by`]. The columns of the right side are null where no row matches. If a
    /// column of the right side has the name of a column of the left side, its name gets the suffix `_right`.
    ///
    /// The verb corresponds to `ASOF JOIN` in SQL, `join_asof` in polars, and `merge_asof` in pandas.
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound): a side has no column with the name of a key.
    /// * [`DuplicateName`](gdf_core::Error::DuplicateName): a name with the suffix is the name of another column.
    /// * The errors of [`asof_join`](gdf_api::join::asof_join).
    #[doc(alias("merge_asof", "join_asof"))]
    pub fn asof_join(&self, right: &Frame, join: AsofJoin) -> Result<Frame> {
        self.lazy().asof_join(right.lazy(), join).collect()
    }
}

impl LazyFrame {
    /// See [`Frame::asof_join`]. All rows of the right side must fit in memory.
    pub fn asof_join(self, right: LazyFrame, join: AsofJoin) -> LazyFrame {
        let text = format!("as-of join on {} and {} with", join.on.0, join.on.1);
        let run = move |left: &_, others: &[_]| join.run(left, &others[0]);
        self.whole(Whole::new("frame.asof_join", text, run).with_other(right.0).by_batch())
    }
}

impl AsofJoin {
    fn run(&self, left: &Columns, right: &Columns) -> Result<Columns> {
        let AsofJoin { on, by, direction, tolerance, suffix } = self;
        let positions = |of: &Columns, names: &[&Arc<str>]| -> Result<Vec<usize>> {
            names.iter().map(|name| of.position_of(name)).collect()
        };
        let left_by = positions(left, &by.iter().map(|(left, _)| left).collect::<Vec<_>>())?;
        let right_by = positions(right, &by.iter().map(|(_, right)| right).collect::<Vec<_>>())?;
        let keys = AsofKeys::new(left.position_of(&on.0)?, right.position_of(&on.1)?);
        let keys = keys.direction(*direction).by(JoinKeys::new(&left_by, &right_by));
        let keys = match tolerance {
            Some(tolerance) => keys.within(tolerance.literal()?),
            None => keys,
        };
        let further = right.schema().fields().iter().enumerate().filter(|(position, _)| !right_by.contains(position));
        let further = further.map(|(_, field)| {
            let field = Field::clone(&left.with_suffix(field, suffix)).with_nullable(true);
            FieldRef::from(field)
        });
        let fields: Vec<FieldRef> = left.schema().fields().iter().cloned().chain(further).collect();
        check_names(fields.iter().map(|field| field.name().as_str()))
            .map_err(|error| error.with_remedy("pass another `suffix` to the join"))?;
        let pairs: Vec<_> = left_by.iter().copied().zip(right_by.iter().copied()).collect();
        let (left_table, right_table) = widen_pairs(left.table(), right.table(), &pairs)?;
        let mut columns = asof_join(&left_table, &right_table, &keys)?.into_columns();
        columns.splice(..left.len(), left.table().columns().iter().cloned());
        Ok(left.replaced(fields, Table::try_with_rows(columns, left.table().num_rows())?))
    }
}
