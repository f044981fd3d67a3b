//! Runs cases on one device, one after the other.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use gdf_api::scope;
use gdf_driver::{Device, Stream};
use gdf_memory::{Resource, current_resource};

use crate::answers;
use crate::area::Area;
use crate::call::{Call, Failure};
use crate::case::Case;
use crate::differences;
use crate::emit::{emit, remove_earlier};
use crate::narrow::narrow;
use crate::operations::{self, Operation};
use crate::output::Output;
use crate::report::Report;
use crate::verdict::{Outcome, Verdict, judge};

/// The cases to run, and the device.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the corpus.
    pub dir: PathBuf,
    /// The device on which the operations run.
    pub device: Device,
    /// The areas to run. An empty list selects all areas.
    pub areas: Vec<String>,
    /// The cases to run. An empty list selects all cases.
    pub cases: Vec<String>,
    /// The folder to which the result of each case is written.
    pub emit: Option<PathBuf>,
    /// A function that returns the function of an operation. The argument is the name of the operation in the corpus.
    pub operations: fn(&str) -> Option<Operation>,
}

impl Options {
    /// Returns the options for the whole corpus in `dir`.
    pub fn new(dir: impl Into<PathBuf>, device: Device) -> Self {
        let operations = operations::find;
        Options { dir: dir.into(), device, areas: Vec::new(), cases: Vec::new(), emit: None, operations }
    }
}

/// Runs the cases. If a case cannot be read or panics, the case counts as failed, and the other cases still run.
///
/// # Errors
/// - The device cannot be opened, or the folder cannot be read.
/// - A named area or case does not exist.
/// - A result cannot be written.
pub fn run(options: &Options) -> Result<Report> {
    options.device.open().with_context(|| format!("could not open {}", options.device))?;
    let stream = scope::current_stream(options.device)?;
    let resource = current_resource(options.device)?;
    if let Some(dir) = &options.emit {
        fs::create_dir_all(dir).with_context(|| format!("could not create the folder {}", dir.display()))?;
    }
    let mut report = Report::default();
    for name in chosen(options)? {
        match Area::open(&options.dir, &name) {
            Ok(area) => run_area(options, &area, &stream, &resource, &mut report)?,
            Err(error) => report.add(&name, &name, "the whole area".to_owned(), unreadable(&error)),
        }
    }
    ensure!(report.totals().total() > 0, "the options select no case; name other areas or cases");
    Ok(report)
}

fn run_area(options: &Options, area: &Area, stream: &Stream, resource: &Resource, report: &mut Report) -> Result<()> {
    let is_chosen = |id: &String| options.cases.is_empty() || options.cases.contains(id);
    for broken in area.broken.iter().filter(|broken| is_chosen(&broken.id)) {
        let verdict = Verdict::Failed(format!("unreadable: {}", broken.reason));
        report.add(&area.name, &broken.id, "no case".to_owned(), verdict);
    }
    for case in area.cases.iter().filter(|case| is_chosen(&case.id)) {
        if let Some(dir) = &options.emit {
            remove_earlier(dir, case)?;
        }
        let work = || outcome(options, area, case, stream, resource);
        let verdict = match guarded(|| scope::with_device(stream.device(), work)) {
            Err(message) => Verdict::Failed(format!("panicked: {message}")),
            Ok(outcome) => {
                let verdict = guarded(|| verdict(area, case, &outcome));
                let verdict = verdict
                    .unwrap_or_else(|message| Verdict::Failed(format!("the answers cannot be compared: {message}")));
                if let Some(dir) = &options.emit {
                    emit(dir, case, &outcome, &verdict)?;
                }
                if differences::reason(&case.id).is_some() {
                    report.declared.push((case.clone(), outcome));
                }
                verdict
            }
        };
        report.add(&area.name, &case.id, case.summary(), verdict);
    }
    Ok(())
}

fn unreadable(error: &anyhow::Error) -> Verdict {
    Verdict::Failed(format!("unreadable: {error:#}"))
}

/// Compares the outcome with libcudf's answer. If the case differs on purpose, the function also compares the outcome
/// with gdf's recorded answer.
fn verdict(area: &Area, case: &Case, outcome: &Outcome) -> Verdict {
    let expected = match Output::expected(&case.expect, area) {
        Ok(expected) => expected,
        Err(error) => return unreadable(&error),
    };
    match (judge(case, expected.as_ref(), outcome), differences::reason(&case.id)) {
        (Verdict::Failed(what), Some(reason)) => match answers::check(case, outcome) {
            Ok(()) => Verdict::Intended(what, reason),
            Err(change) => {
                Verdict::Failed(format!("{what}; the case is declared as an intended difference, but {change}"))
            }
        },
        (verdict, _) => verdict,
    }
}

fn chosen(options: &Options) -> Result<Vec<String>> {
    let names = Area::names(&options.dir)?;
    let unknown: Vec<&str> = options.areas.iter().filter(|area| !names.contains(area)).map(String::as_str).collect();
    ensure!(unknown.is_empty(), "these areas do not exist: {}; the areas are {}", unknown.join(", "), names.join(", "));
    // The id of a case begins with the name of its area. Therefore only the areas of the selected cases are read.
    let has_case = |name: &str| {
        options.cases.is_empty()
            || options.cases.iter().any(|id| id.rsplit_once('-').is_some_and(|(area, _)| area == name))
    };
    let is_named = |name: &String| options.areas.is_empty() || options.areas.contains(name);
    Ok(names.into_iter().filter(|name| is_named(name) && has_case(name)).collect())
}

/// Runs `work`. If `work` panics, the function returns the text of the panic as an error. A panic is a defect of the
/// operation, but the other cases must still run.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a text").to_owned()
    })
}

fn outcome(options: &Options, area: &Area, case: &Case, stream: &Stream, resource: &Resource) -> Outcome {
    let Some(operation) = (options.operations)(&case.op) else {
        return Err(Failure::Absent(case.op.clone()));
    };
    let answer = operation(&Call::new(area, case, stream, resource))?;
    narrow(case, Output::download(&answer, stream)?)
}
