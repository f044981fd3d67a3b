//! Expressions on columns: what users write, the rules of types, and a graph that computes nothing twice.
//!
//! The crate knows types of columns and no column, no device and no kernel. [`Expr`] is what users write and what
//! `Display` prints like SQL. [`Graph::bind`] gives an expression types, or an error that names the part without one.
//! A [`Graph`] keeps each distinct computation once, simplifies while it grows, knows which results can be null, what
//! [range](Graph::range) numbers have, and in which order [conditions](Graph::conjuncts) are best tested. Evaluators are
//! in `gdf-compute`.
//!
//! The tables of operators ([`BinaryOperator`], [`UnaryOperator`]) and of functions ([`Function`]) are here, with their
//! rules of types in [`types`] and their rules of nulls: also for operations on whole columns, which follow the same
//! rows.
//!
//! # Features
//! - `serde`: [`Expr`] and its parts can be serialized.
#![deny(missing_docs)]

mod bind;
pub mod component;
mod conjuncts;
mod display;
mod expr;
pub mod function;
mod graph;
mod operators;
mod range;
mod rewrite;
mod simplify;
#[cfg(test)]
mod tests;
pub mod types;
mod value;

pub use self::component::Component;
pub use self::conjuncts::Estimate;
pub use self::expr::{Case, Expr, ExprKind, MAX_DEPTH, coalesce, col, lit, when};
pub use self::function::Function;
pub use self::graph::{Arguments, Graph, Input, Node, NodeId, Operation};
pub use self::operators::{BinaryGroup, BinaryOperator, NullRule, UnaryGroup, UnaryOperator};
pub use self::range::Range;
pub use self::value::Value;
