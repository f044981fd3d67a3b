//! Lowers physical expressions of DataFusion to expressions of gdf.
//!
//! An expression is lowered only if the lowered expression returns the same values as DataFusion. Where the rules of
//! the two libraries differ, the lowered expression contains an adapter. The README lists the adapters.

mod arguments;
mod binary;
mod cast;
mod functions;
mod lowered;
mod moments;
mod numbers;
mod text;

use std::sync::Arc;

use arrow_schema::{DataType, Schema};
use datafusion::logical_expr::Operator;
use datafusion::logical_expr::physical_planning_context::SubqueryIndex;
use datafusion::physical_expr::expressions::{
    BinaryExpr, CaseExpr, CastExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, LikeExpr, Literal, NegativeExpr,
    NotExpr, TryCastExpr,
};
use datafusion::physical_expr::scalar_subquery::ScalarSubqueryExpr;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use gdf_core::{decimal_parts, is_floating, is_integral, is_string, is_unsigned_integral, same_type};
use gdf_exec::{Check, ColumnCall, ColumnFunction, FIRST_CALL, FIRST_PLACEHOLDER, Problem, held_types, plain};
use gdf_expr::{Expr, Function, Graph, Input, UnaryOperator, Value, col, lit, when};

pub(crate) use self::cast::{OnOverflow, cast};
pub(crate) use self::lowered::Lowered;
use self::lowered::{is_not_true, is_true};
pub(crate) use self::moments::whole_days;
use self::moments::{Interval, moved};
use crate::error::Refusal;
use crate::values::{Subquery, value_of};

/// The columns that expressions refer to.
pub(crate) struct Scope<'a> {
    schema: &'a Schema,
    /// The type of the column at each position of the table that the lowered expressions read.
    types: Vec<DataType>,
    /// The position in that table of each column of the schema.
    positions: Vec<usize>,
    subqueries: &'a mut Vec<Subquery>,
    /// The calls that are computed before the lowered expressions.
    calls: Vec<ColumnCall>,
}

