//! `contains`, `contains_nulls` and `index_of`: search in each list.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::copying::copy_if_else;
use gdf_compute::filling::{from_scalar, sequence};
use gdf_compute::keys::{Purpose, is_replaced, prepare};
use gdf_compute::reduction::{ReduceAggregation, segmented_reduce};
use gdf_compute::unary::{is_nan, is_null};
use gdf_core::{Abilities, Column, ColumnView, DataType, Error, Literal, Operand, Result, is_floating};
use gdf_engine::check;
use gdf_engine::decoded::{Decoded, decoded_type};
use gdf_engine::keys::NullEquality;
use gdf_engine::operand::{of_one_type, one_value};
use gdf_engine::policy::NullPolicy;

use super::elements::{Elements, Hidden, position_type, with_nulls};
use crate::Ctx;
use crate::vouch::gather_column;

/// The element that `index_of` finds if several elements are equal to the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FindOption {
    /// The first of these elements.
    #[default]
    First,
    /// The last of these elements.
    Last,
}

/// Returns whether each list has an element that is equal to the key.
///
/// Implements `gdf_api::lists::contains` with the stream and the memory resources of `ctx`.
pub fn contains(column: ColumnView<'_>, key: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    let lists = Elements::open("contains", column, &[], Hidden::Kept, scratch)?;
    let decoded = decoded_keys(&lists, key, scratch)?;
    let key = decoded.as_ref().map_or(key, |keys| keys.view().into());
    let Some(equal) = equal_elements("contains", &lists, key, scratch)? else {
        return from_scalar(Literal::null(&DataType::Boolean).into(), column.len(), ctx);
    };
    let found = any(&equal, &lists, ctx)?;
    with_nulls(found, &nulls(&lists, key), ctx)
}

/// Returns the position of an element of each list that is equal to the key, or −1.
///
/// Implements `gdf_api::lists::index_of` with the stream and the memory resources of `ctx`.
pub fn index_of(column: ColumnView<'_>, key: Operand<'_>, find: FindOption, ctx: Ctx<'_>) -> Result<Column> {
    let (scratch, long) = (ctx.scratch(), &DataType::Int64);
    let lists = Elements::open("index_of", column, &[], Hidden::Kept, scratch)?;
    let data_type = position_type(lists.column.data_type());
    let decoded = decoded_keys(&lists, key, scratch)?;
    let key = decoded.as_ref().map_or(key, |keys| keys.view().into());
    let Some(equal) = equal_elements("index_of", &lists, key, scratch)? else {
        return from_scalar(Literal::null(&data_type).into(), column.len(), ctx);
    };
    let rows = sequence(0_i64.into(), 1_i64.into(), equal.len(), scratch)?;
    let rows = copy_if_else((&rows).into(), Literal::null(long).into(), equal.view(), scratch)?;
    let extreme = match find {
        FindOption::First => ReduceAggregation::Min,
        FindOption::Last => ReduceAggregation::Max,
    };
    let row = segmented_reduce(rows.view(), lists.offsets.view(), extreme, long, NullPolicy::Exclude, scratch)?;
    let position = of(&row, Op::Sub, (&lists.begins()?).into(), long, scratch)?;
    let position = of(&position, Op::NullMax, (-1_i64).into(), &data_type, ctx)?;
    with_nulls(position, &nulls(&lists, key), ctx)
}

/// Returns whether each list has a null element.
///
/// Implements `gdf_api::lists::contains_nulls` with the stream and the memory resources of `ctx`.
pub fn contains_nulls(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    let lists = Elements::open("contains_nulls", column, &[], Hidden::Kept, scratch)?;
    let found = any(&is_null(lists.values.view(), scratch)?, &lists, ctx)?;
    with_nulls(found, &[lists.column.view()], ctx)
}

pub(super) fn any(elements: &Column, lists: &Elements, ctx: Ctx<'_>) -> Result<Column> {
    let (any, boolean) = (ReduceAggregation::Any, &DataType::Boolean);
    segmented_reduce(elements.view(), lists.offsets.view(), any, boolean, NullPolicy::Exclude, ctx)
}

/// Returns the columns whose nulls are nulls of the result.
fn nulls<'a>(lists: &'a Elements, key: Operand<'a>) -> Vec<ColumnView<'a>> {
    match key {
        Operand::Column(keys) => vec![lists.column.view(), keys],
        _ => vec![lists.column.view()],
    }
}

