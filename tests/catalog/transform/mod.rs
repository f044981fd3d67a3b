//! Entries of `transform`.

pub(super) mod encodings;
pub(super) mod expression;

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::transform as api;
use gdf_core::{Column, Error};

use super::shared::tables::{as_table, list_types, nested};
use super::{Case, Entry, SliceCosts};
use crate::naive::transform as naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{from_values, to_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("transform.nans_to_nulls", Equality::Exact, nulls_of_nans).sharing_inputs(),
        Entry::new("transform.encode", Equality::Exact, encoded).guessing(),
        Entry::new("transform.one_hot_encode", Equality::Exact, one_hot).guessing(),
        Entry::new("transform.row_bit_count", Equality::Exact, || bits(false)),
        Entry::new("transform.segmented_row_bit_count", Equality::Exact, || bits(true)),
    ]
}

fn nulls_of_nans() -> Vec<Case> {
    let run = |inputs: &[Column]| Ok(vec![api::nans_to_nulls(&inputs[0])?]);
    let case =
        |(label, input)| Case::new(label, vec![input], run, |inputs| Ok(vec![naive::nans_to_nulls(&inputs[0])?]), 0);
    let mut cases: Vec<_> = data::grid(&data::floating(), BRACKETS).into_iter().map(case).collect();
    let column = random_array(&DataType::Int32, 3, NullPattern::None, 1);
    cases.push(Case::refused("refused/Int32", vec![column], run, |error| matches!(error, Error::Unsupported { .. })));
    cases
}

/// Builds a case of `encode`.
fn encode(label: String, columns: Vec<ArrayRef>) -> Case {
    let text = columns.iter().any(|column| data::strings().contains(column.data_type()));
    let run = |inputs: &[Column]| {
        let (keys, codes) = api::encode(&as_table(inputs)?)?;
        Ok([keys.into_columns(), vec![codes]].concat())
    };
    Case::new(label, columns, run, naive::encode, if text { 12 } else { 6 })
}

fn encoded() -> Vec<Case> {
    use NullPattern::{All, None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    for (data_type, seed) in data::ordered().iter().zip(1_u64..) {
        for nulls in [Plain, Nulls] {
            let column = random_array(data_type, 147, nulls, seed);
            cases.push(encode(format!("{data_type}/{nulls:?}"), vec![column]));
        }
    }
    for (&rows, seed) in SMALL_BRACKETS.iter().chain(&[2049]).zip(1_u64..) {
        for nulls in [Nulls, All] {
            let columns = [DataType::Int8, DataType::Boolean].map(|of| random_array(&of, rows, nulls, seed));
            cases.push(encode(format!("rows/{rows}/{nulls:?}"), columns.to_vec()));
        }
    }
    let columns = [DataType::Int16, DataType::Utf8, DataType::Float64].map(|of| random_array(&of, 147, Nulls, 3));
    cases.push(encode("columns".into(), columns.to_vec()));
    cases
}

fn one_hot() -> Vec<Case> {
    use NullPattern::{Every, None as Plain, Some as Nulls};
    let case = |label: String, column: ArrayRef, categories: ArrayRef| {
        let text = data::strings().contains(column.data_type());
        Case::new(
            label,
            vec![column, categories],
            |inputs| Ok(api::one_hot_encode(&inputs[0], &inputs[1])?.into_columns()),
            |inputs| Ok(naive::one_hot_encode(&inputs[0], &inputs[1])),
            if text { 5 } else { 3 },
        )
    };
    let mut cases = Vec::new();
    for (data_type, seed) in data::ordered().iter().zip(1_u64..) {
        let column = random_array(data_type, 147, Nulls, seed);
        // Some categories occur in the column, and one category is repeated.
        let some = to_values(&column)[..9].to_vec();
        let other = to_values(&random_array(data_type, 3, Every(2), seed + 1));
        let categories = from_values(data_type, &[some, other].concat());
        cases.push(case(format!("{data_type}"), column, categories));
    }
    for &rows in SMALL_BRACKETS.iter().chain(&[2049]) {
        let column = random_array(&DataType::Int32, rows, Nulls, 2);
        cases.push(case(format!("rows/{rows}"), column, random_array(&DataType::Int32, 4, Every(3), 2)));
    }
    let column = random_array(&DataType::Int32, 65, Nulls, 2);
    cases.push(case("many".into(), column, random_array(&DataType::Int32, 70, Plain, 2)));
    cases
}

/// Returns the number of bits of a row, as the documentation states it.
fn bits_of(data_type: &DataType) -> i64 {
    match data_type {
        DataType::Boolean => 1,
        DataType::Utf8 | DataType::Binary => 32,
        DataType::LargeUtf8 | DataType::LargeBinary => 64,
        DataType::FixedSizeBinary(width) => i64::from(*width) * 8,
        other => other.primitive_width().unwrap_or(0) as i64 * 8,
    }
}

/// Builds cases in which each column has a null, because only a column with a null has a mask.
fn bits(segmented: bool) -> Vec<Case> {
    let lengths = if segmented { vec![1, 7, 64, 5000] } else { vec![1] };
    let case = |label: String, columns: Vec<ArrayRef>, length: usize| {
        Case::new(
            format!("{label}/{length}"),
            columns,
            move |inputs| {
                let table = as_table(inputs)?;
                Ok(vec![if segmented {
                    api::segmented_row_bit_count(&table, length)?
                } else {
                    api::row_bit_count(&table)?
                }])
            },
            move |inputs| Ok(vec![naive::sums(&naive::row_bits(inputs, bits_of), length)]),
            u64::from(segmented),
        )
    };
    let mut cases = Vec::new();
    for &length in &lengths {
        for (data_type, seed) in [data::fixed_width(), data::strings()].concat().iter().zip(1_u64..) {
            let column = random_array(data_type, 147, NullPattern::Every(3), seed);
            cases.push(case(format!("{data_type}"), vec![column], length));
        }
        for &rows in BRACKETS.iter().filter(|&&rows| rows > 0) {
            let types = [DataType::Utf8, DataType::Int32, DataType::LargeUtf8].into_iter().zip(1_u64..);
            let columns = types.map(|(of, seed)| random_array(&of, rows, NullPattern::Every(2), seed)).collect();
            cases.push(case(format!("columns/{rows}"), columns, length));
        }
    }
    for (data_type, seed) in list_types().into_iter().chain([nested()]).zip(1_u64..) {
        // Elements have a mask only if one of them is null. With 600 rows, at least one element is null.
        let column = random_array(&data_type, 600, NullPattern::Every(4), seed);
        let with_waits = |length: &usize| {
            let mut case = case(format!("nested {data_type}"), vec![column.clone()], *length);
            case.waits = 16;
            case.with_slice_costs(SliceCosts::Own)
        };
        cases.extend(lengths.iter().map(with_waits));
    }
    cases.push(Case::refused(
        "refused/ListView",
        vec![random_array(&data::views()[2], 3, NullPattern::None, 1)],
        |inputs| Ok(vec![api::row_bit_count(&as_table(inputs)?)?]),
        |error| matches!(error, Error::Unsupported { .. }),
    ));
    if segmented {
        cases.push(Case::refused(
            "refused/segments of no rows",
            vec![random_array(&DataType::Int32, 3, NullPattern::None, 1)],
            |inputs| Ok(vec![api::segmented_row_bit_count(&as_table(inputs)?, 0)?]),
            |error| matches!(error, Error::InvalidArgument { .. }),
        ));
    }
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
