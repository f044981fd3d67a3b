//! Verbs that change a frame in place, and copy what other frames share.

use std::ops::Range;

use arrow_schema::{DataType, Field};
use gdf_api::dictionary::decode;
use gdf_api::filling::{fill, fill_in_place};
use gdf_api::replace::replace_nulls;
use gdf_api::unary::cast;
use gdf_core::{Column, Error, Result, same_type, width};
use gdf_expr::Value;
use gdf_memory::AccessMut;

use crate::columns::Columns;
use crate::expr::{Expr, col, when};
use crate::frame::Frame;
use crate::selector::Selector;

/// # Changes in place
/// These methods change the frame, unlike all other verbs, which return a new frame. Clones, slices, and other frames
/// that share columns with the frame keep their values. Memory that other frames share is copied before it is written
/// ([copy-on-write](gdf_core::Column::make_mut)), and columns that are not written stay shared. After an error, the
/// frame is unchanged.
///
/// ```
/// use gdf::Column;
/// use gdf::frame::Frame;
///
/// let first = Frame::try_new([("x", Column::from_slice(&[1, 2, 3, 4])?), ("y", Column::from_slice(&[5, 6, 7, 8])?)])?;
/// let (mut second, third) = (first.clone(), first.clone());
/// second.set_rows("x", 0..2, 10)?;
/// assert_eq!(second.column("x")?.to_vec::<i32>()?, [10, 10, 3, 4].map(Some));
/// assert_eq!(first.column("x")?.to_vec::<i32>()?, [1, 2, 3, 4].map(Some));
/// // The second frame has a column `x` of its own. All three share the column `y`, and the others share their `x`.
/// let shares = |a: &Frame, b: &Frame, name| -> gdf::Result<bool> {
///     Ok(a.column(name)?.buffers()[0].same_allocation(&b.column(name)?.buffers()[0]))
/// };
/// assert!(shares(&first, &third, "x")? && !shares(&first, &second, "x")? && shares(&first, &second, "y")?);
/// # Ok::<(), gdf::Error>(())
/// ```
impl Frame {
    /// Replaces rows of a column by a value. The column keeps its type.
    ///
    /// A column of fixed width is written in its memory, unless the value is null and the column has no mask. Shared
    /// memory is copied first. Other columns are computed anew. A null value makes the column nullable in the schema.
    ///
    /// The method corresponds to `df["x"][0:2] = 10` in cuDF, and to `df.iloc[0:2, …] = 10` in pandas.
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound), [`OutOfBounds`](Error::OutOfBounds).
    /// * [`TypeMismatch`](Error::TypeMismatch): the type of the column cannot represent the value.
    /// * The errors of [`fill`](gdf_api::filling::fill).
    #[doc(alias("fill", "assign", "setitem"))]
    pub fn set_rows(&mut self, name: &str, rows: Range<usize>, value: impl Into<Value>) -> Result<()> {
        let value = value.into();
        self.change(name, |column| {
            let value = value.with_type(column.data_type()).map_err(|error| error.in_argument("value"))?;
            let is_null = value.is_null();
            if is_written_in_place(column.data_type()) && (column.has_validity() || !is_null) {
                // Rows that do not exist cause an error before memory is copied.
                column.view().slice(rows.start, rows.len())?;
                column.unshare()?;
                fill_in_place(column, rows, value.literal()?)?;
            } else {
                *column = fill(&*column, rows, value.literal()?)?;
            }
            Ok(is_null)
        })
        .map_err(|error| error.in_operation("frame.set_rows"))
    }

    /// Replaces the values of a column in the rows for which a condition is true. The column keeps its type. `value` is
    /// a value or an expression over the columns of the frame.
    ///
    /// The column is computed anew, in one pass over the columns that both expressions read. Other columns stay shared.
    /// If the value has nulls, the column becomes nullable in the schema.
    ///
    /// The method corresponds to `df.loc[mask, "x"] = value` in pandas and cuDF, and to `UPDATE … SET … WHERE` in
    /// SQL.
    ///
    /// # Nulls
    /// Rows for which the condition is null stay unchanged.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let mut frame = Frame::try_new([("x", Column::from_slice(&[-1, 2])?)])?;
    /// frame.set_where("x", col("x").lt(0), -col("x"))?;
    /// assert_eq!(frame.column("x")?.to_vec::<i32>()?, [1, 2].map(Some));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound).
    /// * [`TypeMismatch`](Error::TypeMismatch): the value has another type than the column. A literal takes the type of
    ///   the column, if the type can represent it.
    /// * The errors of [`with`](Frame::with).
    #[doc(alias("mask", "update", "setitem", "loc"))]
    pub fn set_where(&mut self, name: &str, condition: impl Into<Expr>, value: impl Into<Expr>) -> Result<()> {
        let chosen = when(condition).then(value).otherwise(col(name)).alias(name);
        let found = self.with([chosen])?;
        let made = found.column(name)?.clone();
        self.change(name, |column| {
            if !same_type(column.data_type(), made.data_type()) {
                let error = Error::type_mismatch(column.data_type(), made.data_type()).in_argument("value");
                return Err(error.with_remedy("`cast` the value to the type of the column"));
            }
            *column = made;
            Ok(column.has_validity())
        })
        .map_err(|error| error.in_operation("frame.set_where"))
    }

    /// Replaces nulls by a value in the columns of a subset. The columns keep their types.
    ///
    /// A column without a mask stays as it is, and stays shared. The other columns of the subset are computed anew. A
    /// row of a dictionary is null if its key or its value is null.
    ///
    /// The method corresponds to `fillna(…, inplace=True)` in pandas and cuDF. [`fill_null`](Frame::fill_null)
    /// returns a new frame.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::Frame;
    ///
    /// let mut frame = Frame::try_new([("x", Column::from_options(&[Some(1), None])?)])?;
    /// frame.fill_null_in_place("x", 0)?;
    /// assert_eq!(frame.column("x")?.to_vec::<i32>()?, [1, 0].map(Some));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound).
    /// * [`TypeMismatch`](Error::TypeMismatch): the type of a column cannot represent the value.
    /// * The errors of [`replace_nulls`](gdf_api::replace::replace_nulls).
    #[doc(alias("fillna"))]
    pub fn fill_null_in_place(&mut self, subset: impl Into<Selector>, value: impl Into<Value>) -> Result<()> {
        let value = value.into();
        let fill = |frame: &Frame| -> Result<Vec<(usize, Column)>> {
            let mut made = Vec::new();
            for at in frame.columns().positions_of(&subset.into())? {
                let column = frame.table().column(at)?;
                if may_have_nulls(column) {
                    let filled = filled(column, &value);
                    let name = || frame.columns().field(at).name().clone();
                    made.push((at, filled.map_err(|error| error.in_expression(name))?));
                }
            }
            Ok(made)
        };
        let made = fill(self).map_err(|error| error.in_operation("frame.fill_null_in_place"))?;
        for (at, column) in made {
            self.0.change(at, |of| {
                *of = column;
                Ok(false)
            })?;
        }
        self.watch_again()
    }

    /// Returns write access to the values of a column of fixed width, for user-defined kernels and for code on the CPU.
    /// Memory that is shared is copied first; see [`Column::make_mut`].
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::Frame;
    ///
    /// let mut frame = Frame::try_new([("x", Column::from_slice(&[1, 2])?)])?;
    /// frame.make_mut("x")?.as_mut_slice::<i32>()?[0] = 5;
    /// assert_eq!(frame.column("x")?.to_vec::<i32>()?, [5, 2].map(Some));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound), and the errors of [`Column::make_mut`].
    pub fn make_mut(&mut self, name: &str) -> Result<AccessMut<'_>> {
        let position = self.columns().position_of(name)?;
        self.0.make_mut(position)
    }

    fn change(&mut self, name: &str, change: impl FnOnce(&mut Column) -> Result<bool>) -> Result<()> {
        let position = self.columns().position_of(name)?;
        self.0.change(position, change)?;
        self.watch_again()
    }

    /// Makes written and new memory spillable.
    fn watch_again(&mut self) -> Result<()> {
        self.0 = self.columns().clone().watched()?;
        Ok(())
    }
}

