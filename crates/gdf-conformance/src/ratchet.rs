//! Writes the outcomes of the corpus as a text. A test compares the text with a recorded text, so the test fails if gdf
//! stops supporting a type or a case by mistake.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::report::{Counts, Report};

/// Returns the text for a run of the whole corpus.
pub fn text(report: &Report) -> String {
    let mut text = String::from("area                passed failed refused absent\n");
    for (area, counts) in &report.areas {
        let Counts { passed, failed, refused, absent, .. } = counts;
        let _ = writeln!(text, "{area:<19} {passed:>6} {failed:>6} {refused:>7} {absent:>6}");
    }
    text.push_str("\nrefused by operations that exist, with the cases\n");
    for (what, ids) in &report.refused {
        let _ = writeln!(text, "{what}: {}", compact(ids));
    }
    text.push_str("\noperations that do not exist, with the number of cases\n");
    for (operation, ids) in &report.absent {
        let _ = writeln!(text, "{operation}: {}", ids.len());
    }
    text
}

/// Returns the lines in which the run differs from the recorded text. If the texts are equal, the result is `None`.
///
/// # Errors
/// - The file cannot be read.
pub fn check(report: &Report, path: &Path) -> Result<Option<String>> {
    let expected = fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()))?;
    Ok(difference(&expected, &text(report)))
}

fn difference(expected: &str, found: &str) -> Option<String> {
    let lacks = |text: &str, line: &str| !text.lines().any(|other| other == line);
    let gone = expected.lines().filter(|line| lacks(found, line)).map(|line| format!("- {line}\n"));
    let come = found.lines().filter(|line| lacks(expected, line)).map(|line| format!("+ {line}\n"));
    (expected != found).then(|| gone.chain(come).collect())
}

/// Formats the ids of cases by area. Consecutive numbers are written as a range: `copying 314-316 320, join 12`.
fn compact(ids: &[String]) -> String {
    let mut areas: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for id in ids {
        let (area, number) = id.rsplit_once('-').unwrap_or((id, ""));
        let number = number.parse().unwrap_or_default();
        let ranges = areas.entry(area).or_default();
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let range =
        |(first, last): &(usize, usize)| if first == last { format!(" {first}") } else { format!(" {first}-{last}") };
    let areas = areas.iter().map(|(area, ranges)| format!("{area}{}", ranges.iter().map(range).collect::<String>()));
    areas.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    fn report(verdicts: &[(&str, Verdict)]) -> Report {
        let mut report = Report::default();
        for (id, verdict) in verdicts {
            report.add("copying", id, String::new(), verdict.clone());
        }
        report
    }

    #[test]
    fn a_refusal_is_a_difference() {
        let refused = || Verdict::Refused("gather does not support Int8".to_owned());
        let before = report(&[("copying-0001", Verdict::Passed), ("copying-0002", refused())]);
        let after = report(&[("copying-0001", refused()), ("copying-0002", refused())]);
        assert_eq!(difference(&text(&before), &text(&before)), None);
        let changed = difference(&text(&before), &text(&after)).unwrap();
        assert!(changed.contains("- gather does not support Int8: copying 2\n"), "{changed}");
        assert!(changed.contains("+ gather does not support Int8: copying 1-2\n"), "{changed}");
        assert!(changed.contains("+ copying                  0      0       2      0\n"), "{changed}");
    }

    #[test]
    fn ids_are_short() {
        let ids = ["a_b-0001", "a_b-0002", "a_b-0003", "a_b-0007", "c-0010"].map(str::to_owned);
        assert_eq!(compact(&ids), "a_b 1-3 7, c 10");
    }
}
