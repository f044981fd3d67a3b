//! Plans: a source and verbs, and their execution.
//!
//! A verb that needs only one row at a time (`filter`, `select`, `with`, `rename`, `drop`) is fused with the next verb.
//! All other verbs are sinks: a sink computes the rows that it needs in one pipeline. A [`Whole`] runs on computed
//! columns. The order of the verbs does not change.

mod aggregate;
mod conditional;
mod diagnose;
mod digits;
mod elements;
mod explain;
mod join;
mod joins;
mod key_types;
mod lowered;
mod memory;
mod needed;
mod resolve;
mod rolling;
mod rows;
mod scan;
mod sinks;
mod sums;
mod whole;
mod wide_sums;
mod widths;
mod window;

use std::sync::Arc;

use gdf_api::stream_compaction::DuplicateKeepOption;
use gdf_core::{Error, Result};

pub(crate) use self::explain::Explained;
use self::needed::Needed;
pub use self::rolling::Closed;
pub(crate) use self::rolling::{Bounds, Rolled};
pub(crate) use self::rows::{Named, Rows};
pub(crate) use self::scan::Scan;
#[cfg(feature = "io")]
pub(crate) use self::scan::{ScanRequest, ScannedBatches, ScannedPiece};
pub(crate) use self::whole::Whole;
pub(crate) use self::widths::widen_pairs;
use crate::columns::Columns;
use crate::expr::{Expr, SortBy};
use crate::join::Join;
use crate::selector::Selector;

/// A source, and the verbs that are applied to the source, in order.
#[derive(Clone)]
pub(crate) struct Plan {
    /// The rows of the source, or its first batch.
    pub(crate) source: Columns,
    /// The other batches of the source, which have the schema of the first batch.
    pub(crate) batches: Option<Arc<[Columns]>>,
    /// The reader of the source, if its rows are read when the plan is executed. `source` then has columns without
    /// rows.
    pub(crate) scan: Option<Arc<dyn Scan>>,
    pub(crate) steps: Vec<Step>,
    pub(crate) nesting: PlanNesting,
}

/// How deeply the other inputs of the steps of a plan are nested, and the number of these inputs. An input that several
/// steps share counts for each of these steps, because each of them executes it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlanNesting {
    depth: usize,
    count: usize,
    /// The verb that exceeded a limit.
    excess: Option<&'static str>,
}

impl PlanNesting {
    const DEEPEST: usize = 64;
    const MOST: usize = 1 << 20;

    fn check(self) -> Result<()> {
        let Some(verb) = self.excess else { return Ok(()) };
        let (what, value, most) = if self.depth > PlanNesting::DEEPEST {
            ("the nesting depth of the lazy frames", self.depth, PlanNesting::DEEPEST)
        } else {
            ("the number of nested lazy frames", self.count, PlanNesting::MOST)
        };
        let error = Error::beyond_limit(what, value as i128, most as i128);
        Err(error.with_remedy("collect one of the inner frames first").in_operation(verb))
    }
}

/// A verb with its arguments.
#[derive(Clone)]
pub(crate) enum Step {
    /// Keeps the rows for which the condition is true.
    Filter(Expr),
    /// Replaces the columns.
    Select(Vec<Expr>),
    /// Adds columns, or replaces columns of the same name.
    With(Vec<Expr>),
    /// Gives columns new names: pairs of an old and a new name.
    Rename(Vec<(Arc<str>, Arc<str>)>),
    /// Leaves columns out.
    Drop(Selector),
    Aggregate(Arc<Grouping>),
    /// Aggregates a window of rows for each row.
    Rolling(Arc<Rolled>),
    /// Sorts the rows. With a `limit`, only the first rows are kept.
    Sort {
        keys: Vec<SortBy>,
        limit: Option<usize>,
    },
    /// Keeps at most `len` rows from row `offset` on.
    Slice {
        offset: usize,
        len: usize,
    },
    /// Keeps the last rows.
    Tail(usize),
    /// Keeps one row of all rows that are equal in the columns of the subset.
    Distinct {
        subset: Selector,
        keep: DuplicateKeepOption,
    },
    /// Leaves out rows with a null in the columns of the subset.
    DropNulls(Selector),
    /// Makes a row for each element of a list column.
    Explode(Arc<str>),
    Reverse,
    Join(Arc<(Plan, Join)>),
    Concat(Arc<[Plan]>),
    /// A verb that runs on computed columns.
    Whole(Arc<Whole>),
}

