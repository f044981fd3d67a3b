//! Binds expressions to types: [`Graph::bind`].

mod lists;

use std::collections::HashMap;

use gdf_core::layout::same_named_type;
use gdf_core::{Counted, DataType, Error, Result, is_decimal, is_floating, is_nested, same_type, width};

use crate::expr::{Expr, ExprKind};
use crate::function::{Argument, Function, Parameter};
use crate::graph::{Graph, NodeId, Operation};
use crate::key_set::KeySet;
use crate::moments::{self, Moved};
use crate::operators::{BinaryGroup, BinaryOperator};
use crate::types::nested::nullable;
use crate::types::temporal::Temporal;
use crate::types::{CastPlan, decoded_type, default_output_type, encoded_types, natural, refused_cast, wider_offsets};
use crate::value::Value;

const OPERATION: &str = "bind";

/// An argument, and whether the user wrote it as a literal. Only such a literal can influence the type of a result. A
/// computed argument may be constant only because of facts about the columns, and types must not depend on them.
#[derive(Clone, Copy, Debug)]
struct Operand {
    id: NodeId,
    is_literal: bool,
}

/// The state of one call of `bind`.
struct Known<'a> {
    /// Nodes by the addresses of expressions. The borrowed root keeps the addresses valid.
    nodes: HashMap<usize, NodeId>,
    /// The names of columns in the texts of errors.
    names: &'a [&'a str],
}

impl Known<'_> {
    fn located(&self, error: Error, expression: &Expr) -> Error {
        error.in_expression(|| expression.display_with(self.names).to_string())
    }
}

impl Graph {
    /// Adds an expression to the graph, and returns the node of its result.
    ///
    /// Types follow the rules of the operations. Operators of two operands follow [`default_output_type`]. The values
    /// of `CASE` and `COALESCE` are cast to one type, which [`BinaryOperator::NullMax`] would also have. A literal
    /// among the values takes the type of the other values if that type can represent it. String views and dictionaries
    /// are decoded when an operation reads them. Lists, structs and maps must have one type, and structs equal names of
    /// fields. `Utf8` beside `LargeUtf8` becomes `LargeUtf8` in `CASE`, `COALESCE`, the greater or smaller of two values
    /// and functions of several texts.
    ///
    /// A literal of text that is compared with a date or a timestamp is read as a value of that type: `2026-01-31`, or
    /// `2026-01-31 12:30:00`, with `Z` or an offset such as `+02:00` for types with a time zone. A date plus or minus a
    /// literal of whole days is a date. A date plus or minus any other duration is a timestamp of the finer unit.
    ///
    /// A literal of a float next to a decimal is read as the decimal with the fewest digits that stands for the float:
    /// `price * 0.9` is a product of decimals.
    ///
    /// Nodes are simplified while they are added. The graph drops double negations, `AND` and `OR` with literals,
    /// casts to the same type, null tests of columns without nulls, and branches that are never taken.
    ///
    /// # Errors
    /// The text of an error contains the smallest part of the expression that has no type.
    /// * [`Unsupported`](Error::Unsupported), [`TypeMismatch`](Error::TypeMismatch): no operator or function accepts
    ///   the types.
    /// * [`OutOfBounds`](Error::OutOfBounds): the position of a column is not a position of an input.
    /// * [`InvalidText`](Error::InvalidText): a text is compared with a date or a timestamp, and has another form.
    /// * [`InvalidArgument`](Error::InvalidArgument): the nesting is too deep, or a function does not accept the
    ///   value of a literal.
    pub fn bind(&mut self, expression: &Expr) -> Result<NodeId> {
        self.bind_named(expression, &[])
    }

    /// Does the same as [`bind`](Self::bind). The text of an error contains the names of the columns. `names` contains
    /// the name of each column, in the order of the columns.
    ///
    /// # Errors
    /// * The errors of [`bind`](Self::bind).
    pub fn bind_named(&mut self, expression: &Expr, names: &[&str]) -> Result<NodeId> {
        expression.check_depth().map_err(|error| error.in_operation(OPERATION))?;
        let mut known = Known { nodes: HashMap::new(), names };
        self.add(expression, &mut known).map_err(|error| error.in_operation(OPERATION))
    }

