//! Times the 22 queries of TPC-H with gdf's example and with DuckDB. Prints the times of both programs in one table.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::python;
use crate::repository::{cargo, read, root, run as start};
use crate::test::TestDevice;

type Runs = BTreeMap<u64, Vec<f64>>;

/// Times both programs and prints the table.
pub(super) fn run(device: TestDevice, scale: f64, repeat: u32, out: Option<&Path>) -> Result<()> {
    let folder = root().join("target/tpch");
    fs::create_dir_all(&folder)?;
    let json = folder.join("gdf.json");
    let mut example = cargo();
    example.args(["run", "--quiet", "--release", "--package", "gdf", "--example", "tpch"]);
    if device != TestDevice::Cpu {
        example.args(["--features", "cuda"]);
    }
    let (scale_text, repeat_text) = (scale.to_string(), repeat.to_string());
    example.args(["--", "--device", &device.to_string(), "--scale", &scale_text, "--warm-up", "1", "--repeat"]);
    example.args([&repeat_text, "--json"]).arg(&json);
    start(&mut example)?;
    let ours: Value =
        serde_json::from_str(&fs::read_to_string(&json)?).context("the example `tpch` wrote invalid JSON")?;

    let peer = duckdb(&folder.join(format!("sf{scale}")), &scale_text, &repeat_text);
    if let Err(error) = &peer {
        println!("without DuckDB: {error:#}");
    }
    let table = table(&ours, &peer.unwrap_or_default());
    if let Some(path) = out {
        fs::write(path, &table).with_context(|| format!("could not write {}", path.display()))?;
    }
    print!("{table}");
    Ok(())
}

fn duckdb(data: &Path, scale: &str, repeat: &str) -> Result<Runs> {
    let mut script = Command::new(python::environment(&[python::DUCKDB])?.join("python"));
    script.arg(root().join("crates/gdf-bench/peers/duckdb_tpch.py")).arg(data).arg(scale);
    script.arg(root().join("crates/gdf-datafusion/tests/tpch")).arg(repeat);
    runs(&read(&mut script)?)
}

/// Parses the output of DuckDB's script.
fn runs(text: &str) -> Result<Runs> {
    let line = |line: &str| -> Result<_> {
        let mut fields = line.split('\t');
        let query = fields.next().unwrap_or_default().parse()?;
        Ok((query, fields.map(|field| field.parse::<f64>()).collect::<Result<_, _>>()?))
    };
    text.lines().map(|text| line(text).with_context(|| format!("`{text}` is not a query with times"))).collect()
}

/// Returns the table.
fn table(ours: &Value, peer: &Runs) -> String {
    let mut text = String::from("| query | gdf ms | DuckDB ms | ratio | peak MB | launches | waits | status |\n");
    text.push_str("|---|---|---|---|---|---|---|---|\n");
    let show = |number: Option<f64>, digits| number.map_or_else(String::new, |number| format!("{number:.digits$}"));
    let (mut all, mut of_peer) = (0.0, Some(0.0));
    for query in ours["queries"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let times = query["ms"].as_array().map(Vec::as_slice).unwrap_or_default();
        let ms = median(times.iter().filter_map(Value::as_f64).collect());
        let theirs = query["query"].as_u64().and_then(|number| median(peer.get(&number)?.clone()));
        let ratio = ms.zip(theirs).map(|(ms, theirs)| theirs / ms);
        let peak = query["peak_bytes"].as_f64().map(|bytes| bytes / 1e6);
        let cells = [
            query["query"].to_string(),
            show(ms, 2),
            show(theirs, 2),
            show(ratio, 2),
            show(peak, 1),
            query["launches"].to_string(),
            query["waits"].to_string(),
            query["status"].as_str().unwrap_or_default().to_owned(),
        ];
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "| {} |", cells.join(" | "));
        all += ms.unwrap_or_default();
        of_peer = of_peer.zip(theirs).map(|(sum, theirs)| sum + theirs);
    }
    let ratio = of_peer.map(|of_peer| of_peer / all);
    let _ = writeln!(text, "| all | {all:.1} | {} | {} | | | | |", show(of_peer, 1), show(ratio, 2));
    text
}

fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    let (low, high) = (times.get(times.len().checked_sub(1)? / 2)?, times.get(times.len() / 2)?);
    Some((low + high) / 2.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ratios_are_of_medians() {
        let ours = json!({"queries": [
            {"query": 1, "ms": [4.0, 1.0, 2.0], "peak_bytes": 1_500_000, "launches": 3, "waits": 2, "status": "ok"},
            {"query": 6, "ms": [1.0, 3.0], "launches": 0, "waits": 0, "status": "unchecked"},
        ]});
        let peer = runs("1\t8.0\t2.0\t3.0\n6\t1.0\n").unwrap();
        let lines: Vec<String> = table(&ours, &peer).lines().skip(2).map(str::to_owned).collect();
        assert_eq!(
            lines,
            [
                "| 1 | 2.00 | 3.00 | 1.50 | 1.5 | 3 | 2 | ok |",
                "| 6 | 2.00 | 1.00 | 0.50 |  | 0 | 0 | unchecked |",
                "| all | 4.0 | 4.0 | 1.00 | | | | |",
            ]
        );
    }

    #[test]
    fn a_missing_peer_leaves_columns_empty() {
        let ours = json!({"queries": [{"query": 1, "ms": [2.0], "launches": 0, "waits": 0, "status": "ok"}]});
        let text = table(&ours, &Runs::new());
        assert!(text.ends_with("| 1 | 2.00 |  |  |  | 0 | 0 | ok |\n| all | 2.0 |  |  | | | | |\n"), "{text}");
        assert_eq!(median(Vec::new()), None);
        assert!(runs("1\tfast\n").is_err());
    }
}
