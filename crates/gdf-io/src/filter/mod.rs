//! Conditions that are bound to the columns of a file.

mod bind;
mod expression;
mod number;
#[cfg(feature = "parquet")]
mod prune;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, UInt64Array, new_empty_array, new_null_array};
use arrow_buffer::BooleanBuffer;
use gdf_api::binaryop::{BinaryOperator, binary_operation};
use gdf_api::predicate::{Predicate, evaluate_predicate};
use gdf_api::scope::with_stream;
use gdf_api::transform::compute_column;
use gdf_core::{Column, DataType, Result, Scalar, Table};
use gdf_driver::{Device, Stream};
use gdf_expr::Expr;
use gdf_memory::ResourceRef;

use crate::predicate::Comparison;

#[cfg(feature = "parquet")]
pub(crate) use prune::Statistics;

/// A predicate that is bound to columns. Its values are on the CPU.
///
/// There is no negation, so a condition that is null and one that is false select the same rows.
#[derive(Debug)]
pub(crate) enum Filter {
    Compare {
        column: usize,
        comparison: Comparison,
        literal: Box<Scalar>,
    },
    /// The value equals a value of a sorted column without nulls and without NaN.
    In {
        column: usize,
        values: Table,
    },
    Null {
        column: usize,
        is_null: bool,
    },
    /// Any other condition, over the columns with these places. There is at least one column.
    Expression {
        columns: Vec<usize>,
        condition: Expr,
    },
    All(Vec<Filter>),
    Any(Vec<Filter>),
}

/// A column of a batch.
enum Input {
    Plain(Column),
    /// A dictionary. The last value is null, and each null row has its key.
    Coded {
        keys: Vec<usize>,
        values: Column,
    },
}

impl Input {
    fn of(array: &ArrayRef) -> Result<Input> {
        let (stream, mr) = (Stream::cpu(), gdf_memory::current_resource(Device::Cpu)?);
        let column = |array: &ArrayRef| Column::from_arrow(array, &stream, mr.as_ref());
        let DataType::Dictionary(_, values_type) = array.data_type() else { return column(array).map(Input::Plain) };
        let dictionary = array.as_any_dictionary();
        // A dictionary without values has only null rows, whose keys are those of no value.
        if dictionary.values().len() > array.len() || dictionary.values().is_empty() {
            return column(&arrow_cast::cast(array, values_type)?).map(Input::Plain);
        }
        let null = new_null_array(values_type, 1);
        let values = arrow_select::concat::concat(&[dictionary.values().as_ref(), null.as_ref()])?;
        let mut keys = dictionary.normalized_keys();
        if let Some(nulls) = dictionary.keys().nulls().filter(|_| !keys.is_empty()) {
            let rows = keys.iter_mut().zip(nulls.iter());
            rows.filter(|(_, valid)| !valid).for_each(|(key, _)| *key = values.len() - 1);
        }
        Ok(Input::Coded { keys, values: column(&values)? })
    }

    /// Returns the input with a row for each row of the batch.
    fn decoded(&self) -> Result<Input> {
        let Input::Coded { keys, values } = self else { return Ok(Input::Plain(self.column().clone())) };
        let (stream, mr) = (Stream::cpu(), gdf_memory::current_resource(Device::Cpu)?);
        let keys: UInt64Array = keys.iter().map(|key| Some(*key as u64)).collect();
        let rows = arrow_select::take::take(&values.to_arrow(&stream)?, &keys, None)?;
        Column::from_arrow(&rows, &stream, mr.as_ref()).map(Input::Plain)
    }

    /// Returns the column with a row for each row of the batch, or for each value of the dictionary.
    fn column(&self) -> &Column {
        match self {
            Input::Plain(column) | Input::Coded { values: column, .. } => column,
        }
    }
}

