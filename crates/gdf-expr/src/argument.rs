//! An argument of a function, as far as the type of the result depends on it.

use gdf_core::DataType;

use crate::value::Value;

/// The type of an argument, and the value of the argument if the argument is a literal.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    /// The type.
    pub data_type: &'a DataType,
    /// The value, if the argument is a literal.
    pub value: Option<&'a Value>,
}
