//! Entries of the functions of `lists` that evaluate an expression for each element.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use gdf_api::lists as api;
use gdf_api::reduction::{NullPolicy, ReduceAggregation as Aggregation};
use gdf_core::{Column, Error, Result, Table};
use gdf_expr::{Expr, coalesce, col, lit};

use super::elements::{columns, list, nested_elements};
use crate::catalog::shared::tables::with_lists;
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::lists::expression as naive;
use gdf_test::compare::Equality;
use gdf_test::data::{NullPattern, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("lists.aggregate_elements", Equality::Exact, aggregates),
        Entry::new("lists.filter_elements", Equality::Exact, filters),
        Entry::new("lists.transform_elements", Equality::Exact, transforms),
    ]
}

/// The position of the lists.
const LISTS: usize = 1;

fn numbers() -> Vec<DataType> {
    let item = Arc::new(Field::new("item", DataType::Int16, true));
    let fixed = DataType::FixedSizeList(item.clone(), 3);
    vec![list(DataType::Int32), DataType::LargeList(item), fixed]
}

fn others() -> Vec<DataType> {
    let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    [vec![list(DataType::Utf8), list(dictionary)], nested_elements()].concat()
}

fn tables(types: &[DataType]) -> Vec<(String, Vec<ArrayRef>)> {
    let around = |(label, lists): (String, ArrayRef)| {
        let outer = random_array(&DataType::Int32, lists.len(), NullPattern::Some, 7);
        let text = random_array(&DataType::Utf8, lists.len(), NullPattern::Some, 8);
        (label, vec![outer, lists, text])
    };
    columns(types).into_iter().map(around).collect()
}

fn case(
    label: String,
    inputs: Vec<ArrayRef>,
    run: impl Fn(&Table) -> Result<Column> + Send + Sync + 'static,
    oracle: impl Fn(&[ArrayRef]) -> std::result::Result<Vec<ArrayRef>, String> + Send + Sync + 'static,
) -> Case {
    let waits = 16 + with_lists(&inputs, 2);
    let run = move |inputs: &[Column]| Ok(vec![run(&Table::try_new(inputs.to_vec())?)?]);
    Case::new(label, inputs, run, oracle, waits).with_slice_costs(SliceCosts::Own)
}

fn cases(
    tables: Vec<(String, Vec<ArrayRef>)>,
    expressions: &[Expr],
    run: fn(&Table, usize, &Expr) -> Result<Column>,
    oracle: fn(&[ArrayRef], usize, &Expr) -> std::result::Result<ArrayRef, String>,
) -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, inputs) in tables {
        for expression in expressions {
            let (own, expression) = (expression.clone(), expression.clone());
            cases.push(case(
                format!("{}/{label}", own.to_string().replace('*', "×")),
                inputs.clone(),
                move |table| run(table, LISTS, &own),
                move |inputs| Ok(vec![oracle(inputs, LISTS, &expression)?]),
            ));
        }
    }
    cases
}

fn refusals(run: fn(&Table, usize, &Expr) -> Result<Column>) -> Vec<Case> {
    let inputs = tables(&numbers()).swap_remove(0).1;
    let refused = |label: &str, column: usize, expression: Expr, right: fn(&Error) -> bool| {
        let run = move |inputs: &[Column]| Ok(vec![run(&Table::try_new(inputs.to_vec())?, column, &expression)?]);
        Case::refused(format!("refused {label}"), inputs.clone(), run, right)
    };
    vec![
        refused("number", 0, col(0).is_null(), |error| matches!(error, Error::Unsupported { .. })),
        refused("column", 9, col(0).is_null(), |error| matches!(error, Error::OutOfBounds { .. })),
        refused("position", LISTS, col(9).is_null(), |error| matches!(error, Error::OutOfBounds { .. })),
        refused("types", LISTS, col(LISTS) + col(2), |error| {
            matches!(error, Error::Unsupported { .. } | Error::TypeMismatch { .. })
        }),
    ]
}

fn transforms() -> Vec<Case> {
    let element = || col(LISTS);
    let of_numbers = [
        element() * col(0) + lit(1),
        element(),
        col(2),
        lit(7),
        coalesce([element(), col(0), lit(0)]),
        col(2).is_null(),
    ];
    let of_others = [element().is_null(), element(), col(0)];
    let run: fn(&Table, usize, &Expr) -> Result<Column> = |table, at, of| api::transform_elements(table, at, of);
    [
        cases(tables(&numbers()), &of_numbers, run, naive::transform_elements),
        cases(tables(&others()), &of_others, run, naive::transform_elements),
        refusals(run),
    ]
    .concat()
}

fn filters() -> Vec<Case> {
    let element = || col(LISTS);
    let of_numbers = [element().gt(col(0)), lit(true), col(2).starts_with("t").and(element().is_not_null())];
    let of_others = [element().is_not_null(), col(0).gt(0)];
    let run: fn(&Table, usize, &Expr) -> Result<Column> = |table, at, of| api::filter_elements(table, at, of);
    let no_mask = |inputs: &[Column]| {
        Ok(vec![api::filter_elements(&Table::try_new(inputs.to_vec())?, LISTS, &(col(LISTS) + lit(1)))?])
    };
    let inputs = tables(&numbers()).swap_remove(0).1;
    let no_mask = Case::refused("refused mask", inputs, no_mask, |error| matches!(error, Error::TypeMismatch { .. }));
    [
        cases(tables(&numbers()), &of_numbers, run, naive::filter_elements),
        cases(tables(&others()), &of_others, run, naive::filter_elements),
        refusals(run),
        vec![no_mask],
    ]
    .concat()
}

fn aggregates() -> Vec<Case> {
    let mut cases = Vec::new();
    let element = || col(LISTS);
    for (label, inputs) in tables(&numbers()) {
        for (of, expression) in [
            (Aggregation::Sum, element() + col(0)),
            (Aggregation::Max, coalesce([element(), col(0)])),
            (Aggregation::CountValid, element()),
            (Aggregation::Any, element().gt(col(0))),
        ] {
            for policy in [NullPolicy::Exclude, NullPolicy::Include] {
                let own = expression.clone();
                let expression = expression.clone();
                cases.push(case(
                    format!("{of:?} {own}/{label}/{policy:?}"),
                    inputs.clone(),
                    move |table| api::aggregate_elements(table, LISTS, &own, of, policy),
                    move |inputs| {
                        naive::aggregate_elements(inputs, LISTS, &expression, of, policy == NullPolicy::Include)
                    },
                ));
            }
        }
    }
    let run: fn(&Table, usize, &Expr) -> Result<Column> =
        |table, at, of| api::aggregate_elements(table, at, of, Aggregation::Sum, NullPolicy::Exclude);
    cases.extend(refusals(run));
    cases
}
