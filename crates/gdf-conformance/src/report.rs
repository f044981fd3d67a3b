//! The findings of a run. The module writes them as text for people and as JSON for programs.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value as Json, json};

use crate::case::Case;
use crate::differences::{self, Basis};
use crate::verdict::{Outcome, Verdict};

/// The numbers of cases of an area, by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of cases in which gdf gives libcudf's answer.
    pub passed: usize,
    /// The number of cases in which gdf gives another answer.
    pub failed: usize,
    /// The number of failed cases in which gdf differs on purpose.
    pub intended: usize,
    /// The number of intended cases in which libcudf returns an error, and gdf returns a result or a different error.
    pub extended: usize,
    /// The number of intended cases in which gdf follows another standard.
    pub standard: usize,
    /// The number of cases whose operation exists, but does not support the types or arguments of the case.
    pub refused: usize,
    /// The number of cases whose operation does not exist.
    pub absent: usize,
}

impl Counts {
    /// Returns the number of refused and absent cases.
    pub fn unsupported(self) -> usize {
        self.refused + self.absent
    }

    /// Returns the number of all cases.
    pub fn total(self) -> usize {
        self.passed + self.failed + self.unsupported()
    }

    /// Returns the share of supported cases whose answers are right. An answer is right if it is libcudf's answer. An
    /// intended difference is also right if it follows another standard, or if libcudf returns an error for the case.
    /// The unit is a tenth of a percent, and the result is rounded down.
    pub fn right(self) -> usize {
        let supported = self.passed + self.failed;
        ((self.passed + self.extended + self.standard) * 1000).checked_div(supported).unwrap_or(1000)
    }

    fn add(self, other: Counts) -> Counts {
        Counts {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            intended: self.intended + other.intended,
            extended: self.extended + other.extended,
            standard: self.standard + other.standard,
            refused: self.refused + other.refused,
            absent: self.absent + other.absent,
        }
    }
}

/// A case in which gdf does not give libcudf's answer.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The id of the case.
    pub id: String,
    /// The operation and its arguments.
    pub summary: String,
    /// A description of the expected answer and of the actual answer.
    pub what: String,
}

/// The findings of a run.
#[derive(Debug, Default)]
pub struct Report {
    /// The counts by area.
    pub areas: BTreeMap<String, Counts>,
    /// The failures that are not intended.
    pub failures: Vec<Finding>,
    /// The intended failures, and their reasons.
    pub intended: Vec<(Finding, &'static str)>,
    /// The cases that are listed as intended differences, although gdf does not differ.
    pub outdated: Vec<String>,
    /// The reasons why existing operations do not support cases, and the cases of each reason.
    pub refused: BTreeMap<String, Vec<String>>,
    /// The operations that do not exist, and the cases of each operation.
    pub absent: BTreeMap<String, Vec<String>>,
    /// The outcomes of the cases that are listed as intended differences. The function
    /// [`record`](crate::answers::record) records the outcomes.
    pub declared: Vec<(Case, Outcome)>,
}

impl Report {
    /// Adds a case.
    pub fn add(&mut self, area: &str, id: &str, summary: String, verdict: Verdict) {
        let counts = self.areas.entry(area.to_owned()).or_default();
        let finding = |what: String| Finding { id: id.to_owned(), summary, what };
        match verdict {
            Verdict::Passed => {
                counts.passed += 1;
                self.outdated.extend(differences::reason(id).map(|_| id.to_owned()));
            }
            Verdict::Refused(what) => {
                counts.refused += 1;
                self.refused.entry(what).or_default().push(id.to_owned());
            }
            Verdict::Absent(what) => {
                counts.absent += 1;
                self.absent.entry(what).or_default().push(id.to_owned());
            }
            Verdict::Failed(what) => {
                counts.failed += 1;
                self.failures.push(finding(what));
            }
            Verdict::Intended(what, reason) => {
                counts.failed += 1;
                counts.intended += 1;
                match differences::intended(id).map(|intended| intended.basis) {
                    Some(Basis::Extension) => counts.extended += 1,
                    Some(Basis::Standard) => counts.standard += 1,
                    Some(Basis::Choice) | None => {}
                }
                self.intended.push((finding(what), reason));
            }
        }
    }

