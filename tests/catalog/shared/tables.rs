//! Helpers that entries share: tables of every type, numbers of waits for moving rows, and functions for the entered
//! scope.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, Fields, UnionMode};
use gdf_core::layout::child_types;
use gdf_core::{Abilities, Column, Error, NativeValue, Result, Table, TableView, is_nested, scope};
use gdf_driver::Device;
use gdf_expr::{Expr, Graph, Input};
use gdf_external::bounds::{Shape, Values};

use crate::catalog::SliceCosts;
use gdf_test::data::{self, NullPattern, random_array};
use gdf_test::value::{from_values, to_values};

/// Returns all types whose rows can be moved, except for structs and lists.
pub(crate) fn types() -> Vec<DataType> {
    let dictionary = |keys, values| DataType::Dictionary(Box::new(keys), Box::new(values));
    let others = vec![
        DataType::Utf8View,
        DataType::BinaryView,
        DataType::FixedSizeBinary(100),
        dictionary(DataType::Int8, DataType::Utf8),
        dictionary(DataType::UInt32, DataType::Int64),
    ];
    [data::fixed_width(), data::strings(), others].concat()
}

/// A few types.
pub(crate) const FEW: [DataType; 6] = [
    DataType::Int32,
    DataType::Float64,
    DataType::Boolean,
    DataType::Decimal128(38, 10),
    DataType::FixedSizeBinary(5),
    DataType::Utf8,
];

/// Returns a struct of a struct and bytes.
pub(crate) fn nested() -> DataType {
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let inner = DataType::Struct(Fields::from(vec![
        field("number", DataType::Int64),
        field("text", DataType::Utf8),
        field("flag", DataType::Boolean),
    ]));
    DataType::Struct(Fields::from(vec![field("inner", inner), field("bytes", DataType::LargeBinary)]))
}

pub(crate) fn few_nested(
    data_type: &DataType,
    rows: usize,
    distinct: usize,
    nulls: NullPattern,
    seed: u64,
) -> ArrayRef {
    let values = to_values(&random_array(data_type, distinct, nulls, seed));
    let of = |row: usize| (row as u64 ^ seed << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 17;
    let rows = (0..rows).map(|row| values[(of(row) % distinct as u64) as usize].clone());
    from_values(data_type, &rows.collect::<Vec<_>>())
}

/// Returns the largest number of additional waits if keys are nested.
pub(crate) fn nested_key_waits(keys: &[ArrayRef]) -> u64 {
    if keys.iter().any(|key| data::nested_keys().contains(key.data_type()) || is_nested(key.data_type())) {
        64
    } else {
        0
    }
}

/// Returns the additional costs of slices of keys.
pub(crate) fn nested_key_slices(keys: &[ArrayRef]) -> SliceCosts {
    if nested_key_waits(keys) > 0 { SliceCosts::Own } else { SliceCosts::Same }
}

/// Returns the types of views and dictionaries.
pub(crate) fn encoded_types() -> Vec<DataType> {
    types().into_iter().filter(|of| Abilities::of(of).encoded).collect()
}

pub(crate) fn nested_types() -> Vec<DataType> {
    [vec![nested()], own_parts()].concat()
}

/// Returns whether the operation concatenates the columns before it copies rows.
pub(crate) fn is_concatenated(column: &ArrayRef) -> bool {
    [nested_types(), encoded_types(), shared_parts()].concat().contains(column.data_type())
}

/// Returns all types of lists whose rows can be copied.
pub(crate) fn list_types() -> Vec<DataType> {
    fn has_lists(data_type: &DataType) -> bool {
        match data_type {
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) | DataType::Map(..) => true,
            DataType::Struct(fields) => fields.iter().any(|field| has_lists(field.data_type())),
            _ => false,
        }
    }
    let item = |data_type| Arc::new(Field::new("item", data_type, true));
    let inner = DataType::List(item(DataType::Utf8));
    let deep = DataType::LargeList(item(DataType::Struct(Fields::from(vec![Field::new("inner", inner, true)]))));
    data::nested().into_iter().filter(has_lists).chain([deep]).collect()
}

