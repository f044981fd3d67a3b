//! Entries of the similarity of texts.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::strings as api;

use super::tokens::all;
use super::{case, invalid, refused, refused_arguments, unwaiting, waiting};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::hashing::{murmur32, murmur128};
use crate::naive::strings::edit::texts;
use crate::naive::strings::similarity as naive;
use gdf_test::builders::strings;
use gdf_test::compare::Equality;
use gdf_test::data::{NullPattern, long_texts, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("strings.edit_distance", Equality::Exact, edit_distance),
        Entry::new("strings.jaccard_index", Equality::Exact, jaccard_index).estimating(),
        Entry::new("strings.minhash", Equality::Exact, minhash).estimating(),
        Entry::new("strings.minhash64", Equality::Exact, minhash64).estimating(),
    ]
}

/// Returns the columns that are compared with other texts.
fn columns() -> Vec<(String, ArrayRef)> {
    let mut columns = all();
    // The texts of these columns are too long for the slow oracle.
    columns.retain(|(label, input)| label != "uneven" && (input.len() < 300 || !label.starts_with("long")));
    columns
}

/// Returns a text for each row of a column.
fn others(input: &ArrayRef, seed: u64) -> ArrayRef {
    let random = texts(&random_array(input.data_type(), input.len(), NullPattern::Some, seed));
    let changed = |(row, (text, other)): (usize, (Option<String>, Option<String>))| match row % 3 {
        0 => Some(text?.replace('a', "é").chars().skip(row % 2).collect()),
        1 => Some(text?.chars().flat_map(|one| if one == '-' { vec![] } else { vec![one] }).chain(['x']).collect()),
        _ => other,
    };
    let rows: Vec<Option<String>> = texts(input).into_iter().zip(random).enumerate().map(changed).collect();
    strings(rows.iter().map(Option::as_deref))
}

/// Returns pairs of texts.
fn strips() -> (ArrayRef, ArrayRef) {
    let lengths = [0, 1, 10, 11, 31, 32, 33, 63, 64, 65, 95, 97, 128, 129, 200];
    let text = |one: &str, length: usize| (0..length).map(|at| if at % 7 == 3 { "b" } else { one }).collect::<String>();
    let pairs: Vec<_> = lengths
        .into_iter()
        .flat_map(|a| lengths.map(|b| (text("a", a), text(if b % 2 == 0 { "a" } else { "日" }, b))))
        .collect();
    let of = |rows: Vec<&str>| strings(rows.into_iter().map(Some));
    (of(pairs.iter().map(|(a, _)| a.as_str()).collect()), of(pairs.iter().map(|(_, b)| b.as_str()).collect()))
}

fn edit_distance() -> Vec<Case> {
    let mut pairs = vec![("strips".to_owned(), strips())];
    let long = long_texts(40, NullPattern::Every(3), 2);
    pairs.push(("long".to_owned(), (long.clone(), others(&long, 1))));
    pairs.extend(columns().into_iter().enumerate().map(|(seed, (label, input))| {
        let others = others(&input, seed as u64);
        (label, (input, others))
    }));
    let mut cases = Vec::new();
    for (number, (label, (input, targets))) in pairs.into_iter().enumerate() {
        let target =
            ["", "-a é", "a text of more than thirty-two bytes, and of more than sixty-four bytes"][number % 3];
        cases.push(unwaiting(
            format!("{label}/{}", target.len()),
            vec![input.clone()],
            move |inputs| api::edit_distance(&inputs[0], target),
            move |inputs| naive::edit_distance(&inputs[0], &[Some(target.to_owned())]),
        ));
        cases.push(unwaiting(
            format!("{label}/by row"),
            vec![input, targets],
            |inputs| api::edit_distance(&inputs[0], &inputs[1]),
            |inputs| naive::edit_distance(&inputs[0], &texts(&inputs[1])),
        ));
    }
    cases.extend(refused(|column| api::edit_distance(column, "")));
    cases.extend(refused_arguments("target", &DataType::Utf8, |text, target| api::edit_distance(text, target)));
    cases
}

