//! Columns that a GPU decodes.
//!
//! The pages of some leaf columns are copied to the GPU together. gdf-decode then decompresses and decodes them with one
//! set of launches.

use std::ops::Range;
use std::sync::mpsc::sync_channel;

use arrow_array::BooleanArray;
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use gdf_core::{Column, Table};
use gdf_decode::{Batch, Chunk, ColumnPages, Ctx, DecodedColumn, Nesting, Refused};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Resources};

use super::file::ParquetFile;
use super::leaf::{LeafForm, has_known_encodings};
use super::plan::{Origin, Plan, PlanColumn, Unit};
use super::refusal::Refusal;
use super::selected::{append_wanted, ranges_of};
use super::staging::{Copied, LeafColumn, PageBytes};
use crate::target::{Target, can_concatenate};
use crate::{Error, Result};

/// The number of bytes of the pages of leaf columns that are decoded together, or of one. Pages that the GPU decompresses
/// count twice, compressed and decompressed. There are two groups at the same time. The largest page of a group is
/// decompressed by one block, so that small groups leave most of the GPU idle.
const MOST_STAGED: usize = if cfg!(test) { 100_000 } else { 1 << 30 };

/// What is done with the columns of a part of a read.
pub(super) type Finish<'f, C> = dyn FnMut(&[Unit], Vec<C>) -> Result<()> + 'f;

impl Plan {
    /// Returns the leaf columns of a column, or why the GPU cannot decode it.
    pub(super) fn leaf_columns(
        &self,
        number: usize,
        column: &PlanColumn,
        units: &[Unit],
    ) -> Result<Vec<LeafColumn>, Refusal> {
        let Origin::Stored { leaves } = &column.origin else { return Err(Refusal::Folders) };
        let form = |file: &ParquetFile, leaves: &[usize]| {
            LeafForm::of_column(file, leaves, column.field.data_type()).ok_or(Refusal::Form)
        };
        let mut found: Vec<LeafColumn> = Vec::new();
        let mut of_file: Option<(usize, Vec<usize>)> = None;
        for unit in units {
            let file = &self.files[unit.file];
            if unit.selection.is_some() && !can_concatenate(column.field.data_type()) {
                return Err(Refusal::SelectedRows);
            }
            if of_file.as_ref().is_none_or(|(known, _)| *known != unit.file) {
                let (numbers, forms): (Vec<usize>, Vec<LeafForm>) = form(file, &leaves[unit.file])?.into_iter().unzip();
                if found.is_empty() {
                    let leaf = |form| LeafColumn { column: number, form, leaves: Vec::new(), sizes: Vec::new() };
                    found = forms.into_iter().map(leaf).collect();
                } else if !forms.iter().eq(found.iter().map(|leaf| &leaf.form)) {
                    return Err(Refusal::SeveralForms);
                }
                of_file = Some((unit.file, numbers));
            }
            let numbers = of_file.iter().flat_map(|(_, numbers)| numbers);
            for (leaf, number) in found.iter_mut().zip(numbers) {
                let chunk = file.metadata.metadata().row_group(unit.group).column(*number);
                if !has_known_encodings(chunk) {
                    return Err(Refusal::Form);
                }
                leaf.leaves.push(*number);
                leaf.sizes.push(PageBytes::of(chunk).ok_or(Refusal::Expansion)?);
            }
        }
        Ok(found)
    }

