//! The cases. The cases of the peers' programs have the same names and shapes.
//!
//! To add a case, write a function that takes its columns from [`Inputs`] and returns the call that is timed. Then add
//! a line to the list of cases in the same file. If the peers' programs have the case, use their name and shape, as
//! `peers/README.md` explains.

mod adversarial;
mod documents;
mod exchange;
mod fills;
mod frames;
mod groupby;
mod hashing;
mod join;
mod nested;
mod numbers;
mod partitioning;
mod rolling;
mod rows;
mod sorting;
mod statistics;
mod text;
mod tokens;
mod values;

use anyhow::Result;
use clap::ValueEnum;

use crate::inputs::Inputs;
use crate::measure::Run;

/// An operation that is timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The smallest number of bytes that the operation must move for each row of input. The number is zero if the
    /// peers' programs do not state it.
    pub(crate) bytes_per_row: f64,
    /// The minimum number of rows. The case does not run with fewer rows.
    pub(crate) min_rows: usize,
    /// The maximum number of rows. If the requested number is larger, the case runs with this number instead.
    pub(crate) max_rows: usize,
    /// The fixed sizes of the case. If the list is empty, the case runs at the requested sizes. Otherwise, it runs at
    /// all sizes in the list that are at most the largest requested size, and at no other size.
    pub(crate) sizes: &'static [usize],
    /// Two numbers of timed calls: the number for less than a million rows, and the number for a million rows or more.
    pub(crate) repetitions: (usize, usize),
    /// Makes the inputs and returns the call that is timed. The time does not include the time to make the inputs.
    pub(crate) prepare: fn(&Inputs) -> Result<Run>,
}

impl Case {
    const fn new(name: &'static str, bytes_per_row: f64, prepare: fn(&Inputs) -> Result<Run>) -> Case {
        Case { name, bytes_per_row, min_rows: 0, max_rows: usize::MAX, sizes: &[], repetitions: (60, 9), prepare }
    }

    const fn min_rows(self, min_rows: usize) -> Case {
        Case { min_rows, ..self }
    }

    const fn at_most(self, max_rows: usize) -> Case {
        Case { max_rows, ..self }
    }

    const fn sized(self, sizes: &'static [usize]) -> Case {
        Case { sizes, ..self }
    }

    const fn repeated(self, small: usize, large: usize) -> Case {
        Case { repetitions: (small, large), ..self }
    }
}

/// A list of cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Suite {
    /// Uniform data
    #[default]
    Usual,
    /// Data that the strategies of operations are not optimized for: hot and sparse keys, sorted and constant
    /// columns, long texts, many pieces
    Adversarial,
    /// Verbs of frames at 10 rows, and the pipelines that they run
    Frames,
}

impl Suite {
    /// Returns the cases of the suite, in the order of the peers' programs.
    pub(crate) fn cases(self) -> Vec<&'static Case> {
        match self {
            Suite::Usual => usual().collect(),
            Suite::Adversarial => adversarial::all().collect(),
            Suite::Frames => frames::CASES.iter().collect(),
        }
    }
}

fn usual() -> impl Iterator<Item = &'static Case> {
    let by_row = values::CASES.iter().chain(numbers::CASES).chain(rows::CASES).chain(fills::CASES);
    let numbers = by_row.chain(statistics::CASES).chain(rolling::CASES).chain(sorting::CASES).chain(groupby::CASES);
    let keys = join::CASES.iter().chain(hashing::CASES).chain(partitioning::CASES);
    numbers
        .chain(keys)
        .chain(nested::CASES)
        .chain(documents::CASES)
        .chain(text::CASES)
        .chain(tokens::CASES)
        .chain(exchange::CASES)
}

/// Returns a call that can be timed. The call returns its result, because the result must not be dropped before the
/// clock is read.
fn call<T: 'static>(mut call: impl FnMut() -> gdf::Result<T> + 'static) -> Result<Run> {
    Ok(Box::new(move || Ok(Box::new(call()?))))
}
