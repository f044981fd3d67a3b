//! Entries of `stream_compaction` for runs of equal rows, for numbers of distinct rows, for rows with nulls or NaN, and
//! for deletion masks.

use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::stream_compaction::{self as api, DuplicateKeepOption as Keep, NullEquality as Nulls};
use gdf_api::stream_compaction::{NanEquality, NanPolicy, NullPolicy};
use gdf_core::{Column, Error, Result};
use gdf_external::bounds;

use crate::catalog::shared::tables::{as_table, filter_waits, nested_key_slices, nested_key_waits, shape_of, shown};
use crate::catalog::{Case, Entry};
use crate::naive::replace::is_nan;
use crate::naive::stream_compaction as naive;
use crate::naive::transform::nans_to_nulls;
use gdf_test::builders::plain;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{Value, from_values, to_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("stream_compaction.unique", Equality::Exact, runs).guessing(),
        Entry::new("stream_compaction.unique_count", Equality::Exact, || counts(true)),
        Entry::new("stream_compaction.distinct_count", Equality::Exact, || counts(false)),
        Entry::new("stream_compaction.unique_count_rows", Equality::Exact, || row_counts(true)),
        Entry::new("stream_compaction.distinct_count_rows", Equality::Exact, || row_counts(false)),
        Entry::new("stream_compaction.drop_nulls", Equality::Exact, without_nulls).guessing(),
        Entry::new("stream_compaction.drop_nans", Equality::Exact, without_nans).guessing(),
        Entry::new("stream_compaction.apply_deletion_mask", Equality::Exact, deletions).guessing(),
    ]
}

/// Returns the rows of a random column.
fn repeated(data_type: &DataType, rows: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let values = to_values(&random_array(data_type, rows, nulls, seed)).into_iter().enumerate();
    let copies = values.flat_map(|(row, value)| vec![value; (row * 7 + seed as usize) % 3 + 1]);
    from_values(data_type, &copies.take(rows).collect::<Vec<_>>())
}

/// Returns tables of one column of each type. A quarter of the types also have columns without nulls.
fn tables() -> Vec<(String, Vec<ArrayRef>)> {
    let mut tables = Vec::new();
    for (data_type, seed) in data::ordered().iter().zip(1_u64..) {
        let patterns = [NullPattern::Some, NullPattern::None];
        for &nulls in if seed % 4 == 1 { &patterns[..] } else { &patterns[..1] } {
            tables.push((format!("{data_type}/{nulls:?}"), vec![repeated(data_type, 147, nulls, seed)]));
        }
    }
    for (data_type, seed) in data::nested_keys().iter().zip(1_u64..) {
        tables.push((format!("nested {data_type}"), vec![repeated(data_type, 147, NullPattern::Some, seed)]));
    }
    for &rows in SMALL_BRACKETS.iter().chain(&[2049, 10_000]) {
        tables.push((format!("rows {rows}"), vec![repeated(&DataType::Int32, rows, NullPattern::Some, 3)]));
    }
    let columns = [DataType::Boolean, DataType::Int8, DataType::Utf8].into_iter().zip(1_u64..);
    let columns = columns.map(|(of, seed)| repeated(&of, 147, NullPattern::Some, seed * 3)).collect();
    tables.push(("columns".into(), columns));
    tables
}

/// Returns the keys, with the row numbers before the keys. The row numbers are not a key, and show which of several
/// equal rows stays. With `Keep::Any`, this is unspecified, so the row numbers are left out.
pub(crate) fn with_numbers(keys: &[ArrayRef], keep: Keep) -> Vec<ArrayRef> {
    let rows = keys.first().map_or(0, |key| key.len());
    let numbers = plain::<Int64Type>(0..rows as i64);
    Some(numbers).filter(|_| keep != Keep::Any).into_iter().chain(keys.iter().cloned()).collect()
}