    /// Adds an expression. `known` has the nodes of the parts that were added before, so that each part is added once.
    fn add(&mut self, expression: &Expr, known: &mut Known<'_>) -> Result<NodeId> {
        if let Some(id) = known.nodes.get(&expression.address()) {
            return Ok(*id);
        }
        let result = match expression.kind() {
            ExprKind::Column(position) => self.add_column(*position),
            ExprKind::Literal(value) => value.literal().map(|_| ()).map(|()| self.literal(value.clone())),
            ExprKind::Unary(op, value) => {
                let value = self.add(value, known)?;
                let value = self.decoded(value);
                let data_type = op.output_type(&self.node(value).data_type);
                data_type
                    .map_err(|error| error.in_variant(op.name()))
                    .map(|data_type| self.unary(*op, value, data_type))
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (lhs, rhs) = (self.add_value(lhs, known)?, self.add_value(rhs, known)?);
                self.add_operands(*op, lhs, rhs)
            }
            ExprKind::All(members) => Ok(self.add_list(BinaryOperator::NullLogicalAnd, members, known)?),
            ExprKind::Any(members) => Ok(self.add_list(BinaryOperator::NullLogicalOr, members, known)?),
            ExprKind::Cast(value, data_type) => {
                let value = self.add(value, known)?;
                self.add_cast(value, data_type)
            }
            ExprKind::IsNull(value) => self.add(value, known).map(|value| self.is_null(value)),
            ExprKind::Case { branches, otherwise } => self.add_case(branches, otherwise.as_ref(), known),
            ExprKind::Coalesce(values) => {
                let values = values.iter().map(|value| self.add_value(value, known)).collect::<Result<Vec<_>>>()?;
                self.of_one_type(values).map(|(values, data_type)| self.coalesce(&values, data_type))
            }
            ExprKind::Between { value, low, high } => {
                let value = self.add_value(value, known)?;
                let limits = [self.add_value(low, known)?, self.add_value(high, known)?];
                self.add_between(value, limits)
            }
            ExprKind::IsIn { value, list } => {
                let value = self.add(value, known)?;
                self.add_is_in(value, list)
            }
            ExprKind::IsKey { values, set } => self.add_is_key(values, set, known),
            ExprKind::Call(function, arguments) => {
                let values = arguments.iter().map(|argument| self.add_value(argument, known));
                let values = values.collect::<Result<Vec<_>>>()?;
                let values: Vec<_> = values.into_iter().map(|of| Operand { id: self.decoded(of.id), ..of }).collect();
                let values = self.with_texts_of_one_type(*function, values);
                let ids: Vec<_> = values.iter().map(|value| value.id).collect();
                self.call_type(*function, &values)
                    .map(|data_type| self.intern(Operation::Call(*function), &ids, data_type))
            }
        };
        let id = result.map_err(|error| known.located(error, expression))?;
        known.nodes.insert(expression.address(), id);
        Ok(id)
    }

    fn add_column(&mut self, position: usize) -> Result<NodeId> {
        let columns = self.inputs().len();
        let input = self
            .inputs()
            .get(position)
            .ok_or_else(|| Error::index_out_of_bounds(Counted::Columns, position, columns))?;
        let data_type = input.data_type.clone();
        Ok(self.intern(Operation::Column(position), &[], data_type))
    }

    /// Returns the node of the decoded values for a column of views or a dictionary, and other nodes unchanged.
    fn decoded(&mut self, id: NodeId) -> NodeId {
        let data_type = &self.node(id).data_type;
        let decoded = decoded_type(data_type);
        if decoded == data_type {
            return id;
        }
        let decoded = decoded.clone();
        self.intern(Operation::Cast, &[id], decoded)
    }

    /// Adds an operator of two operands. The rules of [`bind`](Self::bind) for literals of text and for dates apply.
    fn add_operands(&mut self, op: BinaryOperator, lhs: Operand, rhs: Operand) -> Result<NodeId> {
        let (left, right) = (self.decoded(lhs.id), self.decoded(rhs.id));
        let (lhs, rhs) = (Operand { id: left, ..lhs }, Operand { id: right, ..rhs });
        let types = [left, right].map(|id| self.node(id).data_type.clone());
        let (lhs, rhs) = (self.beside_decimal(lhs, &types[1]), self.beside_decimal(rhs, &types[0]));
        let (left, right) = (lhs.id, rhs.id);
        if op.is_comparison() {
            let left = self.as_moment(lhs, right)?;
            let right = self.as_moment(rhs, left)?;
            return self.add_comparison(op, left, right);
        }
        let (left, right) = (self.as_fine_as(left, right), self.as_fine_as(right, left));
        let (lhs, rhs) = (Operand { id: left, ..lhs }, Operand { id: right, ..rhs });
        let moved = match op {
            BinaryOperator::Add => {
                self.moved(op, lhs, rhs)?.map_or_else(|| self.moved(op, rhs, lhs), |id| Ok(Some(id)))?
            }
            BinaryOperator::Sub => self.moved(op, lhs, rhs)?,
            _ => None,
        };
        moved.map_or_else(|| self.add_binary(op, left, right), Ok)
    }

