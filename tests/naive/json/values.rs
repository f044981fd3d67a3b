//! Oracles of `json::from_json` and `json::to_json`. A text is parsed to a tree, and serde_json has to agree whether it
//! is a document.

use arrow_array::{ArrayRef, StringArray};
use arrow_schema::{DataType, Field, TimeUnit};
use chrono::{DateTime, NaiveDate};
use gdf_test::value::{Value, from_values, to_values};

use crate::naive::strings;

/// A value, and the text of the whole value.
#[derive(Clone, Debug)]
struct Tree {
    raw: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Null,
    /// A number or a boolean.
    Word,
    Text(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

struct Parser<'a>(&'a str);

impl Parser<'_> {
    fn space(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn take(&mut self, what: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(what)?;
        Some(())
    }

    fn character(&mut self) -> Option<char> {
        let first = self.0.chars().next()?;
        self.0 = &self.0[first.len_utf8()..];
        Some(first)
    }

    fn unit(&mut self) -> Option<u16> {
        let digits = self.0.get(..4).filter(|digits| digits.chars().all(|digit| digit.is_ascii_hexdigit()))?;
        self.0 = &self.0[4..];
        u16::from_str_radix(digits, 16).ok()
    }

    fn string(&mut self) -> Option<String> {
        self.take("\"")?;
        let mut text = String::new();
        loop {
            match self.character()? {
                '"' => return Some(text),
                '\\' => text.push(match self.character()? {
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    same @ ('"' | '\\' | '/') => same,
                    'u' => {
                        let mut units = vec![self.unit()?];
                        if (0xd800..0xdc00).contains(&units[0]) {
                            self.take("\\u")?;
                            units.push(self.unit()?);
                        }
                        String::from_utf16(&units).ok()?.chars().next()?
                    }
                    _ => return None,
                }),
                control if control < ' ' => return None,
                other => text.push(other),
            }
        }
    }

    fn word(&mut self) -> Option<Kind> {
        let end = self.0.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        let kind = if word == "null" { Kind::Null } else { Kind::Word };
        serde_json::from_str::<serde_json::Value>(word).is_ok().then_some(kind)
    }

    /// Parses values with commas between them, up to the closing bracket.
    fn list<T>(&mut self, close: &str, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut all = Vec::new();
        self.space();
        if self.take(close).is_some() {
            return Some(all);
        }
        loop {
            self.space();
            all.push(one(self)?);
            self.space();
            if self.take(close).is_some() {
                return Some(all);
            }
            self.take(",")?;
        }
    }

    fn value(&mut self, levels: usize) -> Option<Tree> {
        let before = self.0;
        let is_nested = self.0.starts_with(['[', '{']);
        if is_nested && levels == 0 {
            return None;
        }
        let kind = if self.take("[").is_some() {
            Kind::Array(self.list("]", |parser| parser.value(levels - 1))?)
        } else if self.take("{").is_some() {
            Kind::Object(self.list("}", |parser| {
                let name = parser.string()?;
                parser.space();
                parser.take(":")?;
                parser.space();
                Some((name, parser.value(levels - 1)?))
            })?)
        } else if self.0.starts_with('"') {
            Kind::Text(self.string()?)
        } else {
            self.word()?
        };
        Some(Tree { raw: before[..before.len() - self.0.len()].to_owned(), kind })
    }
}

fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser(text);
    parser.space();
    let tree = parser.value(128);
    parser.space();
    let tree = tree.filter(|_| parser.0.is_empty());
    // serde_json takes one level less.
    if !text.contains(&"[".repeat(128)) {
        assert_eq!(tree.is_some(), serde_json::from_str::<serde_json::Value>(text).is_ok(), "{text}");
    }
    tree
}

/// Returns the type with all fields nullable, except for the keys of maps.
pub fn nullable(data_type: &DataType) -> DataType {
    let field = |field: &Field| field.clone().with_data_type(nullable(field.data_type())).with_nullable(true);
    match data_type {
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|of| field(of)).collect()),
        DataType::List(of) => DataType::List(field(of).into()),
        DataType::LargeList(of) => DataType::LargeList(field(of).into()),
        DataType::Map(entries, sorted) => {
            let DataType::Struct(of) = entries.data_type() else { panic!("{data_type}") };
            let of = DataType::Struct([of[0].as_ref().clone(), field(&of[1])].into_iter().collect());
            DataType::Map(entries.as_ref().clone().with_data_type(of).into(), *sorted)
        }
        other => other.clone(),
    }
}

/// Returns the values of the texts, with null for everything that does not fit.
pub fn from_json(column: &ArrayRef, data_type: &DataType) -> ArrayRef {
    let trees = to_values(column).into_iter().map(|text| text.and_then(|text| parse(text.as_str()?)));
    let trees: Vec<_> = trees.collect();
    let trees: Vec<_> = trees.iter().map(Option::as_ref).collect();
    from_values(&nullable(data_type), &read(&trees, data_type))
}

