//! Entries of `null_mask`. The cases represent a mask by a boolean column that has the bits of the mask.

use std::ops::Range;

use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::null_mask::{self as api, Bitmask, MaskState};
use gdf_core::{Column, ColumnView, Error, Result};

use super::shared::tables::{as_table, scratch, shown};
use super::{Case, Entry, SliceCosts};
use crate::naive::null_mask as naive;
use gdf_test::builders::plain;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};
use gdf_test::value::{Value, from_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("null_mask.null_count", Equality::Exact, null_counts),
        Entry::new("null_mask.batch_null_count", Equality::Exact, batches),
        Entry::new("null_mask.bitmask_and_masks", Equality::Exact, merged_ranges),
        Entry::new("null_mask.bitmask_and", Equality::Exact, || merges(true)),
        Entry::new("null_mask.bitmask_or", Equality::Exact, || merges(false)),
        Entry::new("null_mask.copy_bitmask", Equality::Exact, copies),
        Entry::new("null_mask.create_null_mask", Equality::Exact, creations),
        Entry::new("null_mask.set_null_mask", Equality::Exact, settings),
        Entry::new("null_mask.index_of_first_set_bit", Equality::Exact, firsts),
        Entry::new("null_mask.bools_to_mask", Equality::Exact, masks),
        Entry::new("null_mask.mask_to_bools", Equality::Exact, bools).slicing().launching_nothing(),
        Entry::new("null_mask.concatenate_masks", Equality::Exact, concatenations),
    ]
}

fn rows() -> impl Iterator<Item = usize> {
    BRACKETS.iter().copied().filter(|&rows| rows > 0)
}

/// Returns a column whose row 0 is null, so that the column has a mask.
fn column(data_type: &DataType, rows: usize, seed: u64) -> ArrayRef {
    random_array(data_type, rows, NullPattern::Every(seed as usize % 5 + 2), seed)
}

fn bits(mask: Bitmask) -> Result<Vec<Column>> {
    Ok(vec![mask.to_column()?])
}

fn null_counts() -> Vec<Case> {
    let mut cases = Vec::new();
    for len in rows().filter(|&len| len > 2) {
        // No range covers all rows. The null count of all rows is known after an import, so the operation would not
        // count.
        for range in [1..2, 0..len - 1, 1..len, len / 3..len - len / 4] {
            for public in [false, true] {
                cases.push(null_count(column(&DataType::Int8, len, len as u64), range.clone(), public));
            }
        }
    }
    cases.push(null_count(column(&DataType::Utf8, 100_000, 1), 77..99_999, false));
    cases
}

fn batches() -> Vec<Case> {
    let mut cases = Vec::new();
    for len in rows().filter(|&len| len > 2) {
        for (columns, range) in [(1, 0..len - 1), (3, 1..len), (70, len / 3..len)] {
            let nullable = (0..columns as u64).map(|seed| match seed % 5 {
                4 => random_array(&DataType::Int16, len, NullPattern::None, seed),
                _ => column(&[DataType::Utf8, DataType::Int8][seed as usize % 2], len, seed),
            });
            let own = range.clone();
            cases.push(Case::new(
                format!("{columns} of {len}/{range:?}"),
                nullable.collect(),
                move |inputs| {
                    let views: Vec<_> = inputs.iter().map(Column::view).collect();
                    let counts = api::batch_null_count(&views, range.start, range.end)?;
                    Ok(vec![shown(&counts.iter().map(|count| *count as u64).collect::<Vec<_>>(), inputs[0].device())?])
                },
                move |inputs| Ok(vec![plain::<UInt64Type>(inputs.iter().map(|input| naive::null_count(input, &own)))]),
                2,
            ));
        }
    }
    let beyond = |inputs: &[Column]| {
        let counts = api::batch_null_count(&[inputs[0].view(), inputs[1].view()], 0, 5)?;
        Ok(vec![shown(&[counts.len() as u64], inputs[0].device())?])
    };
    let inputs = vec![column(&DataType::Int8, 5, 1), column(&DataType::Int8, 4, 1)];
    cases.push(Case::refused("refused/range", inputs, beyond, |error| matches!(error, Error::OutOfBounds { .. })));
    cases
}

fn merged_ranges() -> Vec<Case> {
    let mut cases = Vec::new();
    for len in rows() {
        // The second mask is not allocated.
        let begins = [len / 3, 0, 1];
        let inputs = vec![
            column(&DataType::Int8, len + begins[0], 1),
            random_array(&DataType::Int8, len, NullPattern::None, 2),
            column(&DataType::Utf8, len + begins[2] + 3, 3),
        ];
        cases.push(
            Case::new(
                format!("{len}/{begins:?}"),
                inputs,
                move |inputs| {
                    let masks = scratch(inputs[0].device(), || {
                        inputs.iter().map(api::copy_bitmask).collect::<Result<Vec<_>>>()
                    })?;
                    let masks: Vec<_> = masks.iter().zip(begins).collect();
                    bits(api::bitmask_and_masks(&masks, len)?)
                },
                move |inputs| {
                    let ranges: Vec<_> =
                        inputs.iter().zip(begins).map(|(input, begin)| input.slice(begin, len)).collect();
                    Ok(vec![naive::bitmask_and(&ranges)])
                },
                0,
            )
            .with_slice_costs(SliceCosts::Own),
        );
    }
    let beyond = |inputs: &[Column]| bits(api::bitmask_and_masks(&[(&api::copy_bitmask(&inputs[0])?, 2)], 4)?);
    let input = vec![column(&DataType::Int8, 5, 1)];
    cases.push(Case::refused("refused/range", input, beyond, |error| matches!(error, Error::OutOfBounds { .. })));
    cases
}