/// Returns list views, unions and run-end encoded types.
pub(crate) fn composite_types() -> Vec<DataType> {
    let item = |data_type| Arc::new(Field::new("item", data_type, true));
    let runs = |ends, values| {
        DataType::RunEndEncoded(
            Arc::new(Field::new("run_ends", ends, false)),
            Arc::new(Field::new("values", values, true)),
        )
    };
    let fields = |types: Vec<DataType>| types.into_iter().map(|of| Field::new("field", of, true));
    let structs =
        |types| DataType::Struct(fields(types).enumerate().map(|(i, of)| of.with_name(i.to_string())).collect());
    let union = |types: Vec<DataType>, mode| DataType::Union((2_i8..).zip(fields(types).map(Arc::new)).collect(), mode);
    let (views, unions) = (data::views().split_off(2), data::unions());
    let within = vec![
        runs(DataType::Int16, DataType::Int32),
        runs(DataType::Int64, structs(vec![DataType::Utf8, views[0].clone()])),
        structs(vec![DataType::Boolean, views[1].clone(), unions[1].clone(), runs(DataType::Int32, DataType::Utf8)]),
        DataType::ListView(item(unions[0].clone())),
        DataType::List(item(structs(vec![unions[1].clone()]))),
        DataType::FixedSizeList(item(runs(DataType::Int32, DataType::Float64)), 2),
        union(vec![list_types()[1].clone(), runs(DataType::Int32, DataType::Int8), DataType::Null], UnionMode::Sparse),
        union(vec![views[0].clone(), unions[0].clone(), DataType::Utf8View], UnionMode::Dense),
    ];
    [views, unions, within].concat()
}

/// Returns the types of columns that are taken apart before rows are copied.
pub(crate) fn types_of_parts() -> Vec<DataType> {
    [list_types(), composite_types()].concat()
}

/// Returns whether copied rows of the type share values with the column that they are copied from.
fn shares_values(data_type: &DataType) -> bool {
    let is_view = matches!(data_type, DataType::ListView(_) | DataType::LargeListView(_));
    is_view || Abilities::of(data_type).encoded || child_types(data_type).into_iter().any(shares_values)
}

/// Returns the types of [`types_of_parts`] whose rows are copied without sharing values.
pub(crate) fn own_parts() -> Vec<DataType> {
    types_of_parts().into_iter().filter(|data_type| !shares_values(data_type)).collect()
}

/// Returns list views.
pub(crate) fn list_views() -> Vec<DataType> {
    let is_view = |of: &DataType| matches!(of, DataType::ListView(_) | DataType::LargeListView(_));
    shared_parts().into_iter().filter(is_view).collect()
}

/// Returns the types of [`types_of_parts`] whose copied rows share values.
pub(crate) fn shared_parts() -> Vec<DataType> {
    types_of_parts().into_iter().filter(shares_values).collect()
}

pub(crate) fn table(types: &[DataType], rows: usize, nulls: NullPattern, seed: u64) -> Vec<ArrayRef> {
    let columns = types.iter().zip(seed..);
    columns.map(|(data_type, seed)| random_array(data_type, rows, nulls, seed)).collect()
}

pub(crate) fn as_table(columns: &[Column]) -> Result<Table> {
    Table::try_new(columns.to_vec())
}

/// Returns the shape of the table of these columns.
pub(crate) fn shape_of(columns: &[Column]) -> Shape {
    columns.iter().map(Shape::of_column).fold(Shape::default(), Shape::beside)
}

/// Returns the shapes of expressions over these columns, or `None` if the expressions have no bound.
pub(crate) fn values_of(columns: &[Column], expressions: &[Expr]) -> Option<Values> {
    let mut graph = Graph::new(columns.iter().map(|column| Input::new(column.data_type().clone())).collect());
    let roots = expressions.iter().map(|expression| graph.bind(expression).ok()).collect::<Option<Vec<_>>>()?;
    Values::of(&graph, &roots, columns)
}

pub(crate) fn split(inputs: &[Column]) -> Result<(Table, &Column)> {
    let (last, columns) = inputs.split_last().ok_or(gdf_core::Error::column_count(1, 0))?;
    Ok((as_table(columns)?, last))
}

pub(crate) fn view(columns: &[Column]) -> Result<TableView<'_>> {
    TableView::try_new(columns.iter().map(Column::view).collect())
}

/// Returns the tables of both sides of a join. The columns of the left side come first.
pub(crate) fn sides(inputs: &[Column], left_columns: usize) -> Result<(TableView<'_>, TableView<'_>)> {
    let sides = inputs.split_at_checked(left_columns);
    let (left, right) = sides.ok_or(Error::invalid_argument("the columns of a side are missing"))?;
    Ok((view(left)?, view(right)?))
}

