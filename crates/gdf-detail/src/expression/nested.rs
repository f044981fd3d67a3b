//! The functions of lists and structs in expressions.

use gdf_compute::reduction::{ReduceAggregation, default_output_type};
use gdf_compute::sorting::{NullOrder, Order};
use gdf_core::{Column, ColumnView, Error, Literal, Operand, Result, TableView};
use gdf_engine::policy::NullPolicy;
use gdf_expr::{Function, Value};
use gdf_nested::lists::{self, ConcatenateNullPolicy, DuplicateKeepOption, FindOption, NanEquality, NullEquality};
use gdf_nested::{maps, structs};

use super::{as_column, rows_of};
use crate::Ctx;

/// Computes a function of lists, structs or maps. The first argument is a column. Functions of sets treat nulls as
/// equal to each other, and also NaNs. Of several equal elements, the first one stays.
pub(super) fn call(function: Function, arguments: &[Operand<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let missing = || Error::internal("an argument of the function is missing");
    let argument = |at: usize| arguments.get(at).copied().ok_or_else(missing);
    let first = column(argument(0)?)?;
    let literal = |at: usize| match argument(at)? {
        Operand::Literal(literal) => Ok(literal),
        _ => Err(Error::internal("an argument of the function is not a literal")),
    };
    let other = || column(argument(1)?);
    let truth = |at: usize| Ok::<_, Error>(Value::new(literal(at)?).boolean() == Some(true));
    let (nulls, nans) = (NullEquality::Equal, NanEquality::AllEqual);
    let reduce = |aggregation: ReduceAggregation| {
        let element = lists::element_type(first.data_type());
        let element = element.ok_or_else(|| Error::unsupported(function.name(), first.data_type()))?;
        let output_type = default_output_type(aggregation, element)?;
        lists::reduce(first, aggregation, &output_type, NullPolicy::Exclude, ctx)
    };
    match function {
        Function::ListContains => lists::contains(first, argument(1)?, ctx),
        Function::ListContainsNulls => lists::contains_nulls(first, ctx),
        Function::ListIndexOf => lists::index_of(first, argument(1)?, FindOption::First, ctx),
        Function::ListLastIndexOf => lists::index_of(first, argument(1)?, FindOption::Last, ctx),
        Function::ListLen => lists::count_elements(first, ctx),
        Function::ListGet => lists::extract_list_element(first, argument(1)?, ctx),
        Function::ListSum => reduce(ReduceAggregation::Sum),
        Function::ListMin => reduce(ReduceAggregation::Min),
        Function::ListMax => reduce(ReduceAggregation::Max),
        Function::ListMean => reduce(ReduceAggregation::Mean),
        Function::ListAny => reduce(ReduceAggregation::Any),
        Function::ListAll => reduce(ReduceAggregation::All),
        Function::ListSort => {
            let order = if truth(1)? { Order::Descending } else { Order::Ascending };
            // The null order is relative to the order of the values.
            let is_before = truth(2)? != truth(1)?;
            lists::sort_lists(first, order, if is_before { NullOrder::Before } else { NullOrder::After }, ctx)
        }
        Function::ListReverse => lists::reverse(first, ctx),
        Function::ListDistinct => lists::distinct(first, DuplicateKeepOption::First, nulls, nans, ctx),
        Function::ListConcatenate => {
            let columns = arguments.iter().copied().map(column);
            let table = TableView::try_new(columns.collect::<Result<_>>()?)?;
            lists::concatenate_rows(&table, ConcatenateNullPolicy::NullifyOutputRow, ctx)
        }
        Function::ListHaveOverlap => lists::have_overlap(first, other()?, nulls, nans, ctx),
        Function::ListIntersectDistinct => lists::intersect_distinct(first, other()?, nulls, nans, ctx),
        Function::ListDifferenceDistinct => lists::difference_distinct(first, other()?, nulls, nans, ctx),
        Function::ListUnionDistinct => lists::union_distinct(first, other()?, nulls, nans, ctx),
        Function::MapGet => maps::get(first, argument(1)?, ctx),
        Function::MapContainsKey => maps::contains_key(first, argument(1)?, ctx),
        Function::MapKeys => maps::keys(first, ctx),
        Function::MapValues => maps::values(first, ctx),
        Function::StructField => structs::field_by_name(first, &name(literal(1)?)?, ctx),
        Function::StructWithField => {
            let value = as_column(&argument(2)?, rows_of(arguments)?, ctx)?;
            structs::with_field(first, &name(literal(1)?)?, value.view(), ctx)
        }
        Function::StructRenameFields | Function::StructDropFields => {
            let names = (1..arguments.len()).map(|at| name(literal(at)?)).collect::<Result<Vec<_>>>()?;
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            match function {
                Function::StructRenameFields => structs::rename_fields(first, &names, ctx),
                _ => structs::drop_fields(first, &names, ctx),
            }
        }
        other => {
            Err(Error::internal("the function is no function of lists, structs or maps").in_operation(other.name()))
        }
    }
}

fn column(argument: Operand<'_>) -> Result<ColumnView<'_>> {
    match argument {
        Operand::Column(view) => Ok(view),
        _ => Err(Error::internal("an argument of the function is not a column")),
    }
}

fn name(literal: Literal<'_>) -> Result<String> {
    let name = literal.text().ok_or_else(|| Error::internal("the name of a field is not a text literal"))?;
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gdf_core::{DataType, Field, TimeUnit};
    use gdf_expr::{Expr, Graph, Input, col};

    use super::*;

    /// The element types for which the result types are tested.
    const ELEMENTS: &[DataType] = &[
        DataType::Boolean,
        DataType::Int8,
        DataType::UInt16,
        DataType::Int64,
        DataType::UInt64,
        DataType::Float16,
        DataType::Float32,
        DataType::Float64,
        DataType::Decimal32(9, 2),
        DataType::Decimal64(18, 3),
        DataType::Decimal128(38, 4),
        DataType::Decimal256(76, 5),
        DataType::Duration(TimeUnit::Second),
        DataType::Timestamp(TimeUnit::Nanosecond, None),
        DataType::Date32,
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::Null,
    ];

    #[test]
    fn types_of_aggregated_lists_are_those_of_reductions() {
        for (function, aggregation) in [
            (Function::ListSum, ReduceAggregation::Sum),
            (Function::ListMin, ReduceAggregation::Min),
            (Function::ListMax, ReduceAggregation::Max),
            (Function::ListMean, ReduceAggregation::Mean),
            (Function::ListAny, ReduceAggregation::Any),
            (Function::ListAll, ReduceAggregation::All),
        ] {
            for element in ELEMENTS {
                let lists = DataType::List(Arc::new(Field::new("item", element.clone(), true)));
                let mut graph = Graph::new(vec![Input::new(lists)]);
                let found = graph.bind(&Expr::call(function, [col(0)]));
                let found = found.map(|id| graph.node(id).data_type.clone());
                let expected = default_output_type(aggregation, element);
                assert_eq!(found.ok(), expected.ok(), "{} of {element}", function.name());
            }
        }
    }
}
