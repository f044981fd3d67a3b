//! Reads Parquet files in pieces, which threads can read at the same time.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use gdf_driver::Device;

use super::plan::Plan;
use crate::options::Options;
use crate::target::Target;
use crate::{Batch, Result};

/// Some consecutive row groups of Parquet files. [`ParquetReader::pieces`](crate::ParquetReader::pieces) makes pieces.
///
/// A piece has read nothing yet. Pieces can be read in any order, several times, and by several threads at the same
/// time.
#[derive(Clone)]
pub struct ParquetPiece {
    plan: Arc<Plan>,
    units: Range<usize>,
    device: Option<Device>,
}

impl ParquetPiece {
    pub(super) fn all(plan: Plan, options: &Options) -> Vec<ParquetPiece> {
        let (plan, device) = (Arc::new(plan), options.device);
        let piece = |units| ParquetPiece { plan: plan.clone(), units, device };
        plan.pieces(options.batch_rows).into_iter().map(piece).collect()
    }

    /// Returns the names and types of the columns. The keys of a dictionary that [`read`](Self::read) returns may be
    /// wider.
    pub fn schema(&self) -> &SchemaRef {
        &self.plan.schema
    }

    /// Returns the number of selected rows. Rows that a predicate leaves out are counted, too.
    pub fn num_rows(&self) -> usize {
        self.plan.units[self.units.clone()].iter().map(|unit| unit.rows).sum()
    }

    /// Reads the selected rows and columns of the piece.
    ///
    /// # Errors
    /// - The errors of [`ParquetReader::read`](crate::ParquetReader::read).
    pub fn read(&self) -> Result<Batch> {
        Target::run("read_parquet", self.device, |target| self.plan.read_piece(self.units.clone(), target))
    }
}

impl fmt::Debug for ParquetPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (units, rows) = (&self.units, self.num_rows());
        f.debug_struct("ParquetPiece").field("row_groups", units).field("rows", &rows).finish_non_exhaustive()
    }
}
