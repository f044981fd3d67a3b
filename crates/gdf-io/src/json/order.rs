//! Records two facts about a file that type inference by arrow-json loses: the order of the members, and which integers
//! exceed the range of `i64` but fit `u64`.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields};
use serde_core::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// The members of objects in the order of their first occurrence.
#[derive(Debug, Default)]
pub(super) struct Order {
    places: HashMap<String, usize>,
    inner: Vec<Order>,
    /// Whether at least one integer exceeds the range of `i64` but fits `u64`.
    has_large: bool,
    /// Whether at least one number is negative or not an integer.
    has_others: bool,
}

impl Order {
    /// Records the members of a value.
    pub(super) fn see(&mut self, json: &[u8]) {
        let _ = self.deserialize(&mut serde_json::Deserializer::from_slice(json));
    }

    /// Returns the fields in the order of their first occurrence.
    pub(super) fn arranged(&self, fields: &Fields) -> Fields {
        let mut arranged: Vec<FieldRef> = fields.iter().map(|field| self.arranged_field(field)).collect();
        arranged.sort_by_key(|field| self.places.get(field.name()));
        arranged.into()
    }

    fn arranged_field(&self, field: &FieldRef) -> FieldRef {
        let Some(inner) = self.places.get(field.name()).and_then(|place| self.inner.get(*place)) else {
            return field.clone();
        };
        Arc::new(Field::clone(field).with_data_type(inner.arranged_type(field.data_type())))
    }

    fn arranged_type(&self, data_type: &DataType) -> DataType {
        match data_type {
            DataType::Struct(fields) => DataType::Struct(self.arranged(fields)),
            DataType::List(item) => {
                let data_type = self.arranged_type(item.data_type());
                DataType::List(Arc::new(Field::clone(item).with_data_type(data_type)))
            }
            DataType::Float64 if self.has_large && !self.has_others => DataType::UInt64,
            other => other.clone(),
        }
    }

    fn member(&mut self, name: String) -> &mut Order {
        let next = self.inner.len();
        let place = *self.places.entry(name).or_insert(next);
        if place == next {
            self.inner.push(Order::default());
        }
        &mut self.inner[place]
    }
}

impl<'de> DeserializeSeed<'de> for &mut Order {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Order {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            map.next_value_seed(self.member(name))?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(&mut *self)?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.has_others |= number < 0;
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.has_large |= i64::try_from(number).is_err();
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.has_others = true;
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_as_they_were_first_seen() {
        let mut order = Order::default();
        order.see(br#"{"z": [{"y": 1}, {"x": {"w": 2, "b": null}}], "a": "s"}"#);
        order.see(br#"{"m": true, "z": [{"a": 1.5}]}"#);
        order.see(b"no json");
        let int = |name: &str| Field::new(name, DataType::Int64, true);
        let of = |fields: Vec<Field>| DataType::Struct(fields.into());
        let list = |item: DataType| DataType::List(Arc::new(Field::new("item", item, true)));
        let x = |fields| Field::new("x", of(fields), true);
        let z = |fields| Field::new("z", list(of(fields)), true);
        let sorted = vec![int("a"), int("m"), z(vec![int("a"), x(vec![int("b"), int("w")]), int("y")])];
        let expected = vec![z(vec![int("y"), x(vec![int("w"), int("b")]), int("a")]), int("a"), int("m")];
        assert_eq!(order.arranged(&sorted.into()), Fields::from(expected));
    }

    #[test]
    fn large_integers_are_unsigned_unless_others_are_not() {
        for (numbers, expected) in [
            ("[1, 18446744073709551615]", DataType::UInt64),
            ("[-1, 18446744073709551615]", DataType::Float64),
            ("[1.5, 18446744073709551615]", DataType::Float64),
            ("[1, 18446744073709551616]", DataType::Float64),
        ] {
            let mut order = Order::default();
            order.see(format!("{{\"a\": {numbers}}}").as_bytes());
            let found = order.arranged(&vec![Field::new("a", DataType::Float64, true)].into());
            assert_eq!(found[0].data_type(), &expected, "{numbers}");
        }
    }
}
