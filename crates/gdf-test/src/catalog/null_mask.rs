//! Entries of `null_mask`. A mask is shown as the boolean column of its bits.

use std::ops::Range;

use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::{null_mask as api, scope};
use gdf_core::{Column, Result, Table};
use gdf_detail::null_mask::{self as detail, Bitmask, MaskState};

use super::{Case, Entry};
use crate::builders::plain;
use crate::compare::Equality;
use crate::data::{BRACKETS, NullPattern, random_array};
use crate::naive::null_mask as naive;

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("null_mask.null_count", Equality::Exact, null_counts),
        Entry::new("null_mask.bitmask_and", Equality::Exact, || merges(true)),
        Entry::new("null_mask.bitmask_or", Equality::Exact, || merges(false)),
        Entry::new("null_mask.copy_bitmask", Equality::Exact, copies),
        Entry::new("null_mask.create_null_mask", Equality::Exact, creations),
        Entry::new("null_mask.set_null_mask", Equality::Exact, settings),
    ]
}

fn rows() -> impl Iterator<Item = usize> {
    BRACKETS.iter().copied().filter(|&rows| rows > 0)
}

/// A column that has a null in row 0 and thus a mask.
fn column(data_type: &DataType, rows: usize, seed: u64) -> ArrayRef {
    random_array(data_type, rows, NullPattern::Every(seed as usize % 5 + 2), seed)
}

fn bits(mask: Bitmask) -> Result<Vec<Column>> {
    Ok(vec![mask.to_column()?])
}

fn table(inputs: &[Column]) -> Result<Table> {
    Table::try_new(inputs.to_vec())
}

fn null_counts() -> Vec<Case> {
    let mut cases = Vec::new();
    for len in rows().filter(|&len| len > 2) {
        // Never all rows: that count is known after an import.
        for range in [1..2, 0..len - 1, 1..len, len / 3..len - len / 4] {
            for public in [false, true] {
                cases.push(null_count(column(&DataType::Int8, len, len as u64), range.clone(), public));
            }
        }
    }
    cases.push(null_count(column(&DataType::Utf8, 100_000, 1), 77..99_999, false));
    cases
}

/// `public`: by the public function, whose result is no column, so that a variant of the case cannot show it.
fn null_count(input: ArrayRef, range: Range<usize>, public: bool) -> Case {
    let label = format!("{} of {}/{range:?}/public {public}", input.data_type(), input.len());
    let (own, ours) = (range.clone(), range.clone());
    Case::new(
        label,
        vec![input],
        move |inputs, ctx| {
            let count = if public {
                let _stream = scope::enter_stream(ctx.stream);
                api::null_count(&inputs[0], own.start, own.end)?
            } else {
                detail::null_count(inputs[0].view(), own.start, own.end, ctx.stream)?
            };
            Ok(vec![Column::from_slice_on(&[count as u64], ctx.stream, ctx.mr.output)?])
        },
        move |inputs| Ok(vec![plain::<UInt64Type>([naive::null_count(&inputs[0], &ours)])]),
        1,
    )
}

fn merges(and: bool) -> Vec<Case> {
    let types = [DataType::Int32, DataType::Boolean, DataType::Utf8];
    let mut cases = Vec::new();
    for rows in rows() {
        for columns in [1, 2, 3] {
            cases.push(merge(and, columns, rows, &types));
        }
    }
    // As many as a launch takes, and more.
    for columns in [32, 33, 63, 64, 100] {
        cases.push(merge(and, columns, 300, &types[..1]));
    }
    cases
}

fn merge(and: bool, columns: usize, rows: usize, types: &[DataType]) -> Case {
    let inputs = (0..columns).map(|i| column(&types[i % types.len()], rows, i as u64)).collect();
    Case::new(
        format!("{columns} columns/{rows}"),
        inputs,
        move |inputs, ctx| {
            let table = table(inputs)?;
            let merge = if and { detail::bitmask_and } else { detail::bitmask_or };
            bits(merge(&table.view(), ctx)?)
        },
        move |inputs| Ok(vec![if and { naive::bitmask_and(inputs) } else { naive::bitmask_or(inputs) }]),
        0,
    )
    .with_api(move |inputs| {
        let table = table(inputs)?;
        bits(if and { api::bitmask_and(&table)? } else { api::bitmask_or(&table)? })
    })
}

fn copies() -> Vec<Case> {
    let case = |rows: usize| {
        Case::new(
            format!("{rows}"),
            vec![column(&DataType::Float64, rows, rows as u64)],
            |inputs, ctx| bits(detail::copy_bitmask(inputs[0].view(), ctx)?),
            |inputs| Ok(vec![naive::copy_bitmask(&inputs[0])]),
            0,
        )
        .with_api(|inputs| bits(api::copy_bitmask(&inputs[0])?))
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
                    move |_, ctx| {
                        if !public {
                            return bits(detail::create_null_mask(rows, state, ctx)?);
                        }
                        let _device = scope::enter_device(ctx.stream.device());
                        let _stream = scope::enter_stream(ctx.stream);
                        let _resources = scope::enter_resources(ctx.mr.output.resource(), ctx.mr.temporary.resource())?;
                        bits(api::create_null_mask(rows, state)?)
                    },
                    move |_| Ok(vec![naive::mask((0..rows).map(|_| state == MaskState::AllValid))]),
                    0,
                ));
            }
        }
    }
    // Not initialized, hence wholly set afterwards.
    cases.push(Case::new(
        "Uninitialized/64",
        vec![],
        |_, ctx| {
            let mut mask = detail::create_null_mask(64, MaskState::Uninitialized, ctx)?;
            detail::set_null_mask(&mut mask, 0, 64, false, ctx)?;
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
    let (own, ours) = (range.clone(), range.clone());
    Case::new(
        format!("{range:?} of {len} {valid}"),
        vec![column(&DataType::Int16, len, len as u64)],
        move |inputs, ctx| {
            let mut mask = detail::copy_bitmask(inputs[0].view(), ctx)?;
            detail::set_null_mask(&mut mask, own.start, own.end, valid, ctx)?;
            bits(mask)
        },
        move |inputs| Ok(vec![naive::set_null_mask(&inputs[0], &ours, valid)]),
        0,
    )
    .with_api(move |inputs| {
        let mut mask = api::copy_bitmask(&inputs[0])?;
        api::set_null_mask(&mut mask, range.start, range.end, valid)?;
        bits(mask)
    })
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
