//! Entries of `contiguous_split`. Unpacking must restore the packed data.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::contiguous_split::{self as api, PackedTable};
use gdf_api::scope::Scope;
use gdf_core::{Column, Error, Result, Table};
use gdf_driver::Device;
use gdf_memory::Buffer;

use super::copying::rearrange::as_table;
use super::shared::tables::{scratch, shown, table};
use super::{Case, Entry, SliceCosts};
use crate::naive::copying as naive;
use gdf_test::builders::bools;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("contiguous_split.contiguous_split", Equality::Exact, splits).slicing().launching_nothing(),
        Entry::new("contiguous_split.pack", Equality::Exact, packs).slicing().launching_nothing(),
        Entry::new("contiguous_split.unpack", Equality::Exact, unpacked).slicing().launching_nothing(),
        Entry::new("contiguous_split.packed_size", Equality::Exact, sizes).launching_nothing(),
        Entry::new("contiguous_split.chunked_pack", Equality::Exact, chunks).slicing().launching_nothing(),
    ]
}

const LEVELS: u64 = 3;

/// Returns tables of every type, and tables of one type per strategy with every length.
fn tables() -> Vec<(String, Vec<ArrayRef>)> {
    use NullPattern::{None as Plain, Some as Nulls};
    let few = [DataType::Boolean, DataType::Int64, DataType::FixedSizeBinary(5), DataType::Utf8];
    let mut tables = Vec::new();
    for (data_type, seed) in data::all().into_iter().zip(0..) {
        for nulls in [Plain, Nulls] {
            tables.push((format!("{data_type}/157/{nulls:?}"), vec![random_array(&data_type, 157, nulls, seed)]));
        }
    }
    for (&rows, seed) in BRACKETS.iter().zip(1..) {
        let nulls = NullPattern::ALL[seed as usize % NullPattern::ALL.len()];
        tables.push((format!("table/{rows}/{nulls:?}"), table(&few, rows, nulls, seed)));
    }
    tables
}

fn columns(parts: &[PackedTable]) -> Result<Vec<Column>> {
    let columns = parts.iter().map(|part| Ok(part.unpack()?.into_columns())).collect::<Result<Vec<_>>>()?;
    Ok(columns.concat())
}

fn splits_of(rows: usize) -> Vec<usize> {
    vec![rows / 5, rows / 5, rows / 3, rows - rows / 7]
}

fn splits() -> Vec<Case> {
    let case = |(label, table): (String, Vec<ArrayRef>)| {
        let splits = splits_of(table.first().map_or(0, |column| column.len()));
        let own = splits.clone();
        let run = move |inputs: &[Column]| columns(&api::contiguous_split(&as_table(inputs)?, &splits)?);
        let oracle = move |inputs: &[ArrayRef]| {
            let rows = inputs.first().map_or(0, |column| column.len());
            let bounds: Vec<_> = [0].into_iter().chain(own.iter().flat_map(|&at| [at, at])).chain([rows]).collect();
            naive::slice(inputs, &bounds)
        };
        Case::new(label, table, run, oracle, LEVELS).with_slice_costs(SliceCosts::Own)
    };
    let mut cases: Vec<_> = tables().into_iter().map(case).collect();
    let run = |inputs: &[Column]| columns(&api::contiguous_split(&as_table(inputs)?, &[2, 10])?);
    let numbers = table(&[DataType::Int32], 9, NullPattern::None, 1);
    cases.push(Case::refused("no such row", numbers, run, |error| matches!(error, Error::OutOfBounds { .. })));
    cases
}

fn same(inputs: &[ArrayRef]) -> std::result::Result<Vec<ArrayRef>, String> {
    naive::slice(inputs, &[0, inputs.first().map_or(0, |column| column.len())])
}

fn packs() -> Vec<Case> {
    let run = |inputs: &[Column]| columns(&[api::pack(&as_table(inputs)?)?]);
    tables().into_iter().map(|(label, table)| Case::new(label, table, run, same, LEVELS)).collect()
}

fn unpacked() -> Vec<Case> {
    let run = |inputs: &[Column]| {
        let packed = api::pack(&as_table(inputs)?)?;
        Ok(api::unpack(&packed.metadata()?, packed.data())?.into_columns())
    };
    let case = |(label, table)| Case::new(label, table, run, same, LEVELS);
    let mut cases: Vec<_> = tables().into_iter().map(case).collect();
    let run = |inputs: &[Column]| {
        let packed = scratch(inputs[0].device(), || api::pack(&as_table(inputs)?))?;
        Ok(api::unpack(&packed.metadata()?, &packed.data().slice(0, 64)?)?.into_columns())
    };
    let numbers = table(&[DataType::Int32], 90, NullPattern::None, 1);
    cases.push(Case::refused("too few data", numbers, run, |error| matches!(error, Error::BufferTooSmall { .. })));
    cases
}

fn sizes() -> Vec<Case> {
    let run = |inputs: &[Column]| {
        let (table, device) = (as_table(inputs)?, inputs[0].device());
        let packed = scratch(device, || api::pack(&table))?;
        Ok(vec![shown(&[api::packed_size(&table)? == packed.data().len()], device)?])
    };
    let oracle = |_: &[ArrayRef]| Ok(vec![bools([Some(true)])]);
    tables().into_iter().map(|(label, table)| Case::new(label, table, run, oracle, 2 * LEVELS)).collect()
}

/// Packs the table in chunks, joins the bytes of all chunks, and returns the columns that `unpack` makes from these
/// bytes.
fn unchunked(table: &Table) -> Result<Vec<Column>> {
    let scope = scope_of(table)?;
    let mut packed = api::chunked_pack(table)?;
    let mut chunk = Buffer::uninitialized((1 << 20) + 100, scope.stream(), scope.resources().temporary)?;
    let mut data = Vec::new();
    while packed.has_next() {
        let bytes = packed.next_chunk(&mut chunk)?;
        data.extend_from_slice(&chunk.to_host(scope.stream())?[..bytes]);
    }
    if data.len() != packed.total_size() {
        return Err(Error::length_mismatch(packed.total_size(), data.len()));
    }
    let data = Buffer::from_host(&data, scope.stream(), scope.resources().output)?;
    Ok(api::unpack(&packed.metadata()?, &data)?.into_columns())
}

/// Returns a scope on the device of the table.
fn scope_of(table: &Table) -> Result<Scope> {
    Scope::on("chunks", table.device().unwrap_or(Device::Cpu))
}

fn chunks() -> Vec<Case> {
    let mut cases = Vec::new();
    for (nulls, rows) in [(NullPattern::None, 100), (NullPattern::Some, 150_000)] {
        let columns = table(&[DataType::Int64, DataType::Boolean, DataType::LargeUtf8, DataType::Utf8], rows, nulls, 4);
        let run = |inputs: &[Column]| unchunked(&as_table(inputs)?);
        let case = Case::new(format!("table/{rows}/{nulls:?}"), columns, run, same, 20);
        cases.push(case.with_slice_costs(SliceCosts::Own));
    }
    let run = |inputs: &[Column]| {
        let table = as_table(inputs)?;
        let scope = scope_of(&table)?;
        let mut small = Buffer::uninitialized(1000, scope.stream(), scope.resources().temporary)?;
        api::chunked_pack(&table)?.next_chunk(&mut small)?;
        Ok(Vec::new())
    };
    let numbers = table(&[DataType::Int32], 9, NullPattern::None, 1);
    cases.push(Case::refused("small chunks", numbers, run, |error| matches!(error, Error::InvalidArgument { .. })));
    cases
}
