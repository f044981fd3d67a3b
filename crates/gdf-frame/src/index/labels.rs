//! Indexes whose labels are columns, and [`Index`], the enum of all kinds of indexes.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema};
use gdf_api::concatenate::concatenate_columns;
use gdf_api::copying::{OutOfBoundsPolicy, gather, get_element};
use gdf_api::filling::from_scalar;
use gdf_api::join::{NullEquality, left_anti_join, left_join};
use gdf_api::scope::with_device;
use gdf_api::sorting::sort_by_key;
use gdf_api::stream_compaction::distinct_count_rows;
use gdf_core::{Column, Error, Result, Table};
use gdf_driver::Device;
use gdf_expr::Value;

use super::RangeIndex;
use crate::columns::Columns;
use crate::names::check_names;

/// The name of the column of labels if the index has no name.
pub(super) const UNNAMED: &str = "index";

/// A label: a value for each level of an index. A label with fewer values than levels stands for all labels that begin
/// with these values.
#[derive(Clone, Debug)]
pub struct Label(pub(super) Vec<Value>);

/// A label of several levels is a tuple, and a label of one level is a value. `Value::from` converts dates and times.
macro_rules! single {
    ($($T:ty),+) => {$(
        impl From<$T> for Label {
            fn from(value: $T) -> Label {
                Label(vec![value.into()])
            }
        }
    )+};
}

single!(Value, &str, &String, bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

macro_rules! labels {
    ($($($T:ident $at:tt),+;)+) => {$(
        impl<$($T: Into<Value>),+> From<($($T,)+)> for Label {
            fn from(values: ($($T,)+)) -> Label {
                Label(vec![$(values.$at.into()),+])
            }
        }
    )+};
}

labels! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
}

/// The values of a column as labels. Labels need not be distinct or sorted.
#[derive(Clone)]
pub struct ColumnIndex(Columns);

/// The rows of several columns, the levels, as labels.
#[derive(Clone)]
pub struct MultiIndex(Columns);

/// The labels of rows.
#[derive(Clone)]
pub enum Index {
    /// Numbers with equal distances.
    Range(RangeIndex),
    /// The values of a column.
    Column(ColumnIndex),
    /// The rows of several columns.
    Multi(MultiIndex),
}

impl ColumnIndex {
    /// Makes an index of a column and its name.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::index::{ColumnIndex, Index};
    ///
    /// let index = Index::from(ColumnIndex::new("city", Column::from_strs(["Lyon", "Oslo"])?)?);
    /// assert_eq!((index.len(), index.names(), index.is_unique()?), (2, vec!["city"], true));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * None at present.
    pub fn new(name: impl Into<String>, column: Column) -> Result<ColumnIndex> {
        let schema = Schema::new(vec![Field::new(name, column.data_type().clone(), true)]);
        Ok(ColumnIndex(Columns::try_new(schema.into(), Table::try_new(vec![column])?)?))
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        self.0.field(0).name()
    }

    /// Returns the labels.
    pub fn column(&self) -> &Column {
        &self.0.table().columns()[0]
    }
}

impl MultiIndex {
    /// Makes an index of columns and their names.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::index::MultiIndex;
    ///
    /// let levels = [("shop", Column::from_strs(["a", "b"])?), ("year", Column::from_slice(&[2023, 2024])?)];
    /// let index = MultiIndex::new(levels)?;
    /// assert_eq!(index.level("year")?.get(1)?, Some(2024));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`DuplicateName`](Error::DuplicateName); [`LengthMismatch`](Error::LengthMismatch),
    ///   [`DeviceMismatch`](Error::DeviceMismatch): the columns differ.
    pub fn new<N: Into<String>>(levels: impl IntoIterator<Item = (N, Column)>) -> Result<MultiIndex> {
        let (fields, columns): (Vec<Field>, Vec<Column>) = levels
            .into_iter()
            .map(|(name, column)| (Field::new(name, column.data_type().clone(), true), column))
            .unzip();
        Ok(MultiIndex(Columns::try_new(Schema::new(fields).into(), Table::try_new(columns)?)?))
    }

    /// Returns the number of levels.
    pub fn num_levels(&self) -> usize {
        self.0.len()
    }

    /// Returns the names of the levels.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.names()
    }

    /// Returns the values of a level, by its name.
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound).
    pub fn level(&self, name: &str) -> Result<&Column> {
        self.0.column(name)
    }

    /// Returns the index without a level.
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound).
    /// * [`InvalidArgument`](Error::InvalidArgument): there is one level.
    pub fn drop_level(&self, name: &str) -> Result<Index> {
        let dropped = self.0.position_of(name)?;
        let kept: Vec<usize> = (0..self.0.len()).filter(|at| *at != dropped).collect();
        let fields: Vec<FieldRef> = kept.iter().map(|at| self.0.field(*at).clone()).collect();
        Index::of_columns(self.0.replaced(fields, self.0.table().select(&kept)?))
    }
}

