//! List columns: copies of rows, concatenated ranges of elements, and elements as rows.
//!
//! An operation that copies rows represents each list by two numbers: the position of its first element, and its number
//! of elements. A struct column without fields represents the nulls of the list column.

mod composite;
mod copies;
mod explode;
mod list_view;
mod make;
mod null_rows;
mod open;
mod ranges;
mod rows;
mod unions;

pub use self::composite::{has_composite, is_field, open, runs_of_rows, values_of};
pub use self::copies::{close, copy_flat, copy_opened, gather_rows, select_rows, split_composite};
pub(crate) use self::copies::{gather_column, gather_trusted};
pub use self::explode::{Explode, explode};
pub use self::list_view::from_list_view;
pub use self::make::{OffsetOwner, check_total, kept_offsets, list_of, make_lists, merged_list_type, with_elements};
pub use self::null_rows::{is_null, is_valid};
pub use self::open::{Lists, as_lists, given_offsets};
pub use self::ranges::{Ranges, offsets_of, offsets_of_rows, rows_of_ranges, rows_of_runs};
pub use self::rows::{cast_nested, copy_affine_column, copy_affine_rows, may_share_values};
pub use self::unions::{union_field, union_type_ids};
