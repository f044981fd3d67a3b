//! Columns that a GPU decodes.
//!
//! The pages of some leaf columns are copied to the GPU together. gdf-decode then decompresses and decodes them with one
//! set of launches.

use std::sync::mpsc::sync_channel;

use gdf_core::{Column, Table};
use gdf_decode::{Batch, Chunk, ColumnPages, Ctx, DecodedColumn, Nesting, Refused};
use gdf_driver::Stream;
use gdf_memory::Resources;

use super::file::ParquetFile;
use super::leaf::{LeafForm, has_known_encodings};
use super::plan::{Origin, Plan, PlanColumn, Unit, rows_of};
use super::refusal::{Refusal, report};
use super::staging::{Copied, LeafColumn, PageBytes};
use crate::target::Target;
use crate::{Error, Result};

/// The number of bytes of the pages of leaf columns that are decoded together, or of one. Pages that the GPU decompresses
/// count twice, compressed and decompressed. There are two groups at the same time. The largest page of a group is
/// decompressed by one block, so that small groups leave most of the GPU idle.
const MOST_STAGED: usize = if cfg!(test) { 100_000 } else { 1 << 30 };

/// What is done with the columns of a part of a read.
pub(super) type Finish<'f, C> = dyn FnMut(&[Unit], Vec<C>) -> Result<()> + 'f;

impl Plan {
    /// Reads the rows of units that satisfy the predicate, part by part. The GPU decodes all rows, and tests the predicate.
    /// Returns `None` if it cannot decode the columns of the predicate, which the CPU then tests before the rows are read.
    ///
    /// # Errors
    /// - The errors of [`Plan::read`].
    pub(super) fn filtered_on_device(&self, parts: &[&[Unit]], target: Target<'_>) -> Result<Option<Vec<Table>>> {
        let Some((filter, tested)) = self.filter() else { return Ok(None) };
        if parts.iter().any(|units| units.is_empty()) || !self.is_masked() {
            return Ok(None);
        }
        let refusal =
            |column| parts.iter().find_map(|units| Some((column, self.leaf_columns(0, column, units).err()?)));
        let refused: Vec<(&PlanColumn, Refusal)> = tested.iter().filter_map(refusal).collect();
        if !refused.is_empty() {
            report(refused, target.stream.device());
            return Ok(None);
        }
        let mut columns: Vec<&PlanColumn> = self.columns.iter().collect();
        let mut place = |column| {
            columns.iter().position(|known| known.is_same(column)).unwrap_or_else(|| {
                columns.push(column);
                columns.len() - 1
            })
        };
        let places: Vec<usize> = tested.iter().map(&mut place).collect();
        let mut tables = Vec::with_capacity(parts.len());
        self.read_parts(&columns, parts, target, &mut |units, mut found| {
            let rows = rows_of(units)?;
            let tested: Vec<Column> = places.iter().map(|place| found[*place].clone()).collect();
            found.truncate(self.columns.len());
            let table = Table::try_with_rows(found, rows)?;
            tables.push(match filter.mask(&tested, target.stream, target.temporary)? {
                None => table.slice(0, 0)?,
                Some(mask) if table.num_columns() == 0 => {
                    let passing = target.passing(&Table::try_new(vec![mask.clone()])?, &mask)?;
                    Table::try_with_rows(Vec::new(), passing.num_rows())?
                }
                Some(mask) => target.passing(&table, &mask)?,
            });
            Ok(())
        })?;
        Ok(Some(tables))
    }

    /// Returns whether the GPU tests the predicate on the rows of units.
    pub(super) fn tests_on_device(&self, units: &[Unit]) -> bool {
        let is_decoded = |column: &PlanColumn| self.leaf_columns(0, column, units).is_ok();
        !units.is_empty() && self.is_masked() && self.filter().is_some_and(|(_, tested)| tested.iter().all(is_decoded))
    }

    /// Returns the leaf columns of a column, or why the GPU cannot decode it.
    fn leaf_columns(&self, number: usize, column: &PlanColumn, units: &[Unit]) -> Result<Vec<LeafColumn>, Refusal> {
        let Origin::Stored { leaves } = &column.origin else { return Err(Refusal::Folders) };
        let form = |file: &ParquetFile, leaves: &[usize]| {
            LeafForm::of_column(file, leaves, column.field.data_type()).ok_or(Refusal::Form)
        };
        let mut found: Vec<LeafColumn> = Vec::new();
        let mut of_file: Option<(usize, Vec<usize>)> = None;
        for unit in units {
            let file = &self.files[unit.file];
            if unit.selection.is_some() {
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
        Reading { units, found, groups }
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
        let decoded = decode_group(group, self.units, copied, target)?;
        for (LeafColumn { column, .. }, decoded) in group.iter().zip(decoded) {
            let Ok(leaves) = &mut self.found[*column] else { continue };
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
        columns.iter().zip(std::mem::take(&mut self.found)).map(assemble).collect()
    }
}

/// Decodes a group of leaf columns, with one set of launches.
fn decode_group(
    group: &[LeafColumn],
    units: &[Unit],
    copied: Copied,
    target: Target<'_>,
) -> Result<Vec<Result<DecodedColumn, Refusal>>> {
    let Copied { bytes, chunks } = copied;
    let (mut batch, mut are_staged) = (Batch::default(), Vec::with_capacity(group.len()));
    for (LeafColumn { form, .. }, chunks) in group.iter().zip(chunks) {
        let chunks: Option<Vec<Chunk>> = chunks.into_iter().collect();
        are_staged.push(chunks.is_some());
        batch.columns.extend(chunks.map(|chunks| described(form, units, chunks)));
    }
    let resources = Resources::new(target.mr, target.temporary);
    let mut decoded = gdf_decode::decode(&batch, &bytes, Ctx::new(target.stream, resources))?.into_iter();
    let found = are_staged.into_iter().map(|is_staged| {
        let found = if is_staged { decoded.next() } else { None };
        let log = |refused: &Refused| tracing::debug!(target: "gdf", %refused, "the GPU did not decode a column");
        let found = found.ok_or(Refusal::OtherPages);
        found.and_then(|found| found.inspect_err(log).map_err(|refused| Refusal::Page(refused.flaw)))
    });
    Ok(found.collect())
}

/// Returns the description of a leaf column for the decoder.
fn described(form: &LeafForm, units: &[Unit], chunks: Vec<Chunk>) -> ColumnPages {
    let chunk_rows = units.iter().map(|unit| unit.rows).collect();
    let nesting = (!form.nodes.is_empty()).then(|| Nesting { nodes: form.nodes.clone(), chunk_rows });
    let LeafForm { data_type, stored, is_optional, .. } = form.clone();
    ColumnPages { data_type, stored, is_optional, nesting, chunks }
}

#[cfg(test)]
mod tests;
