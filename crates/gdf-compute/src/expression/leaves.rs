//! Computes nodes as whole columns by calling operations on columns.

use gdf_core::{Column, DataType, Error, Literal, Operand, Result, TableView};
use gdf_engine::choose::{Condition, choose_inputs, chooses};
use gdf_engine::elementwise::Nulls;
use gdf_engine::operand::Literals;
use gdf_engine::policy::{ArithmeticPolicy, OverflowPolicy};
use gdf_expr::{BinaryOperator, Graph, NodeId, Operation, Value};

use super::Functions;
use super::program::Output;
use crate::Ctx;
use crate::binaryop::binary_operation;
use crate::binaryop::binary_operation_checked;
use crate::copying::copy_if_else;
use crate::lists::{cast_nested, may_share_values};
use crate::unary;
use crate::vouch::gather_column;

#[derive(Clone, Debug)]
pub(super) enum Argument<'a> {
    Column(Column),
    /// A column in scratch memory.
    Computed(Column),
    Literal(&'a Value),
}

impl Argument<'_> {
    fn operand(&self) -> Result<Operand<'_>> {
        Ok(match self {
            Argument::Column(column) | Argument::Computed(column) => Operand::Column(column.view()),
            Argument::Literal(value) => Operand::Literal(value.literal()?),
        })
    }

    fn column(&self, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
        match self {
            Argument::Column(column) | Argument::Computed(column) => Ok(column.clone()),
            Argument::Literal(value) => repeated(value, rows, ctx),
        }
    }
}

pub(super) fn repeated(value: &Value, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    Column::full_on(value.literal()?, rows, ctx.stream, ctx.mr.output)
}

pub(super) fn empty(output: &Output, ctx: Ctx<'_>) -> Result<Column> {
    Column::empty_on(&output.data_type, ctx.stream.device())
}

