//! The lines of the output: the peers' columns, and three more that only we can fill.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use gdf::Device;

use crate::measure::Figures;

/// The first line: whose figures these are, and the columns.
const HEAD: &str = "gdf case rows median_ms min_ms GB GB/s peak_bytes launches waits";

/// Where lines go: the terminal, and a file if one was asked for. Each line is out before the next case begins.
#[derive(Debug)]
pub(crate) struct Report {
    file: Option<File>,
}

impl Report {
    /// Opens the file, if there is one, and writes the head.
    pub(crate) fn open(file: Option<&Path>, device: Device, note: Option<&str>) -> io::Result<Report> {
        let mut report = Report { file: file.map(File::create).transpose()? };
        report.line(HEAD)?;
        report.line(&format!("# {}", describe(device)))?;
        if let Some(note) = note {
            report.line(&format!("# {note}"))?;
        }
        Ok(report)
    }

    /// Writes one line.
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

/// The line of a case that ran; `bytes_per_row` is what at least must move, or zero where the peers name nothing.
pub(crate) fn measured(name: &str, rows: usize, bytes_per_row: f64, figures: &Figures) -> String {
    let Figures { median_ms, min_ms, peak_bytes, launches, waits } = figures;
    let gigabytes = bytes_per_row * rows as f64 * 1e-9;
    let rate = gigabytes / median_ms * 1e3;
    format!("{name}\t{rows}\t{median_ms:.4}\t{min_ms:.4}\t{gigabytes:.3}\t{rate:.0}\t{peak_bytes}\t{launches}\t{waits}")
}

/// The line of a case that did not.
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