fn runs() -> Vec<Case> {
    let case = |label: &str, keys: Vec<ArrayRef>, keep: Keep, nulls: Nulls| {
        let (waits, slices) = (filter_waits(&keys) + nested_key_waits(&keys), nested_key_slices(&keys));
        let (columns, count) = (with_numbers(&keys, keep), keys.len());
        let first = columns.len() - count;
        let numbers: Vec<usize> = (first..columns.len()).collect();
        Case::new(
            format!("{label}/{keep:?}/{nulls:?}"),
            columns,
            move |inputs| Ok(api::unique(&as_table(inputs)?, &numbers, keep, nulls)?.into_columns()),
            move |inputs| naive::rows(inputs, &naive::unique_rows(&inputs[first..], keep, nulls)),
            waits,
        )
        .with_slice_costs(slices)
    };
    let mut cases = Vec::new();
    for (turn, (label, columns)) in tables().into_iter().enumerate() {
        for (at, keep) in [Keep::First, Keep::Last, Keep::None, Keep::Any].into_iter().enumerate() {
            // Every value of `keep` meets both null equalities.
            let nulls = [Nulls::Equal, Nulls::Unequal][(turn + at + turn / 4 * (at / 2)) % 2];
            cases.push(case(&label, columns.clone(), keep, nulls));
        }
    }
    for (label, keys) in [("no keys", vec![]), ("33 keys", vec![0_usize; 33])] {
        let run = move |inputs: &[Column]| {
            Ok(api::unique(&as_table(inputs)?, &keys, Keep::First, Nulls::Equal)?.into_columns())
        };
        let is_right = |error: &Error| matches!(error, Error::InvalidArgument { .. });
        cases.push(Case::refused(format!("refused {label}"), numbers_of(3), run, is_right));
    }
    let run = |inputs: &[Column]| Ok(api::unique(&as_table(inputs)?, &[1], Keep::First, Nulls::Equal)?.into_columns());
    cases.push(Case::refused("refused key", numbers_of(3), run, is_outside));
    cases
}

fn numbers_of(rows: usize) -> Vec<ArrayRef> {
    vec![random_array(&DataType::Int32, rows, NullPattern::None, 1)]
}

fn is_outside(error: &Error) -> bool {
    matches!(error, Error::OutOfBounds { .. })
}

fn number(
    label: String,
    inputs: Vec<ArrayRef>,
    count: impl Fn(&[Column]) -> Result<usize> + Send + Sync + 'static,
    naive: impl Fn(&[ArrayRef]) -> Result<usize, String> + Send + Sync + 'static,
) -> Case {
    let (waits, slices) = (1 + nested_key_waits(&inputs), nested_key_slices(&inputs));
    Case::new(
        label,
        inputs,
        move |inputs| Ok(vec![shown(&[count(inputs)? as u64], inputs[0].device())?]),
        move |inputs| Ok(vec![plain::<UInt64Type>([naive(inputs)? as u64])]),
        waits,
    )
    .with_slice_costs(slices)
}

fn counts(unique: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, columns) in tables().into_iter().filter(|(_, columns)| columns.len() == 1) {
        for (nulls, nans) in [
            (NullPolicy::Include, NanPolicy::IsValid),
            (NullPolicy::Exclude, NanPolicy::IsValid),
            (NullPolicy::Include, NanPolicy::IsNull),
            (NullPolicy::Exclude, NanPolicy::IsNull),
        ] {
            let count = move |inputs: &[Column]| {
                let count = if unique { api::unique_count } else { api::distinct_count };
                count(&inputs[0], nulls, nans)
            };
            let naive = move |inputs: &[ArrayRef]| {
                let floats = gdf_core::is_floating(inputs[0].data_type()) && nans == NanPolicy::IsNull;
                let column = if floats { nans_to_nulls(&inputs[0])? } else { inputs[0].clone() };
                let columns = std::slice::from_ref(&column);
                let rows = if unique {
                    naive::unique_rows(columns, Keep::First, Nulls::Equal)
                } else {
                    naive::distinct_rows(columns, Keep::First, Nulls::Equal, NanEquality::AllEqual)
                };
                let counts = |row: &usize| nulls == NullPolicy::Include || column.is_valid(*row);
                Ok(rows.into_iter().filter(counts).count())
            };
            cases.push(number(format!("{label}/{nulls:?}/{nans:?}"), columns.clone(), count, naive));
        }
    }
    cases
}

