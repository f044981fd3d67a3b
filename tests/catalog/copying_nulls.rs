//! Entries of `copying` for the data below null rows, and for the gather without a bounds check.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::copying as api;
use gdf_api::scope::Scope;
use gdf_core::{Column, Result};

use super::copying::{gather, map};
use super::tables::{FEW, concatenate_waits, nested, scratch, shown, split, table, types};
use super::{Case, Entry};
use gdf_test::builders::bools;
use gdf_test::compare::Equality;
use gdf_test::data::{BRACKETS, NullPattern};

pub(super) fn entries() -> Vec<Entry> {
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
    columns
}

fn each(run: fn(&Column) -> Result<Column>, naive: fn(&[ArrayRef]) -> Result<Vec<ArrayRef>, String>) -> Vec<Case> {
    let case = |(label, column): (String, ArrayRef)| {
        let waits = concatenate_waits(std::slice::from_ref(&column));
        Case::new(label, vec![column], move |inputs| Ok(vec![run(&inputs[0])?]), naive, waits)
    };
    columns().into_iter().map(case).collect()
}

fn purges() -> Vec<Case> {
    each(|column| api::purge_nonempty_nulls(column), |inputs| Ok(inputs.to_vec()))
}

/// Builds cases that purge a column and then call `has_nonempty_nulls`.
fn questions() -> Vec<Case> {
    let run = |column: &Column| {
        let clean = scratch(column.device(), || api::purge_nonempty_nulls(column))?;
        shown(&[api::has_nonempty_nulls(&clean)?], column.device())
    };
    each(run, |_| Ok(vec![bools([Some(false)])]))
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
