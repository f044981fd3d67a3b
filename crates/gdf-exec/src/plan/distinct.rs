//! Distinct rows.

use gdf_api::join::NullEquality;
use gdf_api::stream_compaction::{self, DuplicateKeepOption, NanEquality};

use super::deferred::Deferred;
use super::{Node, Run};
use crate::error::Result;

/// One row of all rows of a node that are equal in some columns. Nulls are equal to each other, and NaNs are equal to
/// each other.
///
/// A run of all rows at once keeps the order of the rows. The rows of a run in parts are in no particular order.
#[derive(Clone, Debug)]
pub struct Distinct {
    /// The node.
    pub input: Node,
    /// The positions of the columns that are compared.
    pub keys: Vec<usize>,
    /// Which of the equal rows is kept, or that none of them is.
    pub keep: DuplicateKeepOption,
}

impl Distinct {
    pub(super) fn run(&self, run: &Run<'_>) -> Result<Deferred> {
        let table = run.node(&self.input)?.into_table()?;
        let (nulls, nans) = (NullEquality::Equal, NanEquality::AllEqual);
        Ok(stream_compaction::distinct(&table, &self.keys, self.keep, nulls, nans)?.into())
    }
}
