//! The types of the results of functions of lists and structs.

use std::sync::Arc;

use gdf_core::{Abilities, DataType, Error, Field, FieldRef, Fields, Result, decimal_parts, is_floating, is_integral};

use super::{decoded_type, sum_type};
use crate::argument::Argument;

/// The rule for the type of a function of lists or structs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nested {
    /// `Int64` for `LargeList`, and `Int32` for all other lists.
    Position,
    /// The type of the elements.
    Element,
    /// The type of the list. `FixedSizeList` becomes `List`.
    SameList,
    /// The type of a sum of the elements: `Int64` for signed integers and booleans, `UInt64` for unsigned integers,
    /// `Decimal128` with 38 digits or `Decimal256` with 76 digits for decimals, and the type of the elements for floats
    /// and durations.
    Sum,
    /// The type of the elements, if they can be sorted. Views and dictionaries have the type of their values.
    Extreme,
    /// `Float64`, if the elements are booleans or numbers.
    Mean,
    /// `Boolean`, if the elements are booleans or numbers.
    Truth,
    /// The type of the field whose name is the second argument.
    Field,
    /// The struct with a field whose name is the second argument, and whose type is the type of the third argument.
    WithField,
    /// The struct with the further arguments as the names of its fields.
    RenamedFields,
    /// The struct without the fields whose names are the further arguments.
    OtherFields,
    /// The type of the values of the map.
    MapValue,
    /// Lists of the keys of the map.
    MapKeys,
    /// Lists of the values of the map.
    MapValues,
}

/// Returns the type of the elements of `List`, `LargeList` or `FixedSizeList`.
pub fn element_type(lists: &DataType) -> Option<&DataType> {
    match lists {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            Some(field.data_type())
        }
        _ => None,
    }
}

/// Returns the fields of a struct.
pub fn fields_of(data_type: &DataType) -> Option<&Fields> {
    match data_type {
        DataType::Struct(fields) => Some(fields),
        _ => None,
    }
}

/// Returns the fields of the keys and the values of a map.
pub fn map_fields(data_type: &DataType) -> Option<[&FieldRef; 2]> {
    let DataType::Map(entries, _) = data_type else { return None };
    match &fields_of(entries.data_type())?[..] {
        [key, value] => Some([key, value]),
        _ => None,
    }
}

/// Returns the type with nullable fields, elements and values of maps, at any depth.
pub fn nullable(data_type: &DataType) -> DataType {
    let field = |of: &FieldRef| {
        let data_type = nullable(of.data_type());
        Arc::new(of.as_ref().clone().with_data_type(data_type).with_nullable(true))
    };
    match data_type {
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::List(of) => DataType::List(field(of)),
        DataType::LargeList(of) => DataType::LargeList(field(of)),
        DataType::FixedSizeList(of, size) => DataType::FixedSizeList(field(of), *size),
        DataType::Map(entries, sorted) => match map_fields(data_type) {
            Some([key, value]) => {
                let key = Arc::new(key.as_ref().clone().with_nullable(false));
                let both = DataType::Struct([key, field(value)].into_iter().collect());
                let entries = entries.as_ref().clone().with_data_type(both).with_nullable(false);
                DataType::Map(Arc::new(entries), *sorted)
            }
            None => data_type.clone(),
        },
        other => other.clone(),
    }
}

/// Returns the position of the first field with this name.
///
/// # Errors
/// * [`NameNotFound`](Error::NameNotFound): no field has the name.
pub fn position(fields: &Fields, name: &str) -> Result<usize> {
    let found = fields.iter().position(|field| field.name() == name);
    found.ok_or_else(|| Error::name_not_found(name, None, fields.iter().map(|field| field.name())))
}

impl Nested {
    /// Returns the type of the result. The arguments have the kinds that the function accepts.
    pub(crate) fn output_type(self, arguments: &[Argument<'_>]) -> Result<DataType> {
        let first = arguments[0].data_type;
        if let Some(fields) = fields_of(first) {
            return self.of_struct(fields, arguments);
        }
        if let Some([key, value]) = map_fields(first) {
            return Ok(match self {
                Nested::MapValue => value.data_type().clone(),
                Nested::MapKeys => DataType::List(key.clone()),
                Nested::MapValues => DataType::List(value.clone()),
                _ => return Err(Error::internal("a function of lists was bound to a map")),
            });
        }
        let mismatch = || Error::type_mismatch("a type of lists", first);
        let element = element_type(first).ok_or_else(mismatch)?;
        let values = decoded_type(element);
        let unsupported = || Error::unsupported("reduce", first);
        let is_decimal = decimal_parts(values).is_some();
        let is_number = is_integral(values) || is_floating(values) || *values == DataType::Boolean || is_decimal;
        Ok(match self {
            Nested::Position if matches!(first, DataType::LargeList(_)) => DataType::Int64,
            Nested::Position => DataType::Int32,
            Nested::Element => element.clone(),
            Nested::SameList => match first {
                DataType::FixedSizeList(field, _) => DataType::List(field.clone()),
                other => other.clone(),
            },
            Nested::Extreme if Abilities::of(values).sortable => values.clone(),
            Nested::Mean if is_number => DataType::Float64,
            Nested::Truth if is_number => DataType::Boolean,
            Nested::Sum => sum_type(values).ok_or_else(unsupported)?,
            _ => return Err(unsupported()),
        })
    }

    fn of_struct(self, fields: &Fields, arguments: &[Argument<'_>]) -> Result<DataType> {
        let name = |argument: &Argument<'_>| match argument.value.and_then(|value| value.text()) {
            Some(name) => Ok(name.to_owned()),
            None => Err(Error::internal("the name of a field is not a literal")),
        };
        let names = || arguments[1..].iter().map(name).collect::<Result<Vec<_>>>();
        let kept: Vec<FieldRef> = match self {
            Nested::Field => {
                return Ok(fields[position(fields, &name(&arguments[1])?)?].data_type().clone());
            }
            Nested::WithField => {
                let field = Arc::new(Field::new(name(&arguments[1])?, arguments[2].data_type.clone(), true));
                let mut all = fields.to_vec();
                match all.iter().position(|of| of.name() == field.name()) {
                    Some(at) => all[at] = field,
                    None => all.push(field),
                }
                all
            }
            Nested::RenamedFields => {
                let names = names()?;
                if names.len() != fields.len() {
                    return Err(Error::length_mismatch(fields.len(), names.len()).in_argument("names"));
                }
                let renamed = fields.iter().zip(names).map(|(of, name)| of.as_ref().clone().with_name(name));
                renamed.map(Arc::new).collect()
            }
            Nested::OtherFields => {
                let dropped = names()?.iter().map(|name| position(fields, name)).collect::<Result<Vec<_>>>()?;
                let kept = fields.iter().enumerate().filter(|(at, _)| !dropped.contains(at));
                kept.map(|(_, field)| field.clone()).collect()
            }
            _ => return Err(Error::internal("a function of lists was bound to a struct")),
        };
        Ok(DataType::Struct(kept.into()))
    }
}
