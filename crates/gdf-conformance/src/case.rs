//! A case of the corpus. A case is a line of `AREA.jsonl`. Reading a line also validates the line.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value as Json};

/// A range of bytes of `AREA.bin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// The position of the first byte.
    pub offset: usize,
    /// The number of bytes.
    pub len: usize,
}

/// One named input of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A record batch. If an operation takes a column, the column is the first column of the batch.
    Table(Range),
    /// A record batch with one row and one column.
    Scalar(Range),
    /// The unchanged bytes of a file.
    File(Range),
}

impl Input {
    /// Returns the range of the input.
    pub fn range(self) -> Range {
        match self {
            Input::Table(range) | Input::Scalar(range) | Input::File(range) => range,
        }
    }
}

/// The classes of C++ exceptions that the corpus distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// `std::invalid_argument`, `std::domain_error`.
    InvalidArgument,
    /// `cudf::data_type_error`.
    DataType,
    /// `std::overflow_error`.
    Overflow,
    /// `std::out_of_range`.
    OutOfBounds,
    /// `cudf::logic_error` and all other exceptions. If a case expects this class, any error about the arguments or the
    /// data is correct.
    Other,
}

impl ErrorClass {
    const NAMES: [(ErrorClass, &'static str); 5] = [
        (ErrorClass::InvalidArgument, "invalid_argument"),
        (ErrorClass::DataType, "data_type"),
        (ErrorClass::Overflow, "overflow"),
        (ErrorClass::OutOfBounds, "out_of_bounds"),
        (ErrorClass::Other, "other"),
    ];
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(class, _)| class == self).map_or("other", |(_, name)| name);
        f.write_str(name)
    }
}

impl FromStr for ErrorClass {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::NAMES.iter().find(|(_, name)| *name == text);
        Ok(found.with_context(|| format!("`{text}` is not a class of errors"))?.0)
    }
}

/// The answer of libcudf. If the answer is an error, the other fields are `None`. If the answer is not an error, at
/// least one of the other fields is set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// A table. If the answer is a column, the table has one column.
    pub table: Option<Range>,
    /// Several tables.
    pub tables: Option<Vec<Range>>,
    /// A scalar.
    pub scalar: Option<Range>,
    /// A number, a boolean, a text or a list.
    pub value: Option<Json>,
    /// The class of the exception of libcudf.
    pub error: Option<ErrorClass>,
}

/// The rule for the order of rows when two tables are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Each row must equal the row with the same number.
    Exact,
    /// The tables must have the same rows, in any order.
    Any,
    /// The tables must have the same rows, in any order. In addition, the key columns of each row must equal the key
    /// columns of the row with the same number.
    ByKeys,
    /// Each partition must have the same rows, in any order.
    Partitioned,
}

/// The largest allowed difference of floats. The difference is the sum of a relative limit and an absolute limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The relative limit, as a factor of the expected number.
    pub relative: f64,
    /// The absolute limit.
    pub absolute: f64,
}

/// The rule by which results are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The rule for the order of rows.
    pub order: Order,
    /// The tolerance for floats. If there is no tolerance, floats must have equal bits, except that NaN equals every
    /// NaN. The field `signed_zeros` determines whether zeros are an exception, too.
    pub tolerance: Option<Tolerance>,
    /// The columns by which rows are sorted or paired.
    pub keys: Vec<usize>,
    /// Whether −0.0 differs from 0.0.
    pub signed_zeros: bool,
    /// Whether the elements of a list may have any order.
    pub unordered_lists: bool,
    /// Whether dictionaries are compared by their decoded values.
    pub decode: bool,
    /// Whether the names of columns and fields are compared.
    pub names: bool,
}

/// One case of an area.
#[derive(Clone, Debug)]
pub struct Case {
    /// The id, in the form `AREA-NUMBER`.
    pub id: String,
    /// The operation's name.
    pub op: String,
    /// The arguments, without the inputs.
    pub args: Map<String, Json>,
    /// The inputs by name.
    pub inputs: BTreeMap<String, Input>,
    /// libcudf's answer.
    pub expect: Expect,
    /// The rule by which results are compared.
    pub rule: Rule,
    /// The parsed JSON of the line.
    pub json: Json,
}

impl Case {
    /// Parses a line of an area.
    ///
    /// # Errors
    /// - The line is not a JSON object, or does not have the form of a case.
    pub fn read(line: &[u8], area: &str) -> Result<Case> {
        let json: Json = serde_json::from_slice(line)?;
        let text =
            |name: &str| json[name].as_str().map(str::to_owned).with_context(|| format!("the case has no `{name}`"));
        let inputs = json["inputs"].as_object().context("the case has no `inputs`")?;
        let inputs = inputs.iter().map(|(name, input)| Ok((name.clone(), read_input(input)?)));
        Ok(Case {
            id: text("id")?,
            op: text("op")?,
            args: json["args"].as_object().context("the case has no `args`")?.clone(),
            inputs: inputs.collect::<Result<_>>()?,
            expect: read_expect(&json["expect"])?,
            rule: read_rule(&json, area)?,
            json,
        })
    }

