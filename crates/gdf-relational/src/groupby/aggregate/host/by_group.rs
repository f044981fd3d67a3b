//! Accumulates values by group for a block of neighboring rows at a time.
//!
//! An update of a cell has to wait for the previous update of the same cell.

use gdf_engine::host::Bits;

/// The largest number of cells at which cells are replicated.
pub(super) const FEW: usize = 64;
/// The number of copies of each cell.
const TURNS: usize = 4;
/// The smallest number of rows for which replicated cells save time.
const WORTH: usize = FEW * TURNS;

pub(super) fn for_valid<T: Copy>(values: &[T], ids: &[u32], validity: Option<Bits<'_>>, mut f: impl FnMut(usize, T)) {
    let Some(bits) = validity else {
        return values.iter().zip(ids).for_each(|(value, id)| f(*id as usize, *value));
    };
    for (index, (values, ids)) in values.chunks(64).zip(ids.chunks(64)).enumerate() {
        match bits.word(index) {
            u64::MAX => values.iter().zip(ids).for_each(|(value, id)| f(*id as usize, *value)),
            word => for_set_bits(word, |at| {
                if let (Some(value), Some(id)) = (values.get(at), ids.get(at)) {
                    f(*id as usize, *value);
                }
            }),
        }
    }
}

fn for_set_bits(mut word: u64, mut f: impl FnMut(usize)) {
    while word != 0 {
        f(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

/// Calls `update` with the group, the turn and the value of each row.
#[inline]
fn for_all<T: Copy>(values: &[T], ids: &[u32], update: &mut impl FnMut(u32, usize, T)) {
    let ((values, last), (ids, last_ids)) = (values.as_chunks::<TURNS>(), ids.as_chunks::<TURNS>());
    for (values, ids) in values.iter().zip(ids) {
        for turn in 0..TURNS {
            update(ids[turn], turn, values[turn]);
        }
    }
    last.iter().zip(last_ids).for_each(|(value, id)| update(*id, 0, *value));
}

/// Combines each valid value, converted by `of`, with the cell of its group.
pub(super) fn accumulate<T: Copy, S: Copy>(
    values: &[T],
    ids: &[u32],
    validity: Option<Bits<'_>>,
    cells: &mut [S],
    identity: S,
    of: impl Fn(T) -> S,
    with: impl Fn(S, S) -> S,
) {
    if cells.len() > FEW || ids.len() < WORTH {
        return for_valid(values, ids, validity, |id, value| cells[id] = with(cells[id], of(value)));
    }
    // Successive rows update different copies, so that an update need not wait for that of the row before.
    let mut copies = [[identity; TURNS]; FEW];
    let mut update = |id: u32, turn: usize, value: T| {
        let cell = &mut copies[id as usize % FEW][turn % TURNS];
        *cell = with(*cell, of(value));
    };
    match validity {
        None => for_all(values, ids, &mut update),
        Some(bits) => {
            for (index, (values, ids)) in values.chunks(64).zip(ids.chunks(64)).enumerate() {
                match bits.word(index) {
                    u64::MAX => for_all(values, ids, &mut update),
                    word => for_set_bits(word, |at| {
                        if let (Some(value), Some(id)) = (values.get(at), ids.get(at)) {
                            update(*id, at, *value);
                        }
                    }),
                }
            }
        }
    }
    for (cell, copies) in cells.iter_mut().zip(copies) {
        *cell = copies.into_iter().fold(*cell, &with);
    }
}

/// Adds each valid value to the sum of its group. If the values are so small that no sum of these rows overflows 64
/// bits, they are added in 64 bits first.
pub(super) fn add_wide<T: Integer>(values: &[T], ids: &[u32], validity: Option<Bits<'_>>, sums: &mut [i128]) {
    let rows = u64::BITS - (ids.len() as u64).leading_zeros();
    if sums.len() > FEW || ids.len() < WORTH || T::bits(values) + rows >= u64::BITS {
        return accumulate(values, ids, validity, sums, 0, T::wide, i128::wrapping_add);
    }
    let mut narrow = [0; FEW];
    let narrow = &mut narrow[..sums.len()];
    accumulate(values, ids, validity, narrow, 0, T::low, i64::wrapping_add);
    sums.iter_mut().zip(narrow).for_each(|(sum, narrow)| *sum = sum.wrapping_add(i128::from(*narrow)));
}

/// The integers of which sums of 128 bits are made.
pub(super) trait Integer: Copy {
    /// Returns an upper bound of the number of bits of the magnitudes of the values.
    fn bits(values: &[Self]) -> u32;
    fn wide(self) -> i128;
    /// Returns the low 64 bits.
    fn low(self) -> i64;
}

macro_rules! integer {
    ($($native:ty)*) => {$(
        impl Integer for $native {
            fn bits(values: &[Self]) -> u32 {
                let all = values.iter().fold(0, |all, value| all | (value ^ value >> (<$native>::BITS - 1)));
                <$native>::BITS - all.leading_zeros()
            }
            fn wide(self) -> i128 {
                i128::from(self)
            }
            fn low(self) -> i64 {
                self as i64
            }
        }
    )*};
}

integer!(i8 i16 i32 i64 i128 u8 u16 u32 u64);

#[cfg(test)]
mod tests {
    use super::*;

    /// Replicated and single cells must give the results of a plain loop over the rows, with and without a validity
    /// mask.
    #[test]
    fn several_cells_are_as_one() {
        for cells in [1, 2, 5, FEW - 1, FEW, FEW + 1] {
            for rows in [0, 1, WORTH - 1, WORTH, WORTH + 1, 1023, 1024] {
                let hash = |row: usize| (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7;
                let ids: Vec<u32> = (0..rows).map(|row| (hash(row) % cells as u64) as u32).collect();
                let values: Vec<i64> = (0..rows).map(|row| hash(row + 9) as i64 - (1 << 56)).collect();
                let bytes: Vec<u8> =
                    (0..rows.div_ceil(8)).map(|at| if at < 20 { 0xff } else { hash(at) as u8 }).collect();
                for validity in [None, Some(Bits::new(&bytes, 0, rows))] {
                    let (mut sums, mut minimum) = (vec![3_i128; cells], vec![9_i64; cells]);
                    accumulate(&values, &ids, validity, &mut sums, 0, i128::from, i128::wrapping_add);
                    accumulate(&values, &ids, validity, &mut minimum, i64::MAX, |value| value, i64::min);
                    let (mut all, mut smallest) = (vec![3_i128; cells], vec![9_i64; cells]);
                    for row in (0..rows).filter(|row| validity.is_none_or(|bits| bits.get(*row))) {
                        all[ids[row] as usize] += i128::from(values[row]);
                        smallest[ids[row] as usize] = smallest[ids[row] as usize].min(values[row]);
                    }
                    assert_eq!((sums, minimum), (all, smallest), "{cells} cells, {rows} rows");
                }
            }
        }
    }

    /// Sums must be right for values at and around the largest that is added in 64 bits.
    #[test]
    fn wide_sums_of_large_and_small_values() {
        for (rows, groups) in [(1024_u32, 3_u32), (1023, 1)] {
            let ids: Vec<u32> = (0..rows).map(|row| row % groups).collect();
            let counts: Vec<i128> = (0..groups).map(|group| i128::from((rows - group).div_ceil(groups))).collect();
            for bits in [0, 1, 50, 51, 52, 53, 54, 62, 63, 64, 100] {
                let largest = (1_i128 << bits) - 1;
                for value in [largest, -largest, -largest - 1] {
                    let expected: Vec<i128> = counts.iter().map(|count| 7 + count * value).collect();
                    let sums = |add: &dyn Fn(&mut [i128])| {
                        let mut sums = vec![7; groups as usize];
                        add(&mut sums);
                        sums
                    };
                    assert_eq!(sums(&|sums| add_wide(&vec![value; ids.len()], &ids, None, sums)), expected, "{value}");
                    if let Ok(value) = i64::try_from(value) {
                        let found = sums(&|sums| add_wide(&vec![value; ids.len()], &ids, None, sums));
                        assert_eq!(found, expected, "{value} in 64 bits");
                    }
                    if let Ok(value) = i32::try_from(value) {
                        let found = sums(&|sums| add_wide(&vec![value; ids.len()], &ids, None, sums));
                        assert_eq!(found, expected, "{value} in 32 bits");
                    }
                }
            }
        }
    }
}