    /// Returns whether all failures are intended.
    pub fn is_good(&self) -> bool {
        self.failures.is_empty()
    }

    /// Returns the counts of all areas together.
    pub fn totals(&self) -> Counts {
        self.areas.values().fold(Counts::default(), |sum, counts| sum.add(*counts))
    }

    /// Returns `{"AREA": {"passed": n, "failed": n, "intended": n, "extended": n, "standard": n, "unsupported": n,
    /// "refused": n, "total": n}, …}`.
    ///
    /// The counts overlap. An intended case is also counted as failed. An extended or standard case is also counted as
    /// intended. A refused case is also counted as unsupported.
    pub fn json(&self) -> Json {
        let counts = |counts: &Counts| {
            json!({
                "passed": counts.passed,
                "failed": counts.failed,
                "intended": counts.intended,
                "extended": counts.extended,
                "standard": counts.standard,
                "unsupported": counts.unsupported(),
                "refused": counts.refused,
                "total": counts.total(),
            })
        };
        self.areas.iter().map(|(area, found)| (area.clone(), counts(found))).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (title, cases) in
            [("no such operation:", &self.absent), ("refused by operations that exist:", &self.refused)]
        {
            if !cases.is_empty() {
                writeln!(f, "{title}")?;
            }
            for (what, ids) in cases {
                writeln!(f, "  {:>4}  {what} ({}{})", ids.len(), ids[0], if ids.len() > 1 { ", …" } else { "" })?;
            }
        }
        for (found, reason) in &self.intended {
            let Finding { id, summary, what } = found;
            writeln!(f, "intended  {id}  {summary}\n          {what}\n          because {reason}")?;
        }
        for id in &self.outdated {
            writeln!(f, "note: {id} is declared as an intended difference, but gdf gives libcudf's answer")?;
        }
        for Finding { id, summary, what } in &self.failures {
            writeln!(f, "FAILED    {id}  {summary}\n          {what}")?;
        }
        writeln!(
            f,
            "{:<20} {:>7} {:>7} {:>9} {:>9} {:>9} {:>8} {:>12} {:>8} {:>7}",
            "area",
            "passed",
            "failed",
            "intended",
            "extended",
            "standard",
            "right, %",
            "unsupported",
            "refused",
            "total"
        )?;
        let totals = ("all".to_owned(), self.totals());
        for (area, counts) in self.areas.iter().chain([(&totals.0, &totals.1)]) {
            let Counts { passed, failed, intended, extended, standard, refused, .. } = counts;
            let (unsupported, total) = (counts.unsupported(), counts.total());
            let right = format!("{}.{}", counts.right() / 10, counts.right() % 10);
            writeln!(
                f,
                "{area:<20} {passed:>7} {failed:>7} {intended:>9} {extended:>9} {standard:>9} {right:>8} {unsupported:>12} {refused:>8} {total:>7}"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_written_by_area() {
        let mut report = Report::default();
        let verdicts = [
            Verdict::Passed,
            Verdict::Passed,
            Verdict::Failed("f".to_owned()),
            Verdict::Intended("i".to_owned(), "r"),
            Verdict::Refused("u".to_owned()),
            Verdict::Absent("o".to_owned()),
        ];
        for (i, verdict) in verdicts.into_iter().enumerate() {
            report.add("a", &format!("a-{i}"), "o {}".to_owned(), verdict);
        }
        report.add("b", "b-1", "o {}".to_owned(), Verdict::Passed);
        let counts = json!({"passed": 2, "failed": 2, "intended": 1, "extended": 0, "standard": 0, "unsupported": 2, "refused": 1, "total": 6});
        let other = json!({"passed": 1, "failed": 0, "intended": 0, "extended": 0, "standard": 0, "unsupported": 0, "refused": 0, "total": 1});
        assert_eq!(report.json(), json!({"a": counts, "b": other}));
        assert!(!report.is_good());
        let text = report.to_string();
        assert!(text.contains("FAILED    a-2  o {}\n          f\n"), "{text}");
        assert!(
            text.ends_with("all                        3       2         1         0         0     60.0            2        1       7\n"),
            "{text}"
        );
    }
}
