//! Operations on text, on the CPU and on CUDA. The stream and the resources are explicit arguments.
//!
//! `gdf-detail` re-exports the operations as its module `strings`, together with the operations of other crates.
#![deny(missing_docs)]

mod arguments;
mod case_table;
mod character_ngrams;
mod character_types;
mod characters;
mod code_points;
mod edit_distance;
mod expect_converted;
mod extract;
mod findall;
mod floats;
mod from_numbers;
mod jaccard_index;
mod join;
pub mod json;
mod like;
mod minhash;
mod multiple;
mod ngrams;
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
mod time_format;
mod times;
mod to_case;
mod to_numbers;
mod tokens;
mod translate;
mod url;
mod wrap;

pub use character_ngrams::{character_tokenize, generate_character_ngrams, hash_character_ngrams};
pub use character_types::{CharacterTypes, all_characters_of_type, is_title};
pub use code_points::code_points;
pub use edit_distance::edit_distance;
pub use expect_converted::expect_converted;
pub use extract::{extract, extract_all_record, extract_single};
pub use findall::findall;
pub use floats::{from_floats, is_float, to_floats};
pub use from_numbers::{from_booleans, from_fixed_point, from_integers, integers_to_hex, integers_to_ipv4};
pub(crate) use gdf_engine::Ctx;
pub use jaccard_index::jaccard_index;
pub use join::{JoinOptions, concatenate, format_list_column, join_list_elements, join_strings};
pub use like::like;
pub use minhash::{minhash, minhash64};
pub use multiple::{contains_multiple, find_multiple};
pub use ngrams::{generate_ngrams, ngrams_tokenize};
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
pub use times::{from_durations, from_timestamps, is_duration, is_timestamp, to_durations, to_timestamps};
pub use to_case::{Case, capitalize, title, to_case};
pub use to_numbers::{
    hex_to_integers, ipv4_to_integers, is_fixed_point, is_hex, is_integer, is_ipv4, to_fixed_point, to_integers,
};
pub use tokens::{count_tokens, normalize_spaces, tokenize};
pub use translate::{Filter, filter_characters, filter_characters_of_type, translate};
pub use url::{url_decode, url_encode};
pub use wrap::wrap;

use self::pairs::pairs;
pub use gdf_engine::regex::{Regex, RegexFlags};
