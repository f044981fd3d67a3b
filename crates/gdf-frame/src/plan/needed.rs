//! Determines the columns that later steps need.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Plan, Rows, Step};
use crate::expr::{Expr, Leaf};
use crate::join::{Join, JoinKind};

/// The columns that later steps need.
#[derive(Clone)]
pub(crate) enum Needed {
    All,
    Names(HashSet<Arc<str>>),
}

impl Needed {
    fn none() -> Needed {
        Needed::Names(HashSet::new())
    }

    pub(super) fn restrict(&self, rows: &mut Rows) {
        if let Needed::Names(names) = self {
            rows.retain(|name| names.contains(name));
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Needed::All => true,
            Needed::Names(names) => names.contains(name),
        }
    }

    pub(super) fn all_in(&self, is_known: impl Fn(&str) -> bool) -> bool {
        match self {
            Needed::All => true,
            Needed::Names(names) => names.iter().all(|name| is_known(name)),
        }
    }

    /// Returns the columns of the right side that a join needs. `self` has the columns of the join's result that later
    /// steps need.
    pub(super) fn of_right(&self, join: &Join) -> Needed {
        let payload = match join.kind {
            JoinKind::Semi | JoinKind::Anti => Needed::none(),
            _ => self.clone(),
        };
        payload.and(&join.condition).unsuffixed(join).and(join.keys.iter().map(|(_, right)| right))
    }

    /// For each name that ends with the suffix of a join, adds the name without the suffix.
    fn unsuffixed(mut self, join: &Join) -> Needed {
        if let Needed::Names(names) = &mut self {
            let bases = names.iter().filter_map(|name| name.strip_suffix(&*join.suffix)).map(Arc::from);
            let bases: Vec<Arc<str>> = bases.collect();
            names.extend(bases);
        }
        self
    }

    /// Leaves out the columns that outputs add or replace, unless the names of an output depend on the columns.
    fn without(mut self, outputs: &[Expr]) -> Needed {
        if let Needed::Names(names) = &mut self {
            for output in outputs.iter().filter(|output| !output.has_selector()) {
                names.remove(&output.name());
            }
        }
        self
    }

    fn and<'e>(mut self, expressions: impl IntoIterator<Item = &'e Expr>) -> Needed {
        for expression in expressions {
            self.add(expression);
        }
        self
    }

    fn add(&mut self, expression: &Expr) {
        for leaf in expression.leaves() {
            match leaf {
                Leaf::Columns(_) => *self = Needed::All,
                Leaf::Column(name) => {
                    if let Needed::Names(names) = self {
                        names.insert(name.clone());
                    }
                }
                Leaf::Element => {}
                Leaf::Elements(of) => [&of.lists, &of.body].into_iter().for_each(|part| self.add(part)),
                Leaf::Aggregate(aggregate) => aggregate.values.iter().for_each(|values| self.add(values)),
                Leaf::Window(window) => window.keys.iter().chain(&window.values).for_each(|part| self.add(part)),
            }
        }
    }
}

impl Plan {
    /// Returns the columns that are needed before each step, and after the last step.
    pub(super) fn needed(&self, of_result: &Needed) -> Vec<Needed> {
        let mut needed = vec![of_result.clone()];
        for step in self.steps.iter().rev() {
            let after = needed.last().cloned().unwrap_or(Needed::All);
            needed.push(step.needed(after));
        }
        needed.reverse();
        needed
    }
}

impl Step {
    /// Returns the columns that are needed before the step. `after` has the columns that are needed after the step.
    fn needed(&self, after: Needed) -> Needed {
        match self {
            Step::Filter(condition) => after.and([condition]),
            // All outputs count, because outputs that no later step needs are checked, too.
            Step::Select(outputs) => Needed::none().and(outputs),
            Step::With(outputs) => after.without(outputs).and(outputs),
            Step::Rename(names) => {
                let Needed::Names(mut after) = after else { return Needed::All };
                // All names count, because an old name that does not exist is an error, and a new name that exists.
                after.extend(names.iter().flat_map(|(old, new)| [old.clone(), new.clone()]));
                Needed::Names(after)
            }
            Step::Aggregate(grouping) => Needed::none().and(&grouping.keys).and(&grouping.values),
            Step::Rolling(rolled) => Needed::none().and(&rolled.grouping.keys).and(&rolled.grouping.values),
            Step::Whole(whole) => match whole.reads() {
                Some(names) => Needed::Names(names),
                None => Needed::All,
            },
            Step::Sort { keys, .. } => after.and(keys.iter().map(|key| &key.values)),
            Step::Slice { .. } | Step::Tail(_) | Step::Reverse => after,
            Step::Join(join) => {
                let (_, join) = &**join;
                // A column of the right side gets the suffix only beside a left column of the same name, which is
                // therefore needed.
                after.and(join.keys.iter().map(|(left, _)| left)).and(&join.condition).unsuffixed(join)
            }
            Step::Explode(name) => after.and([&crate::expr::col(name.clone())]),
            Step::Drop(_) | Step::Distinct { .. } | Step::DropNulls(_) | Step::Concat(_) => Needed::All,
        }
    }
}
