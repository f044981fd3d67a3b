//! Entries of `concatenate`. If only one input has rows, the result shares the memory of that input.

use std::ops::Range;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use gdf_api::concatenate as api;
use gdf_core::{Column, Result, Table};
use gdf_external::bounds::{self, Shape};

use super::copying::overflow;
use super::shared::tables::{
    FEW, concatenate_waits, nested, own_parts, shape_of, shared_parts, slice_costs, table, types,
};
use super::{Case, Entry};
use crate::naive::concatenate as naive;
use gdf_test::builders::strings;
use gdf_test::compare::Equality;
use gdf_test::data::{BRACKETS, NullPattern};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("concatenate.concatenate", Equality::Exact, tables),
        // The operation concatenates the elements of list views into new memory. Several lists of the result may share
        // these elements.
        Entry::new("concatenate.concatenate", Equality::Exact, shared_tables).sharing_inputs().guessing(),
        Entry::new("concatenate.concatenate_columns", Equality::Exact, columns),
    ]
}

/// Builds a case that concatenates several tables of `columns` columns each.
fn case(label: impl Into<String>, pieces: Vec<ArrayRef>, columns: usize) -> Case {
    case_by(label, pieces, columns, move |inputs| {
        let tables = inputs.chunks(columns.max(1)).map(|table| Table::try_new(table.to_vec()));
        let tables = tables.collect::<Result<Vec<_>>>()?;
        let views: Vec<_> = tables.iter().map(Table::view).collect();
        Ok(api::concatenate(&views)?.into_columns())
    })
}

fn case_by(
    label: impl Into<String>,
    pieces: Vec<ArrayRef>,
    columns: usize,
    run: impl Fn(&[Column]) -> Result<Vec<Column>> + Send + Sync + 'static,
) -> Case {
    let first = &pieces[..columns.min(pieces.len())];
    let tables = pieces.len() / columns.max(1);
    let of_views: usize = first.iter().map(|column| views_of_fields(column.data_type())).sum();
    let (waits, slices) = (concatenate_waits(first) + (of_views * tables) as u64, slice_costs(first));
    let oracle = move |inputs: &[ArrayRef]| naive::concatenate(inputs, columns);
    Case::new(label, pieces, run, oracle, waits)
        .with_bound(move |inputs| {
            let tables = inputs.chunks(columns.max(1)).map(shape_of);
            bounds::concatenate(&tables.reduce(Shape::above).unwrap_or_default())
        })
        .with_slice_costs(slices)
}

/// Returns the number of views among the fields of a struct, at any depth. Views into different buffers are cast, which
/// waits for each table.
fn views_of_fields(data_type: &DataType) -> usize {
    let DataType::Struct(fields) = data_type else { return 0 };
    let of = |field: &std::sync::Arc<Field>| match field.data_type() {
        DataType::Utf8View | DataType::BinaryView => 1,
        other => views_of_fields(other),
    };
    fields.iter().map(of).sum()
}

/// Returns the columns of several tables of these types.
fn pieces(types: &[DataType], lengths: &[usize], nulls: NullPattern, seed: u64) -> Vec<ArrayRef> {
    lengths.iter().zip(seed..).flat_map(|(&rows, seed)| table(types, rows, nulls, seed * 64)).collect()
}

/// Builds a case that concatenates slices of one column.
fn slices(label: &str, column: ArrayRef, ranges: Vec<Range<usize>>) -> Case {
    let of_column = ranges.clone();
    let waits = concatenate_waits(std::slice::from_ref(&column));
    Case::new(
        format!("{label} of {}", column.data_type()),
        vec![column],
        move |inputs| {
            let slice = |range: &Range<usize>| inputs[0].view().slice(range.start, range.len());
            let views = ranges.iter().map(slice).collect::<Result<Vec<_>>>()?;
            Ok(vec![api::concatenate_columns(&views)?])
        },
        move |inputs| {
            let slices: Vec<_> = of_column.iter().map(|range| inputs[0].slice(range.start, range.len())).collect();
            Ok(vec![naive::concatenate_columns(&slices)?])
        },
        waits,
    )
}

