//! Predicates that are bound to the columns of a file.

mod bind;
mod number;
#[cfg(feature = "parquet")]
mod prune;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray, RecordBatch, new_empty_array};
use gdf_api::predicate::{Predicate, evaluate_predicate};
use gdf_api::scope::with_stream;
use gdf_core::{Column, DataType, Result, Scalar};
use gdf_driver::{Device, Stream};

use crate::predicate::Comparison;

#[cfg(feature = "parquet")]
pub(crate) use prune::Statistics;

/// A predicate that is evaluated on the CPU.
#[derive(Debug)]
pub(crate) enum Filter {
    Compare { column: usize, comparison: Comparison, literal: Box<Scalar> },
    Null { column: usize, is_null: bool },
    And(Box<Filter>, Box<Filter>),
    Or(Box<Filter>, Box<Filter>),
}

impl Filter {
    /// Evaluates the predicate for each row of a batch.
    pub(crate) fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        if batch.num_rows() == 0 {
            return Ok(new_empty_array(&DataType::Boolean).as_boolean().clone());
        }
        let stream = Stream::cpu();
        let mr = gdf_memory::current_resource(Device::Cpu)?;
        let columns = batch.columns().iter().map(|array| {
            let array = match array.data_type() {
                DataType::Dictionary(_, values) => arrow_cast::cast(array, values)?,
                _ => array.clone(),
            };
            Column::from_arrow(&array, &stream, mr.as_ref())
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        // The rows are few and on the CPU, so the predicate runs on the CPU.
        let mask = with_stream(&stream, || evaluate_predicate(&self.predicate(&columns)))?;
        let mask = mask.to_arrow(&stream)?;
        Ok(without_nulls(mask.as_boolean()))
    }

    fn predicate<'a>(&'a self, columns: &'a [Column]) -> Predicate<'a> {
        match self {
            Filter::Compare { column, comparison, literal } => {
                let (lhs, rhs) = (&columns[*column], literal.as_ref());
                match comparison {
                    Comparison::Eq => Predicate::eq(lhs, rhs),
                    Comparison::Neq => Predicate::ne(lhs, rhs),
                    Comparison::Lt => Predicate::lt(lhs, rhs),
                    Comparison::LtEq => Predicate::le(lhs, rhs),
                    Comparison::Gt => Predicate::gt(lhs, rhs),
                    Comparison::GtEq => Predicate::ge(lhs, rhs),
                }
            }
            Filter::Null { column, is_null: true } => Predicate::is_null(&columns[*column]),
            Filter::Null { column, is_null: false } => Predicate::is_not_null(&columns[*column]),
            Filter::And(a, b) => a.predicate(columns).and(b.predicate(columns)),
            Filter::Or(a, b) => a.predicate(columns).or(b.predicate(columns)),
        }
    }
}

fn without_nulls(mask: &BooleanArray) -> BooleanArray {
    match mask.nulls() {
        Some(nulls) => BooleanArray::new(mask.values() & nulls.inner(), None),
        None => mask.clone(),
    }
}
