//! Accumulates values by group for a block of neighboring rows at a time.
//!
//! An update of a cell has to wait for the previous update of the same cell.

use gdf_engine::host::Bits;

/// The largest number of cells at which cells are replicated.
const FEW: usize = 64;
/// The number of copies of each cell.
const TURNS: usize = 4;
/// The smallest number of rows for which replicated cells save time.
const WORTH: usize = FEW * TURNS;

pub(super) fn for_valid<T: Copy>(values: &[T], ids: &[u32], validity: Option<Bits<'_>>, mut f: impl FnMut(usize, T)) {
    let Some(bits) = validity else {
        return values.iter().zip(ids).for_each(|(value, id)| f(*id as usize, *value));
    };
    for (index, (values, ids)) in values.chunks(64).zip(ids.chunks(64)).enumerate() {
        let mut word = bits.word(index);
        if word == u64::MAX {
            values.iter().zip(ids).for_each(|(value, id)| f(*id as usize, *value));
            continue;
        }
        while word != 0 {
            let at = word.trailing_zeros() as usize;
            word &= word - 1;
            if let (Some(value), Some(id)) = (values.get(at), ids.get(at)) {
                f(*id as usize, *value);
            }
        }
    }
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
    let (mut several, mut turn) = ([[identity; TURNS]; FEW], 0);
    for_valid(values, ids, validity, |id, value| {
        turn = (turn + 1) % TURNS;
        let cell = &mut several[id % FEW][turn];
        *cell = with(*cell, of(value));
    });
    for (cell, several) in cells.iter_mut().zip(several) {
        *cell = several.into_iter().fold(*cell, &with);
    }
}

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
}
