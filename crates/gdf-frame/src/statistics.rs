//! Statistics of the columns of a frame.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef};
use gdf_api::concatenate::concatenate_columns;
use gdf_api::groupby::{self, NullPolicy};
use gdf_api::quantiles::{Interpolation, QuantileOrder};
use gdf_api::scope::with_device;
use gdf_core::{Column, Error, Result, Table, is_numeric};
use gdf_driver::Device;

use crate::columns::Columns;
use crate::expr::{Expr, Output, col, lit, when};
use crate::frame::Frame;
use crate::group_by::{GroupBy, LazyGroupBy};
use crate::lazy::LazyFrame;
use crate::names::check_names;
use crate::plan::Whole;
use crate::selector::Selector;

/// The name of the column with the shares, in the result of [`Frame::quantile`].
const QUANTILE: &str = "quantile";
/// The name of the column with the names, in the result of [`Frame::corr`].
const COLUMN: &str = "column";
/// The name of the column with the correlations, in the result of [`GroupBy::corr`].
const CORR: &str = "corr";

/// # Statistics
impl Frame {
    /// Returns statistics of the numeric columns: the number of values and of nulls, minimum, maximum, mean and
    /// standard deviation. The column `statistic` contains the names of the statistics.
    ///
    /// # Errors
    /// * The errors of [`describe`](gdf_api::reduction::describe).
    #[doc(alias("summary"))]
    pub fn describe(&self) -> Result<Frame> {
        self.lazy().describe().collect()
    }

    /// Returns quantiles of columns. The result has a row for each element of `q`, in the order of `q`: the element in
    /// the column `quantile`, and a column of type `Float64` for each selected column.
    ///
    /// A share `q` of the sorted values of a column comes before its quantile. If this position lies between two
    /// values, `interpolation` decides the result. For one quantile in a larger computation, see [`Expr::quantile`].
    ///
    /// The verb corresponds to `QUANTILE_CONT` (`Linear`) and `QUANTILE_DISC` (`Lower`) in SQL, and to `quantile` in
    /// polars, pandas and cuDF.
    ///
    /// # Nulls and NaN
    /// Nulls are ignored. NaN is greater than every number. The quantile of a column without values is null.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, Interpolation, numeric};
    ///
    /// let frame = Frame::try_new([("x", Column::from_options(&[Some(4), None, Some(1), Some(2)])?)])?;
    /// let quantiles = frame.quantile(numeric(), &[0.5, 1.0], Interpolation::Linear)?;
    /// assert_eq!(quantiles.names().collect::<Vec<_>>(), ["quantile", "x"]);
    /// assert_eq!(quantiles.column("x")?.to_vec::<f64>()?, [Some(2.0), Some(4.0)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument): an element of `q` is less than 0 or greater than 1.
    /// * [`NameNotFound`](Error::NameNotFound). [`DuplicateName`](Error::DuplicateName): a selected column is called
    ///   `quantile`.
    /// * The errors of [`quantile`](gdf_api::quantiles::quantile), for example if a column has no numbers.
    #[doc(alias("percentile"))]
    pub fn quantile(&self, columns: impl Into<Selector>, q: &[f64], interpolation: Interpolation) -> Result<Frame> {
        self.lazy().quantile(columns, q, interpolation).collect()
    }

    /// Returns Pearson's correlation of each pair of columns. The result has a row and a column for each selected
    /// column. The column `column` contains the names of the rows. Correlations are `Float64`.
    ///
    /// The verb corresponds to `corr` in pandas, cuDF and polars, and to `CORR` in SQL. [`GroupBy::corr`] computes the
    /// correlation of two columns for each group.
    ///
    /// # Nulls and NaN
    /// A row with a null in one of the two columns of a pair is ignored for this pair. A correlation is null if there
    /// are fewer than two rows. The correlation is NaN if a column of the pair has a NaN or an infinite value, or has
    /// the same value in all rows.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, numeric};
    ///
    /// let (x, y) = (Column::from_slice(&[1, 2, 3])?, Column::from_slice(&[3.0, 2.0, 1.0])?);
    /// let frame = Frame::try_new([("x", x), ("y", y)])?;
    /// let corr = frame.corr(numeric())?;
    /// assert_eq!(corr.names().collect::<Vec<_>>(), ["column", "x", "y"]);
    /// assert_eq!(corr.column("x")?.get(0)?, Some(1.0));
    /// assert!((corr.column("x")?.get::<f64>(1)?.unwrap_or_default() + 1.0).abs() < 1e-12);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound). [`DuplicateName`](Error::DuplicateName): a selected column is called
    ///   `column`.
    /// * [`Unsupported`](Error::Unsupported): a selected column has no numbers and no booleans.
    /// * The errors of [`select`](Frame::select).
    #[doc(alias("correlation", "pearson"))]
    pub fn corr(&self, columns: impl Into<Selector>) -> Result<Frame> {
        self.lazy().corr(columns).collect()
    }
}