fn row_counts(unique: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, columns) in tables() {
        for nulls in [Nulls::Equal, Nulls::Unequal] {
            let count = move |inputs: &[Column]| {
                let count = if unique { api::unique_count_rows } else { api::distinct_count_rows };
                count(&as_table(inputs)?, nulls)
            };
            let naive = move |inputs: &[ArrayRef]| {
                Ok(if unique {
                    naive::unique_rows(inputs, Keep::First, nulls).len()
                } else {
                    naive::distinct_rows(inputs, Keep::First, nulls, NanEquality::AllEqual).len()
                })
            };
            cases.push(number(format!("{label}/{nulls:?}"), columns.clone(), count, naive));
        }
    }
    cases
}

/// Builds a case that drops rows of a table of four columns.
fn dropped(columns: Vec<ArrayRef>, nans: bool, keys: Vec<usize>, threshold: usize) -> Case {
    let label = format!("{keys:?} {threshold}/{}", columns[0].len());
    let (own, waits) = (keys.clone(), filter_waits(&columns));
    Case::new(
        label,
        columns,
        move |inputs| {
            let drop = if nans { api::drop_nans } else { api::drop_nulls };
            Ok(drop(&as_table(inputs)?, &own, threshold)?.into_columns())
        },
        move |inputs| {
            let keys: Vec<_> = keys.iter().map(|key| inputs[*key].clone()).collect();
            let wanted = |value: &Option<Value>| {
                if nans { !value.as_ref().is_some_and(is_nan) } else { value.is_some() }
            };
            naive::rows(inputs, &naive::rows_with(&keys, threshold, wanted))
        },
        waits,
    )
    .with_bound(|inputs| bounds::filter(&shape_of(inputs)))
}

fn drops(types: &[DataType; 4], nans: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for &rows in SMALL_BRACKETS.iter().chain(&[2049]) {
        for (keys, threshold) in
            [(vec![0], 1), (vec![0, 1], 2), (vec![0, 1], 1), (vec![0, 1, 2], 2), (vec![2, 0], 3), (vec![0, 1, 2], 3)]
        {
            let columns = types.iter().zip(1_u64..);
            let columns = columns.map(|(of, seed)| random_array(of, rows, NullPattern::Some, seed + rows as u64));
            cases.push(dropped(columns.collect(), nans, keys, threshold));
        }
    }
    cases
}

fn without_nulls() -> Vec<Case> {
    let mut cases = drops(&[DataType::Int32, DataType::Utf8, DataType::Boolean, DataType::Float64], false);
    let run = |inputs: &[Column]| Ok(api::drop_nulls(&as_table(inputs)?, &[1], 1)?.into_columns());
    cases.push(Case::refused("refused key", numbers_of(3), run, is_outside));
    cases
}

fn without_nans() -> Vec<Case> {
    let mut cases = drops(&[DataType::Float64, DataType::Float32, DataType::Float16, DataType::Utf8], true);
    cases.push(Case::refused(
        "refused/Int32",
        vec![random_array(&DataType::Int32, 3, NullPattern::Some, 1)],
        |inputs| Ok(api::drop_nans(&as_table(inputs)?, &[0], 1)?.into_columns()),
        |error| matches!(error, Error::Unsupported { .. }),
    ));
    cases
}

fn deletions() -> Vec<Case> {
    let case = |rows: usize, nulls: NullPattern| {
        let column = random_array(&DataType::Int64, rows, NullPattern::Some, 1);
        let inputs = vec![column, random_array(&DataType::Boolean, rows, nulls, rows as u64)];
        Case::new(
            format!("{rows}/{nulls:?}"),
            inputs,
            |inputs| Ok(api::apply_deletion_mask(&as_table(&inputs[..1])?, &inputs[1])?.into_columns()),
            |inputs| {
                let rows = to_values(&inputs[1]).into_iter().enumerate();
                let kept: Vec<_> =
                    rows.filter(|(_, mask)| *mask == Some(Value::Bool(false))).map(|(row, _)| row).collect();
                naive::rows(&inputs[..1], &kept)
            },
            1,
        )
    };
    let rows = SMALL_BRACKETS.iter().chain(&[2049]);
    rows.flat_map(|&rows| [NullPattern::None, NullPattern::Some].map(|nulls| case(rows, nulls))).collect()
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
