//! Checks of fields that are declared without nulls; see [`DataRule::NonNullable`](crate::DataRule::NonNullable).

use arrow_schema::DataType;
use gdf_driver::Stream;

use super::host::first_row;
use super::{Node, TASK_ROWS};
use crate::layout::{is_required, rows_per_parent};
use crate::{ColumnView, DataRule, Error, Result, bitmask, physical_type};

pub(super) fn check(node: &Node<'_>, stream: &Stream) -> Result<()> {
    for (index, child) in node.view.children().iter().enumerate() {
        if !is_required(node.view.data_type(), index) {
            continue;
        }
        if let Some(row) = first_null(node.view, index, stream)? {
            let path = node.path.iter().copied().chain([index]).collect();
            let (data_type, rule) = (child.data_type().clone(), DataRule::NonNullable);
            return Err(Error::broken_data(data_type, rule, Some(row), path));
        }
    }
    Ok(())
}

/// Returns the first row of the child that must not be null but is null. In a struct or in a list of a fixed size, a
/// row of the child may be null if the row of the parent is null. In a list with offsets or in a map, no row of the
/// child may be null.
fn first_null(view: ColumnView<'_>, index: usize, stream: &Stream) -> Result<Option<usize>> {
    let child = view.child(index)?;
    if !child.has_validity() && !matches!(child.data_type(), DataType::Dictionary(..)) {
        return Ok(None);
    }
    let (rows, parent, each) = match rows_per_parent(physical_type(view.data_type())) {
        Some(each) => (child.slice(view.offset() * each, view.len() * each)?, Some(view), each),
        None => (child, None, 1),
    };
    let values = DictionaryNulls::of(rows, stream)?;
    if rows.null_count_on(stream)? == 0 && values.is_none() {
        return Ok(None);
    }
    let (own, hiding) = (Bits::of(rows, stream)?, parent.map(|parent| Bits::of(parent, stream)).transpose()?);
    let is_null = |row: usize| !own.get(row) || values.as_ref().is_some_and(|values| values.has(row));
    let is_bare = |row: usize| is_null(row) && hiding.as_ref().is_none_or(|parent| parent.get(row / each));
    let row = first_row(rows.len(), TASK_ROWS, is_bare);
    Ok(row.map(|row| rows.offset() - child.offset() + row))
}

/// The keys of a dictionary whose values have nulls, and the validity of the values, in memory of the CPU.
struct DictionaryNulls {
    keys: Vec<u8>,
    width: usize,
    values: Bits,
    count: usize,
}

impl DictionaryNulls {
    /// Returns `None` if the rows are no dictionary, or if its values have no nulls.
    fn of(rows: ColumnView<'_>, stream: &Stream) -> Result<Option<DictionaryNulls>> {
        let DataType::Dictionary(keys, _) = rows.data_type() else { return Ok(None) };
        let (values, buffer) = (rows.child(0)?, rows.buffers().first());
        let (Some(width), Some(buffer)) = (physical_type(keys).width(), buffer) else { return Ok(None) };
        if values.null_count_on(stream)? == 0 {
            return Ok(None);
        }
        let keys = buffer.slice(rows.offset() * width, rows.len() * width)?.to_host(stream)?;
        Ok(Some(DictionaryNulls { keys, width, values: Bits::of(values, stream)?, count: values.len() }))
    }

    /// Returns whether the value of a row is null. A key without a value breaks another rule.
    fn has(&self, row: usize) -> bool {
        let mut key = [0; 8];
        key[..self.width].copy_from_slice(&self.keys[row * self.width..(row + 1) * self.width]);
        let key = usize::try_from(u64::from_le_bytes(key)).unwrap_or(usize::MAX);
        key < self.count && !self.values.get(key)
    }
}

/// The validity of rows, in memory of the CPU.
struct Bits {
    bytes: Vec<u8>,
    first: usize,
}

impl Bits {
    /// Copies the validity of the rows to the CPU.
    fn of(view: ColumnView<'_>, stream: &Stream) -> Result<Bits> {
        let first = view.offset() % 8;
        let bytes = match view.validity() {
            Some(mask) => mask.slice(view.offset() / 8, bitmask::used_bytes(first + view.len()))?.to_host(stream)?,
            None => Vec::new(),
        };
        Ok(Bits { bytes, first })
    }

    fn get(&self, row: usize) -> bool {
        self.bytes.is_empty() || bitmask::get_bit(&self.bytes, self.first + row)
    }
}
