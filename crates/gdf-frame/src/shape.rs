//! Verbs that change which rows and columns there are: pivots, samples, products, and fields as columns.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef};
use gdf_api::copying::{self, Replacement};
use gdf_api::groupby::GroupByAggregation;
use gdf_api::scope::with_device;
use gdf_api::sorting::sort;
use gdf_api::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality, distinct, drop_nulls};
use gdf_api::{join, reshape, transform, unary};
use gdf_core::{Column, Error, Result, StructsView, Table, is_integral, is_string};

use crate::columns::{Columns, renamed_field};
use crate::frame::Frame;
use crate::names::check_names;
use crate::selector::Selector;

/// The name of the column with the old names, in the result of [`Frame::unpivot`].
const VARIABLE: &str = "variable";
/// The name of the column with the values, in the result of [`Frame::unpivot`].
const VALUE: &str = "value";

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
        let table = copying::sample(self.table(), rows, replacement, seed)?;
        Ok(Frame(Columns::trusted(self.schema().clone(), table)))
    }

    /// Turns columns into rows. The result has a row for each row of the frame and each column of `on`: the columns of
    /// `index`, the name of the column in `variable`, and the value in `value`. All rows of the first column of `on`
    /// come first, in the order of the frame. Columns in neither list are left out.
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
    /// * [`NameNotFound`](Error::NameNotFound). [`DuplicateName`](Error::DuplicateName): a column of `index` is called
    ///   `variable` or `value`.
    /// * The errors of [`unpivot`](gdf_api::reshape::unpivot), for example if the columns of `on` have different types.
    #[doc(alias("melt", "stack"))]
    pub fn unpivot(&self, index: impl Into<Selector>, on: impl Into<Selector>) -> Result<Frame> {
        let index = self.columns().positions_of(&index.into())?;
        let on = self.columns().positions_of(&on.into())?;
        let field = |position: &usize| self.columns().field(*position);
        check_names(index.iter().map(|at| field(at).name().as_str()).chain([VARIABLE, VALUE]))?;
        let names = on.iter().map(|at| field(at).name().as_str());
        let names = with_device(self.device(), || Column::from_strs(names))?;
        let table = reshape::unpivot(self.table(), &index, &on, &names)?;
        let is_nullable = on.iter().any(|at| field(at).is_nullable());
        let value = table.column(index.len() + 1)?.data_type().clone();
        let made = [Field::new(VARIABLE, DataType::Utf8, false), Field::new(VALUE, value, is_nullable)];
        let fields = index.iter().map(|at| Arc::clone(field(at))).chain(made.map(FieldRef::from));
        Ok(Frame(self.columns().replaced(fields.collect(), table)))
    }

    /// Turns rows into columns. The result has a row for each distinct row of the columns of `index`, and a column for
    /// each value of the column `on`, with that value as its name. The columns are in the order of these values. An
    /// element is the aggregation of the column `values` over the rows with that index and that value. The element is
    /// null if there are no such rows, except for counts, which are 0. Rows in which `on` is null have no column. The
    /// order of the rows is not specified. **Waits** for the values of `on`.
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
    /// * [`NameNotFound`](Error::NameNotFound). [`DuplicateName`](Error::DuplicateName): a value of `on` is the name of a
    ///   column of `index`.
    /// * [`Unsupported`](Error::Unsupported): `on` is no column of text, integers or booleans.
    /// * The errors of [`pivot`](gdf_api::reshape::pivot), for example if `on` has more than 4,096 different values.
    #[doc(alias("pivot_table", "unstack", "crosstab"))]
    pub fn pivot(
        &self,
        index: impl Into<Selector>,
        on: &str,
        values: &str,
        aggregation: GroupByAggregation,
    ) -> Result<Frame> {
        let index = self.columns().positions_of(&index.into())?;
        let (on, values) = (self.columns().position_of(on)?, self.columns().position_of(values)?);
        let kept = self.categories(on)?;
        let names = names_of(&kept)?;
        let field = |position: &usize| self.columns().field(*position);
        check_names(index.iter().map(|at| field(at).name().as_str()).chain(names.iter().map(String::as_str)))?;
        let table = reshape::pivot(self.table(), &index, on, values, &kept, aggregation)?;
        let own = index.iter().zip(table.columns()).map(|(at, column)| typed(field(at), column));
        let made = names.iter().zip(&table.columns()[index.len()..]);
        let made = made.map(|(name, column)| Arc::new(Field::new(name, column.data_type().clone(), true)));
        Ok(Frame(self.columns().replaced(own.chain(made).collect(), table)))
    }

    /// Pairs each row with each row of another frame. The left rows are in their order, and the right rows of each left
    /// row are in theirs. If a column of the right side has the name of a column of the left side, its name gets the
    /// suffix.
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
    /// * [`DuplicateName`](Error::DuplicateName): a name with the suffix is the name of another column.
    /// * The errors of [`cross_join`](gdf_api::join::cross_join).
    #[doc(alias("cartesian product"))]
    pub fn cross_join(&self, right: &Frame, suffix: &str) -> Result<Frame> {
        let further = right.schema().fields().iter().map(|field| self.with_suffix(field, suffix));
        let fields: Vec<FieldRef> = self.schema().fields().iter().cloned().chain(further).collect();
        check_names(fields.iter().map(|field| field.name().as_str()))
            .map_err(|error| error.with_remedy("pass another `suffix`"))?;
        let table = join::cross_join(self.table(), right.table())?;
        Ok(Frame(self.columns().replaced(fields, table)))
    }

    /// Replaces a column by a boolean column for each of its values. A column is called after the column and the value,
    /// as in `city_Oslo`, and is true in the rows with that value. The columns are in the order of the values. If there
    /// are nulls, they have no column. **Waits** for the values.
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
    /// * [`NameNotFound`](Error::NameNotFound). [`DuplicateName`](Error::DuplicateName): a name is that of another column.
    /// * [`Unsupported`](Error::Unsupported): the column has no text, integers or booleans.
    /// * The errors of [`one_hot_encode`](gdf_api::transform::one_hot_encode).
    #[doc(alias("get_dummies", "one hot"))]
    pub fn to_dummies(&self, name: &str) -> Result<Frame> {
        let position = self.columns().position_of(name)?;
        let categories = self.categories(position)?;
        let names = names_of(&categories)?;
        let made = transform::one_hot_encode(self.table().column(position)?, &categories)?;
        let fields = names.iter().map(|value| Field::new(format!("{name}_{value}"), DataType::Boolean, false));
        self.with_columns_for(position, fields.map(FieldRef::from).collect(), made.into_columns())
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
    /// * [`NameNotFound`](Error::NameNotFound). [`DuplicateName`](Error::DuplicateName): a field has the name of another
    ///   column.
    /// * [`Unsupported`](Error::Unsupported): the column has no structs.
    /// * The errors of [`purge_nonempty_nulls`](gdf_api::copying::purge_nonempty_nulls).
    #[doc(alias("struct.explode", "flatten"))]
    pub fn unnest(&self, name: &str) -> Result<Frame> {
        let position = self.columns().position_of(name)?;
        let (field, column) = (self.columns().field(position), self.table().column(position)?);
        let DataType::Struct(inner) = field.data_type() else {
            return Err(Error::unsupported("frame.unnest", field.data_type()).with_remedy("pass a column of structs"));
        };
        let column = if column.has_validity() { copying::purge_nonempty_nulls(column)? } else { column.clone() };
        let structs = StructsView::try_from(column.view())?;
        let columns = (0..inner.len()).map(|at| Ok(structs.child(at)?.to_column())).collect::<Result<Vec<_>>>()?;
        let is_nullable = field.is_nullable();
        let fields = inner.iter().map(|of| Arc::new(Field::clone(of).with_nullable(of.is_nullable() || is_nullable)));
        self.with_columns_for(position, fields.collect(), columns)
    }

    /// Returns the frame with other columns in place of one column.
    fn with_columns_for(&self, position: usize, fields: Vec<FieldRef>, columns: Vec<Column>) -> Result<Frame> {
        let mut all: Vec<FieldRef> = self.schema().fields().iter().cloned().collect();
        all.splice(position..=position, fields);
        check_names(all.iter().map(|field| field.name().as_str()))?;
        let mut table = self.table().columns().to_vec();
        table.splice(position..=position, columns);
        Ok(Frame(self.columns().replaced(all, Table::try_with_rows(table, self.num_rows())?)))
    }

    /// Returns the different values of a column in ascending order, without null.
    fn categories(&self, position: usize) -> Result<Column> {
        let of = self.table().view().select(&[position])?;
        let values = drop_nulls(of, &[0], 1)?;
        let values = distinct(&values, &[0], DuplicateKeepOption::Any, NullEquality::Equal, NanEquality::AllEqual)?;
        Ok(sort(&values, &[], &[])?.column(0)?.clone())
    }

    /// Returns the field of a column of another frame, with the suffix if its name is the name of a column of this frame.
    pub(crate) fn with_suffix(&self, field: &FieldRef, suffix: &str) -> FieldRef {
        match self.columns().position(field.name()) {
            Some(_) => renamed_field(field, &format!("{}{suffix}", field.name())),
            None => Arc::clone(field),
        }
    }
}

