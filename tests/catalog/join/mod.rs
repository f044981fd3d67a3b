//! Entries of `join`.

pub(super) mod asof;
pub(super) mod conditions;
pub(super) mod cross;
pub(super) mod matches;
pub(super) mod tables;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array};
use arrow_schema::DataType;
use gdf_api::join::{self as api, HashJoin, NullEquality};
use gdf_core::{Column, Error, Result, TableView};

use super::groupby::key_types;
use super::shared::struct_keys::struct_keys;
use super::shared::tables::{few_nested, nested_key_slices, nested_key_waits, scratch, sides, view};
use super::{Case, Entry, SliceCosts};
use crate::naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array, with_validity};
use gdf_test::value::{Value, from_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("join.inner_join", Equality::FirstColumnOrder, || cases(Join::Inner)).guessing(),
        Entry::new("join.left_join", Equality::FirstColumnOrder, || cases(Join::Left)).guessing(),
        Entry::new("join.full_join", Equality::FirstColumnOrder, || cases(Join::Full)),
        Entry::new("join.left_semi_join", Equality::Exact, || cases(Join::Semi)),
        Entry::new("join.left_anti_join", Equality::Exact, || cases(Join::Anti)),
        Entry::new("join.mark_join", Equality::Exact, || cases(Join::Mark)),
        Entry::new("join.hash_join", Equality::FirstColumnOrder, reused).guessing(),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    Inner,
    Left,
    Full,
    Semi,
    Anti,
    Mark,
}

impl Join {
    fn naive(self, left: &[ArrayRef], right: &[ArrayRef], nulls: NullEquality) -> Vec<ArrayRef> {
        match self {
            Join::Inner => naive::join::pairs(left, right, nulls, false, false),
            Join::Left => naive::join::pairs(left, right, nulls, true, false),
            Join::Full => naive::join::pairs(left, right, nulls, true, true),
            Join::Semi => naive::join::filtered(left, right, nulls, false),
            Join::Anti => naive::join::filtered(left, right, nulls, true),
            Join::Mark => naive::join::marks(left, right, nulls),
        }
    }

    fn run(self, (left, right): (TableView<'_>, TableView<'_>), nulls: NullEquality) -> Result<Vec<Column>> {
        let pair = |(left, right)| vec![left, right];
        Ok(match self {
            Join::Inner => pair(api::inner_join(left, right, nulls)?),
            Join::Left => pair(api::left_join(left, right, nulls)?),
            Join::Full => pair(api::full_join(left, right, nulls)?),
            Join::Semi => vec![api::left_semi_join(left, right, nulls)?],
            Join::Anti => vec![api::left_anti_join(left, right, nulls)?],
            Join::Mark => vec![api::mark_join(left, right, nulls)?],
        })
    }

    /// Returns the largest number of waits.
    fn waits(self) -> u64 {
        if matches!(self, Join::Inner | Join::Left) { 2 } else { 1 }
    }
}

/// A number of rows that exceeds the number of threads of every GPU.
const MANY: usize = 200_000;

/// A number of rows above the limit from which the operation first marks the rows with a match.
const MARKED: i64 = (1 << 20) + 5;

/// From this number of rows on, the operation inspects the texts before it hashes the texts.
const TEXTS: usize = 1 << 20;

/// Returns the text of a row.
fn digits(row: usize) -> String {
    match row {
        101 => "1234567-long".to_owned(),
        102 => "1234567-lone".to_owned(),
        _ => (row * 7919 % (3 * TEXTS)).to_string(),
    }
}

