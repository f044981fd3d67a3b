//! Area `json`: elements of JSON text.

use gdf_api::json::{JsonObjectOptions, get_json_object};

use super::Operation;
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[("get_json_object", run_get_json_object)];

fn run_get_json_object(call: &Call<'_>) -> Answered {
    let flag = |name: &str| {
        let unreadable = || call.unreadable(format!("`{name}` is not a boolean"));
        call.arg(name).and_then(|flag| flag.as_bool()).ok_or_else(unreadable)
    };
    let options = JsonObjectOptions {
        allow_single_quotes: flag("allow_single_quotes")?,
        strip_quotes_from_single_strings: flag("strip_quotes_from_single_strings")?,
        missing_fields_as_nulls: flag("missing_fields_as_nulls")?,
    };
    let path = call.scalar("path")?.value::<String>()?;
    Ok(Answer::column(get_json_object(&call.column("input")?, path.as_deref(), options)?)?)
}
