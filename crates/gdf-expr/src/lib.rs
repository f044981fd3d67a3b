//! Expressions over columns: expression trees, type rules, and a graph that computes each distinct node once.
//!
//! The crate contains the types of columns, but no columns, devices or kernels. Users write an [`Expr`], and `Display`
//! writes an `Expr` in a form like SQL. [`Graph::bind`] gives an expression types, or returns an error with the part
//! that has no type. A [`Graph`] keeps each distinct computation once and simplifies nodes while they are added. The
//! graph also knows which results can be null, which [range](Graph::range) numbers have, and in which order
//! [conditions](Graph::conjuncts) should be tested. `gdf-compute` evaluates graphs.
//!
//! The crate contains the tables of operators ([`BinaryOperator`], [`UnaryOperator`]) and functions ([`Function`]),
//! with their null rules. [`types`] contains the type rules. Operations on whole columns follow the same tables.
//!
//! # Features
//! - `serde`: [`Expr`] and its parts can be serialized, up to the nesting depth [`MAX_DEPTH`].
#![deny(missing_docs)]

mod argument;
mod bind;
mod builder;
mod coded;
pub mod component;
mod conjuncts;
mod decimal_literal;
mod display;
mod exact;
mod expr;
pub mod function;
mod graph;
mod key_set;
mod moments;
mod operators;
mod range;
mod rewrite;
mod simplify;
mod substitute;
#[cfg(test)]
mod tests;
pub mod types;
mod value;

pub use self::coded::CodedText;
pub use self::component::Component;
pub use self::conjuncts::Estimate;
pub use self::expr::{Case, Expr, ExprKind, MAX_DEPTH, all_of, any_of, coalesce, col, lit, when};
pub use self::function::Function;
pub use self::graph::{Arguments, Graph, Input, Node, NodeId, Operation};
pub use self::key_set::{KeySet, Keys};
pub use self::operators::{BinaryGroup, BinaryOperator, NullRule, UnaryGroup, UnaryOperator};
pub use self::range::Range;
pub use self::value::Value;
#[doc(hidden)]
pub use gdf_core::DataType;
