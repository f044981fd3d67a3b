//! Options of libcudf's readers and writers. A function takes each option that it uses. An option that no function
//! takes is an error, so no option is silently ignored.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use arrow_schema::{DataType, Field, Fields};
use gdf_io::Batch;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::call::{Answered, Call, Failure};
use crate::names;
use crate::output::Answer;

/// The options of a case that no function has taken yet. The keys are the names without `set_`.
pub(crate) struct Asked<'a> {
    call: &'a Call<'a>,
    left: BTreeMap<&'a str, &'a Json>,
}

impl<'a> Asked<'a> {
    /// Returns all options of a case.
    pub(crate) fn of(call: &'a Call<'a>) -> Asked<'a> {
        let calls = ["build", "set"].into_iter().filter_map(|part| call.arg(part)?.as_object()).flatten();
        Asked { call, left: calls.map(|(name, value)| (name.strip_prefix("set_").unwrap_or(name), value)).collect() }
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<&'a Json> {
        self.left.remove(name)
    }

    /// Returns the text of an option, but does not take the option.
    pub(crate) fn peek(&self, name: &str) -> Option<&'a str> {
        self.left.get(name)?.as_str()
    }

    /// Takes an option if it has the given value, because this value is gdf's behavior. An option with another value is
    /// not taken, and [`finish`](Self::finish) then returns an error.
    pub(crate) fn take_if(&mut self, name: &str, value: impl Into<Json>) {
        if self.left.get(name).is_some_and(|found| **found == value.into()) {
            self.left.remove(name);
        }
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<Option<&'a str>, Failure> {
        let value = self.take(name);
        value.map(|value| value.as_str().ok_or_else(|| self.wrong(name))).transpose()
    }

    pub(crate) fn byte(&mut self, name: &str) -> Result<Option<u8>, Failure> {
        match self.text(name)?.map(str::as_bytes) {
            None => Ok(None),
            Some([byte]) => Ok(Some(*byte)),
            Some(_) => Err(self.wrong(name)),
        }
    }

    /// Takes an option that is true or false.
    pub(crate) fn flag(&mut self, name: &str) -> Result<Option<bool>, Failure> {
        let value = self.take(name);
        value.map(|value| value.as_bool().ok_or_else(|| self.wrong(name))).transpose()
    }

    /// Takes an option that is a nonnegative integer.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<usize>, Failure> {
        let value = self.take(name);
        let number = |value: &Json| value.as_u64().and_then(|number| usize::try_from(number).ok());
        value.map(|value| number(value).ok_or_else(|| self.wrong(name))).transpose()
    }

    pub(crate) fn texts(&mut self, name: &str) -> Result<Option<Vec<&'a str>>, Failure> {
        let value = self.take(name);
        let texts = |value: &'a Json| value.as_array()?.iter().map(Json::as_str).collect::<Option<Vec<_>>>();
        value.map(|value| texts(value).ok_or_else(|| self.wrong(name))).transpose()
    }

    /// Takes an option that is a list of nonnegative integers.
    pub(crate) fn numbers(&mut self, name: &str) -> Result<Option<Vec<usize>>, Failure> {
        let value = self.take(name);
        value.map(|value| numbers(value).ok_or_else(|| self.wrong(name))).transpose()
    }

    pub(crate) fn byte_range(&mut self) -> Result<Option<std::ops::Range<u64>>, Failure> {
        let (offset, size) = (self.number("byte_range_offset")?, self.number("byte_range_size")?);
        let Some(start) = offset.or(size.map(|_| 0)) else { return Ok(None) };
        let end = size.map_or(u64::MAX, |size| (start + size) as u64);
        Ok(Some(start as u64..end))
    }

    /// Takes the option for the compression if its value is a compression that gdf's readers detect from the first
    /// bytes.
    pub(crate) fn compression(&mut self) {
        for seen in ["NONE", "AUTO", "GZIP", "ZSTD"] {
            self.take_if("compression", seen);
        }
    }

    /// Returns an error if an option has not been taken. Either gdf does not have the option, or gdf does not support
    /// the value of the option.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self.left.first_key_value() {
            None => Ok(()),
            Some((name, value)) => Err(self.missing(&format!("{name} {value}"))),
        }
    }

    /// Makes the failure for an option that gdf does not have.
    pub(crate) fn missing(&self, what: &str) -> Failure {
        Failure::Unsupported(format!("{} with {what}", self.call.case().op))
    }

    fn wrong(&self, name: &str) -> Failure {
        self.call.unreadable(format!("the option `{name}` has a value of a wrong type"))
    }
}

/// Converts a list of nonnegative integers.
pub(crate) fn numbers(json: &Json) -> Option<Vec<usize>> {
    json.as_array()?.iter().map(|number| usize::try_from(number.as_u64()?).ok()).collect()
}

pub(crate) fn data_type(name: &str) -> Result<DataType, Failure> {
    names::data_type(name).ok_or_else(|| Failure::Unsupported(format!("type {name}")))
}

