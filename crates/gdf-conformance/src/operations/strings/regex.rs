//! Area `strings`: regular expressions.

use gdf_api::strings::{self, Regex, RegexFlags};
use gdf_core::{Column, Table};

use super::literal;
use crate::call::{Answered, Call, Failure};
use crate::operations::Operation;
use crate::output::Answer;

pub(crate) const OPERATIONS: &[(&str, Operation)] = &[
    ("strings.contains_re", |call| column(call, |column, regex| strings::contains_re(column, regex))),
    ("strings.count_re", |call| column(call, |column, regex| strings::count_re(column, regex))),
    ("strings.extract", |call| table(call, |column, regex| strings::extract(column, regex))),
    ("strings.extract_all_record", |call| column(call, |column, regex| strings::extract_all_record(column, regex))),
    ("strings.extract_single", |call| {
        // libcudf does not count the whole match as a group, so its first group has number 0.
        let group = call.count("group")? + 1;
        column(call, |column, regex| strings::extract_single(column, regex, group))
    }),
    ("strings.find_re", |call| column(call, |column, regex| strings::find_re(column, regex))),
    ("strings.findall", |call| column(call, |column, regex| strings::findall(column, regex))),
    ("strings.matches_re", |call| column(call, |column, regex| strings::matches_re(column, regex))),
    ("strings.replace_re", |call| {
        let (replacement, limit) = (literal(call, "replacement")?, limit(call)?);
        column(call, |column, regex| strings::replace_re(column, regex, &replacement, limit))
    }),
    ("strings.replace_with_backrefs", |call| {
        let template = call.text("replacement")?;
        column(call, |column, regex| strings::replace_with_backrefs(column, regex, template))
    }),
    ("strings.rsplit_re", |call| {
        let limit = limit(call)?;
        table(call, |column, regex| strings::rsplit_re(column, regex, limit))
    }),
    ("strings.rsplit_record_re", |call| {
        let limit = limit(call)?;
        column(call, |column, regex| strings::rsplit_record_re(column, regex, limit))
    }),
    ("strings.split_re", |call| {
        let limit = limit(call)?;
        table(call, |column, regex| strings::split_re(column, regex, limit))
    }),
    ("strings.split_record_re", |call| {
        let limit = limit(call)?;
        column(call, |column, regex| strings::split_record_re(column, regex, limit))
    }),
];

fn column(call: &Call<'_>, run: impl FnOnce(&Column, &Regex) -> gdf_core::Result<Column>) -> Answered {
    Ok(Answer::column(run(&call.column("input")?, &regex(call)?)?)?)
}

fn table(call: &Call<'_>, run: impl FnOnce(&Column, &Regex) -> gdf_core::Result<Table>) -> Answered {
    Ok(Answer::table(run(&call.column("input")?, &regex(call)?)?))
}

fn regex(call: &Call<'_>) -> Result<Regex, Failure> {
    let flag = |flags: RegexFlags, flag: &serde_json::Value| match flag.as_str() {
        Some("IGNORECASE") => Ok(flags.ignore_case()),
        Some("MULTILINE") => Ok(flags.multiline()),
        Some("DOTALL") => Ok(flags.dot_all()),
        _ => Err(Failure::Unsupported(format!("the flag {flag}"))),
    };
    let mut flags = call.arg("flags").and_then(serde_json::Value::as_array).into_iter().flatten();
    Ok(Regex::new(call.text("pattern")?, flags.try_fold(RegexFlags::new(), flag)?)?)
}

/// Returns the maximum number of replacements or splits. If the number is negative, the result is `None`. With the
/// number 0, an operation replaces no match, or splits a text at all matches.
fn limit(call: &Call<'_>) -> Result<Option<usize>, Failure> {
    Ok(usize::try_from(call.integer("max")?).ok())
}
