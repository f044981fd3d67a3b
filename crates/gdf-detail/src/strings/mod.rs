//! Operations on text.

mod arguments;
mod characters;
mod contains;
mod join;
mod pad;
mod repeat;
mod replace;
mod slice;
mod split;
mod strip;
mod to_case;
mod upper_case;

pub use contains::contains;
pub use join::{JoinOptions, concatenate, format_list_column, join_list_elements, join_strings};
pub use pad::{Side, pad, zfill};
pub use repeat::repeat;
pub use replace::{replace, replace_multiple};
pub use slice::{replace_slice, slice};
pub use split::{SplitFrom, extract_between, partition, split, split_part, split_record};
pub use strip::strip;
pub use to_case::{Case, to_case};
