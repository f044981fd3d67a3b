//! Values. A value is one element of any Arrow type as a plain Rust value. Oracles compute with values.

mod native;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use arrow_buffer::i256;
use arrow_schema::{ArrowError, DataType};
use half::f16;

pub use read::to_values;
pub use write::{from_values, try_from_values};

/// One valid element. A null is `None` in `Option<Value>`.
#[derive(Clone, Debug)]
pub enum Value {
    /// A boolean.
    Bool(bool),
    /// A signed integer, date, time, timestamp, duration or year-month interval.
    Int(i128),
    /// An unsigned integer.
    UInt(u64),
    /// A half-precision number with its exact bits.
    F16(f16),
    /// A single-precision number with its exact bits.
    F32(f32),
    /// A double-precision number with its exact bits.
    F64(f64),
    /// The unscaled integer of a decimal of any width.
    Decimal(i256),
    /// A string of any layout.
    Str(String),
    /// Bytes of any layout, including bytes of a fixed size.
    Bytes(Vec<u8>),
    /// A day-time or month-day-nanosecond interval.
    Interval {
        /// The months. The number is 0 for day-time intervals.
        months: i32,
        /// The days.
        days: i32,
        /// The nanoseconds. For a day-time interval, the number is the milliseconds multiplied by a million.
        nanoseconds: i64,
    },
    /// A list of any layout. A map is a list of structs with two fields.
    List(Vec<Option<Value>>),
    /// The fields of a struct, in order.
    Struct(Vec<Option<Value>>),
    /// The type id of a union's element and the element.
    Union(i8, Box<Option<Value>>),
}

/// The reason why values cannot become an array of the wanted type.
#[derive(Debug)]
#[non_exhaustive]
pub enum ValueError {
    /// The value has another kind than the type, or is too large for the type.
    Unfit {
        /// The wanted type.
        data_type: DataType,
        /// The value.
        value: Value,
    },
    /// This crate cannot build arrays of this type.
    Unsupported(DataType),
    /// arrow returned an error, for example because of a null in a field that is declared without nulls.
    Arrow(ArrowError),
}

impl std::fmt::Display for ValueError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ValueError::Unfit { data_type, value } => {
                write!(f, "{value:?} is not an element of {data_type}")
            }
            ValueError::Unsupported(data_type) => write!(f, "the test kit cannot make arrays of {data_type}"),
            ValueError::Arrow(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ValueError {}

impl From<ArrowError> for ValueError {
    fn from(error: ArrowError) -> Self {
        ValueError::Arrow(error)
    }
}

impl From<ValueError> for String {
    fn from(error: ValueError) -> Self {
        error.to_string()
    }
}

impl Value {
    /// Returns the boolean. Returns `None` for any other kind of value.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the number of an integer, a temporal value, or a decimal. Returns `None` for other kinds of values, and
    /// for decimals that do not fit.
    pub fn as_i128(&self) -> Option<i128> {
        match self {
            Value::Int(value) => Some(*value),
            Value::UInt(value) => Some(i128::from(*value)),
            Value::Decimal(value) => value.to_i128(),
            _ => None,
        }
    }

    /// Returns an integer, or the unscaled integer of a decimal, converted to 256 bits.
    pub fn as_i256(&self) -> Option<i256> {
        match self {
            Value::Decimal(value) => Some(*value),
            other => other.as_i128().map(i256::from_i128),
        }
    }

    /// Returns a floating-point number of any width, converted to double precision.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::F16(value) => Some(value.to_f64()),
            Value::F32(value) => Some(f64::from(*value)),
            Value::F64(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the string. Returns `None` for any other kind of value.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the bytes of a binary value or a string. Returns `None` for any other kind of value.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Bytes(value) => Some(value),
            Value::Str(value) => Some(value.as_bytes()),
            _ => None,
        }
    }

    /// Returns the elements of a list. Returns `None` for any other kind of value.
    pub fn as_list(&self) -> Option<&[Option<Value>]> {
        match self {
            Value::List(values) => Some(values),
            _ => None,
        }
    }

    /// Returns the fields of a struct. Returns `None` for any other kind of value.
    pub fn as_struct(&self) -> Option<&[Option<Value>]> {
        match self {
            Value::Struct(values) => Some(values),
            _ => None,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Value::Bool(_) => 0,
            Value::Int(_) => 1,
            Value::UInt(_) => 2,
            Value::F16(_) => 3,
            Value::F32(_) => 4,
            Value::F64(_) => 5,
            Value::Decimal(_) => 6,
            Value::Str(_) => 7,
            Value::Bytes(_) => 8,
            Value::Interval { .. } => 9,
            Value::List(_) => 10,
            Value::Struct(_) => 11,
            Value::Union(..) => 12,
        }
    }
}

/// Returns a key of a float.
fn float_key(value: f64) -> i64 {
    let value = if value.is_nan() { f64::NAN.copysign(1.0) } else { value };
    let bits = value.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

impl Ord for Value {
    /// Orders numbers by size. −0.0 comes before 0.0, and NaN comes last.
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::UInt(a), Value::UInt(b)) => a.cmp(b),
            (Value::F16(a), Value::F16(b)) => float_key(a.to_f64()).cmp(&float_key(b.to_f64())),
            (Value::F32(a), Value::F32(b)) => float_key(f64::from(*a)).cmp(&float_key(f64::from(*b))),
            (Value::F64(a), Value::F64(b)) => float_key(*a).cmp(&float_key(*b)),
            (Value::Decimal(a), Value::Decimal(b)) => a.cmp(b),
            (Value::Str(a), Value::Str(b)) => a.cmp(b),
            (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
            (Value::Interval { months, days, nanoseconds }, Value::Interval { months: m, days: d, nanoseconds: n }) => {
                (months, days, nanoseconds).cmp(&(m, d, n))
            }
            (Value::List(a), Value::List(b)) | (Value::Struct(a), Value::Struct(b)) => a.cmp(b),
            (Value::Union(i, a), Value::Union(j, b)) => i.cmp(j).then_with(|| a.cmp(b)),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Value::Bool(value) => value.hash(state),
            Value::Int(value) => value.hash(state),
            Value::UInt(value) => value.hash(state),
            Value::F16(_) | Value::F32(_) | Value::F64(_) => {
                float_key(self.as_f64().unwrap_or_default()).hash(state);
            }
            Value::Decimal(value) => value.to_le_bytes().hash(state),
            Value::Str(value) => value.hash(state),
            Value::Bytes(value) => value.hash(state),
            Value::Interval { months, days, nanoseconds } => {
                (months, days, nanoseconds).hash(state);
            }
            Value::List(values) | Value::Struct(values) => values.hash(state),
            Value::Union(id, value) => (id, value).hash(state),
        }
    }
}
