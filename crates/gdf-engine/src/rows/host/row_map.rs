//! A map of row numbers, which is read in blocks of 64 elements.

use gdf_core::{Error, Position, Result, dispatch_integer, physical_type};
use num_traits::{AsPrimitive, ToPrimitive};

use crate::host::{Bits, HostColumn, map_chunks, vectorized};
use crate::rows::AffineRows;

/// The rows of the table that 64 elements of the map stand for. An element that stands for no row has the value 0.
pub(crate) type Rows = [usize; 64];

/// A function that writes the rows that the elements `64 * word ..` stand for.
type Resolve<'a> = Box<dyn Fn(usize, &mut Rows) -> u64 + Sync + 'a>;

/// Maps rows of the result to rows of the table. A row of the result may correspond to no row of the table, and is then
/// null.
pub struct RowMap<'a> {
    len: usize,
    /// The first row number, if each following row number is one less than the one before. Such a map is copied without
    /// reading row numbers.
    descending_from: Option<usize>,
    resolve: Resolve<'a>,
}

impl<'a> RowMap<'a> {
    /// Creates the map from a column of row numbers of a table of `rows` rows.
    pub fn new(operation: &'static str, column: &'a HostColumn<'_>, rows: usize) -> Result<Self> {
        let data_type = column.view().data_type();
        let resolve: Resolve<'a> = dispatch_integer!(
            physical_type(data_type),
            I => resolver::<I>(column.values()?, column.validity()?, rows),
            else => return Err(Error::unsupported(operation, data_type))
        );
        Ok(Self { len: column.len(), descending_from: None, resolve })
    }

    /// Creates the map of rows whose numbers are computed. All of these rows must be rows of the table.
    pub fn affine(rows: AffineRows) -> RowMap<'static> {
        let AffineRows { length, divisor, by_quotient, by_remainder, first } = rows;
        let resolve = move |word: usize, out: &mut Rows| {
            let start = word as i64 * 64;
            let (mut quotient, mut remainder) = (start / divisor, start % divisor);
            let count = (length - start).min(64);
            for slot in &mut out[..count as usize] {
                *slot = (first + quotient * by_quotient + remainder * by_remainder) as usize;
                remainder += 1;
                if remainder == divisor {
                    (quotient, remainder) = (quotient + 1, 0);
                }
            }
            u64::MAX >> (64 - count)
        };
        let descends = by_remainder == -1 && divisor >= length;
        RowMap { len: length as usize, descending_from: descends.then_some(first as usize), resolve: Box::new(resolve) }
    }

    pub(super) fn descending_from(&self) -> Option<usize> {
        self.descending_from
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the rows that the elements `64 * word ..` stand for. An element that stands for no row has 0.
    pub fn word(&self, word: usize) -> (Rows, u64) {
        let mut rows = [0; 64];
        let has = (self.resolve)(word, &mut rows);
        (rows, has)
    }
}

/// Returns an `OutOfBounds` error for the first element that is neither null nor a row of the table.
pub fn check_bounds(operation: &'static str, column: &HostColumn<'_>, rows: usize) -> Result<()> {
    let data_type = column.view().data_type();
    let index = dispatch_integer!(
        physical_type(data_type),
        I => first_outside::<I>(column.values()?, column.validity()?, rows),
        else => return Err(Error::unsupported(operation, data_type))
    );
    let refused = |(at, index)| Err(Error::out_of_bounds(index, rows).in_argument("map").at(Position::Row(at)));
    index.map_or(Ok(()), refused)
}

/// Returns the row that an element of the map stands for. A negative number counts from the end of the table. If the
/// number stands for no row, the result is greater than every row number.
#[inline]
fn row_of<I: AsPrimitive<i64> + PartialOrd + Default>(number: I, rows: usize) -> u64 {
    let wide = number.as_();
    let from_end = number < I::default();
    (if from_end { wide.wrapping_add(rows as i64) } else { wide }) as u64
}

fn resolver<'a, I>(values: &'a [I], validity: Option<Bits<'a>>, rows: usize) -> Resolve<'a>
where
    I: AsPrimitive<i64> + PartialOrd + Default + Sync,
{
    Box::new(move |word, out| {
        let has = resolve_block(&values[word * 64..], rows, out);
        validity.map_or(has, |validity| has & validity.word(word))
    })
}

vectorized! {
    /// Writes the rows that the first numbers stand for. The result has a bit for each number. The bit is set if the
    /// number stands for a row.
    fn resolve_block[I: AsPrimitive<i64> + PartialOrd + Default](numbers: &[I], rows: usize, out: &mut Rows) -> u64 {
        let mut has = 0_u64;
        for (at, (slot, number)) in out.iter_mut().zip(numbers).enumerate() {
            let row = row_of(*number, rows);
            let inside = row < rows as u64;
            has |= u64::from(inside) << at;
            *slot = if inside { row as usize } else { 0 };
        }
        has
    }
}

fn first_outside<I>(values: &[I], validity: Option<Bits<'_>>, rows: usize) -> Option<(usize, i128)>
where
    I: AsPrimitive<i64> + PartialOrd + Default + Sync + ToPrimitive,
{
    let outside = |number: &I| row_of(*number, rows) >= rows as u64;
    let firsts = map_chunks(values.len(), |range| {
        let mut numbers = range.clone().zip(&values[range]);
        let found = numbers.find(|(at, number)| outside(number) && validity.is_none_or(|valid| valid.get(*at)));
        found.and_then(|(at, number)| Some((at, number.to_i128()?)))
    });
    firsts.into_iter().flatten().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_rows() {
        assert_eq!(row_of(3_i8, 5), 3);
        assert_eq!(row_of(-1_i8, 5), 4);
        assert_eq!(row_of(-5_i64, 5), 0);
        for outside in [row_of(-6_i32, 5), row_of(i64::MIN, 5), row_of(5_u8, 5), row_of(u64::MAX, 5)] {
            assert!(outside >= 5, "{outside}");
        }
    }
}