fn tables() -> Vec<Case> {
    use NullPattern::{All, None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    for (&rows, seed) in BRACKETS.iter().zip(1..) {
        for nulls in [Plain, Nulls, All] {
            let lengths: &[usize] = if rows == 0 { &[0, 0] } else { &[rows, 0, 37, rows / 2 + 1] };
            let own = pieces(&FEW, lengths, nulls, seed);
            cases.push(case(format!("table/{rows}/{nulls:?}"), own, FEW.len()));
        }
    }
    // Only one of the pieces has a mask.
    let mut mixed = pieces(&FEW, &[45], Plain, 70);
    mixed.extend(pieces(&FEW, &[50], Nulls, 71));
    mixed.extend(pieces(&FEW, &[64], Plain, 72));
    cases.push(case("table/mixed", mixed, FEW.len()));
    let with_null_column = [DataType::Null, DataType::Int64];
    cases.push(case("null column", pieces(&with_null_column, &[40, 41], Nulls, 73), 2));
    for (nulls, seed) in [(Plain, 80), (Nulls, 81)] {
        cases.push(case(format!("struct/{nulls:?}"), pieces(&[nested()], &[70, 65, 200], nulls, seed), 1));
        // There are more pieces than the number up to which the kernels sum up the sizes themselves. Many pieces lie
        // within one mask word of the result.
        let many: Vec<usize> = (0..40).map(|i| i % 7 + 1).collect();
        cases.push(case(format!("40 tables/{nulls:?}"), pieces(&FEW, &many, nulls, seed), FEW.len()));
        for (data_type, seed) in own_parts().into_iter().zip(60..) {
            let own = pieces(&[data_type.clone(), DataType::Int8], &[70, 0, 1, 65], nulls, seed);
            cases.push(case(format!("{data_type}/{nulls:?}"), own, 2));
        }
        // There are more columns than one launch takes.
        let wide = vec![DataType::Int16; 40];
        cases.push(case(format!("40 columns/{nulls:?}"), pieces(&wide, &[33, 70], nulls, seed), 40));
    }
    cases
}

/// Returns a struct whose fields are a dictionary, and a struct of views and a list.
fn encoded_fields() -> DataType {
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let list = DataType::List(field("item", DataType::Int16).into());
    let inner = vec![field("views", DataType::Utf8View), field("list", list), field("bytes", DataType::BinaryView)];
    let codes = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let fields = vec![field("codes", codes), field("inner", DataType::Struct(inner.into()))];
    DataType::Struct(fields.into())
}

fn shared_tables() -> Vec<Case> {
    let mut cases = Vec::new();
    for (data_type, seed) in shared_parts().into_iter().chain([encoded_fields()]).zip(60..) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let own = pieces(&[data_type.clone(), DataType::Int8], &[70, 0, 1, 65], nulls, seed);
            cases.push(case(format!("shared {data_type}/{nulls:?}"), own, 2));
            // The pieces share the values, which are not concatenated.
            let column = table(std::slice::from_ref(&data_type), 150, nulls, seed).remove(0);
            cases.push(slices(&format!("slices {nulls:?}"), column, vec![3..80, 0..150, 149..150]));
        }
    }
    cases
}

fn columns() -> Vec<Case> {
    use NullPattern::{None as Plain, Some as Nulls};
    let shared = |data_type: &DataType| {
        matches!(data_type, DataType::Dictionary(..) | DataType::Utf8View | DataType::BinaryView)
    };
    let mut cases = Vec::new();
    for (data_type, seed) in types().into_iter().zip(100..) {
        for nulls in [Plain, Nulls] {
            let own = [data_type.clone()];
            if shared(&data_type) {
                let column = table(&own, 150, nulls, seed).remove(0);
                cases.push(slices(&format!("slices {nulls:?}"), column, vec![3..80, 0..150, 149..150]));
                continue;
            }
            let own = pieces(&own, &[71, 33, 64], nulls, seed);
            cases.push(case_by(format!("{data_type}/{nulls:?}"), own, 1, |inputs| {
                let views: Vec<_> = inputs.iter().map(Column::view).collect();
                Ok(vec![api::concatenate_columns(&views)?])
            }));
        }
    }
    // The first slices have so many bytes that the operation measures their text.
    let text = "forty bytes of text, not one more or less";
    let long = strings((0..30_000).map(|row| Some(&text[row % 7..])));
    let ranges = || vec![5..40, 100..20_000, 0..1];
    cases.push(slices("long slices", long.clone(), ranges()));
    cases.push(slices("short slices", long.slice(0, 3_000), vec![5..40, 100..2_000, 0..1]));
    cases.extend(overflow::concatenations());
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
