//! Binds predicates to the columns of a file.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::timezone::Tz;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::Field;
use gdf_core::{DataType, Scalar};
use gdf_driver::{Device, Stream};

use super::{Filter, number};
use crate::exact::is_exact;
use crate::predicate::{Literal, Node};
use crate::{Error, Predicate, Result};

impl Filter {
    /// Binds a predicate to `fields`.
    ///
    /// # Errors
    /// - [`Error::Predicate`]: a column is nested, or a literal does not fit the type of its column.
    /// - [`Error::NoColumn`].
    pub(crate) fn bind(predicate: &Predicate, fields: &[&Field], path: &Path) -> Result<Filter> {
        bind(&predicate.0, fields, path)
    }
}

fn bind(node: &Node, fields: &[&Field], path: &Path) -> Result<Filter> {
    let both = |a, b| Ok::<_, Error>((Box::new(bind(a, fields, path)?), Box::new(bind(b, fields, path)?)));
    Ok(match node {
        Node::Compare { column, comparison, literal } => {
            let (index, field) = find(column, fields, path)?;
            Filter::Compare { column: index, comparison: *comparison, literal: scalar(literal, field)?.into() }
        }
        Node::Null { column, is_null } => Filter::Null { column: find(column, fields, path)?.0, is_null: *is_null },
        Node::And(a, b) => both(a, b).map(|(a, b)| Filter::And(a, b))?,
        Node::Or(a, b) => both(a, b).map(|(a, b)| Filter::Or(a, b))?,
    })
}

fn find<'f>(column: &str, fields: &[&'f Field], path: &Path) -> Result<(usize, &'f Field)> {
    let index = fields.iter().position(|field| field.name() == column).ok_or_else(|| Error::NoColumn {
        path: path.to_owned(),
        column: column.to_owned(),
        known: fields.iter().map(|field| field.name().clone()).collect(),
    })?;
    let field = fields[index];
    if gdf_core::is_nested(values_type(field.data_type())) {
        return Err(refused(field, "nested columns cannot be compared; use a column that is not nested"));
    }
    Ok((index, field))
}

/// Returns the type of the values.
pub(super) fn values_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

fn refused(field: &Field, what: impl Into<String>) -> Error {
    Error::Predicate { column: field.name().clone(), data_type: field.data_type().clone(), what: what.into() }
}

/// Converts the literal to the type of the column.
fn scalar(literal: &Literal, field: &Field) -> Result<Scalar> {
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
    let mr = gdf_memory::current_resource(Device::Cpu)?;
    Ok(Scalar::from_arrow(&converted.ok_or_else(no_value)?, &Stream::cpu(), mr.as_ref())?)
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
