//! The layout rules of new results.

use std::fmt;

use gdf_core::{Column, DataType};
use gdf_driver::Stream;
use gdf_memory::Buffer;

/// A layout rule, and the column that breaks the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsanitized {
    /// The positions of the children on the path from the result to the column that breaks the rule. If the result
    /// itself breaks the rule, the path is empty.
    pub path: Vec<usize>,
    /// The rule.
    pub rule: BrokenRule,
}

/// The layout rule that a column breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BrokenRule {
    /// The column is not marked as validated. Therefore the next operation would have to validate its data.
    Unvalidated,
    /// The first row of the column is not row 0 of the buffers.
    StartsAt(usize),
    /// A bit of the mask is set after the last row.
    BitPastEnd(usize),
    /// A bit of a new mask or of new boolean values is set before the first row.
    BitBeforeStart(usize),
    /// A bit of the boolean values is set after the last row.
    ValueBitPastEnd(usize),
    /// The declared null count differs from the number of nulls in the mask.
    NullCount {
        /// The null count that the column declares.
        declared: usize,
        /// The number of nulls in the mask.
        counted: usize,
    },
    /// The first offset is not 0.
    FirstOffset(i64),
    /// An offset is smaller than the offset before it.
    OffsetsFall {
        /// The row whose end is before its start.
        row: usize,
    },
    /// The last offset is larger than the number of elements.
    OffsetPastEnd {
        /// The last offset.
        offset: i64,
        /// The number of elements.
        elements: usize,
    },
    /// A null string or list has elements.
    NullNotEmpty {
        /// The null row that has elements.
        row: usize,
    },
    /// A row of a child is valid although the row of the struct is null.
    NullNotPushedDown {
        /// The null row of the struct.
        row: usize,
        /// The position of the child.
        child: usize,
    },
    /// The buffers cannot be read.
    Unreadable(String),
}

impl fmt::Display for Unsanitized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "child {:?}: ", self.path)?;
        }
        match &self.rule {
            BrokenRule::Unvalidated => f.write_str("is not marked as validated"),
            BrokenRule::StartsAt(row) => write!(f, "starts at row {row} of its buffers, not 0"),
            BrokenRule::BitPastEnd(bit) => write!(f, "mask bit {bit} after the last row is set"),
            BrokenRule::BitBeforeStart(bit) => write!(f, "bit {bit} before the first row is set"),
            BrokenRule::ValueBitPastEnd(bit) => write!(f, "boolean {bit} after the last row is set"),
            BrokenRule::NullCount { declared, counted } => {
                write!(f, "declares {declared} nulls, but the mask has {counted}")
            }
            BrokenRule::FirstOffset(offset) => write!(f, "first offset is {offset}, not 0"),
            BrokenRule::OffsetsFall { row } => write!(f, "offsets decrease at row {row}"),
            BrokenRule::OffsetPastEnd { offset, elements } => {
                write!(f, "last offset is {offset}, but there are {elements} elements")
            }
            BrokenRule::NullNotEmpty { row } => write!(f, "null row {row} is not empty"),
            BrokenRule::NullNotPushedDown { row, child } => {
                write!(f, "struct row {row} is null, but child {child} is valid in this row")
            }
            BrokenRule::Unreadable(error) => write!(f, "buffers cannot be read: {error}"),
        }
    }
}

impl std::error::Error for Unsanitized {}

/// Checks the layout of a new result and of all its children:
///
/// - The column starts at row 0 and at bit 0.
/// - The mask and the boolean values have no set bit from the last row to the end of their buffers.
/// - The null count is the number of nulls in the mask.
/// - The first offset is 0, no offset is smaller than the offset before it, and the last offset is at most the number
///   of elements.
/// - Null strings and null lists are empty.
/// - Children of null structs are null, except children whose type has no mask.
/// - The column is marked as validated.
///
/// The function copies the buffers to the host and waits for the stream.
///
/// # Errors
/// - the first broken rule.
pub fn check_sanitized(column: &Column, stream: &Stream) -> Result<(), Unsanitized> {
    let mut path = Vec::new();
    if let Err(rule) = check(column, stream, &mut path) {
        return Err(Unsanitized { path, rule });
    }
    if column.validated() { Ok(()) } else { Err(Unsanitized { path: Vec::new(), rule: BrokenRule::Unvalidated }) }
}

pub(super) fn unreadable(error: impl fmt::Display) -> BrokenRule {
    BrokenRule::Unreadable(error.to_string())
}

fn check(column: &Column, stream: &Stream, path: &mut Vec<usize>) -> Result<(), BrokenRule> {
    check_node(column, stream)?;
    for (i, child) in column.children().iter().enumerate() {
        path.push(i);
        check(child, stream, path)?;
        path.pop();
    }
    Ok(())
}