    /// Decodes columns on the GPU, part by part. `finish` gets the columns of each part, with the reason for a column that
    /// the GPU does not decode.
    ///
    /// # Errors
    /// - An allocation failed, or the driver reports an error.
    /// - The errors of `finish`.
    pub(super) fn read_on_device(
        &self,
        columns: &[&PlanColumn],
        parts: &[&[Unit]],
        target: Target<'_>,
        finish: &mut Finish<'_, Result<Column, Refusal>>,
    ) -> Result<()> {
        let mut readings = parts.iter().map(|units| Reading::new(self, columns, units)).collect::<Vec<_>>();
        let mut groups = Vec::new();
        for (part, reading) in readings.iter_mut().enumerate() {
            groups.extend(std::mem::take(&mut reading.groups).into_iter().map(|group| (part, group)));
        }
        let mut done = 0;
        let mut finish_before = |readings: &mut [Reading], end: usize| {
            for reading in readings.get_mut(done..end).unwrap_or_default() {
                finish(reading.units, reading.assemble(self, columns, target)?)?;
            }
            done = done.max(end);
            Ok::<_, Error>(())
        };
        let mut decode = |part: usize, group: &[LeafColumn], copied: Copied| {
            finish_before(&mut readings, part)?;
            readings[part].decode(self, columns, group, copied, target)
        };
        if let [] | [_] = groups.as_slice() {
            for (part, group) in &groups {
                decode(*part, group, self.copy_pages(group, parts[*part], target)?)?;
            }
        } else {
            // While the GPU decodes a group, the pages of the next one are copied.
            let stream = Stream::new(target.stream.device()).map_err(gdf_core::Error::from)?;
            std::thread::scope(|scope| {
                let (sender, receiver) = sync_channel(0);
                let (groups, stream) = (&groups, &stream);
                scope.spawn(move || {
                    target.in_scope(|| {
                        let copy = |(part, group): &(usize, Vec<LeafColumn>)| {
                            self.copy_pages(group, parts[*part], target.on(stream))
                        };
                        // After an error, nobody receives.
                        let sent = groups.iter().map(copy).map(|copied| sender.send(copied));
                        sent.take_while(|sent| sent.is_ok()).for_each(drop);
                    });
                });
                groups.iter().zip(receiver).try_for_each(|((part, group), copied)| decode(*part, group, copied?))
            })?;
        }
        finish_before(&mut readings, parts.len())
    }
}

/// A part of a read, whose columns are decoded group by group.
struct Reading<'u> {
    units: &'u [Unit],
    /// For each column, the leaves that are decoded.
    found: Vec<Result<Vec<DecodedColumn>, Refusal>>,
    /// For each column and unit, the rows of the row group that the leaves have.
    rows: Vec<Vec<Vec<Range<usize>>>>,
    /// The leaf columns that are decoded together.
    groups: Vec<Vec<LeafColumn>>,
}

impl<'u> Reading<'u> {
    fn new(plan: &Plan, columns: &[&PlanColumn], units: &'u [Unit]) -> Self {
        let mut found: Vec<Result<Vec<DecodedColumn>, Refusal>> = columns.iter().map(|_| Ok(Vec::new())).collect();
        let mut groups: Vec<Vec<LeafColumn>> = Vec::new();
        let mut bytes = 0_usize;
        for (number, column) in columns.iter().enumerate() {
            let leaves = match plan.leaf_columns(number, column, units) {
                Ok(leaves) => leaves,
                Err(refusal) => {
                    found[number] = Err(refusal);
                    continue;
                }
            };
            for leaf in leaves {
                let Some(of_leaf) = leaf.bytes() else {
                    found[number] = Err(Refusal::Expansion);
                    continue;
                };
                bytes = bytes.saturating_add(of_leaf);
                match groups.last_mut().filter(|_| bytes <= MOST_STAGED) {
                    Some(group) => group.push(leaf),
                    None => {
                        groups.push(vec![leaf]);
                        bytes = of_leaf;
                    }
                }
            }
        }
        Reading { units, found, rows: vec![Vec::new(); columns.len()], groups }
    }

    /// Decodes a group of leaf columns.
    fn decode(
        &mut self,
        plan: &Plan,
        columns: &[&PlanColumn],
        group: &[LeafColumn],
        copied: Copied,
        target: Target<'_>,
    ) -> Result<()> {
        let Copied { bytes, chunks, rows } = copied;
        let group_rows = self.units.iter().map(|unit| plan.files[unit.file].group_rows(unit.group)).collect();
        let decoded = decode_group(group, group_rows, &bytes, chunks, target)?;
        for ((LeafColumn { column, .. }, decoded), rows) in group.iter().zip(decoded).zip(rows) {
            let Ok(leaves) = &mut self.found[*column] else { continue };
            // All leaves of a column have the same rows.
            self.rows[*column] = rows;
            match decoded {
                Ok(leaf) => leaves.push(leaf),
                Err(refusal) => {
                    plan.give_up(columns[*column]);
                    self.found[*column] = Err(refusal);
                }
            }
        }
        Ok(())
    }

