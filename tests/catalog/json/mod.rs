//! Entries of `json`.

pub(super) mod values;

use std::sync::Arc;

use arrow_array::{ArrayRef, LargeStringArray, StringArray};
use gdf_api::json::{JsonObjectOptions, get_json_object};
use gdf_core::Column;
use gdf_test::compare::Equality;

use super::strings::{case, invalid, refused, waiting};
use super::{Case, Entry};
use crate::naive::json::{self as naive, Step};

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry::new("json.get_json_object", Equality::Exact, objects).estimating()]
}

fn options(allow_single_quotes: bool, strips: bool, missing: bool) -> JsonObjectOptions {
    JsonObjectOptions {
        allow_single_quotes,
        strip_quotes_from_single_strings: strips,
        missing_fields_as_nulls: missing,
    }
}

/// Numbers that look random.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn one<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % n
    }

    pub(super) fn json(&mut self, depth: usize, quote: char, to: &mut String) {
        const NAMES: [&str; 5] = ["a", "b", "a b", "a.b", "naïve"];
        const VALUES: [&str; 6] = ["1", "-2.5e3", "true", "null", "12345678901234567890", "0"];
        const STRINGS: [&str; 6] = ["", "text", "{[", "]},", "\\\\ \\u00e9", "日本 words of some length, with commas"];
        const SPACES: [&str; 5] = [" ", "", "", "\n", "  "];
        let kind = self.below(if depth == 0 { 4 } else { 10 });
        match kind {
            0 | 1 => to.push_str(self.one(&VALUES)),
            2 | 3 => {
                let string = self.one(&STRINGS);
                to.push(quote);
                to.push_str(string);
                to.push(quote);
            }
            _ => {
                let [open, close] = if kind < 7 { ['{', '}'] } else { ['[', ']'] };
                to.push(open);
                for i in 0..self.below(5) {
                    to.push_str(if i > 0 { "," } else { "" });
                    to.push_str(self.one(&SPACES));
                    if open == '{' {
                        let (name, space) = (self.one(&NAMES), self.one(&SPACES));
                        to.push_str(&format!("{quote}{name}{quote}{space}:"));
                    }
                    self.json(depth - 1, quote, to);
                    to.push_str(self.one(&SPACES));
                }
                to.push(close);
            }
        }
    }
}

fn paths() -> Vec<Vec<Step>> {
    use Step::{Each, Index, Name, Quoted};
    vec![
        vec![],
        vec![Name("a")],
        vec![Quoted("a b")],
        vec![Quoted("a.b"), Index(1)],
        vec![Name("naïve"), Name("b")],
        vec![Index(0)],
        vec![Index(2), Index(1)],
        vec![Each],
        vec![Each, Name("a")],
        vec![Name("a"), Each, Name("b")],
        vec![Each, Each],
        vec![Each, Index(0), Each],
        vec![Each, Each, Each, Each, Each, Each, Each],
    ]
}

/// Texts that are not well-formed, or that are strings, with a path and the expected result.
const LENIENT: [(&str, &str, Option<&str>); 29] = [
    ("{\"a\":}", "$.a", None),
    ("{\"a\": }", "$[*]", None),
    ("{\"a\"}", "$.a", None),
    ("{\"a\":1,\"b\"}", "$.b", None),
    ("\"x\"]", "$", None),
    ("\"str\"", "$", None),
    ("\"str\"", "$[*]", None),
    ("", "$", None),
    ("  \n", "$[*]", None),
    ("]", "$", None),
    ("{\"a\": ", "$.a", None),
    ("{\"a\": ", "$[*]", Some("[]")),
    ("{\"a\": ", "$", None),
    ("not json", "$", Some("not")),
    ("not json", "$[*]", Some("[]")),
    ("not json", "$.a", None),
    ("{'a': 1}", "$.a", None),
    ("{\"a\": 'b'}", "$.a", None),
    ("{\"a\": \"b\\x\"}", "$.a", None),
    ("{\"a\": \"b\\u12G4\"}", "$.a", None),
    ("{\"a\": \"b\\", "$.a", None),
    ("{\"a\": \"b", "$.a", None),
    ("{\"a\": 1", "$.a", Some("1")),
    ("{\"a\" 1}", "$.a", Some("1")),
    ("{\"\": 1, \"a\": 2}", "$.a", None),
    ("[1, [2}", "$[0]", Some("1")),
    ("[1, [2}", "$[1]", None),
    ("[1,2", "$[*]", Some("[1,2]")),
    ("{\"a\": tr:ue}", "$.a", None),
];

fn objects() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |label: String, column: ArrayRef, steps: Vec<Step>, options: JsonObjectOptions| {
        let path = steps.iter().fold("$".to_owned(), |path, step| format!("{path}{step}"));
        let of = path.clone();
        let case = case(
            format!("{label}/{}", of.replace('*', "each")),
            vec![column],
            move |inputs| get_json_object(&inputs[0], path.as_str(), options),
            move |inputs| naive::get_json_object(&inputs[0], &steps, options),
        );
        cases.push(waiting(2, case));
    };
    let column = |rows: usize, depth: usize, quote: char, seed: u64| -> ArrayRef {
        let mut random = Random(seed);
        let row = |row: usize| {
            let mut text = String::new();
            random.json(depth, quote, &mut text);
            (row % 11 != 7).then_some(text)
        };
        Arc::new(StringArray::from_iter((0..rows).map(row)))
    };
    for (steps, seed) in paths().into_iter().zip(0..) {
        add("random/400".to_owned(), column(400, 4, '"', seed), steps.clone(), JsonObjectOptions::default());
        add("missing/200".to_owned(), column(200, 3, '"', seed), steps.clone(), options(false, true, true));
        add("quotes/200".to_owned(), column(200, 3, '\'', seed), steps, options(true, seed % 2 == 0, false));
    }
    for rows in [0, 1, 33, 5_000] {
        let steps = vec![Step::Name("a"), Step::Each];
        add(format!("{rows}"), column(rows, 3, '"', 77), steps, options(false, false, false));
    }
    // The texts are longer than the part of shared memory that a warp has.
    let long =
        |n: usize| format!("{{\"z\": [{}], \"a\": [{}]}}", "\"]x\", ".repeat(n) + "1", "{\"b\": 2}, ".repeat(n) + "3");
    let long: ArrayRef = Arc::new(LargeStringArray::from_iter_values((0..40).map(|row| long(row * row))));
    add("long/40".to_owned(), long.clone(), vec![Step::Name("a"), Step::Each], JsonObjectOptions::default());
    add("long/40".to_owned(), long, vec![Step::Name("z"), Step::Index(3)], JsonObjectOptions::default());
    for (number, (text, path, expected)) in LENIENT.into_iter().enumerate() {
        let column: ArrayRef = Arc::new(StringArray::from(vec![Some(text), None, Some(text)]));
        let get = move |inputs: &[Column]| get_json_object(&inputs[0], path, JsonObjectOptions::default());
        let answer = move |_: &[ArrayRef]| -> ArrayRef { Arc::new(StringArray::from(vec![expected, None, expected])) };
        cases.push(waiting(2, case(format!("lenient {number}"), vec![column], get, answer)));
    }
    for path in ["$..a", "a", "$.", "$[", "$[a]", "$.a[-1]", "$['']"] {
        cases.push(invalid(&format!("path {path}"), move |column| {
            get_json_object(column, path, JsonObjectOptions::default())
        }));
    }
    cases.extend(refused(|column| get_json_object(column, "$.a", JsonObjectOptions::default())));
    cases
}