impl Filter {
    /// Evaluates the predicate for each row of a batch. Conditions on a dictionary are evaluated once for each of its
    /// values.
    pub(crate) fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        if batch.num_rows() == 0 {
            return Ok(new_empty_array(&DataType::Boolean).as_boolean().clone());
        }
        let inputs = batch.columns().iter().map(Input::of).collect::<Result<Vec<_>>>()?;
        // The rows are few and on the CPU, so the predicate runs on the CPU.
        let bits = with_stream(&Stream::cpu(), || self.bits(&inputs, batch.num_rows()))?;
        Ok(BooleanArray::new(bits, None))
    }

    /// Returns for each row whether the condition is true.
    fn bits(&self, inputs: &[Input], rows: usize) -> Result<BooleanBuffer> {
        match self.place() {
            Place::Nowhere => return Ok(BooleanBuffer::new_unset(rows)),
            Place::Column(column) => match &inputs[column] {
                Input::Plain(_) => {}
                Input::Coded { keys, values } => {
                    let of_values = self.of_columns(inputs, values.len())?;
                    return Ok(BooleanBuffer::collect_bool(keys.len(), |row| of_values.value(keys[row])));
                }
            },
            Place::Several => {
                let is_coded = |input: &Input| matches!(input, Input::Coded { .. });
                let (Filter::All(filters) | Filter::Any(filters)) = self else {
                    let decoded = inputs.iter().map(Input::decoded).collect::<Result<Vec<_>>>()?;
                    return self.of_columns(&decoded, rows);
                };
                if inputs.iter().any(is_coded) {
                    let is_all = matches!(self, Filter::All(_));
                    return together(filters.iter().map(|filter| filter.bits(inputs, rows)), is_all, rows);
                }
            }
        }
        self.of_columns(inputs, rows)
    }

    /// Evaluates the condition for columns of `rows` rows on the CPU.
    fn of_columns(&self, inputs: &[Input], rows: usize) -> Result<BooleanBuffer> {
        match self.truth(inputs)? {
            Some(truth) => bits_of(&truth),
            None => Ok(BooleanBuffer::new_unset(rows)),
        }
    }

    /// Returns a column that is true in the rows of the inputs that satisfy the condition, or `None` if there are none.
    /// The inputs and the values of the condition are on one device.
    fn truth(&self, inputs: &[Input]) -> Result<Option<Column>> {
        match self {
            Filter::In { column, values } => {
                gdf_api::search::contains(values.column(0)?, inputs[*column].column()).map(Some)
            }
            Filter::Expression { columns, condition } => {
                let columns = columns.iter().map(|column| inputs[*column].column().clone()).collect();
                compute_column(&Table::try_new(columns)?, condition).map(Some)
            }
            Filter::All(filters) | Filter::Any(filters) if self.is_apart() => {
                let (sets, others): (Vec<_>, Vec<_>) = filters.iter().partition(|filter| filter.is_apart());
                let is_all = matches!(self, Filter::All(_));
                let mut truths = sets.iter().map(|filter| filter.truth(inputs)).collect::<Result<Vec<_>>>()?;
                if !others.is_empty() {
                    let others = joined(&others, inputs, is_all);
                    truths.push(others.map(|predicate| evaluate_predicate(&predicate)).transpose()?);
                }
                combined(truths, is_all)
            }
            _ => self.predicate(inputs).map(|predicate| evaluate_predicate(&predicate)).transpose(),
        }
    }

    /// Returns a column that is true in the rows that satisfy the predicate, or `None` if there are none. `columns` are
    /// columns of values on the device of the stream.
    pub(crate) fn mask(&self, columns: &[Column], stream: &Stream, mr: ResourceRef<'_>) -> Result<Option<Column>> {
        let inputs: Vec<Input> = columns.iter().cloned().map(Input::Plain).collect();
        with_stream(stream, || self.copied_to(stream, mr)?.truth(&inputs))
    }

    /// Returns the same predicate with its values on the device of the stream.
    fn copied_to(&self, stream: &Stream, mr: ResourceRef<'_>) -> Result<Filter> {
        let copied =
            |filters: &[Filter]| filters.iter().map(|filter| filter.copied_to(stream, mr)).collect::<Result<Vec<_>>>();
        Ok(match self {
            Filter::Compare { column, comparison, literal } => {
                let literal = Scalar::from_column(literal.column().copy_to(stream, mr)?)?;
                Filter::Compare { column: *column, comparison: *comparison, literal: literal.into() }
            }
            Filter::In { column, values } => {
                Filter::In { column: *column, values: Table::try_new(vec![values.column(0)?.copy_to(stream, mr)?])? }
            }
            Filter::Null { column, is_null } => Filter::Null { column: *column, is_null: *is_null },
            Filter::Expression { columns, condition } => {
                Filter::Expression { columns: columns.clone(), condition: condition.clone() }
            }
            Filter::All(filters) => Filter::All(copied(filters)?),
            Filter::Any(filters) => Filter::Any(copied(filters)?),
        })
    }

    /// Returns whether a part of the condition is evaluated apart from the predicate of the others.
    fn is_apart(&self) -> bool {
        match self {
            Filter::In { .. } | Filter::Expression { .. } => true,
            Filter::All(filters) | Filter::Any(filters) => filters.iter().any(Filter::is_apart),
            Filter::Compare { .. } | Filter::Null { .. } => false,
        }
    }

    /// Returns which columns the condition reads.
    fn place(&self) -> Place {
        match self {
            Filter::Compare { column, .. } | Filter::In { column, .. } | Filter::Null { column, .. } => {
                Place::Column(*column)
            }
            Filter::Expression { columns, .. } => match columns.as_slice() {
                [column] => Place::Column(*column),
                _ => Place::Several,
            },
            Filter::All(filters) | Filter::Any(filters) => {
                filters.iter().fold(Place::Nowhere, |place, filter| match (place, filter.place()) {
                    (Place::Nowhere, one) | (one, Place::Nowhere) => one,
                    (Place::Column(one), Place::Column(other)) if one == other => Place::Column(one),
                    _ => Place::Several,
                })
            }
        }
    }

    /// Returns the condition as a predicate of comparisons, or `None` if the condition is never true.
    fn predicate<'a>(&'a self, inputs: &'a [Input]) -> Option<Predicate<'a>> {
        Some(match self {
            Filter::Compare { column, comparison, literal } => {
                let (lhs, rhs) = (inputs[*column].column(), literal.as_ref());
                match comparison {
                    Comparison::Eq => Predicate::eq(lhs, rhs),
                    Comparison::Neq => Predicate::ne(lhs, rhs),
                    Comparison::Lt => Predicate::lt(lhs, rhs),
                    Comparison::LtEq => Predicate::le(lhs, rhs),
                    Comparison::Gt => Predicate::gt(lhs, rhs),
                    Comparison::GtEq => Predicate::ge(lhs, rhs),
                }
            }
            Filter::Null { column, is_null: true } => Predicate::is_null(inputs[*column].column()),
            Filter::Null { column, is_null: false } => Predicate::is_not_null(inputs[*column].column()),
            Filter::All(filters) | Filter::Any(filters) => {
                return joined(&filters.iter().collect::<Vec<_>>(), inputs, matches!(self, Filter::All(_)));
            }
            Filter::In { .. } | Filter::Expression { .. } => return None,
        })
    }
}

