//! Calls every public function with malformed columns and checks the outcomes.

use std::collections::{BTreeMap, BTreeSet};

use gdf_core::{Column, DataType, Error, physical_type};
use gdf_detail::Ctx;
use gdf_driver::{Device, Stream};
use gdf_memory::{Resource, Resources};

use super::malformation::{Kind, Malformation, Pattern, has_rules};
use super::{MalformedOptions, MalformedReport};
use crate::catalog::{Case, Entry};
use crate::data::{self, NullPattern, padded, random_array};
use crate::device::new_stream;
use crate::resources::spy;
use crate::runner::{Problem, caught, check_spies};

/// Entries whose cases make their columns from bytes, so the columns of a case cannot be replaced.
pub(super) const BUILDS_ITS_COLUMNS: [&str; 2] = ["validation.validate", "validation.validate_table"];

const FRONT: usize = 3;
const BEHIND: usize = 5;

/// The maximum number of cases of an entry that run on malformed copies of their inputs, among the cases with types
/// that have rules.
const CASES: usize = 8;

/// The maximum number of rows of a case.
const MAX_ROWS: usize = 4096;

/// A malformed column that replaces an input, and its properties.
#[derive(Clone)]
struct Broken {
    column: Column,
    label: String,
    /// Whether `try_from_parts` accepted the malformed parts. Otherwise the column is not malformed.
    is_made: bool,
    /// Whether `validate` refuses the column.
    is_refused: bool,
}

/// The outcome that a call must have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The function must return `BrokenData`, unless it reads no data.
    BrokenData,
    /// The data are well-formed, so the function must not return `BrokenData`.
    NoBrokenData,
    /// Both are allowed.
    Any,
}

