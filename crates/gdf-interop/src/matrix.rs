//! Shapes and strides of foreign arrays, and the check whether an array can become columns.

use std::borrow::Cow;

use gdf_core::{Column, ColumnParts, DataType, Error, Table};
use gdf_memory::Buffer;

use crate::error::malformed;
use crate::{InteropError, Result};

/// One or more columns of fixed-width values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// The distance between the starts of neighboring columns, in values.
    pub(crate) step: usize,
}

/// The largest number of columns that is accepted.
const MAX_COLUMNS: usize = 1 << 20;

const TOO_LARGE: InteropError = InteropError::Malformed {
    what: Cow::Borrowed("an array of this shape and these strides exceeds `isize::MAX` bytes; pass a smaller array"),
};

impl Matrix {
    /// Checks a shape and its strides.
    pub(crate) fn new(shape: &[i64], strides: Option<&[i64]>) -> Result<Matrix> {
        let size = |extent: i64| {
            usize::try_from(extent)
                .map_err(|_| malformed(format!("each extent of the shape must be at least 0, found {extent}")))
        };
        let (rows, columns) = match *shape {
            [rows] => (size(rows)?, 1),
            [rows, columns] => (size(rows)?, size(columns)?),
            _ => {
                return Err(malformed(format!(
                    "the number of dimensions must be 1 or 2, found {}; reshape the array or tensor",
                    shape.len()
                )));
            }
        };
        let along = match strides {
            Some([along, ..]) => *along,
            _ => i64::try_from(columns).map_err(|_| TOO_LARGE)?,
        };
        let across = match strides {
            Some([_, across]) => *across,
            _ => 1,
        };
        let is_empty = rows == 0 || columns == 0;
        if along != 1 && rows > 1 && !is_empty {
            let what = if shape.len() == 1 {
                "the values of the tensor are not adjacent; copy the tensor to contiguous memory first"
            } else {
                "the columns of the matrix are not contiguous; transpose or copy the matrix first"
            };
            return Err(malformed(what));
        }
        let step = match usize::try_from(across) {
            _ if columns <= 1 || is_empty => rows,
            Ok(step) if step >= rows => step,
            Ok(_) => return Err(malformed("the columns of the matrix share values; copy the matrix first")),
            Err(_) => {
                return Err(malformed(format!(
                    "each stride must be at least 0, found {across}; copy the array or tensor to contiguous memory \
                     first"
                )));
            }
        };
        Ok(Matrix { rows, columns, step })
    }

    /// Returns the number of bytes from the start of the first value to the end of the last value.
    pub(crate) fn bytes(&self, width: usize) -> Result<usize> {
        if self.rows == 0 || self.columns == 0 {
            return Ok(0);
        }
        let values = self.step.checked_mul(self.columns - 1).and_then(|before| before.checked_add(self.rows));
        let bytes = values.and_then(|values| values.checked_mul(width)).filter(|&bytes| bytes <= isize::MAX as usize);
        bytes.ok_or(TOO_LARGE)
    }

    /// Returns the part of `buffer` that holds column `i`.
    fn part(&self, buffer: &Buffer, i: usize, width: usize) -> Result<Buffer> {
        let start = if self.rows == 0 { 0 } else { i * self.step * width };
        Ok(buffer.slice(start, self.rows * width)?)
    }

