//! The tables of operators: names, groups, notation, and null rules.

mod binary;
mod table;
mod unary;

use self::table::operators;

pub(crate) use self::binary::Notation;
pub use self::binary::{BinaryGroup, BinaryOperator, NullRule};
pub use self::unary::{UnaryGroup, UnaryOperator};
