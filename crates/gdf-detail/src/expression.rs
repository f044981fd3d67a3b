//! Evaluates several expressions in one pass. The expressions can call every function, including functions of text and
//! of lists.

mod nested;

use gdf_compute::concatenate::concatenate;
use gdf_compute::datetime::{DatetimeRounding, Frequency};
use gdf_compute::expression::{Functions, evaluate, inputs};
use gdf_compute::round::{RoundingMethod, round};
use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{
    Column, ColumnView, DataType, Error, Literal, Operand, Position, Result, Table, TableView, physical_type,
};
use gdf_engine::check;
use gdf_expr::{Expr, Function, Graph, KeySet, MAX_DEPTH, NodeId, Value};
use gdf_relational::search::contains as contains_value;
use gdf_strings as strings;
use gdf_strings::json::{JsonMismatch, JsonObjectOptions, JsonWriteOptions, from_json, get_json_object, to_json};
use gdf_strings::{Case, JoinOptions, Regex, RegexFlags, Side};

use crate::Ctx;
use crate::condition::Evaluator;
use crate::encoding_cast;
use crate::predicate::is_key;

/// Computes expressions for each row of the table. The result has one column for each expression.
///
/// # Errors
/// * The errors of [`Graph::bind`] and of the operations.
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
pub fn compute_columns(table: &TableView<'_>, expressions: &[Expr], ctx: Ctx<'_>) -> Result<Table> {
    let mut graph = Graph::new(inputs(table));
    let bind = |(index, expression): (usize, &Expr)| {
        graph.bind(expression).map_err(|error| error.at(Position::Input(index)).in_argument("expressions"))
    };
    let roots = expressions.iter().enumerate().map(bind).collect::<Result<Vec<_>>>()?;
    Table::try_new(evaluate(&graph, &roots, table, &AllFunctions, ctx)?)
}

/// Computes an expression for each row of the table. If the expression is a condition that
/// [`evaluate_predicate`](crate::predicate::evaluate_predicate) evaluates in one launch, the condition is evaluated by
/// that function, which reads columns in their stored type and keeps no intermediate values. Other expressions are
/// evaluated by [`evaluate`].
///
/// # Errors
/// * The errors of [`compute_columns`].
pub fn compute_column(table: &TableView<'_>, expression: &Expr, ctx: Ctx<'_>) -> Result<Column> {
    let mut graph = Graph::new(inputs(table));
    let root = graph.bind(expression)?;
    compute_node(&graph, root, table, ctx)
}

/// Computes a node of a graph for each row of the table, whose columns are the inputs of the graph.
pub(crate) fn compute_node(graph: &Graph, root: NodeId, table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    // Broken data are an error even in columns that the expression does not name.
    check::table(table, ctx)?;
    if let Some(evaluator) = Evaluator::of(graph, root, table) {
        return evaluator.evaluate(graph, table, &AllFunctions, ctx);
    }
    let columns = evaluate(graph, &[root], table, &AllFunctions, ctx)?;
    columns.into_iter().next().ok_or_else(|| Error::internal("the expression has no result"))
}

/// Returns the rows of the table for which a condition is true and not null.
///
/// # Errors
/// * The errors of [`compute_column`]; [`TypeMismatch`](Error::TypeMismatch) for a condition that is not boolean.
/// * The errors of [`apply_boolean_mask`].
pub fn filter(table: &TableView<'_>, condition: &Expr, ctx: Ctx<'_>) -> Result<Table> {
    let mask = compute_column(table, condition, ctx.scratch())?;
    apply_boolean_mask(table.clone(), mask.view(), ctx).map_err(|error| error.in_argument("condition"))
}

/// Returns whether two columns, or columns below them, have buffers in the same allocation.
pub(crate) fn share_memory(a: &Column, b: &Column) -> bool {
    let (a, b) = (with_descendants(a), with_descendants(b));
    let mut of_a = a.iter().flat_map(|column| column.buffers().iter().chain(column.validity()));
    of_a.any(|buffer| {
        let mut of_b = b.iter().flat_map(|column| column.buffers().iter().chain(column.validity()));
        of_b.any(|other| other.same_allocation(buffer))
    })
}

/// Returns a column and all columns below it.
fn with_descendants(column: &Column) -> Vec<&Column> {
    let below = column.children().iter().flat_map(with_descendants);
    std::iter::once(column).chain(below).collect()
}

/// All functions that expressions can call.
pub(crate) struct AllFunctions;

