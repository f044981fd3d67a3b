//! Reads Parquet files in pieces, which threads can read at the same time.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use gdf_driver::Device;
use parquet::arrow::arrow_reader::RowSelection;

use super::plan::{Origin, Plan, PlanColumn, Unit};
use super::text::{has_short_lists, has_short_offsets};
use crate::large::LIMIT;
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

/// The largest number of elements that 32-bit offsets of lists represent.
const MOST_ELEMENTS: u64 = if cfg!(test) { 200_000 } else { LIMIT as u64 };

/// A column whose 32-bit offsets limit the rows that are decoded together.
struct Limited<'a> {
    leaves: &'a [Vec<usize>],
    has_texts: bool,
    has_lists: bool,
}

impl<'a> Limited<'a> {
    fn of(column: &'a PlanColumn) -> Option<Limited<'a>> {
        let Origin::Stored { leaves } = &column.origin else { return None };
        let data_type = column.field.data_type();
        let (has_texts, has_lists) = (has_short_offsets(data_type), has_short_lists(data_type));
        (has_texts || has_lists).then_some(Limited { leaves, has_texts, has_lists })
    }

    /// Returns the numbers of bytes of text and of elements of lists in a row group.
    fn sizes(&self, plan: &Plan, unit: &Unit) -> [u64; 2] {
        let (file, leaves) = (&plan.files[unit.file], &self.leaves[unit.file]);
        let bytes = if self.has_texts { file.text_bytes(unit.group, leaves) } else { 0 };
        let elements = if self.has_lists { file.most_values(unit.group, leaves) } else { 0 };
        [bytes, elements]
    }
}

impl Plan {
    /// Divides the units into ranges. The units of a range have at most `rows` rows before the predicate, at most
    /// `text_limit` bytes of text in each column with 32-bit offsets, and as many elements of lists as such offsets
    /// represent, or are one unit.
    pub(super) fn pieces(&self, rows: usize) -> Vec<Range<usize>> {
        // A GPU decodes the columns of the predicate for all units of a range together, too.
        let tested = self.filter().into_iter().flat_map(|(_, columns)| columns);
        let limited: Vec<Limited<'_>> = self.columns.iter().chain(tested).filter_map(Limited::of).collect();
        let most = [self.text_limit, MOST_ELEMENTS];
        let (mut pieces, mut start, mut found) = (Vec::new(), 0, 0_usize);
        let mut sizes = vec![[0_u64; 2]; limited.len()];
        for (index, unit) in self.units.iter().enumerate() {
            let of_unit: Vec<[u64; 2]> = limited.iter().map(|column| column.sizes(self, unit)).collect();
            let mut sums = sizes.iter().zip(&of_unit).flat_map(|(sizes, more)| sizes.iter().zip(more).zip(most));
            let is_full = found.saturating_add(unit.rows) > rows
                || sums.any(|((size, more), most)| size.saturating_add(*more) > most);
            if index > start && is_full {
                pieces.push(start..index);
                (start, found) = (index, 0);
                sizes.fill([0; 2]);
            }
            found = found.saturating_add(unit.rows);
            let sums = sizes.iter_mut().flatten().zip(of_unit.iter().flatten());
            sums.for_each(|(size, more)| *size = size.saturating_add(*more));
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
            unit.within(RowSelection::from_consecutive_ranges(part, total))
        };
        (0..total).step_by(rows.max(1)).filter_map(part)
    }

    /// Returns whether the 32-bit offsets of lists, and of text within lists, represent all rows of each row group.
    pub(super) fn has_representable_lists(&self) -> bool {
        let limited: Vec<Limited<'_>> = self.columns.iter().filter_map(Limited::of).collect();
        let lists = limited.iter().filter(|column| column.has_lists);
        lists
            .flat_map(|column| self.units.iter().map(|unit| column.sizes(self, unit)))
            .all(|[bytes, elements]| bytes <= LIMIT as u64 && elements <= MOST_ELEMENTS)
    }
}

impl fmt::Debug for ParquetPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (units, rows) = (&self.units, self.num_rows());
        f.debug_struct("ParquetPiece").field("row_groups", units).field("rows", &rows).finish_non_exhaustive()
    }
}
