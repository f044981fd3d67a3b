//! Whether an outcome is the one that libcudf had.

use gdf_core::Error;

use crate::call::Failure;
use crate::case::{Case, ErrorClass};
use crate::compare::compare;
use crate::output::Output;

/// How a case went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As libcudf.
    Passed,
    /// Otherwise; what was expected and what came.
    Failed(String),
    /// gdf has no such operation, or not for these types; which.
    Unsupported(String),
}

/// Operations that throw `std::invalid_argument` where the type of the data is at fault, which is `cudf::data_type_error`
/// elsewhere; to gdf it is the same mistake everywhere.
const TYPES_ARE_ARGUMENTS: &[&str] = &["reduce", "minmax"];

/// The class that the corpus has for an error that gdf's version of operation `op` returns.
pub fn class(op: &str, error: &Error) -> ErrorClass {
    match error {
        Error::Unsupported { .. } | Error::TypeMismatch { .. } if TYPES_ARE_ARGUMENTS.contains(&op) => {
            ErrorClass::InvalidArgument
        }
        Error::Unsupported { .. } | Error::TypeMismatch { .. } => ErrorClass::DataType,
        Error::OffsetOverflow { .. } => ErrorClass::Overflow,
        Error::OutOfBounds { .. } => ErrorClass::OutOfBounds,
        Error::InvalidArgument { .. }
        | Error::InvalidData { .. }
        | Error::LengthMismatch { .. }
        | Error::ColumnCount { .. } => ErrorClass::InvalidArgument,
        _ => ErrorClass::Other,
    }
}

/// Compares an outcome with what the case expects: `expected`, or its error.
///
/// That gdf does not support a type is no failure where a result is expected, and an error like others where one is.
pub fn judge(case: &Case, expected: Option<&Output>, outcome: &Result<Output, Failure>) -> Verdict {
    match (expected, outcome) {
        (_, Err(Failure::Unsupported(what))) => Verdict::Unsupported(what.clone()),
        (_, Err(Failure::Unreadable(error))) => Verdict::Failed(format!("unreadable: {error:#}")),
        (Some(_), Err(Failure::Refused(error @ Error::Unsupported { .. }))) => Verdict::Unsupported(error.to_string()),
        (Some(_), Err(Failure::Refused(error))) => {
            Verdict::Failed(format!("expected a result, got {}: {error}", class(&case.op, error)))
        }
        (Some(expected), Ok(got)) => match compare(expected, got, &case.rule) {
            Ok(()) => Verdict::Passed,
            Err(difference) => Verdict::Failed(difference),
        },
        (None, outcome) => judge_error(&case.op, case.expect.error.unwrap_or(ErrorClass::Other), outcome),
    }
}

fn judge_error(op: &str, expected: ErrorClass, outcome: &Result<Output, Failure>) -> Verdict {
    match outcome {
        Err(Failure::Refused(error)) => match class(op, error) {
            got if expected == ErrorClass::Other || expected == got => Verdict::Passed,
            got => Verdict::Failed(format!("expected {expected}, got {got}: {error}")),
        },
        Err(error) => Verdict::Failed(format!("expected {expected}, got {error}")),
        Ok(output) => Verdict::Failed(format!("expected {expected}, got {}", shape(output))),
    }
}

/// What kind of result it is, in words.
fn shape(output: &Output) -> String {
    let table = |table: &arrow_array::RecordBatch| {
        let types: Vec<_> = table.columns().iter().map(|column| column.data_type().to_string()).collect();
        format!("{} rows of ({})", table.num_rows(), types.join(", "))
    };
    match output {
        Output { table: Some(batch), .. } | Output { scalar: Some(batch), .. } => table(batch),
        Output { tables: Some(tables), .. } => format!("{} tables", tables.len()),
        Output { value, .. } => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn case(expect: &str) -> Case {
        let line = format!(r#"{{"id":"a","op":"o","args":{{}},"inputs":{{}},"expect":{expect},"compare":"exact"}}"#);
        Case::read(&line, "a").unwrap()
    }

    fn outcome(error: Error) -> Result<Output, Failure> {
        Err(Failure::Refused(error))
    }

    #[test]
    fn errors_go_by_class_and_other_is_any() {
        let bounds = || outcome(Error::OutOfBounds { index: 1, len: 0 });
        assert_eq!(judge(&case(r#"{"error":"out_of_bounds"}"#), None, &bounds()), Verdict::Passed);
        assert_eq!(judge(&case(r#"{"error":"other"}"#), None, &bounds()), Verdict::Passed);
        assert!(matches!(judge(&case(r#"{"error":"overflow"}"#), None, &bounds()), Verdict::Failed(_)));
        let result = Ok(Output { value: Some(json!(1)), ..Output::default() });
        assert!(matches!(judge(&case(r#"{"error":"other"}"#), None, &result), Verdict::Failed(_)));
    }

    #[test]
    fn an_unsupported_type_is_no_failure_where_a_result_is_expected() {
        let unsupported = || outcome(Error::unsupported("o", &gdf_core::DataType::Int8));
        let expected = Output { value: Some(json!(1)), ..Output::default() };
        let verdict = judge(&case(r#"{"value":1}"#), Some(&expected), &unsupported());
        assert!(matches!(verdict, Verdict::Unsupported(_)));
        assert_eq!(judge(&case(r#"{"error":"data_type"}"#), None, &unsupported()), Verdict::Passed);
    }

    #[test]
    fn a_broken_corpus_is_a_failure() {
        let broken = Err(Failure::Unreadable(anyhow::anyhow!("x")));
        assert!(matches!(judge(&case(r#"{"error":"other"}"#), None, &broken), Verdict::Failed(_)));
    }
}