impl From<RangeIndex> for Index {
    fn from(index: RangeIndex) -> Index {
        Index::Range(index)
    }
}

impl From<ColumnIndex> for Index {
    fn from(index: ColumnIndex) -> Index {
        Index::Column(index)
    }
}

impl From<MultiIndex> for Index {
    fn from(index: MultiIndex) -> Index {
        Index::Multi(index)
    }
}

impl Index {
    pub(super) fn of_columns(columns: Columns) -> Result<Index> {
        match columns.len() {
            0 => Err(Error::beyond_limit("the number of columns of an index", 0, 1).with_remedy("name a column")),
            1 => Ok(Index::Column(ColumnIndex(columns))),
            _ => Ok(Index::Multi(MultiIndex(columns))),
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        match self {
            Index::Range(range) => range.len(),
            Index::Column(ColumnIndex(columns)) | Index::Multi(MultiIndex(columns)) => columns.table().num_rows(),
        }
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of values of a label.
    pub fn num_levels(&self) -> usize {
        match self {
            Index::Range(_) | Index::Column(_) => 1,
            Index::Multi(index) => index.num_levels(),
        }
    }

    /// Returns the names of the levels. A range index without a name has the name `index`.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Index::Range(range) => vec![range.name().unwrap_or(UNNAMED)],
            Index::Column(ColumnIndex(columns)) | Index::Multi(MultiIndex(columns)) => columns.names().collect(),
        }
    }

    pub(super) fn columns(&self, device: Device) -> Result<Columns> {
        match self {
            Index::Range(range) => {
                let schema = Schema::new(vec![Field::new(range.name().unwrap_or(UNNAMED), DataType::Int64, false)]);
                let table = Table::try_with_rows(vec![range.to_column(device)?], range.len())?;
                Columns::try_new(schema.into(), table)
            }
            Index::Column(ColumnIndex(columns)) | Index::Multi(MultiIndex(columns)) => Ok(columns.clone()),
        }
    }

    /// Returns the label of a row. **Waits** for device memory.
    ///
    /// # Errors
    /// * [`OutOfBounds`](Error::OutOfBounds).
    /// * The errors of [`Value::from_scalar`].
    pub fn label(&self, row: usize) -> Result<Vec<Value>> {
        match self {
            Index::Range(range) => {
                let label = range.get(row).ok_or_else(|| Error::out_of_bounds(row as i128, range.len()))?;
                Ok(vec![Value::from(label)])
            }
            Index::Column(ColumnIndex(columns)) | Index::Multi(MultiIndex(columns)) => {
                let value = |column: &Column| Value::from_scalar(&get_element(column, row)?);
                columns.table().columns().iter().map(value).collect()
            }
        }
    }

    /// Returns whether no two rows have the same label. Nulls are equal to each other. **Waits** for the number of
    /// distinct labels, except for a range.
    ///
    /// # Errors
    /// * The errors of [`distinct_count_rows`](gdf_api::stream_compaction::distinct_count_rows).
    pub fn is_unique(&self) -> Result<bool> {
        match self {
            Index::Range(_) => Ok(true),
            Index::Column(ColumnIndex(columns)) | Index::Multi(MultiIndex(columns)) => {
                Ok(distinct_count_rows(columns.table(), NullEquality::Equal)? == columns.table().num_rows())
            }
        }
    }

    /// Returns the labels of `len` rows from row `offset` on.
    ///
    /// # Errors
    /// * [`OutOfBounds`](Error::OutOfBounds).
    pub fn slice(&self, offset: usize, len: usize) -> Result<Index> {
        let of = |columns: &Columns| {
            Ok::<_, Error>(Columns::trusted(columns.schema().clone(), columns.table().slice(offset, len)?))
        };
        Ok(match self {
            Index::Range(range) => Index::Range(range.slice(offset, len)?),
            Index::Column(ColumnIndex(columns)) => Index::Column(ColumnIndex(of(columns)?)),
            Index::Multi(MultiIndex(columns)) => Index::Multi(MultiIndex(of(columns)?)),
        })
    }

    /// Returns the first labels, or all labels of a shorter index.
    #[must_use]
    pub fn head(&self, rows: usize) -> Index {
        self.part(|range| range.head(rows), |table| table.head(rows))
    }

    /// Returns the last labels, or all labels of a shorter index.
    #[must_use]
    pub fn tail(&self, rows: usize) -> Index {
        self.part(|range| range.tail(rows), |table| table.tail(rows))
    }

    fn part(&self, range: impl Fn(&RangeIndex) -> RangeIndex, table: impl Fn(&Table) -> Table) -> Index {
        let of = |columns: &Columns| Columns::trusted(columns.schema().clone(), table(columns.table()));
        match self {
            Index::Range(of_range) => Index::Range(range(of_range)),
            Index::Column(ColumnIndex(columns)) => Index::Column(ColumnIndex(of(columns))),
            Index::Multi(MultiIndex(columns)) => Index::Multi(MultiIndex(of(columns))),
        }
    }