impl Functions for AllFunctions {
    fn call(&self, function: Function, arguments: &[Operand<'_>], ctx: Ctx<'_>) -> Result<Column> {
        let column = |at: usize| match arguments.get(at) {
            Some(Operand::Column(view)) => Ok(*view),
            _ => Err(Error::internal("an argument of the function is not a column")),
        };
        let literal = |at: usize| match arguments.get(at) {
            Some(Operand::Literal(literal)) => Ok(*literal),
            _ => Err(Error::internal("an argument of the function is not a literal")),
        };
        let text = |at: usize| {
            literal(at)?.text().ok_or_else(|| Error::internal("an argument of the function is not a text literal"))
        };
        let regex = |at: usize| Regex::new(text(at)?, RegexFlags::new());
        match function {
            Function::Extract(component) => gdf_compute::datetime::extract_component(column(0)?, component, ctx),
            Function::StartsWith => strings::starts_with(column(0)?, literal(1)?.into(), ctx),
            Function::EndsWith => strings::ends_with(column(0)?, literal(1)?.into(), ctx),
            Function::Contains => strings::contains(column(0)?, literal(1)?.into(), ctx),
            Function::Like => strings::like(column(0)?, literal(1)?.into(), None, ctx),
            Function::ContainsRe => strings::contains_re(column(0)?, &regex(1)?, ctx),
            Function::MatchesRe => strings::matches_re(column(0)?, &regex(1)?, ctx),
            Function::CountCharacters => strings::count_characters(column(0)?, ctx),
            Function::CountBytes => strings::count_bytes(column(0)?, ctx),
            Function::ToLower => strings::to_case(column(0)?, Case::Lower, ctx),
            Function::ToUpper => strings::to_case(column(0)?, Case::Upper, ctx),
            Function::Slice => strings::slice(column(0)?, literal(1)?.into(), literal(2)?.into(), 1, ctx),
            Function::Strip => strings::strip(column(0)?, Side::Both, Literal::from("").into(), ctx),
            Function::Concat => concatenated(arguments, ctx),
            Function::Round => {
                let places = Value::new(literal(1)?).integer().and_then(|places| i32::try_from(places).ok());
                let places =
                    places.ok_or_else(|| Error::internal("the number of decimal places does not fit Int32"))?;
                round(column(0)?, places, RoundingMethod::HalfUp, ctx)
            }
            Function::Replace => strings::replace(column(0)?, literal(1)?.into(), literal(2)?.into(), None, ctx),
            Function::ReplaceRe => strings::replace_re(column(0)?, &regex(1)?, text(2)?, None, ctx),
            Function::CountRe => strings::count_re(column(0)?, &regex(1)?, ctx),
            Function::Find => strings::find(column(0)?, literal(1)?.into(), 0, None, ctx),
            Function::Repeat => strings::repeat(column(0)?, literal(1)?.into(), ctx),
            Function::ReverseText => strings::reverse(column(0)?, ctx),
            Function::Zfill => strings::zfill(column(0)?, literal(1)?.into(), ctx),
            Function::SplitPart => strings::split_part(column(0)?, literal(1)?.into(), literal(2)?.into(), ctx),
            Function::ExtractRe => {
                let group = Value::new(literal(2)?).integer();
                let group = group.and_then(|group| usize::try_from(group).ok()).ok_or_else(|| {
                    let error = Error::invalid_argument("the number of the group is negative; groups count from 0");
                    error.in_argument("group")
                })?;
                strings::extract_single(column(0)?, &regex(1)?, group, ctx)
            }
            Function::ToIntegers => strings::to_integers(column(0)?, literal(1)?.data_type(), ctx),
            Function::ToFloats => strings::to_floats(column(0)?, literal(1)?.data_type(), ctx),
            Function::ToTimestamps => strings::to_timestamps(column(0)?, literal(1)?.data_type(), text(2)?, ctx),
            Function::GetJsonObject => get_json_object(column(0)?, Some(text(1)?), JsonObjectOptions::default(), ctx),
            Function::FromJson => from_json(column(0)?, literal(1)?.data_type(), JsonMismatch::Null, ctx),
            Function::ToJson => to_json(column(0)?, JsonWriteOptions::default(), ctx),
            Function::AddMonths => {
                let months = *arguments.get(1).ok_or_else(|| Error::internal("the number of months is missing"))?;
                gdf_compute::datetime::add_calendrical_months(column(0)?, months, ctx)
            }
            Function::Truncate => {
                let frequency = frequency(text(1)?)?;
                gdf_compute::datetime::round_datetimes(column(0)?, DatetimeRounding::Floor, frequency, ctx)
            }
            function if function.is_nested() => nested::call(function, arguments, ctx),
            other => Err(Error::invalid_argument(
                "the function cannot be used in expressions; call the function of the same name on columns",
            )
            .in_operation(other.name())),
        }
    }

    fn cast(&self, column: ColumnView<'_>, target: &DataType, ctx: Ctx<'_>) -> Result<Column> {
        encoding_cast::cast(column, target, ctx)
    }

    fn is_in(&self, column: ColumnView<'_>, list: &[Value], ctx: Ctx<'_>) -> Result<Column> {
        if list.len() > MAX_DEPTH
            && let Some(haystack) = column_of(list, ctx.scratch())?
        {
            return contains_value(haystack.view(), column, ctx);
        }
        let values = list.iter().map(|value| {
            let column = Column::full_on(value.literal()?, 1, ctx.stream, ctx.mr.temporary)?;
            Table::try_new(vec![column])
        });
        let values = values.collect::<Result<Vec<_>>>()?;
        let views: Vec<TableView<'_>> = values.iter().map(Table::view).collect();
        let haystack = concatenate(&views, ctx.scratch())?;
        contains_value(haystack.column(0)?.view(), column, ctx)
    }

    fn is_key(&self, rows: &TableView<'_>, set: &KeySet, ctx: Ctx<'_>) -> Result<Column> {
        is_key(rows, set, ctx)
    }
}

/// Returns a column of literals of one type that are not null, or `None` for types that are stored neither as text nor as
/// numbers.
fn column_of(list: &[Value], ctx: Ctx<'_>) -> Result<Option<Column>> {
    let Some(data_type) = list.first().map(Value::data_type) else { return Ok(None) };
    if let Some(texts) = list.iter().map(Value::text).collect::<Option<Vec<_>>>() {
        let column = Column::from_strs_on(&texts, ctx.stream, ctx.mr.output)?;
        return gdf_compute::unary::cast(column.view(), data_type, ctx).map(Some);
    }
    let literals = list.iter().map(Value::literal).collect::<Result<Vec<_>>>()?;
    let stored = literals.iter().filter_map(Literal::stored_bytes).collect::<Vec<_>>();
    gdf_core::dispatch_arms!(
        physical_type(data_type),
        T => {
            let values: Vec<T> = stored.iter().map(|bytes| bytemuck::pod_read_unaligned(bytes)).collect();
            Column::from_slice_typed_on(&values, data_type, ctx.stream, ctx.mr.output).map(Some)
        },
        Ok(None),
        [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64, I128 i128]
    )
}

/// Returns the period with this name.
fn frequency(name: &str) -> Result<Frequency> {
    Ok(match name {
        "year" => Frequency::Year,
        "quarter" => Frequency::Quarter,
        "month" => Frequency::Month,
        "week" => Frequency::Week,
        "day" => Frequency::Day,
        "hour" => Frequency::Hour,
        "minute" => Frequency::Minute,
        "second" => Frequency::Second,
        "millisecond" => Frequency::Millisecond,
        "microsecond" => Frequency::Microsecond,
        "nanosecond" => Frequency::Nanosecond,
        _ => {
            return Err(Error::invalid_argument(
                "the period must be `year`, `quarter`, `month`, `week`, `day`, `hour`, `minute`, `second`, \
                 `millisecond`, `microsecond` or `nanosecond`",
            )
            .in_argument("period"));
        }
    })
}

/// Returns the number of rows of the arguments.
fn rows_of(arguments: &[Operand<'_>]) -> Result<usize> {
    let rows = arguments.iter().find_map(|argument| match argument {
        Operand::Column(view) => Some(view.len()),
        _ => None,
    });
    rows.ok_or_else(|| Error::internal("no argument of the function is a column"))
}

/// Returns an argument as a column of `rows` rows.
fn as_column(argument: &Operand<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    match argument {
        Operand::Column(view) => Ok(view.to_column()),
        Operand::Literal(literal) => Column::full_on(*literal, rows, ctx.stream, ctx.mr.temporary),
        Operand::Scalar(_) => Err(Error::internal("an argument of the function is a scalar")),
    }
}

/// Concatenates the texts of each row.
fn concatenated(arguments: &[Operand<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let rows = rows_of(arguments)?;
    let columns = arguments.iter().map(|argument| as_column(argument, rows, ctx)).collect::<Result<Vec<_>>>()?;
    let table = Table::try_new(columns)?;
    strings::concatenate(table.view(), Literal::from("").into(), JoinOptions::default(), ctx)
}
