//! The entry of `copying::shift`.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::copying;
use gdf_core::{Column, Result, Scalar};

use crate::catalog::shared::tables::{FEW, nested, own_parts, piece_waits, scratch, slice_costs, types};
use crate::catalog::{Case, Entry};
use crate::naive::copying as naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![Entry::new("copying.shift", Equality::Exact, shifts)]
}

fn run(column: &Column, offset: i64, fill: Scalar) -> Result<Vec<Column>> {
    Ok(vec![copying::shift(column, offset, &fill)?])
}

fn case(label: impl Into<String>, column: ArrayRef, offset: i64, fill: ArrayRef) -> Case {
    let (waits, slices) = (piece_waits(std::slice::from_ref(&column)), slice_costs(std::slice::from_ref(&column)));
    let run = move |inputs: &[Column]| run(&inputs[0], offset, Scalar::from_column(inputs[1].clone())?);
    let oracle = move |inputs: &[ArrayRef]| naive::shift(&inputs[0], offset, &inputs[1]);
    Case::new(label, vec![column, fill], run, oracle, waits).with_slice_costs(slices)
}

/// Builds a case of a column type whose result shares memory with the input.
fn shared(label: String, column: ArrayRef, offset: i64, null: bool) -> Case {
    let run = move |inputs: &[Column]| {
        let (data_type, device) = (inputs[0].data_type(), inputs[0].device());
        let fill = match null {
            true => scratch(device, || Scalar::null(data_type))?,
            false => Scalar::from_column(inputs[0].slice(0, 1)?)?,
        };
        run(&inputs[0], offset, fill)
    };
    let oracle = move |inputs: &[ArrayRef]| {
        let fill = if null { arrow_array::new_null_array(inputs[0].data_type(), 1) } else { inputs[0].slice(0, 1) };
        naive::shift(&inputs[0], offset, &fill)
    };
    Case::new(label, vec![column], run, oracle, 0)
}

fn shifts() -> Vec<Case> {
    use NullPattern::{All, None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    for (data_type, seed) in types().into_iter().chain([nested(), DataType::Null]).chain(own_parts()).zip(0..) {
        for (nulls, fill, offset) in [(Plain, Plain, 33), (Nulls, All, -5)] {
            let label = format!("{data_type}/157/{offset}/{nulls:?}");
            let column = random_array(&data_type, 157, nulls, seed);
            cases.push(match data_type {
                DataType::Dictionary(..) | DataType::Utf8View | DataType::BinaryView => {
                    shared(label, column, offset, fill == All)
                }
                _ => case(label, column, offset, random_array(&data_type, 1, fill, seed + 7)),
            });
        }
    }
    for (&rows, seed) in BRACKETS.iter().zip(1..) {
        for data_type in &FEW {
            for (offset, nulls, fill) in [(1, Nulls, Plain), (-31, Plain, All)] {
                let (column, fill) =
                    (random_array(data_type, rows, nulls, seed), random_array(data_type, 1, fill, seed));
                cases.push(case(format!("{data_type}/{rows}/{offset}"), column, offset, fill));
            }
        }
    }
    for data_type in &FEW {
        for offset in [0, 99, 100, -100, 101, -70, i64::MAX, i64::MIN] {
            let (column, fill) = (random_array(data_type, 100, Nulls, 3), random_array(data_type, 1, Plain, 4));
            cases.push(case(format!("{data_type}/100 by {offset}"), column, offset, fill));
        }
    }
    // The operation estimates the size of the text for its first allocation.
    for (offset, nulls) in [(1_000, Plain), (-40_000, Nulls)] {
        let (column, fill) = (data::long_texts(50_000, nulls, 2), random_array(&DataType::Utf8, 1, Plain, 5));
        cases.push(case(format!("long text/{offset}/{nulls:?}"), column, offset, fill));
    }
    cases
}
