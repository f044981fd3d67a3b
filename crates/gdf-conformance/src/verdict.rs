//! Compares an outcome with the answer of libcudf.

use std::fmt;

use gdf_core::Error;
use gdf_io::Error as FileError;

use crate::call::Failure;
use crate::case::{Case, ErrorClass};
use crate::compare::compare;
use crate::output::Output;

/// The outcome of a case: gdf's answer, or the reason why there is no answer.
pub type Outcome = Result<Output, Failure>;

/// The verdict on a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// gdf gives libcudf's answer.
    Passed,
    /// gdf gives another answer. The text describes the expected and the actual answer.
    Failed(String),
    /// gdf differs on purpose and gives its recorded answer. The first text describes the difference, and the second
    /// text is the reason.
    Intended(String, &'static str),
    /// The operation exists, but does not support these types or arguments. The text describes the unsupported types or
    /// arguments.
    Refused(String),
    /// The operation does not exist. The text is its name.
    Absent(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Passed => f.write_str("passed"),
            Verdict::Failed(what) => f.write_str(what),
            Verdict::Intended(what, reason) => write!(f, "{what}, because {reason}"),
            Verdict::Refused(what) => write!(f, "refused: {what}"),
            Verdict::Absent(what) => write!(f, "no operation {what}"),
        }
    }
}

/// Operations of libcudf that throw `std::invalid_argument` for a wrong data type. The other operations of libcudf
/// throw `cudf::data_type_error`. gdf returns the same error for all operations.
const TYPES_ARE_ARGUMENTS: &[&str] = &["reduce"];

/// Returns the corpus's class for an error of gdf. `op` is the operation that returned the error. The result is `None`
/// for errors of memory, of the driver, of missing kernels and for defects of gdf. Such an error is not an answer,
/// because it does not concern the arguments or the data.
pub fn class(op: &str, error: &Error) -> Option<ErrorClass> {
    Some(match error {
        Error::Driver(_) | Error::Memory(_) | Error::OutOfMemory { .. } | Error::Internal { .. } => return None,
        Error::Unsupported { .. } | Error::TypeMismatch { .. } if TYPES_ARE_ARGUMENTS.contains(&op) => {
            ErrorClass::InvalidArgument
        }
        Error::Unsupported { .. } | Error::TypeMismatch { .. } => ErrorClass::DataType,
        Error::OffsetOverflow { .. } => ErrorClass::Overflow,
        Error::OutOfBounds { .. } => ErrorClass::OutOfBounds,
        Error::InvalidArgument { .. }
        | Error::InvalidData { .. }
        | Error::InvalidPattern { .. }
        | Error::InvalidText { .. }
        | Error::LengthMismatch { .. }
        | Error::ColumnCount { .. } => ErrorClass::InvalidArgument,
        _ => ErrorClass::Other,
    })
}

/// Returns the corpus's class for an error of a reader or writer. The rules of [`class`] apply. The result for an error
/// of the file system is `None`, because such an error is not an answer.
fn file_class(op: &str, error: &FileError) -> Option<ErrorClass> {
    Some(match error {
        FileError::Gdf(error) => return class(op, error),
        FileError::NotFound { .. }
        | FileError::NoFiles { .. }
        | FileError::BadPattern { .. }
        | FileError::Read { .. }
        | FileError::Write { .. } => return None,
        FileError::Unsupported { .. } | FileError::ColumnType { .. } => ErrorClass::DataType,
        FileError::OffsetOverflow { .. } => ErrorClass::Overflow,
        _ => ErrorClass::InvalidArgument,
    })
}

/// Returns the message of a reader or writer without the name of the file, because the name differs from run to run.
fn without_path(error: &FileError) -> String {
    let text = error.to_string();
    error.path().map_or(text.clone(), |path| text.replace(&path.display().to_string(), "the file"))
}

