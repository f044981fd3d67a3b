//! Uploads of the arrays of a case as columns.

use std::fmt;

use gdf_core::{Column, Result};
use gdf_driver::Stream;
use gdf_memory::Resource;

use crate::catalog::Case;
use crate::data::{NullPattern, padded, soiled};

/// The form of the columns on which a case is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variant {
    /// The columns have the unchanged arrays.
    Plain,
    /// The columns are slices of longer columns. The rows around the slices are random, and null rows have arbitrary
    /// data.
    Sliced {
        /// The position of the slice's first row in the longer column.
        offset: usize,
    },
    /// The columns are the same as in [`Variant::Sliced`], but every input has a validity buffer, even if no row of the
    /// slice is null.
    AllValid {
        /// The position of the slice's first row in the longer column.
        offset: usize,
    },
    /// The columns have the unchanged arrays, and allocations fail.
    Injection,
}

impl Variant {
    /// Returns whether the cost must be the cost on the unchanged inputs.
    pub(super) fn keeps_cost(self) -> bool {
        matches!(self, Variant::Plain | Variant::Sliced { .. })
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variant::Plain => f.write_str("plain"),
            Variant::Sliced { offset } => write!(f, "sliced at {offset}"),
            Variant::AllValid { offset } => write!(f, "sliced at {offset}, with validity"),
            Variant::Injection => f.write_str("failing allocations"),
        }
    }
}

/// The number of rows after a slice.
const BEHIND: usize = 37;

pub(super) fn upload(case: &Case, variant: Variant, stream: &Stream, resource: &Resource) -> Result<Vec<Column>> {
    let columns = case.inputs.iter().enumerate().map(|(i, array)| {
        let (first, garbage) = match variant {
            Variant::Plain | Variant::Injection => {
                return Column::from_arrow(array, stream, resource.as_ref());
            }
            // Every input has a different offset, because the masks of several inputs must not be aligned to each
            // other.
            Variant::Sliced { offset } if array.nulls().is_none() => (offset + 2 * i, NullPattern::None),
            Variant::Sliced { offset } => (offset + 2 * i, NullPattern::Some),
            Variant::AllValid { offset } => (offset + 2 * i, NullPattern::Every(2)),
        };
        let long = padded(&soiled(array), first, BEHIND, garbage);
        Column::from_arrow(&long, stream, resource.as_ref())?.slice(first, array.len())
    });
    columns.collect()
}
