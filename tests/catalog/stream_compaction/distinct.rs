//! Entries of `stream_compaction`: distinct rows.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::stream_compaction::{self as api, DuplicateKeepOption as Keep, NanEquality, NullEquality};
use gdf_external::bounds;

use super::unique::with_numbers;
use crate::catalog::groupby::key_types;
use crate::catalog::shared::struct_keys::struct_keys;
use crate::catalog::shared::tables::{
    few_nested, filter_waits, gather_waits, nested_key_slices, nested_key_waits, scratch, shape_of, view,
};
use crate::catalog::{Case, Entry};
use crate::naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array, with_validity};
use gdf_test::value::{Value, from_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("stream_compaction.distinct", Equality::Exact, || cases(|keep| keep != Keep::Any)).guessing(),
        // With `Keep::Any`, the operation may keep any row of several equal rows. The order of the remaining rows is
        // therefore unspecified too.
        Entry::new("stream_compaction.distinct", Equality::AnyOrder, || cases(|keep| keep == Keep::Any)).guessing(),
        Entry::new("stream_compaction.distinct_indices", Equality::Exact, indices).guessing(),
        Entry::new("stream_compaction.distinct_indices", Equality::AnyOrder, any_indices).guessing(),
    ]
}

const KEEPS: [Keep; 4] = [Keep::Any, Keep::First, Keep::Last, Keep::None];

#[derive(Clone, Copy, Debug)]
struct Options {
    keep: Keep,
    nulls: NullEquality,
    nans: NanEquality,
}

impl Options {
    fn all(index: usize) -> Self {
        Options {
            keep: KEEPS[index % 4],
            nulls: if (index / 4).is_multiple_of(2) { NullEquality::Equal } else { NullEquality::Unequal },
            nans: if (index / 8).is_multiple_of(2) { NanEquality::AllEqual } else { NanEquality::Unequal },
        }
    }
}

/// Builds a case with these keys.
fn case(label: String, keys: Vec<ArrayRef>, options: Options) -> Case {
    let Options { keep, nulls, nans } = options;
    let (waits, slices) = (filter_waits(&keys) + nested_key_waits(&keys), nested_key_slices(&keys));
    let columns = with_numbers(&keys, keep);
    let first = columns.len() - keys.len();
    let numbers: Vec<usize> = (first..columns.len()).collect();
    let label = format!("{label}/{keep:?}/{nulls:?}/{nans:?}");
    Case::new(
        label,
        columns,
        move |inputs| Ok(api::distinct(view(inputs)?, &numbers, keep, nulls, nans)?.into_columns()),
        move |inputs| {
            let stay = naive::stream_compaction::distinct_rows(&inputs[first..], keep, nulls, nans);
            naive::stream_compaction::rows(inputs, &stay)
        },
        waits,
    )
    .with_bound(move |inputs| bounds::distinct(&shape_of(&inputs[first..]), &shape_of(inputs)))
    .with_slice_costs(slices)
}

/// Returns each row of `column` twice, so that the column contains equal rows.
fn twice(column: &ArrayRef) -> ArrayRef {
    let values = gdf_test::value::to_values(column);
    from_values(column.data_type(), &[values.clone(), values].concat())
}

fn numbers(len: usize, distinct: u64, step: i128, nulls: NullPattern, seed: u64) -> ArrayRef {
    let key = |row: usize| (row as u64 ^ seed << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 13;
    let values: Vec<_> = (0..len).map(|row| Some(Value::Int(i128::from(key(row) % distinct) * step - 9))).collect();
    with_validity(&from_values(&DataType::Int64, &values), nulls.validity(len, seed))
}

fn tables() -> Vec<(String, Vec<ArrayRef>)> {
    let mut tables = Vec::new();
    for (seed, data_type) in key_types().into_iter().enumerate() {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let column = twice(&random_array(&data_type, 90, nulls, seed as u64));
            tables.push((format!("{data_type}/{nulls:?}"), vec![column]));
        }
    }
    for (seed, data_type) in data::nested_keys().into_iter().enumerate() {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let column = few_nested(&data_type, 150, 60, nulls, seed as u64);
            tables.push((format!("nested {data_type}/{nulls:?}"), vec![column]));
        }
    }
    for len in SMALL_BRACKETS.iter().copied().chain([2049]) {
        for nulls in [NullPattern::None, NullPattern::Some, NullPattern::All] {
            tables.push((format!("rows {len}/{nulls:?}"), vec![numbers(len, 40, 1, nulls, 1)]));
        }
    }
    for (label, distinct, step) in [("indices", 700, 1), ("hashed", 700, 1 << 40), ("one key", 1, 1)] {
        for nulls in [NullPattern::None, NullPattern::Some] {
            tables.push((format!("{label}/{nulls:?}"), vec![numbers(3000, distinct, step, nulls, 2)]));
        }
    }
    for nulls in [NullPattern::None, NullPattern::Some] {
        tables.push((format!("edge texts/{nulls:?}"), vec![data::edge_texts(300, nulls, 1)]));
    }
    for (label, types) in [
        ("packed", vec![DataType::Int16, DataType::Boolean]),
        ("too wide", vec![DataType::Int64, DataType::Int32]),
        ("text", vec![DataType::Utf8, DataType::Int8]),
        ("mixed", vec![DataType::LargeUtf8, DataType::Date32, DataType::Decimal128(38, 2), DataType::Float64]),
    ] {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let key = |(seed, data_type)| twice(&random_array(data_type, 130, nulls, seed as u64));
            tables.push((format!("columns {label}/{nulls:?}"), types.iter().enumerate().map(key).collect()));
        }
    }
    for (name, key) in struct_keys(150, 1) {
        for turn in 0..4 {
            tables.push((format!("structs {name}/{turn}"), vec![key.clone()]));
        }
    }
    tables
}

