//! Aggregates of the pieces of a stream.
//!
//! Each piece gives a table of states: the keys of its groups, and a state for each request. The states of a group are
//! merged: counts and sums are added, and the smallest of the smallest values is the smallest of all. A mean has two
//! states, the sum and the count. P.-Å. Larson, *Data Reduction by Partial Preaggregation*, ICDE 2002.
//!
//! If most groups have one row in a piece, states save nothing. The rows of the pieces are then kept, and aggregated
//! together. Columns of the right sides of joins stay deferred in kept rows.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arrow_schema::DataType;
use gdf_api::filling::from_scalar;
use gdf_api::pipeline::Pipeline;
use gdf_core::{Column, Literal, Table};
use gdf_expr::col;

use super::check::LARGEST_SUM;
use super::deferred::Deferred;
use super::rows::Ready;
use super::tables::whole;
use super::{Aggregate, Measure, Request, Run};
use crate::error::{Error, Result};

/// The states are merged when they have this number of rows, and twice as many as after the last merge. In the end, the
/// threads together merge what is left.
const MERGED_ROWS: usize = 1 << 18;

/// Rows are kept if a group has fewer rows of a piece than this, on average. Smaller pieces than [`FEWEST_ROWS`] do not
/// tell.
const FEWEST_ROWS_OF_GROUP: usize = 2;
const FEWEST_ROWS: usize = 256;
/// The number of pieces whose rows are counted for the choice.
const MOST_PIECES_OF_CHOICE: usize = 16;
/// The largest number of rows that are kept. The threads make states of the pieces that follow.
const KEPT_ROWS: usize = 1 << 24;

/// The largest number of pieces of a stream. The sums of all pieces fit if the sum of each fits in this part of the
/// range.
const MOST_PIECES: f64 = 1e8;

impl Measure {
    /// Returns the measure that merges states of this measure, or `None` if its result is no state.
    fn of_states(self) -> Option<Measure> {
        match self {
            Measure::CountRows | Measure::Count | Measure::Sum => Some(Measure::Sum),
            Measure::Min => Some(Measure::Min),
            Measure::Max => Some(Measure::Max),
            Measure::CountDistinct | Measure::Mean | Measure::Variance { .. } | Measure::Std { .. } => None,
            Measure::Product | Measure::Median | Measure::Quantile { .. } | Measure::First | Measure::Last => None,
        }
    }
}

impl Request {
    fn is_mean_of_floats(&self) -> bool {
        self.measure == Measure::Mean && self.data_type == DataType::Float64
    }

    /// Returns the requests for the states. `floats` returns the position of given values as floats.
    fn states(&self, mut floats: impl FnMut(usize) -> usize) -> Vec<Request> {
        match self.values {
            Some(values) if self.is_mean_of_floats() => {
                let sum = Request { values: Some(floats(values)), measure: Measure::Sum, data_type: DataType::Float64 };
                vec![sum, Request { values: Some(values), measure: Measure::Count, data_type: DataType::Int64 }]
            }
            _ => vec![self.clone()],
        }
    }
}

/// The states of a grouping.
struct States {
    tables: Vec<Table>,
    rows: usize,
    /// The number of rows at which the states are merged. `None` if early merges save too little, because most groups
    /// occur in one piece only.
    merged_at: Option<usize>,
}

/// The result of a piece.
enum OfPiece {
    /// The states for each grouping.
    States(Vec<Table>),
    /// The rows.
    Rows(Deferred),
    /// Both, before the choice.
    Both(Vec<Table>, Deferred),
}

/// The choice between states and rows.
#[derive(Default)]
struct Choice {
    keeps_rows: AtomicBool,
    /// The number of pieces so far whose rows were counted.
    pieces: AtomicUsize,
    /// The rows of one of the first pieces. A column that other pieces select from the same column stays deferred.
    example: OnceLock<Deferred>,
}

impl Choice {
    /// Decides that the pieces that follow return states.
    fn ends_rows(&self) {
        self.pieces.store(MOST_PIECES_OF_CHOICE, Ordering::Relaxed);
        self.keeps_rows.store(false, Ordering::Relaxed);
    }
}

/// The results of pieces so far.
struct Found {
    /// The states of each grouping.
    states: Vec<States>,
    kept: Vec<Deferred>,
    kept_rows: usize,
    /// The results of the pieces before the choice.
    before: Vec<(Vec<Table>, Deferred)>,
}

/// An aggregate of the pieces of a stream.
struct OfStream<'a> {
    of: &'a Aggregate,
    /// The positions of the keys of each grouping.
    groupings: Vec<Vec<usize>>,
    /// The numbers of keys that the other keys determine.
    determined: Cow<'a, [usize]>,
    choice: Choice,
}

impl States {
    fn new() -> States {
        States { tables: Vec::new(), rows: 0, merged_at: Some(MERGED_ROWS) }
    }