fn jaccard_index() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let (others, width) = (others(&input, number as u64), [2, 3, 7, 400][(number + number / 4) % 4]);
        let target = ["", "a-b aaa-aaa one two  three", "é"][number % 3];
        let one = case(
            format!("{label}/{}", target.len()),
            vec![input.clone()],
            move |inputs| api::jaccard_index(&inputs[0], target, width),
            move |inputs| naive::jaccard_index(&inputs[0], &[Some(target.to_owned())], width),
        );
        let many = case(
            format!("{label}/by row"),
            vec![input, others],
            move |inputs| api::jaccard_index(&inputs[0], &inputs[1], width),
            move |inputs| naive::jaccard_index(&inputs[0], &texts(&inputs[1]), width),
        );
        cases.extend([one, many].map(|case| waiting(8, case).with_slice_costs(SliceCosts::Own)));
    }
    cases.push(invalid("single characters", |column| api::jaccard_index(column, "", 1)));
    cases.extend(refused(|column| api::jaccard_index(column, "", 2)));
    cases.extend(refused_arguments("other", &DataType::Utf8, |text, other| api::jaccard_index(text, other, 2)));
    cases
}

/// Permutes a hash by a pair of numbers.
fn permuted(hash: u64, (a, b): (u64, u64)) -> u64 {
    hash.wrapping_mul(a).wrapping_add(b) % ((1 << 61) - 1)
}

const PAIRS: [(u32, u32); 3] = [(130, 613), (u32::MAX, u32::MAX), (0, 7)];
const WIDE_PAIRS: [(u64, u64); 3] = [(541, 777), (u64::MAX, u64::MAX - 1), (1, 0)];

fn minhash() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let (width, seed) = ([2, 4, 400][number % 3], [0, 7][(number + number / 4) % 2]);
        let pairs = &PAIRS[..number / 3 % 3 + 1];
        let one = case(
            format!("{label}/{width}"),
            vec![input],
            move |inputs| api::minhash(&inputs[0], width, seed, pairs),
            move |inputs| {
                naive::minhash(&inputs[0], width, pairs.len(), DataType::UInt32, |run, pair| {
                    let (a, b) = pairs[pair];
                    permuted(murmur32(run.as_bytes(), seed).into(), (a.into(), b.into())) & u64::from(u32::MAX)
                })
            },
        );
        cases.push(waiting(4, one).with_slice_costs(SliceCosts::Own));
    }
    cases.push(invalid("single characters", |column| api::minhash(column, 1, 0, &PAIRS)));
    cases.push(invalid("no pairs", |column| api::minhash(column, 2, 0, &[])));
    cases.extend(refused(|column| api::minhash(column, 2, 0, &PAIRS)));
    cases
}

fn minhash64() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let (width, seed) = ([4, 400, 2][number % 3], [0, 7][(number + number / 4) % 2]);
        let pairs = &WIDE_PAIRS[..number / 3 % 3 + 1];
        let one = case(
            format!("{label}/{width}"),
            vec![input],
            move |inputs| api::minhash64(&inputs[0], width, seed, pairs),
            move |inputs| {
                naive::minhash(&inputs[0], width, pairs.len(), DataType::UInt64, |run, pair| {
                    permuted(murmur128(run.as_bytes(), seed).0, pairs[pair])
                })
            },
        );
        cases.push(waiting(4, one).with_slice_costs(SliceCosts::Own));
    }
    cases.push(invalid("single characters", |column| api::minhash64(column, 1, 0, &WIDE_PAIRS)));
    cases.push(invalid("no pairs", |column| api::minhash64(column, 2, 0, &[])));
    cases.extend(refused(|column| api::minhash64(column, 2, 0, &WIDE_PAIRS)));
    cases
}
