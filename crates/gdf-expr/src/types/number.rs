//! The common type of numbers.
//!
//! An operator first converts its numbers to one type, the *common type* of `lhs`, `rhs` and the result.
//!
//! * The common type of two integers of one signedness is the wider type. Booleans count as 8-bit unsigned integers.
//! * The common type of a signed and an unsigned integer is the narrowest signed type that holds both. No such type
//!   exists for a 64-bit unsigned integer, so the operator works in 128 bits.
//! * The common type of an integer and a float is a float type at least as wide as the float. Integers of 8 bits need
//!   half precision and integers of 16 bits need single precision, which hold all their values exactly. Wider
//!   integers need double precision.
//! * The common type of two floats is the wider type.

use gdf_core::DataType;

/// A type in which an operator computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// An integer of 8 to 64 bits.
    Integer {
        /// Whether the type has negative values.
        signed: bool,
        /// The number of bits.
        bits: u32,
    },
    /// A 128-bit integer, for the combination of a signed integer and a 64-bit unsigned integer.
    Wide,
    /// A float of 16, 32 or 64 bits.
    Float {
        /// The number of bits.
        bits: u32,
    },
}

impl Number {
    /// Returns the number type of a column. Returns `None` for columns other than integers, floats and booleans.
    pub fn of(data_type: &DataType) -> Option<Number> {
        use DataType::*;
        let (signed, bits) = match data_type {
            Int8 => (true, 8),
            Int16 => (true, 16),
            Int32 => (true, 32),
            Int64 => (true, 64),
            Boolean | UInt8 => (false, 8),
            UInt16 => (false, 16),
            UInt32 => (false, 32),
            UInt64 => (false, 64),
            Float16 => return Some(Number::Float { bits: 16 }),
            Float32 => return Some(Number::Float { bits: 32 }),
            Float64 => return Some(Number::Float { bits: 64 }),
            _ => return None,
        };
        Some(Number::Integer { signed, bits })
    }

    /// Returns the common type of two number types.
    pub fn join(self, other: Number) -> Number {
        use Number::*;
        match (self, other) {
            (Integer { signed: a, bits: x }, Integer { signed: b, bits: y }) if a == b => {
                Integer { signed: a, bits: x.max(y) }
            }
            (Integer { signed: true, bits: s }, Integer { bits: u, .. })
            | (Integer { bits: u, .. }, Integer { signed: true, bits: s }) => match s.max(u * 2) {
                _ if u < s => Integer { signed: true, bits: s },
                bits if bits <= 64 => Integer { signed: true, bits },
                _ => Wide,
            },
            (Integer { .. }, Integer { .. }) => Wide,
            (Float { bits: x }, Float { bits: y }) => Float { bits: x.max(y) },
            (Float { bits: x }, Integer { bits: y, .. }) | (Integer { bits: y, .. }, Float { bits: x }) => {
                Float { bits: x.max((y * 2).min(64)) }
            }
            (Wide, Float { .. }) | (Float { .. }, Wide) => Float { bits: 64 },
            (Wide, _) | (_, Wide) => Wide,
        }
    }

    /// Returns whether the type is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Number::Float { .. })
    }

    /// Returns the default type of a result. The result of a 128-bit computation is `Int64`, and the value wraps.
    pub fn data_type(self) -> DataType {
        match self {
            Number::Integer { signed: true, bits: 8 } => DataType::Int8,
            Number::Integer { signed: true, bits: 16 } => DataType::Int16,
            Number::Integer { signed: true, bits: 32 } => DataType::Int32,
            Number::Integer { signed: false, bits: 8 } => DataType::UInt8,
            Number::Integer { signed: false, bits: 16 } => DataType::UInt16,
            Number::Integer { signed: false, bits: 32 } => DataType::UInt32,
            Number::Integer { signed: false, .. } => DataType::UInt64,
            Number::Integer { signed: true, .. } | Number::Wide => DataType::Int64,
            Number::Float { bits: 16 } => DataType::Float16,
            Number::Float { bits: 32 } => DataType::Float32,
            Number::Float { .. } => DataType::Float64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(a: DataType, b: DataType) -> DataType {
        let (a, b) = (Number::of(&a).unwrap(), Number::of(&b).unwrap());
        assert_eq!(a.join(b), b.join(a));
        a.join(b).data_type()
    }

    #[test]
    fn common_types() {
        use DataType::*;
        assert_eq!(common(Int8, Int32), Int32);
        assert_eq!(common(UInt8, Int8), Int16);
        assert_eq!(common(UInt32, Int8), Int64);
        assert_eq!(common(UInt32, Int64), Int64);
        assert_eq!(common(UInt64, Int8), Int64);
        assert_eq!(common(UInt64, UInt8), UInt64);
        assert_eq!(common(Boolean, Boolean), UInt8);
        assert_eq!(common(Float16, Int8), Float16);
        assert_eq!(common(Float16, Int16), Float32);
        assert_eq!(common(Float32, UInt16), Float32);
        assert_eq!(common(Float32, Int32), Float64);
        assert_eq!(common(Float32, UInt64), Float64);
        assert_eq!(common(Float32, Float64), Float64);
    }
}
