//! Compares a result with the right answer.
//!
//! Decimals, integers, strings and dates are equal if their texts are equal. Floats are equal if they differ by at
//! most one part in 10⁹. Rows must be in the order of the answer, except that rows with equal sort keys may be in any
//! order.

use std::fmt;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType};

use crate::sheet::{Cell, Sheet};

const FLOAT_TOLERANCE: f64 = 1e-9;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The result equals the answer.
    Ok,
    /// The result does not equal the answer: the first difference.
    Differs(String),
    /// No answer is known.
    Unchecked,
    Failed(String),
}

impl Verdict {
    /// Returns whether the program may exit with status 0.
    pub(crate) fn is_acceptable(&self) -> bool {
        matches!(self, Verdict::Ok | Verdict::Unchecked)
    }

    /// Returns the outcome as one word, for the table and for JSON.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Verdict::Ok => "ok",
            Verdict::Differs(_) => "DIFFERS",
            Verdict::Unchecked => "unchecked",
            Verdict::Failed(_) => "error",
        }
    }

    /// Returns the description of the difference or of the error.
    pub(crate) fn detail(&self) -> Option<&str> {
        match self {
            Verdict::Differs(detail) | Verdict::Failed(detail) => Some(detail),
            Verdict::Ok | Verdict::Unchecked => None,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.detail() {
            Some(detail) => write!(f, "{}: {detail}", self.word()),
            None => f.write_str(self.word()),
        }
    }
}

/// Compares `result`, whose rows are ordered by the columns `order_by`, with `answer`.
pub(crate) fn check(result: &RecordBatch, answer: &Sheet, order_by: &[&str]) -> Result<Verdict, ArrowError> {
    let found = Sheet::from_batch(result)?;
    let floats: Vec<bool> = result
        .schema()
        .fields()
        .iter()
        .map(|field| matches!(field.data_type(), DataType::Float16 | DataType::Float32 | DataType::Float64))
        .collect();
    Ok(match first_difference(&found, answer, &floats, order_by) {
        Some(difference) => Verdict::Differs(difference),
        None => Verdict::Ok,
    })
}

fn first_difference(found: &Sheet, answer: &Sheet, floats: &[bool], order_by: &[&str]) -> Option<String> {
    if found.header != answer.header {
        return Some(format!("columns are {}, not {}", found.header.join(","), answer.header.join(",")));
    }
    let equal_cell = |column: usize, a: &Cell, b: &Cell| if floats[column] { close(a, b) } else { a == b };
    let equal_row =
        |a: &[Cell], b: &[Cell]| a.iter().zip(b).enumerate().all(|(column, (a, b))| equal_cell(column, a, b));
    let keys: Vec<usize> =
        order_by.iter().filter_map(|key| answer.header.iter().position(|name| name == key)).collect();
    let tied = |a: &[Cell], b: &[Cell]| keys.iter().all(|&key| equal_cell(key, &a[key], &b[key]));

    let mut start = 0;
    for group in answer.rows.chunk_by(|a, b| tied(a, b)) {
        let rows = &found.rows[start.min(found.rows.len())..(start + group.len()).min(found.rows.len())];
        let mut unused: Vec<&[Cell]> = rows.iter().map(Vec::as_slice).collect();
        for (index, expected) in group.iter().enumerate() {
            match unused.iter().position(|row| equal_row(row, expected)) {
                // The removal keeps the order of `unused`, so that rows in the order of the answer are found at once.
                Some(at) => drop(unused.remove(at)),
                None => {
                    let got = rows
                        .get(index)
                        .filter(|row| unused.contains(&row.as_slice()))
                        .map(Vec::as_slice)
                        .or(unused.first().copied());
                    return Some(describe(start + index, got, expected, &found.header, equal_cell));
                }
            }
        }
        start += group.len();
    }
    (found.rows.len() > start).then(|| format!("{} rows instead of {start}", found.rows.len()))
}

fn describe(
    index: usize,
    got: Option<&[Cell]>,
    expected: &[Cell],
    header: &[String],
    equal: impl Fn(usize, &Cell, &Cell) -> bool,
) -> String {
    let show = |cell: &Cell| cell.clone().unwrap_or_else(|| "null".to_owned());
    let Some(got) = got else {
        return format!("row {} is missing: {}", index + 1, expected.iter().map(show).collect::<Vec<_>>().join(","));
    };
    let at = (0..expected.len()).find(|&column| !equal(column, &got[column], &expected[column])).unwrap_or_default();
    format!("row {}, {}: {} instead of {}", index + 1, header[at], show(&got[at]), show(&expected[at]))
}