fn read(trees: &[Option<&Tree>], data_type: &DataType) -> Vec<Option<Value>> {
    match data_type {
        DataType::Struct(fields) => {
            let mut columns: Vec<_> = fields
                .iter()
                .map(|field| {
                    let of = |tree: &Option<&Tree>| match &(*tree)?.kind {
                        Kind::Object(all) => {
                            all.iter().rev().find(|(name, _)| name == field.name()).map(|(_, tree)| tree.clone())
                        }
                        _ => None,
                    };
                    let values: Vec<_> = trees.iter().map(of).collect();
                    let values: Vec<_> = values.iter().map(Option::as_ref).collect();
                    read(&values, field.data_type()).into_iter()
                })
                .collect();
            let row = |tree: &Option<&Tree>| {
                let row = columns.iter_mut().map(|column| column.next().flatten()).collect();
                matches!(tree.map(|tree| &tree.kind), Some(Kind::Object(_))).then_some(Value::Struct(row))
            };
            trees.iter().map(row).collect()
        }
        DataType::List(field) | DataType::LargeList(field) => {
            let row = |tree: &Option<&Tree>| match &(*tree)?.kind {
                Kind::Array(all) => {
                    Some(Value::List(read(&all.iter().map(Some).collect::<Vec<_>>(), field.data_type())))
                }
                _ => None,
            };
            trees.iter().map(row).collect()
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(of) = entries.data_type() else { panic!("{data_type}") };
            let row = |tree: &Option<&Tree>| {
                let Kind::Object(all) = &(*tree)?.kind else { return None };
                let values = read(&all.iter().map(|(_, tree)| Some(tree)).collect::<Vec<_>>(), of[1].data_type());
                let entry = |((name, _), value): (&(String, Tree), _)| {
                    Some(Value::Struct(vec![Some(Value::Str(name.clone())), value]))
                };
                Some(Value::List(all.iter().zip(values).map(entry).collect()))
            };
            trees.iter().map(row).collect()
        }
        _ => leaves(trees, data_type),
    }
}

fn leaves(trees: &[Option<&Tree>], data_type: &DataType) -> Vec<Option<Value>> {
    let content = |tree: &Option<&Tree>| match &(*tree)?.kind {
        Kind::Null => None,
        Kind::Text(text) => Some(text.clone()),
        _ => Some((*tree)?.raw.clone()),
    };
    let contents: Vec<_> = trees.iter().map(content).collect();
    let array = || -> ArrayRef { std::sync::Arc::new(StringArray::from(contents.clone())) };
    let each = |value: &dyn Fn(&str) -> Option<Value>| {
        contents.iter().map(|content| content.as_deref().and_then(value)).collect::<Vec<_>>()
    };
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => each(&|text| Some(Value::Str(text.to_owned()))),
        DataType::Boolean => each(&|text| text.parse().ok().map(Value::Bool)),
        DataType::Float32 | DataType::Float64 => to_values(&strings::floats::to_floats(&array(), data_type)),
        _ if data_type.is_integer() => to_values(&strings::numbers::to_integers(&array(), data_type)),
        _ if data_type.is_decimal() => to_values(&strings::numbers::to_fixed_point(&array(), data_type)),
        _ => each(&|text| {
            let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| text.len() == 10);
            let date = date.and_then(|date| Some(date.and_hms_opt(0, 0, 0)?.and_utc().fixed_offset()));
            let moment = || DateTime::parse_from_rfc3339(text).ok();
            let local = || DateTime::parse_from_rfc3339(&format!("{text}Z")).ok();
            let moment = date.or_else(moment).or_else(local)?;
            let nanoseconds = i128::from(moment.timestamp()) * 1_000_000_000;
            let nanoseconds = nanoseconds + i128::from(moment.timestamp_subsec_nanos());
            Some(Value::Int(nanoseconds.div_euclid(nanoseconds_of(data_type))))
        }),
    }
}

fn nanoseconds_of(data_type: &DataType) -> i128 {
    match data_type {
        DataType::Date32 => 86_400_000_000_000,
        DataType::Timestamp(TimeUnit::Second, _) => 1_000_000_000,
        DataType::Timestamp(TimeUnit::Microsecond, _) => 1_000,
        DataType::Timestamp(TimeUnit::Nanosecond, _) => 1,
        _ => 1_000_000,
    }
}

/// Returns the text of each row.
pub fn to_json(column: &ArrayRef, write_null_fields: bool) -> ArrayRef {
    let rows = to_values(column).into_iter();
    let texts = rows.map(|value| value.map(|value| text_of(&value, column.data_type(), write_null_fields)));
    std::sync::Arc::new(texts.collect::<StringArray>())
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is a string of JSON")
}

