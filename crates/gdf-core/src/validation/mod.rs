//! Validation of the data of columns against the rules of their types.
//!
//! This module lists the columns and children to check, and turns the results of the checks into errors. The module
//! itself only checks data on the CPU. The operation `validate`, which also checks columns on a GPU, uses this module.
//! Import and export use this module, too.

mod fields;
mod host;
mod plan;
#[cfg(test)]
mod tests;

use gdf_driver::Stream;

use crate::{Column, DataRule, Error, Result};

pub use host::look;
pub use plan::{Check, Node, add};

const TASK_ROWS: usize = 1 << 16;

/// The result of checking the data of a column or child, without its children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The number of rows that the mask makes null.
    pub nulls: usize,
    /// The violated rule, and the first row that violates the rule.
    pub fault: Option<(DataRule, usize)>,
}

/// Returns an error for the first node with a violation. The function also checks that fields that are declared without
/// nulls have no nulls.
///
/// If a field that is declared without nulls is on a GPU and has a validity mask, the function **waits** once for the
/// null count, unless the count is known. If the field has nulls, the function also waits for the masks.
///
/// # Errors
/// - [`Error::BrokenData`]: a node violates a rule.
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

/// Validates a column on the CPU and its children, and marks them as validated. Parts that are already validated are
/// skipped.
///
/// # Errors
/// - [`Error::BrokenData`]: the data violate a rule of their type.
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
        // SAFETY: `add` makes nodes of whole columns and children. `look` has checked the data of all their rows and
        // has counted the nulls, and `verdict` has returned no error, so no rule is violated.
        unsafe { node.view.column().mark_validated(found.nulls) };
    }
    Ok(())
}
