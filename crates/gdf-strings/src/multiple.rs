//! Search for several strings in each row.

use gdf_compute::filling::sequence;
use gdf_compute::replace::replace_nulls;
use gdf_compute::reshape::interleave_columns;
use gdf_core::{Column, ColumnParts, ColumnView, Error, Literal, Result, Table};
use gdf_engine::strings::is_large;

use super::find;
use super::search::contains_each;
use crate::Ctx;
use crate::vouch;

/// The limits for the targets that a kernel searches for at once: the number of targets, and the number of bytes of all
/// these targets. The limits exist because the kernel builds DFAs from the targets.
const MOST_TARGETS: usize = 8;
pub(super) const MOST_BYTES: usize = 38;

/// Returns whether each of `targets` occurs in each string. The result has one column per target, with the values of
/// [`contains`](super::contains).
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument): there are no targets; the errors of [`contains`](super::contains).
pub fn contains_multiple(column: ColumnView<'_>, targets: &[&str], ctx: Ctx<'_>) -> Result<Table> {
    expect_targets(targets)?;
    let (mut columns, mut left) = (Vec::with_capacity(targets.len()), targets);
    while !left.is_empty() {
        let bytes = left.iter().scan(0_usize, |bytes, target| {
            *bytes = bytes.saturating_add(target.len());
            Some(*bytes)
        });
        let together = bytes.take(MOST_TARGETS).take_while(|bytes| *bytes <= MOST_BYTES).count().max(1);
        let (some, others) = left.split_at(together);
        columns.extend(contains_each(column, some, ctx)?);
        left = others;
    }
    Table::try_new(columns)
}

/// Returns a list for each string. The list has the first character position of each of `targets` in the string.
///
/// The position is −1 if the target does not occur, or if the row is null. The result has lists of `Int32`, or large
/// lists of `Int64` for `LargeUtf8`.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument): there are no targets.
/// * [`OffsetOverflow`](Error::OffsetOverflow): the lists of `Utf8` have more than 2³¹ − 1 elements.
/// * The errors of [`contains`](super::contains).
pub fn find_multiple(column: ColumnView<'_>, targets: &[&str], ctx: Ctx<'_>) -> Result<Column> {
    expect_targets(targets)?;
    let large = is_large("find_multiple", column)?;
    let elements = (column.len() as u64).saturating_mul(targets.len() as u64);
    if !large && elements > i32::MAX as u64 {
        return Err(Error::offset_overflow(elements));
    }
    let mut places = Vec::with_capacity(targets.len());
    for target in targets {
        let found = find(column, Literal::from(*target).into(), 0, None, ctx.scratch())?;
        places.push(if found.has_validity() {
            let absent = if large { Literal::from(-1_i64) } else { Literal::from(-1_i32) };
            replace_nulls(found.view(), absent.into(), ctx.scratch())?
        } else {
            found
        });
    }
    let places = interleave_columns(Table::try_new(places)?.view(), ctx)?;
    let rows = column.len();
    let offsets = if large {
        let step = Literal::from(targets.len() as i64);
        sequence(0_i64.into(), step.into(), rows + 1, ctx)?
    } else {
        let step = Literal::from(i32::try_from(targets.len()).unwrap_or(i32::MAX));
        sequence(0_i32.into(), step.into(), rows + 1, ctx)?
    };
    vouch::result(ColumnParts::lists(rows, offsets.buffers()[0].clone(), large, places, false))
}

fn expect_targets(targets: &[&str]) -> Result<()> {
    match targets {
        [] => {
            Err(Error::invalid_argument("the list of targets is empty; pass at least 1 target").in_argument("targets"))
        }
        _ => Ok(()),
    }
}