#[derive(Clone)]
pub(crate) struct Grouping {
    pub(crate) keys: Vec<Expr>,
    pub(crate) values: Vec<Expr>,
    /// Whether rows with a null in a key belong to no group.
    pub(crate) drops_null_keys: bool,
}

impl Step {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Step::Filter(_) => "frame.filter",
            Step::Select(_) => "frame.select",
            Step::With(_) => "frame.with",
            Step::Rename(_) => "frame.rename",
            Step::Drop(_) => "frame.drop",
            Step::Aggregate(_) => "frame.group_by",
            Step::Rolling(rolled) => rolled.name(),
            Step::Sort { .. } => "frame.sort",
            Step::Slice { .. } => "frame.slice",
            Step::Tail(_) => "frame.tail",
            Step::Distinct { .. } => "frame.distinct",
            Step::DropNulls(_) => "frame.drop_nulls",
            Step::Explode(_) => "frame.explode",
            Step::Reverse => "frame.reverse",
            Step::Join(_) => "frame.join",
            Step::Concat(_) => "frame.concat",
            Step::Whole(whole) => whole.name,
        }
    }

    /// Returns whether the step only changes conditions and expressions.
    pub(crate) fn is_fused(&self) -> bool {
        match self {
            Step::Filter(_) | Step::Select(_) | Step::With(_) | Step::Rename(_) | Step::Drop(_) => true,
            Step::Aggregate(_) | Step::Sort { .. } | Step::Slice { .. } | Step::Tail(_) => false,
            Step::Distinct { .. } | Step::DropNulls(_) | Step::Explode(_) | Step::Reverse => false,
            Step::Join(_) | Step::Concat(_) | Step::Rolling(_) | Step::Whole(_) => false,
        }
    }
}

impl Plan {
    /// Executes the plan. The result has at least the `needed` columns.
    fn run_for(&self, needed: &Needed) -> Result<Columns> {
        let needed = match (self.steps.as_slice(), needed) {
            // Such a step reads only the columns that it names, so nothing is saved by leaving out the others.
            ([Step::Select(_) | Step::Aggregate(_)], Needed::All) => vec![Needed::All, Needed::All],
            _ => self.needed(needed),
        };
        let mut rows = Rows::new(self.source.clone());
        // The rows before the current run of fused steps (`None` stands for the source), and the position of the first
        // of these steps. If a step fails, the error is located from there.
        let (mut start, mut first) = (None, 0);
        let located = |error, start: Option<Rows>, steps| {
            diagnose::located(error, &start.unwrap_or_else(|| Rows::new(self.source.clone())), steps)
        };
        for (at, step) in self.steps.iter().enumerate() {
            needed[at].restrict(&mut rows);
            if let Err(error) = step.run(&mut rows, &needed[at + 1]) {
                return Err(located(error, start, &self.steps[first..=at]));
            }
            if !step.is_fused() && at + 1 < self.steps.len() {
                (start, first) = (Some(rows.clone()), at + 1);
            }
        }
        needed[self.steps.len()].restrict(&mut rows);
        rows.into_columns().map_err(|error| located(error, start, &self.steps[first..]))
    }

    /// Adds a step, unless the other inputs of the plan are then nested too deeply. Such a plan is an error when it is
    /// executed. Therefore, functions that descend into plans do not overflow the stack.
    pub(crate) fn push(&mut self, step: Step) {
        if self.nesting.excess.is_some() {
            return;
        }
        for PlanNesting { depth, count, excess } in step.other_plans().map(|plan| plan.nesting) {
            let all = &mut self.nesting;
            *all = PlanNesting { depth: all.depth.max(depth + 1), count: all.count + count + 1, excess };
            if excess.is_some() {
                *all = PlanNesting { depth, count, excess };
                return;
            }
            if all.depth > PlanNesting::DEEPEST || all.count > PlanNesting::MOST {
                all.excess = Some(step.name());
                return;
            }
        }
        self.steps.push(step);
    }

