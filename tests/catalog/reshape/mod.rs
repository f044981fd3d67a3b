//! Entries of `reshape`.

pub(super) mod pivot;

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::reshape::{self as api, ByteOrder};
use gdf_core::{Column, Error, Result};

use super::copying::rearrange::rearranged;
use super::shared::tables::{
    FEW, affine_waits, as_table, concatenate_waits, nested, own_parts, slice_costs, table, types,
};
use super::{Case, Entry, SliceCosts};
use crate::naive::reshape as naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("reshape.tile", Equality::Exact, tiles),
        Entry::new("reshape.interleave_columns", Equality::Exact, interleaved),
        Entry::new("reshape.transpose", Equality::Exact, transposed).slicing(),
        Entry::new("reshape.byte_cast", Equality::Exact, bytes).sharing_inputs(),
    ]
}

fn tiles() -> Vec<Case> {
    let mut cases = Vec::new();
    for count in [0, 1, 3] {
        cases.extend(rearranged(
            &format!("{count} times"),
            affine_waits,
            move |table| api::tile(table, count),
            move |rows| (0..count).flat_map(|_| 0..rows).collect(),
        ));
    }
    cases
}

/// Returns tables.
fn same_types(lengths: &[usize]) -> Vec<(String, Vec<ArrayRef>)> {
    use NullPattern::{None as Plain, Some as Nulls};
    let shared = |data_type: &DataType| {
        matches!(data_type, DataType::Dictionary(..) | DataType::Utf8View | DataType::BinaryView)
    };
    let mut tables = Vec::new();
    for (data_type, seed) in
        types().into_iter().filter(|data_type| !shared(data_type)).chain([nested()]).chain(own_parts()).zip(0..)
    {
        for nulls in [Plain, Nulls] {
            tables.push((format!("{data_type}/57/{nulls:?}"), table(&vec![data_type.clone(); 3], 57, nulls, seed)));
        }
    }
    for (&rows, seed) in lengths.iter().zip(1..) {
        for data_type in &FEW {
            let columns = [2, 1, 5][seed as usize % 3];
            tables.push((format!("{data_type}/{rows}"), table(&vec![data_type.clone(); columns], rows, Nulls, seed)));
        }
    }
    tables.push(("40 columns".to_owned(), table(&vec![DataType::Int16; 40], 70, Nulls, 3)));
    tables
}

/// Returns the number of words that the operation copies to the host for columns of lists.
fn list_bounds(columns: &[ArrayRef]) -> usize {
    if slice_costs(columns) == SliceCosts::Own { 4 * columns.len() } else { 0 }
}

fn waits(columns: &[ArrayRef]) -> u64 {
    concatenate_waits(&columns[..1]) + affine_waits(&columns[..1])
}

fn case(
    label: String,
    columns: Vec<ArrayRef>,
    run: fn(&[Column]) -> Result<Vec<Column>>,
    oracle: fn(&[ArrayRef]) -> std::result::Result<Vec<ArrayRef>, String>,
) -> Case {
    let (waits, slices, words) = (waits(&columns), slice_costs(&columns), list_bounds(&columns));
    Case::new(label, columns, run, oracle, waits).with_slice_costs(slices).with_host_values(words)
}

fn interleaved() -> Vec<Case> {
    let run = |inputs: &[Column]| Ok(vec![api::interleave_columns(&as_table(inputs)?)?]);
    let interleave = |(label, columns)| case(label, columns, run, naive::interleave_columns);
    let mut cases: Vec<_> = same_types(BRACKETS).into_iter().map(interleave).collect();
    let types = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    cases.push(Case::refused("two types", table(&FEW, 9, NullPattern::None, 1), run, types));
    let none = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    cases.push(Case::refused("no columns", Vec::new(), run, none));
    cases
}

fn transposed() -> Vec<Case> {
    let run = |inputs: &[Column]| Ok(api::transpose(&as_table(inputs)?)?.into_columns());
    let transpose = |(label, columns)| case(label, columns, run, naive::transpose);
    same_types(&[0, 1, 33, 70]).into_iter().map(transpose).collect()
}

fn bytes() -> Vec<Case> {
    let mut cases = Vec::new();
    let run = |order: ByteOrder| move |inputs: &[Column]| Ok(vec![api::byte_cast(&inputs[0], order)?]);
    let numbers = [data::numeric(), data::decimal(), data::temporal(), data::strings()].concat();
    let mut add = |label: String, column: ArrayRef| {
        for (order, reversed) in [(ByteOrder::LittleEndian, false), (ByteOrder::BigEndian, true)] {
            let oracle = move |inputs: &[ArrayRef]| naive::byte_cast(&inputs[0], reversed);
            cases.push(Case::new(format!("{label}/{order:?}"), vec![column.clone()], run(order), oracle, 1));
        }
    };
    for (data_type, seed) in numbers.iter().zip(0..) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            add(format!("{data_type}/{nulls:?}"), random_array(data_type, 70, nulls, seed));
        }
    }
    for &rows in BRACKETS {
        let nulls = NullPattern::ALL[rows % NullPattern::ALL.len()];
        add(format!("Int32/{rows}/{nulls:?}"), random_array(&DataType::Int32, rows, nulls, 5));
    }
    for data_type in data::all() {
        if !numbers.contains(&data_type) && !matches!(data_type, DataType::Interval(_)) {
            let column = vec![random_array(&data_type, 9, NullPattern::None, 1)];
            let right = |error: &Error| matches!(error, Error::Unsupported { .. });
            cases.push(Case::refused(format!("{data_type}"), column, run(ByteOrder::BigEndian), right));
        }
    }
    cases
}
