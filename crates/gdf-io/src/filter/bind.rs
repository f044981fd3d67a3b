//! Binds predicates to the columns of a file.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::timezone::Tz;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::Field;
use gdf_api::scope::with_stream;
use gdf_core::{Column, DataType, Scalar, Table};
use gdf_driver::{Device, Stream};

use super::{Filter, number};
use crate::exact::is_exact;
use crate::predicate::{Comparison, Literal, Node};
use crate::{Error, Predicate, Result};

impl Filter {
    /// Binds a predicate to `fields`.
    ///
    /// # Errors
    /// - [`Error::Predicate`]: a column is nested, or a literal does not fit the type of its column.
    /// - [`Error::NoColumn`].
    /// - [`gdf_core::Error::InvalidArgument`]: conditions are nested too deeply.
    pub(super) fn bind(predicate: &Predicate, fields: &[&Field], path: &Path) -> Result<Filter> {
        bind(&predicate.node, &Columns::of(fields), path)
    }
}

/// The columns that a predicate may name.
struct Columns<'f> {
    fields: &'f [&'f Field],
    places: HashMap<&'f str, usize>,
}

impl<'f> Columns<'f> {
    fn of(fields: &'f [&'f Field]) -> Self {
        let mut places = HashMap::new();
        for (index, field) in fields.iter().enumerate() {
            places.entry(field.name().as_str()).or_insert(index);
        }
        Columns { fields, places }
    }

    fn find(&self, column: &str, path: &Path) -> Result<(usize, &'f Field)> {
        let index = *self.places.get(column).ok_or_else(|| Error::NoColumn {
            path: path.to_owned(),
            column: column.to_owned(),
            known: self.fields.iter().map(|field| field.name().clone()).collect(),
        })?;
        let field = self.fields[index];
        if gdf_core::is_nested(values_type(field.data_type())) {
            return Err(refused(field, "nested columns cannot be compared; use a column that is not nested"));
        }
        Ok((index, field))
    }
}

fn bind(node: &Node, columns: &Columns<'_>, path: &Path) -> Result<Filter> {
    Ok(match node {
        Node::Compare { column, comparison, literal } => {
            let (index, field) = columns.find(column, path)?;
            Filter::Compare { column: index, comparison: *comparison, literal: scalar(literal, field)?.into() }
        }
        Node::In { column, literals } => {
            let (index, field) = columns.find(column, path)?;
            one_of(index, field, literals.iter())?
        }
        Node::Null { column, is_null } => Filter::Null { column: columns.find(column, path)?.0, is_null: *is_null },
        Node::All(nodes) => Filter::All(nodes.iter().map(|node| bind(node, columns, path)).collect::<Result<_>>()?),
        Node::Any(nodes) => any(nodes, columns, path)?,
        Node::TooDeep => {
            let rule = "the conditions of a predicate may be nested 64 levels deep; join conditions of one kind, so \
                        that they form one list, or use `Predicate::is_in`";
            return Err(gdf_core::Error::invalid_argument(rule).in_operation("predicate").into());
        }
    })
}

/// Binds a disjunction. The literals with which a column is compared for equality become one set.
fn any(nodes: &VecDeque<Node>, columns: &Columns<'_>, path: &Path) -> Result<Filter> {
    let mut equal: HashMap<&str, Vec<&Literal>> = HashMap::new();
    let mut filters = Vec::new();
    for node in nodes {
        match node {
            Node::Compare { column, comparison: Comparison::Eq, literal } => {
                equal.entry(column).or_default().push(literal);
            }
            Node::In { column, literals } => equal.entry(column).or_default().extend(literals),
            other => filters.push(bind(other, columns, path)?),
        }
    }
    let mut equal: Vec<_> = equal.into_iter().collect();
    // The order of a map is random, but errors must not be.
    equal.sort_unstable_by_key(|(column, _)| *column);
    for (column, literals) in equal {
        let (index, field) = columns.find(column, path)?;
        filters.push(one_of(index, field, literals.into_iter())?);
    }
    Ok(Filter::Any(filters))
}

/// Binds the condition that the value of a column equals one of the literals.
fn one_of<'l>(column: usize, field: &Field, literals: impl Iterator<Item = &'l Literal>) -> Result<Filter> {
    let data_type = values_type(field.data_type());
    let mut arrays = literals.map(|literal| array_of(literal, field)).collect::<Result<Vec<_>>>()?;
    // NaN equals no value, but equals NaN in a set.
    arrays.retain(|array| !is_nan(array));
    let mr = gdf_memory::current_resource(Device::Cpu)?;
    if arrays.len() <= FEW || !makes_sets(data_type) {
        let equal = |array: &ArrayRef| {
            let literal = Scalar::from_arrow(array, &Stream::cpu(), mr.as_ref())?.into();
            Ok(Filter::Compare { column, comparison: Comparison::Eq, literal })
        };
        return Ok(Filter::Any(arrays.iter().map(equal).collect::<Result<_>>()?));
    }
    let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
    let all = arrow_select::concat::concat(&arrays).map_err(gdf_core::Error::from)?;
    Ok(set(column, Column::from_arrow(&all, &Stream::cpu(), mr.as_ref())?)?)
}