impl Failure {
    /// Returns the class of the error. If the error is not an answer, the result is `None`.
    pub fn class(&self, op: &str) -> Option<ErrorClass> {
        match self {
            Failure::Refused(error) => class(op, error),
            Failure::File(error) => file_class(op, error),
            Failure::Excluded(_) => Some(ErrorClass::InvalidArgument),
            Failure::Absent(_) | Failure::Unsupported(_) | Failure::Unreadable(_) => None,
        }
    }
}

/// Compares an outcome with the answer that the case expects. The expected answer is `expected`. If `expected` is
/// `None`, the case expects an error.
///
/// If the case expects a result, an unsupported type is not a failure. If the case expects an error, an unsupported
/// type counts as an error. A call that gdf's types exclude counts as an error, too, because neither library performs
/// it.
pub fn judge(case: &Case, expected: Option<&Output>, outcome: &Outcome) -> Verdict {
    match (expected, outcome) {
        (_, Err(Failure::Absent(op))) => Verdict::Absent(op.clone()),
        (_, Err(Failure::Unsupported(what))) => Verdict::Refused(what.clone()),
        (Some(_), Err(failure @ Failure::Excluded(_))) => Verdict::Refused(failure.to_string()),
        (_, Err(Failure::Unreadable(error))) => Verdict::Failed(format!("unreadable: {error:#}")),
        (Some(_), Err(Failure::Refused(error @ Error::Unsupported { .. }))) => Verdict::Refused(error.to_string()),
        (Some(_), Err(Failure::File(error)))
            if matches!(**error, FileError::Unsupported { .. } | FileError::Unimplemented { .. }) =>
        {
            Verdict::Refused(without_path(error))
        }
        (Some(_), Err(failure)) => Verdict::Failed(format!("expected a result, got {}", described(&case.op, failure))),
        (Some(expected), Ok(got)) => match compare(expected, got, &case.rule) {
            Ok(()) => Verdict::Passed,
            Err(difference) => Verdict::Failed(difference),
        },
        (None, Err(failure)) => judge_error(case, failure),
        (None, Ok(output)) => Verdict::Failed(format!("expected {}, got {}", wanted(case), shape(output))),
    }
}

fn wanted(case: &Case) -> ErrorClass {
    case.expect.error.unwrap_or(ErrorClass::Other)
}

/// Compares an error with the error that the case expects. In C++, `cudf::data_type_error` is derived from
/// `std::invalid_argument`. Therefore a C++ program that handles `std::invalid_argument` handles both classes.
fn judge_error(case: &Case, failure: &Failure) -> Verdict {
    match (wanted(case), failure.class(&case.op)) {
        (ErrorClass::InvalidArgument, Some(ErrorClass::DataType)) => Verdict::Passed,
        (wanted, Some(got)) if wanted == ErrorClass::Other || wanted == got => Verdict::Passed,
        (wanted, _) => Verdict::Failed(format!("expected {wanted}, got {}", described(&case.op, failure))),
    }
}

fn described(op: &str, failure: &Failure) -> String {
    match failure.class(op) {
        Some(class) => format!("{class}: {failure}"),
        None => format!("an error that is not an answer: {failure}"),
    }
}