/// The columns that a condition reads.
enum Place {
    Nowhere,
    Column(usize),
    Several,
}

/// Joins conditions that are predicates. Returns `None` if the result is never true.
fn joined<'a>(filters: &[&'a Filter], inputs: &'a [Input], is_all: bool) -> Option<Predicate<'a>> {
    let mut predicates = filters.iter().map(|filter| filter.predicate(inputs));
    if is_all {
        return predicates.collect::<Option<Vec<_>>>()?.into_iter().reduce(Predicate::and);
    }
    predicates.by_ref().flatten().reduce(Predicate::or)
}

/// Combines the columns of several conditions. A condition without a column is true in no row.
fn combined(truths: Vec<Option<Column>>, is_all: bool) -> Result<Option<Column>> {
    let operation = if is_all { BinaryOperator::NullLogicalAnd } else { BinaryOperator::NullLogicalOr };
    if is_all && truths.iter().any(Option::is_none) {
        return Ok(None);
    }
    let mut all: Option<Column> = None;
    for truth in truths.into_iter().flatten() {
        all = Some(match all {
            None => truth,
            Some(before) => binary_operation(&before, &truth, operation, &DataType::Boolean)?,
        });
    }
    Ok(all)
}

/// Combines the bits of several conditions. Without conditions, no row passes.
fn together(bits: impl Iterator<Item = Result<BooleanBuffer>>, is_all: bool, rows: usize) -> Result<BooleanBuffer> {
    let mut all: Option<BooleanBuffer> = None;
    for bits in bits {
        let bits = bits?;
        all = Some(match all {
            None => bits,
            Some(before) if is_all => &before & &bits,
            Some(before) => &before | &bits,
        });
    }
    Ok(all.unwrap_or_else(|| BooleanBuffer::new_unset(rows)))
}

/// Returns the rows of a boolean column that are true.
fn bits_of(mask: &Column) -> Result<BooleanBuffer> {
    let mask = mask.to_arrow(&Stream::cpu())?;
    let mask = mask.as_boolean();
    Ok(match mask.nulls() {
        Some(nulls) => mask.values() & nulls.inner(),
        None => mask.values().clone(),
    })
}