    fn push(&mut self, table: Table, of: &OfStream<'_>, keys: &[usize]) -> Result<()> {
        self.rows += table.num_rows();
        self.tables.push(table);
        if self.merged_at.is_none_or(|at| self.rows <= at) {
            return Ok(());
        }
        let merged = of.merged(self.tables.clone(), keys)?;
        let rows = merged.num_rows();
        match rows <= self.rows / 2 {
            true => *self = States { rows, merged_at: Some(MERGED_ROWS.max(2 * rows)), tables: vec![merged] },
            // The states of the pieces may be sorted, other than those that were merged.
            false => self.merged_at = None,
        }
        Ok(())
    }
}

impl Found {
    fn push_states(&mut self, tables: Vec<Table>, of: &OfStream<'_>) -> Result<()> {
        for ((states, keys), table) in self.states.iter_mut().zip(&of.groupings).zip(tables) {
            states.push(table, of, keys)?;
        }
        Ok(())
    }

    fn push(&mut self, of_piece: OfPiece, of: &OfStream<'_>) -> Result<()> {
        match of_piece {
            OfPiece::Both(states, rows) => self.before.push((states, rows)),
            OfPiece::Rows(rows) => {
                self.kept_rows += rows.num_rows();
                self.kept.push(rows);
                if self.kept_rows > KEPT_ROWS {
                    of.choice.ends_rows();
                }
            }
            OfPiece::States(tables) => {
                self.choose_states(of)?;
                self.push_states(tables, of)?;
            }
        }
        Ok(())
    }

    /// Uses the states of the pieces before the choice.
    fn choose_states(&mut self, of: &OfStream<'_>) -> Result<()> {
        std::mem::take(&mut self.before).into_iter().try_for_each(|(states, _)| self.push_states(states, of))
    }

    /// Returns the result of all pieces.
    fn finish(mut self, of: &OfStream<'_>) -> Result<Deferred> {
        if !of.choice.keeps_rows.load(Ordering::Relaxed) {
            self.choose_states(of)?;
        }
        let before = std::mem::take(&mut self.before).into_iter().map(|(_, rows)| rows);
        let rows: Vec<Deferred> = before.chain(std::mem::take(&mut self.kept)).collect();
        if !rows.is_empty() {
            let rows = Ready::of(Deferred::concatenated(rows)?);
            if self.states.iter().all(|states| states.tables.is_empty()) {
                return of.of.of_rows(rows, &of.determined);
            }
            let tables = of.states(rows)?;
            self.push_states(tables, of)?;
        }
        Ok(of.finished(self.states)?.into())
    }
}

impl Aggregate {
    /// Returns whether the results of pieces can be merged.
    pub(super) fn has_states(&self) -> bool {
        let has_states = |request: &Request| request.measure.of_states().is_some() || request.is_mean_of_floats();
        self.requests.iter().all(has_states)
    }

    /// Returns the results of the requests from the columns of states.
    fn of_states(&self, states: Vec<Column>) -> Result<Vec<Column>> {
        let mut states = states.into_iter();
        let mut next = || states.next().ok_or_else(|| Error::internal("an aggregate has too few states"));
        let result = |request: &Request| {
            if !request.is_mean_of_floats() {
                return next();
            }
            let parts = Table::try_new(vec![next()?, next()?])?;
            let mean = col(0) / col(1).cast(DataType::Float64);
            Ok(Pipeline::new(&parts).project(&[mean])?.into_columns().swap_remove(0))
        };
        self.requests.iter().map(result).collect()
    }

    /// Aggregates a stream. The first pieces tell whether the states of a piece are far fewer than its rows. If they
    /// are not, the rows of all pieces are kept, and aggregated together.
    pub(super) fn of_pieces(&self, run: &Run<'_>) -> Result<Deferred> {
        let mut result = None;
        run.stream_of(&self.rows, &mut |stream| {
            let (groupings, determined) = (self.kept_keys(), self.determined_in(run));
            let of = OfStream { of: self, groupings, determined, choice: Choice::default() };
            let states = of.groupings.iter().map(|_| States::new()).collect();
            let mut found = Found { states, kept: Vec::new(), kept_rows: 0, before: Vec::new() };
            let of_pieces = stream.map(|rows| of.of_piece(rows));
            of_pieces.for_each(run, &mut |of_piece| {
                found.push(of_piece, &of)?;
                Ok(ControlFlow::Continue(()))
            })?;
            result = Some(found.finish(&of)?);
            Ok(())
        })?;
        result.ok_or_else(|| Error::internal("an aggregate has no stream"))
    }
}