impl<'a> Scope<'a> {
    /// Makes a scope for expressions over the columns of a table with this schema.
    pub(crate) fn new(schema: &'a Schema, subqueries: &'a mut Vec<Subquery>) -> Result<Scope<'a>, Refusal> {
        let types = held_types(schema)?;
        let positions = (0..types.len()).collect();
        Ok(Scope { schema, types, positions, subqueries, calls: Vec::new() })
    }

    /// Makes a scope for expressions over a part of a table with columns of `types`. `positions` has the position in
    /// the table of each column of `schema`.
    pub(crate) fn at(
        schema: &'a Schema,
        types: Vec<DataType>,
        positions: Vec<usize>,
        subqueries: &'a mut Vec<Subquery>,
    ) -> Scope<'a> {
        Scope { schema, types, positions, subqueries, calls: Vec::new() }
    }

    /// Returns the calls that are computed before the lowered expressions.
    pub(crate) fn into_calls(self) -> Vec<ColumnCall> {
        self.calls
    }

    /// Lowers an output of a projection, which may also be a column of lists or structs.
    pub(crate) fn lower_output(&mut self, expression: &Arc<dyn PhysicalExpr>) -> Result<Lowered, Refusal> {
        if let Some(column) = expression.downcast_ref::<Column>()
            && let Some(position) = self.positions.get(column.index())
            && let Some(data_type) = self.types.get(*position).filter(|data_type| data_type.is_nested())
        {
            return Ok(Lowered::new(col(*position), data_type.clone()));
        }
        self.lower(expression)
    }

    /// Lowers an expression, and checks that its result has the type that DataFusion declares.
    pub(crate) fn lower(&mut self, expression: &Arc<dyn PhysicalExpr>) -> Result<Lowered, Refusal> {
        let lowered = self.part(expression)?;
        let refused = |reason: String| Refusal::Refused { expression: expression.to_string(), reason };
        let declared = plain(&expression.data_type(self.schema)?)?;
        let (subqueries, calls) = (&*self.subqueries, &self.calls);
        let known = |value: &Expr| {
            value.substitute(|position| {
                Ok(match (position.checked_sub(FIRST_CALL), position.checked_sub(FIRST_PLACEHOLDER)) {
                    (Some(at), _) => lit(Value::null(calls[at].data_type.clone())),
                    (None, Some(at)) => lit(Value::null(subqueries[at].data_type.clone())),
                    (None, None) => col(position),
                })
            })
        };
        let input = |data_type: &DataType| Input { data_type: data_type.clone(), nullable: true, range: None };
        let mut graph = Graph::new(self.types.iter().map(input).collect());
        let mut bound = |value: &Expr| {
            let node = known(value).and_then(|value| graph.bind(&value)).map_err(|error| refused(error.to_string()))?;
            Ok::<DataType, Refusal>(graph.node(node).data_type.clone())
        };
        let found = bound(&lowered.value)?;
        for check in &lowered.checks {
            match check {
                Check::Never { condition, .. } => bound(condition).map(|_| ())?,
                Check::Fits { guard, operands, .. } => {
                    guard.iter().chain(operands).try_for_each(|part| bound(part).map(|_| ()))?
                }
            }
        }
        if !same_type(&found, &declared) {
            return Err(refused(format!("the type of its result is {found} in gdf, and {declared} in DataFusion")));
        }
        Ok(Lowered { data_type: declared, ..lowered })
    }

    fn part(&mut self, expression: &Arc<dyn PhysicalExpr>) -> Result<Lowered, Refusal> {
        let refused = || Refusal::expression(expression);
        if let Some(column) = expression.downcast_ref::<Column>() {
            let position = *self.positions.get(column.index()).ok_or_else(refused)?;
            let data_type = self.types.get(position).ok_or_else(refused)?;
            return Ok(Lowered::new(col(position), plain(data_type)?));
        }
        if let Some(literal) = expression.downcast_ref::<Literal>() {
            let value = value_of(literal.value())?;
            let data_type = value.data_type().clone();
            return Ok(Lowered::new(lit(value), data_type));
        }
        if let Some(of) = expression.downcast_ref::<BinaryExpr>()
            && matches!(of.op(), Operator::And | Operator::Or)
        {
            return self.chain(expression, *of.op());
        }
        let output = plain(&expression.data_type(self.schema)?)?;
        if let Some(of) = expression.downcast_ref::<BinaryExpr>() {
            if let Some(moved) = self.moved(of, &output)? {
                return Ok(moved);
            }
            let (left, right) = (self.part(of.left())?, self.part(of.right())?);
            return binary::binary(*of.op(), left, right, &output, expression);
        }
        if let Some(of) = expression.downcast_ref::<NotExpr>() {
            return Ok(self.part(of.arg())?.map(output, |value| !value));
        }
        if let Some(of) = expression.downcast_ref::<IsNullExpr>() {
            return Ok(self.part(of.arg())?.map(output, Expr::is_null));
        }
        if let Some(of) = expression.downcast_ref::<IsNotNullExpr>() {
            return Ok(self.part(of.arg())?.map(output, Expr::is_not_null));
        }
        if let Some(of) = expression.downcast_ref::<NegativeExpr>() {
            let of = self.part(of.arg())?;
            let is_signed = is_integral(&output) && !is_unsigned_integral(&output);
            if !is_signed && !is_floating(&output) && decimal_parts(&output).is_none() {
                return Err(refused());
            }
            return Ok(of.map(output, |value| value.unary(UnaryOperator::Negate)));
        }
        if let Some(of) = expression.downcast_ref::<CastExpr>() {
            return self.cast(of.expr(), &output, OnOverflow::Fail);
        }
        if let Some(of) = expression.downcast_ref::<TryCastExpr>() {
            return self.cast(of.expr(), &output, OnOverflow::Null);
        }
        if let Some(of) = expression.downcast_ref::<LikeExpr>() {
            return self.like(of);
        }
        if let Some(of) = expression.downcast_ref::<InListExpr>() {
            return self.in_list(of, expression);
        }
        if let Some(of) = expression.downcast_ref::<CaseExpr>() {
            return self.case(of, &output, expression);
        }
        if let Some(of) = expression.downcast_ref::<ScalarFunctionExpr>() {
            let arguments = of.args().iter().map(|argument| self.part(argument)).collect::<Result<_, _>>()?;
            return functions::function(of, arguments, &output, &mut self.calls);
        }
        if let Some(of) = expression.downcast_ref::<ScalarSubqueryExpr>() {
            return Ok(Lowered::new(col(FIRST_PLACEHOLDER + self.placeholder(of, &output)), output));
        }
        Err(refused())
    }

    /// Lowers a chain of `AND` or `OR`, which may have any length.
    fn chain(&mut self, chain: &Arc<dyn PhysicalExpr>, op: Operator) -> Result<Lowered, Refusal> {
        let (mut joined, mut waiting) = (None, vec![chain]);
        while let Some(part) = waiting.pop() {
            match part.downcast_ref::<BinaryExpr>() {
                Some(of) if *of.op() == op => waiting.extend([of.right(), of.left()]),
                _ => {
                    let next = self.part(part)?;
                    joined = Some(match joined {
                        Some(before) => binary::binary(op, before, next, &DataType::Boolean, part)?,
                        None => next,
                    });
                }
            }
        }
        joined.ok_or_else(|| Refusal::expression(chain))
    }

    /// Lowers a cast. Casts from and to text become calls for whole columns.
    fn cast(&mut self, of: &Arc<dyn PhysicalExpr>, to: &DataType, on_overflow: OnOverflow) -> Result<Lowered, Refusal> {
        let of = self.part(of)?;
        let is_counted = |data_type: &DataType| is_integral(data_type) && !matches!(data_type, DataType::Boolean);
        if is_string(to) && (of.data_type == DataType::Boolean || is_counted(&of.data_type) || is_wide(&of.data_type)) {
            let text = text::call(&mut self.calls, ColumnFunction::ToText, of, DataType::Utf8);
            return cast(text, to, on_overflow);
        }
        if is_string(to) && (is_moment(&of.data_type) || is_floating(&of.data_type)) {
            return Ok(text::call(&mut self.calls, ColumnFunction::HostCast(to.clone()), of, to.clone()));
        }
        let is_number = is_counted(to) || is_floating(to);
        if is_string(&of.data_type) && (is_number || is_moment(to) || is_wide(to) || *to == DataType::Boolean) {
            // DataFusion accepts the text `-0` as an unsigned number, so unsigned numbers are parsed on the host.
            let function = match is_number && !is_unsigned_integral(to) {
                true => ColumnFunction::Parse(to.clone()),
                false => ColumnFunction::HostCast(to.clone()),
            };
            let text = of.value.clone();
            let mut parsed = text::call(&mut self.calls, function, of, to.clone());
            if on_overflow == OnOverflow::Fail {
                let is_lost = text.is_not_null().and(parsed.value.clone().is_null());
                parsed.check(is_lost, Problem::CastOverflow(to.clone()));
            }
            return Ok(parsed);
        }
        cast(of, to, on_overflow)
    }

    /// Returns the number of the placeholder of a subquery. If there is no placeholder, the function adds one.
    fn placeholder(&mut self, of: &ScalarSubqueryExpr, data_type: &DataType) -> usize {
        let index = index_of(of);
        let is_it = |known: &Subquery| known.index == index && known.results == *of.results();
        self.subqueries.iter().position(is_it).unwrap_or_else(|| {
            let results = of.results().clone();
            self.subqueries.push(Subquery { results, index, data_type: data_type.clone() });
            self.subqueries.len() - 1
        })
    }

    /// Lowers a date or a timestamp plus or minus an interval, and returns `None` for other operations.
    fn moved(&mut self, of: &BinaryExpr, output: &DataType) -> Result<Option<Lowered>, Refusal> {
        let interval = of.right().downcast_ref::<Literal>().and_then(|literal| Interval::of(literal.value()));
        let interval = match of.op() {
            Operator::Plus => interval,
            Operator::Minus => interval.and_then(Interval::negated),
            _ => None,
        };
        let Some(interval) = interval else { return Ok(None) };
        let moment = self.part(of.left())?;
        match moment.data_type == *output {
            true => Ok(moved(moment, interval, &mut self.calls)),
            false => Ok(None),
        }
    }

    fn like(&mut self, of: &LikeExpr) -> Result<Lowered, Refusal> {
        let (text, pattern) = (self.part(of.expr())?, self.part(of.pattern())?);
        // A backslash escapes the next character of a pattern in DataFusion, but not in gdf.
        let is_plain = pattern.literal().and_then(Value::text).is_some_and(|pattern| !pattern.contains('\\'));
        if !is_plain || !is_string(&text.data_type) {
            return Err(Refusal::expression(of));
        }
        let pattern_text = pattern.literal().and_then(Value::text).unwrap_or_default();
        let like = match of.case_insensitive() {
            true => {
                let pattern = lit(&case_insensitive(pattern_text));
                text.map(DataType::Boolean, |value| Expr::call(Function::ContainsRe, [value, pattern]))
            }
            false => text.map(DataType::Boolean, |value| Expr::call(Function::Like, [value, pattern.value])),
        };
        Ok(if of.negated() { like.map(DataType::Boolean, |value| !value) } else { like })
    }

    fn in_list(&mut self, of: &InListExpr, text: &dyn std::fmt::Display) -> Result<Lowered, Refusal> {
        let value = self.part(of.expr())?;
        let elements = of.list().iter().map(|element| self.part(element)).collect::<Result<Vec<_>, _>>()?;
        let literals: Option<Vec<Value>> = elements.iter().map(|element| element.literal().cloned()).collect();
        let found = match literals {
            Some(list) if !is_floating(&value.data_type) => {
                if !list.iter().all(|element| same_type(element.data_type(), &value.data_type)) {
                    return Err(Refusal::expression(text));
                }
                let prefixes = text::begins_with(&value.value, list.iter().map(Value::text));
                value.map(DataType::Boolean, |value| prefixes.unwrap_or_else(|| value.is_in(list)))
            }
            _ => {
                let equal = |element| binary::compare(Operator::Eq, value.clone(), element);
                let any = |all: Lowered, one: Lowered| {
                    all.binary(gdf_expr::BinaryOperator::NullLogicalOr, one, DataType::Boolean)
                };
                let equal: Option<Vec<Lowered>> = elements.into_iter().map(equal).collect();
                let found = equal.and_then(|equal| equal.into_iter().reduce(any));
                found.ok_or_else(|| Refusal::expression(text))?
            }
        };
        Ok(if of.negated() { found.map(DataType::Boolean, |value| !value) } else { found })
    }

    fn case(&mut self, of: &CaseExpr, output: &DataType, text: &dyn std::fmt::Display) -> Result<Lowered, Refusal> {
        let refused = || Refusal::expression(text);
        let base = of.expr().map(|base| self.part(base)).transpose()?;
        let mut checks = base.iter().flat_map(|base| base.checks.clone()).collect::<Vec<_>>();
        // `untaken` is true where no earlier condition is true. DataFusion evaluates a branch only in these rows.
        let mut untaken: Option<Expr> = None;
        let guarded = |of: Lowered, guard: &Option<Expr>| match guard {
            Some(guard) => of.guarded(guard),
            None => of,
        };
        let mut branches = Vec::new();
        for (condition, value) in of.when_then_expr() {
            let condition = self.part(condition)?;
            let condition = match &base {
                Some(base) => {
                    let base = Lowered::new(base.value.clone(), base.data_type.clone());
                    binary::compare(Operator::Eq, base, condition).ok_or_else(refused)?
                }
                None => condition,
            };
            let condition = guarded(condition, &untaken);
            let taken = is_true(condition.value.clone());
            let value = guarded(self.typed(value, output)?.guarded(&taken), &untaken);
            checks.extend(condition.checks);
            checks.extend(value.checks);
            let rest = is_not_true(condition.value.clone());
            untaken = Some(match untaken {
                Some(untaken) => untaken.and(rest),
                None => rest,
            });
            branches.push((condition.value, value.value));
        }
        let mut branches = branches.into_iter();
        let (condition, value) = branches.next().ok_or_else(refused)?;
        let case = branches.fold(when(condition, value), |case, (condition, value)| case.when(condition, value));
        let value = match of.else_expr() {
            Some(value) => {
                let value = guarded(self.typed(value, output)?, &untaken);
                checks.extend(value.checks);
                case.otherwise(value.value)
            }
            None => case.end(),
        };
        // For branches that are all literals, the type of the result in gdf can differ from `output`.
        Ok(Lowered { value: value.cast(output.clone()), data_type: output.clone(), checks })
    }

    /// Lowers a branch of a `CASE`, whose type must be `output`. A null literal may have any type.
    fn typed(&mut self, value: &Arc<dyn PhysicalExpr>, output: &DataType) -> Result<Lowered, Refusal> {
        if value.downcast_ref::<Literal>().is_some_and(|literal| literal.value().is_null()) {
            return Ok(Lowered::new(lit(Value::null(output.clone())), output.clone()));
        }
        let lowered = self.part(value)?;
        match same_type(&lowered.data_type, output) {
            true => Ok(lowered),
            false => Err(Refusal::expression(value)),
        }
    }
}

#[expect(deprecated, reason = "the number has no other accessor")]
fn index_of(of: &ScalarSubqueryExpr) -> SubqueryIndex {
    of.index()
}

fn is_moment(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Date32 | DataType::Timestamp(_, None))
}

fn is_wide(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..))
}

/// Converts a pattern of `ILIKE` to a regular expression.
fn case_insensitive(pattern: &str) -> String {
    let mut regex = String::from("(?is)^");
    for letter in pattern.chars() {
        match letter {
            '%' => regex.push_str(".*"),
            '_' => regex.push('.'),
            // With a backslash, these are boundaries of words.
            '<' | '>' => regex.push(letter),
            letter if letter.is_ascii_punctuation() => regex.extend(['\\', letter]),
            letter => regex.push(letter),
        }
    }
    regex.push('$');
    regex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_ilike_are_regular_expressions() {
        assert_eq!(case_insensitive("a_%.é"), r"(?is)^a..*\.é$");
        assert_eq!(case_insensitive("<a>"), "(?is)^<a>$");
    }
}