pub(super) struct Sweep<'a> {
    pub(super) device: Device,
    pub(super) upstream: Resource,
    pub(super) options: &'a MalformedOptions,
    pub(super) report: MalformedReport,
    /// Malformed columns that replace inputs of any type.
    gallery: BTreeMap<(String, usize), Vec<Broken>>,
    /// The number of calls that were made or left out.
    pub(super) calls: usize,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(device: Device, upstream: Resource, options: &'a MalformedOptions) -> Self {
        Sweep { device, upstream, options, report: MalformedReport::default(), gallery: BTreeMap::new(), calls: 0 }
    }

    /// Runs the entry at a position of the catalog.
    pub(super) fn entry(&mut self, index: usize, entry: &Entry) {
        self.calls = index;
        let direct = BUILDS_ITS_COLUMNS.contains(&entry.name);
        let outcome = if direct { self.validation() } else { self.entry_of(entry.name, &(entry.cases)()) };
        self.report.failures.extend(outcome.err().map(|error| format!("cannot set up {}: {error}", entry.name)));
    }

    /// Runs an entry on malformed copies of its own inputs.
    pub(super) fn entry_of(&mut self, entry: &'static str, cases: &[Case]) -> gdf_core::Result<()> {
        let has_inputs = cases.iter().any(|case| case.rows() > 0);
        let with_rules = cases.iter().any(|case| case.inputs.iter().any(|input| has_rules(input.data_type())));
        if has_inputs {
            self.report.entries.insert(entry);
        }
        if with_rules {
            self.report.entries_with_rules.insert(entry);
        }
        for case in chosen(cases) {
            self.own_types(entry, case)?;
        }
        if let Some(case) = typical(cases) {
            self.other_types(entry, case)?;
        }
        Ok(())
    }

    /// Calls the function with one malformed input at a time.
    fn own_types(&mut self, entry: &'static str, case: &Case) -> gdf_core::Result<()> {
        for position in 0..case.inputs.len() {
            let array = &case.inputs[position];
            for malformation in Malformation::all_of(array.data_type()) {
                for sliced in [false, true] {
                    if !self.is_next() {
                        continue;
                    }
                    let stream = new_stream(self.device)?;
                    let mut inputs = Vec::with_capacity(case.inputs.len());
                    for array in &case.inputs {
                        inputs.push(Column::from_arrow(array, &stream, self.upstream.as_ref())?);
                    }
                    let whole = if sliced {
                        let long = padded(array, FRONT, BEHIND, NullPattern::None);
                        Column::from_arrow(&long, &stream, self.upstream.as_ref())?.slice(FRONT, array.len())?
                    } else {
                        inputs[position].clone()
                    };
                    let shape = if sliced { "sliced" } else { "whole" };
                    let label = format!("{}: input {position} {shape}, {malformation}", case.label);
                    match malformation.apply(whole, &stream, self.upstream.as_ref()) {
                        Err(_) => self.report.refused_parts += 1,
                        Ok(column) => {
                            let is_refused = self.is_refused(&column, &stream)?;
                            let outcome = match malformation.kind {
                                _ if !self.options.strict => Outcome::Any,
                                _ if is_refused => Outcome::BrokenData,
                                Kind::Numbers(_, Pattern::UnderNulls) => Outcome::NoBrokenData,
                                _ => Outcome::Any,
                            };
                            inputs[position] = column;
                            self.call(entry, case, &inputs, &label, outcome)?;
                            self.note(entry, &malformation, is_refused);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Calls the function with malformed columns of every type.
    fn other_types(&mut self, entry: &'static str, case: &Case) -> gdf_core::Result<()> {
        let stream = new_stream(self.device)?;
        let mut inputs = Vec::with_capacity(case.inputs.len());
        for array in &case.inputs {
            inputs.push(Column::from_arrow(array, &stream, self.upstream.as_ref())?);
        }
        let types: BTreeSet<String> = inputs.iter().map(|input| input.data_type().to_string()).collect();
        for own in types {
            let is_own = |input: &Column| input.data_type().to_string() == own;
            for data_type in gallery_types() {
                self.well_formed(entry, case, &inputs, &own, &data_type)?;
                for (i, malformation) in Malformation::all_of(&data_type).into_iter().enumerate() {
                    if !self.is_next() {
                        continue;
                    }
                    let mut replaced = inputs.clone();
                    let (mut is_made, mut is_refused) = (false, false);
                    for input in replaced.iter_mut().filter(|input| is_own(input)) {
                        if let Some(broken) = self.of_gallery(&data_type, input.len(), i)? {
                            *input = broken.column;
                            is_made |= broken.is_made;
                            is_refused |= broken.is_refused;
                        }
                    }
                    if !is_made {
                        self.report.refused_parts += 1;
                        continue;
                    }
                    let label = format!("{}: {data_type} for {own}, {malformation}", case.label);
                    self.call(entry, case, &replaced, &label, Outcome::Any)?;
                    self.note(entry, &malformation, is_refused);
                }
            }
        }
        Ok(())
    }

    /// Calls the function with well-formed columns of `data_type`.
    fn well_formed(
        &mut self,
        entry: &'static str,
        case: &Case,
        inputs: &[Column],
        own: &str,
        data_type: &DataType,
    ) -> gdf_core::Result<()> {
        let stream = new_stream(self.device)?;
        let mut replaced = inputs.to_vec();
        for input in replaced.iter_mut().filter(|input| input.data_type().to_string() == own) {
            let array = random_array(data_type, input.len(), NullPattern::Some, input.len() as u64);
            *input = Column::from_arrow(&array, &stream, self.upstream.as_ref())?;
        }
        let wrong = match caught(|| case.call(&replaced, &stream, &self.upstream, &self.upstream)) {
            Err(Problem::Error(
                Error::BrokenData { .. } | Error::OutOfMemory { .. } | Error::Memory(_) | Error::Driver(_),
            )) => "says that well-formed data are broken",
            Err(Problem::Panic(_)) => "panics",
            _ => return Ok(()),
        };
        self.report.failures.push(format!("{} {}: {data_type} for {own}: {wrong}", entry, case.label));
        Ok(())
    }

    /// Calls `validate` on each column of the gallery.
    pub(super) fn validation(&mut self) -> gdf_core::Result<()> {
        for rows in [1, 5, 3000] {
            for data_type in gallery_types() {
                let stream = new_stream(self.device)?;
                self.of_gallery(&data_type, rows, 0)?;
                let broken = self.gallery.remove(&(data_type.to_string(), rows)).unwrap_or_default();
                for Broken { column, label, is_made, is_refused } in broken {
                    if !is_made {
                        self.report.refused_parts += 1;
                        continue;
                    }
                    self.report.calls += 1;
                    if !is_refused && let Err(problem) = read(&column, &stream, true) {
                        self.report.failures.push(format!("validate accepts {label}: {problem}"));
                    }
                    self.report.pairs.insert((BUILDS_ITS_COLUMNS[0], label));
                }
            }
        }
        self.report.entries.insert(BUILDS_ITS_COLUMNS[0]);
        self.report.entries.insert(BUILDS_ITS_COLUMNS[1]);
        Ok(())
    }

    /// Returns the gallery's column with the given type, number of rows and index of the malformation.
    fn of_gallery(&mut self, data_type: &DataType, rows: usize, index: usize) -> gdf_core::Result<Option<Broken>> {
        let key = (data_type.to_string(), rows);
        if !self.gallery.contains_key(&key) {
            let stream = new_stream(self.device)?;
            let array = random_array(data_type, rows, NullPattern::None, rows as u64);
            let whole = Column::from_arrow(&array, &stream, self.upstream.as_ref())?;
            let mut all = Vec::new();
            for malformation in Malformation::all_of(data_type) {
                let label = format!("{data_type}/{rows}, {malformation}");
                // If `try_from_parts` does not accept the parts, the gallery has the unchanged column.
                let broken = malformation.apply(whole.clone(), &stream, self.upstream.as_ref());
                let is_made = broken.is_ok();
                let column = broken.unwrap_or_else(|_| whole.clone());
                let is_refused = self.is_refused(&column, &stream)?;
                all.push(Broken { column, label, is_made, is_refused });
            }
            self.gallery.insert(key.clone(), all);
        }
        Ok(self.gallery.get(&key).and_then(|all| all.get(index)).cloned())
    }

    /// Returns whether `validate` returns the error that the data are broken.
    fn is_refused(&self, column: &Column, stream: &Stream) -> gdf_core::Result<bool> {
        let resources = Resources::from(&self.upstream);
        match gdf_detail::validation::validate(column.view(), Ctx::new(stream, resources)) {
            Ok(_) => Ok(false),
            Err(Error::BrokenData { .. }) => Ok(true),
            Err(other) => Err(other),
        }
    }

    /// Notes a call. Some malformations break no rule of some columns, such as the keys of null rows.
    fn note(&mut self, entry: &'static str, malformation: &Malformation, is_refused: bool) {
        self.report.pairs.insert((entry, malformation.kind.to_string()));
        if is_refused && matches!(malformation.kind, Kind::Numbers(..) | Kind::Text(_)) {
            self.report.covered.insert(entry);
        }
    }

    fn is_next(&mut self) -> bool {
        self.calls += 1;
        self.calls.is_multiple_of(self.options.every.max(1)) && !self.report.lost
    }

    /// Calls the public function.
    fn call(
        &mut self,
        entry: &'static str,
        case: &Case,
        inputs: &[Column],
        label: &str,
        outcome: Outcome,
    ) -> gdf_core::Result<()> {
        let must_fail = outcome == Outcome::BrokenData;
        let stream = new_stream(self.device)?;
        let (output, scratch) = (spy(&self.upstream), spy(&self.upstream));
        let resources = (Resource::new(output.clone()), Resource::new(scratch.clone()));
        self.report.calls += 1;
        let result = caught(|| case.call(inputs, &stream, &resources.0, &resources.1));
        let mut problems = Vec::new();
        match result {
            Err(Problem::Error(error @ Error::BrokenData { .. })) if outcome == Outcome::NoBrokenData => {
                problems.push(format!("says that well-formed data are broken: {error}"));
            }
            Err(Problem::Error(Error::BrokenData { .. })) => self.report.broken_data += 1,
            Err(Problem::Error(defect @ Error::Internal { .. })) => problems.push(defect.to_string()),
            Err(Problem::Error(_)) if must_fail => problems.push("an error other than BrokenData".to_owned()),
            Err(Problem::Error(_)) => self.report.other_errors += 1,
            Err(problem) => problems.push(problem.to_string()),
            Ok(results) => {
                self.report.values += 1;
                if must_fail && !super::READS_NO_DATA.contains(&entry) {
                    problems.push("results although the data are broken".to_owned());
                }
                for column in results {
                    match caught(|| Ok(read(&column, &stream, self.options.strict))) {
                        Ok(outcome) => problems.extend(outcome.err()),
                        Err(problem) => problems.push(format!("reading the result: {problem}")),
                    }
                }
            }
        }
        if let Err(error) = stream.synchronize() {
            self.report.lost = true;
            problems.push(format!("the device is lost: {error}"));
        }
        let mut seen = Vec::new();
        check_spies(&[&output, &scratch], &stream, &mut seen);
        problems.extend(seen.into_iter().map(|problem| problem.to_string()));
        let said = problems.into_iter().map(|problem| format!("{} {label}: {problem}", entry));
        self.report.failures.extend(said);
        Ok(())
    }
}

/// Reads all data of a column.
fn read(column: &Column, stream: &Stream, strictly: bool) -> Result<(), String> {
    read_buffers(column, stream).map_err(|error| format!("the result cannot be read: {error}"))?;
    column.null_count_on(stream).map_err(|error| format!("nulls cannot be counted: {error}"))?;
    // If a column is not marked as validated, the export checks its data and may return an error.
    match column.to_arrow(stream).map(|array| array.to_data().validate_full()) {
        Ok(Err(error)) if strictly => Err(format!("the result is marked as valid, but its validation fails: {error}")),
        _ => Ok(()),
    }
}

fn read_buffers(column: &Column, stream: &Stream) -> gdf_core::Result<()> {
    for buffer in column.buffers().iter().chain(column.validity()) {
        buffer.to_host(stream)?;
    }
    column.children().iter().try_for_each(|child| read_buffers(child, stream))
}

/// Returns one type of each layout that has rules or whose children have rules. Also returns two types without rules.
fn gallery_types() -> Vec<DataType> {
    let mut layouts = BTreeSet::new();
    let plain = [DataType::Int32, DataType::Boolean];
    let types = data::all().into_iter().filter(has_rules).chain(plain);
    types.filter(|data_type| layouts.insert(format!("{:?}", physical_type(data_type)))).collect()
}

/// Returns cases that cover types, functions and lengths.
fn chosen(cases: &[Case]) -> Vec<&Case> {
    let mut groups: BTreeMap<(bool, String), Vec<&Case>> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.refused.is_none() && (1..=MAX_ROWS).contains(&case.rows())) {
        let types: Vec<_> = case.inputs.iter().map(|input| (input.data_type().to_string(), input.len() == 1)).collect();
        let words: String = case.label.split('/').filter(|part| !is_counted(part)).collect();
        let plain = !case.inputs.iter().any(|input| has_rules(input.data_type()));
        groups.entry((plain, format!("{words} {types:?}"))).or_default().push(case);
    }
    let (plain, ruled): (Vec<_>, Vec<_>) = groups.into_iter().partition(|((plain, _), _)| *plain);
    let of_groups = spread(ruled, CASES).chain(spread(plain, 2));
    // The first case has so many rows that there are several blocks.
    of_groups
        .enumerate()
        .filter_map(|(i, group)| {
            let selected = if i == 0 { 3000 } else { [5, 1, 40][i % 3] };
            group.into_iter().min_by_key(|case| case.rows().abs_diff(selected))
        })
        .collect()
}

/// Returns at most `most` groups, at equal distances.
fn spread(groups: Vec<((bool, String), Vec<&Case>)>, most: usize) -> impl Iterator<Item = Vec<&Case>> {
    let step = groups.len().div_ceil(most).max(1);
    groups.into_iter().step_by(step).map(|(_, cases)| cases)
}

/// Returns whether a part of a label is a number of rows or a null pattern.
fn is_counted(part: &str) -> bool {
    let nulls = ["None", "Some", "All", "Every"];
    part.starts_with(|c: char| c.is_ascii_digit()) || nulls.iter().any(|word| part.starts_with(word))
}

/// Returns the case with the number of rows that is closest to 33.
fn typical(cases: &[Case]) -> Option<&Case> {
    let some = cases.iter().filter(|case| case.rows() > 0);
    some.min_by_key(|case| (case.rows().abs_diff(33), case.inputs.len()))
}