/// # Statistics
impl LazyFrame {
    /// See [`Frame::describe`].
    pub fn describe(self) -> LazyFrame {
        self.whole(Whole::new("frame.describe", "describe".to_owned(), |of, _| {
            let names: Vec<&str> = of.names().collect();
            let (table, schema) = gdf_api::reduction::describe(of.table(), &names)?;
            Columns::try_new(schema, table)
        }))
    }

    /// See [`Frame::quantile`].
    pub fn quantile(self, columns: impl Into<Selector>, q: &[f64], interpolation: Interpolation) -> LazyFrame {
        let (columns, q) = (columns.into(), q.to_vec());
        let (text, reads) = (format!("quantiles {q:?} of {columns}"), vec![columns.clone()]);
        let run = move |of: &_, _: &[_]| quantiles(of, &columns, &q, interpolation);
        self.whole(Whole::new("frame.quantile", text, run).reading(reads))
    }

    /// See [`Frame::corr`].
    pub fn corr(self, columns: impl Into<Selector>) -> LazyFrame {
        let columns = columns.into();
        let (text, reads) = (format!("correlations of {columns}"), vec![columns.clone()]);
        self.whole(Whole::new("frame.corr", text, move |of, _| correlations(of, &columns)).reading(reads))
    }
}

fn quantiles(of: &Columns, columns: &Selector, q: &[f64], interpolation: Interpolation) -> Result<Columns> {
    if let Some(share) = q.iter().find(|share| !(0.0..=1.0).contains(*share)) {
        let error = Error::invalid_argument("the share must be at least 0 and at most 1; divide percentages by 100");
        return Err(error.in_argument("q").in_expression(|| share.to_string()));
    }
    let positions = of.positions_of(columns)?;
    check_names(positions.iter().map(|at| of.field(*at).name().as_str()).chain([QUANTILE]))?;
    let shares = with_device(device_of(of), || Column::from_slice(q))?;
    let (mut fields, mut found) = (vec![FieldRef::from(Field::new(QUANTILE, DataType::Float64, false))], vec![shares]);
    for at in positions {
        let field = Field::clone(of.field(at)).with_data_type(DataType::Float64).with_nullable(true);
        let column = of.table().column(at)?;
        let quantile =
            gdf_api::quantiles::quantile(column, q, interpolation, QuantileOrder::Unsorted, &DataType::Float64);
        found.push(quantile.map_err(|error| error.in_expression(|| field.name().clone()))?);
        fields.push(field.into());
    }
    Ok(of.replaced(fields, Table::try_with_rows(found, q.len())?))
}

fn device_of(of: &Columns) -> Device {
    of.table().device().unwrap_or(Device::Cpu)
}

/// Returns the correlations of all pairs. The first pass computes the means, and the second adds products of centered
/// columns.
fn correlations(of: &Columns, columns: &Selector) -> Result<Columns> {
    let positions = of.positions_of(columns)?;
    let count = positions.len();
    let names: Vec<&str> = positions.iter().map(|at| of.field(*at).name().as_str()).collect();
    check_names(names.iter().copied().chain([COLUMN]))?;
    let mut centered = Vec::with_capacity(count * count);
    for (x, at) in positions.iter().enumerate() {
        let data_type = of.field(*at).data_type();
        if !is_numeric(data_type) && *data_type != DataType::Boolean {
            let error = Error::unsupported("frame.corr", data_type).in_expression(|| names[x].to_owned());
            return Err(error.with_remedy("select columns of numbers, as in `numeric()`"));
        }
        for (y, other) in positions.iter().enumerate() {
            let value = col(names[x]).cast(DataType::Float64);
            let value = match x != y && of.table().column(*other)?.has_validity() {
                true => when(col(names[y]).is_not_null()).then(value).end(),
                false => value,
            };
            centered.push((value.clone() - value.mean()).alias(format!("{x} {y}")));
        }
    }
    let of_pair = |x: usize, y: usize| {
        let deviations = |x: usize, y: usize| col(format!("{x} {y}"));
        correlation(deviations(x, y), deviations(y, x), x == y).alias(format!("{x} {y}"))
    };
    let upper = (0..count).flat_map(|x| (x..count).map(move |y| (x, y)));
    let frame = Frame::from(of.clone());
    // `select` refuses an empty list of outputs.
    let found = match count {
        0 => Frame::from(of.clone()).select([lit(0)])?,
        _ => frame.lazy().select(centered).select(upper.map(|(x, y)| of_pair(x, y))).collect()?,
    };
    let names_column = with_device(device_of(of), || Column::from_strs(names.iter().copied()))?;
    let (mut fields, mut matrix) =
        (vec![FieldRef::from(Field::new(COLUMN, DataType::Utf8, false))], vec![names_column]);
    for (y, name) in names.iter().enumerate() {
        let parts = (0..count).map(|x| found.column(&format!("{} {}", x.min(y), x.max(y))));
        let parts = parts.map(|column| column.map(Column::view)).collect::<Result<Vec<_>>>()?;
        matrix.push(concatenate_columns(&parts)?);
        fields.push(Arc::new(Field::new(*name, DataType::Float64, true)));
    }
    Ok(of.replaced(fields, Table::try_with_rows(matrix, count)?))
}

