//! The output of the program: a table for people, and JSON for programs.

use std::fs;
use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Value, json};

use crate::check::Verdict;

/// The memory, launches and waits of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Counts {
    /// The maximum number of bytes that the query held at one time, in addition to the tables.
    pub(crate) peak_bytes: i64,
    pub(crate) launches: u64,
    pub(crate) waits: u64,
}

#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) query: u32,
    /// The number of rows of the result, or 0 after a failure.
    pub(crate) rows: usize,
    /// The duration of each run in milliseconds, in the order of the runs.
    pub(crate) ms: Vec<f64>,
    /// The counts of the last warm-up run, if there was one. Warm-up runs are not timed.
    pub(crate) counts: Option<Counts>,
    pub(crate) verdict: Verdict,
}

impl Outcome {
    pub(crate) fn new(query: u32) -> Outcome {
        Outcome { query, rows: 0, ms: Vec::new(), counts: None, verdict: Verdict::Unchecked }
    }

    fn best(&self) -> Option<f64> {
        self.ms.iter().copied().min_by(f64::total_cmp)
    }

    fn median(&self) -> Option<f64> {
        let mut sorted = self.ms.clone();
        sorted.sort_by(f64::total_cmp);
        let half = sorted.len() / 2;
        match sorted.len() {
            0 => None,
            odd if odd % 2 == 1 => Some(sorted[half]),
            _ => Some((sorted[half - 1] + sorted[half]) / 2.0),
        }
    }
}

/// The position of the only column of words.
const STATUS_COLUMN: usize = 7;

pub(crate) fn write_table(to: &mut impl Write, outcomes: &[Outcome]) -> io::Result<()> {
    let show = |number: Option<f64>| number.map_or_else(|| "-".to_owned(), |number| format!("{number:.3}"));
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header([
        "query",
        "rows",
        "best ms",
        "median ms",
        "peak MB",
        "launches",
        "waits",
        "status",
    ]);
    for outcome in outcomes {
        let (best, median) = (show(outcome.best()), show(outcome.median()));
        let (query, rows) = (outcome.query.to_string(), outcome.rows.to_string());
        let peak = show(outcome.counts.map(|counts| counts.peak_bytes as f64 / 1e6));
        let count = |of: fn(&Counts) -> u64| {
            outcome.counts.as_ref().map_or_else(|| "-".to_owned(), |counts| of(counts).to_string())
        };
        let (launches, waits) = (count(|counts| counts.launches), count(|counts| counts.waits));
        table.add_row([query, rows, best, median, peak, launches, waits, outcome.verdict.to_string()]);
    }
    let all: f64 = outcomes.iter().filter_map(Outcome::median).sum();
    table.add_row(["all", "", "", &show(Some(all)), "", "", "", ""]);
    let numbers = table.column_iter_mut().take(STATUS_COLUMN);
    numbers.for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    writeln!(to, "{table}")
}

pub(crate) fn to_json(device: &str, scale: f64, load_ms: f64, outcomes: &[Outcome]) -> Value {
    let query = |outcome: &Outcome| {
        let mut entry =
            json!({"query": outcome.query, "rows": outcome.rows, "ms": outcome.ms, "status": outcome.verdict.word()});
        if let Some(counts) = &outcome.counts {
            entry["peak_bytes"] = json!(counts.peak_bytes);
            entry["launches"] = json!(counts.launches);
            entry["waits"] = json!(counts.waits);
        }
        if let Some(detail) = outcome.verdict.detail() {
            entry["detail"] = json!(detail);
        }
        entry
    };
    json!({"device": device, "scale": scale, "load_ms": load_ms, "queries": outcomes.iter().map(query).collect::<Vec<_>>()})
}

/// Returns the largest number of bytes that the process has held, if the operating system reports it.
pub(crate) fn host_peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(ms: &[f64], verdict: Verdict) -> Outcome {
        Outcome { rows: 1, ms: ms.to_vec(), verdict, ..Outcome::new(6) }
    }

    #[test]
    fn best_and_median() {
        for (ms, best, median) in [
            (&[][..], None, None),
            (&[2.0], Some(2.0), Some(2.0)),
            (&[3.0, 1.0], Some(1.0), Some(2.0)),
            (&[9.0, 1.0, 2.0], Some(1.0), Some(2.0)),
        ] {
            let outcome = outcome(ms, Verdict::Ok);
            assert_eq!((outcome.best(), outcome.median()), (best, median));
        }
    }

    #[test]
    fn json_has_one_time_per_run() {
        let counts = Some(Counts { peak_bytes: 7, launches: 8, waits: 9 });
        let first = Outcome { counts, ..outcome(&[2.0, 3.0], Verdict::Ok) };
        let value = to_json("cpu", 0.1, 1.5, &[first, outcome(&[], Verdict::Failed("why".into()))]);
        assert_eq!(
            value["queries"][0],
            json!({
                "query": 6, "rows": 1, "ms": [2.0, 3.0], "peak_bytes": 7, "launches": 8, "waits": 9, "status": "ok"
            })
        );
        assert_eq!(value["queries"][1]["detail"], "why");
        assert_eq!((&value["device"], &value["scale"], &value["load_ms"]), (&json!("cpu"), &json!(0.1), &json!(1.5)));
    }

    #[test]
    fn the_table_names_the_difference() {
        let mut text = Vec::new();
        write_table(&mut text, &[outcome(&[1.0], Verdict::Differs("row 1".into()))]).unwrap();
        assert!(String::from_utf8(text).unwrap().contains("DIFFERS: row 1"));
    }
}
