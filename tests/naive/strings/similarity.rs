//! Oracles of the similarity of texts. The oracles use tables, sets and vectors.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array};
use arrow_schema::{DataType, Field};

use super::edit::texts;
use super::tokens::character_ngrams;
use gdf_test::value::{Value, from_values};

/// Returns the Levenshtein distance of two texts.
pub fn distance(text: &str, target: &str) -> usize {
    let target: Vec<_> = target.chars().collect();
    let mut row: Vec<_> = (0..=target.len()).collect();
    for (above, character) in text.chars().enumerate() {
        let mut next = vec![above + 1];
        for (column, other) in target.iter().enumerate() {
            let replaced = row[column] + usize::from(character != *other);
            next.push(replaced.min(row[column + 1] + 1).min(next[column] + 1));
        }
        row = next;
    }
    row[target.len()]
}

/// Returns the distance between each row and its target.
pub fn edit_distance(input: &ArrayRef, targets: &[Option<String>]) -> ArrayRef {
    let of = |(text, target): (Option<String>, &Option<String>)| {
        Some(Value::Int(distance(&text.unwrap_or_default(), target.as_deref().unwrap_or_default()) as i128))
    };
    let rows: Vec<_> = texts(input).into_iter().zip(targets.iter().cycle()).map(of).collect();
    let large = input.data_type() == &DataType::LargeUtf8;
    from_values(if large { &DataType::Int64 } else { &DataType::Int32 }, &rows)
}

/// Returns the Jaccard index of the sets of `width`-character n-grams of both texts of each row.
pub fn jaccard_index(input: &ArrayRef, others: &[Option<String>], width: usize) -> ArrayRef {
    let set = |text: &str| character_ngrams(text, width, true).into_iter().collect::<BTreeSet<_>>();
    let of = |(text, other): (Option<String>, &Option<String>)| {
        let (one, other) = (set(&text?), set(other.as_ref()?));
        let (common, all) = (one.intersection(&other).count(), one.union(&other).count());
        Some(if all == 0 { 0.0 } else { common as f32 / all as f32 })
    };
    let rows = texts(input).into_iter().zip(others.iter().cycle()).map(of);
    Arc::new(rows.collect::<Float32Array>())
}

/// Returns a list for each row. Element `pair` is the smallest `permuted(run, pair)` of all n-grams of the row.
pub fn minhash(
    input: &ArrayRef,
    width: usize,
    pairs: usize,
    data_type: DataType,
    permuted: impl Fn(&str, usize) -> u64,
) -> ArrayRef {
    let list = |text: String| {
        let runs = character_ngrams(&text, width, true);
        let smallest = |pair| runs.iter().map(|run| permuted(run, pair)).min().unwrap_or(0);
        Value::List((0..pairs).map(|pair| Some(Value::UInt(smallest(pair)))).collect())
    };
    let rows: Vec<_> = texts(input).into_iter().map(|text| text.map(list)).collect();
    from_values(&DataType::List(Field::new_list_field(data_type, false).into()), &rows)
}
