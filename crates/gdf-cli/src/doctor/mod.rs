//! `gdf doctor`: reports the driver, the devices and the kernels of this machine, whether gdf works, and how to fix
//! problems.

mod devices;
mod driver;
mod kernels;

use std::process::ExitCode;

use anyhow::Result;
use gdf::driver::DriverError;
use serde::Serialize;

use crate::kernels::installed::{self, INSTALL, Set};
use crate::output::{print, print_json};

#[derive(clap::Args)]
pub(crate) struct DoctorArgs {
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    /// Nothing is wrong, but something optional is missing.
    Note,
    Problem,
}

/// One line of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Finding {
    status: Status,
    subject: String,
    text: String,
    remedy: Option<String>,
}

impl Finding {
    fn new(status: Status, subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self { status, subject: subject.into(), text: text.into(), remedy: None }
    }

    fn ok(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(Status::Ok, subject, text)
    }

    fn note(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(Status::Note, subject, text)
    }

    fn problem(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(Status::Problem, subject, text)
    }

    fn remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }
}

#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    /// Whether this program was built with feature `cuda`.
    cuda: bool,
    /// Whether the report has no finding with the status `Problem`.
    healthy: bool,
    findings: Vec<Finding>,
    devices: Vec<devices::Summary>,
    kernels: Vec<Set>,
}

pub(crate) fn run(args: DoctorArgs) -> Result<ExitCode> {
    let report = report();
    if args.json {
        print_json(&report)?;
    } else {
        print(text(&report))?;
    }
    Ok(if report.healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report() -> Report {
    let sets = installed::all();
    let (driver, gpus) = driver::check();
    let mut findings = vec![driver];
    let devices = devices::summaries(gpus, &mut findings);
    kernels::check(&sets, &devices, &mut findings);
    for device in &devices {
        devices::check(device, &sets, &mut findings);
    }
    let healthy = findings.iter().all(|finding| finding.status != Status::Problem);
    let cuda = cfg!(feature = "cuda");
    Report { version: env!("CARGO_PKG_VERSION"), cuda, healthy, findings, devices, kernels: sets }
}

fn text(report: &Report) -> String {
    let built = if report.cuda { "with" } else { "without" };
    let mut lines = vec![format!("gdf {}, built {built} feature cuda", report.version), String::new()];
    let width = report.findings.iter().map(|finding| finding.subject.chars().count()).max().unwrap_or(0);
    for finding in &report.findings {
        let mark = match finding.status {
            Status::Ok => "ok     ",
            Status::Note => "note   ",
            Status::Problem => "problem",
        };
        lines.push(format!("{mark}  {:width$}  {}", finding.subject, finding.text));
        lines.extend(finding.remedy.iter().map(|remedy| format!("{:width$}  → {remedy}", "", width = width + 9)));
    }
    lines.push(String::new());
    lines.push(conclusion(report));
    lines.join("\n")
}

fn conclusion(report: &Report) -> String {
    let problems = report.findings.iter().filter(|finding| finding.status == Status::Problem).count();
    match (problems, report.devices.len()) {
        (0, 0 | 1) => "gdf works on the CPU.".to_owned(),
        (0, devices) => format!("gdf works on the CPU and on {} of CUDA.", counted(devices - 1, "device")),
        (problems, _) => format!("{}; each line above says what to do.", counted(problems, "problem")),
    }
}

/// Formats a count of things: `1 device`, `2 devices`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Returns the remedy for an error of the driver, or `None` if the text of the error suffices.
fn remedy(error: &DriverError) -> Option<&'static str> {
    match error {
        DriverError::DriverTooOld { .. } => Some(driver::INSTALL),
        DriverError::KernelsNotBuilt { .. } | DriverError::KernelsOutdated { .. } => Some(INSTALL),
        DriverError::Poisoned { .. } => {
            Some("start the program again; if the error occurs again, look for Xid errors in the output of `dmesg`")
        }
        DriverError::Call { .. } if error.is_out_of_memory() => {
            Some("other programs use memory of the device; `nvidia-smi` lists them")
        }
        DriverError::Call { .. } => {
            Some("check whether `nvidia-smi` works; if the driver was updated, restart the machine")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report_of(findings: Vec<Finding>) -> Report {
        let healthy = findings.iter().all(|finding| finding.status != Status::Problem);
        Report { version: "1.0", cuda: true, healthy, findings, devices: Vec::new(), kernels: Vec::new() }
    }

    #[test]
    fn remedies_stand_below_their_line() {
        let findings = vec![Finding::ok("driver", "CUDA 13.0"), Finding::problem("kernels", "none").remedy("install")];
        let text = text(&report_of(findings));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "gdf 1.0, built with feature cuda");
        assert_eq!(
            lines[2..5],
            ["ok       driver   CUDA 13.0", "problem  kernels  none", "                  → install"]
        );
        assert_eq!(lines[6], "1 problem; each line above says what to do.");
    }

    #[test]
    fn errors_with_a_remedy_name_it() {
        let image = || "sorting".to_owned();
        assert!(remedy(&DriverError::KernelsNotBuilt { image: image() }).unwrap().contains("gdf kernels install"));
        assert!(remedy(&DriverError::DriverTooOld { found: 12_040, needed: 13_000 }).unwrap().contains("R580"));
        assert_eq!(remedy(&DriverError::NoStreams), None);
    }

    #[test]
    fn this_machine_is_judged() {
        let report = report();
        assert_eq!(report.devices[0].device, "cpu");
        let of_cpu = report.findings.iter().filter(|finding| finding.subject == "cpu");
        assert!(of_cpu.clone().count() >= 2 && of_cpu.clone().all(|finding| finding.status == Status::Ok));
    }
}
