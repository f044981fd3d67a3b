//! Tables from wide to long form and back; part of [`reshape`](crate::reshape).

use gdf_core::{ColumnView, Result, Table, TableView};
use gdf_detail as detail;
use gdf_detail::groupby::GroupByAggregation;

use crate::scope::Scope;

/// Turns columns into rows. The result has a row for each row of `table` and each of the columns `values`: the columns
/// `index` of the row, the name of the column, and the value of the column in the row.
///
/// `names` has one row for each column of `values`, of any type. The columns of `values` have the same type. The
/// columns of the result are the columns of `index`, the names, and the values. All rows with the first name come
/// first, in the order of `table`, followed by all rows with the second name, and so on. Nulls are kept. Columns that
/// are in neither list are left out.
///
/// In pandas `melt`, in polars `unpivot`, in SQL `UNPIVOT`; libcudf has no such function.
///
/// ```text
/// id  height  weight      id  name    value
///  7     180      70       7  height    180
///  8     165      60   →   8  height    165
///                          7  weight     70
///                          8  weight     60
/// ```
///
/// ```
/// use gdf::reshape::unpivot;
/// use gdf::{Column, Table};
///
/// let columns = vec![Column::from_slice(&[7, 8])?, Column::from_slice(&[180, 165])?, Column::from_slice(&[70, 60])?];
/// let long = unpivot(&Table::try_new(columns)?, &[0], &[1, 2], &Column::from_strs(["height", "weight"])?)?;
/// assert_eq!(long.column(0)?.to_vec::<i32>()?, [Some(7), Some(8), Some(7), Some(8)]);
/// assert_eq!(long.column(1)?.to_strings()?[2], Some("weight".to_owned()));
/// assert_eq!(long.column(2)?.to_vec::<i32>()?, [Some(180), Some(165), Some(70), Some(60)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`tile`](crate::reshape::tile) for `index` and for `names`, and those of
/// [`concatenate`](crate::concatenate::concatenate()) for the values. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) when a position is not a column.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) if there are no columns of values, or if the result would
///   have 2⁶³−1 rows or more. The error is returned before anything is allocated.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `names` does not have exactly one row for each column of
///   values.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when the types of the values differ.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); [`Unsupported`](gdf_core::Error::Unsupported) for types whose
///   rows cannot be moved; [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("melt", "stack", "wide to long"))]
pub fn unpivot<'t, 'n>(
    table: impl Into<TableView<'t>>,
    index: &[usize],
    values: &[usize],
    names: impl Into<ColumnView<'n>>,
) -> Result<Table> {
    let (table, names) = (table.into(), names.into());
    Scope::for_inputs("unpivot", &[&table, &names])?
        .run(|ctx| detail::reshape::unpivot(&table, index, values, names, ctx))
}

/// Turns rows into columns. The result has one row for each distinct row of the columns `index`, and one column for
/// each name of `kept`. An element of such a column is the aggregation of the `values` of the rows with that `index`
/// and with that name in the column `names`.
///
/// The result has the columns of `index`, then a column for each row of `kept`, in its order. `kept` has the same type
/// as the names, and contains each name once. Rows with other names are ignored. The order of the rows is not
/// specified.
///
/// # Types and nulls
/// `index` and the names are of types that keys of a [`GroupBy`](crate::groupby::GroupBy) can have. The aggregation
/// decides which types the values can have, and the type of the columns. Nulls in `index` and in the names are equal to
/// each other, and NaN is equal to NaN. If no row has a valid value, the element is null, except for counts.
/// Aggregations that count null values are errors.
///
/// In pandas `pivot_table`, in polars `pivot`, in SQL `PIVOT`; libcudf has no such function.
///
/// ```
/// use gdf::groupby::GroupByAggregation;
/// use gdf::reshape::pivot;
/// use gdf::{Column, Table};
///
/// let columns = vec![
///     Column::from_slice(&[7, 7, 7])?,
///     Column::from_strs(["a", "b", "a"])?,
///     Column::from_slice(&[1_i64, 2, 3])?,
/// ];
/// let kept = Column::from_strs(["b", "a", "c"])?;
/// let wide = pivot(&Table::try_new(columns)?, &[0], 1, 2, &kept, GroupByAggregation::Sum)?;
/// assert_eq!(wide.num_columns(), 4);
/// assert_eq!(wide.column(2)?.to_vec::<i64>()?, [Some(4)]);
/// assert_eq!(wide.column(3)?.to_vec::<i64>()?, [None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function makes one group-by with a request for each name, and reads a copy of the values for each name. Its
/// waits are those of the group-by, and those of [`left_join`](crate::join::left_join) of the names. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) when a position is not a column.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): a name occurs twice in `kept`, `kept` has more than 4,096
///   names, or the aggregation counts null values.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): `kept` and the names have different types.
/// * The errors of [`GroupBy::aggregate`](crate::groupby::GroupBy::aggregate).
#[doc(alias("pivot_table", "unstack", "crosstab", "long to wide"))]
pub fn pivot<'t, 'k>(
    table: impl Into<TableView<'t>>,
    index: &[usize],
    names: usize,
    values: usize,
    kept: impl Into<ColumnView<'k>>,
    aggregation: GroupByAggregation,
) -> Result<Table> {
    let (table, kept) = (table.into(), kept.into());
    Scope::for_inputs("pivot", &[&table, &kept])?
        .run(|ctx| detail::reshape::pivot(&table, index, [names, values], kept, aggregation, ctx))
}
