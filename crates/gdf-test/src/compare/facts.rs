//! Checks the facts that operations store with columns. Later operations rely on the facts without a check.

use std::collections::HashSet;

use gdf_core::{Column, numbers_of_order, physical_type};
use gdf_driver::Stream;

/// Checks the facts that are stored with a column of integers of at most 64 bits: the bounds of the values, whether the
/// rows ascend, whether they are distinct, and of how many rows they are row numbers. Other columns are not read.
///
/// If facts are stored, the function copies the rows to the host and waits for the stream.
///
/// # Errors
/// - a sentence about the first fact that is false, or about rows that cannot be read.
pub fn check_facts(column: &Column, stream: &Stream) -> Result<(), String> {
    let (view, data_type) = (column.view(), column.data_type());
    let physical = physical_type(data_type);
    let Some(width) = physical.width().filter(|width| physical.is_integral() && *width <= 8) else { return Ok(()) };
    let (exact, outer, numbered) = (view.exact_bounds(), view.outer_bounds(), view.row_numbers_of());
    let (ascends, is_distinct) = (view.is_known_ascending(), view.is_known_distinct());
    if outer.is_none() && numbered.is_none() && !ascends && !is_distinct {
        return Ok(());
    }
    let rows = rows(column, width, physical.is_signed(), stream)?;
    let valid: Vec<i128> = rows.iter().copied().flatten().collect();
    let ends = valid.iter().copied().min().zip(valid.iter().copied().max());
    let numbers = |bounds: Option<(u64, u64)>| bounds.and_then(|bounds| numbers_of_order(bounds, data_type));
    if let Some(stated) = exact.map(numbers).filter(|stated| *stated != ends) {
        return Err(format!("the stored bounds are {stated:?}, but the values have {ends:?}"));
    }
    if let (Some(stated), Some((low, high))) = (outer.map(numbers), ends)
        && stated.is_none_or(|(min, max)| low < min || high > max)
    {
        return Err(format!("the values are stored to lie in {stated:?}, but they have {ends:?}"));
    }
    if let (Some(count), Some((low, high))) = (numbered, ends)
        && (low < 0 || high >= count as i128)
    {
        return Err(format!("the values are stored to be numbers of {count} rows, but they have {ends:?}"));
    }
    let has_nulls = valid.len() < rows.len();
    if ascends && (has_nulls || !valid.is_sorted()) {
        return Err("the rows are stored to ascend, but do not".to_owned());
    }
    if is_distinct && (has_nulls || valid.iter().collect::<HashSet<_>>().len() < valid.len()) {
        return Err("the rows are stored to be distinct, but are not".to_owned());
    }
    Ok(())
}

/// Returns the rows, with `None` for null.
fn rows(column: &Column, width: usize, is_signed: bool, stream: &Stream) -> Result<Vec<Option<i128>>, String> {
    let unreadable = |error: gdf_memory::MemoryError| error.to_string();
    let Some(buffer) = column.buffers().first().filter(|_| !column.is_empty()) else { return Ok(Vec::new()) };
    let bytes = buffer.to_host(stream).map_err(unreadable)?;
    let mask = column.validity().map(|mask| mask.to_host(stream).map_err(unreadable)).transpose()?;
    let is_valid = |row: usize| mask.as_ref().is_none_or(|mask| mask[row / 8] >> (row % 8) & 1 == 1);
    let number = |bytes: &[u8]| {
        let is_negative = is_signed && bytes.last().is_some_and(|byte| *byte >= 0x80);
        let mut word = [if is_negative { 0xff } else { 0 }; 16];
        word[..bytes.len()].copy_from_slice(bytes);
        i128::from_le_bytes(word)
    };
    let all = (0..).zip(bytes.chunks_exact(width)).skip(column.offset()).take(column.len());
    Ok(all.map(|(row, bytes)| is_valid(row).then(|| number(bytes))).collect())
}
