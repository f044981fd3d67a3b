//! A snapshot of the launches and waits of the queries, as lines of query, launches and waits.

use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::report::Outcome;

const HEADER: &str = "query\tlaunches\twaits";

/// Compares the counts of the queries with the lines of a file, and returns a sentence for each query that differs. A
/// missing file is written.
pub(crate) fn compare(path: &Path, outcomes: &[Outcome]) -> anyhow::Result<Vec<String>> {
    let name = || format!("the file of costs {}", path.display());
    let found: Vec<String> = outcomes.iter().filter_map(line).collect();
    if !path.try_exists().with_context(name)? {
        fs::write(path, format!("{HEADER}\n{}\n", found.join("\n"))).with_context(name)?;
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path).with_context(name)?;
    let mut lines = text.lines();
    anyhow::ensure!(lines.next() == Some(HEADER), "{} must begin with the line {HEADER:?}", name());
    let committed: Vec<&str> = lines.collect();
    let differs = |line: &&String| !committed.contains(&line.as_str());
    Ok(found.iter().filter(differs).map(|line| sentence(line, &committed)).collect())
}

fn line(outcome: &Outcome) -> Option<String> {
    let counts = outcome.counts?;
    Some(format!("{}\t{}\t{}", outcome.query, counts.launches, counts.waits))
}

fn sentence(line: &str, committed: &[&str]) -> String {
    let words: Vec<&str> = line.split('\t').collect();
    let [query, launches, waits] = words[..] else { return line.to_owned() };
    let of_query = |other: &&&str| other.split('\t').next() == Some(query);
    let expected = match committed.iter().find(of_query).map(|line| line.split('\t').collect::<Vec<_>>()).as_deref() {
        Some([_, launches, waits]) => format!("{launches} launches and {waits} waits"),
        _ => "no line".to_owned(),
    };
    format!("query {query} has {launches} launches and {waits} waits; the file of costs has {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Verdict;
    use crate::report::Counts;

    fn outcome(query: u32, launches: u64, waits: u64) -> Outcome {
        let counts = Some(Counts { peak_bytes: 1, launches, waits });
        Outcome { counts, verdict: Verdict::Ok, ..Outcome::new(query) }
    }

    #[test]
    fn a_file_is_written_once_and_then_compared() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("costs.tsv");
        let outcomes = [outcome(1, 7, 2), outcome(6, 3, 1)];
        assert!(compare(&path, &outcomes).unwrap().is_empty());
        assert!(compare(&path, &outcomes).unwrap().is_empty());
        let differs = compare(&path, &[outcome(1, 8, 2), outcome(2, 1, 1)]).unwrap();
        let expected = [
            "query 1 has 8 launches and 2 waits; the file of costs has 7 launches and 2 waits",
            "query 2 has 1 launches and 1 waits; the file of costs has no line",
        ];
        assert_eq!(differs, expected);
        fs::write(&path, "").unwrap();
        assert!(compare(&path, &outcomes).is_err());
    }
}
