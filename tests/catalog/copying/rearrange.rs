//! Entries of `copying` that rearrange the rows of one table or of two tables without a map from the caller.

use std::ops::Range;

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::copying::{self as api, Replacement};
use gdf_core::{Column, Error, Result, Scalar, Table};

use crate::catalog::filling::writable;
pub(crate) use crate::catalog::shared::tables::as_table;
use crate::catalog::shared::tables::{FEW, affine_waits, copied, filter_waits, gather_waits, nested, piece_waits};
use crate::catalog::shared::tables::{own_parts, scratch, slice_costs, table, types, types_of_parts};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::copying as naive;
use gdf_test::builders::bools;
use gdf_test::compare::Equality;
use gdf_test::data::{BRACKETS, NullPattern, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("copying.reverse", Equality::Exact, reversed),
        Entry::new("copying.sample", Equality::Exact, samples).guessing(),
        Entry::new("copying.copy_range", Equality::Exact, ranges),
        Entry::new("copying.copy_range_in_place", Equality::Exact, ranges_in_place).slicing().launching_nothing(),
        Entry::new("copying.boolean_mask_scatter", Equality::Exact, mask_scatters),
        Entry::new("copying.boolean_mask_scatter_scalars", Equality::Exact, mask_scatters_of_scalars),
        Entry::new("copying.get_element", Equality::Exact, elements).slicing().launching_nothing(),
        Entry::new("copying.empty_like", Equality::Exact, empty_ones).launching_nothing(),
        Entry::new("copying.empty_like_column", Equality::Exact, empty_columns).launching_nothing(),
        Entry::new("copying.allocate_like", Equality::Exact, allocated).launching_nothing(),
    ]
}

pub(crate) fn tables() -> Vec<(String, Vec<ArrayRef>)> {
    use NullPattern::{None as Plain, Some as Nulls};
    let mut tables = Vec::new();
    for (data_type, seed) in types().into_iter().chain([nested(), DataType::Null]).chain(types_of_parts()).zip(0..) {
        for nulls in [Plain, Nulls] {
            tables.push((format!("{data_type}/157/{nulls:?}"), vec![random_array(&data_type, 157, nulls, seed)]));
        }
    }
    for (&rows, seed) in BRACKETS.iter().zip(1..) {
        let nulls = NullPattern::ALL[seed as usize % NullPattern::ALL.len()];
        tables.push((format!("table/{rows}/{nulls:?}"), table(&FEW, rows, nulls, seed)));
    }
    tables.push(("40 texts".to_owned(), table(&vec![DataType::Utf8; 40], 70, Nulls, 3)));
    tables
}

/// Builds cases of a function that rearranges the rows of a table.
pub(crate) fn rearranged(
    label: &str,
    waits: fn(&[ArrayRef]) -> u64,
    run: impl Fn(&Table) -> Result<Table> + Clone + Send + Sync + 'static,
    rows: impl Fn(usize) -> Vec<usize> + Clone + Send + Sync + 'static,
) -> Vec<Case> {
    let case = |(name, columns): (String, Vec<ArrayRef>)| {
        let (run, rows, waits, slices) = (run.clone(), rows.clone(), waits(&columns), slice_costs(&columns));
        let run = move |inputs: &[Column]| Ok(run(&as_table(inputs)?)?.into_columns());
        let oracle =
            move |inputs: &[ArrayRef]| naive::rows(inputs, &rows(inputs.first().map_or(0, |column| column.len())));
        Case::new(format!("{label} {name}"), columns, run, oracle, waits).with_slice_costs(slices)
    };
    tables().into_iter().map(case).collect()
}

fn reversed() -> Vec<Case> {
    let rows = |rows: usize| (0..rows).rev().collect();
    rearranged("reverse", affine_waits, |table| api::reverse(table), rows)
}

/// Returns the row that the sample has at position `number`.
fn chosen(number: u128, rows: u128, with_replacement: bool, seed: u64) -> usize {
    const WORD: u128 = 1 << 64;
    let mix = |x: u128| {
        let x = (x ^ x >> 33) * 0xff51_afd7_ed55_8ccd % WORD;
        let x = (x ^ x >> 33) * 0xc4ce_b9fe_1a85_ec53 % WORD;
        x ^ x >> 33
    };
    let (seed, step) = (u128::from(seed), 0x9e37_79b9_7f4a_7c15_u128);
    if with_replacement {
        return (mix((mix(seed) + number * step) % WORD) * rows / WORD) as usize;
    }
    let half: u128 = (2_u32..).map(|bits| 1_u128 << bits).find(|half| half * half >= rows).unwrap_or(0);
    let mut row = number;
    loop {
        let (mut left, mut right) = (row / half, row % half);
        for round in 1..=8 {
            let key = mix((seed + round * step) % WORD);
            (left, right) = (right, left ^ (mix(key ^ right) % half));
        }
        row = left * half + right;
        if row < rows {
            return row as usize;
        }
    }
}

