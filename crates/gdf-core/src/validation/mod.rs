//! Validation: whether the data of columns obey the rules of their types.
//!
//! The module has the list of columns and children to check, the checks on the CPU, and the verdict.
//! The operation `validate`, which also looks on a GPU, stands on this, and so do import and export.

mod fields;
mod host;
mod plan;
#[cfg(test)]
mod tests;

use gdf_driver::Stream;

use crate::{Column, DataRule, Error, Result};

pub use host::look;
pub use plan::{Check, Node, add};

/// The number of rows that a task checks by default.
const TASK_ROWS: usize = 1 << 16;

/// The result of checking the data of a column or child.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The number of rows that the mask makes null.
    pub nulls: usize,
    /// The rule that is broken, and the first row that breaks it.
    pub fault: Option<(DataRule, usize)>,
}

/// Whether nothing was found to be wrong, and fields that are declared without nulls have none; else the first node
/// that is at fault is the error.
///
/// Fields without masks, or whose null count is known to be 0, are passed over. **Waits** for a GPU once for each other
/// one, and more often for one that has nulls.
///
/// # Errors
/// - [`Error::BrokenData`].
/// - Driver and memory errors of reading.
pub fn verdict(nodes: &[Node<'_>], found: &[Found], stream: &Stream) -> Result<()> {
    for (node, found) in nodes.iter().zip(found) {
        let known = node.view.column().claimed_null_count();
        let fault = match known {
            Some(known) if known != found.nulls => Some((DataRule::NullCount, None)),
            _ => found.fault.map(|(rule, row)| (rule, Some(row))),
        };
        if let Some((rule, row)) = fault {
            let data_type = node.view.data_type().clone();
            return Err(Error::broken_data(data_type, rule, row, node.path.clone()));
        }
        fields::check(node, stream)?;
    }
    Ok(())
}

/// Validates a column on the CPU and its children, if they are not validated yet, and marks them as validated.
///
/// # Errors
/// - [`Error::BrokenData`].
/// - Driver and memory errors of reading.
pub fn ensure(column: &Column, stream: &Stream) -> Result<()> {
    if column.validated() {
        return Ok(());
    }
    let mut nodes = Vec::new();
    add(column.view(), Vec::new(), &mut nodes);
    nodes.retain(|node| !node.view.column().own_data_validated());
    let found = look(&nodes, TASK_ROWS, stream)?;
    verdict(&nodes, &found, stream)?;
    for (node, found) in nodes.iter().zip(&found) {
        // SAFETY: `add` makes nodes of whole columns and children. `look` has gone over the data of all of their rows
        // and has counted the nulls, and `verdict` says that no rule is broken.
        unsafe { node.view.column().mark_validated(found.nulls) };
    }
    Ok(())
}
