//! Operations on text.

mod arguments;
mod character_type_table;
mod character_types;
mod characters;
mod code_points;
mod join;
mod like;
mod multiple;
mod pad;
mod pairs;
mod repeat;
mod replace;
mod search;
mod slice;
mod split;
mod strip;
mod to_case;
mod upper_case;

use self::pairs::pairs;

pub use character_types::{CharacterTypes, all_characters_of_type, is_title};
pub use code_points::code_points;
pub use join::{JoinOptions, concatenate, format_list_column, join_list_elements, join_strings};
pub use like::like;
pub use multiple::{contains_multiple, find_multiple};
pub use pad::{Side, pad, zfill};
pub use repeat::repeat;
pub use replace::{replace, replace_multiple};
pub use search::{contains, count_bytes, count_characters, ends_with, find, rfind, starts_with};
pub use slice::{replace_slice, slice};
pub use split::{SplitFrom, extract_between, partition, split, split_part, split_record};
pub use strip::strip;
pub use to_case::{Case, to_case};
