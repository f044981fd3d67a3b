//! Reads with a predicate that a GPU tests.
//!
//! Three things leave pages unread. Bounds in the page index exclude rows. If few rows can pass, the columns of the predicate
//! are read first, and of the others only pages with a row that passes. All other rows are decoded, and dropped.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_select::filter::prep_null_mask_filter;
use gdf_core::{Column, Table};
use parquet::arrow::arrow_reader::RowSelection;

use super::device::Finish;
use super::plan::{Origin, Plan, PlanColumn, Unit, group_statistics, rows_of};
use super::refusal::{Refusal, report};
use crate::filter::Filter;
use crate::target::Target;
use crate::{Error, Result};

/// If a value that may pass comes with this number of rows, the columns of the predicate are read first. A file for GPUs
/// has eight pages of a column for them, so that most pages have none of the values if each is in one page.
const ROWS_OF_VALUE: u64 = if cfg!(test) { 1 << 10 } else { 1 << 17 };

impl Plan {
    /// Reads the rows of units that satisfy the predicate, part by part. The GPU tests the predicate. Returns `None` if it
    /// cannot decode the columns of the predicate, which the CPU then tests before the rows are read.
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
        let narrowed = |units: &&[Unit]| units.iter().filter_map(|unit| self.narrowed(unit)).collect();
        let parts: Vec<Vec<Unit>> = parts.iter().map(narrowed).filter(|units: &Vec<Unit>| !units.is_empty()).collect();
        if parts.is_empty() {
            let columns: Vec<&PlanColumn> = self.columns.iter().collect();
            let empty = self.read_on_host(&columns, &[], 0, target)?;
            return Ok(Some(vec![Table::try_with_rows(empty, 0)?]));
        }
        if parts.iter().all(|units| self.is_rarely_true(filter, tested, units)) {
            return parts.iter().map(|units| self.filtered_late(units, target)).collect::<Result<_>>().map(Some);
        }
        let mut columns: Vec<&PlanColumn> = self.columns.iter().collect();
        let places = places_of(tested, &mut columns);
        let mut tables = Vec::with_capacity(parts.len());
        let parts: Vec<&[Unit]> = parts.iter().map(Vec::as_slice).collect();
        let finish: &mut Finish<'_, Column> = &mut |units, mut found| {
            let rows = rows_of(units)?;
            let tested: Vec<Column> = places.iter().map(|place| found[*place].clone()).collect();
            found.truncate(self.columns.len());
            let table = Table::try_with_rows(found, rows)?;
            tables.push(passing(&table, filter.mask(&tested, target.stream, target.temporary)?, target)?);
            Ok(())
        };
        self.read_parts(&columns, &parts, target, finish)?;
        Ok(Some(tables))
    }

    /// Returns whether the GPU tests the predicate on the rows of units.
    pub(super) fn tests_on_device(&self, units: &[Unit]) -> bool {
        let is_decoded = |column: &PlanColumn| self.leaf_columns(0, column, units).is_ok();
        !units.is_empty() && self.is_masked() && self.filter().is_some_and(|(_, tested)| tested.iter().all(is_decoded))
    }

    /// Restricts a unit to the rows that may satisfy the predicate by the page index. Returns `None` if there are none.
    fn narrowed(&self, unit: &Unit) -> Option<Unit> {
        match self.pages(unit) {
            Some(pages) => unit.within(pages),
            None => Some(unit.clone()),
        }
    }

    /// Returns whether the predicate admits so few values that most pages of the other columns have no row that passes.
    ///
    /// A column chunk whose pages all refer to a dictionary has few values, so that a value may have many rows.
    fn is_rarely_true(&self, filter: &Filter, tested: &[PlanColumn], units: &[Unit]) -> bool {
        if self.columns.iter().all(|column| tested.iter().any(|tested| tested.is_same(column))) {
            return false;
        }
        let files = units.chunk_by(|unit, next| unit.file == next.file);
        let of_file = |units: &[Unit]| {
            let index = units.first()?.file;
            let file = &self.files[index];
            let groups: Vec<usize> = units.iter().map(|unit| unit.group).collect();
            let mut statistics = |column: usize| {
                let Origin::Stored { leaves } = &tested[column].origin else { return None };
                let [leaf] = leaves[index].as_slice() else { return None };
                let is_coded = groups.iter().any(|group| file.is_coded(*group, *leaf));
                if is_coded { None } else { group_statistics(file, index, &groups, &tested[column]) }
            };
            filter.passing_values(groups.len(), &mut statistics)
        };
        let values = files.map(of_file).try_fold(0_u64, |sum, values| Some(sum.saturating_add(values?)));
        let rows = units.iter().map(|unit| unit.rows as u64).fold(0, u64::saturating_add);
        values.is_some_and(|values| values.saturating_mul(ROWS_OF_VALUE) <= rows)
    }

    /// Reads the rows of units that satisfy the predicate: the columns of the predicate first, and of the others only pages
    /// with rows that pass.
    fn filtered_late(&self, units: &[Unit], target: Target<'_>) -> Result<Table> {
        let missing = || Error::from(gdf_core::Error::internal("a read with a predicate has none"));
        let (filter, tested) = self.filter().ok_or_else(missing)?;
        let first: Vec<&PlanColumn> = tested.iter().collect();
        let found = self.read_columns(&first, units, rows_of(units)?, target)?;
        let mask = filter.mask(&found, target.stream, target.temporary)?;
        let known = passing(&Table::try_with_rows(found, rows_of(units)?)?, mask.clone(), target)?;
        let bits = mask.map(|mask| mask.to_arrow(target.stream)).transpose()?;
        let mut at = 0;
        let passing_rows = |unit: &Unit| {
            let of_unit = bits.as_ref().map(|bits| bits.slice(at, unit.rows));
            at += unit.rows;
            let of_unit = of_unit?.as_boolean().clone();
            let of_unit = if of_unit.null_count() > 0 { prep_null_mask_filter(&of_unit) } else { of_unit };
            let passing = RowSelection::from_filters(&[of_unit]);
            unit.with_rows(match &unit.selection {
                Some(before) => before.and_then(&passing),
                None => passing,
            })
        };
        let units: Vec<Unit> = units.iter().filter_map(passing_rows).collect();
        let is_known = |column: &&PlanColumn| tested.iter().any(|tested| tested.is_same(column));
        let others: Vec<&PlanColumn> = self.columns.iter().filter(|column| !is_known(column)).collect();
        let mut others = self.read_columns(&others, &units, rows_of(&units)?, target)?.into_iter();
        let column = |column: &PlanColumn| match tested.iter().position(|tested| tested.is_same(column)) {
            Some(place) => Ok(known.column(place)?.clone()),
            None => Ok(others.next().ok_or_else(missing)?),
        };
        let columns = self.columns.iter().map(column).collect::<Result<Vec<Column>>>()?;
        Ok(Table::try_with_rows(columns, known.num_rows())?)
    }
}

/// Returns the places of columns in `columns`, to which those that are missing are added.
fn places_of<'c>(tested: &'c [PlanColumn], columns: &mut Vec<&'c PlanColumn>) -> Vec<usize> {
    let place = |column| {
        columns.iter().position(|known| known.is_same(column)).unwrap_or_else(|| {
            columns.push(column);
            columns.len() - 1
        })
    };
    tested.iter().map(place).collect()
}

/// Returns the rows for which the mask is true. Without a mask, no row passes.
fn passing(table: &Table, mask: Option<Column>, target: Target<'_>) -> Result<Table> {
    Ok(match mask {
        None => table.slice(0, 0)?,
        Some(mask) if table.num_columns() == 0 => {
            let passing = target.passing(&Table::try_new(vec![mask.clone()])?, &mask)?;
            Table::try_with_rows(Vec::new(), passing.num_rows())?
        }
        Some(mask) => target.passing(table, &mask)?,
    })
}

#[cfg(test)]
mod tests;
