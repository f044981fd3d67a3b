//! Owned values of literals.

use std::fmt;

use gdf_core::{
    DataType, Error, I256, Literal, LiteralValue, Result, Scalar, decimal_parts, f16, is_string, physical_type,
};

/// A value with its type, owned by the expression. The value can be null.
///
/// [`Value::new`] makes a value from any [`Literal`], and `From` makes a value from a Rust value. Two values are equal
/// if their types and their stored bits are equal: a NaN equals a NaN with the same bits, and 0.0 differs from -0.0.
///
/// ```
/// use gdf_expr::Value;
///
/// assert_eq!(Value::from(3).to_string(), "3");
/// assert_eq!(Value::from("it's").to_string(), "'it''s'");
/// assert!(Value::from(None::<i64>).is_null());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Value {
    data_type: DataType,
    /// The bytes in the form in which a column stores them. `None` if the value is null.
    bytes: Option<Box<[u8]>>,
    /// See [`Literal::nanoseconds_beyond`].
    #[cfg_attr(feature = "serde", serde(default))]
    beyond: u16,
}

impl Value {
    /// Copies the value of a literal.
    pub fn new(literal: Literal<'_>) -> Value {
        let bytes = literal.stored_bytes().map(Box::from);
        Value { data_type: literal.data_type().clone(), bytes, beyond: literal.nanoseconds_beyond() }
    }

    /// Returns the value of a scalar. **Waits** for the value.
    ///
    /// ```
    /// use gdf_core::Scalar;
    /// use gdf_expr::{Value, col};
    ///
    /// let mean = Scalar::new(5.5)?;
    /// assert_eq!(col(0).gt(Value::from_scalar(&mean)?).to_string(), "#0 > 5.5");
    /// # Ok::<(), gdf_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) for types that literals do not have: nested types, views, dictionaries,
    ///   bytes, intervals.
    /// * Driver and memory errors.
    pub fn from_scalar(scalar: &Scalar) -> Result<Value> {
        let data_type = scalar.data_type();
        let refused = || Error::unsupported("literal", data_type);
        if !scalar.is_valid()? {
            return Ok(Value::null(data_type.clone()));
        }
        if is_string(data_type) && physical_type(data_type).has_byte_offsets() {
            let text = scalar.value::<String>()?.ok_or_else(refused)?;
            return Value::from(&text).with_type(data_type);
        }
        if *data_type == DataType::Boolean {
            return Ok(Value::from(scalar.value::<bool>()?));
        }
        gdf_core::dispatch_arms!(
            physical_type(data_type),
            T => Ok(Value::new(Literal::typed(scalar.value::<T>()?, data_type)?)),
            Err(refused()),
            [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 f16, F32 f32, F64 f64, I128 i128, I256 I256]
        )
    }

    /// Returns a null of this type.
    pub fn null(data_type: DataType) -> Value {
        Value { data_type, bytes: None, beyond: 0 }
    }

    /// Returns the type.
    pub fn data_type(&self) -> &DataType {
        &self.data_type
    }

    /// Returns whether the value is null.
    pub fn is_null(&self) -> bool {
        self.bytes.is_none()
    }

