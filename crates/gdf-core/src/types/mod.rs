//! Types: the types of Arrow, the Rust types of their values, and functions that return properties of a type.
//!
//! ```
//! # use gdf_core as gdf;
//! use gdf::types::{DataType, TimeUnit, is_temporal, same_type, width};
//!
//! let at = DataType::Timestamp(TimeUnit::Second, None);
//! assert!(is_temporal(&at) && !same_type(&at, &DataType::Int64));
//! assert_eq!(width(&at), Some(8));
//! ```

mod abilities;
mod data_type;
pub(crate) mod native;

pub use arrow_schema::{
    DataType, Field, FieldRef, Fields, IntervalUnit, Schema, SchemaRef, TimeUnit, UnionFields, UnionMode,
};
pub use half::f16;

pub use abilities::{Abilities, ValueOrder, is_nested};
pub use data_type::{
    PhysicalType, can_have_validity, decimal_parts, has_known_nulls, is_binary, is_decimal, is_fixed_width,
    is_floating, is_integral, is_list, is_numeric, is_signed_integral, is_string, is_temporal, is_unsigned_integral,
    physical_type, same_type, width,
};
pub use native::{I256, NativeType, NativeValue};
