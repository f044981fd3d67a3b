//! Recorded answers of gdf. There is a record for each case in which gdf differs from libcudf on purpose. The records
//! detect unintended changes of these answers.
//!
//! The records have the format of an area of the corpus. A record is the line of a case without the inputs. The
//! expected answer of the record is gdf's answer. A comparison with the record follows the rule of the case, because
//! the line contains the rule.

use std::sync::LazyLock;

use anyhow::{Result, bail};
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use serde_json::{Map, Value as Json, json};

use crate::area::Area;
use crate::case::Case;
use crate::output::Output;
use crate::verdict::{Outcome, Verdict, judge};

/// The common name of the record files, and the name of their folder in the crate.
pub const NAME: &str = "answers";

/// The alignment of the data of an answer, in bytes.
const ALIGNMENT: usize = 8;

static RECORDED: LazyLock<Area> = LazyLock::new(|| {
    let (lines, data) = (include_bytes!("../answers/answers.jsonl"), include_bytes!("../answers/answers.bin"));
    Area::from_bytes(NAME, lines, data.to_vec())
});

/// Checks that gdf's answer of a case equals the recorded answer.
///
/// # Errors
/// - There is no record for this operation with these arguments, or the outcome differs. The text describes the
///   difference.
pub fn check(case: &Case, outcome: &Outcome) -> Result<(), String> {
    check_in(&RECORDED, case, outcome)
}

fn check_in(recorded: &Area, case: &Case, outcome: &Outcome) -> Result<(), String> {
    let same = |answer: &&Case| answer.id == case.id && answer.op == case.op && answer.args == case.args;
    let answer = recorded.cases.iter().find(same).ok_or("the stored answers have no answer of gdf for the case")?;
    let expected = Output::expected(&answer.expect, recorded).map_err(|error| format!("{error:#}"))?;
    match judge(answer, expected.as_ref(), outcome) {
        Verdict::Passed => Ok(()),
        other => Err(other.to_string()),
    }
}

/// Returns the ids of all recorded cases.
pub fn ids() -> impl Iterator<Item = &'static str> {
    RECORDED.cases.iter().map(|case| case.id.as_str())
}

/// Returns the lines and the data of records of these outcomes.
///
/// # Errors
/// - A case has no answer, or the answer cannot be written.
pub fn record<'a>(outcomes: impl IntoIterator<Item = &'a (Case, Outcome)>) -> Result<(String, Vec<u8>)> {
    let (mut lines, mut data) = (String::new(), Vec::new());
    for (case, outcome) in outcomes {
        let mut line = case.json.clone();
        line["inputs"] = json!({});
        line["expect"] = match outcome {
            Ok(output) => Json::Object(expectation(output, &mut data)?),
            Err(failure) => match failure.class(&case.op) {
                Some(class) => json!({ "error": class.to_string() }),
                None => bail!(
                    "case {}: the failure belongs to no class of errors and cannot be recorded: {failure}",
                    case.id
                ),
            },
        };
        lines.push_str(&format!("{line}\n"));
    }
    Ok((lines, data))
}

fn expectation(output: &Output, data: &mut Vec<u8>) -> Result<Map<String, Json>> {
    let mut expect = Map::new();
    for (name, batch) in [("table", &output.table), ("scalar", &output.scalar)] {
        if let Some(batch) = batch {
            expect.insert(name.to_owned(), put(batch, data)?);
        }
    }
    if let Some(tables) = &output.tables {
        expect.insert("tables".to_owned(), tables.iter().map(|batch| put(batch, data)).collect::<Result<_>>()?);
    }
    if let Some(value) = &output.value {
        expect.insert("value".to_owned(), value.clone());
    }
    Ok(expect)
}

fn put(batch: &RecordBatch, data: &mut Vec<u8>) -> Result<Json> {
    data.resize(data.len().next_multiple_of(ALIGNMENT), 0);
    let begin = data.len();
    let mut writer = StreamWriter::try_new(&mut *data, &batch.schema())?;
    writer.write(batch)?;
    writer.finish()?;
    drop(writer);
    Ok(json!([begin, data.len() - begin]))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int32Array};
    use gdf_core::Error;

    use super::*;
    use crate::call::Failure;
    use crate::output::batch;

    fn case(id: &str, args: &str) -> Case {
        let expect = r#"{"error":"other"}"#;
        let line =
            format!(r#"{{"id":"{id}","op":"o","args":{args},"inputs":{{}},"expect":{expect},"compare":"exact"}}"#);
        Case::read(line.as_bytes(), "a").unwrap()
    }

    fn table(values: &[i32]) -> Outcome {
        let column: ArrayRef = Arc::new(Int32Array::from(values.to_vec()));
        Ok(Output { table: Some(batch(vec![column]).unwrap()), ..Output::default() })
    }

    fn refused() -> Outcome {
        Err(Failure::Refused(Error::out_of_bounds(1, 0)))
    }

    #[test]
    fn what_is_on_record_is_compared() {
        let outcomes = [(case("a-1", "{}"), table(&[1, 2])), (case("a-2", "{}"), refused())];
        let (lines, data) = record(&outcomes).unwrap();
        let recorded = Area::from_bytes("answers", lines.as_bytes(), data);
        assert_eq!(check_in(&recorded, &case("a-1", "{}"), &table(&[1, 2])), Ok(()));
        assert!(check_in(&recorded, &case("a-1", "{}"), &table(&[1, 3])).is_err());
        assert!(check_in(&recorded, &case("a-1", "{}"), &refused()).is_err());
        assert_eq!(check_in(&recorded, &case("a-2", "{}"), &refused()), Ok(()));
        assert!(check_in(&recorded, &case("a-2", "{}"), &table(&[1, 2])).is_err());
        assert!(check_in(&recorded, &case("a-1", r#"{"k":1}"#), &table(&[1, 2])).is_err(), "another case of this id");
        assert!(check_in(&recorded, &case("a-3", "{}"), &refused()).is_err());
    }

    #[test]
    fn what_is_no_answer_is_not_recorded() {
        assert!(record(&[(case("a-1", "{}"), Err(Failure::Absent("o".to_owned())))]).is_err());
    }
}