    /// Returns the numbers of the rows with each of several labels, in the order of the labels and then of the rows.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument): no row has a label, or labels have wrong numbers of values.
    /// * [`TypeMismatch`](Error::TypeMismatch): a value is not of the type of its level.
    pub(super) fn rows_of(&self, labels: &[Label], device: Device) -> Result<Column> {
        if let Index::Range(range) = self {
            let row = |label: &Label| {
                let number = match &label.0[..] {
                    [value] => value.with_type(&DataType::Int64)?.integer().and_then(|value| i64::try_from(value).ok()),
                    _ => None,
                };
                number.and_then(|number| range.position(number)).map(|row| row as u64).ok_or_else(|| missing(label))
            };
            let rows = labels.iter().map(row).collect::<Result<Vec<_>>>()?;
            return with_device(device, || Column::from_slice(&rows));
        }
        let columns = self.columns(device)?;
        let count = labels.first().map_or(1, |label| label.0.len());
        if count == 0 || count > columns.len() {
            let limit = columns.len().min(count.max(1));
            let error = Error::beyond_limit("the number of values of a label", count as i128, limit as i128);
            return Err(error.with_remedy("pass one value for each of the first levels of the index"));
        }
        if labels.iter().any(|label| label.0.len() != count) {
            return Err(Error::invalid_argument(
                "the labels have different numbers of values; pass equally many values in each label",
            ));
        }
        let levels: Vec<usize> = (0..count).collect();
        let column = |level: &usize| {
            let data_type = columns.field(*level).data_type();
            let value = |label: &Label| {
                let value =
                    label.0[*level].with_type(data_type).map_err(|error| error.in_expression(|| text(label)))?;
                with_device(device, || from_scalar(value.literal()?, 1))
            };
            let parts = labels.iter().map(value).collect::<Result<Vec<_>>>()?;
            match parts.is_empty() {
                true => columns.table().column(*level)?.slice(0, 0),
                false => concatenate_columns(&parts.iter().map(Column::view).collect::<Vec<_>>()),
            }
        };
        let wanted = Table::try_with_rows(levels.iter().map(column).collect::<Result<_>>()?, labels.len())?;
        let own = columns.table().select(&levels)?;
        let absent = left_anti_join(&wanted, &own, NullEquality::Equal)?;
        if !absent.is_empty() {
            let absent = gdf_api::unary::cast(&absent, &DataType::UInt64)?.get::<u64>(0)?.unwrap_or_default();
            return Err(missing(&labels[absent as usize]));
        }
        matching_rows(&wanted, &own)
    }
}

/// Returns for each row of `wanted` the numbers of the equal rows of `own`, in the order of `wanted` and then of `own`.
/// A row of `wanted` without an equal row gets one number beyond the rows of `own`.
pub(super) fn matching_rows(wanted: &Table, own: &Table) -> Result<Column> {
    let (left, right) = left_join(wanted, own, NullEquality::Equal)?;
    let (keys, rows) = (Table::try_new(vec![left, right.clone()])?, Table::try_new(vec![right])?);
    let sorted = sort_by_key(&rows, &keys, &[], &[])?;
    sorted.into_columns().pop().ok_or_else(|| Error::internal("sorted rows have no column"))
}

/// Returns the rows of columns with the given numbers. A number that is not the number of a row gives a row of nulls.
/// If `is_nullable` is true, all fields of the result are nullable.
pub(super) fn take(of: &Columns, rows: &Column, is_nullable: bool) -> Result<Columns> {
    let table = gather(of.table(), rows, OutOfBoundsPolicy::Nullify)?;
    if !is_nullable {
        return Ok(Columns::trusted(of.schema().clone(), table));
    }
    let fields = of.schema().fields().iter().map(|field| Arc::new(Field::clone(field).with_nullable(true)));
    Ok(of.replaced(fields.collect(), table))
}

/// Returns the columns of `first`, followed by the columns of `second`.
pub(super) fn both(first: &Columns, second: &Columns) -> Result<Columns> {
    check_names(first.names().chain(second.names()))?;
    let fields = first.schema().fields().iter().chain(second.schema().fields()).cloned().collect();
    let columns = first.table().columns().iter().chain(second.table().columns()).cloned().collect();
    Ok(second.replaced(fields, Table::try_with_rows(columns, second.table().num_rows())?))
}

fn text(label: &Label) -> String {
    let values: Vec<String> = label.0.iter().map(ToString::to_string).collect();
    format!("({})", values.join(", "))
}

#[cold]
fn missing(label: &Label) -> Error {
    Error::invalid_argument("the index does not have the label")
        .in_expression(|| text(label))
        .with_remedy("pass a label of the index, or use `reindex`, which returns nulls for missing labels")
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Index::Range(range) => range.fmt(f),
            _ => write!(f, "Index {{ rows: {}, levels: {:?} }}", self.len(), self.names()),
        }
    }
}
