//! The operators: names, groups, notation, rules for nulls.

mod binary;
mod table;
mod unary;

use self::table::operators;

pub(crate) use self::binary::Notation;
pub use self::binary::{BinaryGroup, BinaryOperator, NullRule};
pub use self::unary::{UnaryGroup, UnaryOperator};