    /// Returns the node of an operand. A literal of text beside a date or a timestamp becomes a literal of that type.
    fn as_moment(&mut self, of: Operand, other: NodeId) -> Result<NodeId> {
        let Some(value) = self.value(of.id).filter(|_| of.is_literal) else { return Ok(of.id) };
        Ok(match moments::of_text(value, &self.node(other).data_type)? {
            Some(value) => self.literal(value),
            None => of.id,
        })
    }

    /// Returns a literal between two microseconds in nanoseconds, if the other operand counts nanoseconds, too. Returns
    /// other nodes unchanged.
    fn as_fine_as(&mut self, id: NodeId, other: NodeId) -> NodeId {
        let is_fine = Temporal::of(&self.node(other).data_type).is_some_and(|of| of.tick == 1)
            || self.value(other).is_some_and(Value::is_between_ticks);
        let exact = self.value(id).filter(|value| is_fine && value.is_between_ticks()).and_then(Value::in_nanoseconds);
        exact.map_or(id, |exact| self.literal(exact))
    }

    /// Adds a comparison. A literal may lie between two ticks of the other operand.
    fn add_comparison(&mut self, op: BinaryOperator, lhs: NodeId, rhs: NodeId) -> Result<NodeId> {
        use BinaryOperator::*;
        let (lhs, rhs) = (self.as_fine_as(lhs, rhs), self.as_fine_as(rhs, lhs));
        let tick = |id| self.value(id).filter(|value| value.is_between_ticks()).map(Value::at_tick);
        let (other, tick, op) = match (tick(lhs), tick(rhs), op.mirrored()) {
            (_, Some(tick), _) => (lhs, tick, op),
            (Some(tick), None, Some(op)) => (rhs, tick, op),
            _ => return self.add_binary(op, lhs, rhs),
        };
        let tick = self.literal(tick);
        // No value of the other operand lies between the literal and the tick before it.
        let (before, after) = (self.add_binary(LessEqual, other, tick)?, self.add_binary(Greater, other, tick)?);
        match op {
            Less | LessEqual => Ok(before),
            Greater | GreaterEqual => Ok(after),
            Equal => self.add_binary(NullLogicalAnd, before, after),
            NotEqual => self.add_binary(NullLogicalOr, before, after),
            NullEquals | NullNotEquals => Ok(self.literal(Value::from(op == NullNotEquals))),
            _ => self.add_binary(op, other, tick),
        }
    }

    /// Adds a date that is moved by a duration, or returns `None` for other operands.
    fn moved(&mut self, op: BinaryOperator, date: Operand, duration: Operand) -> Result<Option<NodeId>> {
        let of_date = self.node(date.id).data_type.clone();
        let literal = self.value(duration.id).filter(|_| duration.is_literal);
        Ok(Some(match moments::moved(&of_date, &self.node(duration.id).data_type, literal)? {
            None => return Ok(None),
            Some(Moved::Timestamp(data_type)) => {
                let timestamp = self.add_cast(date.id, &data_type)?;
                self.add_binary(op, timestamp, duration.id)?
            }
            Some(Moved::Days { duration, as_timestamp }) => {
                let (timestamp, duration) = (self.add_cast(date.id, &as_timestamp)?, self.literal(duration));
                let moved = self.add_binary(op, timestamp, duration)?;
                self.add_cast(moved, &of_date)?
            }
        }))
    }

    fn add_binary(&mut self, op: BinaryOperator, lhs: NodeId, rhs: NodeId) -> Result<NodeId> {
        let (lhs, rhs) = (self.decoded(lhs), self.decoded(rhs));
        let (left, right) = (&self.node(lhs).data_type, &self.node(rhs).data_type);
        let (lhs, rhs) = match wider_offsets(left, right) {
            Some(wide) if op.group() == BinaryGroup::Choice => (self.cast(lhs, &wide), self.cast(rhs, &wide)),
            _ => (lhs, rhs),
        };
        let (left, right) = (&self.node(lhs).data_type, &self.node(rhs).data_type);
        let data_type = natural(op, left, right).map_err(|error| {
            let error = error.in_variant(op.name());
            match is_decimal(left) && is_floating(right) || is_floating(left) && is_decimal(right) {
                true => error.with_remedy("cast the decimal to `Float64`"),
                false => error,
            }
        })?;
        Ok(self.binary(op, lhs, rhs, data_type))
    }

