//! Operations on text.

mod character_type_table;
mod character_types;
mod code_points;
mod like;
mod multiple;
mod pairs;
mod search;
mod to_case;
mod upper_case;

use self::pairs::pairs;

pub use character_types::{CharacterTypes, all_characters_of_type, is_title};
pub use code_points::code_points;
pub use like::like;
pub use multiple::{contains_multiple, find_multiple};
pub use search::{contains, count_bytes, count_characters, ends_with, find, rfind, starts_with};
pub use to_case::{Case, to_case};