    /// Makes the columns of their leaves, which are given up.
    fn assemble(
        &mut self,
        plan: &Plan,
        columns: &[&PlanColumn],
        target: Target<'_>,
    ) -> Result<Vec<Result<Column, Refusal>>> {
        let assemble = |(column, leaves): (&&PlanColumn, Result<Vec<DecodedColumn>, Refusal>)| {
            let leaves = match leaves {
                Ok(leaves) => leaves,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let made = gdf_decode::assemble(column.field.data_type(), target.stream.device(), leaves)?;
            if made.is_none() {
                plan.give_up(column);
            }
            Ok(made.ok_or(Refusal::OtherPages))
        };
        let found = columns.iter().zip(std::mem::take(&mut self.found)).map(assemble).collect::<Result<_>>()?;
        self.without_others(found, target)
    }

    /// Leaves out the decoded rows that are not selected.
    fn without_others(
        &self,
        mut found: Vec<Result<Column, Refusal>>,
        target: Target<'_>,
    ) -> Result<Vec<Result<Column, Refusal>>> {
        if self.units.iter().all(|unit| unit.selection.is_none()) {
            return Ok(found);
        }
        let mut masks: Vec<Option<BooleanBuffer>> = self.rows.iter().map(|rows| self.mask(rows)).collect();
        // Columns with the same pages have the same mask.
        while let Some(mask) = masks.iter().flatten().next().cloned() {
            let (mut places, mut columns) = (Vec::new(), Vec::new());
            for (place, (of_column, found)) in masks.iter_mut().zip(&found).enumerate() {
                if of_column.as_ref() == Some(&mask) {
                    *of_column = None;
                    if let Ok(column) = found {
                        places.push(place);
                        columns.push(column.clone());
                    }
                }
            }
            let selected = target.masked(Table::try_new(columns)?, &BooleanArray::new(mask, None))?;
            for (place, column) in places.into_iter().zip(selected.into_columns()) {
                found[place] = Ok(column);
            }
        }
        Ok(found)
    }

    /// Returns which of the decoded rows of a column are selected, or `None` if all are.
    fn mask(&self, rows: &[Vec<Range<usize>>]) -> Option<BooleanBuffer> {
        let mut bits = BooleanBufferBuilder::new(0);
        for (unit, decoded) in self.units.iter().zip(rows) {
            match &unit.selection {
                Some(selection) => append_wanted(&mut bits, decoded, &ranges_of(selection)),
                None => bits.append_n(decoded.iter().map(Range::len).sum(), true),
            }
        }
        let bits = bits.finish();
        (bits.count_set_bits() < bits.len()).then_some(bits)
    }
}

/// Decodes a group of leaf columns, with one set of launches. The row groups have `group_rows` rows.
fn decode_group(
    group: &[LeafColumn],
    group_rows: Vec<usize>,
    bytes: &Buffer,
    chunks: Vec<Vec<Option<Chunk>>>,
    target: Target<'_>,
) -> Result<Vec<Result<DecodedColumn, Refusal>>> {
    let (mut batch, mut are_staged) = (Batch::default(), Vec::with_capacity(group.len()));
    for (LeafColumn { form, .. }, chunks) in group.iter().zip(chunks) {
        let chunks: Option<Vec<Chunk>> = chunks.into_iter().collect();
        are_staged.push(chunks.is_some());
        batch.columns.extend(chunks.map(|chunks| described(form, &group_rows, chunks)));
    }
    let resources = Resources::new(target.mr, target.temporary);
    let mut decoded = gdf_decode::decode(&batch, bytes, Ctx::new(target.stream, resources))?.into_iter();
    let found = are_staged.into_iter().map(|is_staged| {
        let found = if is_staged { decoded.next() } else { None };
        let log = |refused: &Refused| tracing::debug!(target: "gdf", %refused, "the GPU did not decode a column");
        let found = found.ok_or(Refusal::OtherPages);
        found.and_then(|found| found.inspect_err(log).map_err(|refused| Refusal::Page(refused.flaw)))
    });
    Ok(found.collect())
}

/// Returns the description of a leaf column for the decoder.
fn described(form: &LeafForm, group_rows: &[usize], chunks: Vec<Chunk>) -> ColumnPages {
    let nesting =
        (!form.nodes.is_empty()).then(|| Nesting { nodes: form.nodes.clone(), chunk_rows: group_rows.to_vec() });
    let LeafForm { data_type, stored, is_optional, .. } = form.clone();
    ColumnPages { data_type, stored, is_optional, nesting, chunks }
}

#[cfg(test)]
mod tests;