    fn add_between(&mut self, value: Operand, [low, high]: [Operand; 2]) -> Result<NodeId> {
        let low = self.add_operands(BinaryOperator::GreaterEqual, value, low)?;
        let high = self.add_operands(BinaryOperator::LessEqual, value, high)?;
        self.add_binary(BinaryOperator::NullLogicalAnd, low, high)
    }

    fn add_cast(&mut self, value: NodeId, to: &DataType) -> Result<NodeId> {
        let from = &self.node(value).data_type;
        let has_value = self.value(value).is_some_and(|value| value.with_type(to).is_ok());
        if !has_value && CastPlan::new(from, to).is_none() && encoded_types(from, to).is_none() {
            return Err(refused_cast(from, to));
        }
        Ok(self.cast(value, to))
    }

    fn add_case(
        &mut self,
        branches: &[(Expr, Expr)],
        otherwise: Option<&Expr>,
        known: &mut Known<'_>,
    ) -> Result<NodeId> {
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        for (condition, value) in branches {
            let id = self.add(condition, known)?;
            if self.node(id).data_type != DataType::Boolean {
                let error = Error::type_mismatch(DataType::Boolean, &self.node(id).data_type);
                return Err(known.located(error.in_argument("condition"), condition));
            }
            conditions.push(id);
            values.push(self.add_value(value, known)?);
        }
        if let Some(otherwise) = otherwise {
            values.push(self.add_value(otherwise, known)?);
        }
        let (mut values, data_type) = self.of_one_type(values)?;
        if otherwise.is_none() {
            values.push(self.literal(Value::null(data_type.clone())));
        }
        Ok(self.case(conditions, values, data_type))
    }

    /// Converts the texts among the arguments to `LargeUtf8` if one of the texts has this type.
    fn with_texts_of_one_type(&mut self, function: Function, arguments: Vec<Operand>) -> Vec<Operand> {
        let parameters = function.parameters();
        let is_text = |at: usize| parameters.get(at).copied().or(function.repeated()) == Some(Parameter::Text);
        let has_type = |of: &Operand, data_type: &DataType| self.node(of.id).data_type == *data_type;
        let texts: Vec<_> = (0..arguments.len()).filter(|at| is_text(*at)).collect();
        if !texts.iter().any(|at| has_type(&arguments[*at], &DataType::LargeUtf8)) {
            return arguments;
        }
        let is_short: Vec<bool> =
            (0..).zip(&arguments).map(|(at, of)| texts.contains(&at) && has_type(of, &DataType::Utf8)).collect();
        let wide = |(of, is_short): (Operand, bool)| match is_short {
            true => Operand { id: self.cast(of.id, &DataType::LargeUtf8), ..of },
            false => of,
        };
        arguments.into_iter().zip(is_short).map(wide).collect()
    }

    fn call_type(&self, function: Function, arguments: &[Operand]) -> Result<DataType> {
        let of = |of: &Operand| Argument {
            data_type: &self.node(of.id).data_type,
            value: self.value(of.id).filter(|_| of.is_literal),
        };
        function.output_type(&arguments.iter().map(of).collect::<Vec<_>>())
    }

    fn add_value(&mut self, expression: &Expr, known: &mut Known<'_>) -> Result<Operand> {
        let is_literal = matches!(expression.kind(), ExprKind::Literal(_));
        self.add(expression, known).map(|id| Operand { id, is_literal })
    }

    /// Converts the values to one type. Returns the nodes of the values, and the type.
    fn of_one_type(&mut self, values: Vec<Operand>) -> Result<(Vec<NodeId>, DataType)> {
        let values: Vec<_> = values.into_iter().map(|of| Operand { id: self.decoded(of.id), ..of }).collect();
        let mut types = values.iter().filter(|of| !of.is_literal).map(|of| self.node(of.id).data_type.clone());
        let first = types.next();
        let mut data_type = first.map(|first| types.try_fold(first, |a, b| common_type(&a, &b))).transpose()?;
        let decimal = data_type.clone().filter(is_decimal);
        let values: Vec<_> = match &decimal {
            None => values,
            Some(decimal) => values.into_iter().map(|of| self.beside_decimal(of, decimal)).collect(),
        };
        for of in values.iter().filter(|of| of.is_literal) {
            let (Some(value), Some(known)) = (self.value(of.id), &data_type) else {
                data_type = Some(self.node(of.id).data_type.clone());
                continue;
            };
            if value.with_type(known).is_err() {
                data_type = Some(common_type(known, value.data_type())?);
            }
        }
        let data_type =
            data_type.ok_or_else(|| Error::invalid_argument("the function has no values; pass at least 1 value"))?;
        let values = values.into_iter().map(|of| self.add_cast(of.id, &data_type)).collect::<Result<Vec<_>>>()?;
        Ok((values, data_type))
    }