/// Describes a result in words.
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
    use gdf_driver::DriverError;
    use gdf_memory::MemoryError;
    use serde_json::json;

    use super::*;

    fn case(expect: &str) -> Case {
        let line = format!(r#"{{"id":"a","op":"o","args":{{}},"inputs":{{}},"expect":{expect},"compare":"exact"}}"#);
        Case::read(line.as_bytes(), "a").unwrap()
    }

    fn outcome(error: impl Into<Error>) -> Outcome {
        Err(Failure::Refused(error.into()))
    }

    #[test]
    fn errors_go_by_class_and_other_is_any() {
        let bounds = || outcome(Error::out_of_bounds(1, 0));
        assert_eq!(judge(&case(r#"{"error":"out_of_bounds"}"#), None, &bounds()), Verdict::Passed);
        assert_eq!(judge(&case(r#"{"error":"other"}"#), None, &bounds()), Verdict::Passed);
        assert!(matches!(judge(&case(r#"{"error":"overflow"}"#), None, &bounds()), Verdict::Failed(_)));
        let result = Ok(Output { value: Some(json!(1)), ..Output::default() });
        assert!(matches!(judge(&case(r#"{"error":"other"}"#), None, &result), Verdict::Failed(_)));
    }

    #[test]
    fn errors_of_the_machine_are_no_answers() {
        let memory = || MemoryError::OutOfMemory { requested: 1, free: None, resource: "test" };
        let kernels = || DriverError::KernelsNotBuilt { image: "test".to_owned() };
        let driver = || DriverError::NoDriver { reason: "test".to_owned() };
        for expect in [r#"{"error":"other"}"#, r#"{"error":"invalid_argument"}"#] {
            for outcome in
                [outcome(memory()), outcome(kernels()), outcome(driver()), outcome(MemoryError::from(driver()))]
            {
                assert!(matches!(judge(&case(expect), None, &outcome), Verdict::Failed(_)), "{outcome:?}");
            }
        }
    }

    #[test]
    fn errors_of_files_go_by_their_kind() {
        let judged = |error: FileError, expected: Option<&Output>| {
            judge(&case(r#"{"error":"other"}"#), expected, &Err(Failure::from(error)))
        };
        let path = || std::path::PathBuf::from("/a/folder/t.csv");
        let malformed =
            || FileError::Malformed { path: path(), format: gdf_io::Format::Csv, position: None, what: "x".to_owned() };
        let lacking = || FileError::Unimplemented {
            path: path(),
            format: gdf_io::Format::Csv,
            position: None,
            what: "x".to_owned(),
        };
        let value = Output { value: Some(json!(1)), ..Output::default() };
        assert_eq!(judged(malformed(), None), Verdict::Passed);
        assert!(matches!(judged(malformed(), Some(&value)), Verdict::Failed(_)));
        assert!(matches!(judged(FileError::NotFound { path: path() }, None), Verdict::Failed(_)));
        let Verdict::Refused(what) = judged(lacking(), Some(&value)) else { panic!("not refused") };
        assert!(what.starts_with("the file uses a CSV feature"), "{what}");
    }

    #[test]
    fn a_type_is_an_argument_of_reductions_only() {
        let error = Error::unsupported("o", &gdf_core::DataType::Int8);
        assert_eq!(class("reduce", &error), Some(ErrorClass::InvalidArgument));
        assert_eq!(class("minmax", &error), Some(ErrorClass::DataType));
    }

    #[test]
    fn refused_is_not_absent() {
        let unsupported = || outcome(Error::unsupported("o", &gdf_core::DataType::Int8));
        let expected = Output { value: Some(json!(1)), ..Output::default() };
        let judged = |outcome: &Outcome| judge(&case(r#"{"value":1}"#), Some(&expected), outcome);
        assert_eq!(judged(&unsupported()), Verdict::Refused("o: Int8 is not supported".to_owned()));
        assert_eq!(judged(&Err(Failure::Unsupported("p".to_owned()))), Verdict::Refused("p".to_owned()));
        assert_eq!(judged(&Err(Failure::Absent("o".to_owned()))), Verdict::Absent("o".to_owned()));
        let excluded = || Err(Failure::Excluded("a".to_owned()));
        assert!(matches!(judged(&excluded()), Verdict::Refused(_)));
        assert_eq!(judge(&case(r#"{"error":"other"}"#), None, &excluded()), Verdict::Passed);
        assert_eq!(judge(&case(r#"{"error":"data_type"}"#), None, &unsupported()), Verdict::Passed);
        assert_eq!(judge(&case(r#"{"error":"invalid_argument"}"#), None, &unsupported()), Verdict::Passed);
        let lengths = outcome(Error::invalid_argument("o"));
        assert!(matches!(judge(&case(r#"{"error":"data_type"}"#), None, &lengths), Verdict::Failed(_)));
    }

    #[test]
    fn a_broken_corpus_is_a_failure() {
        let broken = Err(Failure::Unreadable(anyhow::anyhow!("x")));
        assert!(matches!(judge(&case(r#"{"error":"other"}"#), None, &broken), Verdict::Failed(_)));
    }
}