/// Returns the field for a column that may be a decoded copy of the field's column.
fn typed(field: &FieldRef, column: &Column) -> FieldRef {
    match gdf_core::same_type(field.data_type(), column.data_type()) {
        true => Arc::clone(field),
        false => Arc::new(Field::clone(field).with_data_type(column.data_type().clone())),
    }
}

/// Returns values without nulls as names. **Waits** for device memory.
fn names_of(values: &Column) -> Result<Vec<String>> {
    let data_type = values.data_type();
    let texts = if is_string(data_type) {
        values.to_strings()?
    } else if *data_type == DataType::Boolean {
        values.to_vec::<bool>()?.into_iter().map(|value| value.map(|value| value.to_string())).collect()
    } else if *data_type == DataType::UInt64 {
        values.to_vec::<u64>()?.into_iter().map(|value| value.map(|value| value.to_string())).collect()
    } else if is_integral(data_type) {
        let values = unary::cast(values, &DataType::Int64)?.to_vec::<i64>()?;
        values.into_iter().map(|value| value.map(|value| value.to_string())).collect()
    } else {
        let error = Error::unsupported("names of columns", data_type);
        return Err(error.with_remedy("pass a column of text, integers or booleans"));
    };
    Ok(texts.into_iter().flatten().collect())
}