    /// Returns a literal that borrows the value.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) if the bytes are not a value of the type. Only deserialized
    ///   values can have such bytes.
    pub fn literal(&self) -> Result<Literal<'_>> {
        match &self.bytes {
            None => Ok(Literal::null(&self.data_type)),
            Some(bytes) => {
                let literal = Literal::of_stored_bytes(&self.data_type, bytes).ok_or_else(|| {
                    Error::invalid_argument("the bytes of a deserialized literal are not a value of its type")
                })?;
                Ok(literal.with_nanoseconds_beyond(self.beyond))
            }
        }
    }

    /// Returns whether a date and time or a duration lies between two ticks of its type.
    pub(crate) fn is_between_ticks(&self) -> bool {
        self.beyond > 0
    }

    /// Returns the value of the last tick that is not after the value.
    pub(crate) fn at_tick(&self) -> Value {
        Value { beyond: 0, ..self.clone() }
    }

    /// Returns the value in nanoseconds; see [`Literal::in_nanoseconds`].
    pub(crate) fn in_nanoseconds(&self) -> Option<Value> {
        self.literal().ok()?.in_nanoseconds().map(Value::new)
    }

    /// Returns the same value with another type; see [`Literal::with_type`].
    ///
    /// # Errors
    /// * [`TypeMismatch`](Error::TypeMismatch) if the type cannot represent the value.
    pub fn with_type(&self, data_type: &DataType) -> Result<Value> {
        Ok(Value::new(self.literal()?.with_type(data_type)?))
    }

    /// Returns the text, or `None` for a null and for other types.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes.as_deref().filter(|_| is_string(&self.data_type))?).ok()
    }

    /// Returns the boolean, or `None` for a null and for other types.
    pub fn boolean(&self) -> Option<bool> {
        match self.data_type {
            DataType::Boolean => Some(self.bytes.as_deref()? == [1]),
            _ => None,
        }
    }

    /// Returns the stored number of an integer, a decimal, a date, a time or a duration of up to 128 bits, or `None`
    /// for a null and for other types.
    pub fn integer(&self) -> Option<i128> {
        let bytes = self.bytes.as_deref()?;
        let unsigned = gdf_core::is_unsigned_integral(&self.data_type);
        let stored = gdf_core::physical_type(&self.data_type);
        if !stored.is_integral() && stored != gdf_core::PhysicalType::I128 {
            return None;
        }
        let negative = !unsigned && bytes.last().is_some_and(|byte| *byte >= 0x80);
        let mut word = [if negative { 0xff } else { 0 }; 16];
        word.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(i128::from_le_bytes(word))
    }

    /// Returns the value of a float of 32 or 64 bits.
    pub fn float(&self) -> Option<f64> {
        let bytes = self.bytes.as_deref()?;
        match self.data_type {
            DataType::Float32 => Some(f32::from_le_bytes(*bytes.first_chunk()?).into()),
            DataType::Float64 => Some(f64::from_le_bytes(*bytes.first_chunk()?)),
            _ => None,
        }
    }

    /// Returns the value of a float of 16 or 32 bits in single precision, or `None` for a null and for other types.
    pub fn half_or_single(&self) -> Option<f32> {
        let bytes = self.bytes.as_deref()?;
        match self.data_type {
            DataType::Float16 => Some(gdf_core::f16::from_le_bytes(*bytes.first_chunk()?).to_f32()),
            DataType::Float32 => Some(f32::from_le_bytes(*bytes.first_chunk()?)),
            _ => None,
        }
    }

    fn wide_integer(&self) -> Option<I256> {
        let bytes: [u8; 32] = *self.bytes.as_deref()?.first_chunk()?;
        matches!(self.data_type, DataType::Decimal256(..)).then(|| I256(arrow_buffer::i256::from_le_bytes(bytes)))
    }
}

impl<'a, T: LiteralValue<'a>> From<T> for Value {
    fn from(value: T) -> Self {
        Value::new(value.into())
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}::{}", self.data_type)
    }
}