/// Computes the node `id`.
pub(super) fn compute(
    graph: &Graph,
    id: NodeId,
    arguments: &[Argument<'_>],
    rows: usize,
    functions: &dyn Functions,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let node = graph.node(id);
    let scratch = ctx.scratch();
    if graph.may_overflow(id) {
        return exact(graph, id, arguments, rows, ctx);
    }
    let first =
        || arguments.first().ok_or_else(|| Error::internal("the operation has no arguments"))?.column(rows, scratch);
    match &node.operation {
        Operation::Unary(op) => unary::unary_operation(first()?.view(), *op, ctx),
        Operation::Binary(op) => match arguments {
            [Argument::Literal(_), rhs @ Argument::Literal(_)] => {
                binary_operation(first()?.view().into(), rhs.operand()?, *op, &node.data_type, ctx)
            }
            [lhs, rhs] => binary_operation(lhs.operand()?, rhs.operand()?, *op, &node.data_type, ctx),
            _ => Err(Error::internal("a binary operator does not have two operands")),
        },
        Operation::Cast => match arguments {
            [Argument::Column(column)] => functions.cast(column.view(), &node.data_type, ctx),
            // The result of a cast may share the memory of the input.
            _ => {
                let result = functions.cast(first()?.view(), &node.data_type, scratch)?;
                result.deep_copy(ctx.stream, ctx.mr.output)
            }
        },
        Operation::IsNull => crate::unary::is_null(first()?.view(), ctx),
        Operation::IsIn(list) => functions.is_in(first()?.view(), list, ctx),
        Operation::IsKey(set) => {
            let columns =
                arguments.iter().map(|argument| argument.column(rows, scratch)).collect::<Result<Vec<_>>>()?;
            let columns = columns.iter().map(Column::view).collect();
            functions.is_key(&TableView::try_with_rows(columns, rows)?, set, ctx)
        }
        Operation::Case => match coded(arguments, &node.data_type) {
            Some((codes, texts)) => {
                let coded = arguments.iter().zip(&codes);
                let coded = coded.map(|(argument, code)| code.as_ref().map_or(argument.clone(), Argument::Literal));
                let codes = case(&coded.collect::<Vec<_>>(), rows, &DataType::Int8, scratch)?;
                gather_column(text_column(&texts, &node.data_type, scratch)?.view(), codes.view(), ctx)
            }
            None => case(arguments, rows, &node.data_type, ctx),
        },
        Operation::Coalesce => {
            let (last, rest) =
                arguments.split_last().ok_or_else(|| Error::internal("the COALESCE expression has no values"))?;
            let mut result = last.clone();
            for (at, value) in rest.iter().enumerate().rev() {
                let value = value.column(rows, scratch)?;
                let ctx = if at == 0 { ctx } else { scratch };
                let condition = Condition::Valid(value.view());
                let value = Argument::Column(value.clone());
                result = Argument::Column(chosen(&value, &result, condition, &node.data_type, ctx)?);
            }
            result.column(rows, ctx)
        }
        Operation::Call(function) => {
            let has_column = arguments.iter().any(|argument| !matches!(argument, Argument::Literal(_)));
            let own = if has_column { None } else { Some(first()?) };
            let mut operands = arguments.iter().map(Argument::operand).collect::<Result<Vec<_>>>()?;
            if let (Some(column), Some(first)) = (&own, operands.first_mut()) {
                *first = Operand::Column(column.view());
            }
            // The result must not share memory with an argument that is in scratch memory.
            let is_shared = function.shares_arguments(&node.data_type) || may_share_values(&node.data_type);
            let has_scratch =
                own.is_some() || arguments.iter().any(|argument| matches!(argument, Argument::Computed(_)));
            if is_shared && has_scratch {
                let result = functions.call(*function, &operands, scratch)?;
                return result.deep_copy(ctx.stream, ctx.mr.output);
            }
            functions.call(*function, &operands, ctx)
        }
        _ => Err(Error::internal("an operation is computed neither by steps nor as a whole column")),
    }
}

/// Computes a node of decimals. A result with more digits than the type of the node is an error.
fn exact(graph: &Graph, id: NodeId, arguments: &[Argument<'_>], rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let node = graph.node(id);
    let policy = ArithmeticPolicy { overflow: OverflowPolicy::Error, ..ArithmeticPolicy::default() };
    let first = || match arguments.first() {
        Some(argument) => argument.column(rows, ctx.scratch()),
        None => Err(Error::internal("the operation has no arguments")),
    };
    let of = |lhs: Operand<'_>, rhs: Operand<'_>, op: BinaryOperator, ctx: Ctx<'_>| {
        binary_operation_checked(lhs, rhs, op, &node.data_type, policy, ctx)
    };
    let result = match (&node.operation, arguments) {
        // Only sums, quotients and their like can fail: of two decimals, the one that is chosen must fit.
        (Operation::Binary(op @ (BinaryOperator::NullMax | BinaryOperator::NullMin)), [lhs, rhs]) => {
            let fitting = |of: &Argument<'_>| {
                unary::cast_checked(
                    of.column(rows, ctx.scratch())?.view(),
                    &node.data_type,
                    policy.overflow,
                    ctx.scratch(),
                )
            };
            let (lhs, rhs) = (fitting(lhs)?, fitting(rhs)?);
            binary_operation(lhs.view().into(), rhs.view().into(), *op, &node.data_type, ctx)
        }
        (Operation::Binary(op), [Argument::Literal(_), rhs @ Argument::Literal(_)]) => {
            of(first()?.view().into(), rhs.operand()?, *op, ctx)
        }
        (Operation::Binary(op), [lhs, rhs]) => of(lhs.operand()?, rhs.operand()?, *op, ctx),
        // A decimal is rounded to more places than it has.
        (Operation::Cast | Operation::Call(_), _) => {
            unary::cast_checked(first()?.view(), &node.data_type, policy.overflow, ctx)
        }
        (Operation::Unary(op), _) => {
            let rounded = unary::unary_operation(first()?.view(), *op, ctx.scratch())?;
            // The sum with 0 has the check of the digits.
            of(rounded.view().into(), 0.into(), BinaryOperator::Add, ctx)
        }
        _ => Err(Error::internal("an operation of decimals has no check")),
    };
    result.map_err(|error| match error {
        Error::InvalidData { .. } => too_many_digits(graph, id),
        error => error,
    })
}

fn too_many_digits(graph: &Graph, id: NodeId) -> Error {
    let node = graph.node(id);
    let is_widest = matches!(node.data_type, DataType::Decimal256(..));
    let remedy = match is_widest {
        true => "cast the operands to smaller scales or to `Float64`",
        false => "cast the operands to a wider decimal, to smaller scales, or to `Float64`",
    };
    Error::invalid_data("a result has more digits than its type")
        .in_type(&node.data_type)
        .in_expression(|| graph.expression(id).to_string())
        .with_remedy(remedy)
}

