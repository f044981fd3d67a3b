//! Area `io_json`: reading and writing JSON.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use gdf_io::{Batch, JsonReader, JsonWriter};
use serde_json::Value as Json;

use super::options::{self, Asked, files, folder, named_fields, read, written};
use crate::call::{Answered, Call, Failure};
use crate::operations::Operation;

pub(crate) const OPERATIONS: &[(&str, Operation)] = &[("json.read", run_read), ("json.write", run_write)];

fn run_read(call: &Call<'_>) -> Answered {
    let mut asked = Asked::of(call);
    let (_folder, path) = files(call, "json")?;
    let mut reader = JsonReader::open(path)?;
    asked.compression();
    let types = asked.take("dtypes").and_then(Json::as_array).into_iter().flatten();
    let types = types.map(field).collect::<Result<Vec<_>, Failure>>()?;
    if asked.flag("prune_columns")? == Some(true) {
        reader = reader.columns(types.iter().map(Field::name));
    }
    reader = reader.types(types.into_iter().map(|field| (field.name().clone(), field.data_type().clone())));
    if let Some(bytes) = asked.byte_range()? {
        reader = reader.byte_range(bytes);
    }
    // The option is ignored, because gdf detects from the first bytes of the file whether the file has lines or an
    // array.
    asked.flag("lines")?;
    // The option is ignored, because gdf always returns an error for invalid JSON.
    asked.flag("strict_validation")?;
    asked.take_if("recovery_mode", "FAIL");
    asked.finish()?;
    read(reader.read()?)
}

/// Converts a name and its type to a field. An example of the input is `["a", "LIST", [["element", "FLOAT64", []]]]`.
fn field(json: &Json) -> Result<Field, Failure> {
    let text = |i: usize| json.get(i).and_then(Json::as_str).unwrap_or_default();
    let inner = json.get(2).and_then(Json::as_array).into_iter().flatten().map(field);
    let mut inner = inner.collect::<Result<Vec<_>, _>>()?;
    let data_type = match (text(1), inner.pop()) {
        ("STRUCT", last) => DataType::Struct(inner.into_iter().chain(last).collect()),
        ("LIST", Some(element)) => DataType::List(Arc::new(element)),
        (name, _) => options::data_type(name)?,
    };
    Ok(Field::new(text(0), data_type, true))
}

fn run_write(call: &Call<'_>) -> Answered {
    let mut asked = Asked::of(call);
    let table = call.table("input")?;
    let names = call.arg("names").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let fields = named_fields(table.schema(&[]).fields(), names);
    let schema = Arc::new(Schema::new(fields.ok_or_else(|| call.unreadable("names of other columns".to_owned()))?));
    let folder = folder()?;
    let path = folder.path().join("t.json");
    // libcudf escapes characters outside of ASCII by default.
    let mut writer = JsonWriter::new(&path, &schema).force_ascii(asked.flag("utf8_escaped")?.unwrap_or(true));
    if let Some(lines) = asked.flag("lines")? {
        writer = writer.lines(lines);
    }
    // libcudf leaves out members that are null by default.
    writer = writer.explicit_nulls(asked.flag("include_nulls")?.unwrap_or(false));
    asked.take_if("na_rep", "null");
    asked.finish()?;
    writer.write(&Batch::try_new(schema, table)?)?;
    writer.finish()?;
    written(path)
}
