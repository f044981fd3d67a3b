//! Entries of `quantiles` for t-digests. If a result must be exact, the means and weights are small whole numbers.

use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::quantiles as api;
use gdf_core::{Column, ColumnView, Error, Result};

use crate::catalog::groupby::values::small;
use crate::catalog::shared::refusals::public_refusals;
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::quantiles::tdigest as naive;
use crate::naive::unary::cast;
use gdf_test::builders::plain;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{Value, from_values, to_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("quantiles.concatenate_tdigests", Equality::Exact, concatenated),
        Entry::new("quantiles.merge_tdigests", Equality::Exact, merged),
        Entry::new("quantiles.percentile_approx", Equality::Ulp(256), percentiles),
        Entry::new("quantiles.tdigest", Equality::Exact, values),
        Entry::new("quantiles.tdigest", Equality::Ulp(256), fractions),
    ]
}

/// The number of words that the operation copies to the host: the numbers of centroids, and the smallest and the
/// largest weight of a column.
const WORDS: usize = 8;

/// The largest numbers of centroids of a digest.
const SIZES: [u32; 5] = [1000, 10, 100, 1, 2];

fn value_case(label: &str, column: ArrayRef, size: u32) -> Case {
    let label = format!("{}/{label}", column.data_type());
    // The number of waits: for the null count, for a sort, and for the segments.
    Case::new(
        label,
        vec![column],
        move |inputs| Ok(vec![api::tdigest(&inputs[0], size)?]),
        move |inputs| {
            let doubles = cast::cast(&inputs[0], &DataType::Float64)?;
            Ok(vec![naive::tdigest(&doubles[0], size)])
        },
        8,
    )
    .with_slice_costs(SliceCosts::Own)
}

fn is_taken(data_type: &DataType) -> bool {
    [data::numeric(), data::decimal(), vec![DataType::Boolean]].concat().contains(data_type)
}

fn values() -> Vec<Case> {
    let mut cases = Vec::new();
    for (turn, data_type) in [data::numeric(), vec![DataType::Boolean]].concat().into_iter().enumerate() {
        for (rows, nulls) in [(200, NullPattern::Some), (64, NullPattern::All)] {
            let column = small(&data_type, rows, nulls, turn as u64);
            cases.push(value_case(&format!("{rows}/{nulls:?}"), column, SIZES[turn % 3]));
        }
    }
    for (turn, rows) in SMALL_BRACKETS.iter().copied().chain([1025, 5000]).enumerate() {
        for nulls in NullPattern::ALL {
            let column = small(&DataType::Float64, rows, *nulls, turn as u64);
            cases.push(value_case(&format!("{rows}/{nulls:?}"), column, SIZES[turn % 5]));
        }
    }
    let special = [f64::NAN, 1.0, f64::INFINITY, 3.0, f64::NEG_INFINITY, f64::NAN, f64::INFINITY];
    cases.push(value_case("special", plain::<Float64Type>(special), 100));
    cases.push(value_case("NaN", plain::<Float64Type>([f64::NAN; 3]), 100));
    cases.extend(public_refusals(
        &["values"],
        |_, data_type| is_taken(data_type),
        |_, inputs| Ok(vec![api::tdigest(&inputs[0], 100)?]),
    ));
    for size in [0, 1_000_001] {
        let column = random_array(&DataType::Int32, 5, NullPattern::None, 1);
        cases.push(Case::refused(
            format!("refused {size}"),
            vec![column],
            move |inputs| Ok(vec![api::tdigest(&inputs[0], size)?]),
            |error| matches!(error, Error::InvalidArgument { .. }),
        ));
    }
    cases
}

fn fractions() -> Vec<Case> {
    let mut cases = Vec::new();
    for (turn, data_type) in data::decimal().into_iter().enumerate() {
        let column = small(&data_type, 300, NullPattern::Some, turn as u64);
        let positive: Vec<_> = to_values(&column)
            .into_iter()
            .map(|value| value.filter(|value| value.as_i256().is_some_and(|number| number > arrow_buffer::i256::ZERO)))
            .collect();
        cases.push(value_case("300", from_values(&data_type, &positive), 10));
    }
    let tenths = (0..10_000_u64).map(|row| 1.0 + (row * 7919 % 10_007) as f64 * 0.1);
    cases.push(value_case("tenths", plain::<Float64Type>(tenths), 1000));
    cases.push(value_case("equal", plain::<Float64Type>([0.1; 3000]), 100));
    cases
}

/// Returns digests, some of which are null or have no centroids.
pub(crate) fn digests(rows: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let valid = nulls.validity(rows, seed);
    let digest = |row: usize| {
        let (first, count) = ((row as u64 * 37 + seed) % 50, (row as u64 * 7 + seed) % 23);
        let centroid = |i: u64| ((first + i * 3) as f64, (1 + (row as u64 + i * i) % 5) as f64);
        let centroids: Vec<_> = (0..count).map(centroid).collect();
        let min = if count == 0 { 0.0 } else { first as f64 - 1.0 };
        let max = centroids.last().map_or(0.0, |(mean, _)| mean + 1.0);
        naive::digest(&centroids, min, max)
    };
    let rows = (0..rows).map(|row| valid.as_ref().is_none_or(|valid| valid.is_valid(row)).then(|| digest(row)));
    from_values(&naive::digest_type(), &rows.collect::<Vec<_>>())
}