impl OfStream<'_> {
    fn of_piece(&self, mut rows: Ready) -> Result<OfPiece> {
        if self.choice.keeps_rows.load(Ordering::Relaxed) {
            return Ok(OfPiece::Rows(self.kept(rows)?));
        }
        if self.of.keys.is_empty() || self.choice.pieces.fetch_add(1, Ordering::Relaxed) >= MOST_PIECES_OF_CHOICE {
            return Ok(OfPiece::States(self.states(rows)?));
        }
        rows.filter()?;
        let count = rows.input.num_rows();
        let states = self.states(rows.clone())?;
        let groups: usize = states.iter().map(Table::num_rows).sum();
        if count >= FEWEST_ROWS && groups > count / FEWEST_ROWS_OF_GROUP {
            self.choice.keeps_rows.store(true, Ordering::Relaxed);
        }
        Ok(OfPiece::Both(states, self.kept(rows)?))
    }

    /// Returns the rows of a piece. Columns that all pieces select from the same column stay deferred.
    fn kept(&self, rows: Ready) -> Result<Deferred> {
        let mut rows = rows.into_outputs()?;
        let example = self.choice.example.get_or_init(|| rows.clone());
        rows.gather_unlike(example)?;
        Ok(rows)
    }

    /// Returns the states of rows for each grouping: the keys in their order, then the states of each request.
    fn states(&self, mut rows: Ready) -> Result<Vec<Table>> {
        let (asked, replaced) = self.of.asked(&mut rows, LARGEST_SUM / MOST_PIECES)?;
        let (mut requests, mut nulls) = (Vec::with_capacity(asked.len()), Vec::with_capacity(replaced.len()));
        for (at, request) in asked.iter().enumerate() {
            if replaced.contains(&at) {
                nulls.push((requests.len(), self.of.requests[at].data_type.clone()));
            }
            requests.extend(request.states(|values| {
                rows.outputs.push(rows.outputs[values].clone().cast(DataType::Float64));
                rows.outputs.len() - 1
            }));
        }
        let grouped = |keys: &Vec<usize>| self.grouped(rows.clone(), keys, keys, &requests, &nulls);
        self.groupings.iter().map(grouped).collect()
    }

    /// Merges tables of states.
    fn merged(&self, tables: Vec<Table>, keys: &[usize]) -> Result<Table> {
        let states = whole(tables)?;
        let request = |(at, state): (usize, Request)| Request {
            values: Some(keys.len() + at),
            measure: state.measure.of_states().unwrap_or(state.measure),
            data_type: state.data_type,
        };
        let of_states = self.of.requests.iter().flat_map(|request| request.states(|values| values));
        let requests: Vec<Request> = of_states.enumerate().map(request).collect();
        let places: Vec<usize> = (0..keys.len()).collect();
        self.grouped(Ready::of_table(states), &places, keys, &requests, &[])
    }

    /// Returns the result from the states of each grouping.
    fn finished(&self, states: Vec<States>) -> Result<Table> {
        let finished = |(at, (states, keys)): (usize, (States, &Vec<usize>))| {
            let mut found = match <[Table; 1]>::try_from(states.tables) {
                Ok([only]) => only,
                Err(tables) => self.merged(tables, keys)?,
            }
            .into_columns();
            let measured = self.of.of_states(found.split_off(keys.len()))?;
            self.of.of_grouping(at, found, &measured)
        };
        whole(states.into_iter().zip(&self.groupings).enumerate().map(finished).collect::<Result<Vec<Table>>>()?)
    }

    /// Groups rows by the outputs at `places`, which have the keys with the numbers `keys`. The results of the requests
    /// with the numbers in `nulls` become nulls of the given type, because the sums that they would check fit.
    fn grouped(
        &self,
        rows: Ready,
        places: &[usize],
        keys: &[usize],
        asked: &[Request],
        nulls: &[(usize, DataType)],
    ) -> Result<Table> {
        let is_determined = |key: &usize| self.of.groupings.is_empty() && self.determined.contains(key);
        let (found, mut measured) = if keys.iter().any(is_determined) {
            let (determined, others): (Vec<usize>, Vec<usize>) =
                (0..keys.len()).partition(|at| is_determined(&keys[*at]));
            let at = |numbers: &[usize]| numbers.iter().map(|number| places[*number]).collect::<Vec<usize>>();
            let (found, measured, first) = self.of.measured_by(rows, &at(&others), &at(&determined), asked)?;
            let columns = others.iter().copied().zip(found);
            let columns = columns.chain(determined.iter().copied().zip(first.into_table()?.into_columns()));
            let mut columns: Vec<(usize, Column)> = columns.collect();
            columns.sort_by_key(|(at, _)| *at);
            (columns.into_iter().map(|(_, column)| column).collect(), measured)
        } else {
            let (numbered, found, measured) = self.of.by_numbers(rows, places, asked)?;
            match numbered.are_given() {
                true => (found, measured),
                false => (numbered.restored(found)?.into_table()?.into_columns(), measured),
            }
        };
        let count = found.first().or(measured.first()).map_or(1, Column::len);
        for (request, data_type) in nulls {
            measured[*request] = from_scalar(Literal::null(data_type), count)?;
        }
        Ok(Table::try_with_rows(found.into_iter().chain(measured).collect(), count)?)
    }
}
