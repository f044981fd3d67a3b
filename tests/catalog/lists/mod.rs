//! Entries of `lists`.

pub(super) mod elements;
pub(super) mod expression;
pub(super) mod reduce;
pub(super) mod sort;

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::lists as api;
use gdf_core::{Column, Error, Result, Table};
use gdf_external::bounds::{self, Shape};

use super::shared::tables::{composite_types, list_types, table, with_lists};
use super::{Case, Entry, SliceCosts};
use crate::naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("lists.explode", Equality::Exact, || explodes(false, false)).sharing_inputs(),
        Entry::new("lists.explode_outer", Equality::Exact, || explodes(true, false)),
        Entry::new("lists.explode_outer_position", Equality::Exact, || explodes(true, true)),
        Entry::new("lists.explode_position", Equality::Exact, || explodes(false, true)).sharing_inputs(),
    ]
}

fn run(inputs: &[Column], at: usize, (outer, position): (bool, bool)) -> Result<Vec<Column>> {
    let table = &Table::try_new(inputs.to_vec())?;
    let rows = match (outer, position) {
        (false, false) => api::explode(table, at),
        (true, false) => api::explode_outer(table, at),
        (false, true) => api::explode_position(table, at),
        (true, true) => api::explode_outer_position(table, at),
    };
    Ok(rows?.into_columns())
}

fn case(label: String, columns: Vec<ArrayRef>, at: usize, how: (bool, bool)) -> Case {
    let waits = with_lists(&columns, 2);
    let oracle = move |inputs: &[ArrayRef]| naive::lists::explode(inputs, at, how.0, how.1);
    let case =
        Case::new(label, columns, move |inputs| run(inputs, at, how), oracle, waits).with_slice_costs(SliceCosts::Own);
    match how {
        (_, true) => case,
        (_, false) => case.with_bound(move |inputs| {
            let elements = inputs[at].children().first().map(Shape::of_column).unwrap_or_default();
            let others = inputs.iter().enumerate().filter(|(column, _)| *column != at).map(|(_, column)| column);
            let others = others.map(Shape::of_column).fold(Shape::of_rows(inputs[at].len()), Shape::beside);
            bounds::explode(&others, &elements)
        }),
    }
}

fn explodes(outer: bool, position: bool) -> Vec<Case> {
    let how = (outer, position);
    let lists = |data_type: &DataType| !matches!(data_type, DataType::Struct(_));
    let mut cases = Vec::new();
    for (data_type, seed) in list_types().into_iter().filter(lists).zip(0..) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            for rows in [0, 1, 65, 400] {
                let types = [DataType::Int32, data_type.clone(), DataType::Utf8];
                cases.push(case(format!("{data_type}/{rows}/{nulls:?}"), table(&types, rows, nulls, seed), 1, how));
            }
        }
    }
    let numbers = data::nested().swap_remove(0);
    for (&rows, seed) in SMALL_BRACKETS.iter().zip(20..) {
        for nulls in [NullPattern::None, NullPattern::Every(3), NullPattern::All] {
            let columns = vec![random_array(&numbers, rows, nulls, seed)];
            cases.push(case(format!("alone/{rows}/{nulls:?}"), columns, 0, how));
        }
    }
    // The table has list columns beside the column that is exploded.
    for (nulls, seed) in [(NullPattern::None, 30), (NullPattern::Some, 31)] {
        let columns = table(&[list_types(), composite_types()].concat(), 130, nulls, seed);
        cases.push(case(format!("all/130/{nulls:?}"), columns, 0, how));
    }
    let refused = |label: &str, data_type: &DataType, at, right: fn(&Error) -> bool| {
        let inputs = vec![random_array(data_type, 3, NullPattern::None, 1)];
        Case::refused(format!("refused {label}"), inputs, move |inputs| run(inputs, at, how), right)
    };
    cases.push(refused("number", &DataType::Int8, 0, |error| matches!(error, Error::Unsupported { .. })));
    cases.push(refused("column", &numbers, 1, |error| matches!(error, Error::OutOfBounds { .. })));
    cases
}
