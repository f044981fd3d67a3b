//! Operations on text.

mod arguments;
mod as_text;
mod character_type_table;
mod character_types;
mod characters;
mod code_points;
mod extract;
mod findall;
mod from_numbers;
mod join;
mod like;
mod lower_case;
mod multiple;
mod pad;
mod pairs;
mod repeat;
mod replace;
mod replace_re;
mod reverse;
mod search;
mod search_re;
mod slice;
mod split;
mod split_re;
mod strip;
mod title_case;
mod to_case;
mod to_numbers;
mod translate;
mod upper_case;
mod url;
mod wrap;

pub use as_text::as_text;
pub use character_types::{CharacterTypes, all_characters_of_type, is_title};
pub use code_points::code_points;
pub use extract::{extract, extract_all_record, extract_single};
pub use findall::findall;
pub use from_numbers::{from_booleans, from_fixed_point, from_integers, integers_to_hex, integers_to_ipv4};
pub use join::{JoinOptions, concatenate, format_list_column, join_list_elements, join_strings};
pub use like::like;
pub use multiple::{contains_multiple, find_multiple};
pub use pad::{Side, pad, zfill};
pub use repeat::repeat;
pub use replace::{replace, replace_multiple};
pub use replace_re::{replace_re, replace_with_backrefs};
pub use reverse::reverse;
pub use search::{contains, count_bytes, count_characters, ends_with, find, rfind, starts_with};
pub use search_re::{contains_re, count_re, find_re, matches_re};
pub use slice::{replace_slice, slice};
pub use split::{SplitFrom, extract_between, partition, split, split_part, split_record};
pub use split_re::{split_re, split_record_re};
pub use strip::strip;
pub use to_case::{Case, capitalize, title, to_case};
pub use to_numbers::{
    hex_to_integers, ipv4_to_integers, is_fixed_point, is_hex, is_integer, is_ipv4, to_fixed_point, to_integers,
};
pub use translate::{Filter, filter_characters, filter_characters_of_type, translate};
pub use url::{url_decode, url_encode};
pub use wrap::wrap;

use self::pairs::pairs;
pub use crate::engine::regex::{Regex, RegexFlags};
