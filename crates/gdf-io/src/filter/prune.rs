//! Decides with statistics which parts of a file can have a row that satisfies a predicate.

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, UInt64Array};
use gdf_api::binaryop::{BinaryOperator, binary_operation};
use gdf_api::scope::with_stream;
use gdf_core::{Column, DataType, Result, Scalar, Table};
use gdf_driver::{Device, Stream};

use super::Filter;
use super::bind::values_type;
use crate::predicate::Comparison;

/// The statistics of one column.
#[derive(Clone, Debug)]
pub(crate) struct Statistics {
    /// Lower bounds of the values of each part.
    pub(crate) mins: ArrayRef,
    /// Upper bounds of the values of each part.
    pub(crate) maxes: ArrayRef,
    pub(crate) null_counts: UInt64Array,
    pub(crate) row_counts: UInt64Array,
}

impl Filter {
    /// Returns for each part whether the part may have a row that satisfies the predicate.
    pub(crate) fn may_pass(&self, parts: usize, statistics: &mut dyn FnMut(usize) -> Option<Statistics>) -> Vec<bool> {
        match self {
            Filter::Compare { column, comparison, literal } => statistics(*column)
                .and_then(|found| compare(&found, *comparison, literal).ok())
                .filter(|verdicts| verdicts.len() == parts)
                .unwrap_or_else(|| vec![true; parts]),
            Filter::Null { column, is_null } => {
                let found = statistics(*column).filter(|found| found.null_counts.len() == parts);
                let Some(found) = found else { return vec![true; parts] };
                let counts = found.null_counts.iter().zip(found.row_counts.iter());
                let may_pass = |(nulls, rows): (Option<u64>, Option<u64>)| match nulls {
                    Some(nulls) if *is_null => nulls > 0,
                    Some(nulls) => rows != Some(nulls),
                    None => true,
                };
                counts.map(may_pass).collect()
            }
            Filter::In { column, values } => statistics(*column)
                .and_then(|found| has_value_within(&found, values).ok())
                .filter(|verdicts| verdicts.len() == parts)
                .unwrap_or_else(|| vec![true; parts]),
            Filter::Expression { .. } => vec![true; parts],
            Filter::All(filters) => filters.iter().fold(vec![true; parts], |verdicts, filter| {
                both(verdicts, &filter.may_pass(parts, statistics), |a, b| a && b)
            }),
            Filter::Any(filters) => filters.iter().fold(vec![false; parts], |verdicts, filter| {
                both(verdicts, &filter.may_pass(parts, statistics), |a, b| a || b)
            }),
        }
    }
}

impl Filter {
    /// Returns how many different values of a column may satisfy the predicate, summed over the parts, or `None` if they
    /// may be many. The predicate reads only columns that have statistics.
    pub(crate) fn passing_values(
        &self,
        parts: usize,
        statistics: &mut dyn FnMut(usize) -> Option<Statistics>,
    ) -> Option<u64> {
        match self {
            Filter::Compare { column, comparison: Comparison::Eq, .. } => statistics(*column).map(|_| parts as u64),
            Filter::In { column, values } => {
                let found = statistics(*column)?;
                let is_known = found.mins.null_count() == 0 && found.maxes.null_count() == 0;
                if is_known { values_within(&found, values).ok() } else { None }
            }
            Filter::All(filters) => filters.iter().filter_map(|filter| filter.passing_values(parts, statistics)).min(),
            Filter::Any(filters) => filters
                .iter()
                .try_fold(0_u64, |sum, filter| Some(sum.saturating_add(filter.passing_values(parts, statistics)?))),
            Filter::Compare { .. } | Filter::Null { .. } | Filter::Expression { .. } => None,
        }
    }
}

fn both(a: Vec<bool>, b: &[bool], combine: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    a.into_iter().zip(b).map(|(a, b)| combine(a, *b)).collect()
}

fn compare(found: &Statistics, comparison: Comparison, literal: &Scalar) -> Result<Vec<bool>> {
    use BinaryOperator::{Greater, GreaterEqual, Less, LessEqual};
    let parts = found.mins.len();
    Ok(match comparison {
        Comparison::Lt => holds(&found.mins, Less, literal)?,
        Comparison::LtEq => holds(&found.mins, LessEqual, literal)?,
        Comparison::Gt => holds(&found.maxes, Greater, literal)?,
        Comparison::GtEq => holds(&found.maxes, GreaterEqual, literal)?,
        Comparison::Eq => {
            both(holds(&found.mins, LessEqual, literal)?, &holds(&found.maxes, GreaterEqual, literal)?, |a, b| a && b)
        }
        // Statistics can never exclude a part for `!=`.
        Comparison::Neq => vec![true; parts],
    })
}

