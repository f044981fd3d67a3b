//! Functions that are computed for whole columns, because pipelines do not support them.

use arrow_schema::DataType;
use gdf_api::datetime::add_calendrical_months;
use gdf_api::strings::{
    Side, find, from_booleans, from_fixed_point, from_integers, pad, repeat, replace, reverse, slice, split_part,
    strip, to_floats, to_integers,
};
use gdf_core::{Column, Table, is_decimal, is_floating};
use gdf_expr::{Expr, col};

use super::deferred::Deferred;
use super::{Node, Rows, Run};
use crate::error::Result;

/// The first position that stands for the result of a call that is not computed yet.
pub const FIRST_CALL: usize = 1 << 41;

/// The white space that is ignored before and after numbers, as in DataFusion.
const WHITE_SPACE: &str = " \t\n\r\x0c";

/// A function of a column of text, dates or timestamps, or a conversion between text and other types.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnFunction {
    /// Removes characters from the ends of each text.
    Strip {
        /// The ends.
        side: Side,
        /// The characters.
        characters: String,
    },
    /// Replaces each occurrence of a text.
    Replace {
        /// The text that is replaced.
        target: String,
        /// The text in its place.
        replacement: String,
    },
    /// The position of the given text in characters, counted from 0. The result is -1 if the text does not occur.
    Find(String),
    /// Reverses the characters of each text.
    Reverse,
    /// Repeats each text this number of times.
    Repeat(i64),
    /// Pads each text to `width` characters on one side, and cuts longer texts to `width` characters.
    Pad {
        /// The side on which characters are added.
        side: Side,
        /// The number of characters of the results.
        width: i64,
        /// The character that is added.
        fill: char,
    },
    /// The part with this index, or null if there is no such part. Negative indices count from the end.
    SplitPart {
        /// The text between the parts.
        delimiter: String,
        /// The index, counted from 0.
        index: i64,
    },
    /// Adds a number of months to dates or timestamps.
    AddMonths(i32),
    /// Formats booleans, integers or decimals as text.
    ToText,
    /// Parses text as integers or floats. The result is null if the text is not a number.
    Parse(DataType),
    /// Casts from text or to text with arrow-rs on the host, as DataFusion does. The result is null if the cast fails.
    #[cfg(feature = "host-cast")]
    HostCast(DataType),
}

impl ColumnFunction {
    fn run(&self, column: &Column) -> Result<Column> {
        Ok(match self {
            Self::Strip { side, characters } => strip(column, *side, characters.as_str())?,
            Self::Replace { target, replacement } => replace(column, target.as_str(), replacement.as_str(), None)?,
            Self::Find(target) => find(column, target.as_str(), 0, None)?,
            Self::Reverse => reverse(column)?,
            Self::Repeat(count) => repeat(column, *count)?,
            Self::Pad { side, width, fill } => slice(&pad(column, *width, *side, *fill)?, 0_i64, *width, 1_i64)?,
            Self::SplitPart { delimiter, index } => split_part(column, delimiter.as_str(), *index)?,
            Self::AddMonths(months) => add_calendrical_months(column, *months)?,
            Self::ToText => match column.data_type() {
                DataType::Boolean => from_booleans(column, "true", "false")?,
                data_type if is_decimal(data_type) => from_fixed_point(column)?,
                _ => from_integers(column)?,
            },
            #[cfg(feature = "host-cast")]
            Self::HostCast(data_type) => host_cast(column, data_type)?,
            Self::Parse(data_type) => {
                let texts = strip(column, Side::Both, WHITE_SPACE)?;
                if is_floating(data_type) { to_floats(&texts, data_type)? } else { to_integers(&texts, data_type)? }
            }
        })
    }
}

