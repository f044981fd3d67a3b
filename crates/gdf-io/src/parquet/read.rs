//! Row groups and columns side by side, into memory of gdf.
//!
//! The unit of work is a column of a row group. What has a known size goes straight to where it stays (`place`), to a GPU through
//! pinned memory while other threads decode; everything else is kept as decoded and put together at the end.

use std::cmp::Reverse;

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_core::{Column, Table};
use rayon::prelude::*;

use super::file::ParquetFile;
use super::place::{Destination, Nulls, Place, Scratch};
use super::plan::{Origin, Plan, PlanColumn, Unit};
use crate::target::Target;
use crate::{Batch, Error, Result};

/// Rows that are decoded at a time where the arrays are kept.
const KEPT_ROWS: usize = 1 << 20;

/// What a column of a row group became.
enum Part {
    /// Values in their place, and which of them are null, if any.
    Placed(Nulls),
    /// Not in its place: of another size than the file says.
    Refused,
    Arrays(Vec<ArrayRef>),
}

impl Plan {
    /// Reads everything.
    ///
    /// # Errors
    /// - a file is damaged; no memory.
    pub(crate) fn read(&self, target: Target<'_>) -> Result<Batch> {
        let units: Vec<Unit> = self.units.par_iter().map(|unit| self.filtered(unit)).collect::<Result<_>>()?;
        let units: Vec<Unit> = units.into_iter().filter(|unit| unit.rows > 0).collect();
        let rows = units.iter().map(|unit| unit.rows).try_fold(0_usize, usize::checked_add);
        let rows = rows.ok_or(gdf_core::Error::invalid_argument("more rows than a table has"))?;

        let columns = self.read_columns(&units, rows, target)?;
        Ok(Batch::try_new(self.schema.clone(), Table::try_with_rows(columns, rows)?)?)
    }

    fn read_columns(&self, units: &[Unit], rows: usize, target: Target<'_>) -> Result<Vec<Column>> {
        let place = |column| Place::find(column, &self.files, units, target);
        let mut places = self.columns.iter().map(place).collect::<Result<Vec<_>>>()?;
        let mut work = Vec::with_capacity(self.columns.len() * units.len());
        for (column, place) in self.columns.iter().zip(&mut places) {
            let destinations = place.as_mut().map(|place| place.destinations(target)).transpose()?;
            let destinations = destinations.into_iter().flatten().map(Some).chain(std::iter::repeat_with(|| None));
            work.extend(units.iter().zip(destinations).map(|(unit, destination)| (column, unit, destination)));
        }
        let scratch = Scratch::new(target)?;
        let parent = tracing::Span::current();
        let run = |(column, unit, destination): (&PlanColumn, &Unit, _)| {
            let (name, row_group, rows) = (column.field.name(), unit.group, unit.rows);
            let span = tracing::debug_span!(target: "gdf", parent: &parent, "decode", column = name, row_group, rows);
            span.in_scope(|| self.part(column, unit, destination, scratch.as_ref()))
        };
        // The longest first and each as soon as a thread is free, so that all threads end at about the same time.
        let mut work: Vec<_> = work.into_iter().enumerate().collect();
        work.sort_by_key(|(_, (column, unit, _))| Reverse(self.stored_bytes(column, unit)));
        let parts = work.into_iter().par_bridge().map(|(index, work)| Ok((index, run(work)?)));
        let mut parts = parts.collect::<Result<Vec<(usize, Part)>>>()?;
        parts.sort_by_key(|(index, _)| *index);

        let mut parts = parts.into_iter().map(|(_, part)| part);
        let of_columns: Vec<_> = self
            .columns
            .iter()
            .zip(places)
            .map(|(column, place)| (column, place, parts.by_ref().take(units.len()).collect::<Vec<_>>()))
            .collect();
        let finish = |(column, place, parts): (&PlanColumn, Option<Place>, Vec<Part>)| {
            let data_type = column.field.data_type();
            let Some(place) = place else { return together(data_type, parts, target) };
            let nulls: Option<Vec<&Nulls>> = parts.iter().map(Part::nulls).collect();
            match nulls.map(|nulls| place.finish(data_type, rows, &nulls, units, target)) {
                // Text that is none: the decoder of arrow-rs says in which row group.
                None | Some(Err(Error::Gdf(gdf_core::Error::BrokenData { .. }))) => {
                    let again = units.par_iter().map(|unit| self.part(column, unit, None, None));
                    together(data_type, again.collect::<Result<_>>()?, target)
                }
                Some(placed) => placed,
            }
        };
        of_columns.into_par_iter().map(finish).collect()
    }

    /// The bytes of a column in a row group, decompressed.
    fn stored_bytes(&self, column: &PlanColumn, unit: &Unit) -> i64 {
        let Origin::Stored { leaves } = &column.origin else { return 0 };
        let group = self.files[unit.file].metadata.metadata().row_group(unit.group);
        leaves[unit.file].iter().map(|leaf| group.column(*leaf).uncompressed_size()).fold(0, i64::saturating_add)
    }

    fn part(
        &self,
        column: &PlanColumn,
        unit: &Unit,
        destination: Option<Destination<'_>>,
        scratch: Option<&Scratch<'_>>,
    ) -> Result<Part> {
        let file = &self.files[unit.file];
        let data_type = column.field.data_type();
        let Origin::Stored { leaves } = &column.origin else {
            return Ok(Part::Arrays(vec![column.repeat(unit.file, unit.rows)?]));
        };
        let leaves = &leaves[unit.file];
        if let Some(destination) = destination {
            let placed = destination.decode(file, unit, leaves, data_type, scratch)?;
            return Ok(placed.map_or(Part::Refused, Part::Placed));
        }
        let mut arrays = Vec::new();
        decode(file, unit, leaves, KEPT_ROWS, |array| {
            arrays.push(array);
            Ok(())
        })?;
        Ok(Part::Arrays(arrays))
    }
}

impl Part {
    fn nulls(&self) -> Option<&Nulls> {
        if let Part::Placed(nulls) = self { Some(nulls) } else { None }
    }
}

/// Decodes the rows of a unit; they are as many as it says.
///
/// # Errors
/// - the file is damaged.
pub(super) fn decode(
    file: &ParquetFile,
    unit: &Unit,
    leaves: &[usize],
    batch_rows: usize,
    mut each: impl FnMut(ArrayRef) -> Result<()>,
) -> Result<()> {
    let mut reader = file.reader(unit.group, leaves, unit.selection.clone(), batch_rows)?;
    let mut found = 0;
    while let Some(arrays) = reader.next()? {
        for array in arrays {
            found += array.len();
            if found > unit.rows {
                return Err(reader.wrong_rows(unit.rows, found));
            }
            each(array)?;
        }
    }
    if found == unit.rows { Ok(()) } else { Err(reader.wrong_rows(unit.rows, found)) }
}

/// A column of parts that were kept.
fn together(data_type: &DataType, parts: Vec<Part>, target: Target<'_>) -> Result<Column> {
    let arrays = parts.into_iter().flat_map(|part| if let Part::Arrays(arrays) = part { arrays } else { Vec::new() });
    Ok(target.land_all(data_type, arrays.collect())?)
}