/// Builds a column on `device` from values that a function returned to the host.
pub(crate) fn shown<T: NativeValue>(values: &[T], device: Device) -> Result<Column> {
    scope::with_device(device, || Column::from_slice(values))
}

/// Runs `work` on `device`.
pub(crate) fn scratch<R>(device: Device, work: impl FnOnce() -> Result<R>) -> Result<R> {
    let (_, temporary) = scope::current_resources(device)?;
    scope::with_device(device, || scope::with_resource(&temporary, work))
}

/// Returns a deep copy of the column.
pub(crate) fn copied(column: &Column) -> Result<Column> {
    let (output, _) = scope::current_resources(column.device())?;
    column.deep_copy(&scope::current_stream(column.device())?, &output)
}

/// The number of columns that one launch moves.
const LAUNCH: u64 = 32;

/// Returns the number of all columns, and the number of text columns.
fn counts(columns: &[ArrayRef]) -> (u64, u64) {
    let one = |column: &ArrayRef| {
        let (fields, texts) = column.as_struct_opt().map_or((0, 0), |fields| counts(fields.columns()));
        (1 + fields, texts + u64::from(data::strings().contains(column.data_type())))
    };
    columns.iter().map(one).fold((0, 0), |(all, texts), (more, more_texts)| (all + more, texts + more_texts))
}

/// Returns the largest number of waits for a table that may have columns of lists. `flat` is the number of waits for
/// the columns that are not lists.
pub(crate) fn with_lists(columns: &[ArrayRef], flat: u64) -> u64 {
    fn of(data_type: &DataType) -> Option<u64> {
        let of_elements = |field: &Field| match of(field.data_type()) {
            Some(waits) => 2 * waits,
            None => 2 * u64::from(data::strings().contains(field.data_type())),
        };
        match data_type {
            DataType::List(field) | DataType::LargeList(field) | DataType::Map(field, _) => {
                Some(5 + of_elements(field))
            }
            // The number of elements is known.
            DataType::FixedSizeList(field, _) => Some(of_elements(field)),
            DataType::Struct(fields) => {
                fields.iter().filter_map(|field| of(field.data_type())).reduce(|all, more| all + more)
            }
            // The values are concatenated if two columns take part.
            DataType::ListView(field) | DataType::LargeListView(field) => Some(4 + of_elements(field)),
            DataType::RunEndEncoded(_, values) => Some(6 + of_elements(values)),
            DataType::Union(fields, _) => Some(4 + fields.iter().map(|(_, field)| 4 + of_elements(field)).sum::<u64>()),
            _ => None,
        }
    }
    let lists = columns.iter().filter_map(|column| of(column.data_type())).reduce(|all, more| all + more);
    lists.map_or(flat, |lists| 2 * flat + lists)
}

/// Returns the costs of slices of the columns.
pub(crate) fn slice_costs(columns: &[ArrayRef]) -> SliceCosts {
    if with_lists(columns, 0) > 0 { SliceCosts::Own } else { SliceCosts::Same }
}

/// Returns the largest number of waits of a concatenation: one wait for each launch with text columns.
pub(crate) fn concatenate_waits(columns: &[ArrayRef]) -> u64 {
    let (all, texts) = counts(columns);
    with_lists(columns, texts.min(all.div_ceil(LAUNCH)))
}

/// Returns the largest number of waits of an operation that puts parts of columns and repeated values together.
pub(crate) fn piece_waits(columns: &[ArrayRef]) -> u64 {
    match with_lists(columns, 0) {
        0 => concatenate_waits(columns),
        of_parts => concatenate_waits(columns) + of_parts + affine_waits(columns),
    }
}

/// Returns the largest number of waits if the row numbers are computed by arithmetic: one wait for each launch that
/// sums the sizes of text.
pub(crate) fn affine_waits(columns: &[ArrayRef]) -> u64 {
    with_lists(columns, counts(columns).1.div_ceil(LAUNCH))
}

/// Returns the largest number of waits of a gather by a map without a bounds check.
pub(crate) fn gather_waits(columns: &[ArrayRef]) -> u64 {
    let (_, texts) = counts(columns);
    with_lists(columns, texts.div_ceil(LAUNCH) + u64::from(texts > 0))
}

/// Returns the largest number of waits of a filter.
pub(crate) fn filter_waits(columns: &[ArrayRef]) -> u64 {
    let (_, texts) = counts(columns);
    with_lists(columns, (1 + texts).div_ceil(LAUNCH))
}
