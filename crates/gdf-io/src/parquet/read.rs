//! Row groups and columns side by side, into memory of gdf.
//!
//! The unit of work is a column of a row group. On the CPU, values of fixed width go straight to where they stay, from
//! batches small enough for the cache; everything else is kept as decoded and put together at the end. For a GPU each
//! part is sent off, through pinned memory, while other threads decode the next ones.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_core::{Column, ColumnParts, NullCount, Table, bitmask};
use gdf_memory::Buffer;
use rayon::prelude::*;

use super::file::ParquetFile;
use super::plan::{Origin, Plan, PlanColumn, Unit};
use crate::target::{Target, can_concatenate};
use crate::{Batch, Result};

/// Rows that are decoded at a time on their way to where they stay.
const CACHED_ROWS: usize = 1 << 15;
/// Rows that are decoded at a time where the arrays are kept.
const KEPT_ROWS: usize = 1 << 20;

/// What a column of a row group became.
enum Part {
    /// Values in their place, and which of them are null, if any.
    Placed(Nulls),
    Arrays(Vec<ArrayRef>),
    Column(Column),
}

/// Validity of the rows of a part; no bits as long as there are no nulls.
#[derive(Default)]
struct Nulls {
    bits: Vec<u8>,
    /// How many rows have a bit.
    rows: usize,
    count: usize,
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

        let width = |column: &PlanColumn| {
            let is_stored = matches!(column.origin, Origin::Stored { .. });
            if is_stored && target.is_cpu() { gdf_core::width(column.field.data_type()) } else { None }
        };
        let mut places = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            let place = |width: usize| {
                let bytes = rows.saturating_mul(width);
                Buffer::uninitialized(bytes, target.stream, target.mr)
            };
            places.push(width(column).map(place).transpose()?);
        }
        let mut accesses = Vec::with_capacity(places.len());
        for place in &mut places {
            accesses.push(place.as_mut().map(|buffer| buffer.write_on(target.stream)).transpose()?);
        }
        let mut work = Vec::with_capacity(self.columns.len() * units.len());
        for (column, access) in self.columns.iter().zip(&mut accesses) {
            let mut bytes = access.as_mut().map(|access| access.as_mut_slice::<u8>()).transpose()?;
            for unit in &units {
                let place = match (bytes.take(), width(column)) {
                    (Some(left), Some(width)) => {
                        let (place, rest) = left.split_at_mut(unit.rows * width);
                        bytes = Some(rest);
                        Some(place)
                    }
                    _ => None,
                };
                work.push((column, unit, place));
            }
        }
        let parent = tracing::Span::current();
        let run = |(column, unit, place): (&PlanColumn, &Unit, _)| {
            let (name, row_group, rows) = (column.field.name(), unit.group, unit.rows);
            let span = tracing::debug_span!(target: "gdf", parent: &parent, "decode", column = name, row_group, rows);
            span.in_scope(|| self.part(column, unit, place, target))
        };
        let parts: Vec<Part> = work.into_par_iter().map(run).collect::<Result<_>>()?;
        drop(accesses);

        let mut parts = parts.into_iter();
        let of_columns: Vec<_> = self
            .columns
            .iter()
            .zip(places)
            .map(|(column, place)| (column, place, parts.by_ref().take(units.len()).collect::<Vec<_>>()))
            .collect();
        let finish = |(column, place, parts): (&PlanColumn, Option<Buffer>, Vec<Part>)| match place {
            Some(values) => placed(column.field.data_type(), values, rows, &parts, &units, target),
            None => together(column.field.data_type(), parts, target),
        };
        let columns = of_columns.into_par_iter().map(finish).collect::<Result<_>>()?;
        Ok(Batch::try_new(self.schema.clone(), Table::try_with_rows(columns, rows)?)?)
    }

    fn part(&self, column: &PlanColumn, unit: &Unit, place: Option<&mut [u8]>, target: Target<'_>) -> Result<Part> {
        let file = &self.files[unit.file];
        let data_type = column.field.data_type();
        let Origin::Stored { leaves } = &column.origin else {
            return Ok(Part::Arrays(vec![column.repeat(unit.file, unit.rows)?]));
        };
        let leaves = &leaves[unit.file];
        if let Some(place) = place {
            return decode_placed(file, unit, leaves, data_type, place);
        }
        let mut arrays = Vec::new();
        decode(file, unit, leaves, KEPT_ROWS, |array| {
            arrays.push(array);
            Ok(())
        })?;
        if target.is_cpu() || !can_concatenate(data_type) {
            return Ok(Part::Arrays(arrays));
        }
        Ok(Part::Column(target.land_all(data_type, arrays)?))
    }
}

