//! Uploads of the arrays of a case as columns.

use std::fmt;

use gdf_core::{Column, Result};
use gdf_driver::Stream;
use gdf_memory::Resource;

use crate::catalog::Case;
use crate::data::{NullPattern, padded, soiled};

/// The form of the columns that a case was run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variant {
    /// The columns hold the arrays without changes.
    Plain,
    /// The columns are slices of longer columns. Garbage lies around the slices and under their nulls.
    Sliced {
        /// The first row.
        offset: usize,
    },
    /// The same as [`Variant::Sliced`], except that every input has a validity buffer, even if no row of the slice is
    /// null.
    AllValid {
        /// The first row.
        offset: usize,
    },
    /// The columns hold the arrays without changes, and allocations fail.
    Injection,
}

impl Variant {
    /// Returns whether the cost must be that of the plain inputs. A validity buffer that the case does not have may
    /// cost more.
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

/// The number of rows after a slice. A mask word has fewer rows, so reads past the slice are noticed.
const BEHIND: usize = 37;

/// Copies the inputs of a case to the device of the stream.
pub(super) fn upload(case: &Case, variant: Variant, stream: &Stream, resource: &Resource) -> Result<Vec<Column>> {
    let columns = case.inputs.iter().enumerate().map(|(i, array)| {
        let (first, garbage) = match variant {
            Variant::Plain | Variant::Injection => {
                return Column::from_arrow(array, stream, resource.as_ref());
            }
            // Every input has another offset. Masks of several inputs are then not aligned to each other.
            Variant::Sliced { offset } if array.nulls().is_none() => (offset + 2 * i, NullPattern::None),
            Variant::Sliced { offset } => (offset + 2 * i, NullPattern::Some),
            Variant::AllValid { offset } => (offset + 2 * i, NullPattern::Every(2)),
        };
        let long = padded(&soiled(array), first, BEHIND, garbage);
        Column::from_arrow(&long, stream, resource.as_ref())?.slice(first, array.len())
    });
    columns.collect()
}