fn inputs() -> Vec<(String, ArrayRef)> {
    let mut inputs = Vec::new();
    for (seed, &rows) in (0..).zip(SMALL_BRACKETS) {
        for &nulls in NullPattern::ALL {
            inputs.push((format!("{rows}/{nulls:?}"), digests(rows, nulls, seed)));
        }
    }
    let values = [f64::NEG_INFINITY, f64::INFINITY, 3.0, f64::INFINITY, f64::NAN, 2.0];
    let special = [naive::of_numbers(&values, 100), naive::of_numbers(&values[..4], 100)];
    inputs.push(("special".into(), from_values(&naive::digest_type(), &special.map(Some))));
    inputs
}

fn merged() -> Vec<Case> {
    let mut cases = Vec::new();
    for (turn, (label, column)) in inputs().into_iter().enumerate() {
        let size = SIZES[turn % 5];
        cases.push(
            Case::new(
                label,
                vec![column],
                move |inputs| Ok(vec![api::merge_tdigests(&inputs[0], size)?]),
                move |inputs| {
                    let merged = naive::merged(to_values(&inputs[0]).iter().flatten(), size);
                    Ok(vec![from_values(&naive::digest_type(), &[Some(merged)])])
                },
                16,
            )
            .with_host_values(WORDS)
            .with_slice_costs(SliceCosts::Own),
        );
    }
    cases.extend(refused(|digests| api::merge_tdigests(digests, 100)));
    cases
}

/// Builds cases of columns that are not digests, and cases of digests with invalid contents.
fn refused(run: fn(&Column) -> Result<Column>) -> Vec<Case> {
    let case = |label: String, column: ArrayRef, is: fn(&Error) -> bool| {
        let run = move |inputs: &[Column]| Ok(vec![run(&inputs[0])?]);
        Case::refused(format!("refused {label}"), vec![column], run, is)
    };
    let mut cases = Vec::new();
    for data_type in [data::nested(), vec![DataType::Float64]].concat() {
        let column = random_array(&data_type, 3, NullPattern::None, 1);
        let mismatch = |error: &Error| matches!(error, Error::TypeMismatch { .. });
        cases.push(case(format!("type {data_type}"), column, mismatch));
    }
    let null = |field: usize| {
        let mut fields = [1.0, 2.0].map(|number| Some(Value::F64(number)));
        fields[field] = None;
        let centroids = Value::List(vec![Some(Value::Struct(fields.to_vec()))]);
        Value::Struct(vec![Some(centroids), Some(Value::F64(1.0)), Some(Value::F64(1.0))])
    };
    let weights = [0.0, -1.0, -0.0, f64::NAN, f64::INFINITY, 1e17];
    let weights =
        weights.map(|weight| (format!("weight {weight}"), naive::digest(&[(1.0, 2.0), (2.0, weight)], 1.0, 2.0)));
    for (label, digest) in weights.into_iter().chain([("mean null".into(), null(0)), ("weight null".into(), null(1))]) {
        let column = from_values(&naive::digest_type(), &[Some(digest)]);
        cases.push(case(label, column, |error| matches!(error, Error::InvalidArgument { .. })));
    }
    cases
}

const SHARES: [f64; 10] = [0.0, 0.01, 0.1, 0.25, 0.5, 1.0 / 3.0, 0.9, 1.0, -1.0, 7.0];

fn percentiles() -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, column) in inputs() {
        for q in [&SHARES[..], &SHARES[4..5], &[]] {
            cases.push(
                Case::new(
                    format!("{label}/{}", q.len()),
                    vec![column.clone()],
                    move |inputs| Ok(api::percentile_approx(&inputs[0], q)?.into_columns()),
                    move |inputs| Ok(naive::percentile_approx(&inputs[0], q)),
                    10,
                )
                .with_host_values(WORDS)
                .with_slice_costs(SliceCosts::Own),
            );
        }
    }
    cases.extend(refused(|digests| Ok(api::percentile_approx(digests, &[0.5])?.column(0)?.clone())));
    cases.push(Case::refused(
        "refused NaN",
        vec![digests(3, NullPattern::None, 1)],
        |inputs| Ok(api::percentile_approx(&inputs[0], &[f64::NAN])?.into_columns()),
        |error| matches!(error, Error::InvalidArgument { .. }),
    ));
    cases
}

fn views(columns: &[Column]) -> Vec<ColumnView<'_>> {
    columns.iter().map(Column::view).collect()
}

fn concatenated() -> Vec<Case> {
    let mut cases = Vec::new();
    for (seed, lengths) in [vec![3], vec![0], vec![0, 4, 0], vec![33, 64], vec![1, 2, 3, 4, 5]].into_iter().enumerate()
    {
        for &nulls in NullPattern::ALL {
            let columns = lengths.iter().map(|rows| digests(*rows, nulls, seed as u64)).collect::<Vec<_>>();
            let (waits, words) = (8 * lengths.len() as u64, WORDS * lengths.len());
            cases.push(
                Case::new(
                    format!("{lengths:?}/{nulls:?}"),
                    columns,
                    |inputs| Ok(vec![api::concatenate_tdigests(&views(inputs))?]),
                    |inputs| Ok(vec![naive::concatenated(inputs)]),
                    waits,
                )
                .with_host_values(words)
                .with_slice_costs(SliceCosts::Own),
            );
        }
    }
    cases.extend(refused(|digests| api::concatenate_tdigests(&[digests.view()])));
    cases.push(Case::refused(
        "refused nothing",
        Vec::new(),
        |_| Ok(vec![api::concatenate_tdigests(&[])?]),
        |error| matches!(error, Error::InvalidArgument { .. }),
    ));
    cases
}
