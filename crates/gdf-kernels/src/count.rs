//! Counts as kernel arguments. The type of a count states the unit, so code cannot pass a number of rows as a number of
//! tiles.

use bytemuck::{Pod, Zeroable};

macro_rules! count {
    ($(#[doc = $doc:literal])* $name:ident($integer:ident), $alias:literal) => {
        $(#[doc = $doc])*
        #[doc = concat!("(`gdf::", $alias, "`).")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name($integer);

        impl $name {
            /// The count zero.
            pub const ZERO: Self = Self(0);

            /// Returns a count of `count`.
            ///
            /// # Panics
            /// If `count` does not fit the kernel's integer type.
            pub const fn new(count: usize) -> Self {
                assert!(count <= $integer::MAX as usize, concat!("too many for gdf::", $alias));
                Self(count as $integer)
            }

            /// Returns the number.
            pub const fn get(self) -> usize {
                self.0 as usize
            }
        }
    };
}

count! {
    /// A number of rows
    Rows(i64), "row_count"
}

count! {
    /// A number of rows in 32 bits, for kernels that need to save registers
    Rows32(i32), "row_count32"
}

count! {
    /// A number of tiles
    Tiles(i64), "tile_count"
}

count! {
    /// A number of tiles in 32 bits
    Tiles32(i32), "tile_count32"
}

count! {
    /// A number of bytes
    Bytes(i64), "byte_count"
}

count! {
    /// A number of bytes in 32 bits
    Bytes32(i32), "byte_count32"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_see_the_bare_integer() {
        assert_eq!(bytemuck::bytes_of(&Rows::new(0x0102)), 0x0102_i64.to_ne_bytes());
        assert_eq!(bytemuck::bytes_of(&Tiles32::new(i32::MAX as usize)), i32::MAX.to_ne_bytes());
        assert_eq!((Bytes::new(7).get(), Bytes32::ZERO.get()), (7, 0));
    }

    #[test]
    #[should_panic(expected = "too many for gdf::row_count32")]
    fn counts_that_do_not_fit_are_not_cut() {
        let _ = Rows32::new(1 << 31);
    }

    #[test]
    #[should_panic(expected = "too many for gdf::byte_count")]
    fn no_count_becomes_negative() {
        let _ = Bytes::new(usize::MAX);
    }
}