/// Decodes the rows of a unit; they are as many as it says.
fn decode(
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

fn decode_placed(
    file: &ParquetFile,
    unit: &Unit,
    leaves: &[usize],
    data_type: &DataType,
    place: &mut [u8],
) -> Result<Part> {
    let (mut row, mut nulls) = (0, Nulls::default());
    let width = place.len() / unit.rows.max(1);
    decode(file, unit, leaves, CACHED_ROWS, |array| {
        let data = array.to_data();
        let bytes = data.buffers().first().map_or(&[][..], |buffer| buffer.as_slice());
        let (start, len) = (data.offset() * width, array.len() * width);
        let values = bytes.get(start..start + len).filter(|_| gdf_core::same_type(data.data_type(), data_type));
        let values = values.ok_or_else(|| gdf_core::Error::type_mismatch(data_type, data.data_type()))?;
        place[row * width..row * width + len].copy_from_slice(values);
        nulls.push(row, &array);
        row += array.len();
        Ok(())
    })?;
    nulls.finish(row);
    Ok(Part::Placed(nulls))
}

impl Nulls {
    /// Adds the validity of rows from `row` on.
    fn push(&mut self, row: usize, array: &dyn Array) {
        let len = array.len();
        let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) else { return };
        self.fill(row);
        self.bits.resize(bitmask::used_bytes(row + len), 0);
        bitmask::copy_bits(nulls.validity(), nulls.offset(), &mut self.bits, row, len);
        self.rows = row + len;
        self.count += nulls.null_count();
    }

    /// The rows up to `end` that have no bits yet are valid.
    fn fill(&mut self, end: usize) {
        self.bits.resize(bitmask::used_bytes(end), 0);
        bitmask::fill_bits(&mut self.bits, self.rows, end - self.rows, true);
        self.rows = end;
    }

    fn finish(&mut self, rows: usize) {
        if self.count > 0 {
            self.fill(rows);
        }
    }
}

/// A column of values that are in their place.
fn placed(
    data_type: &DataType,
    values: Buffer,
    rows: usize,
    parts: &[Part],
    units: &[Unit],
    target: Target<'_>,
) -> Result<Column> {
    let nulls = || parts.iter().map(|part| if let Part::Placed(nulls) = part { Some(nulls) } else { None });
    let count: usize = nulls().flatten().map(|nulls| nulls.count).sum();
    let mut column = ColumnParts::new(data_type.clone(), target.stream.device(), rows).buffer(values);
    if count > 0 {
        let mut validity = Buffer::zeroed(bitmask::bytes(rows), target.stream, target.mr)?;
        let mut access = validity.write_on(target.stream)?;
        let bits = access.as_mut_slice::<u8>()?;
        let mut row = 0;
        for (nulls, unit) in nulls().zip(units) {
            match nulls.filter(|nulls| nulls.count > 0) {
                Some(nulls) => bitmask::copy_bits(&nulls.bits, 0, bits, row, unit.rows),
                None => bitmask::fill_bits(bits, row, unit.rows, true),
            }
            row += unit.rows;
        }
        drop(access);
        column = column.validity(Some(validity), NullCount::Known(count));
    }
    // A null count is a claim until it has been looked at.
    Ok(target.validated(Column::try_from_parts(column)?)?)
}

/// A column of parts that were kept.
fn together(data_type: &DataType, parts: Vec<Part>, target: Target<'_>) -> Result<Column> {
    let (mut arrays, mut columns) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Part::Arrays(more) => arrays.extend(more),
            Part::Column(column) => columns.push(column),
            Part::Placed(_) => {}
        }
    }
    if columns.is_empty() { Ok(target.land_all(data_type, arrays)?) } else { Ok(target.concatenate(columns)?) }
}
