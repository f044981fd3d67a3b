//! Entries of `reshape`.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_core::{Column, Error, Result};
use gdf_detail::Ctx;
use gdf_detail::reshape::{self as detail, ByteOrder};

use super::rearrange::{as_table, by_rows};
use super::tables::{FEW, affine_waits, concatenate_waits, list_types, nested, slice_costs, table, types};
use super::{Case, Entry, SliceCosts};
use crate::compare::Equality;
use crate::data::{self, BRACKETS, NullPattern};
use crate::naive::reshape as naive;

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("reshape.tile", Equality::Exact, tiles),
        Entry::new("reshape.interleave_columns", Equality::Exact, interleaved),
        Entry::new("reshape.transpose", Equality::Exact, transposed).sharing_inputs(),
        Entry::new("reshape.byte_cast", Equality::Exact, bytes).sharing_inputs(),
    ]
}

fn tiles() -> Vec<Case> {
    let mut cases = Vec::new();
    for count in [0, 1, 3] {
        cases.extend(by_rows(
            &format!("{count} times"),
            affine_waits,
            move |table, ctx| detail::tile(table, count, ctx),
            move |table| gdf_api::reshape::tile(table, count),
            move |rows| (0..count).flat_map(|_| 0..rows).collect(),
        ));
    }
    cases
}

/// Columns of one type: some, one, and more than fit a launch.
fn same_types(lengths: &[usize]) -> Vec<(String, Vec<ArrayRef>)> {
    use NullPattern::{None as Plain, Some as Nulls};
    let shared = |data_type: &DataType| {
        matches!(data_type, DataType::Dictionary(..) | DataType::Utf8View | DataType::BinaryView)
    };
    let mut tables = Vec::new();
    for (data_type, seed) in types().into_iter().filter(|data_type| !shared(data_type)).chain([nested()]).chain(list_types()).zip(0..) {
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

/// Words that come to the host of lists in lists: where the elements of each column begin and end, at both levels.
fn list_bounds(columns: &[ArrayRef]) -> usize {
    if slice_costs(columns) == SliceCosts::Own { 4 * columns.len() } else { 0 }
}

fn waits(columns: &[ArrayRef]) -> u64 {
    concatenate_waits(&columns[..1]) + affine_waits(&columns[..1])
}

fn interleaved() -> Vec<Case> {
    let case = |(label, columns): (String, Vec<ArrayRef>)| {
        let (waits, slices) = (waits(&columns), slice_costs(&columns));
        let words = list_bounds(&columns);
        let run = |inputs: &[Column], ctx: Ctx<'_>| Ok(vec![detail::interleave_columns(as_table(inputs)?.view(), ctx)?]);
        let case = Case::new(label, columns, run, naive::interleave_columns, waits).with_slice_costs(slices).with_host_values(words);
        case.with_api(|inputs| Ok(vec![gdf_api::reshape::interleave_columns(&as_table(inputs)?)?]))
    };
    let mut cases: Vec<_> = same_types(BRACKETS).into_iter().map(case).collect();
    let run = |inputs: &[Column], ctx: Ctx<'_>| Ok(vec![detail::interleave_columns(as_table(inputs)?.view(), ctx)?]);
    let types = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    cases.push(Case::refused("two types", table(&FEW, 9, NullPattern::None, 1), run, types));
    let none = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    cases.push(Case::refused("no columns", Vec::new(), run, none));
    cases
}

fn transposed() -> Vec<Case> {
    let case = |(label, columns): (String, Vec<ArrayRef>)| {
        let (waits, slices) = (waits(&columns), slice_costs(&columns));
        let words = list_bounds(&columns);
        let run = |inputs: &[Column], ctx: Ctx<'_>| Ok(detail::transpose(as_table(inputs)?.view(), ctx)?.into_columns());
        let case = Case::new(label, columns, run, naive::transpose, waits).with_slice_costs(slices).with_host_values(words);
        case.with_api(|inputs| Ok(gdf_api::reshape::transpose(&as_table(inputs)?)?.into_columns()))
    };
    same_types(&[0, 1, 33, 70]).into_iter().map(case).collect()
}

fn bytes() -> Vec<Case> {
    let mut cases = Vec::new();
    let run = |order: ByteOrder| {
        move |inputs: &[Column], ctx: Ctx<'_>| -> Result<Vec<Column>> {
            Ok(vec![detail::byte_cast(inputs[0].view(), order, ctx)?])
        }
    };
    let numbers = [data::numeric(), data::decimal(), data::temporal(), data::strings()].concat();
    let mut add = |label: String, column: ArrayRef| {
        for (order, reversed) in [(ByteOrder::LittleEndian, false), (ByteOrder::BigEndian, true)] {
            let oracle = move |inputs: &[ArrayRef]| naive::byte_cast(&inputs[0], reversed);
            let case = Case::new(format!("{label}/{order:?}"), vec![column.clone()], run(order), oracle, 1);
            cases.push(case.with_api(move |inputs| Ok(vec![gdf_api::reshape::byte_cast(&inputs[0], order)?])));
        }
    };
    for (data_type, seed) in numbers.iter().zip(0..) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            add(format!("{data_type}/{nulls:?}"), table(std::slice::from_ref(data_type), 70, nulls, seed).remove(0));
        }
    }
    for &rows in BRACKETS {
        let nulls = NullPattern::ALL[rows % NullPattern::ALL.len()];
        add(format!("Int32/{rows}/{nulls:?}"), table(&[DataType::Int32], rows, nulls, 5).remove(0));
    }
    for data_type in data::all() {
        if !numbers.contains(&data_type) && !matches!(data_type, DataType::Interval(_)) {
            let column = table(std::slice::from_ref(&data_type), 9, NullPattern::None, 1);
            let right = |error: &Error| matches!(error, Error::Unsupported { .. });
            cases.push(Case::refused(format!("{data_type}"), column, run(ByteOrder::BigEndian), right));
        }
    }
    cases
}