fn null_count(input: ArrayRef, range: Range<usize>, public: bool) -> Case {
    number(input, range, public, (|column, start, stop| api::null_count(column, start, stop), naive::null_count))
}

type NumberOf = (fn(ColumnView<'_>, usize, usize) -> Result<usize>, fn(&ArrayRef, &Range<usize>) -> u64);

/// Builds a case of a function that returns a number for a range of rows.
fn number(input: ArrayRef, range: Range<usize>, public: bool, (number, naive): NumberOf) -> Case {
    let label = format!("{} of {}/{range:?}/public {public}", input.data_type(), input.len());
    let own = range.clone();
    Case::new(
        label,
        vec![input],
        move |inputs| {
            let number = number(inputs[0].view(), range.start, range.end)?;
            Ok(vec![shown(&[number as u64], inputs[0].device())?])
        },
        move |inputs| Ok(vec![plain::<UInt64Type>([naive(&inputs[0], &own)])]),
        1,
    )
}

fn firsts() -> Vec<Case> {
    let first: NumberOf = (|column, start, stop| api::index_of_first_set_bit(column, start, stop), naive::first_valid);
    let mut cases = Vec::new();
    // Row `valid` is the only valid row of the first column.
    for len in rows().filter(|&len| len > 2).chain([40_000]) {
        for valid in [0, 1, len / 2, len - 1] {
            let lonely: Vec<_> = (0..len).map(|row| (row == valid).then_some(Value::Int(1))).collect();
            for range in [0..len, 1..len - 1, len / 3..len] {
                cases.push(number(from_values(&DataType::Int8, &lonely), range, valid % 2 == 0, first));
            }
        }
        cases.push(number(column(&DataType::Utf8, len, 3), 1..len, true, first));
    }
    cases
}

fn masks() -> Vec<Case> {
    let case = |(label, input)| {
        Case::new(
            label,
            vec![input],
            |inputs| bits(api::bools_to_mask(&inputs[0])?),
            |inputs| Ok(vec![naive::bools_to_mask(&inputs[0])]),
            0,
        )
    };
    let mut cases: Vec<_> = data::grid(&[DataType::Boolean], BRACKETS).into_iter().map(case).collect();
    let run = |inputs: &[Column]| bits(api::bools_to_mask(&inputs[0])?);
    let bytes = vec![column(&DataType::Int8, 5, 1)];
    cases.push(Case::refused("refused/type", bytes, run, |error| matches!(error, Error::TypeMismatch { .. })));
    cases
}

fn bools() -> Vec<Case> {
    let case = |rows: usize| {
        let range = rows / 3..rows;
        Case::new(
            format!("{range:?}"),
            vec![column(&DataType::Int16, rows, rows as u64)],
            move |inputs| Ok(vec![api::mask_to_bools(&api::copy_bitmask(&inputs[0])?, rows / 3, rows)?]),
            move |inputs| Ok(vec![naive::mask_to_bools(&inputs[0], &range)]),
            0,
        )
    };
    let mut cases: Vec<_> = rows().map(case).collect();
    let refused = |label: &str, begin: usize, end: usize, is_right: fn(&Error) -> bool| {
        let run = move |inputs: &[Column]| Ok(vec![api::mask_to_bools(&api::copy_bitmask(&inputs[0])?, begin, end)?]);
        Case::refused(format!("refused/{label}"), vec![column(&DataType::Int8, 5, 1)], run, is_right)
    };
    cases.push(refused("backwards", 3, 2, |error| matches!(error, Error::InvalidArgument { .. })));
    cases.push(refused("range", 3, 6, |error| matches!(error, Error::OutOfBounds { .. })));
    cases
}

fn concatenations() -> Vec<Case> {
    let types = [DataType::Int32, DataType::Utf8, DataType::Boolean];
    let mut cases = Vec::new();
    for rows in rows() {
        for columns in [1, 2, 3, 40] {
            let inputs = (0..columns).map(|i| {
                let nulls = if i % 4 == 1 { NullPattern::None } else { NullPattern::Every(i % 5 + 2) };
                random_array(&types[i % 3], (rows / (i + 1)).max(usize::from(i == 0)), nulls, i as u64)
            });
            cases.push(Case::new(
                format!("{columns} columns/{rows}"),
                inputs.collect(),
                |inputs| bits(api::concatenate_masks(&inputs.iter().map(Column::view).collect::<Vec<_>>())?),
                |inputs| Ok(vec![naive::concatenate_masks(inputs)]),
                0,
            ));
        }
    }
    cases
}

fn merges(and: bool) -> Vec<Case> {
    use Kind::{Masked, Null, Plain};
    let types = [DataType::Int32, DataType::Boolean, DataType::Utf8];
    let mut cases = Vec::new();
    for rows in rows() {
        for columns in [1, 2, 3] {
            cases.push(merge(and, columns, rows, &types));
        }
    }
    // Some of these numbers exceed the number of columns that one launch takes.
    for columns in [32, 33, 63, 64, 100] {
        cases.push(merge(and, columns, 300, &types[..1]));
    }
    // Some columns have no mask, and some columns have no values.
    for kinds in [&[Plain][..], &[Null], &[Masked, Plain], &[Plain, Null], &[Masked, Null], &[Null, Masked, Plain]] {
        for rows in [33, 300] {
            let inputs = kinds.iter().zip(0..).map(|(kind, seed)| match kind {
                Masked => column(&DataType::Int32, rows, seed),
                Plain => random_array(&DataType::Utf8, rows, NullPattern::None, seed),
                Null => random_array(&DataType::Null, rows, NullPattern::None, seed),
            });
            cases.push(merge_of(format!("{kinds:?}/{rows}"), and, inputs.collect()));
        }
    }
    cases
}

/// The kind of a column: with a mask, without a mask, or of type `Null`.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Masked,
    Plain,
    Null,
}

fn merge(and: bool, columns: usize, rows: usize, types: &[DataType]) -> Case {
    let inputs = (0..columns).map(|i| column(&types[i % types.len()], rows, i as u64)).collect();
    merge_of(format!("{columns} columns/{rows}"), and, inputs)
}

fn merge_of(label: String, and: bool, inputs: Vec<ArrayRef>) -> Case {
    Case::new(
        label,
        inputs,
        move |inputs| {
            let table = as_table(inputs)?;
            let mask = if and { api::bitmask_and(&table)? } else { api::bitmask_or(&table)? };
            let is_masked = |column: &Column| column.has_validity() || *column.data_type() == DataType::Null;
            let has_buffer = if and { inputs.iter().any(is_masked) } else { inputs.iter().all(is_masked) };
            if mask.buffer().is_some() != has_buffer {
                return Err(Error::invalid_data("the result is allocated although it must not be, or the reverse"));
            }
            // A mask that is not allocated cannot be shown. It stands for valid rows.
            bits(if has_buffer { mask } else { api::create_null_mask(mask.len(), MaskState::AllValid)? })
        },
        move |inputs| Ok(vec![if and { naive::bitmask_and(inputs) } else { naive::bitmask_or(inputs) }]),
        0,
    )
}

fn copies() -> Vec<Case> {
    let case = |rows: usize| {
        Case::new(
            format!("{rows}"),
            vec![column(&DataType::Float64, rows, rows as u64)],
            |inputs| bits(api::copy_bitmask(&inputs[0])?),
            |inputs| Ok(vec![naive::copy_bitmask(&inputs[0])]),
            0,
        )
    };
    rows().map(case).collect()
}

fn creations() -> Vec<Case> {
    let mut cases = Vec::new();
    for &rows in BRACKETS {
        for state in [MaskState::AllValid, MaskState::AllNull] {
            for public in [false, true] {
                cases.push(Case::new(
                    format!("{state:?}/{rows}/public {public}"),
                    vec![],
                    move |_| bits(api::create_null_mask(rows, state)?),
                    move |_| Ok(vec![naive::mask((0..rows).map(|_| state == MaskState::AllValid))]),
                    0,
                ));
            }
        }
    }
    // The bits of the new mask are uninitialized, so the test sets all of them.
    cases.push(Case::new(
        "Uninitialized/64",
        vec![],
        |_| {
            let mut mask = api::create_null_mask(64, MaskState::Uninitialized)?;
            api::set_null_mask(&mut mask, 0, 64, false)?;
            bits(mask)
        },
        |_| Ok(vec![naive::mask([false; 64])]),
        0,
    ));
    cases
}

fn settings() -> Vec<Case> {
    let mut cases = Vec::new();
    for len in rows() {
        for valid in [true, false] {
            for range in [0..len, len / 2..len, len / 3..len - len / 4, len - 1..len] {
                if !range.is_empty() {
                    cases.push(setting(len, range, valid));
                }
            }
        }
    }
    cases
}

fn setting(len: usize, range: Range<usize>, valid: bool) -> Case {
    let own = range.clone();
    Case::new(
        format!("{range:?} of {len} {valid}"),
        vec![column(&DataType::Int16, len, len as u64)],
        move |inputs| {
            let mut mask = api::copy_bitmask(&inputs[0])?;
            api::set_null_mask(&mut mask, range.start, range.end, valid)?;
            bits(mask)
        },
        move |inputs| Ok(vec![naive::set_null_mask(&inputs[0], &own, valid)]),
        0,
    )
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
