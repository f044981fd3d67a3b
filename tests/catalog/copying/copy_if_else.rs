//! Entries of `copying::copy_if_else`, and of `replace::replace_nulls`, which is the same operation with another
//! condition.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::copying;
use gdf_core::{Column, Operand, Result, Scalar};

use super::overflow;
use crate::catalog::shared::tables::{
    concatenate_waits, encoded_types, gather_waits, is_concatenated, list_views, nested_types,
};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::copying::copy_if_else as naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("copying.copy_if_else", Equality::Exact, copies),
        // Rows of encoded types and of list views are first concatenated.
        Entry::new("copying.copy_if_else", Equality::Exact, || of_types(&[encoded_types(), list_views()].concat()))
            .sharing_inputs()
            .guessing(),
        Entry::new("replace.replace_nulls", Equality::Exact, replacements),
    ]
}

/// The operands of the function that are scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scalars {
    lhs: bool,
    rhs: bool,
}

const COLUMNS: Scalars = Scalars { lhs: false, rhs: false };
const RIGHT: Scalars = Scalars { lhs: false, rhs: true };

fn with_operand<R>(column: &Column, scalar: bool, work: impl FnOnce(Operand<'_>) -> Result<R>) -> Result<R> {
    if scalar {
        return work((&Scalar::from_column(column.clone())?).into());
    }
    work(column.into())
}

/// Returns the number of waits.
fn waits(column: &ArrayRef) -> u64 {
    if is_concatenated(column) {
        let columns = std::slice::from_ref(column);
        return concatenate_waits(columns) + gather_waits(columns) + 4;
    }
    u64::from(data::strings().contains(column.data_type()))
}

fn copy(label: &str, lhs: ArrayRef, rhs: ArrayRef, mask: ArrayRef, scalars: Scalars) -> Case {
    let waits = waits(&lhs);
    let slice_costs = if is_concatenated(&lhs) { SliceCosts::Own } else { SliceCosts::Same };
    let label = format!("{label}/{}/{}", lhs.data_type(), mask.len());
    Case::new(
        label,
        vec![lhs, rhs, mask],
        move |inputs| {
            with_operand(&inputs[0], scalars.lhs, |lhs| {
                with_operand(&inputs[1], scalars.rhs, |rhs| Ok(vec![copying::copy_if_else(lhs, rhs, &inputs[2])?]))
            })
        },
        |inputs| Ok(vec![naive::copy_if_else(&inputs[0], &inputs[1], &inputs[2])?]),
        waits,
    )
    .with_slice_costs(slice_costs)
}

fn types() -> Vec<DataType> {
    [data::fixed_width(), data::strings(), vec![DataType::FixedSizeBinary(24), DataType::FixedSizeBinary(6)]].concat()
}

const WIDTHS: [DataType; 9] = [
    DataType::Boolean,
    DataType::Int8,
    DataType::Float16,
    DataType::Int32,
    DataType::Float64,
    DataType::Decimal128(20, -3),
    DataType::Decimal256(76, 0),
    DataType::FixedSizeBinary(5),
    DataType::Utf8,
];

fn of_types(types: &[DataType]) -> Vec<Case> {
    use NullPattern::{All, None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    for (data_type, seed) in types.iter().zip(500_u64..) {
        let array = |rows, nulls, salt| random_array(data_type, rows, nulls, seed * 8 + salt);
        let mask = random_array(&DataType::Boolean, 147, Nulls, seed);
        cases.push(copy("nulls", array(147, Nulls, 1), array(147, Nulls, 2), mask.clone(), COLUMNS));
        cases.push(copy("scalar", array(147, Plain, 3), array(1, Plain, 4), mask.clone(), RIGHT));
        let left = Scalars { lhs: true, rhs: false };
        cases.push(copy("null scalar", array(1, All, 5), array(147, Plain, 6), mask.clone(), left));
        let both = Scalars { lhs: true, rhs: true };
        cases.push(copy("scalars", array(1, Plain, 7), array(1, All, 8), mask, both));
    }
    cases
}

fn copies() -> Vec<Case> {
    use NullPattern::{All, Every, None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    for (&rows, seed) in BRACKETS.iter().zip(1_u64..) {
        for data_type in &WIDTHS {
            let array = |nulls, salt| random_array(data_type, rows, nulls, seed * 8 + salt);
            let mask = |nulls| random_array(&DataType::Boolean, rows, nulls, seed);
            cases.push(copy("plain", array(Plain, 1), array(Plain, 2), mask(Plain), COLUMNS));
            cases.push(copy("nulls", array(Nulls, 3), array(Every(3), 4), mask(Nulls), COLUMNS));
            cases.push(copy("right nulls", array(Plain, 5), array(All, 6), mask(Every(2)), COLUMNS));
        }
    }
    cases.extend(of_types(&[types(), nested_types()].concat()));
    for rows in data::limit_brackets() {
        let array = |seed| random_array(&DataType::Int32, rows, Nulls, seed);
        let mask = random_array(&DataType::Boolean, rows, Plain, 3);
        cases.push(copy("limits", array(1), array(2), mask, COLUMNS));
    }
    for nulls in [Plain, Nulls] {
        let long = |seed| data::long_texts(300, nulls, seed);
        let mask = random_array(&DataType::Boolean, 300, nulls, 9);
        cases.push(copy(&format!("long text {nulls:?}"), long(1), long(2), mask, COLUMNS));
    }
    cases.extend(overflow::copies());
    cases
}

fn replace(label: &str, column: ArrayRef, replacement: ArrayRef, scalar: bool) -> Case {
    let waits = waits(&column);
    let slice_costs = if is_concatenated(&column) { SliceCosts::Own } else { SliceCosts::Same };
    let label = format!("{label}/{}/{}", column.data_type(), column.len());
    Case::new(
        label,
        vec![column, replacement],
        move |inputs| {
            with_operand(&inputs[1], scalar, |with| Ok(vec![gdf_api::replace::replace_nulls(&inputs[0], with)?]))
        },
        |inputs| Ok(vec![naive::replace_nulls(&inputs[0], &inputs[1])?]),
        waits,
    )
    .with_slice_costs(slice_costs)
}

/// Builds cases in which all columns have a mask.
fn replacements() -> Vec<Case> {
    use NullPattern::{All, Every, None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    for (&rows, seed) in BRACKETS.iter().zip(1_u64..).filter(|(rows, _)| **rows > 0) {
        for data_type in &WIDTHS {
            let array = |rows, nulls, salt| random_array(data_type, rows, nulls, seed * 8 + salt);
            cases.push(replace("column", array(rows, Every(3), 1), array(rows, Plain, 2), false));
            cases.push(replace("all", array(rows, All, 3), array(rows, Every(2), 4), false));
        }
    }
    let with_mask = |data_type: &&DataType| gdf_core::can_have_validity(data_type);
    for (data_type, seed) in [types(), nested_types()].concat().iter().filter(with_mask).zip(500_u64..) {
        let array = |rows, nulls, salt| random_array(data_type, rows, nulls, seed * 8 + salt);
        cases.push(replace("column", array(147, Nulls, 1), array(147, Nulls, 2), false));
        cases.push(replace("scalar", array(147, Nulls, 3), array(1, Plain, 4), true));
        cases.push(replace("null scalar", array(147, Nulls, 5), array(1, All, 6), true));
    }
    cases.extend(overflow::replacements());
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