/// Checks the layout of a column, without that of its children.
pub(super) fn check_node(column: &Column, stream: &Stream) -> Result<(), BrokenRule> {
    if column.offset() != 0 {
        return Err(BrokenRule::StartsAt(column.offset()));
    }
    let valid = validity(column, stream)?;
    let claimed = column.claimed_null_count();
    let declared = claimed.map_or_else(|| column.null_count_on(stream), Ok).map_err(unreadable)?;
    let counted = valid.iter().filter(|valid| !**valid).count();
    // A column of type `Null` has no mask, although all its rows are null.
    let masked = !matches!(column.data_type(), DataType::Null);
    if masked && declared != counted {
        return Err(BrokenRule::NullCount { declared, counted });
    }
    if let Some(width) = offset_width(column.data_type()) {
        check_offsets(column, &valid, width, stream)?;
    }
    match column.data_type() {
        DataType::Struct(_) => check_pushed_down(column, &valid, stream)?,
        DataType::Boolean => check_bits(column, stream)?,
        _ => {}
    }
    Ok(())
}

/// Returns the validity of each row.
fn validity(column: &Column, stream: &Stream) -> Result<Vec<bool>, BrokenRule> {
    let len = column.len();
    let Some(mask) = column.validity() else {
        return Ok(vec![true; len]);
    };
    let bytes = to_host(mask, stream)?;
    match past_end(&bytes, len) {
        Some(past) => Err(BrokenRule::BitPastEnd(past)),
        None => Ok((0..len).map(|row| is_set(&bytes, row)).collect()),
    }
}

pub(super) fn is_set(bytes: &[u8], bit: usize) -> bool {
    bytes.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
}

pub(super) fn past_end(bytes: &[u8], len: usize) -> Option<usize> {
    (len..bytes.len() * 8).find(|&bit| is_set(bytes, bit))
}

fn check_bits(column: &Column, stream: &Stream) -> Result<(), BrokenRule> {
    let Some(values) = column.buffers().first() else { return Ok(()) };
    past_end(&to_host(values, stream)?, column.len()).map_or(Ok(()), |past| Err(BrokenRule::ValueBitPastEnd(past)))
}

pub(super) fn to_host(buffer: &Buffer, stream: &Stream) -> Result<Vec<u8>, BrokenRule> {
    buffer.to_host(stream).map_err(unreadable)
}

/// Returns the width of the offsets of text, binary, lists and maps.
pub(super) fn offset_width(data_type: &DataType) -> Option<usize> {
    match data_type {
        DataType::Utf8 | DataType::Binary | DataType::List(_) | DataType::Map(_, _) => Some(4),
        DataType::LargeUtf8 | DataType::LargeBinary | DataType::LargeList(_) => Some(8),
        _ => None,
    }
}

/// Returns the offsets of the rows from `first` on, one more than there are rows.
pub(super) fn offsets(bytes: &[u8], width: usize, first: usize, len: usize) -> Vec<i64> {
    let all = bytes.chunks_exact(width).skip(first).take(len + 1);
    all.map(|bytes| match <[u8; 8]>::try_from(bytes) {
        Ok(long) => i64::from_le_bytes(long),
        Err(_) => i64::from(i32::from_le_bytes(bytes.try_into().unwrap_or_default())),
    })
    .collect()
}

fn check_offsets(column: &Column, valid: &[bool], width: usize, stream: &Stream) -> Result<(), BrokenRule> {
    let Some(buffer) = column.buffers().first() else {
        return Ok(());
    };
    let bytes = to_host(buffer, stream)?;
    let offsets = offsets(&bytes, width, 0, column.len());
    match offsets.first() {
        Some(0) => {}
        // Arrow allows an empty column without offsets.
        None if column.is_empty() => return Ok(()),
        first => return Err(BrokenRule::FirstOffset(first.copied().unwrap_or(-1))),
    }
    for (row, pair) in offsets.windows(2).enumerate() {
        if pair[1] < pair[0] {
            return Err(BrokenRule::OffsetsFall { row });
        }
        if !valid[row] && pair[0] != pair[1] {
            return Err(BrokenRule::NullNotEmpty { row });
        }
    }
    let elements = match column.children().first() {
        Some(child) => child.len(),
        None => column.buffers().get(1).map_or(0, Buffer::len),
    };
    match offsets.last() {
        Some(&offset) if usize::try_from(offset).is_ok_and(|offset| offset > elements) => {
            Err(BrokenRule::OffsetPastEnd { offset, elements })
        }
        _ => Ok(()),
    }
}

fn check_pushed_down(column: &Column, valid: &[bool], stream: &Stream) -> Result<(), BrokenRule> {
    for (i, child) in column.children().iter().enumerate() {
        // Children of these types have no mask of their own, so the nulls of the struct cannot be in them.
        if matches!(child.data_type(), DataType::Null | DataType::Union(_, _) | DataType::RunEndEncoded(_, _)) {
            continue;
        }
        let below = validity(child, stream)?;
        let wrong = valid.iter().zip(&below).position(|(parent, child)| !parent && *child);
        if let Some(row) = wrong {
            return Err(BrokenRule::NullNotPushedDown { row, child: i });
        }
    }
    Ok(())
}