fn samples() -> Vec<Case> {
    let mut cases = Vec::new();
    for (replacement, with) in [(Replacement::Without, false), (Replacement::With, true)] {
        for (label, size) in [("a third of", 0), ("all of", 1)] {
            let count = move |all: usize| if size == 0 { all / 3 } else { all };
            cases.extend(rearranged(
                &format!("{label} {replacement:?}"),
                gather_waits,
                move |table| api::sample(table, count(table.num_rows()), replacement, 42),
                move |all| (0..count(all)).map(|row| chosen(row as u128, all as u128, with, 42)).collect(),
            ));
        }
    }
    for (rows, count, replacement) in [(0, 1, Replacement::With), (5, 6, Replacement::Without)] {
        cases.push(Case::refused(
            format!("{count} of {rows}"),
            table(&FEW, rows, NullPattern::None, 1),
            move |inputs| Ok(api::sample(&as_table(inputs)?, count, replacement, 1)?.into_columns()),
            |error| matches!(error, Error::InvalidArgument { .. }),
        ));
    }
    cases
}

fn ranges() -> Vec<Case> {
    use NullPattern::{None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    let run = |range: Range<usize>, begin: usize| {
        move |inputs: &[Column]| Ok(vec![api::copy_range(&inputs[0], range.clone(), &inputs[1], begin)?])
    };
    let mut add = |label: String, source: ArrayRef, range: Range<usize>, target: ArrayRef, begin: usize| {
        let (waits, run) = (piece_waits(std::slice::from_ref(&target)), run(range.clone(), begin));
        let slices = slice_costs(std::slice::from_ref(&target));
        let oracle = move |inputs: &[ArrayRef]| naive::copy_range(&inputs[0], range.clone(), &inputs[1], begin);
        cases.push(Case::new(label, vec![source, target], run, oracle, waits).with_slice_costs(slices));
    };
    let shared = |data_type: &DataType| {
        matches!(data_type, DataType::Dictionary(..) | DataType::Utf8View | DataType::BinaryView)
    };
    for (data_type, seed) in
        types().into_iter().filter(|data_type| !shared(data_type)).chain([nested()]).chain(own_parts()).zip(0..)
    {
        for (from, to) in [(Plain, Nulls), (Nulls, Plain)] {
            let source = random_array(&data_type, 90, from, seed);
            add(format!("{data_type}/{from:?}"), source, 5..77, random_array(&data_type, 157, to, seed + 9), 33);
        }
    }
    for (&rows, seed) in BRACKETS.iter().zip(1..) {
        for data_type in &FEW {
            let source = random_array(data_type, rows, Nulls, seed);
            let target = random_array(data_type, rows + 3, Plain, seed + 5);
            add(format!("{data_type}/{rows}"), source, rows / 3..rows, target, rows / 4);
        }
    }
    let refused = |label: &str, range: Range<usize>, begin: usize, right: fn(&Error) -> bool| {
        let inputs = table(&[DataType::Int32, DataType::Int32], 9, Plain, 1);
        Case::refused(label, inputs, run(range, begin), right)
    };
    let outside: fn(&Error) -> bool = |error| matches!(error, Error::OutOfBounds { .. });
    cases.push(refused("no such source", 5..10, 0, outside));
    cases.push(refused("no such target", 5..9, 6, outside));
    let (begin, end) = (5, 4);
    cases.push(refused("backwards", begin..end, 0, |error| matches!(error, Error::InvalidArgument { .. })));
    let types = table(&[DataType::Int32, DataType::Int64], 9, Plain, 1);
    cases.push(Case::refused("types", types, run(5..7, 0), |error| matches!(error, Error::TypeMismatch { .. })));
    cases
}

fn ranges_in_place() -> Vec<Case> {
    use NullPattern::{None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    let mut add = |label: String, columns: Vec<ArrayRef>, range: Range<usize>, begin: usize| {
        let own = range.clone();
        let run = move |inputs: &[Column]| {
            let mut target = copied(&inputs[1])?;
            api::copy_range_in_place(&inputs[0], range.clone(), &mut target, begin)?;
            Ok(vec![target])
        };
        let oracle = move |inputs: &[ArrayRef]| naive::copy_range(&inputs[0], own.clone(), &inputs[1], begin);
        cases.push(Case::new(label, columns, run, oracle, 0).with_slice_costs(SliceCosts::Allocations(1)));
    };
    for (data_type, seed) in writable().into_iter().zip(0..) {
        for (nulls, begin) in [(Plain, 33), (Nulls, 3)] {
            let source = random_array(&data_type, 90, nulls, seed);
            let target = random_array(&data_type, 157, Nulls, seed + 9);
            add(format!("{data_type}/{nulls:?}"), vec![source, target], 5..77, begin);
        }
    }
    for (&rows, seed) in BRACKETS.iter().zip(1..) {
        for data_type in [DataType::Boolean, DataType::Int16, DataType::Decimal128(38, 10)] {
            let columns = table(&[data_type.clone(), data_type.clone()], rows, Nulls, seed);
            add(format!("{data_type}/{rows}"), columns, rows / 3..rows, rows / 4);
        }
    }
    for (data_type, seed) in writable().into_iter().zip(300..) {
        let inputs = [(90, seed), (157, seed + 9)].map(|(rows, seed)| random_array(&data_type, rows, Plain, seed));
        add(format!("plain {data_type}/None"), inputs.into(), 5..77, 33);
    }
    // The target is made here, because columns of inputs have a mask in some runs.
    let unmasked = |inputs: &[Column]| {
        let mut target = scratch(inputs[0].device(), || Column::from_slice(&[true; 9]))?;
        api::copy_range_in_place(&inputs[0], 1..4, &mut target, 2)?;
        Ok(vec![target])
    };
    let argument = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    cases.push(Case::refused("a source with a mask", vec![mask(9, NullPattern::All, 1)], unmasked, argument));
    let right = |error: &Error| matches!(error, Error::OutOfBounds { .. });
    let target = mask(9, Plain, 1);
    let wide = |inputs: &[Column]| {
        let mut target = scratch(inputs[1].device(), || copied(&inputs[1]))?;
        api::copy_range_in_place(&inputs[0], 1..9, &mut target, 2)?;
        Ok(vec![target])
    };
    cases.push(Case::refused("beyond the end", vec![target.clone(), target], wide, right));
    cases
}

fn mask(rows: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    random_array(&DataType::Boolean, rows, nulls, seed)
}

/// Returns the oracle for `columns` source columns, followed by `columns` target columns and the mask.
fn mask_scatter_oracle(columns: usize) -> impl Fn(&[ArrayRef]) -> std::result::Result<Vec<ArrayRef>, String> {
    move |inputs| naive::boolean_mask_scatter(&inputs[..columns], &inputs[columns..2 * columns], &inputs[2 * columns])
}

fn mask_scatters() -> Vec<Case> {
    let mut cases = Vec::new();
    let run = |columns: usize| {
        move |inputs: &[Column]| {
            let (source, target) = (as_table(&inputs[..columns])?, as_table(&inputs[columns..2 * columns])?);
            Ok(api::boolean_mask_scatter(&source, &target, &inputs[2 * columns])?.into_columns())
        }
    };
    let mut add = |label: String, types: &[DataType], rows: usize, [from, to]: [NullPattern; 2], seed: u64| {
        let columns = types.len();
        let (mut inputs, target) = (table(types, rows, from, seed), table(types, rows, to, seed + 50));
        let waits = filter_waits(&[]) + affine_waits(&target) * 2;
        inputs.extend(target);
        inputs.push(mask(rows, NullPattern::Some, seed));
        cases.push(Case::new(label, inputs, run(columns), mask_scatter_oracle(columns), waits));
    };
    for (&rows, seed) in BRACKETS.iter().zip(1..) {
        // The null patterns of the source and the target are equal in a few cases only.
        let [from, to] = [seed, seed + seed / 4].map(|at| NullPattern::ALL[at as usize % NullPattern::ALL.len()]);
        add(format!("table/{rows}/{from:?}"), &FEW, rows, [from, to], seed);
    }
    let inputs = vec![mask(3, NullPattern::None, 1), mask(9, NullPattern::None, 2), bools(vec![Some(true); 9])];
    let short = |error: &Error| matches!(error, Error::LengthMismatch { expected: 9, found: 3, .. });
    cases.push(Case::refused("too few rows", inputs, run(1), short));
    let is_of_types = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    for (label, of) in [
        ("mask", [DataType::Int8, DataType::Int8, DataType::Int8]),
        ("types", [DataType::Int8, DataType::Int16, DataType::Boolean]),
    ] {
        cases.push(Case::refused(label, table(&of, 9, NullPattern::None, 1), run(1), is_of_types));
    }
    let two_to_one = |inputs: &[Column]| {
        let (source, target) = (as_table(&inputs[..2])?, as_table(&inputs[2..3])?);
        Ok(api::boolean_mask_scatter(&source, &target, &inputs[3])?.into_columns())
    };
    let inputs = (0..4).map(|seed| mask(9, NullPattern::None, seed)).collect();
    let is_of_counts = |error: &Error| matches!(error, Error::ColumnCount { .. });
    cases.push(Case::refused("columns", inputs, two_to_one, is_of_counts));
    cases
}

fn mask_scatters_of_scalars() -> Vec<Case> {
    let mut cases = Vec::new();
    let columns = FEW.len();
    let run = move |inputs: &[Column]| {
        let scalars = inputs[..columns].iter().cloned().map(Scalar::from_column).collect::<Result<Vec<_>>>()?;
        let (source, target) = (scalars.iter().collect::<Vec<_>>(), as_table(&inputs[columns..2 * columns])?);
        Ok(api::boolean_mask_scatter_scalars(&source, &target, &inputs[2 * columns])?.into_columns())
    };
    for (&rows, seed) in BRACKETS.iter().zip(1..) {
        for nulls in [NullPattern::None, NullPattern::All] {
            let of_target = [NullPattern::Some, NullPattern::None][seed as usize % 2];
            let (mut inputs, target) = (table(&FEW, 1, nulls, seed), table(&FEW, rows, of_target, seed + 50));
            inputs.extend(target);
            inputs.push(mask(rows, NullPattern::Some, seed));
            let label = format!("table/{rows}/{nulls:?}");
            cases.push(Case::new(label, inputs, run, mask_scatter_oracle(columns), 1));
        }
    }
    cases
}

fn columns_of_all_types() -> impl Iterator<Item = (String, ArrayRef)> {
    let column = |(data_type, seed)| (format!("{data_type}"), random_array(&data_type, 70, NullPattern::Some, seed));
    gdf_test::data::all().into_iter().zip(0..).map(column)
}

fn elements() -> Vec<Case> {
    let run = |row: usize| move |inputs: &[Column]| Ok(vec![api::get_element(&inputs[0], row)?.into_column()]);
    let case = |(label, column): (String, ArrayRef)| {
        Case::new(label, vec![column], run(33), |inputs| Ok(vec![inputs[0].slice(33, 1)]), 0)
    };
    let mut cases: Vec<_> = columns_of_all_types().map(case).collect();
    let outside = |error: &Error| matches!(error, Error::OutOfBounds { index: 8, len: 7, .. });
    cases.push(Case::refused("no such row", vec![mask(7, NullPattern::None, 1)], run(7), outside));
    cases
}

fn empty(run: fn(&[Column]) -> Result<Vec<Column>>) -> Vec<Case> {
    let oracle = |inputs: &[ArrayRef]| Ok(vec![arrow_array::new_empty_array(inputs[0].data_type())]);
    columns_of_all_types().map(|(label, column)| Case::new(label, vec![column], run, oracle, 0)).collect()
}

fn empty_ones() -> Vec<Case> {
    empty(|inputs| Ok(api::empty_like(&as_table(inputs)?)?.into_columns()))
}

fn empty_columns() -> Vec<Case> {
    empty(|inputs| Ok(vec![api::empty_like_column(&inputs[0])?]))
}

fn allocated() -> Vec<Case> {
    let mut cases = Vec::new();
    let run = |rows: usize| move |inputs: &[Column]| Ok(vec![api::allocate_like(&inputs[0], rows)?]);
    for data_type in [DataType::Boolean, DataType::Int32, DataType::Decimal256(76, 0), DataType::Date64] {
        for (nulls, rows) in [(NullPattern::None, 0), (NullPattern::None, 70), (NullPattern::Some, 70)] {
            let column = random_array(&data_type, 40, nulls, 1);
            let oracle = move |inputs: &[ArrayRef]| {
                let rows = arrow_array::new_null_array(inputs[0].data_type(), rows);
                let zeros = rows.to_data().into_builder().nulls(None).build();
                Ok(vec![arrow_array::make_array(zeros.map_err(|error| error.to_string())?)])
            };
            cases.push(Case::new(format!("{data_type}/{rows}/{nulls:?}"), vec![column], run(rows), oracle, 0));
        }
    }
    let text = table(&[DataType::Utf8], 5, NullPattern::None, 1);
    cases.push(Case::refused("text", text, run(3), |error| matches!(error, Error::Unsupported { .. })));
    cases
}
