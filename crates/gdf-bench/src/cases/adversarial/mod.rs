//! The adversarial suite: data for which the strategies of operations are not optimized. The suite also runs some usual
//! cases of the same operations.
//!
//! The names of the cases and the shapes of the data are the same as in `peers/libcudf_peer.py --suite adversarial`.
//! Keys are 64-bit integers, unless the name of a case states another type.

mod groupby;
mod join;
mod rows;
mod sorting;
mod text;
mod thresholds;
mod values;

use super::Case;

pub(super) fn all() -> impl Iterator<Item = &'static Case> {
    let keys = groupby::CASES.iter().chain(join::CASES);
    keys.chain(sorting::CASES).chain(rows::CASES).chain(values::CASES).chain(text::CASES).chain(thresholds::CASES)
}
