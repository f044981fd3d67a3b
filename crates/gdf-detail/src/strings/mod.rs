//! Operations on text.

mod contains;
mod to_case;
mod upper_case;

pub use contains::contains;
pub use to_case::{Case, to_case};
