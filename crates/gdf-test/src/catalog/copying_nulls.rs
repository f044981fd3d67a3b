//! Entries of `copying`: what null rows hide, and the form of gather that trusts its map.

use arrow_array::{ArrayRef, BooleanArray};
use arrow_schema::DataType;
use gdf_detail::Ctx;
use gdf_core::{Column, Result};

use super::copying::map;
use super::tables::{FEW, concatenate_waits, nested, split, table, types};
use super::{Case, Entry};
use crate::compare::Equality;
use crate::data::{BRACKETS, NullPattern};
use crate::naive;

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("copying.purge_nonempty_nulls", Equality::Exact, purges),
        Entry::new("copying.has_nonempty_nulls", Equality::Exact, questions),
        Entry::new("copying.gather_unchecked", Equality::Exact, trusted_maps),
    ]
}

/// Columns of every type that moves, some of which hide something once they are soiled.
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

fn purges() -> Vec<Case> {
    let case = |(label, column): (String, ArrayRef)| {
        let waits = concatenate_waits(std::slice::from_ref(&column));
        let run = |inputs: &[Column], ctx: Ctx<'_>| {
            Ok(vec![gdf_detail::copying::purge_nonempty_nulls(inputs[0].view(), ctx)?])
        };
        Case::new(label, vec![column], run, |inputs| Ok(inputs.to_vec()), waits)
            .with_api(|inputs| Ok(vec![gdf_api::copying::purge_nonempty_nulls(&inputs[0])?]))
    };
    columns().into_iter().map(case).collect()
}

/// Of a purged column the answer is no, and free.
fn questions() -> Vec<Case> {
    let case = |(label, column): (String, ArrayRef)| {
        let waits = concatenate_waits(std::slice::from_ref(&column));
        let run = |inputs: &[Column], ctx: Ctx<'_>| {
            let clean = gdf_detail::copying::purge_nonempty_nulls(inputs[0].view(), ctx.scratch())?;
            let answer = gdf_detail::copying::has_nonempty_nulls(clean.view(), ctx)?;
            Ok(vec![Column::from_slice_on(&[answer], ctx.stream, ctx.mr.output)?])
        };
        let naive = |_: &[ArrayRef]| Ok(vec![std::sync::Arc::new(BooleanArray::from(vec![false])) as ArrayRef]);
        Case::new(label, vec![column], run, naive, waits)
    };
    columns().into_iter().map(case).collect()
}

fn run_trusted(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
    let (table, map) = split(inputs)?;
    // SAFETY: the maps of the cases are made of rows of their tables.
    Ok(unsafe { gdf_api::copying::gather_unchecked(table.view(), map.view(), ctx)? }.into_columns())
}

fn trusted_maps() -> Vec<Case> {
    let mut cases = Vec::new();
    for (&len, seed) in BRACKETS.iter().zip(0..) {
        for (nulls, map_nulls) in [(NullPattern::None, NullPattern::Some), (NullPattern::Some, NullPattern::None)] {
            let map = map(&DataType::Int32, len, 500, 0, map_nulls, seed);
            let mut inputs = table(&FEW[..5], 500, nulls, seed);
            inputs.push(map);
            let naive = |inputs: &[ArrayRef]| {
                let (map, columns) = inputs.split_last().ok_or("a map")?;
                naive::copying::gather(columns, map)
            };
            cases.push(Case::new(format!("numbers/{len}/{nulls:?}"), inputs, run_trusted, naive, 0));
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use crate::runner::{RunnerOptions, run_entry};

    #[test]
    fn passes_on_the_cpu() {
        for entry in super::entries() {
            run_entry(&entry, gdf_driver::Device::Cpu, &RunnerOptions::default()).assert_passed();
        }
    }
}