/// Computes a `CASE` whose values have the type `data_type`.
fn case(arguments: &[Argument<'_>], rows: usize, data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    let (last, pairs) = arguments.split_last().ok_or_else(|| Error::internal("the CASE expression has no values"))?;
    let mut result = last.clone();
    for (at, pair) in pairs.chunks_exact(2).enumerate().rev() {
        let condition = pair[0].column(rows, scratch)?;
        let ctx = if at == 0 { ctx } else { scratch };
        let chosen = chosen(&pair[1], &result, Condition::True(condition.view()), data_type, ctx)?;
        result = Argument::Column(chosen);
    }
    result.column(rows, ctx)
}

/// Returns a code for each value of a `CASE` whose values are literal texts or nulls, and returns the texts. The codes
/// have the positions of the values among the arguments; a condition has no code. Returns `None` for other values, and
/// if there are fewer than two conditions.
fn coded(arguments: &[Argument<'_>], data_type: &DataType) -> Option<(Vec<Option<Value>>, Vec<Value>)> {
    if arguments.len() < 5 || !matches!(data_type, DataType::Utf8 | DataType::LargeUtf8) {
        return None;
    }
    let mut texts: Vec<Value> = Vec::new();
    let last = arguments.len() - 1;
    let code = |(at, argument): (usize, &Argument<'_>)| match argument {
        _ if at % 2 == 0 && at < last => Some(None),
        Argument::Literal(value) if value.is_null() => Some(Some(Value::null(DataType::Int8))),
        Argument::Literal(value) => {
            value.text()?;
            let known = texts.iter().position(|text| text == *value);
            let code = i8::try_from(known.unwrap_or(texts.len())).ok()?;
            if known.is_none() {
                texts.push((*value).clone());
            }
            Some(Some(Value::from(code)))
        }
        Argument::Column(_) | Argument::Computed(_) => None,
    };
    let codes = arguments.iter().enumerate().map(code).collect::<Option<Vec<_>>>()?;
    (!texts.is_empty()).then_some((codes, texts))
}

/// Returns a column of texts.
pub(super) fn text_column(texts: &[Value], data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let rows: Vec<_> = texts.iter().map(Value::text).collect();
    let column = Column::from_strs_on(&rows, ctx.stream, ctx.mr.output)?;
    cast_nested(column.view(), data_type, ctx)
}

/// Returns a column with the value of `yes` in rows that `condition` selects, and the value of `no` in all other rows.
fn chosen(
    yes: &Argument<'_>,
    no: &Argument<'_>,
    condition: Condition<'_>,
    data_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let operands = [yes.operand()?, no.operand()?];
    if !chooses(data_type) {
        let [yes, no] = operands;
        let result = chosen_nested(yes, no, condition, if may_share_values(data_type) { ctx.scratch() } else { ctx })?;
        // The arguments may be in scratch memory, with which copied views and dictionaries share values.
        let result = if may_share_values(data_type) { result.deep_copy(ctx.stream, ctx.mr.output)? } else { result };
        return result.with_type(data_type.clone());
    }
    let literals = Literals::new(&operands, ctx)?;
    let [yes, no] = literals.resolve(operands);
    let nulls = Nulls::Own { nullable: yes.has_validity() || no.has_validity() };
    choose_inputs("case", yes, no, condition, nulls, ctx)
}

/// Returns the same as [`chosen`], for types whose rows no single pass copies from two columns.
fn chosen_nested(yes: Operand<'_>, no: Operand<'_>, condition: Condition<'_>, ctx: Ctx<'_>) -> Result<Column> {
    match condition {
        Condition::True(mask) => copy_if_else(yes, no, mask, ctx),
        Condition::Valid(values) => {
            let valid = crate::unary::is_valid(values, ctx.scratch())?;
            copy_if_else(yes, no, valid.view(), ctx)
        }
    }
}

/// Converts the bytes of a value to a value of the given type.
pub(super) fn value_of(data_type: &DataType, bytes: Option<&[u8]>) -> Option<Value> {
    match bytes {
        None => Some(Value::null(data_type.clone())),
        Some(bytes) => Literal::of_stored_bytes(data_type, bytes).map(Value::new),
    }
}