/// Writes the value in SQL syntax: `3`, `2.5`, `0.05`, `'text'`, `DATE '1998-09-02'`, `NULL`, `X'00ff'`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(bytes) = self.bytes.as_deref() else { return f.write_str("NULL") };
        if let Some(text) = self.text() {
            return write!(f, "'{}'", text.replace('\'', "''"));
        }
        if let Some(truth) = self.boolean() {
            return f.write_str(if truth { "TRUE" } else { "FALSE" });
        }
        // Each float is written with the fewest digits that its precision needs. A float of 16 bits has the digits of a
        // float of 32 bits.
        if let Some(float) = self.half_or_single() {
            return write!(f, "{float:?}");
        }
        if let Some(float) = self.float() {
            return write!(f, "{float:?}");
        }
        if let Some(exact) = self.is_between_ticks().then(|| self.in_nanoseconds()).flatten() {
            return exact.fmt(f);
        }
        let scale = decimal_parts(&self.data_type).map(|(_, _, scale)| scale);
        match (self.integer(), self.wide_integer(), &self.data_type) {
            (Some(days), _, DataType::Date32) => write_date(f, days),
            (Some(number), _, _) => match scale {
                Some(scale) => write_decimal(f, &number.to_string(), scale),
                None if gdf_core::is_integral(&self.data_type) => write!(f, "{number}"),
                None => write!(f, "CAST({number} AS {})", self.data_type),
            },
            (None, Some(number), _) => write_decimal(f, &number.0.to_string(), scale.unwrap_or(0)),
            (None, None, _) => {
                f.write_str("X'")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str("'")
            }
        }
    }
}

fn write_decimal(f: &mut fmt::Formatter<'_>, digits: &str, scale: i8) -> fmt::Result {
    let Ok(places) = usize::try_from(scale) else { return write!(f, "{digits}E{}", -i32::from(scale)) };
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, rest) = digits.split_at(digits.len() - places);
    if places == 0 { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{rest}") }
}

/// Writes the date of a day, given as days since 1970-01-01, by Howard Hinnant's `civil_from_days`.
fn write_date(f: &mut fmt::Formatter<'_>, days: i128) -> fmt::Result {
    let day = days + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + i128::from(month <= 2);
    write!(f, "DATE '{year:04}-{month:02}-{day:02}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_sql_writes_them() {
        let typed = |value: i64, data_type: &DataType| Value::new(Literal::typed(Some(value), data_type).unwrap());
        let day = |value: i32| Value::new(Literal::typed(Some(value), &DataType::Date32).unwrap()).to_string();
        assert_eq!(typed(5, &DataType::Decimal64(12, 2)).to_string(), "0.05");
        assert_eq!(typed(-1234, &DataType::Decimal64(12, 2)).to_string(), "-12.34");
        assert_eq!(typed(12, &DataType::Decimal64(12, -2)).to_string(), "12E2");
        assert_eq!(day(10_471), "DATE '1998-09-02'");
        assert_eq!(day(-1), "DATE '1969-12-31'");
        assert_eq!(day(11_016), "DATE '2000-02-29'");
        assert_eq!(Value::from(2.0).to_string(), "2.0");
        assert_eq!(Value::from(true).to_string(), "TRUE");
        assert_eq!(Value::from(-3_i8).integer(), Some(-3));
        assert_eq!(Value::from(255_u8).integer(), Some(255));
        assert_eq!(Value::new(Literal::binary(&[0, 255])).to_string(), "X'00ff'");
        assert_eq!(Value::null(DataType::Int8).to_string(), "NULL");
    }

    #[test]
    fn scalars_become_literals() {
        for literal in [Literal::from(3), 2.5.into(), "Oslo".into(), true.into(), i128::MIN.into(), None::<i8>.into()] {
            assert_eq!(Value::from_scalar(&Scalar::new(literal).unwrap()).unwrap(), Value::new(literal));
        }
        let day = Literal::typed(Some(7), &DataType::Date32).unwrap();
        assert_eq!(Value::from_scalar(&Scalar::new(day).unwrap()).unwrap(), Value::new(day));
        assert!(Value::from_scalar(&Scalar::new(Literal::binary(b"x")).unwrap()).is_err());
    }

    #[test]
    fn a_value_is_the_literal_it_came_from() {
        for literal in [Literal::from(3), 2.5.into(), "Oslo".into(), true.into(), i128::MIN.into(), None::<i8>.into()] {
            assert_eq!(Value::new(literal).literal().unwrap(), literal);
        }
        assert_ne!(Value::from(0.0), Value::from(-0.0));
        assert_eq!(Value::from(3).with_type(&DataType::Float32).unwrap(), Value::from(3.0_f32));
    }
}
