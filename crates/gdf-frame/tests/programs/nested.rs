//! Random verbs of lists and structs, each with a naive implementation. The lists and structs come from a join, and are
//! numbers and text again at the end of the verb.

use gdf::core::{ColumnParts, make_lists_column};
use gdf::frame::{Aggregation, Frame, Join, col, element};
use gdf::prelude::*;
use gdf_test::device::test_device;
use rand::Rng;
use rand::rngs::SmallRng;

use super::naive::{Kind, Rows, Value};
use super::{Program, TEXTS};

/// A row for a key: a list of numbers, and a text.
type Nested = (i64, Vec<Option<i64>>, &'static str);

fn random(rng: &mut SmallRng) -> Vec<Nested> {
    let of = |key: i64, rng: &mut SmallRng| {
        let list = (0..rng.random_range(0..4)).map(|_| rng.random_bool(0.8).then(|| rng.random_range(-3..6)));
        (key, list.collect(), TEXTS[rng.random_range(0..TEXTS.len())])
    };
    (-2..5).map(|key| of(key, rng)).collect()
}

/// Returns the rows as a frame with the key `a`, a list `l`, and a struct `s` of a text and the key.
fn frame_of(nested: &[Nested]) -> Frame {
    let mut offsets = vec![0_i32];
    offsets.extend(nested.iter().scan(0, |end, row| {
        *end += row.1.len() as i32;
        Some(*end)
    }));
    let elements: Vec<_> = nested.iter().flat_map(|row| row.1.iter().copied()).collect();
    let elements = Column::from_options(&elements).unwrap();
    let lists = make_lists_column(&Column::from_slice(&offsets).unwrap(), elements, None).unwrap();
    let keys = Column::from_slice(&nested.iter().map(|row| row.0).collect::<Vec<_>>()).unwrap();
    let texts = Column::from_strs(nested.iter().map(|row| row.2)).unwrap();
    let fields = [("of_s", texts), ("number", keys.clone())];
    let structs = Column::try_from_parts(ColumnParts::structs(test_device(), nested.len(), fields)).unwrap();
    Frame::try_new([("a", keys), ("l", lists), ("s", structs)]).unwrap()
}

/// Applies a random verb of lists or structs to a program with the number column `a`.
pub(super) fn apply(program: &mut Program, rng: &mut SmallRng) {
    let (rows, nested) = (program.naive.clone(), random(rng));
    let added = ["l", "s", "of_l", "of_s", "number"];
    let has_key = rows.columns.contains(&("a".to_owned(), Kind::Int));
    if !has_key || rows.columns.len() > 12 || rows.columns.iter().any(|(name, _)| added.contains(&name.as_str())) {
        return;
    }
    let key = rows.position("a");
    let found: Vec<(i64, Option<&Nested>)> = rows
        .rows
        .iter()
        .map(|row| match row[key] {
            Value::Int(key) => (key, nested.iter().find(|of| of.0 == key)),
            _ => (0, None),
        })
        .collect();
    let frame = frame_of(&nested);
    let join = || Join::left(["a"]);
    let number = |value: Option<i64>| value.map_or(Value::Null, Value::Int);
    let unordered = |rows: Rows| Rows { is_ordered: false, ..rows };
    match rng.random_range(0..4) {
        0 => {
            let sum = |(key, of): &(i64, Option<&Nested>)| {
                number(of.and_then(|of| of.1.iter().flatten().map(|element| element + key).reduce(|a, b| a + b)))
            };
            let naive = unordered(rows.with("of_l", Kind::Int, found.iter().map(sum).collect()));
            program.apply(format!("sum of elements {nested:?}"), naive, |lazy| {
                let sum = col("l").list().aggregate(element() + col("a"), Aggregation::Sum).alias("of_l");
                lazy.join(frame.lazy().drop("s"), join()).with([sum]).drop("l")
            });
        }
        1 => {
            let kept = |(key, of): &(i64, Option<&Nested>)| {
                number(of.map(|of| of.1.iter().flatten().filter(|element| *element > key).count() as i64))
            };
            let naive = unordered(rows.with("of_l", Kind::Int, found.iter().map(kept).collect()));
            program.apply(format!("filter of elements {nested:?}"), naive, |lazy| {
                let kept = col("l").list().filter(element().gt(col("a"))).list().len();
                let kept = kept.cast(DataType::Int64).alias("of_l");
                lazy.join(frame.lazy().drop("s"), join()).with([kept]).drop("l")
            });
        }
        2 => {
            let mut naive = unordered(rows.with("l", Kind::Int, vec![Value::Null; rows.rows.len()]));
            let with = |row: &Vec<Value>, element: Option<i64>| {
                let mut row = row.clone();
                *row.last_mut().expect("the table has columns") = number(element);
                row
            };
            let exploded = naive.rows.iter().zip(&found).flat_map(|(row, (_, of))| match of {
                Some(of) if !of.1.is_empty() => of.1.iter().map(|element| with(row, *element)).collect(),
                _ => vec![with(row, None)],
            });
            let exploded: Vec<_> = exploded.collect();
            naive.rows = exploded;
            naive.columns.last_mut().expect("the table has columns").0 = "of_l".to_owned();
            if naive.rows.len() <= 2_000 {
                program.apply(format!("explode {nested:?}"), naive, |lazy| {
                    lazy.join(frame.lazy().drop("s"), join()).explode("l").rename([("l", "of_l")])
                });
            }
        }
        _ => {
            let text = |(_, of): &(i64, Option<&Nested>)| of.map_or(Value::Null, |of| Value::Text(of.2.to_owned()));
            let twice = |(_, of): &(i64, Option<&Nested>)| number(of.map(|of| of.0 * 2));
            let naive = rows.with("of_s", Kind::Text, found.iter().map(text).collect());
            let naive = unordered(naive.with("number", Kind::Int, found.iter().map(twice).collect()));
            program.apply(format!("unnest {nested:?}"), naive, |lazy| {
                let number = col("s").struct_().field("number") * 2;
                let with = col("s").struct_().with_field("number", number).alias("s");
                lazy.join(frame.lazy().drop("l"), join()).with([with]).unnest("s")
            });
        }
    }
}
