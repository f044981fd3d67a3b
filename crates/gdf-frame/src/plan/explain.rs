//! Writes plans as text.

use std::fmt;

use super::needed::Needed;
use super::{Plan, Rolled, Step};
use crate::expr::SortBy;

/// Displays a plan as text. The text has a line for each pipeline, followed by indented lines for the verbs of the
/// pipeline.
pub(crate) struct Explained<'a>(pub(crate) &'a Plan);

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_plan(f, self.0, 0)
    }
}

fn write_plan(f: &mut fmt::Formatter<'_>, plan: &Plan, indent: usize) -> fmt::Result {
    let names = List(plan.source.names().collect::<Vec<_>>());
    let rows: usize = plan.sources().map(|batch| batch.table().num_rows()).sum();
    match &plan.batches {
        None if plan.scan.is_some() => write_scan(f, plan, indent)?,
        None => writeln!(f, "{:indent$}source: {rows} rows, columns {names}", "")?,
        Some(more) => {
            writeln!(f, "{:indent$}source: {rows} rows in {} batches, columns {names}", "", more.len() + 1)?;
        }
    }
    let (mut number, mut begins) = (0, true);
    for step in &plan.steps {
        if begins {
            number += 1;
            writeln!(f, "{:indent$}pipeline {number}", "")?;
        }
        begins = !step.is_fused();
        write!(f, "{:indent$}  ", "")?;
        write_step(f, step, indent)?;
    }
    Ok(())
}

fn write_scan(f: &mut fmt::Formatter<'_>, plan: &Plan, indent: usize) -> fmt::Result {
    let Some(scan) = &plan.scan else { return Ok(()) };
    let needed = plan.needed(&Needed::All);
    let columns = needed.first().and_then(|needed| plan.scanned_columns(needed).ok());
    let names = List(columns.as_ref().unwrap_or(&plan.source).names().collect::<Vec<_>>());
    write!(f, "{:indent$}scan {}: columns {names}", "", scan.text())?;
    match scan.pushed(&plan.first_conditions()) {
        Some(predicate) => writeln!(f, ", rows with {predicate}"),
        None => writeln!(f),
    }
}

fn write_step(f: &mut fmt::Formatter<'_>, step: &Step, indent: usize) -> fmt::Result {
    match step {
        Step::Filter(condition) => writeln!(f, "filter {condition}"),
        Step::Select(outputs) => writeln!(f, "select {}", List(outputs.clone())),
        Step::With(outputs) => writeln!(f, "with {}", List(outputs.clone())),
        Step::Rename(names) => {
            let pairs = names.iter().map(|(old, new)| format!("{old} AS {new}"));
            writeln!(f, "rename {}", List(pairs.collect::<Vec<_>>()))
        }
        Step::Drop(selector) => writeln!(f, "drop {selector}"),
        Step::Aggregate(grouping) => {
            writeln!(f, "group by {}: {}", List(grouping.keys.clone()), List(grouping.values.clone()))
        }
        Step::Sort { keys, limit } => {
            write!(f, "sort by {}", List(keys.clone()))?;
            match limit {
                Some(limit) => writeln!(f, ", first {limit} rows"),
                None => writeln!(f),
            }
        }
        Step::Slice { offset, len } => writeln!(f, "slice {offset}, {len} rows"),
        Step::Tail(count) => writeln!(f, "last {count} rows"),
        Step::Distinct { subset, .. } => writeln!(f, "distinct {subset}"),
        Step::DropNulls(subset) => writeln!(f, "drop nulls {subset}"),
        Step::Explode(name) => writeln!(f, "explode {name}"),
        Step::Reverse => writeln!(f, "reverse"),
        Step::Join(join) => {
            let keys = join.1.keys.iter().map(|(left, right)| format!("{left} = {right}"));
            let keys = List(keys.collect::<Vec<_>>());
            write!(f, "{:?} join", join.1.kind)?;
            if !keys.0.is_empty() {
                write!(f, " on {keys}")?;
            }
            if let Some(condition) = &join.1.condition {
                write!(f, " where {condition}")?;
            }
            writeln!(f, " with")?;
            write_plan(f, &join.0, indent + 4)
        }
        Step::Concat(plans) => {
            writeln!(f, "concat")?;
            plans.iter().try_for_each(|plan| write_plan(f, plan, indent + 4))
        }
        Step::Rolling(rolled) => {
            let Rolled { grouping, .. } = &**rolled;
            writeln!(f, "{} by {}: {}", rolled.bounds, List(grouping.keys.clone()), List(grouping.values.clone()))
        }
        Step::Whole(whole) => {
            writeln!(f, "{}", whole.text)?;
            whole.others.iter().try_for_each(|plan| write_plan(f, plan, indent + 4))
        }
    }
}

struct List<T>(Vec<T>);

impl<T: fmt::Display> fmt::Display for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, value) in self.0.iter().enumerate() {
            write!(f, "{}{value}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl fmt::Display for SortBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.descending { " DESC" } else { "" };
        let nulls = if self.nulls_first { " NULLS FIRST" } else { "" };
        write!(f, "{}{direction}{nulls}", self.values)
    }
}