/// Returns the condition that the value of a column equals one of the values, which are on the CPU.
pub(super) fn set(column: usize, values: Column) -> gdf_core::Result<Filter> {
    let set = Table::try_new(vec![values])?;
    let values = with_stream(&Stream::cpu(), || gdf_api::sorting::sort(&set, &[], &[]))?;
    Ok(Filter::In { column, values })
}

/// Up to this number of literals, each literal is compared on its own.
pub(super) const FEW: usize = 4;

/// Returns whether values of the type can be members of a set.
pub(super) fn makes_sets(data_type: &DataType) -> bool {
    let is_text = matches!(
        data_type,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary | DataType::Boolean
    );
    is_text
        || gdf_core::is_numeric(data_type)
        || matches!(
            data_type,
            DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) | DataType::Time32(_) | DataType::Time64(_)
        )
}

fn is_nan(array: &ArrayRef) -> bool {
    gdf_core::is_floating(array.data_type())
        && arrow_cast::cast(array, &DataType::Float64)
            .is_ok_and(|array| array.as_primitive::<Float64Type>().value(0).is_nan())
}

/// Returns the type of the values.
pub(super) fn values_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

pub(super) fn refused(field: &Field, what: impl Into<String>) -> Error {
    Error::Predicate { column: field.name().clone(), data_type: field.data_type().clone(), what: what.into() }
}

/// Converts the literal to the type of the column.
fn scalar(literal: &Literal, field: &Field) -> Result<Scalar> {
    let mr = gdf_memory::current_resource(Device::Cpu)?;
    Ok(Scalar::from_arrow(&array_of(literal, field)?, &Stream::cpu(), mr.as_ref())?)
}

/// Converts the literal to an array of one row, of the type of the column.
fn array_of(literal: &Literal, field: &Field) -> Result<ArrayRef> {
    let target = values_type(field.data_type());
    let no_value = || refused(field, format!("{literal} cannot be converted to the type of the column"));
    if let DataType::Timestamp(_, Some(zone)) = target
        && zone.parse::<Tz>().is_err()
    {
        return Err(refused(field, format!("the time zone {zone} is unknown")));
    }
    let is_bytes = matches!(target, DataType::Binary | DataType::LargeBinary | DataType::FixedSizeBinary(_));
    let goes_together = match literal {
        Literal::Text(_) => !is_bytes,
        Literal::Bytes(_) => is_bytes,
        Literal::Bool(_) => *target == DataType::Boolean,
        _ => gdf_core::is_numeric(target),
    };
    if !goes_together {
        return Err(no_value());
    }
    if let (Literal::Bytes(bytes), DataType::FixedSizeBinary(size)) = (literal, target)
        && usize::try_from(*size) != Ok(bytes.len())
    {
        return Err(no_value());
    }
    let converted = match literal {
        Literal::Number(text) => number::array_of(text, target),
        // A cast would round to 32 bits first. 800 decimals show each 64-bit float exactly.
        Literal::Float(value) if *target == DataType::Float16 && value.is_finite() => {
            number::array_of(&format!("{value:.800e}"), target)
        }
        _ => converted(literal, target),
    };
    converted.ok_or_else(no_value)
}

/// Casts the literal to the type. Returns `None` if the type cannot represent the value.
fn converted(literal: &Literal, target: &DataType) -> Option<ArrayRef> {
    let given = literal.to_array();
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let cast = cast_with_options(&given, target, &options).ok()?;
    let is_exact = match literal {
        Literal::Float(value) if gdf_core::is_floating(target) => {
            // The literal is rounded to the nearest float of the column's width, but not to infinity.
            let rounded = cast_with_options(&cast, &DataType::Float64, &options).ok()?;
            rounded.as_primitive::<Float64Type>().value(0).is_finite() == value.is_finite()
        }
        Literal::Float(value) if gdf_core::is_decimal(target) => {
            let back = cast_with_options(&cast, &DataType::Float64, &options).ok()?;
            back.as_primitive::<Float64Type>().value(0) == *value
        }
        Literal::Int(_) | Literal::UInt(_) | Literal::Float(_) => back(&cast, &given),
        Literal::Text(text) => is_exact(text, target),
        Literal::Bool(_) | Literal::Bytes(_) | Literal::Number(_) => true,
    };
    (is_exact && (cast.null_count() == 0 || gdf_core::is_string(target))).then_some(cast)
}

/// Returns whether converting the result back gives the literal again.
fn back(cast: &dyn Array, given: &dyn Array) -> bool {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(cast, given.data_type(), &options).is_ok_and(|back| back.as_ref() == given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_rounded_once_to_16_bits() {
        let field = Field::new("x", DataType::Float16, true);
        let of = |value: f64| {
            let found = scalar(&Literal::Float(value), &field).ok()?;
            let found = arrow_cast::cast(&found.column().to_arrow(&Stream::cpu()).ok()?, &DataType::Float64).ok()?;
            Some(found.as_primitive::<Float64Type>().value(0))
        };
        // The nearest 32-bit float lies in the middle of two 16-bit floats.
        let middle = 1.0 + 2.0_f64.powi(-11);
        assert_eq!(of(middle), Some(1.0));
        assert_eq!(of(middle + 2.0_f64.powi(-40)), Some(1.0009765625));
        assert_eq!(of(65_520.0_f64.next_down()), Some(65_504.0));
        assert_eq!((of(65_520.0), of(f64::NEG_INFINITY)), (None, Some(f64::NEG_INFINITY)));
    }
}
