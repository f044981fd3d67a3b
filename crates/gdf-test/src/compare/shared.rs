//! The layout rules of results that share memory with the inputs of an operation.

use gdf_core::{Column, DataType};
use gdf_driver::Stream;
use gdf_memory::Buffer;

use super::sanitized::{
    BrokenRule, Unsanitized, check_node, check_sanitized, is_set, offset_width, offsets, past_end, to_host, unreadable,
};

/// Checks the layout of a result whose memory may be that of the inputs. What the inputs hold outside of the rows of
/// the result, and what their null rows hide, stays in memory that is shared. The rules are:
///
/// - A column and its children without shared memory follow the rules of [`check_sanitized`].
/// - A mask, boolean values and offsets that are new follow these rules, too: no bit is set outside of the rows, and
///   offsets do not decrease, also if they stand beside values that are shared.
/// - The null count is the number of nulls in the mask.
/// - A column that is marked as sanitized has null rows without text, elements and valid fields.
///
/// The function copies the buffers to the host and waits for the stream.
///
/// # Errors
/// - the first broken rule.
pub fn check_sanitized_beside(column: &Column, inputs: &[Column], stream: &Stream) -> Result<(), Unsanitized> {
    let (mut known, mut own) = (Vec::new(), Vec::new());
    inputs.iter().for_each(|input| buffers(input, &mut known));
    buffers(column, &mut own);
    if own.is_empty() {
        // The rows of a column without buffers start anywhere.
        return Ok(());
    }
    if is_new(column, &known) {
        return check_sanitized(column, stream);
    }
    let shared = Shared { known: &known, stream };
    let mut path = Vec::new();
    shared.check(column, &mut path).map_err(|rule| Unsanitized { path, rule })
}

/// Returns whether a buffer of the column or of its children is one of the inputs' buffers.
pub(crate) fn shares_memory(column: &Column, inputs: &[Column]) -> bool {
    let mut known = Vec::new();
    inputs.iter().for_each(|input| buffers(input, &mut known));
    !is_new(column, &known)
}

/// Adds the buffers of a column and of its children.
fn buffers<'c>(column: &'c Column, all: &mut Vec<&'c Buffer>) {
    all.extend(column.buffers().iter().chain(column.validity()));
    column.children().iter().for_each(|child| buffers(child, all));
}

/// Returns whether no buffer of the column or of its children is one of the known buffers.
fn is_new(column: &Column, known: &[&Buffer]) -> bool {
    let mut own = Vec::new();
    buffers(column, &mut own);
    !own.iter().any(|buffer| is_known(buffer, known))
}

fn is_known(buffer: &Buffer, known: &[&Buffer]) -> bool {
    known.iter().any(|other| other.same_allocation(buffer))
}

/// The rows of a column within its buffers.
struct Rows {
    first: usize,
    valid: Vec<bool>,
}

struct Shared<'a> {
    known: &'a [&'a Buffer],
    stream: &'a Stream,
}