/// Writes the files of a case to a new folder. Returns the folder and the path to read. If there is a single file, the
/// path is the file. Otherwise, the path is the folder.
pub(crate) fn files(call: &Call<'_>, extension: &str) -> Result<(TempDir, PathBuf), Failure> {
    let folder = folder()?;
    let names = (0..).map(|i| format!("file{i}")).take_while(|name| call.has(name));
    let mut paths = Vec::new();
    for name in names {
        let path = folder.path().join(format!("{name}.{extension}"));
        fs::write(&path, call.file(&name)?).map_err(|error| Failure::Unreadable(error.into()))?;
        paths.push(path);
    }
    let path = match &paths[..] {
        [only] => only.clone(),
        _ => folder.path().to_owned(),
    };
    Ok((folder, path))
}

pub(crate) fn folder() -> Result<TempDir, Failure> {
    tempfile::tempdir().map_err(|error| Failure::Unreadable(error.into()))
}

/// Returns the answer of a case that reads files.
pub(crate) fn read(batch: Batch) -> Answered {
    let (schema, table) = batch.into_parts();
    Ok(Answer { schema: Some(schema), ..Answer::table(table) })
}

/// Returns the answer of a case that writes a file. The answer is the text of the file.
pub(crate) fn written(path: PathBuf) -> Answered {
    let text = fs::read_to_string(path).map_err(|error| Failure::Unreadable(error.into()))?;
    Ok(Answer::value(text))
}

/// Returns the type with the given names of its fields. Each name comes with the names of its own fields: `[["x", []],
/// …]`. The names of a list are `offsets` and `element`.
pub(crate) fn named(data_type: &DataType, names: &Json) -> Option<DataType> {
    let names = names.as_array()?;
    Some(match data_type {
        DataType::Struct(fields) => DataType::Struct(named_fields(fields, names)?),
        DataType::List(item) => {
            let inner = names.last()?.get(1)?;
            DataType::List(Field::clone(item).with_data_type(named(item.data_type(), inner)?).into())
        }
        other => other.clone(),
    })
}

pub(crate) fn named_fields(fields: &Fields, names: &[Json]) -> Option<Fields> {
    let field = |(field, name): (&std::sync::Arc<Field>, &Json)| {
        let data_type = named(field.data_type(), name.get(1)?)?;
        Some(Field::new(name.get(0)?.as_str()?, data_type, true))
    };
    fields.iter().zip(names).map(field).collect()
}

#[cfg(test)]
mod tests {
    use gdf_driver::{Device, Stream};
    use gdf_memory::current_resource;

    use super::*;
    use crate::area::Area;

    /// Calls `take` with `options`, and returns the error text about options that `take` has not taken.
    fn left(options: &str, take: impl Fn(&mut Asked<'_>)) -> Option<String> {
        let line = format!(
            r#"{{"id":"a-1","op":"csv.read","args":{options},"inputs":{{}},"expect":{{"value":1}},"compare":"exact"}}"#
        );
        let area = Area::from_bytes("a", line.as_bytes(), Vec::new());
        let (stream, resource) = (Stream::cpu(), current_resource(Device::Cpu).unwrap());
        let call = Call::new(&area, &area.cases[0], &stream, &resource);
        let mut asked = Asked::of(&call);
        take(&mut asked);
        asked.finish().err().map(|failure| failure.to_string())
    }

    #[test]
    fn options_that_are_left_are_missing() {
        let options = r#"{"build":{"dayfirst":true,"nrows":3},"set":{"set_header":-1}}"#;
        assert_eq!(left(options, |_| ()), Some("csv.read with dayfirst true".to_owned()));
        let some = |asked: &mut Asked<'_>| {
            assert_eq!(asked.number("nrows").unwrap(), Some(3));
            assert!(asked.take("header").is_some() && asked.take("header").is_none());
            asked.take_if("dayfirst", false);
        };
        assert_eq!(left(options, some), Some("csv.read with dayfirst true".to_owned()));
        let all = |asked: &mut Asked<'_>| {
            some(asked);
            asked.take_if("dayfirst", true);
        };
        assert_eq!(left(options, all), None);
    }

    #[test]
    fn options_of_another_kind_are_the_corpus_s_fault() {
        left(r#"{"build":{"nrows":"three","delimiter":";;"}}"#, |asked| {
            assert!(matches!(asked.number("nrows"), Err(Failure::Unreadable(_))));
            assert!(matches!(asked.byte("delimiter"), Err(Failure::Unreadable(_))));
        });
    }

    #[test]
    fn names_go_to_fields_at_any_depth() {
        let of = |fields: Vec<Field>| DataType::Struct(fields.into());
        let inner = of(vec![Field::new("f0", DataType::Int32, true)]);
        let fields: Fields = vec![Field::new("c0", DataType::new_list(inner, true), true)].into();
        let names: Json = serde_json::from_str(r#"[["l",[["offsets",[]],["element",[["x",[]]]]]]]"#).unwrap();
        let named = named_fields(&fields, names.as_array().unwrap()).unwrap();
        let expected = of(vec![Field::new("x", DataType::Int32, true)]);
        assert_eq!(named[0].name(), "l");
        assert_eq!(named[0].data_type(), &DataType::new_list(expected, true));
        assert!(named_fields(&fields, &[Json::from("l")]).is_none());
    }
}
