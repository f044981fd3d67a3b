//! Runs cases one after the other on one device.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use gdf_api::scope;
use gdf_driver::{Device, Stream};
use gdf_memory::{Resource, current_resource};

use crate::area::Area;
use crate::call::{Call, Failure};
use crate::case::Case;
use crate::emit::emit;
use crate::narrow::narrow;
use crate::operations;
use crate::output::Output;
use crate::report::Report;
use crate::verdict::{Verdict, judge};

/// What to run, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the corpus.
    pub dir: PathBuf,
    /// Where the operations run.
    pub device: Device,
    /// Only these areas; all if empty.
    pub areas: Vec<String>,
    /// Only these cases; all if empty.
    pub cases: Vec<String>,
    /// A folder for each case's own result.
    pub emit: Option<PathBuf>,
}

impl Options {
    /// The whole corpus in `dir`.
    pub fn new(dir: impl Into<PathBuf>, device: Device) -> Self {
        Options { dir: dir.into(), device, areas: Vec::new(), cases: Vec::new(), emit: None }
    }
}

/// Runs the cases.
///
/// # Errors
/// - the device cannot be opened, the corpus cannot be read, a named area or case does not exist, a result cannot be written.
pub fn run(options: &Options) -> Result<Report> {
    options.device.open().with_context(|| format!("could not open {}", options.device))?;
    let stream = scope::current_stream(options.device)?;
    let resource = current_resource(options.device)?;
    if let Some(dir) = &options.emit {
        fs::create_dir_all(dir).with_context(|| format!("could not make {}", dir.display()))?;
    }
    let mut report = Report::default();
    for name in chosen(options)? {
        let area = Area::open(&options.dir, &name)?;
        for case in area.cases.iter().filter(|case| options.cases.is_empty() || options.cases.contains(&case.id)) {
            let expected = Output::expected(&case.expect, &area).with_context(|| case.id.clone())?;
            let (outcome, verdict) = match guarded(&area, case, &stream, &resource) {
                Ok(outcome) => {
                    let verdict = judge(case, expected.as_ref(), &outcome);
                    (Some(outcome), verdict)
                }
                Err(message) => (None, Verdict::Failed(format!("panicked: {message}"))),
            };
            if let (Some(dir), Some(outcome)) = (&options.emit, &outcome) {
                emit(dir, case, outcome, &verdict)?;
            }
            report.add(&name, &case.id, case.summary(), verdict);
        }
    }
    ensure!(report.totals().total() > 0, "no case was chosen");
    Ok(report)
}

fn chosen(options: &Options) -> Result<Vec<String>> {
    let names = Area::names(&options.dir)?;
    let unknown: Vec<&str> = options.areas.iter().filter(|area| !names.contains(area)).map(String::as_str).collect();
    ensure!(unknown.is_empty(), "no such areas: {}", unknown.join(", "));
    // A case's id begins with its area's name, so the others need not be read.
    let has_case = |name: &str| {
        options.cases.is_empty()
            || options.cases.iter().any(|id| id.rsplit_once('-').is_some_and(|(area, _)| area == name))
    };
    let is_named = |name: &String| options.areas.is_empty() || options.areas.contains(name);
    Ok(names.into_iter().filter(|name| is_named(name) && has_case(name)).collect())
}

/// Runs a case; a panic, which no operation may do, is the text of the error.
fn guarded(area: &Area, case: &Case, stream: &Stream, resource: &Resource) -> Result<Result<Output, Failure>, String> {
    let work = || scope::with_device(stream.device(), || outcome(area, case, stream, resource));
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a text").to_owned()
    })
}

fn outcome(area: &Area, case: &Case, stream: &Stream, resource: &Resource) -> Result<Output, Failure> {
    let Some(operation) = operations::find(&case.op) else {
        return Err(Failure::Unsupported(format!("operation {}", case.op)));
    };
    let answer = operation(&Call::new(area, case, stream, resource))?;
    narrow(case, Output::download(&answer, stream)?)
}
