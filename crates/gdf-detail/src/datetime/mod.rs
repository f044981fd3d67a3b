//! Operations on dates and times.

mod civil;
mod extract_component;

pub use extract_component::{Component, extract_component};
