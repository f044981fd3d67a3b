//! What a run found, for people and for programs.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value as Json, json};

use crate::differences;
use crate::verdict::Verdict;

/// How many cases of an area went how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// As libcudf.
    pub passed: usize,
    /// Otherwise.
    pub failed: usize,
    /// Of the failed, those that are meant to.
    pub intended: usize,
    /// gdf has no such operation, or not for these types.
    pub unsupported: usize,
}

impl Counts {
    /// All cases.
    pub fn total(self) -> usize {
        self.passed + self.failed + self.unsupported
    }

    fn add(self, other: Counts) -> Counts {
        Counts {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            intended: self.intended + other.intended,
            unsupported: self.unsupported + other.unsupported,
        }
    }
}

/// A case that did not go as libcudf's.
#[derive(Clone, Debug)]
pub struct Told {
    /// Its id.
    pub id: String,
    /// Operation and arguments.
    pub summary: String,
    /// What was expected, what came; or why it is meant to differ.
    pub what: String,
}

/// What a run found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// By area.
    pub areas: BTreeMap<String, Counts>,
    /// Failures that are not meant.
    pub failures: Vec<Told>,
    /// Failures that are meant, with what differs.
    pub intended: Vec<(Told, &'static str)>,
    /// Cases that are said to differ and do not.
    pub outdated: Vec<String>,
    /// What is missing, and the cases that ask for it.
    pub unsupported: BTreeMap<String, Vec<String>>,
}

impl Report {
    /// Counts a case.
    pub fn add(&mut self, area: &str, id: &str, summary: String, verdict: Verdict) {
        let counts = self.areas.entry(area.to_owned()).or_default();
        let reason = differences::reason(id);
        match verdict {
            Verdict::Passed => {
                counts.passed += 1;
                self.outdated.extend(reason.map(|_| id.to_owned()));
            }
            Verdict::Unsupported(what) => {
                counts.unsupported += 1;
                self.unsupported.entry(what).or_default().push(id.to_owned());
            }
            Verdict::Failed(what) => {
                counts.failed += 1;
                let told = Told { id: id.to_owned(), summary, what };
                match reason {
                    Some(reason) => {
                        counts.intended += 1;
                        self.intended.push((told, reason));
                    }
                    None => self.failures.push(told),
                }
            }
        }
    }

    /// Whether every failure is an intended one.
    pub fn is_good(&self) -> bool {
        self.failures.is_empty()
    }

    /// All areas together.
    pub fn totals(&self) -> Counts {
        self.areas.values().fold(Counts::default(), |sum, counts| sum.add(*counts))
    }

    /// `{"AREA": {"passed": n, "failed": n, "intended": n, "unsupported": n, "total": n}, …}`; intended ones are failed
    /// ones, too.
    pub fn json(&self) -> Json {
        let counts = |counts: &Counts| {
            json!({
                "passed": counts.passed,
                "failed": counts.failed,
                "intended": counts.intended,
                "unsupported": counts.unsupported,
                "total": counts.total(),
            })
        };
        self.areas.iter().map(|(area, found)| (area.clone(), counts(found))).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.unsupported.is_empty() {
            writeln!(f, "unsupported:")?;
        }
        for (what, ids) in &self.unsupported {
            writeln!(f, "  {:>4}  {what} ({}{})", ids.len(), ids[0], if ids.len() > 1 { ", …" } else { "" })?;
        }
        for (told, reason) in &self.intended {
            writeln!(
                f,
                "intended  {}  {}\n          {}\n          because {reason}",
                told.id, told.summary, told.what
            )?;
        }
        for id in &self.outdated {
            writeln!(f, "note: {id} is said to differ on purpose and does not")?;
        }
        for told in &self.failures {
            writeln!(f, "FAILED    {}  {}\n          {}", told.id, told.summary, told.what)?;
        }
        writeln!(
            f,
            "{:<20} {:>7} {:>7} {:>9} {:>12} {:>7}",
            "area", "passed", "failed", "intended", "unsupported", "total"
        )?;
        let totals = ("all".to_owned(), self.totals());
        for (area, counts) in self.areas.iter().chain([(&totals.0, &totals.1)]) {
            let Counts { passed, failed, intended, unsupported } = counts;
            let total = counts.total();
            writeln!(f, "{area:<20} {passed:>7} {failed:>7} {intended:>9} {unsupported:>12} {total:>7}")?;
        }
        Ok(())
    }
}
