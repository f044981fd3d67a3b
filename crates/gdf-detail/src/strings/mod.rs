//! Operations on text.

mod contains;
mod extract;
mod findall;
mod replace_re;
mod search_re;
mod split_re;
mod to_case;
mod upper_case;

pub use contains::contains;
pub use extract::{extract, extract_all_record, extract_single};
pub use findall::findall;
pub use replace_re::{replace_re, replace_with_backrefs};
pub use search_re::{contains_re, count_re, find_re, matches_re};
pub use split_re::{SplitFrom, split_re, split_record_re};
pub use to_case::{Case, to_case};

pub use crate::engine::regex::{Regex, RegexFlags};