fn close(a: &Cell, b: &Cell) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return a == b };
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => {
            a == b
                || (a.is_nan() && b.is_nan())
                || (a - b).abs() <= FLOAT_TOLERANCE * a.abs().max(b.abs()) && (a - b).is_finite()
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Date32Array, Decimal128Array, Float64Array, StringArray};

    use super::*;

    fn money(values: &[Option<i128>]) -> ArrayRef {
        Arc::new(Decimal128Array::from(values.to_vec()).with_precision_and_scale(38, 4).unwrap())
    }

    fn names(values: &[&str]) -> ArrayRef {
        Arc::new(StringArray::from(values.to_vec()))
    }

    fn verdict(columns: Vec<(&str, ArrayRef)>, answer: &str, order_by: &[&str]) -> Verdict {
        check(&RecordBatch::try_from_iter(columns).unwrap(), &Sheet::parse(answer).unwrap(), order_by).unwrap()
    }

    fn differs(columns: Vec<(&str, ArrayRef)>, answer: &str, order_by: &[&str], words: &str) {
        match verdict(columns, answer, order_by) {
            Verdict::Differs(text) => assert!(text.contains(words), "{text}"),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn decimals_digit_for_digit() {
        let answer = "revenue\n11803420.2534\n";
        assert_eq!(verdict(vec![("revenue", money(&[Some(118_034_202_534)]))], answer, &[]), Verdict::Ok);
        differs(
            vec![("revenue", money(&[Some(118_034_202_535)]))],
            answer,
            &[],
            "row 1, revenue: 11803420.2535 instead of 11803420.2534",
        );
        differs(vec![("revenue", money(&[None]))], answer, &[], "null instead of");
        assert_eq!(verdict(vec![("revenue", money(&[None]))], "revenue\n\"\"\n", &[]), Verdict::Ok);
    }

    #[test]
    fn floats_to_one_part_in_a_billion() {
        let answer = "mean\n1000\n";
        for (value, same) in [
            (1000.0, true),
            (1_000.000_000_9, true),
            (1_000.000_002, false),
            (-1000.0, false),
            (f64::NAN, false),
            (f64::INFINITY, false),
        ] {
            let column: ArrayRef = Arc::new(Float64Array::from(vec![value]));
            assert_eq!(verdict(vec![("mean", column)], answer, &[]) == Verdict::Ok, same, "{value}");
        }
    }

    #[test]
    fn dates_and_strings_exactly() {
        let columns = || vec![("day", Arc::new(Date32Array::from(vec![8_766])) as ArrayRef), ("name", names(&["a "]))];
        assert_eq!(verdict(columns(), "day,name\n1994-01-01,a \n", &[]), Verdict::Ok);
        differs(columns(), "day,name\n1994-01-01,a\n", &[], "name: a  instead of a");
    }

    #[test]
    fn shape_matters() {
        differs(vec![("a", names(&["x"]))], "b\nx\n", &[], "columns are a, not b");
        differs(vec![("a", names(&["x"])), ("b", names(&["y"]))], "b,a\ny,x\n", &[], "columns are a,b, not b,a");
        differs(vec![("a", names(&["x", "x"]))], "a\nx\n", &["a"], "2 rows instead of 1");
        differs(vec![("a", names(&["x"]))], "a\nx\nz\n", &["a"], "row 2 is missing: z");
        differs(vec![("a", names(&["x"]))], "a\nx\nx\n", &["a"], "row 2 is missing: x");
        differs(vec![("a", names(&["x"]))], "a\n", &["a"], "1 rows instead of 0");
        assert_eq!(verdict(vec![("a", names(&[]))], "a\n", &["a"]), Verdict::Ok);
    }

    #[test]
    fn only_ties_may_change_places() {
        let rows = |names: ArrayRef| vec![("key", money(&[Some(10_000), Some(10_000), Some(20_000)])), ("name", names)];
        let answer = "key,name\n1.0000,a\n1.0000,b\n2.0000,c\n";
        assert_eq!(verdict(rows(names(&["a", "b", "c"])), answer, &["key"]), Verdict::Ok);
        assert_eq!(verdict(rows(names(&["b", "a", "c"])), answer, &["key"]), Verdict::Ok);
        differs(rows(names(&["b", "a", "c"])), answer, &["key", "name"], "row 1, name: b instead of a");
        differs(rows(names(&["b", "b", "c"])), answer, &["key"], "row 1, name: b instead of a");
        differs(rows(names(&["a", "a", "c"])), answer, &["key"], "row 2, name: a instead of b");
        let swapped =
            vec![("key", money(&[Some(10_000), Some(20_000), Some(10_000)])), ("name", names(&["a", "c", "b"]))];
        differs(swapped, answer, &["key"], "row 2, key: 2.0000 instead of 1.0000");
    }
}