impl Shared<'_> {
    fn check(&self, column: &Column, path: &mut Vec<usize>) -> Result<(), BrokenRule> {
        let own = column.buffers().iter().chain(column.validity());
        let has_shared = own.clone().any(|buffer| is_known(buffer, self.known));
        // A column without shared memory of its own may have shared children, such as the fields of a struct.
        if is_new(column, self.known) {
            check_node(column, self.stream)?;
        } else {
            let rows = self.rows(column)?;
            self.check_null_count(column, &rows)?;
            if !has_shared && own.count() > 0 && column.offset() != 0 {
                return Err(BrokenRule::StartsAt(column.offset()));
            }
            self.check_new_buffers(column)?;
            if column.sanitized() {
                self.check_hidden(column, &rows)?;
            }
        }
        for (i, child) in column.children().iter().enumerate() {
            path.push(i);
            self.check(child, path)?;
            path.pop();
        }
        Ok(())
    }

    fn rows(&self, column: &Column) -> Result<Rows, BrokenRule> {
        let first = column.offset();
        let valid = match column.validity() {
            None => vec![true; column.len()],
            Some(mask) => {
                let bytes = to_host(mask, self.stream)?;
                (first..first + column.len()).map(|row| is_set(&bytes, row)).collect()
            }
        };
        Ok(Rows { first, valid })
    }

    fn check_null_count(&self, column: &Column, rows: &Rows) -> Result<(), BrokenRule> {
        let claimed = column.claimed_null_count();
        let declared = claimed.map_or_else(|| column.null_count_on(self.stream), Ok).map_err(unreadable)?;
        let counted = rows.valid.iter().filter(|valid| !**valid).count();
        // A column of type `Null` has no mask, although all its rows are null.
        if column.data_type() != &DataType::Null && declared != counted {
            return Err(BrokenRule::NullCount { declared, counted });
        }
        Ok(())
    }

    /// Checks the mask, the boolean values and the offsets, unless they are shared.
    fn check_new_buffers(&self, column: &Column) -> Result<(), BrokenRule> {
        let rows = column.offset()..column.offset() + column.len();
        let new = |buffer: Option<&Buffer>| match buffer.filter(|buffer| !is_known(buffer, self.known)) {
            Some(buffer) => to_host(buffer, self.stream).map(Some),
            None => Ok(None),
        };
        if let Some(bytes) = new(column.validity())? {
            if let Some(bit) = past_end(&bytes, rows.end) {
                return Err(BrokenRule::BitPastEnd(bit));
            }
            if let Some(bit) = (0..rows.start).find(|&bit| is_set(&bytes, bit)) {
                return Err(BrokenRule::BitBeforeStart(bit));
            }
        }
        let values = new(column.buffers().first())?;
        if let (DataType::Boolean, Some(bytes)) = (column.data_type(), &values) {
            if let Some(bit) = past_end(bytes, rows.end) {
                return Err(BrokenRule::ValueBitPastEnd(bit));
            }
            if let Some(bit) = (0..rows.start).find(|&bit| is_set(bytes, bit)) {
                return Err(BrokenRule::BitBeforeStart(bit));
            }
        }
        if let (Some(width), Some(bytes)) = (offset_width(column.data_type()), &values) {
            let ends = offsets(bytes, width, rows.start, column.len());
            if let Some(row) = ends.windows(2).position(|pair| pair[1] < pair[0]) {
                return Err(BrokenRule::OffsetsFall { row });
            }
            let elements =
                column.children().first().map_or_else(|| column.buffers().get(1).map_or(0, Buffer::len), Column::len);
            if let Some(&offset) = ends.last().filter(|end| usize::try_from(**end).is_ok_and(|end| end > elements)) {
                return Err(BrokenRule::OffsetPastEnd { offset, elements });
            }
        }
        Ok(())
    }

    /// Checks that null rows have no text, no elements and no valid fields.
    fn check_hidden(&self, column: &Column, rows: &Rows) -> Result<(), BrokenRule> {
        let nulls = || rows.valid.iter().enumerate().filter(|(_, valid)| !**valid).map(|(row, _)| row);
        if let (Some(width), Some(buffer)) = (offset_width(column.data_type()), column.buffers().first()) {
            let ends = offsets(&to_host(buffer, self.stream)?, width, rows.first, column.len());
            if let Some(row) = nulls().find(|&row| ends.get(row + 1) != ends.get(row)) {
                return Err(BrokenRule::NullNotEmpty { row });
            }
        }
        if !matches!(column.data_type(), DataType::Struct(_)) {
            return Ok(());
        }
        for (i, child) in column.children().iter().enumerate() {
            // Children of these types have no mask of their own, so the nulls of the struct cannot be in them.
            if matches!(child.data_type(), DataType::Null | DataType::Union(_, _) | DataType::RunEndEncoded(_, _)) {
                continue;
            }
            // Children are not sliced with the struct.
            let below = self.rows(child)?.valid;
            if let Some(row) = nulls().find(|row| below.get(rows.first + row) == Some(&true)) {
                return Err(BrokenRule::NullNotPushedDown { row, child: i });
            }
        }
        Ok(())
    }
}
