//! The cases: names and shapes of the peers' programs.
//!
//! To add one, write a function that takes its columns from [`Inputs`] and returns the call to be timed, and a line in the
//! list of its file. The name and the shape are the peers' where they have the case; see `peers/README.md`.

mod adversarial;
mod exchange;
mod fills;
mod groupby;
mod hashing;
mod join;
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

/// One operation to be timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    /// The name of the case in the peers' programs.
    pub(crate) name: &'static str,
    /// Bytes that must at least be moved per row of input; zero where the peers name none.
    pub(crate) bytes_per_row: f64,
    /// The smallest number of rows. The case does not run at smaller sizes.
    pub(crate) min_rows: usize,
    /// The largest number of rows. If a larger size is asked for, the case runs at this size instead.
    pub(crate) max_rows: usize,
    /// Run at those of these sizes that do not exceed the largest asked for, and at no others; none: at what is asked for.
    pub(crate) sizes: &'static [usize],
    /// The numbers of timed calls: below a million rows, and from a million rows on.
    pub(crate) repetitions: (usize, usize),
    /// Makes the inputs, which is not timed, and returns the call that is.
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
    /// Data that strategies are not made for: hot and sparse keys, sorted and constant columns, long texts, many pieces
    Adversarial,
}

impl Suite {
    /// The cases of the suite, in the order of the peers' programs.
    pub(crate) fn cases(self) -> Vec<&'static Case> {
        match self {
            Suite::Usual => usual().collect(),
            Suite::Adversarial => adversarial::all().collect(),
        }
    }
}

fn usual() -> impl Iterator<Item = &'static Case> {
    let by_row = values::CASES.iter().chain(numbers::CASES).chain(rows::CASES).chain(fills::CASES);
    let numbers = by_row.chain(statistics::CASES).chain(rolling::CASES).chain(sorting::CASES).chain(groupby::CASES);
    let keys = join::CASES.iter().chain(hashing::CASES).chain(partitioning::CASES);
    numbers.chain(keys).chain(text::CASES).chain(tokens::CASES).chain(exchange::CASES)
}

/// The call to be timed; whatever it returns is kept until the clock has been read.
fn call<T: 'static>(mut call: impl FnMut() -> gdf::Result<T> + 'static) -> Result<Run> {
    Ok(Box::new(move || Ok(Box::new(call()?))))
}