#[cfg(feature = "host-cast")]
fn host_cast(column: &Column, data_type: &DataType) -> Result<Column> {
    use arrow_array::RecordBatch;
    use arrow_cast::{CastOptions, cast_with_options};

    let options = CastOptions { safe: true, ..CastOptions::default() };
    let array = cast_with_options(&column.to_array()?, data_type, &options)?;
    let batch = RecordBatch::try_from_iter_with_nullable([("cast", array, true)])?;
    Ok(Table::from_batch(&batch)?.into_columns().swap_remove(0))
}

/// A call of a function with one argument. The argument may contain results of earlier calls.
#[derive(Clone, Debug)]
pub struct ColumnCall {
    /// The function.
    pub function: ColumnFunction,
    /// The argument.
    pub argument: Expr,
    /// The type of the result.
    pub data_type: DataType,
}

/// The outputs of rows, followed by the results of functions. A call is a function, and the position of its argument
/// among the outputs.
#[derive(Clone, Debug)]
pub struct Computed {
    pub(super) rows: Rows,
    pub(super) calls: Vec<(ColumnFunction, usize)>,
}

impl Computed {
    pub(super) fn run(&self, run: &Run<'_>) -> Result<Deferred> {
        self.of(run.node(&self.rows.input)?, run)
    }

    /// Returns the result for rows of the input.
    pub(super) fn of(&self, input: Deferred, run: &Run<'_>) -> Result<Deferred> {
        let mut rows = self.rows.of(input, run)?.into_outputs()?;
        let arguments: Vec<Expr> = self.calls.iter().map(|(_, argument)| col(*argument)).collect();
        let table = rows.projected(&arguments)?.into_table()?;
        let mut columns = Vec::with_capacity(self.calls.len());
        for ((function, _), argument) in self.calls.iter().zip(table.columns()) {
            run.check_canceled()?;
            columns.push(function.run(argument)?);
        }
        let results = Table::try_with_rows(columns, rows.num_rows())?;
        rows.beside(results.into())
    }
}

/// Adds the results of calls after the outputs of rows, and returns their positions. All calls whose arguments are
/// known are computed together. The calls that read their results follow.
///
/// # Errors
/// * [`Error::Operation`](crate::Error::Operation): an argument is too deep, or reads an output that does not exist.
pub fn compute(rows: &mut Rows, calls: &[ColumnCall]) -> Result<Vec<usize>> {
    let mut places: Vec<Option<usize>> = vec![None; calls.len()];
    while places.iter().any(Option::is_none) {
        let is_ready = |call: &ColumnCall| {
            let columns = call.argument.columns();
            columns.iter().filter_map(|at| at.checked_sub(FIRST_CALL)).all(|at| places[at].is_some())
        };
        let ready: Vec<usize> = (0..calls.len()).filter(|at| places[*at].is_none() && is_ready(&calls[*at])).collect();
        let arguments = ready.iter().map(|at| resolved(&calls[*at].argument, &places)).collect::<Result<Vec<_>>>()?;
        let arguments = rows.append(&arguments, &[])?;
        let width = rows.outputs.len();
        let functions = ready.iter().zip(arguments).map(|(at, argument)| (calls[*at].function.clone(), argument));
        let computed = Computed { rows: std::mem::replace(rows, Rows::empty()), calls: functions.collect() };
        *rows = Rows::all(Node::Computed(Box::new(computed)), width + ready.len());
        for (result, at) in ready.iter().enumerate() {
            places[*at] = Some(width + result);
        }
    }
    Ok(places.into_iter().flatten().collect())
}

/// Replaces the results of calls in an expression by columns. `places` has the position of each result.
///
/// # Errors
/// * [`Error::Operation`](crate::Error::Operation): the expression is too deep, or reads a result without a position.
pub fn resolved(expression: &Expr, places: &[Option<usize>]) -> Result<Expr> {
    let column = |position: usize| match position.checked_sub(FIRST_CALL) {
        None => Ok(col(position)),
        Some(call) => match places.get(call) {
            Some(Some(place)) => Ok(col(*place)),
            _ => Err(gdf_core::Error::internal("the result of a call is used before it is computed")),
        },
    };
    Ok(expression.substitute(column)?)
}