    /// Makes a table whose columns share `buffer`.
    pub(crate) fn table(&self, buffer: &Buffer, data_type: &DataType) -> Result<Table> {
        let width = gdf_core::types::width(data_type).ok_or_else(|| Error::unsupported("tensors", data_type))?;
        if self.columns > MAX_COLUMNS {
            return Err(InteropError::TooManyColumns { found: self.columns, most: MAX_COLUMNS });
        }
        let mut columns = Vec::new();
        columns.try_reserve_exact(self.columns).map_err(|_| TOO_LARGE)?;
        for i in 0..self.columns {
            let parts = ColumnParts::new(data_type.clone(), buffer.device(), self.rows);
            columns.push(Column::try_from_parts(parts.buffer(self.part(buffer, i, width)?))?);
        }
        Ok(Table::try_with_rows(columns, self.rows)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(shape: &[i64], strides: &[i64]) -> Option<(usize, usize, usize)> {
        let matrix = Matrix::new(shape, (!strides.is_empty()).then_some(strides)).ok()?;
        Some((matrix.rows, matrix.columns, matrix.step))
    }

    #[test]
    fn vectors() {
        assert_eq!(matrix(&[5], &[]), Some((5, 1, 5)));
        assert_eq!(matrix(&[5], &[1]), Some((5, 1, 5)));
        assert_eq!(matrix(&[5], &[2]), None);
        assert_eq!(matrix(&[5], &[-1]), None);
        assert_eq!(matrix(&[1], &[7]), Some((1, 1, 1)));
        assert_eq!(matrix(&[0], &[7]), Some((0, 1, 0)));
        assert_eq!(matrix(&[-1], &[]), None);
        assert_eq!(matrix(&[], &[]), None);
    }

    #[test]
    fn matrices_by_column() {
        assert_eq!(matrix(&[3, 2], &[1, 3]), Some((3, 2, 3)));
        assert_eq!(matrix(&[3, 2], &[1, 4]), Some((3, 2, 4)));
        assert_eq!(matrix(&[3, 2], &[1, 2]), None);
        assert_eq!(matrix(&[3, 2], &[1, -3]), None);
        assert_eq!(matrix(&[3, 2], &[2, 1]), None);
        assert_eq!(matrix(&[3, 2], &[]), None);
        assert_eq!(matrix(&[3, 1], &[]), Some((3, 1, 3)));
        assert_eq!(matrix(&[1, 4], &[]), Some((1, 4, 1)));
        assert_eq!(matrix(&[0, 4], &[]), Some((0, 4, 0)));
        assert_eq!(matrix(&[3, 0], &[]), Some((3, 0, 3)));
        assert_eq!(matrix(&[3, 2, 1], &[1, 3, 6]), None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let huge = Matrix::new(&[i64::MAX, i64::MAX], Some(&[1, i64::MAX])).unwrap();
        assert!(huge.bytes(8).is_err());
        assert_eq!(Matrix::new(&[3, 2], Some(&[1, 4])).unwrap().bytes(8).unwrap(), 56);
        assert_eq!(Matrix::new(&[0, i64::MAX], None).unwrap().bytes(8).unwrap(), 0);
    }

    #[test]
    fn many_columns_are_refused_before_any_is_made() {
        let (stream, mr) = (gdf_driver::Stream::cpu(), gdf_memory::Resource::new(gdf_memory::HostResource::new()));
        let nothing = Buffer::uninitialized(0, &stream, mr.as_ref()).unwrap();
        let table =
            |rows, columns| Matrix::new(&[rows, columns], Some(&[1, 0])).unwrap().table(&nothing, &DataType::Int8);
        assert_eq!(table(0, 1000).unwrap().num_columns(), 1000);
        for found in [MAX_COLUMNS + 1, 100_000_000, i64::MAX as usize] {
            let refused = table(0, found as i64);
            assert!(
                matches!(refused, Err(InteropError::TooManyColumns { found: number, most: MAX_COLUMNS }) if number == found)
            );
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { cases: if cfg!(miri) { 20 } else { 2000 }, failure_persistence: None, ..Default::default() })]

        /// If `Matrix::new` accepts a shape and strides, each value of the columns must be the value at the position
        /// that the shape and the strides give.
        #[test]
        fn values_are_where_the_strides_say(
            shape in proptest::collection::vec(-1i64..5, 0..4),
            strides in proptest::option::of(proptest::collection::vec(-2i64..7, 3)),
        ) {
            let strides = strides.map(|all| all[..shape.len()].to_vec());
            let Ok(matrix) = Matrix::new(&shape, strides.as_deref()) else { return Ok(()) };
            let columns = shape.get(1).copied().unwrap_or(1);
            proptest::prop_assert_eq!((matrix.rows as i64, matrix.columns as i64), (shape[0], columns));
            let strides = strides.unwrap_or_else(|| if shape.len() == 2 { vec![columns, 1] } else { vec![1] });
            let bytes = matrix.bytes(1).unwrap();
            for row in 0..shape[0] {
                for column in 0..columns {
                    let place = row * strides[0] + column * strides.get(1).unwrap_or(&0);
                    proptest::prop_assert_eq!(place, row + column * matrix.step as i64);
                    proptest::prop_assert!((place as usize) < bytes);
                }
            }
        }
    }
}