fn text_of(value: &Value, data_type: &DataType, nulls: bool) -> String {
    let or_null = |value: &Option<Value>, data_type: &DataType| {
        value.as_ref().map_or_else(|| "null".to_owned(), |value| text_of(value, data_type, nulls))
    };
    match (value, data_type) {
        (_, DataType::Dictionary(_, values)) => text_of(value, values, nulls),
        (Value::Struct(row), DataType::Struct(fields)) => {
            let fields = fields.iter().zip(row).filter(|(_, value)| nulls || value.is_some());
            let of = |(field, value): (&std::sync::Arc<Field>, &Option<Value>)| {
                format!("{}:{}", quoted(field.name()), or_null(value, field.data_type()))
            };
            format!("{{{}}}", fields.map(of).collect::<Vec<_>>().join(","))
        }
        (Value::List(entries), DataType::Map(of, _)) => {
            let DataType::Struct(of) = of.data_type() else { panic!("{data_type}") };
            let entry = |entry: &Option<Value>| {
                let entry = entry.as_ref().and_then(Value::as_struct).expect("an entry is a struct");
                format!("{}:{}", or_null(&entry[0], of[0].data_type()), or_null(&entry[1], of[1].data_type()))
            };
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
        }
        (Value::List(elements), DataType::List(of) | DataType::LargeList(of) | DataType::FixedSizeList(of, _)) => {
            let elements = elements.iter().map(|element| or_null(element, of.data_type()));
            format!("[{}]", elements.collect::<Vec<_>>().join(","))
        }
        (Value::Bool(value), _) => value.to_string(),
        (Value::UInt(value), _) => value.to_string(),
        (Value::F32(value), _) if value.is_finite() => format!("{value:?}"),
        (Value::F64(value), _) if value.is_finite() => format!("{value:?}"),
        (Value::F32(_) | Value::F64(_), _) => "null".to_owned(),
        (Value::Str(text), _) => quoted(text),
        (Value::Decimal(_), _) => {
            let text = strings::numbers::from_fixed_point(&from_values(data_type, &[Some(value.clone())]));
            to_values(&text)[0].as_ref().and_then(Value::as_str).expect("a decimal has a text").to_owned()
        }
        (Value::Int(value), _) if data_type.is_integer() => value.to_string(),
        (Value::Int(value), _) => {
            let nanoseconds = value * nanoseconds_of(data_type);
            let second = i64::try_from(nanoseconds.div_euclid(1_000_000_000)).expect("cases have years of 4 digits");
            let fraction = nanoseconds.rem_euclid(1_000_000_000) as u32;
            let moment = DateTime::from_timestamp(second, fraction).expect("cases have years of 4 digits");
            let format = match data_type {
                DataType::Date32 => "\"%Y-%m-%d\"",
                DataType::Timestamp(TimeUnit::Second, _) => "\"%Y-%m-%dT%H:%M:%S",
                DataType::Timestamp(TimeUnit::Microsecond, _) => "\"%Y-%m-%dT%H:%M:%S%.6f",
                DataType::Timestamp(TimeUnit::Nanosecond, _) => "\"%Y-%m-%dT%H:%M:%S%.9f",
                _ => "\"%Y-%m-%dT%H:%M:%S%.3f",
            };
            let end = match data_type {
                DataType::Date32 => "",
                DataType::Timestamp(_, Some(_)) => "Z\"",
                _ => "\"",
            };
            format!("{}{end}", moment.format(format))
        }
        _ => panic!("{value:?} of {data_type}"),
    }
}

/// Returns whether every part of a document became a value.
pub fn fits(document: &serde_json::Value, value: Option<&Value>, data_type: &DataType) -> bool {
    use serde_json::Value as Json;
    match (document, value, data_type) {
        (Json::Null, None, _) => true,
        (Json::Object(names), Some(Value::Struct(row)), DataType::Struct(fields)) => {
            fields.iter().zip(row).all(|(field, value)| match names.get(field.name()) {
                Some(document) => fits(document, value.as_ref(), field.data_type()),
                None => value.is_none(),
            })
        }
        (Json::Array(all), Some(Value::List(elements)), DataType::List(of) | DataType::LargeList(of)) => {
            all.iter().zip(elements).all(|(document, value)| fits(document, value.as_ref(), of.data_type()))
        }
        // serde_json keeps one of several entries of the same name.
        (Json::Object(names), Some(Value::List(entries)), DataType::Map(of, _)) => {
            let DataType::Struct(of) = of.data_type() else { return false };
            let is_read = |entry: &[Option<Value>]| {
                let name = entry[0].as_ref().and_then(Value::as_str).unwrap_or_default();
                names.get(name).is_some_and(|document| fits(document, entry[1].as_ref(), of[1].data_type()))
            };
            names.len() == entries.len() && entries.iter().flatten().filter_map(Value::as_struct).all(is_read)
        }
        (_, value, _) => value.is_some(),
    }
}
