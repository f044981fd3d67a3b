//! Entries of `copying` for the data below null rows, and for the gather without a bounds check.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use gdf_api::copying as api;
use gdf_api::scope::Scope;
use gdf_core::{Column, Error, Result};

use super::{gather, map};
use crate::catalog::shared::tables::{
    FEW, affine_waits, concatenate_waits, list_types, nested, scratch, shown, split, table, types,
};
use crate::catalog::{Case, Entry, SliceCosts};
use gdf_test::builders::bools;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("copying.purge_nonempty_nulls", Equality::Exact, purges),
        Entry::new("copying.has_nonempty_nulls", Equality::Exact, questions),
        Entry::new("copying.gather_unchecked", Equality::Exact, trusted_maps),
    ]
}

/// Returns columns of every type whose rows can be moved.
fn columns() -> Vec<(String, ArrayRef)> {
    let mut columns = Vec::new();
    for (&rows, seed) in BRACKETS.iter().zip(1..) {
        let text = table(&[DataType::Utf8], rows, NullPattern::Some, seed).remove(0);
        columns.push((format!("Utf8/{rows}"), text));
    }
    for (data_type, seed) in types().into_iter().chain([nested()]).zip(100..) {
        for nulls in [NullPattern::None, NullPattern::Some, NullPattern::All] {
            let column = table(std::slice::from_ref(&data_type), 77, nulls, seed).remove(0);
            columns.push((format!("{data_type}/{nulls:?}"), column));
        }
    }
    for (data_type, seed) in list_types().into_iter().zip(300..) {
        for nulls in [NullPattern::None, NullPattern::Some, NullPattern::All] {
            columns.push((format!("lists {data_type}/{nulls:?}"), random_array(&data_type, 77, nulls, seed)));
        }
    }
    columns
}

/// Returns the number of levels of a type that are lists of a fixed size.
fn fixed_size_lists(data_type: &DataType) -> u64 {
    match data_type {
        DataType::FixedSizeList(field, _) => 1 + fixed_size_lists(field.data_type()),
        DataType::List(field) | DataType::LargeList(field) | DataType::Map(field, _) => {
            fixed_size_lists(field.data_type())
        }
        DataType::Struct(fields) => fields.iter().map(|field| fixed_size_lists(field.data_type())).sum(),
        _ => 0,
    }
}

/// Builds a case for each column. A case allows `of_levels` more waits for each level of fixed-size lists in the type
/// of its column.
fn each(
    run: fn(&Column) -> Result<Column>,
    naive: fn(&[ArrayRef]) -> Result<Vec<ArrayRef>, String>,
    of_levels: u64,
) -> Vec<Case> {
    let case = |(label, column): (String, ArrayRef)| {
        let levels = fixed_size_lists(column.data_type());
        let (columns, is_list) = (vec![column], label.starts_with("lists"));
        let waits = if is_list { affine_waits(&columns) } else { concatenate_waits(&columns) };
        // The elements of null lists are replaced by nulls between two copies.
        let waits = if levels > 0 { 2 * waits + of_levels * levels } else { waits };
        let slices = if is_list { SliceCosts::Own } else { SliceCosts::Same };
        Case::new(label, columns, move |inputs| Ok(vec![run(&inputs[0])?]), naive, waits).with_slice_costs(slices)
    };
    columns().into_iter().map(case).collect()
}

fn purges() -> Vec<Case> {
    let mut cases = each(|column| api::purge_nonempty_nulls(column), |inputs| Ok(inputs.to_vec()), 1);
    let item = |data_type| Field::new("item", data_type, true).into();
    for data_type in [data::views().remove(2), DataType::List(item(data::unions().remove(0)))] {
        let column = random_array(&data_type, 5, NullPattern::None, 1);
        let run = |inputs: &[Column]| Ok(vec![api::purge_nonempty_nulls(&inputs[0])?]);
        let refused = |error: &Error| matches!(error, Error::Unsupported { operation: "purge_nonempty_nulls", .. });
        cases.push(Case::refused(format!("refused/{data_type}"), vec![column], run, refused));
    }
    cases
}

/// Builds cases that purge a column and then call `has_nonempty_nulls`.
fn questions() -> Vec<Case> {
    let run = |column: &Column| {
        let clean = scratch(column.device(), || api::purge_nonempty_nulls(column))?;
        shown(&[api::has_nonempty_nulls(&clean)?], column.device())
    };
    each(run, |_| Ok(vec![bools([Some(false)])]), 4)
}

fn run_trusted(inputs: &[Column]) -> Result<Vec<Column>> {
    let (table, map) = split(inputs)?;
    let scope = Scope::on("gather_unchecked", map.device())?;
    // SAFETY: each map of the cases contains only row numbers of its table, so all rows are within bounds.
    Ok(unsafe { api::gather_unchecked(table.view(), map.view(), scope.ctx())? }.into_columns())
}

fn trusted_maps() -> Vec<Case> {
    let mut cases = Vec::new();
    for (&len, seed) in BRACKETS.iter().zip(0..) {
        for (nulls, map_nulls) in [(NullPattern::None, NullPattern::Some), (NullPattern::Some, NullPattern::None)] {
            let map = map(&DataType::Int32, len, 500, 0, map_nulls, seed);
            let mut inputs = table(&FEW[..5], 500, nulls, seed);
            inputs.push(map);
            cases.push(Case::new(format!("numbers/{len}/{nulls:?}"), inputs, run_trusted, gather, 0));
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use gdf_test::runner::{RunnerOptions, run_entry};

    #[test]
    fn passes_on_the_cpu() {
        for entry in super::entries() {
            run_entry(&entry, gdf_driver::Device::Cpu, &RunnerOptions::default()).assert_passed();
        }
    }
}
