//! Lists: their rows in another order, one after the other, and their elements as rows.
//!
//! Where an operation copies rows, a list travels as two numbers, where it begins in the elements and how many it has; a
//! struct without fields takes its nulls along. The elements of the result are gathered last, once for each list column,
//! which waits for their number.

mod carry;
mod explode;
mod open;
mod ranges;
mod rows;

pub use self::carry::{Parts, carry, for_each_list, gathered, restore, skeleton};
pub use self::explode::{Explode, explode};
pub use self::open::Lists;
pub use self::ranges::{offsets_of, offsets_of_rows, rows_of_ranges, rows_of_runs};
pub use self::rows::{copy_affine, copy_affine_column, gather, gather_column, gather_trusted, select};
