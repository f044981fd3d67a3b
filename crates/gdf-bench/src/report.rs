//! Writes the lines of the output. The output has the columns of the peers' programs, and three columns that only gdf
//! can fill.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use gdf::Device;

use crate::measure::Figures;

/// The first line: the name of the library, and the names of the columns.
const HEAD: &str = "gdf case rows median_ms min_ms GB GB/s peak_bytes launches waits";

/// The destinations of the lines: the terminal, and a file if the user names a file. A line is written before the next
/// case begins.
#[derive(Debug)]
pub(crate) struct Report {
    file: Option<File>,
}

impl Report {
    /// Opens the file, if the user names a file, and writes the head.
    pub(crate) fn open(file: Option<&Path>, device: Device, note: Option<&str>) -> io::Result<Report> {
        let mut report = Report { file: file.map(File::create).transpose()? };
        report.line(HEAD)?;
        report.line(&format!("# {}", describe(device)))?;
        if let Some(note) = note {
            report.line(&format!("# {note}"))?;
        }
        Ok(report)
    }

    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out, "{line}")?;
        out.flush()?;
        match &mut self.file {
            Some(file) => writeln!(file, "{line}"),
            None => Ok(()),
        }
    }
}

/// Returns the line of a case that ran. `bytes_per_row` is the smallest number of bytes that the case must move for
/// each row. The number is zero if the peers' programs do not state it.
pub(crate) fn measured(name: &str, rows: usize, bytes_per_row: f64, figures: &Figures) -> String {
    let Figures { median_ms, min_ms, peak_bytes, launches, waits } = figures;
    let gigabytes = bytes_per_row * rows as f64 * 1e-9;
    let rate = gigabytes / median_ms * 1e3;
    format!("{name}\t{rows}\t{median_ms:.4}\t{min_ms:.4}\t{gigabytes:.3}\t{rate:.0}\t{peak_bytes}\t{launches}\t{waits}")
}

/// Returns the line of a case that failed.
pub(crate) fn failed(name: &str, rows: usize, error: &anyhow::Error) -> String {
    let text = format!("{error:#}").replace(['\t', '\n'], " ");
    format!("{name}\t{rows}\tERR {text}")
}

fn describe(device: Device) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let what = match device.properties() {
        Ok(properties) if device.is_cuda() => format!(", {}, driver {}", properties.name, properties.driver_version),
        _ => String::new(),
    };
    format!("gdf {version} on {device}{what}; {threads} CPU threads")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_peers_columns_first() {
        let figures = Figures { median_ms: 0.5, min_ms: 0.25, peak_bytes: 64, launches: 2, waits: 1 };
        assert_eq!(measured("a.b", 1_000_000, 24.0, &figures), "a.b\t1000000\t0.5000\t0.2500\t0.024\t48\t64\t2\t1");
        let error = anyhow::anyhow!("no\tmemory");
        assert_eq!(failed("a.b", 10, &error), "a.b\t10\tERR no memory");
    }
}
