//! Checks for rows in which a query must fail, but the operations of gdf would return null or wrap.

use arrow_schema::{ArrowError, DataType};
use gdf_api::binaryop::{
    ArithmeticPolicy, BinaryOperator, OverflowPolicy, ZeroDivisionPolicy, binary_operation_checked,
};
use gdf_api::reduction::StoredRange;
use gdf_core::{Column, Table, is_decimal, numbers_of_order};
use gdf_expr::{Expr, Graph, Input, NodeId, Operation, Value};

use super::deferred::Deferred;
use crate::error::{Error, Result};

/// A check of rows, which makes a plan fail.
#[derive(Clone, Debug)]
pub enum Check {
    /// The plan fails with `problem` if `condition` is true in a row.
    Never {
        /// The condition.
        condition: Expr,
        /// The reason of the error.
        problem: Problem,
    },
    /// The plan fails if a result of decimal arithmetic does not fit `data_type`.
    Fits {
        /// The condition for the rows that are checked, or `None` for all rows.
        guard: Option<Expr>,
        /// The operator.
        op: BinaryOperator,
        /// The left and the right operand.
        operands: [Expr; 2],
        /// The type of the result.
        data_type: DataType,
    },
}

/// The error for a row in which the condition of a check is true.
#[derive(Clone, Debug)]
pub enum Problem {
    /// A divisor is zero.
    DivideByZero,
    /// A value has no representation in this type.
    CastOverflow(DataType),
    /// The function with this name is not defined for a value.
    OutOfDomain(&'static str),
}

impl Problem {
    fn error(&self) -> Error {
        match self {
            Problem::DivideByZero => ArrowError::DivideByZero.into(),
            Problem::CastOverflow(data_type) => Error::CastOverflow(data_type.clone()),
            Problem::OutOfDomain(function) => Error::OutOfDomain(function),
        }
    }
}

impl Check {
    /// Limits the check to rows in which `by` is true.
    #[must_use]
    pub fn guarded(self, by: &Expr) -> Check {
        match self {
            Check::Never { condition, problem } => Check::Never { condition: by.clone().and(condition), problem },
            Check::Fits { guard, op, operands, data_type } => {
                let guard = guard.map_or_else(|| by.clone(), |guard| by.clone().and(guard));
                Check::Fits { guard: Some(guard), op, operands, data_type }
            }
        }
    }

    /// Returns a copy of the check with the result of `of` for each expression.
    ///
    /// # Errors
    /// * The first error of `of`.
    pub fn try_map(&self, of: impl Fn(&Expr) -> Result<Expr>) -> Result<Check> {
        Ok(match self {
            Check::Never { condition, problem } => Check::Never { condition: of(condition)?, problem: problem.clone() },
            Check::Fits { guard, op, operands: [left, right], data_type } => Check::Fits {
                guard: guard.as_ref().map(&of).transpose()?,
                op: *op,
                operands: [of(left)?, of(right)?],
                data_type: data_type.clone(),
            },
        })
    }

    /// Checks rows, and returns the error of the check if a row fails.
    pub(super) fn run(&self, rows: &mut Deferred) -> Result<()> {
        match self {
            Check::Never { condition, problem } => {
                let condition = std::slice::from_ref(condition);
                match rows.narrow(condition)?.pipeline(condition)?.count()? {
                    0 => Ok(()),
                    _ => Err(problem.error()),
                }
            }
            Check::Fits { guard, op, operands, data_type } => {
                let narrow = rows.narrow(operands)?;
                let of_table = narrow.expressions(operands)?;
                let [left, right] = of_table.as_slice() else {
                    return Err(Error::internal("a check has fewer than 2 operands"));
                };
                if is_in_range(&narrow.table, left.clone().binary(*op, right.clone()))? {
                    return Ok(());
                }
                let narrow = rows.narrow(operands.iter().chain(guard))?;
                let rows = narrow.pipeline(guard.as_slice())?;
                let operands = rows.project(&narrow.expressions(operands)?)?;
                checked(operands.column(0)?, operands.column(1)?, *op, data_type).map(|_| ())
            }
        }
    }
}

/// Computes decimal arithmetic whose results must fit `data_type`.
pub(super) fn checked(left: &Column, right: &Column, op: BinaryOperator, data_type: &DataType) -> Result<Column> {
    let policy = ArithmeticPolicy { overflow: OverflowPolicy::Error, zero_division: ZeroDivisionPolicy::Null };
    match binary_operation_checked(left, right, op, data_type, policy) {
        Err(gdf_core::Error::InvalidData { .. }) => {
            let what = format!("a result does not fit {data_type}; cast the operands to decimals with fewer digits");
            Err(ArrowError::ArithmeticOverflow(what).into())
        }
        other => Ok(other?),
    }
}

/// Returns whether no part of an expression can overflow, by the smallest and the largest values of the columns.
fn is_in_range(table: &Table, expression: Expr) -> Result<bool> {
    let (graph, node) = with_ranges(table, &expression)?;
    // An operation whose result may wrap has the whole range of its type, if the type has 32 or 64 bits.
    let may_wrap = |id: NodeId| match graph.node(id).data_type {
        DataType::Decimal32(..) => graph.range(id) == Some((i32::MIN.into(), i32::MAX.into())),
        DataType::Decimal64(..) => graph.range(id) == Some((i64::MIN.into(), i64::MAX.into())),
        _ => false,
    };
    let operations = graph.reachable(&[node]).into_iter();
    let mut operations = operations.filter(|id| matches!(graph.node(*id).operation, Operation::Binary(_)));
    Ok(graph.range(node).is_some() && !operations.any(may_wrap))
}

/// Binds an expression to columns whose ranges are known.
fn with_ranges(table: &Table, expression: &Expr) -> Result<(Graph, NodeId)> {
    let used = expression.columns();
    let mut inputs = Vec::with_capacity(table.num_columns());
    for (position, column) in table.columns().iter().enumerate() {
        let range = match used.contains(&position) && is_decimal(column.data_type()) {
            true => range_of(column)?,
            false => None,
        };
        inputs.push(Input { data_type: column.data_type().clone(), nullable: true, range });
    }
    let mut graph = Graph::new(inputs);
    let node = graph.bind(expression)?;
    Ok((graph, node))
}

/// A sum of decimals of at most this size has at most 38 digits. The limit is lower than 10³⁸, because the comparison of
/// floats is inexact.
pub(super) const LARGEST_SUM: f64 = 9.9e37;

/// Returns whether a sum of values of an expression is surely at most `most`, and at least `-most`, by the smallest and
/// the largest values of the columns.
pub(super) fn sum_is_within(table: &Table, expression: &Expr, most: f64) -> Result<bool> {
    if !is_in_range(table, expression.clone())? {
        return Ok(false);
    }
    let (graph, node) = with_ranges(table, expression)?;
    let Some((low, high)) = graph.range(node) else { return Ok(false) };
    let largest = low.unsigned_abs().max(high.unsigned_abs()) as f64 * table.num_rows() as f64;
    Ok(largest <= most)
}

/// Returns numbers between which all values of a column of decimals lie.
pub(super) fn range_of(column: &Column) -> Result<Option<(i128, i128)>> {
    if column.is_empty() {
        return Ok(Some((0, 0)));
    }
    if let Some(stored) = column.view().outer_bounds() {
        return Ok(stored.map_or(Some((0, 0)), |bounds| numbers_of_order(bounds, column.data_type())));
    }
    let range = column.value_range()?;
    match range.numbers {
        None if Value::from_scalar(&range.min)?.is_null() => Ok(Some((0, 0))),
        numbers => Ok(numbers),
    }
}
