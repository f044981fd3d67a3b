//! Macros that turn a run-time type into a compile-time type.
//!
//! An operation should match on the type once, through one of these macros. The `else` arm handles the types that the
//! macro does not cover. The `else` arm usually returns a typed error:
//!
//! ```
//! # mod gdf { pub use gdf_core::*; pub mod core { pub use gdf_core::*; } }
//! use gdf::{DataType, Error, core::dispatch_numeric, core::physical_type};
//!
//! fn size(data_type: &DataType) -> Result<usize, Error> {
//!     dispatch_numeric!(physical_type(data_type), T => Ok(size_of::<T>()),
//!         else => Err(Error::unsupported("size", data_type)))
//! }
//! assert_eq!(size(&DataType::Float64).unwrap(), 8);
//! assert!(size(&DataType::Utf8).is_err());
//! ```
//!
//! | macro | covers | `T` |
//! |---|---|---|
//! | [`dispatch_integer!`](crate::dispatch_integer) | the eight integers | `i8` … `u64` |
//! | [`dispatch_floating!`](crate::dispatch_floating) | `f16`, `f32`, `f64` | the same |
//! | [`dispatch_numeric!`](crate::dispatch_numeric) | both of the above | the same |
//! | [`dispatch_fixed_width!`](crate::dispatch_fixed_width) | these and 128 and 256 bits | the same, `i128`, [`I256`](crate::I256) |
//! | [`dispatch_width!`](crate::dispatch_width) | a width of 1, 2, 4, 8, 16 or 32 bytes | `u8` … `u128`, [`I256`](crate::I256) |
//!
//! If an operation copies values without computing with them, use `dispatch_width!`. The compiler then makes one
//! instance of the body for each width instead of one for each type. If the code depends on two types, use a table of
//! functions. One macro inside another would make an instance for each pair of types.

/// Runs a body with `T` as one of the eight integers. See the [module](crate::dispatch).
#[macro_export]
macro_rules! dispatch_integer {
    ($physical:expr, $T:ident => $body:expr, else => $other:expr $(,)?) => {
        $crate::dispatch_arms!($physical, $T => $body, $other,
            [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64])
    };
}

/// Runs a body with `T` as `f16`, `f32` or `f64`. See the [module](crate::dispatch).
#[macro_export]
macro_rules! dispatch_floating {
    ($physical:expr, $T:ident => $body:expr, else => $other:expr $(,)?) => {
        $crate::dispatch_arms!($physical, $T => $body, $other, [F16 $crate::f16, F32 f32, F64 f64])
    };
}

/// Runs a body with `T` as an integer or floating type. See the [module](crate::dispatch).
#[macro_export]
macro_rules! dispatch_numeric {
    ($physical:expr, $T:ident => $body:expr, else => $other:expr $(,)?) => {
        $crate::dispatch_arms!($physical, $T => $body, $other,
            [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 $crate::f16, F32 f32, F64 f64])
    };
}

/// Runs a body with `T` as any [`NativeType`](crate::NativeType). See the [module](crate::dispatch).
#[macro_export]
macro_rules! dispatch_fixed_width {
    ($physical:expr, $T:ident => $body:expr, else => $other:expr $(,)?) => {
        $crate::dispatch_arms!($physical, $T => $body, $other,
            [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 $crate::f16, F32 f32, F64 f64,
             I128 i128, I256 $crate::I256])
    };
}

/// Runs a body with `W` as an unsigned type of the given number of bytes. See the [module](crate::dispatch).
///
/// Fixed-size binary values may be aligned to fewer bytes than `W` requires: see
/// [`PhysicalType::alignment`](crate::PhysicalType::alignment).
#[macro_export]
macro_rules! dispatch_width {
    ($width:expr, $W:ident => $body:expr, else => $other:expr $(,)?) => {
        match $width {
            1usize => {
                type $W = u8;
                $body
            }
            2usize => {
                type $W = u16;
                $body
            }
            4usize => {
                type $W = u32;
                $body
            }
            8usize => {
                type $W = u64;
                $body
            }
            16usize => {
                type $W = u128;
                $body
            }
            32usize => {
                type $W = $crate::I256;
                $body
            }
            _ => $other,
        }
    };
}

/// The match expression that the other macros expand to.
#[doc(hidden)]
#[macro_export]
macro_rules! dispatch_arms {
    ($physical:expr, $T:ident => $body:expr, $other:expr, [$($variant:ident $native:ty),* $(,)?]) => {
        match $physical {
            $($crate::PhysicalType::$variant => {
                type $T = $native;
                $body
            })*
            _ => $other,
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::{NativeType, PhysicalType};

    const ALL: [PhysicalType; 15] = [
        PhysicalType::Bool,
        PhysicalType::I8,
        PhysicalType::I16,
        PhysicalType::I32,
        PhysicalType::I64,
        PhysicalType::U8,
        PhysicalType::U16,
        PhysicalType::U32,
        PhysicalType::U64,
        PhysicalType::F16,
        PhysicalType::F32,
        PhysicalType::F64,
        PhysicalType::I128,
        PhysicalType::I256,
        PhysicalType::Struct,
    ];

    #[test]
    fn the_type_is_the_physical_one() {
        for physical in ALL {
            let found = dispatch_fixed_width!(physical, T => Some(T::PHYSICAL), else => None);
            let expected = !matches!(physical, PhysicalType::Bool | PhysicalType::Struct);
            assert_eq!(found, expected.then_some(physical));
            let found = dispatch_numeric!(physical, T => Some(T::PHYSICAL), else => None);
            assert_eq!(found.is_some(), physical.is_integral() || physical.is_floating());
            let found = dispatch_integer!(physical, T => Some(T::PHYSICAL), else => None);
            assert_eq!(found, physical.is_integral().then_some(physical));
            let found = dispatch_floating!(physical, T => Some(T::PHYSICAL), else => None);
            assert_eq!(found, physical.is_floating().then_some(physical));
        }
    }

    #[test]
    fn widths() {
        for width in 0..40usize {
            let found = dispatch_width!(width, W => Some(size_of::<W>()), else => None);
            assert_eq!(found, matches!(width, 1 | 2 | 4 | 8 | 16 | 32).then_some(width));
        }
    }
}
