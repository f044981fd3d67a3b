//! Finds members of objects that have no column, because they first occur after the objects from which types were
//! inferred.

use std::fmt;

use arrow_schema::{ArrowError, DataType, Fields, SchemaRef};
use serde_core::Deserialize;
use serde_core::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::text_input::excerpt;

/// Returns the first member without a field, as the names of the members that contain it, and its own name. If
/// `is_known_at_top` is true, the members of the object itself need no field.
pub(super) fn unknown(value: &Value, fields: &Fields, is_known_at_top: bool) -> Option<Vec<String>> {
    let Value::Object(members) = value else { return None };
    members.iter().find_map(|(name, value)| {
        let below = match fields.iter().find(|field| field.name() == name) {
            Some(field) => unknown_within(value, field.data_type())?,
            None if is_known_at_top => return None,
            None => Vec::new(),
        };
        Some([vec![name.clone()], below].concat())
    })
}

fn unknown_within(value: &Value, data_type: &DataType) -> Option<Vec<String>> {
    match (value, data_type) {
        (Value::Object(_), DataType::Struct(fields)) => unknown(value, fields, false),
        (
            Value::Array(elements),
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _),
        ) => elements.iter().find_map(|element| unknown_within(element, item.data_type())),
        (Value::Object(members), DataType::Map(entries, _)) => {
            let DataType::Struct(fields) = entries.data_type() else { return None };
            let values = fields.get(1)?.data_type();
            members.iter().find_map(|(name, value)| {
                unknown_within(value, values).map(|below| [vec![name.clone()], below].concat())
            })
        }
        _ => None,
    }
}

/// Returns the message for a member without a column.
pub(super) fn text(path: &[String]) -> String {
    format!(
        "the member \"{}\" does not occur in the objects from which the types were inferred; infer the types from more \
         objects (`infer_records`), or give the schema",
        excerpt(&path.join("."))
    )
}

/// Checks the objects within the columns of `schema`. Other members are ignored.
///
/// # Errors
/// - An object has a member without a field.
pub(super) fn check(bytes: &[u8], schema: &SchemaRef) -> Result<(), ArrowError> {
    if !schema.fields().iter().any(|field| has_objects(field.data_type())) {
        return Ok(());
    }
    let mut values = serde_json::Deserializer::from_slice(bytes);
    let failed = |error: serde_json::Error| ArrowError::JsonError(error.to_string());
    let is_at_end = |values: &mut serde_json::Deserializer<_>| values.end().is_ok();
    while !is_at_end(&mut values) {
        Known { fields: schema.fields(), is_top: true }.deserialize(&mut values).map_err(failed)?;
    }
    Ok(())
}

fn has_objects(data_type: &DataType) -> bool {
    match data_type {
        DataType::Struct(_) => true,
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            has_objects(item.data_type())
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => fields.get(1).is_some_and(|field| has_objects(field.data_type())),
            _ => false,
        },
        _ => false,
    }
}

/// An object whose members must have fields.
struct Known<'a> {
    fields: &'a Fields,
    is_top: bool,
}

impl<'de> DeserializeSeed<'de> for Known<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Known<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match self.fields.iter().find(|field| *field.name() == name) {
                Some(field) => map.next_value_seed(Within(field.data_type()))?,
                None if self.is_top => map.next_value::<IgnoredAny>().map(drop)?,
                None => return Err(A::Error::custom(text(&[name]))),
            }
        }
        Ok(())
    }
}

/// A value of a type.
struct Within<'a>(&'a DataType);

impl<'de> DeserializeSeed<'de> for Within<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.0 {
            data_type if !has_objects(data_type) => IgnoredAny::deserialize(deserializer).map(drop),
            DataType::Struct(fields) => Known { fields, is_top: false }.deserialize(deserializer),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Within<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let item = match self.0 {
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => item.data_type(),
            other => other,
        };
        while seq.next_element_seed(Within(item))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let DataType::Map(entries, _) = self.0 else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        let DataType::Struct(fields) = entries.data_type() else { return Ok(()) };
        while map.next_key::<IgnoredAny>()?.is_some() {
            match fields.get(1) {
                Some(values) => map.next_value_seed(Within(values.data_type()))?,
                None => map.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        Ok(())
    }
}
