//! `one_hot_encode`: each row is looked up among the categories, and the number of the found category is compared
//! with the number of each category.

use gdf_compute::binaryop::{BinaryOperator, binary_operation};
use gdf_compute::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality, distinct_indices};
use gdf_core::{Column, ColumnView, DataType, Result, Scalar, Table, TableView};
use gdf_engine::check;
use gdf_engine::decoded::decoded_type;

use crate::Ctx;
use crate::join::row_of_each;
use crate::vouch::rows::gather_trusted;

/// Implements `gdf_api::transform::one_hot_encode` with the stream and the resources of `ctx`.
pub fn one_hot_encode(column: ColumnView<'_>, categories: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    check::column(column, ctx)?;
    check::column(categories, ctx)?;
    check::types(decoded_type(column.data_type()), decoded_type(categories.data_type()))
        .map_err(|error| error.in_argument("categories"))?;
    if categories.is_empty() {
        return Table::try_with_rows(Vec::new(), column.len());
    }
    let scratch = ctx.scratch();
    let all = TableView::try_new(vec![categories])?;
    let any = DuplicateKeepOption::Any;
    let keys = distinct_indices(all.clone(), any, NullEquality::Equal, NanEquality::AllEqual, scratch)?;
    let keys = gather_trusted(&all, keys.view(), scratch)?;
    // Equal categories have the same number.
    let codes = row_of_each(&TableView::try_new(vec![column])?, &keys.view(), scratch)?;
    let category_codes = row_of_each(&all, &keys.view(), scratch)?;
    let is_category = |category: usize| -> Result<Column> {
        let code = Scalar::from_column(category_codes.slice(category, 1)?)?;
        binary_operation((&codes).into(), (&code).into(), BinaryOperator::Equal, &DataType::Boolean, ctx)
    };
    Table::try_with_rows((0..categories.len()).map(is_category).collect::<Result<_>>()?, column.len())
}