    /// Returns the operation and its arguments. The text is truncated, because it must fit on a line.
    pub fn summary(&self) -> String {
        let args = Json::Object(self.args.clone()).to_string();
        match args.char_indices().nth(120) {
            Some((end, _)) => format!("{} {}…", self.op, &args[..end]),
            None => format!("{} {args}", self.op),
        }
    }
}

fn read_range(json: &[Json]) -> Result<Range> {
    let number = |i: usize| json.get(i).and_then(Json::as_u64).and_then(|n| usize::try_from(n).ok());
    match (json.len(), number(0), number(1)) {
        (2, Some(offset), Some(len)) => Ok(Range { offset, len }),
        _ => bail!("a range must be an offset and a length, found {json:?}"),
    }
}

fn read_input(json: &Json) -> Result<Input> {
    let parts = json.as_array().context("an input must be a list")?;
    Ok(match parts.first().and_then(Json::as_str) {
        None => Input::Table(read_range(parts)?),
        Some("scalar") => Input::Scalar(read_range(&parts[1..])?),
        Some("file") => Input::File(read_range(&parts[1..])?),
        Some(other) => {
            bail!("the kind of an input must be `scalar` or `file`, or left out for a table; found `{other}`")
        }
    })
}

fn read_expect(json: &Json) -> Result<Expect> {
    let json = json.as_object().context("the case has no `expect`")?;
    let range = |json: &Json| read_range(json.as_array().context("a range must be a list")?);
    let mut expect = Expect::default();
    for (name, value) in json {
        match name.as_str() {
            "table" => expect.table = Some(range(value)?),
            "scalar" => expect.scalar = Some(range(value)?),
            "tables" => {
                let tables = value.as_array().context("`tables` must be a list")?;
                expect.tables = Some(tables.iter().map(range).collect::<Result<_>>()?);
            }
            "value" => expect.value = Some(value.clone()),
            "error" => expect.error = Some(value.as_str().context("`error` must be a text")?.parse()?),
            _ => bail!("the expectation `{name}` is unknown"),
        }
    }
    ensure!(!json.is_empty(), "`expect` is empty");
    Ok(expect)
}

fn read_rule(json: &Json, area: &str) -> Result<Rule> {
    let compare = json["compare"].as_str().context("the case has no `compare`")?;
    let order = match compare {
        "exact" | "approx" => Order::Exact,
        "rows_any_order" | "approx_rows_any_order" => Order::Any,
        "ordered_by_keys" => Order::ByKeys,
        "partitioned" => Order::Partitioned,
        _ => bail!("the rule `{compare}` of `compare` is unknown"),
    };
    let number = |name: &str| json[name].as_f64().with_context(|| format!("`{compare}` needs `{name}`"));
    let tolerance = compare
        .starts_with("approx")
        .then(|| anyhow::Ok(Tolerance { relative: number("rtol")?, absolute: number("atol")? }))
        .transpose()?;
    let keys = json["keys"].as_array().into_iter().flatten();
    let keys =
        keys.map(|key| key.as_u64().map(|key| key as usize).context("a sort key must be the number of a column"));
    let unordered_lists = match json["lists"].as_str() {
        None => false,
        Some("any_order") => true,
        Some(other) => bail!("the rule `{other}` of `lists` is unknown"),
    };
    Ok(Rule {
        order,
        tolerance,
        keys: keys.collect::<Result<_>>()?,
        signed_zeros: json["bits"].as_bool().unwrap_or(false),
        unordered_lists,
        decode: json["decode"].as_bool().unwrap_or(false),
        names: area.starts_with("io_"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read() {
        let line = r#"{"id":"a-1","op":"o","args":{"k":1},"inputs":{"x":[0,8],"s":["scalar",8,16]},
                       "expect":{"table":[24,8],"value":3},"compare":"approx","rtol":0.5,"atol":1,"bits":true}"#;
        let case = Case::read(line.as_bytes(), "a").unwrap();
        assert_eq!(case.inputs["s"], Input::Scalar(Range { offset: 8, len: 16 }));
        assert_eq!(case.expect.table, Some(Range { offset: 24, len: 8 }));
        assert_eq!(case.rule.tolerance, Some(Tolerance { relative: 0.5, absolute: 1.0 }));
        assert!(case.rule.signed_zeros && !case.rule.names && case.rule.order == Order::Exact);
    }

    #[test]
    fn broken_lines_are_refused() {
        let good = r#"{"id":"a","op":"o","args":{},"inputs":{},"expect":{"error":"other"},"compare":"exact"}"#;
        assert!(Case::read(good.as_bytes(), "a").is_ok());
        for (from, to) in [
            ("\"other\"", "\"bad\""),
            ("exact", "roughly"),
            ("exact", "approx"),
            ("{\"error\":\"other\"}", "{}"),
            ("\"inputs\":{}", "\"inputs\":{\"x\":[1]}"),
            ("\"inputs\":{}", "\"inputs\":{\"x\":[\"stream\",1,2]}"),
            ("\"op\"", "\"po\""),
        ] {
            assert!(Case::read(good.replace(from, to).as_bytes(), "a").is_err(), "{from} -> {to}");
        }
    }
}
