//! Ranges of rows. A reduction computes one row of the result from each range.

use std::ops::Range;

use gdf_core::{ColumnView, Error, Position, Result, dispatch_integer, is_integral, physical_type};
use gdf_memory::HostVec;

use crate::Ctx;
use crate::host::HostColumn;

/// The ranges of rows that a reduction reduces to one row each.
#[derive(Clone, Copy, Debug)]
pub enum Segments<'a> {
    /// One range of this many rows, which is the whole column.
    Whole(usize),
    /// The ranges between consecutive offsets. The offsets ascend and lie within the column.
    Of(&'a [usize]),
}

impl Segments<'_> {
    pub fn len(&self) -> usize {
        match self {
            Segments::Whole(_) => 1,
            Segments::Of(offsets) => offsets.len().saturating_sub(1),
        }
    }

    pub fn range(&self, index: usize) -> Range<usize> {
        match self {
            Segments::Whole(rows) => 0..*rows,
            Segments::Of(offsets) => offsets[index]..offsets[index + 1],
        }
    }

    /// Returns the number of rows between the first and the last offset.
    pub fn rows(&self) -> usize {
        match self {
            Segments::Whole(rows) => *rows,
            Segments::Of(offsets) => offsets.last().zip(offsets.first()).map_or(0, |(last, first)| last - first),
        }
    }
}

/// Returns the offsets of segments as row numbers. The offsets are a column on the CPU and may have any integer type.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument): an offset is null, is negative, is less than the offset before, or is
///   greater than `rows`.
pub fn ascending<'a>(offsets: ColumnView<'_>, rows: usize, ctx: Ctx<'a>) -> Result<HostVec<'a, usize>> {
    let column = HostColumn::open(offsets, ctx.stream)?;
    let valid = column.validity()?;
    let mut ascending = HostVec::<usize>::zeroed(offsets.len(), ctx.stream, ctx.mr.temporary)?;
    if offsets.len() <= 1 {
        return Ok(ascending); // no segment
    }
    let mut next = 0;
    dispatch_integer!(physical_type(offsets.data_type()), T => {
        #![allow(clippy::unnecessary_fallible_conversions, reason = "the type is one of eight, small ones among them")]
        for (index, (slot, offset)) in ascending.iter_mut().zip(column.values::<T>()?).enumerate() {
            let valid = valid.is_none_or(|valid| valid.get(index));
            let row = usize::try_from(*offset).ok().filter(|row| valid && (next..=rows).contains(row));
            next = row.ok_or_else(|| {
                Error::invalid_argument(NOT_ASCENDING).in_argument("offsets").at(Position::Row(index))
            })?;
            *slot = next;
        }
    }, else => return Err(Error::type_mismatch("an integer type", offsets.data_type()).in_argument("offsets")));
    Ok(ascending)
}

/// The error text for invalid offsets.
pub const NOT_ASCENDING: &str = "an offset is null, negative, less than the offset before it, or greater than the \
                                 number of rows; pass ascending offsets from 0 to the number of rows";

/// Checks that a column may contain offsets: the column has an integer type and at least one row.
///
/// # Errors
/// * [`TypeMismatch`](Error::TypeMismatch), [`InvalidArgument`](Error::InvalidArgument).
pub fn check(offsets: ColumnView<'_>) -> Result<()> {
    if !is_integral(offsets.data_type()) {
        return Err(Error::type_mismatch("an integer type", offsets.data_type()).in_argument("offsets"));
    }
    if offsets.is_empty() {
        return Err(
            Error::invalid_argument("the column of offsets is empty; pass at least 1 offset").in_argument("offsets")
        );
    }
    Ok(())
}
