//! Makes nodes that DataFusion runs itself compute exactly what islands compute.
//!
//! * A field of a null struct is null, and a null map has no entries: [`nested`].
//! * −0.0 equals 0.0, and each NaN equals each other NaN: [`floats`].
//! * NaN is the greatest number, also for extremes of groups: [`total_order`].
//! * Decimals are added exactly: [`decimals`] and [`exact_sum`].
//!
//! Rules of the analyzer rewrite expressions. What nodes compare is prepared by [`Canonical`], a node below them.

mod decimals;
mod exact_sum;
mod floats;
mod functions;
mod nested;
mod node;
mod rules;
mod total_order;

#[cfg(feature = "codec")]
pub(crate) use self::exact_sum::exact_sum;
pub(crate) use self::exact_sum::is_sum;
pub(crate) use self::functions::OwnFunction;
#[cfg(feature = "codec")]
pub(crate) use self::functions::own_function;
pub(crate) use self::node::{Canonical, over_canonical};
pub(crate) use self::rules::{add_functions, add_rules};
#[cfg(feature = "codec")]
pub(crate) use self::total_order::total_order;