/// Returns for each part whether a value of the sorted column lies within the bounds of the part.
fn has_value_within(found: &Statistics, values: &Table) -> Result<Vec<bool>> {
    if found.mins.is_empty() {
        return Ok(Vec::new());
    }
    let stream = Stream::cpu();
    with_stream(&stream, || {
        let (mins, maxes) = (bounds_column(&found.mins)?, bounds_column(&found.maxes)?);
        let mins = Table::try_new(vec![mins])?;
        // The first value that is not below the lower bound, or the last value if all values are below.
        let first = gdf_api::search::lower_bound(values, &mins, &[], &[])?.to_arrow(&stream)?;
        let first = arrow_cast::cast(&first, &DataType::UInt64)?;
        let last = values.num_rows() as u64;
        let is_beyond: Vec<bool> = first.as_primitive::<UInt64Type>().values().iter().map(|at| *at >= last).collect();
        let near = first.as_primitive::<UInt64Type>().unary::<_, UInt64Type>(|at| at.min(last.saturating_sub(1)));
        let near = arrow_select::take::take(&values.column(0)?.to_arrow(&stream)?, &near, None)?;
        let near = bounds_column(&near)?;
        let below = binary_operation(&near, &maxes, BinaryOperator::LessEqual, &DataType::Boolean)?;
        let below = below.to_arrow(&stream)?;
        let is_unknown = |bounds: &ArrayRef, row: usize| bounds.is_null(row);
        let nan = [is_nan(mins.column(0)?)?, is_nan(&maxes)?];
        let rows = below.as_boolean().iter().enumerate();
        Ok(rows
            .map(|(row, below)| {
                is_unknown(&found.mins, row)
                    || is_unknown(&found.maxes, row)
                    || nan.iter().flatten().any(|nan| nan[row])
                    || (!is_beyond[row] && below.unwrap_or(true))
            })
            .collect())
    })
}

/// Returns how many values of the sorted column lie within the bounds of each part, summed over the parts. No
/// bound is null.
fn values_within(found: &Statistics, values: &Table) -> Result<u64> {
    let stream = Stream::cpu();
    with_stream(&stream, || {
        let bounds = |bounds: &ArrayRef| Table::try_new(vec![bounds_column(bounds)?]);
        let (mins, maxes) = (bounds(&found.mins)?, bounds(&found.maxes)?);
        let positions = |found: Column| {
            let found = found.to_arrow(&stream)?;
            Ok::<_, gdf_core::Error>(arrow_cast::cast(&found, &DataType::UInt64)?.as_primitive::<UInt64Type>().clone())
        };
        let first = positions(gdf_api::search::lower_bound(values, &mins, &[], &[])?)?;
        let end = positions(gdf_api::search::upper_bound(values, &maxes, &[], &[])?)?;
        let bounds = first.values().iter().zip(end.values());
        Ok(bounds.map(|(first, end)| end.saturating_sub(*first)).fold(0, u64::saturating_add))
    })
}

/// Returns the bounds as a column of plain values.
fn bounds_column(bounds: &ArrayRef) -> Result<Column> {
    let mr = gdf_memory::current_resource(Device::Cpu)?;
    let bounds = match bounds.data_type() {
        DataType::Dictionary(..) => arrow_cast::cast(bounds, values_type(bounds.data_type()))?,
        _ => bounds.clone(),
    };
    Column::from_arrow(&bounds, &Stream::cpu(), mr.as_ref())
}

/// Returns for each row of a column of floats whether the row is NaN. Returns `None` for other columns.
fn is_nan(column: &Column) -> Result<Option<Vec<bool>>> {
    if !gdf_core::is_floating(column.data_type()) {
        return Ok(None);
    }
    let nan = gdf_api::unary::is_nan(column)?.to_arrow(&Stream::cpu())?;
    Ok(Some(nan.as_boolean().iter().map(|nan| nan == Some(true)).collect()))
}

/// Returns for each bound whether `bound operator literal` is true.
fn holds(bounds: &ArrayRef, operator: BinaryOperator, literal: &Scalar) -> Result<Vec<bool>> {
    if bounds.is_empty() {
        return Ok(Vec::new());
    }
    let column = bounds_column(bounds)?;
    let answer = binary_operation(&column, literal, operator, &DataType::Boolean)?.to_arrow(&Stream::cpu())?;
    let nan = is_nan(&column)?;
    let answers = answer.as_boolean().iter().enumerate();
    Ok(answers.map(|(row, answer)| answer.unwrap_or(true) || nan.as_ref().is_some_and(|nan| nan[row])).collect())
}