/// Returns the correlation of columns whose means are 0.
fn correlation(x: Expr, y: Expr, is_same: bool) -> Expr {
    let squares = |of: &Expr| (of.clone() * of.clone()).sum();
    let quotient = match is_same {
        // The quotient is 1, or NaN if the sum of the squares is 0 or NaN.
        true => squares(&x) / squares(&x),
        false => (x.clone() * y.clone()).sum() / (squares(&x).sqrt() * squares(&y).sqrt()),
    };
    let limited = when(quotient.clone().gt(1.0)).then(lit(1.0)).when(quotient.clone().lt(-1.0)).then(lit(-1.0));
    when(x.count().gt(1)).then(limited.otherwise(quotient)).end()
}

impl GroupBy {
    /// Returns a row for each group: the keys, and in the column `corr` Pearson's correlation of two columns or
    /// expressions. The groups are in no particular order.
    ///
    /// The method corresponds to `CORR` in SQL, and to `groupby(…).corr` in pandas and cuDF.
    ///
    /// # Nulls and NaN
    /// A row with a null in one of the columns is ignored. The correlation is null for fewer than two rows. The
    /// correlation is NaN if a column has a NaN or an infinite value, or has the same value in all rows of the group.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::Frame;
    ///
    /// let frame = Frame::try_new([
    ///     ("k", Column::from_slice(&[1, 1, 2])?),
    ///     ("x", Column::from_slice(&[1.0, 2.0, 3.0])?),
    ///     ("y", Column::from_slice(&[5, 7, 9])?),
    /// ])?;
    /// let corr = frame.group_by(["k"]).corr("x", "y")?.sort(["k"])?;
    /// assert_eq!(corr.names().collect::<Vec<_>>(), ["k", "corr"]);
    /// assert!((corr.column("corr")?.get::<f64>(0)?.unwrap_or_default() - 1.0).abs() < 1e-12);
    /// assert_eq!(corr.column("corr")?.get::<f64>(1)?, None);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound). [`DuplicateName`](Error::DuplicateName): a key is called `corr`.
    /// * [`InvalidArgument`](Error::InvalidArgument): there are no keys.
    /// * The errors of [`correlation`](gdf_api::groupby::GroupBy::correlation).
    pub fn corr(&self, x: impl Into<Output>, y: impl Into<Output>) -> Result<Frame> {
        self.as_lazy().clone().corr(x, y).collect()
    }
}

impl LazyGroupBy {
    /// See [`GroupBy::corr`].
    pub fn corr(self, x: impl Into<Output>, y: impl Into<Output>) -> LazyFrame {
        let policy = if self.drops_null_keys() { NullPolicy::Exclude } else { NullPolicy::Include };
        let (x, y) = (x.into().0, y.into().0);
        let text = format!("correlation of {x} and {y}");
        let keys = self.keys().iter().cloned();
        // The names of the values must differ from the names of the keys.
        let values = [x.alias("#corr x"), y.alias("#corr y")];
        let outputs: Vec<Expr> = keys.chain(values).collect();
        let run = move |of: &Columns, _: &[Columns]| {
            let count = of.len() - 2;
            if count == 0 {
                let error = Error::invalid_argument("the group-by has no keys");
                return Err(error.with_remedy("use `Frame::corr` for the correlation of all rows"));
            }
            let keys = of.table().select(&(0..count).collect::<Vec<_>>())?;
            let (x, y) = (of.table().column(count)?, of.table().column(count + 1)?);
            let (keys, found) = groupby::GroupBy::new(&keys, policy).correlation(x, y, 1)?;
            check_names(of.names().take(count).chain([CORR]))?;
            let fields = of.schema().fields()[..count].iter().zip(keys.data_types());
            let fields = fields.map(|(field, of)| Arc::new(Field::clone(field).with_data_type(of.clone())));
            let fields = fields.chain([Arc::new(Field::new(CORR, DataType::Float64, true))]).collect();
            let rows = keys.num_rows();
            let columns = keys.into_columns().into_iter().chain([found]).collect();
            Ok(of.replaced(fields, Table::try_with_rows(columns, rows)?))
        };
        self.into_frame().select(outputs).whole(Whole::new("frame.group_by.corr", text, run))
    }
}