    pub(crate) fn sources(&self) -> impl Iterator<Item = &Columns> {
        std::iter::once(&self.source).chain(self.batches.iter().flat_map(|batches| batches.iter()))
    }

    /// Returns the plans of the other inputs of the steps, such as the right sides of joins.
    fn other_plans(&self) -> impl Iterator<Item = &Plan> {
        self.steps.iter().flat_map(Step::other_plans)
    }
}

impl Step {
    /// Returns the plans of the other inputs of the step.
    fn other_plans(&self) -> impl Iterator<Item = &Plan> {
        let plans: &[Plan] = match self {
            Step::Join(join) => std::slice::from_ref(&join.0),
            Step::Concat(plans) => plans,
            Step::Whole(whole) => whole.others.as_slice(),
            _ => &[],
        };
        plans.iter()
    }

    /// Applies the step to rows. `after` contains the columns of the result that later steps need.
    fn run(&self, rows: &mut Rows, after: &Needed) -> Result<()> {
        let inputs = self.inputs(after, |plan, needed| plan.run_for(needed))?;
        self.run_with(rows, &inputs, after)
    }

    /// Executes the plans of the other inputs of the step. `run` gets the columns that are needed of each input.
    fn inputs<T>(&self, after: &Needed, run: impl Fn(&Plan, &Needed) -> Result<T>) -> Result<Vec<T>> {
        match self {
            Step::Join(join) => Ok(vec![run(&join.0, &after.of_right(&join.1))?]),
            Step::Concat(plans) => plans.iter().map(|plan| run(plan, &Needed::All)).collect(),
            Step::Whole(whole) => whole.others.iter().map(|plan| run(plan, &Needed::All)).collect(),
            _ => Ok(Vec::new()),
        }
    }

    fn run_with(&self, rows: &mut Rows, inputs: &[Columns], after: &Needed) -> Result<()> {
        match self {
            Step::Filter(condition) => {
                let condition = rows.resolve_all(std::iter::once(condition))?;
                condition.into_iter().try_for_each(|condition| rows.filter(condition))
            }
            Step::Select(outputs) => aggregate::select(rows, outputs),
            Step::With(outputs) => {
                let outputs = rows.expanded(outputs)?;
                let values = rows.resolve_all(outputs.iter())?;
                let mut columns = rows.outputs();
                for (output, value) in outputs.iter().zip(values) {
                    let named = Named { name: output.name().into(), value };
                    match columns.iter().position(|column| *column.name == *named.name) {
                        Some(position) => columns[position] = named,
                        None => columns.push(named),
                    }
                }
                rows.set_outputs(columns)
            }
            Step::Rename(names) => {
                let mut columns = rows.outputs();
                for (old, new) in names {
                    let position = rows.position_of(old)?;
                    columns[position].name = new.clone().into();
                }
                rows.set_outputs(columns)
            }
            Step::Drop(selector) => {
                let dropped = rows.positions(selector)?;
                let columns = rows.outputs().into_iter().enumerate().filter(|(at, _)| !dropped.contains(at));
                let columns = columns.map(|(_, column)| column).collect();
                rows.set_outputs(columns)
            }
            Step::Aggregate(grouping) => aggregate::group(rows, grouping),
            Step::Rolling(rolled) => rolling::roll(rows, rolled),
            Step::Sort { keys, limit } => sinks::sort(rows, keys, *limit),
            Step::Slice { offset, len } => sinks::slice(rows, *offset, *len),
            Step::Tail(count) => sinks::tail(rows, *count),
            Step::Distinct { subset, keep } => sinks::distinct(rows, subset, *keep),
            Step::DropNulls(subset) => sinks::drop_nulls(rows, subset),
            Step::Explode(name) => sinks::explode(rows, name),
            Step::Reverse => sinks::reverse(rows),
            Step::Join(join) => {
                let right = inputs.first().ok_or_else(|| Error::internal("a join has no right side"))?;
                joins::join(rows, Rows::new(right.clone()), &join.1, after)
            }
            Step::Concat(_) => sinks::concat(rows, inputs),
            Step::Whole(whole) => {
                rows.compute()?;
                *rows = Rows::new(whole.run(rows.source(), inputs)?);
                Ok(())
            }
        }
    }
}
