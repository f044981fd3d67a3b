//! Operations on the elements of each list.

mod aggregate;
mod concatenate;
mod elements;
mod extract;
mod keys;
mod mask;
mod positions;
mod search;
mod sequences;
mod sets;
mod sort;

pub use self::aggregate::{reduce, reduce_elements};
pub use self::concatenate::{ConcatenateNullPolicy, concatenate_list_elements, concatenate_rows};
pub use self::elements::{Elements, Hidden, element_type};
pub use self::extract::{count_elements, extract_list_element, segmented_gather};
pub use self::mask::{Marked, apply_mask};
pub use self::search::{FindOption, contains, contains_nulls, index_of};
pub use self::sequences::sequences;
pub use self::sets::{difference_distinct, distinct, have_overlap, intersect_distinct, union_distinct};
pub use self::sort::{reverse, sort_lists};
pub use gdf_compute::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality};
