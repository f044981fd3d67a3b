//! Shape classes of cases. Classes with equal costs are combined to one line.
//!
//! A label consists of tokens. Slashes and spaces separate the tokens. The class of a label is the label with two
//! replacements: the class of a type replaces the type, and `#` replaces each number except 0.

use std::collections::{BTreeMap, BTreeSet};

use super::Costs;

/// The classes of types.
const CLASSES: [(&str, &[&str]); 6] = [
    (
        "fixed",
        &[
            "Int8",
            "Int16",
            "Int32",
            "Int64",
            "UInt8",
            "UInt16",
            "UInt32",
            "UInt64",
            "Float16",
            "Float32",
            "Float64",
            "Date32",
            "Date64",
            "Time32",
            "Time64",
            "Timestamp",
            "Duration",
            "Interval",
            "Decimal32",
            "Decimal64",
            "Decimal128",
            "Decimal256",
            "FixedSizeBinary",
        ],
    ),
    ("boolean", &["Boolean"]),
    ("text", &["Utf8", "LargeUtf8", "Binary", "LargeBinary"]),
    ("view", &["Utf8View", "BinaryView"]),
    ("dictionary", &["Dictionary"]),
    (
        "nested",
        &["List", "LargeList", "FixedSizeList", "ListView", "LargeListView", "Struct", "Map", "Union", "RunEndEncoded"],
    ),
];

pub(super) fn class(label: &str) -> String {
    let (tokens, separators) = split(label);
    let mut separators = separators.chars();
    let mut class = String::with_capacity(label.len());
    for token in tokens {
        class += &class_of(token);
        class.extend(separators.next());
    }
    class
}

fn class_of(token: &str) -> String {
    let (named, nullable) = token.strip_suffix('?').map_or((token, ""), |named| (named, "?"));
    let name = named.split('(').next().unwrap_or(named);
    if let Some((class, _)) = CLASSES.iter().find(|(_, names)| names.contains(&name)) {
        return format!("{class}{nullable}");
    }
    if token == "0" {
        return token.into();
    }
    let mut class = String::with_capacity(token.len());
    for character in token.chars() {
        if !character.is_ascii_digit() {
            class.push(character);
        } else if !class.ends_with('#') {
            class.push('#');
        }
    }
    class
}

/// Splits a label or a pattern into its tokens, and into the separators between the tokens.
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

/// Returns whether a pattern matches a label.
pub(super) fn matches(pattern: &(Vec<&str>, String), label: &(Vec<&str>, String)) -> bool {
    let is_one = |(values, token): (&&str, &&str)| *values == "*" || values.split('|').any(|value| value == *token);
    pattern.1 == label.1 && pattern.0.iter().zip(&label.0).all(is_one)
}

type Value<'l> = &'l str;

/// The values of each token. `None` matches every value.
type Row<'l> = Vec<Option<BTreeSet<Value<'l>>>>;

/// Returns patterns with costs.
pub(super) fn summarized(costs: &BTreeMap<String, Costs>) -> BTreeSet<(String, &Costs)> {
    let mut shapes: BTreeMap<String, Vec<(Vec<Value<'_>>, &Costs)>> = BTreeMap::new();
    for (class, costs) in costs {
        let (tokens, separators) = split(class);
        shapes.entry(separators).or_default().push((tokens, costs));
    }
    let mut patterns = BTreeSet::new();
    for (separators, classes) in &shapes {
        for (row, costs) in merged(classes) {
            patterns.insert((text(&generalized(row, costs, classes), separators), costs));
        }
    }
    patterns
}

/// Returns rows with costs.
fn merged<'l>(classes: &[(Vec<Value<'l>>, &'l Costs)]) -> Vec<(Row<'l>, &'l Costs)> {
    let row = |tokens: &[Value<'l>]| tokens.iter().map(|token| Some(BTreeSet::from([*token]))).collect();
    let mut rows: Vec<(Row<'l>, &Costs)> = classes.iter().map(|(tokens, costs)| (row(tokens), *costs)).collect();
    for at in 0..classes.first().map_or(0, |(tokens, _)| tokens.len()) {
        let mut groups: BTreeMap<(Row<'l>, &Costs), BTreeSet<Value<'l>>> = BTreeMap::new();
        for (mut row, costs) in rows {
            let values = row[at].take().unwrap_or_default();
            groups.entry((row, costs)).or_default().extend(values);
        }
        let with_values = |((mut row, costs), values): ((Row<'l>, _), _)| {
            row[at] = Some(values);
            (row, costs)
        };
        rows = groups.into_iter().map(with_values).collect();
    }
    rows
}

/// Replaces the values of each token by `None`, which matches every value. A token with a single value is kept. A token
/// is also kept if the row would otherwise match a class with other costs.
fn generalized<'l>(mut row: Row<'l>, costs: &Costs, classes: &[(Vec<Value<'l>>, &Costs)]) -> Row<'l> {
    let others: Vec<_> = classes.iter().filter(|(_, other)| *other != costs).collect();
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
            Some(values) => text += &values.iter().copied().collect::<Vec<_>>().join("|"),
        }
        text.extend(separators.next());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::Cost;
    use super::*;

    fn costs(launches: u64) -> Costs {
        Costs::from([Cost { launches, ..Cost::default() }])
    }

    #[test]
    fn labels_are_classified_by_shape() {
        let label = "Add/Int32?/Timestamp(s, \"UTC\")/List(Int32)/Utf8View/0/1000 Some(31)/murmur3";
        assert_eq!(class(label), "Add/fixed?/fixed/nested/view/0/# Some(#)/murmur#");
    }

    #[test]
    fn labels_are_split_outside_of_brackets() {
        let (tokens, separators) = split("Sum of Timestamp(s, \"UTC\")/0/[1, 2]");
        assert_eq!(tokens, ["Sum", "of", "Timestamp(s, \"UTC\")", "0", "[1, 2]"]);
        assert_eq!(separators, "  //");
    }

    #[test]
    fn patterns_give_each_class_its_costs_and_no_other() {
        let mut all = BTreeMap::new();
        for (i, of) in ["boolean", "fixed", "text"].iter().enumerate() {
            for rows in ["0", "#"] {
                for nulls in ["None", "Some"] {
                    let launches = u64::from(rows == "#") + u64::from(i == 2 && nulls == "Some");
                    all.insert(format!("{of}/{rows}/{nulls}"), costs(launches));
                }
            }
        }
        let patterns = summarized(&all);
        let launches = |costs: &Costs| costs.first().map(|cost| cost.launches).unwrap();
        let texts: Vec<_> = patterns.iter().map(|(text, costs)| format!("{text} {}", launches(costs))).collect();
        assert_eq!(
            texts,
            [
                "*/#/None 1",
                "*/0/None 0",
                "boolean|fixed/#/Some 1",
                "boolean|fixed/0/Some 0",
                "text/#/Some 2",
                "text/0/Some 1"
            ]
        );
        for (class, costs) in &all {
            let found: Vec<_> =
                patterns.iter().filter(|(pattern, _)| matches(&split(pattern), &split(class))).collect();
            assert!(matches!(&found[..], [(_, found)] if *found == costs), "{class}");
        }
    }
}
