//! The correct answers of the queries. For two scales, the answers are built into the program. For other scales, they
//! are read from a folder.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, ensure};

use crate::sheet::Sheet;

macro_rules! built_in {
    ($($query:literal)*) => {
        /// The answers at scale 0.01.
        const SMALL: &[&str] = &[$(include_str!(concat!("answers/sf0.01/q", $query, ".csv"))),*];
        /// The answers at scale 0.1.
        const MEDIUM: &[&str] = &[$(include_str!(concat!("answers/sf0.1/q", $query, ".csv"))),*];
    };
}
built_in!("01" "02" "03" "04" "05" "06" "07" "08" "09" "10" "11" "12" "13" "14" "15" "16" "17" "18" "19" "20" "21" "22");

fn built_in(scale: f64, query: u32) -> Option<&'static str> {
    let answers = match scale {
        0.01 => SMALL,
        0.1 => MEDIUM,
        _ => return None,
    };
    answers.get((query as usize).checked_sub(1)?).copied()
}

pub(crate) fn file_name(query: u32) -> String {
    format!("q{query:02}.csv")
}

/// Returns an error if `folder` is given but is not a folder. This is checked before the queries, which may take long.
pub(crate) fn check_folder(folder: Option<&Path>) -> anyhow::Result<()> {
    if let Some(folder) = folder {
        ensure!(folder.is_dir(), "the folder of answers {} does not exist or is not a folder", folder.display());
    }
    Ok(())
}

/// Returns the answer to a query at a scale, or `None` if no answer is known.
pub(crate) fn find(folder: Option<&Path>, scale: f64, query: u32) -> anyhow::Result<Option<Sheet>> {
    let Some(folder) = folder else {
        return Ok(built_in(scale, query).map(Sheet::parse).transpose()?);
    };
    let path = folder.join(file_name(query));
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.with_context(|| format!("cannot read the answer {}", path.display()))?,
    };
    Sheet::parse(&text).map(Some).with_context(|| format!("the answer {} is not a CSV table", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_answers() {
        assert_eq!(find(None, 0.1, 6).unwrap().unwrap().rows, [[Some("11803420.2534".to_owned())]]);
        assert!(find(None, 0.01, 6).unwrap().is_some());
        assert!(find(None, 0.5, 6).unwrap().is_none());
        for query in crate::queries::ALL {
            assert!([0.01, 0.1].iter().all(|scale| find(None, *scale, query.number).unwrap().is_some()));
        }
        assert!([0, 23].iter().all(|query| find(None, 0.1, *query).unwrap().is_none()));
    }

    #[test]
    fn answers_from_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = Some(folder.path());
        let message = |error: anyhow::Error| error.to_string();
        check_folder(path).unwrap();
        assert!(find(path, 0.1, 6).unwrap().is_none());
        fs::write(folder.path().join("q06.csv"), "revenue\n1.0000\n").unwrap();
        assert_eq!(find(path, 0.1, 6).unwrap().unwrap().header, ["revenue"]);
        fs::write(folder.path().join("q06.csv"), "revenue\n1,2\n").unwrap();
        assert!(message(find(path, 0.1, 6).unwrap_err()).contains("is not a CSV table"));
        fs::write(folder.path().join("q06.csv"), [0xff]).unwrap();
        assert!(message(find(path, 0.1, 6).unwrap_err()).contains("cannot read"));
        let file = folder.path().join("q06.csv");
        assert!(message(check_folder(Some(&file)).unwrap_err()).contains("is not a folder"));
        check_folder(None).unwrap();
    }
}
