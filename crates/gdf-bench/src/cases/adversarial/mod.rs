//! The adversarial suite: data of shapes that the strategies of operations are not made for. The suite also runs some
//! usual cases of the same operations.
//!
//! The names and the shapes are those of `--suite adversarial` in the peer's program. Keys are 64-bit integers unless
//! a name says otherwise.

mod groupby;
mod join;
mod rows;
mod sorting;
mod text;
mod thresholds;
mod values;

use super::Case;

/// Every case of the suite.
pub(super) fn all() -> impl Iterator<Item = &'static Case> {
    let keys = groupby::CASES.iter().chain(join::CASES);
    keys.chain(sorting::CASES).chain(rows::CASES).chain(values::CASES).chain(text::CASES).chain(thresholds::CASES)
}
