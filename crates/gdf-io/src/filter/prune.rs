//! Decides with statistics which parts of a file can have a row that satisfies a predicate.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, UInt64Array};
use gdf_api::binaryop::{BinaryOperator, binary_operation};
use gdf_core::{Column, DataType, Result, Scalar};
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
            Filter::And(a, b) => both(a.may_pass(parts, statistics), &b.may_pass(parts, statistics), |a, b| a && b),
            Filter::Or(a, b) => both(a.may_pass(parts, statistics), &b.may_pass(parts, statistics), |a, b| a || b),
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

/// Returns for each bound whether `bound operator literal` is true.
fn holds(bounds: &ArrayRef, operator: BinaryOperator, literal: &Scalar) -> Result<Vec<bool>> {
    let stream = Stream::cpu();
    let mr = gdf_memory::current_resource(Device::Cpu)?;
    if bounds.is_empty() {
        return Ok(Vec::new());
    }
    let bounds = match bounds.data_type() {
        DataType::Dictionary(..) => arrow_cast::cast(bounds, values_type(bounds.data_type()))?,
        _ => bounds.clone(),
    };
    let column = Column::from_arrow(&bounds, &stream, mr.as_ref())?;
    let answer = binary_operation(&column, literal, operator, &DataType::Boolean)?.to_arrow(&stream)?;
    let nan = if gdf_core::is_floating(column.data_type()) {
        Some(gdf_api::unary::is_nan(&column)?.to_arrow(&stream)?)
    } else {
        None
    };
    let is_nan = |row: usize| nan.as_ref().is_some_and(|nan| nan.is_valid(row) && nan.as_boolean().value(row));
    let answers = answer.as_boolean().iter().enumerate();
    Ok(answers.map(|(row, answer)| answer.unwrap_or(true) || is_nan(row)).collect())
}