/// Decodes a column of keys. A row of a dictionary is null if its value is null.
fn decoded_keys<'a>(lists: &Elements, key: Operand<'a>, ctx: Ctx<'_>) -> Result<Option<Decoded<'a>>> {
    let Operand::Column(keys) = key else { return Ok(None) };
    let in_key = |error: Error| error.in_argument("key");
    check::length(lists.column.len(), keys.len()).map_err(in_key)?;
    check::column(keys, ctx).map_err(in_key)?;
    Decoded::of(keys, ctx).map(Some)
}

/// Returns whether each element is equal to the key of its list. The result is `None` if the only key is null.
fn equal_elements(operation: &'static str, lists: &Elements, key: Operand<'_>, ctx: Ctx<'_>) -> Result<Option<Column>> {
    let in_key = |error: Error| error.in_argument("key");
    let boolean = &DataType::Boolean;
    if is_replaced(lists.values.data_type()) {
        return equal_nested_elements(operation, lists, key, ctx);
    }
    let decoded = Decoded::of(lists.values.view(), ctx)?;
    let values = decoded.view();
    if !Abilities::of(values.data_type()).equality {
        return Err(Error::unsupported(operation, lists.column.data_type()));
    }
    let [_, key] = of_one_type(values.into(), key);
    check::same_types(values.data_type(), decoded_type(key.data_type())).map_err(in_key)?;
    let (keys, scalar);
    let key = match key {
        Operand::Column(column) => {
            keys = gather_column(column, lists.parents(ctx)?.view(), ctx)?;
            Operand::from(&keys)
        }
        Operand::Literal(literal) if literal.is_null() => return Ok(None),
        key => {
            let given = one_value(key, values.data_type(), ctx).map_err(in_key)?;
            scalar = gdf_core::Scalar::from_column(Decoded::of(given.view(), ctx)?.into_column())?;
            if scalar.view().has_validity() && !scalar.is_valid_on(ctx.stream)? {
                return Ok(None);
            }
            Operand::from(&scalar)
        }
    };
    let elements = values.to_column();
    let equal = of(&elements, Op::Equal, key, boolean, ctx)?;
    if !is_floating(values.data_type()) {
        return Ok(Some(equal));
    }
    let both_nan = match key {
        Operand::Column(keys) => of(&is_nan(values, ctx)?, Op::LogicalAnd, (&is_nan(keys, ctx)?).into(), boolean, ctx)?,
        Operand::Scalar(key) => {
            let key = gdf_core::Scalar::from_column(is_nan(key.view(), ctx)?)?;
            of(&is_nan(values, ctx)?, Op::LogicalAnd, (&key).into(), boolean, ctx)?
        }
        Operand::Literal(_) => return Err(Error::internal("the literal has become a scalar")),
    };
    of(&equal, Op::LogicalOr, (&both_nan).into(), boolean, ctx).map(Some)
}

/// Implements [`equal_elements`] for elements that are structs or lists.
fn equal_nested_elements(
    operation: &'static str,
    lists: &Elements,
    key: Operand<'_>,
    ctx: Ctx<'_>,
) -> Result<Option<Column>> {
    let in_key = |error: Error| error.in_argument("key");
    let values = lists.values.view();
    check::same_types(values.data_type(), key.data_type()).map_err(in_key)?;
    let keys = match key {
        Operand::Column(column) => gather_column(column, lists.parents(ctx)?.view(), ctx)?,
        Operand::Literal(literal) if literal.is_null() => return Ok(None),
        key => {
            let given = one_value(key, values.data_type(), ctx).map_err(in_key)?;
            if given.view().has_validity() && !given.is_valid_on(ctx.stream)? {
                return Ok(None);
            }
            given.view().to_column()
        }
    };
    let purpose = Purpose::equality_of_columns(NullEquality::Equal);
    let [values, keys] = prepare(operation, [&values.into(), &keys.view().into()], purpose, ctx)?;
    let (values, keys) = (values.view()?.column(0)?.to_column(), keys.view()?.column(0)?.to_column());
    let scalar;
    let key = match key {
        Operand::Column(_) => Operand::from(&keys),
        Operand::Scalar(_) | Operand::Literal(_) => {
            scalar = gdf_core::Scalar::from_column(keys)?;
            Operand::from(&scalar)
        }
    };
    of(&values, Op::Equal, key, &DataType::Boolean, ctx).map(Some)
}
