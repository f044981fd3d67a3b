//! The hash of a row number, from which tests make values that look random.

/// Returns the upper 44 bits of the product of the row number plus one and an odd number.
pub(crate) fn hash(row: i64) -> u64 {
    (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}
