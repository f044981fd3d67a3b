//! The columns that a case's arrays become.

use std::fmt;

use gdf_core::{Column, Result};
use gdf_driver::Stream;
use gdf_memory::Resource;

use crate::catalog::Case;
use crate::data::{NullPattern, padded, soiled};

/// Which columns a case was run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variant {
    /// The arrays as they are.
    Plain,
    /// Slices of longer columns; garbage around them and under their nulls.
    Sliced {
        /// The first row.
        offset: usize,
    },
    /// As [`Variant::Sliced`], and every input has a validity buffer, null in the slice or not.
    AllValid {
        /// The first row.
        offset: usize,
    },
    /// The arrays as they are, with failing allocations.
    Injection,
}

impl Variant {
    /// Whether the cost is that of the plain inputs: a validity buffer that the case does not have may cost more.
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

/// Rows behind a slice: more than a mask word, so that reading on is seen.
const BEHIND: usize = 37;

/// The case's inputs on the stream's device.
pub(super) fn upload(case: &Case, variant: Variant, stream: &Stream, resource: &Resource) -> Result<Vec<Column>> {
    let columns = case.inputs.iter().enumerate().map(|(i, array)| {
        let (first, garbage) = match variant {
            Variant::Plain | Variant::Injection => {
                return Column::from_arrow(array, stream, resource.as_ref());
            }
            // Every input at another offset: masks that are combined are not aligned to each other.
            Variant::Sliced { offset } if array.nulls().is_none() => (offset + 2 * i, NullPattern::None),
            Variant::Sliced { offset } => (offset + 2 * i, NullPattern::Some),
            Variant::AllValid { offset } => (offset + 2 * i, NullPattern::Every(2)),
        };
        let long = padded(&soiled(array), first, BEHIND, garbage);
        Column::from_arrow(&long, stream, resource.as_ref())?.slice(first, array.len())
    });
    columns.collect()
}