    /// Returns an operand. A literal of a float becomes a decimal.
    fn beside_decimal(&mut self, of: Operand, decimal: &DataType) -> Operand {
        let value = self.value(of.id).filter(|_| of.is_literal);
        match value.and_then(|value| value.as_decimal_beside(decimal)) {
            Some(value) => Operand { id: self.literal(value), ..of },
            None => of,
        }
    }

    fn add_is_key(&mut self, values: &[Expr], set: &KeySet, known: &mut Known<'_>) -> Result<NodeId> {
        if values.len() != set.types().len() {
            return Err(Error::column_count(set.types().len(), values.len()));
        }
        let mut arguments = Vec::with_capacity(values.len());
        for (value, expected) in values.iter().zip(set.types()) {
            let id = self.add(value, known)?;
            let id = self.decoded(id);
            let found = &self.node(id).data_type;
            if !same_type(expected, found) {
                return Err(known.located(Error::type_mismatch(expected, found), value));
            }
            arguments.push(id);
        }
        Ok(self.intern(Operation::IsKey(set.clone()), &arguments, DataType::Boolean))
    }

    fn add_is_in(&mut self, value: NodeId, list: &[Value]) -> Result<NodeId> {
        if list.is_empty() {
            return Ok(self.literal(Value::from(false)));
        }
        let value = self.decoded(value);
        let data_type = self.node(value).data_type.clone();
        let (mut own, mut others, mut has_null) = (Vec::new(), Vec::new(), false);
        // Floats of 64 bits represent all integers of up to 32 bits.
        let has_floats = is_floating(&data_type);
        let fits_floats = has_floats || data_type.is_integer() && width(&data_type).is_some_and(|width| width <= 4);
        for element in list {
            let moment = moments::of_text(element, &data_type)?;
            let decimal = element.as_decimal_beside(&data_type);
            let element = moment.as_ref().or(decimal.as_ref()).unwrap_or(element);
            default_output_type(BinaryOperator::Equal, &data_type, element.data_type())?;
            // `=` converts an integer or a decimal to a float before it is compared with a float. Different numbers can
            // become equal floats.
            let is_rounded = is_floating(element.data_type()) && !fits_floats;
            let exact = element.in_nanoseconds().filter(|_| Temporal::of(&data_type).is_some_and(|of| of.tick == 1));
            let element = exact.as_ref().unwrap_or(element);
            let typed = match element.with_scale_of(&data_type) {
                Some(element) => Ok(element),
                None => element.with_type(&data_type),
            };
            match typed {
                _ if element.is_null() => has_null = true,
                // No other type has a value between two microseconds.
                _ if element.is_between_ticks() => {}
                _ if is_rounded => others.push(element.clone()),
                Ok(element) if is_nan(&element) => {}
                Ok(element) => own.push(element),
                Err(_) if has_floats && !is_floating(element.data_type()) => others.push(element.clone()),
                // No value of the type equals a number that the type cannot represent.
                Err(_) if is_number(&data_type) && is_number(element.data_type()) => {}
                Err(_) => others.push(element.clone()),
            }
        }
        let mut result = self.is_in(value, own);
        for element in others {
            let element = self.literal(element);
            let equal = self.add_binary(BinaryOperator::Equal, value, element)?;
            result = self.add_binary(BinaryOperator::NullLogicalOr, result, equal)?;
        }
        if has_null {
            let null = self.literal(Value::null(DataType::Boolean));
            result = self.add_binary(BinaryOperator::NullLogicalOr, result, null)?;
        }
        Ok(result)
    }
}

fn is_number(data_type: &DataType) -> bool {
    gdf_core::is_integral(data_type) || is_floating(data_type)
}

/// Returns the type to which values of both types are cast. Structs must have equal names of fields. Fields and elements
/// of the result are nullable if the types differ.
fn common_type(a: &DataType, b: &DataType) -> Result<DataType> {
    match same_type(a, b) {
        true if a == b || !is_nested(a) => Ok(a.clone()),
        true if same_named_type(a, b) => Ok(nullable(a)),
        true => Err(Error::incompatible_types(a, b).with_remedy("give structs the same fields in the same order")),
        false => wider_offsets(a, b).map_or_else(|| natural(BinaryOperator::NullMax, a, b), Ok),
    }
}

fn is_nan(value: &Value) -> bool {
    value.float().or(value.half_or_single().map(f64::from)).is_some_and(f64::is_nan)
}