fn may_have_nulls(column: &Column) -> bool {
    let is_dictionary = matches!(column.data_type(), DataType::Dictionary(..));
    column.has_validity() || (is_dictionary && column.children().iter().any(may_have_nulls))
}

/// Returns the column with a value in place of its nulls. The value need not be among the values of a dictionary.
fn filled(column: &Column, value: &Value) -> Result<Column> {
    if !matches!(column.data_type(), DataType::Dictionary(..)) {
        return replace_nulls(column, value.literal()?);
    }
    cast(&replace_nulls(&decode(column)?, value.literal()?)?, column.data_type())
}

fn is_written_in_place(data_type: &DataType) -> bool {
    *data_type == DataType::Boolean || matches!(width(data_type), Some(1 | 2 | 4 | 8 | 16 | 32))
}

impl Columns {
    /// Changes a column, which keeps its length and device. `change` returns whether the column may have become
    /// nullable. If `change` fails, it must leave the column unchanged.
    fn change(&mut self, position: usize, change: impl FnOnce(&mut Column) -> Result<bool>) -> Result<()> {
        let mut nullable = false;
        self.change_columns(|columns| {
            nullable = change(&mut columns[position])?;
            Ok(())
        })?;
        if nullable && !self.field(position).is_nullable() {
            self.set_field(position, Field::clone(self.field(position)).with_nullable(true));
        }
        Ok(())
    }
}
