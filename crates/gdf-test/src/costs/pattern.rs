//! Labels of cases that cost the same, as few lines that a reader can take in.
//!
//! A label is a row of tokens, between slashes and spaces. Cases of one cost that differ in a single token are one line
//! with a list of that token's values, `Sum|Product of Int8/0|1|64`; where all values cost the same, it says `*`.

use std::collections::{BTreeMap, BTreeSet};

use super::Cost;

/// The tokens of a label or pattern, and what is between them: slashes and spaces outside of brackets.
pub(super) fn split(text: &str) -> (Vec<&str>, String) {
    let (mut tokens, mut separators) = (Vec::new(), String::new());
    let (mut first, mut depth) = (0, 0_usize);
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '/' | ' ' if depth == 0 => {
                tokens.push(&text[first..at]);
                separators.push(character);
                first = at + 1;
            }
            _ => {}
        }
    }
    tokens.push(&text[first..]);
    (tokens, separators)
}

/// Whether a pattern, split, is about a label, split.
pub(super) fn matches(pattern: &(Vec<&str>, String), label: &(Vec<&str>, String)) -> bool {
    let is_one = |(values, token): (&&str, &&str)| *values == "*" || values.split('|').any(|value| value == *token);
    pattern.1 == label.1 && pattern.0.iter().zip(&label.0).all(is_one)
}

/// A value of a token: numbers are in the order of numbers.
type Value<'l> = (Option<u64>, &'l str);

/// Values of each token; none where all will do.
type Row<'l> = Vec<Option<BTreeSet<Value<'l>>>>;

/// Patterns that give each label its cost.
pub(super) fn summarized(costs: &BTreeMap<String, Cost>) -> BTreeSet<(String, Cost)> {
    let mut shapes: BTreeMap<String, Vec<(Vec<Value<'_>>, Cost)>> = BTreeMap::new();
    for (label, cost) in costs {
        let (tokens, separators) = split(label);
        let tokens = tokens.into_iter().map(|token| (token.parse().ok(), token)).collect();
        shapes.entry(separators).or_default().push((tokens, *cost));
    }
    let mut patterns = BTreeSet::new();
    for (separators, cases) in &shapes {
        for (row, cost) in merged(cases) {
            patterns.insert((text(&generalized(row, cost, cases), separators), cost));
        }
    }
    patterns
}

/// Rows that cover each case exactly once: numbers are listed first, then other tokens.
fn merged<'l>(cases: &[(Vec<Value<'l>>, Cost)]) -> Vec<(Row<'l>, Cost)> {
    let row = |tokens: &[Value<'l>]| tokens.iter().map(|token| Some(BTreeSet::from([*token]))).collect();
    let mut rows: Vec<(Row<'l>, Cost)> = cases.iter().map(|(tokens, cost)| (row(tokens), *cost)).collect();
    let tokens = cases.first().map_or(0, |(tokens, _)| tokens.len());
    for (numbers, at) in [true, false].into_iter().flat_map(|numbers| (0..tokens).map(move |at| (numbers, at))) {
        let mut groups: BTreeMap<(Row<'l>, Cost), BTreeSet<Value<'l>>> = BTreeMap::new();
        let mut next = Vec::new();
        for (mut row, cost) in rows {
            match row[at].take() {
                Some(values) if values.iter().all(|(number, _)| number.is_some()) == numbers => {
                    groups.entry((row, cost)).or_default().extend(values);
                }
                values => {
                    row[at] = values;
                    next.push((row, cost));
                }
            }
        }
        for ((mut row, cost), values) in groups {
            row[at] = Some(values);
            next.push((row, cost));
        }
        rows = next;
    }
    rows
}

/// The row with any value in place of lists, as long as no case of another cost is among those.
fn generalized<'l>(mut row: Row<'l>, cost: Cost, cases: &[(Vec<Value<'l>>, Cost)]) -> Row<'l> {
    let others: Vec<_> = cases.iter().filter(|(_, other)| *other != cost).collect();
    for at in 0..row.len() {
        if row[at].as_ref().is_none_or(|values| values.len() < 2) {
            continue;
        }
        let values = row[at].take();
        let covers = |tokens: &[Value<'l>]| {
            row.iter().zip(tokens).all(|(values, token)| values.as_ref().is_none_or(|values| values.contains(token)))
        };
        if others.iter().any(|(tokens, _)| covers(tokens)) {
            row[at] = values;
        }
    }
    row
}

fn text(row: &Row<'_>, separators: &str) -> String {
    let mut text = String::new();
    let mut separators = separators.chars();
    for values in row {
        match values {
            None => text.push('*'),
            Some(values) => text += &values.iter().map(|(_, value)| *value).collect::<Vec<_>>().join("|"),
        }
        text.extend(separators.next());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(launches: u64) -> Cost {
        Cost { launches, ..Cost::default() }
    }

    #[test]
    fn labels_are_split_outside_of_brackets() {
        let (tokens, separators) = split("Sum of Timestamp(s, \"UTC\")/0/[1, 2]");
        assert_eq!(tokens, ["Sum", "of", "Timestamp(s, \"UTC\")", "0", "[1, 2]"]);
        assert_eq!(separators, "  //");
    }

    #[test]
    fn patterns_give_each_label_its_cost_and_no_other() {
        let mut costs = BTreeMap::new();
        for (i, of) in ["Int8", "Int16", "Utf8"].iter().enumerate() {
            for rows in [0, 1, 33, 1000] {
                for nulls in ["None", "Some"] {
                    let launches =
                        u64::from(rows > 0) + u64::from(i == 2 && rows > 1) + u64::from(rows == 33 && i == 1);
                    costs.insert(format!("{of}/{rows}/{nulls}"), cost(launches));
                }
            }
        }
        let patterns = summarized(&costs);
        let texts: Vec<_> = patterns.iter().map(|(text, cost)| format!("{text} {}", cost.launches)).collect();
        assert_eq!(
            texts,
            ["*/0/* 0", "Int16/1|1000/* 1", "Int16/33/* 2", "Int8/1|33|1000/* 1", "Utf8/1/* 1", "Utf8/33|1000/* 2"]
        );
        for (label, cost) in &costs {
            let found = patterns.iter().filter(|(pattern, _)| matches(&split(pattern), &split(label)));
            assert_eq!(found.map(|(_, cost)| *cost).collect::<BTreeSet<_>>(), BTreeSet::from([*cost]), "{label}");
        }
    }
}
