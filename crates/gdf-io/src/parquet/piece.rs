//! Reads Parquet files in pieces, which threads can read at the same time.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use gdf_driver::Device;
use parquet::arrow::arrow_reader::RowSelection;

use super::plan::{Origin, Plan, Unit};
use super::text::has_short_offsets;
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

    /// Returns the names and types of the columns, which are the same for all pieces of a reader. The keys of a
    /// dictionary that [`read`](Self::read) returns may be wider.
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

impl Plan {
    /// Divides the units into ranges. The units of a range have at most `rows` rows before the predicate, and at most
    /// `text_limit` bytes of text in each column with 32-bit offsets, or are one unit.
    pub(super) fn pieces(&self, rows: usize) -> Vec<Range<usize>> {
        // A GPU decodes the columns of the predicate for all units of a range together, too.
        let tested = self.filter().into_iter().flat_map(|(_, columns)| columns);
        let texts = self.columns.iter().chain(tested).filter(|column| has_short_offsets(column.field.data_type()));
        let texts = texts.filter_map(|column| match &column.origin {
            Origin::Stored { leaves } => Some(leaves),
            Origin::Partition(_) => None,
        });
        let texts: Vec<&Vec<Vec<usize>>> = texts.collect();
        let (mut pieces, mut start, mut found, mut bytes) = (Vec::new(), 0, 0_usize, vec![0_u64; texts.len()]);
        for (index, unit) in self.units.iter().enumerate() {
            let text_bytes =
                |leaves: &&Vec<Vec<usize>>| self.files[unit.file].text_bytes(unit.group, &leaves[unit.file]);
            let of_unit: Vec<u64> = texts.iter().map(text_bytes).collect();
            let is_full = found.saturating_add(unit.rows) > rows
                || bytes.iter().zip(&of_unit).any(|(bytes, more)| bytes.saturating_add(*more) > self.text_limit);
            if index > start && is_full {
                pieces.push(start..index);
                (start, found) = (index, 0);
                bytes.fill(0);
            }
            found = found.saturating_add(unit.rows);
            bytes.iter_mut().zip(of_unit).for_each(|(bytes, more)| *bytes = bytes.saturating_add(more));
        }
        if start < self.units.len() || pieces.is_empty() {
            pieces.push(start..self.units.len());
        }
        pieces
    }

    /// Divides the units into lists that have at most `rows` rows before the predicate. A unit with more rows is divided.
    pub(super) fn divided_units(&self, rows: usize) -> Vec<Vec<Unit>> {
        let mut lists = Vec::new();
        for units in self.pieces(rows) {
            match &self.units[units] {
                [unit] if unit.rows > rows => lists.extend(self.parts_of(unit, rows).map(|part| vec![part])),
                units => lists.push(units.to_vec()),
            }
        }
        lists
    }

    /// Divides a unit into parts of `rows` rows of its row group, or of fewer. Parts without selected rows are left out.
    fn parts_of<'u>(&self, unit: &'u Unit, rows: usize) -> impl Iterator<Item = Unit> + use<'u> {
        let total = self.files[unit.file].group_rows(unit.group);
        let part = move |start: usize| {
            let part = std::iter::once(start..total.min(start.saturating_add(rows)));
            let part = RowSelection::from_consecutive_ranges(part, total);
            let selection = match &unit.selection {
                Some(selection) => selection.intersection(&part),
                None => part,
            };
            let rows = selection.row_count();
            (rows > 0).then(|| Unit { selection: Some(selection), rows, ..unit.clone() })
        };
        (0..total).step_by(rows.max(1)).filter_map(part)
    }
}

impl fmt::Debug for ParquetPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (units, rows) = (&self.units, self.num_rows());
        f.debug_struct("ParquetPiece").field("row_groups", units).field("rows", &rows).finish_non_exhaustive()
    }
}
