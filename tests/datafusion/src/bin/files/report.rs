//! Compares the outcomes of sessions, and prints them.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::run::{Outcomes, PLAN};

/// The file to which all failures of gdf are written.
const FAILURES: &str = "failures.txt";

#[derive(Default)]
pub(crate) struct Report {
    records: usize,
    plain_passed: usize,
    gdf_passed: usize,
    both_failed: usize,
    islands: u64,
    verified: u64,
    fallbacks: u64,
    /// The failures that only gdf has, by their cause.
    failures: BTreeMap<String, Vec<String>>,
}

impl Report {
    pub(crate) fn add(&mut self, name: &str, plain: &Outcomes, single: &Outcomes, gdf: &Outcomes) {
        for (kind, outcomes) in [("DataFusion", plain), ("one partition", single), ("gdf", gdf)] {
            if let Some(why) = &outcomes.broken {
                println!("{name}: the run with {kind} broke off: {why}");
            }
        }
        let (mut passed, mut failed, both_before) = (0, 0, self.both_failed);
        for (place, outcome) in &plain.records {
            let passes = outcome.is_none();
            self.records += 1;
            self.plain_passed += usize::from(passes);
            let found = gdf.records.get(place);
            let failure = match found {
                Some(None) => {
                    passed += 1;
                    continue;
                }
                _ if !passes => {
                    self.both_failed += 1;
                    continue;
                }
                Some(Some(failure)) => failure.clone(),
                None => crate::run::Failure { cause: "a record that did not run", message: String::new() },
            };
            failed += 1;
            let cause = match single.records.get(place) {
                Some(Some(_)) if failure.cause != PLAN => {
                    format!("{}, also with one partition of DataFusion", failure.cause)
                }
                _ => failure.cause.to_owned(),
            };
            self.failures.entry(cause).or_default().push(failure.message);
        }
        self.gdf_passed += passed;
        self.islands += gdf.counts.islands;
        self.verified += gdf.counts.verified;
        self.fallbacks += gdf.counts.fallbacks;
        let (records, both) = (plain.records.len(), self.both_failed - both_before);
        println!("{name}: {records} records, {passed} passed, {failed} failed with gdf alone, {both} with both");
    }

    pub(crate) fn print(&self, reasons: &BTreeMap<String, u64>) {
        println!();
        println!("{} records", self.records);
        println!("{} passed with DataFusion", self.plain_passed);
        println!("{} passed with gdf", self.gdf_passed);
        println!("{} failed with both", self.both_failed);
        println!("{} islands, {} compared, {} fallbacks", self.islands, self.verified, self.fallbacks);
        let mut text = String::new();
        for (cause, messages) in &self.failures {
            println!("{} failed: {cause}", messages.len());
            for message in messages {
                writeln!(text, "==== {cause}\n{message}").unwrap();
            }
        }
        for (reason, count) in reasons {
            println!("{count} fallbacks: {reason}");
        }
        std::fs::write(FAILURES, text).unwrap_or_else(|error| panic!("{FAILURES}: {error}"));
    }
}
