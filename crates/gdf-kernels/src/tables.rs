//! Descriptors of several columns, and the flags of a column descriptor.

use crate::generated::common::{ColumnIn, ColumnOut, Flags, SCRATCH_BYTES, TableIn, TableOut};

/// A flag of a descriptor: all rows have the value of the row at `offset`.
pub const BROADCAST: i32 = Flags::Broadcast as i32;

/// A flag of a descriptor: the offsets in `offsets` have 64 bits. Without the flag, the offsets have 32 bits.
pub const WIDE_OFFSETS: i32 = Flags::WideOffsets as i32;

/// The kernels and the driver layer must agree on the size of scratch memory, because the driver layer allocates it.
const _: () = assert!(SCRATCH_BYTES == gdf_driver::SCRATCH_BYTES);

/// The maximum number of columns of one launch.
pub const TABLE_COLUMNS: usize = 32;

impl<'a, const N: usize> TableIn<'a, N> {
    /// Returns the descriptors of the columns. The remaining descriptors are zero. If there are more than `N` columns,
    /// the function returns `None`, and the caller must launch the kernel once for each chunk of `N` columns.
    pub fn new(columns: &[ColumnIn<'a>]) -> Option<Self> {
        Some(Self { column: filled(columns)? })
    }
}

impl<'a, const N: usize> TableOut<'a, N> {
    /// Returns the descriptors of the columns. The remaining descriptors are zero. If there are more than `N` columns,
    /// the function returns `None`, and the caller must launch the kernel once for each chunk of `N` columns.
    pub fn new(columns: &[ColumnOut<'a>]) -> Option<Self> {
        Some(Self { column: filled(columns)? })
    }
}

fn filled<T: Copy + Default, const N: usize>(columns: &[T]) -> Option<[T; N]> {
    let mut all = [T::default(); N];
    all.get_mut(..columns.len())?.copy_from_slice(columns);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_up_to_their_capacity() {
        let column = ColumnIn { length: 7, ..ColumnIn::default() };
        for n in [0, 1, 31, 32] {
            let table = TableIn::<TABLE_COLUMNS>::new(&vec![column; n]).unwrap();
            assert_eq!(table.column.iter().filter(|c| c.length == 7).count(), n);
        }
        assert!(TableIn::<TABLE_COLUMNS>::new(&[column; 33]).is_none());
        assert!(TableOut::<16>::new(&[ColumnOut::default(); 17]).is_none());
    }
}