fn hexadecimal(row: usize) -> String {
    format!("{:015x}", (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 4)
}

fn case(join: Join, label: String, left: Vec<ArrayRef>, right: Vec<ArrayRef>, nulls: NullEquality) -> Case {
    let keys = left.len();
    let inputs = [left, right].concat();
    let (waits, slices) = (join.waits() + nested_key_waits(&inputs), nested_key_slices(&inputs));
    Case::new(
        label,
        inputs,
        move |inputs| join.run(sides(inputs, keys)?, nulls),
        move |inputs| {
            let (left, right) = inputs.split_at(keys);
            Ok(join.naive(left, right, nulls))
        },
        waits,
    )
    .with_slice_costs(slices)
}

fn numbers(data_type: &DataType, len: usize, distinct: u64, step: i128, nulls: NullPattern, seed: u64) -> ArrayRef {
    let key = |row: usize| (row as u64 ^ seed << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 13;
    let values: Vec<_> = (0..len).map(|row| Some(Value::Int(i128::from(key(row) % distinct) * step - 20))).collect();
    with_validity(&from_values(data_type, &values), nulls.validity(len, seed))
}

/// A number of rows above the limit from which the operation measures the ranges of keys wider than 64 bits.
const RANGED: i64 = (1 << 18) + 5;

/// Returns keys of two integer columns.
fn ranged_pairs(nulls: bool) -> (Vec<ArrayRef>, Vec<ArrayRef>) {
    let pair = |first: i64, second: i64| (first, second);
    let built: Vec<_> = (0..RANGED).map(|row| pair(row / 500 - 40, row % 500 + (1 << 40))).collect();
    let last = (RANGED - 1) / 500 - 40;
    let near = [-41, -40, 0, last, last + 1, last + 1024, i64::MAX, i64::MIN];
    let others = [-1, 0, 499, 500, 511, 512, 513, 1024].map(|distance| distance + (1 << 40));
    let met = (0..300).map(|row| built[(row * 7919 % RANGED) as usize]);
    let edges = near.into_iter().flat_map(|first| others.map(|second| pair(first, second)));
    let far = [pair(0, 0), pair(0, i64::MAX), pair(0, i64::MIN), pair(1 << 40, 0)];
    let looked_up: Vec<_> = met.chain(edges).chain(far).collect();
    // On the larger side, only a few rows are null in both columns.
    let columns = |pairs: &[(i64, i64)], every: [usize; 2]| -> Vec<ArrayRef> {
        let of = |values: Vec<i64>, every| {
            let pattern = if nulls { NullPattern::Every(every) } else { NullPattern::None };
            let validity = pattern.validity(values.len(), 0);
            with_validity(&(Arc::new(Int64Array::from(values)) as ArrayRef), validity)
        };
        let (first, second) = pairs.iter().copied().unzip();
        vec![of(first, every[0]), of(second, every[1])]
    };
    (columns(&looked_up, [7, 5]), columns(&built, [7919, 7907]))
}

const EQUALITIES: [NullEquality; 2] = [NullEquality::Equal, NullEquality::Unequal];

fn cases(join: Join) -> Vec<Case> {
    let mut cases = Vec::new();
    // The cases have keys of every type.
    for (seed, data_type) in key_types().into_iter().enumerate() {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let left = random_array(&data_type, 130, nulls, seed as u64);
            let right = left.slice(50, 70);
            for equality in EQUALITIES {
                let label = format!("{data_type}/{nulls:?}/{equality:?}");
                cases.push(case(join, label, vec![left.clone()], vec![right.clone()], equality));
            }
        }
    }
    for (seed, data_type) in data::nested_keys().into_iter().enumerate() {
        let keys = |rows, salt| vec![few_nested(&data_type, rows, 50, NullPattern::Some, seed as u64 * 2 + salt)];
        let (left, right) = (keys(130, 0), keys(70, 0));
        for equality in EQUALITIES {
            cases.push(case(join, format!("nested {data_type}/{equality:?}"), left.clone(), right.clone(), equality));
        }
        cases.push(case(join, format!("other nested {data_type}"), left, keys(9, 1), NullEquality::Equal));
    }
    for ((name, left), (_, right)) in struct_keys(130, 1).into_iter().zip(struct_keys(70, 2)) {
        for equality in EQUALITIES {
            let (left, right) = (vec![left.clone(), left.clone()], vec![right.clone(), right.clone()]);
            cases.push(case(join, format!("structs {name}/{equality:?}"), left, right, equality));
        }
    }
    // All kinds of joins use the same table, so only one kind tests the long tables.
    for rows in data::limit_brackets().into_iter().filter(|rows| join == Join::Inner || *rows < 600) {
        let left = numbers(&DataType::Int32, rows, 700, 1, NullPattern::None, 1);
        let right = numbers(&DataType::Int32, 30, 900, 1, NullPattern::None, 2);
        cases.push(case(join, format!("limits/{rows}"), vec![left], vec![right], NullEquality::Equal));
    }
    for equality in EQUALITIES {
        let long = |rows, seed| vec![data::long_texts(rows, NullPattern::Every(29), seed)];
        cases.push(case(join, format!("long text/{equality:?}"), long(90, 1), long(60, 2), equality));
        let edge = |rows, seed| vec![data::edge_texts(rows, NullPattern::Every(29), seed)];
        cases.push(case(join, format!("edge texts/{equality:?}"), edge(300, 1), edge(90, 2), equality));
        let striped = |rows, seed| vec![data::striped_texts(rows, NullPattern::Every(29), seed)];
        cases.push(case(join, format!("striped texts/{equality:?}"), striped(120, 1), striped(70, 2), equality));
    }
    // The cases have all lengths and null patterns.
    for len in SMALL_BRACKETS.iter().copied().chain([2049]) {
        for nulls in [NullPattern::None, NullPattern::Some, NullPattern::All] {
            let left = numbers(&DataType::Int32, len, 40, 1, nulls, 1);
            let right = numbers(&DataType::Int32, 30, 60, 1, NullPattern::None, 2);
            let label = |side| format!("{side} {len}/{nulls:?}");
            cases.push(case(join, label("left"), vec![left.clone()], vec![right.clone()], NullEquality::Equal));
            cases.push(case(join, label("right"), vec![right], vec![left], NullEquality::Equal));
        }
    }
    let both = |len, data_type: &DataType, distinct, step, nulls| {
        let side = |len, seed| vec![numbers(data_type, len, distinct, step, nulls, seed)];
        (side(len, 3), side(len / 2, 4))
    };
    // The operation uses keys as indices or hashes the keys.
    for (label, data_type, distinct, step) in [
        ("indices", DataType::Int64, 900, 1),
        ("indices with gaps", DataType::Int64, 900, 3),
        ("hashed", DataType::Int64, 900, 1 << 40),
        ("signs", DataType::Int16, 900, -17),
        ("one key", DataType::Int8, 1, 1),
        ("two keys", DataType::Int64, 2, i128::from(i64::MAX)),
    ] {
        for nulls in [NullPattern::None, NullPattern::Some] {
            // The right side has half as many rows as the left side.
            let distinct_rows = if distinct < 10 { 60 } else { 2100 };
            let (left, right) = both(distinct_rows, &data_type, distinct, step, nulls);
            for equality in EQUALITIES {
                let label = format!("{label}/{nulls:?}/{equality:?}");
                cases.push(case(join, label, left.clone(), right.clone(), equality));
            }
        }
    }
    let unique = |step: i64, first: i64, len: i64| {
        let keys = (0..len).map(|row| first + (row * 7919 % len) * step);
        vec![Arc::new(Int64Array::from_iter_values(keys)) as ArrayRef]
    };
    for step in [1, 1 << 33] {
        let label = format!("unique keys, step {step}");
        cases.push(case(join, label, unique(step, 500, 2500), unique(step, 0, 2100), NullEquality::Equal));
    }
    // The numbers of rows are near the block size of the kernel that looks up few rows.
    for (len, copies) in [(1023, 1), (1024, 1), (1025, 1), (1500, 2), (1504, 4)] {
        let keys = (0..len).chain(0..(copies - 1) * (len / 4)).map(|key| Some(Value::Int(i128::from(key % len))));
        let right = vec![from_values(&DataType::Int64, &keys.collect::<Vec<_>>())];
        cases.push(case(join, format!("{len} rows, {copies}"), unique(1, 0, len), right, NullEquality::Equal));
    }
    // The number of rows exceeds the number of threads of a large device.
    if join == Join::Inner {
        let (left, right) = (unique(1 << 33, 0, MANY as i64), unique(1 << 33, 0, 195_000));
        cases.push(case(join, "many rows".into(), left, right, NullEquality::Equal));
    }
    // With so many left rows, the operation first marks the rows with a match. The table has a place for each value in
    // the range of the keys, or a bit for each value.
    if matches!(join, Join::Inner | Join::Semi | Join::Anti) {
        for (label, keys, step) in [("marked rows", 900, 20), ("marked rows by bits", 20_000, 110)] {
            let left = Int64Array::from_iter_values((0..MARKED).map(|row| row.wrapping_mul(7919) % (keys * step * 2)));
            let left = with_validity(&(Arc::new(left) as ArrayRef), NullPattern::None.validity(MARKED as usize, 1));
            let mut case = case(join, label.into(), vec![left], unique(step, 7, keys), NullEquality::Equal);
            case.waits += 3;
            cases.push(case);
        }
    }
    // From this number of texts on, the operation first finds the bytes in which the texts differ.
    if join == Join::Inner {
        let texts = [
            ("digits", NullEquality::Equal, digits as fn(usize) -> String),
            ("hexadecimal", NullEquality::Unequal, hexadecimal),
        ];
        for (label, equality, text) in texts {
            let right = (0..TEXTS).map(|row| (row % 1000 != 7).then(|| Value::Str(text(row))));
            let right = vec![from_values(&DataType::Utf8, &right.collect::<Vec<_>>())];
            let foreign = ["", "7", "12345678x", "0000000000000000", "long beyond any that is there, by far"];
            // Each of these texts is an existing text in which the bit 0x20 of one byte is cleared.
            let twin = |row: usize| {
                let mut text = text(row).into_bytes();
                let at = row % text.len();
                text[at] ^= 0x20;
                String::from_utf8_lossy(&text).into_owned()
            };
            let others = foreign.map(str::to_owned).into_iter().chain((100..140).map(twin));
            let left = (0..900).map(|row| text(row * 1163)).chain([text(101)]).chain(others).map(Value::Str);
            let left: Vec<_> = left.map(Some).chain([None]).collect();
            let left = vec![from_values(&DataType::Utf8, &left)];
            let mut case = case(join, format!("{TEXTS} texts, {label}/{equality:?}"), left, right, equality);
            case.waits += 1;
            cases.push(case);
        }
    }
    // The keys have 128 bits.
    if join != Join::Full {
        for (label, nulls, equality) in [
            ("two ranges", false, NullEquality::Equal),
            ("two ranges, nulls", true, NullEquality::Equal),
            ("two ranges, nulls apart", true, NullEquality::Unequal),
        ] {
            let (left, right) = ranged_pairs(nulls);
            let mut case = case(join, label.into(), left, right, equality);
            case.waits += 1;
            cases.push(case);
        }
    }
    // One key has only bits that are 1, and another key is null.
    let ones = |values: &[Option<i128>]| {
        let values: Vec<_> = values.iter().map(|value| value.map(Value::Int)).collect();
        vec![from_values(&DataType::Int64, &values)]
    };
    let (left, right) =
        (ones(&[Some(-1), None, Some(0), Some(i128::from(i64::MIN))]), ones(&[None, Some(-1), Some(-1)]));
    for equality in EQUALITIES {
        cases.push(case(join, format!("all ones/{equality:?}"), left.clone(), right.clone(), equality));
    }
    // The cases have several key columns: columns that pack, columns that are too wide to pack, and columns that
    // include text.
    for (label, types) in [
        ("packed", vec![DataType::Int16, DataType::Boolean, DataType::Float32]),
        ("too wide", vec![DataType::Int64, DataType::Int32]),
        ("text", vec![DataType::Utf8, DataType::Int8]),
        ("mixed", vec![DataType::LargeUtf8, DataType::Date32, DataType::Decimal128(38, 2), DataType::Float64]),
    ] {
        for nulls in [NullPattern::None, NullPattern::Some, NullPattern::All] {
            // All null rows have equal keys, so the result of many null rows would be very large.
            let len = if nulls == NullPattern::All { 60 } else { 300 };
            let key = |(seed, data_type)| random_array(data_type, len, nulls, seed as u64);
            let left: Vec<_> = types.iter().enumerate().map(key).collect();
            let right: Vec<_> = left.iter().map(|key| key.slice(len / 3, len / 2)).collect();
            for equality in EQUALITIES {
                let label = format!("columns {label}/{nulls:?}/{equality:?}");
                cases.push(case(join, label, left.clone(), right.clone(), equality));
            }
        }
    }
    cases
}

/// Probes one hash table several times.
fn probe(inputs: &[Column]) -> Result<Vec<Column>> {
    let (first, second, build) = (view(&inputs[..1])?, view(&inputs[1..2])?, view(&inputs[2..])?);
    // Results that the test only compares are allocated as scratch memory.
    let device = inputs[0].device();
    let join = scratch(device, || HashJoin::try_new(build, NullEquality::Equal))?;
    let inner = join.inner_join(first.clone())?;
    let agree = scratch(device, || {
        let full = join.full_join(second.clone())?;
        let rows = join.semi_join(first.clone())?.to_vec::<u32>()?;
        let marks = join.mark_join(first.clone())?.to_vec::<bool>()?;
        let marked = (0_u32..).zip(marks).filter(|(_, mark)| *mark == Some(true));
        Ok([
            marked.map(|(row, _)| Some(row)).eq(rows),
            join.inner_join_size(first.clone())? == inner.0.len(),
            join.full_join_size(second.clone())? == full.0.len(),
            join.left_join_size(first.clone())? == join.left_join(first.clone())?.0.len(),
            join.semi_join(first.clone())?.len() + join.anti_join(first.clone())?.len() == first.num_rows(),
            join.keys().num_rows() == inputs[2].len(),
            join.memory_size() > 0,
        ] == [true; 7])
    })?;
    if !agree {
        return Err(Error::invalid_data("sizes and results differ"));
    }
    Ok(vec![inner.0, inner.1])
}

fn reused() -> Vec<Case> {
    let keys = |len, nulls, seed| numbers(&DataType::Int32, len, 50, 1 << 20, nulls, seed);
    let case = |prefix: &str, nulls: NullPattern| {
        let inputs = vec![keys(300, nulls, 1), keys(70, NullPattern::None, 2), keys(40, nulls, 3)];
        // The number of waits: for the joins, for three sizes, and for the values that the test compares on the host.
        let joins = [Join::Inner, Join::Full, Join::Left, Join::Semi, Join::Semi, Join::Anti, Join::Mark];
        let waits = joins.map(Join::waits).iter().sum::<u64>() + 3 + 3;
        let results = |inputs: &[ArrayRef]| {
            let (first, second, build) = (&inputs[..1], &inputs[1..2], &inputs[2..]);
            let full = naive::join::pairs(second, build, NullEquality::Equal, true, true);
            assert!(full[0].len() > 70, "rows without match on either side");
            Ok(naive::join::pairs(first, build, NullEquality::Equal, false, false))
        };
        Case::new(format!("{prefix}twice/{nulls:?}"), inputs, probe, results, waits).with_host_values(300)
    };
    let all = |prefix| [NullPattern::None, NullPattern::Some, NullPattern::Every(3)].map(|nulls| case(prefix, nulls));
    // In some cases, only the probed rows have nulls in their fields. In other cases, only the rows of the table have
    // such nulls.
    let structs = |seed| struct_keys(90, seed).into_iter();
    let pairs = structs(1).zip(structs(2)).flat_map(|((name, first), (_, second))| {
        let kinds: Vec<_> = structs(3).filter(|(_, of)| of.data_type() == first.data_type()).collect();
        kinds
            .into_iter()
            .map(move |(other, build)| (format!("{name}/{other}"), vec![first.clone(), second.clone(), build]))
    });
    let waits = 8 * 3 + nested_key_waits(&[struct_keys(1, 0).swap_remove(0).1]);
    let structs = pairs.filter(|(name, _)| !name.contains("more fields")).map(|(name, inputs)| {
        let results =
            |inputs: &[ArrayRef]| Ok(naive::join::pairs(&inputs[..1], &inputs[2..], NullEquality::Equal, false, false));
        Case::new(format!("structs {name}"), inputs, probe, results, waits)
            .with_slice_costs(SliceCosts::Own)
            .with_host_values(300)
    });
    ["", "public, "].into_iter().flat_map(all).chain(structs).collect()
}
