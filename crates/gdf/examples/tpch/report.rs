//! What the program says: a table for people, JSON for programs.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Value, json};

use crate::check::Verdict;

/// One query's outcome.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) query: u32,
    /// Rows of the result; 0 when it failed.
    pub(crate) rows: usize,
    /// Milliseconds of each run, first to last.
    pub(crate) ms: Vec<f64>,
    pub(crate) verdict: Verdict,
}

impl Outcome {
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

/// Writes the table of outcomes.
///
/// # Errors
/// - the output is closed.
pub(crate) fn write_table(to: &mut impl Write, outcomes: &[Outcome]) -> io::Result<()> {
    let show = |ms: Option<f64>| ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.3}"));
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(["query", "rows", "best ms", "median ms", "status"]);
    for outcome in outcomes {
        let (best, median) = (show(outcome.best()), show(outcome.median()));
        let (query, rows) = (outcome.query.to_string(), outcome.rows.to_string());
        table.add_row([query, rows, best, median, outcome.verdict.to_string()]);
    }
    table.column_iter_mut().take(4).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    writeln!(to, "{table}")
}

/// The same for programs.
pub(crate) fn to_json(device: &str, scale: f64, load_ms: f64, outcomes: &[Outcome]) -> Value {
    let query = |outcome: &Outcome| {
        let mut entry =
            json!({"query": outcome.query, "rows": outcome.rows, "ms": outcome.ms, "status": outcome.verdict.word()});
        if let Some(detail) = outcome.verdict.detail() {
            entry["detail"] = json!(detail);
        }
        entry
    };
    json!({"device": device, "scale": scale, "load_ms": load_ms, "queries": outcomes.iter().map(query).collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(ms: &[f64], verdict: Verdict) -> Outcome {
        Outcome { query: 6, rows: 1, ms: ms.to_vec(), verdict }
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
        let value =
            to_json("cpu", 0.1, 1.5, &[outcome(&[2.0, 3.0], Verdict::Ok), outcome(&[], Verdict::Failed("why".into()))]);
        assert_eq!(value["queries"][0], json!({"query": 6, "rows": 1, "ms": [2.0, 3.0], "status": "ok"}));
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
