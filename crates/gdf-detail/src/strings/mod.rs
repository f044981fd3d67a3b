//! Operations on text.

mod arguments;
mod characters;
mod contains;
mod pad;
mod repeat;
mod replace;
mod slice;
mod strip;
mod to_case;
mod upper_case;

pub use contains::contains;
pub use pad::{Side, pad, zfill};
pub use repeat::repeat;
pub use replace::{replace, replace_multiple};
pub use slice::{replace_slice, slice};
pub use strip::strip;
pub use to_case::{Case, to_case};
