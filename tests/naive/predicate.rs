//! Oracle of `predicate`.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::binaryop::BinaryOperator;

use super::binaryop::binary_operation;
use gdf_test::value::{Value, from_values, to_values};

/// The right operand of a comparison.
#[derive(Clone, Debug)]
pub enum Right {
    /// The column with the given number.
    Column(usize),
    /// The only row of an array, compared with every row.
    Literal(ArrayRef),
}

/// A condition on columns, which are given by their numbers.
#[derive(Clone, Debug)]
pub enum Condition {
    /// Compares the column with the given number with a right operand.
    Compare(usize, BinaryOperator, Right, bool),
    /// The value of the column is equal to the row of one of the arrays.
    In(usize, Vec<ArrayRef>),
    /// The text of the column begins with the given text.
    StartsWith(usize, String),
    /// The row of the column is not null.
    Valid(usize),
    /// The boolean of the column is true.
    True(usize),
    /// The condition is false.
    Not(Box<Condition>),
    /// Both conditions are true.
    And(Box<Condition>, Box<Condition>),
    /// At least one of the conditions is true.
    Or(Box<Condition>, Box<Condition>),
}

impl Condition {
    /// Returns the same condition with other column numbers.
    pub fn renumbered(&self, number: &mut dyn FnMut(usize) -> usize) -> Condition {
        let mut both = |a: &Condition, b: &Condition| {
            let a = Box::new(a.renumbered(number));
            (a, Box::new(b.renumbered(number)))
        };
        match self {
            Condition::And(a, b) => {
                let (a, b) = both(a, b);
                Condition::And(a, b)
            }
            Condition::Or(a, b) => {
                let (a, b) = both(a, b);
                Condition::Or(a, b)
            }
            Condition::Not(inner) => Condition::Not(Box::new(inner.renumbered(number))),
            Condition::Compare(left, op, right, swapped) => {
                let left = number(*left);
                let right = match right {
                    Right::Column(right) => Right::Column(number(*right)),
                    literal => literal.clone(),
                };
                Condition::Compare(left, *op, right, *swapped)
            }
            Condition::In(column, values) => Condition::In(number(*column), values.clone()),
            Condition::StartsWith(column, prefix) => Condition::StartsWith(number(*column), prefix.clone()),
            Condition::Valid(column) => Condition::Valid(number(*column)),
            Condition::True(column) => Condition::True(number(*column)),
        }
    }
}

/// Returns for each row whether the condition is true.
///
/// # Errors
/// - a text, if the oracle does not support the operands.
pub fn evaluate_predicate(columns: &[ArrayRef], condition: &Condition) -> Result<ArrayRef, String> {
    let rows: Vec<_> = truths(columns, condition)?.into_iter().map(|row| row.map(Value::Bool)).collect();
    Ok(from_values(&DataType::Boolean, &rows))
}

fn truths(columns: &[ArrayRef], condition: &Condition) -> Result<Vec<Option<bool>>, String> {
    let of_array = |array: &dyn Array| -> Vec<Option<bool>> {
        to_values(array).into_iter().map(|row| row.map(|value| value == Value::Bool(true))).collect()
    };
    let compared = |left: &ArrayRef, op, right: &ArrayRef| -> Result<_, String> {
        Ok(of_array(&binary_operation(left, right, op, &DataType::Boolean)?))
    };
    Ok(match condition {
        Condition::Compare(left, op, right, swapped) => {
            let right = match right {
                Right::Column(right) => &columns[*right],
                Right::Literal(literal) => literal,
            };
            let rows = columns[*left].len();
            if rows == 0 {
                return Ok(Vec::new());
            }
            if *swapped { compared(right, *op, &columns[*left])? } else { compared(&columns[*left], *op, right)? }
        }
        Condition::In(column, values) => {
            let mut found = vec![Some(false); columns[*column].len()];
            for value in values.iter().filter(|_| !columns[*column].is_empty()) {
                let equal = compared(&columns[*column], BinaryOperator::Equal, value)?;
                found = found.into_iter().zip(equal).map(|(a, b)| or(a, b)).collect();
            }
            found
        }
        Condition::StartsWith(column, prefix) => {
            let starts = |value: Value| value.as_bytes().is_some_and(|text| text.starts_with(prefix.as_bytes()));
            to_values(&columns[*column]).into_iter().map(|row| row.map(starts)).collect()
        }
        Condition::Valid(column) => to_values(&columns[*column]).iter().map(|row| Some(row.is_some())).collect(),
        Condition::True(column) => of_array(&columns[*column]),
        Condition::Not(inner) => truths(columns, inner)?.into_iter().map(|row| row.map(|truth| !truth)).collect(),
        Condition::And(a, b) => {
            let both = truths(columns, a)?.into_iter().zip(truths(columns, b)?);
            both.map(|(a, b)| or(a.map(|a| !a), b.map(|b| !b)).map(|either| !either)).collect()
        }
        Condition::Or(a, b) => {
            truths(columns, a)?.into_iter().zip(truths(columns, b)?).map(|(a, b)| or(a, b)).collect()
        }
    })
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}
