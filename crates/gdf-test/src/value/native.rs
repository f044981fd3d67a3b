//! Conversions between the native element types of arrow and [`Value`].

use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano, i256};
use half::f16;

use super::Value;

pub(super) trait Native: Copy {
    fn to_value(self) -> Value;
    /// Returns the native element.
    fn of_value(value: &Value) -> Option<Self>;
}

macro_rules! integers {
    ($($native:ty => $kind:ident as $wide:ty),*) => {$(
        impl Native for $native {
            fn to_value(self) -> Value {
                Value::$kind(<$wide>::from(self))
            }
            fn of_value(value: &Value) -> Option<Self> {
                value.as_i128().and_then(|wide| <$native>::try_from(wide).ok())
            }
        }
        impl From<$native> for Value {
            fn from(value: $native) -> Value {
                value.to_value()
            }
        }
    )*};
}

integers!(i8 => Int as i128, i16 => Int as i128, i32 => Int as i128, i64 => Int as i128,
    i128 => Int as i128, u8 => UInt as u64, u16 => UInt as u64, u32 => UInt as u64, u64 => UInt as u64);

macro_rules! own_kind {
    ($($native:ty => $kind:ident),*) => {$(
        impl Native for $native {
            fn to_value(self) -> Value {
                Value::$kind(self)
            }
            fn of_value(value: &Value) -> Option<Self> {
                match value {
                    Value::$kind(value) => Some(*value),
                    _ => None,
                }
            }
        }
        impl From<$native> for Value {
            fn from(value: $native) -> Value {
                Value::$kind(value)
            }
        }
    )*};
}

own_kind!(f16 => F16, f32 => F32, f64 => F64);

impl Native for i256 {
    fn to_value(self) -> Value {
        Value::Decimal(self)
    }
    fn of_value(value: &Value) -> Option<Self> {
        value.as_i256()
    }
}

impl Native for IntervalMonthDayNano {
    fn to_value(self) -> Value {
        Value::Interval { months: self.months, days: self.days, nanoseconds: self.nanoseconds }
    }
    fn of_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Interval { months, days, nanoseconds } => Some(IntervalMonthDayNano::new(months, days, nanoseconds)),
            _ => None,
        }
    }
}

const NANOSECONDS_PER_MILLISECOND: i64 = 1_000_000;

impl Native for IntervalDayTime {
    fn to_value(self) -> Value {
        Value::Interval {
            months: 0,
            days: self.days,
            nanoseconds: i64::from(self.milliseconds) * NANOSECONDS_PER_MILLISECOND,
        }
    }
    fn of_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Interval { months: 0, days, nanoseconds } if nanoseconds % NANOSECONDS_PER_MILLISECOND == 0 => {
                let milliseconds = i32::try_from(nanoseconds / NANOSECONDS_PER_MILLISECOND).ok()?;
                Some(IntervalDayTime::new(days, milliseconds))
            }
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Str(value.to_owned())
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Value {
        Value::Bytes(value.to_owned())
    }
}