fn has_floats(data_type: &DataType) -> bool {
    gdf_core::is_floating(data_type) || gdf_core::layout::child_types(data_type).into_iter().any(has_floats)
}

fn cases(kept: fn(Keep) -> bool) -> Vec<Case> {
    // The number of rows exceeds the number of threads of a large device.
    let rows = || vec![numbers(140_000, 90_000, 1 << 30, NullPattern::None, 3)];
    let options = |keep| Options { keep, nulls: NullEquality::Equal, nans: NanEquality::AllEqual };
    let many = [Keep::Any, Keep::Last].into_iter().filter(|keep| kept(*keep));
    let many = many.flat_map(|keep| {
        // From this number of texts on, the operation first finds the bytes in which the texts differ.
        let texts: Vec<_> = (0..1 << 20).map(|row: u64| Some(Value::Str((row * 7919 % 90_001).to_string()))).collect();
        let mut texts = case("many texts".into(), vec![from_values(&DataType::Utf8, &texts)], options(keep));
        texts.waits += 1;
        [case("many rows".into(), rows(), options(keep)), texts]
    });
    let tables = tables().into_iter().enumerate();
    let small = tables.flat_map(|(index, (label, columns))| {
        // Each table has one case for each value of `keep`.
        let others = (0..4).map(move |turn| Options::all(index * 4 + turn + index / 4 * 4));
        // Floats that count as equal may have different bits, so a test could see which of the equal rows remains.
        // Tables with floats therefore have no case of `Keep::Any`.
        let floats = columns.iter().any(|column| has_floats(column.data_type()));
        let options = others.filter(move |options| kept(options.keep) && !(floats && options.keep == Keep::Any));
        options.map(move |options| case(label.clone(), columns.clone(), options)).collect::<Vec<_>>()
    });
    small.chain(many).collect()
}

/// Returns keys with options for [`api::distinct_indices`].
fn keys_with_options() -> Vec<(String, Vec<ArrayRef>, Options)> {
    let with_options = |(index, (label, keys)): (usize, (String, Vec<ArrayRef>))| {
        let Options { keep, nulls, nans } = Options::all(index + index / 4);
        // Floats that count as equal may have different bits.
        let floats = keys.iter().any(|key| has_floats(key.data_type()));
        let keep = if floats && keep == Keep::Any { Keep::First } else { keep };
        (format!("{label}/{keep:?}/{nulls:?}/{nans:?}"), keys, Options { keep, nulls, nans })
    };
    tables().into_iter().enumerate().map(with_options).collect()
}

fn indices() -> Vec<Case> {
    let case = |(label, columns, options): (String, Vec<ArrayRef>, Options)| {
        let Options { keep, nulls, nans } = options;
        let numbers = |rows: Vec<usize>| {
            let values: Vec<_> = rows.into_iter().map(|row| Some(Value::UInt(row as u64))).collect();
            from_values(&DataType::UInt32, &values)
        };
        let (waits, slices) = (1 + nested_key_waits(&columns), nested_key_slices(&columns));
        Case::new(
            label,
            columns,
            move |inputs| Ok(vec![api::distinct_indices(view(inputs)?, keep, nulls, nans)?]),
            move |inputs| Ok(vec![numbers(naive::stream_compaction::distinct_rows(inputs, keep, nulls, nans))]),
            waits,
        )
        .with_slice_costs(slices)
    };
    keys_with_options().into_iter().filter(|(.., options)| options.keep != Keep::Any).map(case).collect()
}

/// Builds cases of `Keep::Any`. The numbers of the rows are unspecified, so the rows with these numbers are compared.
fn any_indices() -> Vec<Case> {
    let case = |(label, keys, options): (String, Vec<ArrayRef>, Options)| {
        let Options { keep, nulls, nans } = options;
        let (waits, slices) = (1 + nested_key_waits(&keys) + gather_waits(&keys), nested_key_slices(&keys));
        Case::new(
            label,
            keys,
            move |inputs| {
                let numbers = scratch(inputs[0].device(), || api::distinct_indices(view(inputs)?, keep, nulls, nans))?;
                Ok(gather(view(inputs)?, &numbers, OutOfBoundsPolicy::Nullify)?.into_columns())
            },
            move |inputs| {
                let stay = naive::stream_compaction::distinct_rows(inputs, keep, nulls, nans);
                naive::stream_compaction::rows(inputs, &stay)
            },
            waits,
        )
        .with_slice_costs(slices)
    };
    keys_with_options().into_iter().filter(|(.., options)| options.keep == Keep::Any).map(case).collect()
}
